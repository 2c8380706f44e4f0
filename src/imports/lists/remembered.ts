/** A function that computes the result of each text once. The results are kept as long as the function: for one file. */
export function remembered<R>(find: (text: string) => R): (text: string) => R {
  const known = new Map<string, R>();
  return (text) => {
    const stored = known.get(text);
    if (stored !== undefined || known.has(text)) return stored as R;
    const found = find(text);
    known.set(text, found);
    return found;
  };
}
