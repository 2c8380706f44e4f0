/** A function that computes its value once for each argument. Values are never evicted. */
export function memoize<A, T>(make: (argument: A) => T): (argument: A) => T {
  const values = new Map<A, T>();
  return (argument) => {
    let value = values.get(argument);
    if (value === undefined) {
      value = make(argument);
      values.set(argument, value);
    }
    return value;
  };
}
