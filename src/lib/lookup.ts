/**
 * The value of a table under a key that came from outside; undefined where the table itself has none,
 * also for `__proto__` and `constructor`.
 */
export function lookup<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
