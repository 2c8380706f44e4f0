/** A record with the same keys and the mapped values. */
export function mapRecord<K extends string, T, U>(
  record: Readonly<Record<K, T>>,
  map: (value: T, key: K) => U,
): Record<K, U> {
  const mapped = {} as Record<K, U>;
  for (const key of Object.keys(record) as K[]) mapped[key] = map(record[key], key);
  return mapped;
}
