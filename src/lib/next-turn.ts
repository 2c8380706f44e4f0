/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** The result of work that yields between its parts, without a pause. */
export function inOneTurn<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/**
 * The result of work that yields between its parts. Each part has a turn of its own.
 *
 * @param check called between the turns; what it throws ends the work
 */
export async function inTurns<T>(work: Generator<void, T>, check?: () => void): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    check?.();
    await nextTurn();
  }
}

/**
 * The results for all items, in order. Each item is begun in a turn of the event loop of its own, because many answers
 * that are computed at once would delay other requests.
 */
export async function mapInTurns<T, R>(
  items: readonly T[],
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const begun: Promise<R>[] = [];
  for (const item of items) {
    const result = map(item);
    // An error is thrown below, after all items have begun.
    result.catch(() => {});
    begun.push(result);
    await nextTurn();
  }
  return Promise.all(begun);
}
