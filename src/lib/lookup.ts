/**
 * The value of an untrusted key in a table; undefined if the table does not have the key, also for
 * inherited keys such as `__proto__` and `constructor`.
 */
export function lookup<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
