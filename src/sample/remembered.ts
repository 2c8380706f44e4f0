/** The function's value for each argument, worked out once. */
export function remembered<A, T>(make: (argument: A) => T): (argument: A) => T {
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
