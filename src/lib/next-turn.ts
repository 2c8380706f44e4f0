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
