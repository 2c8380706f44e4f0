/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** How long work may hold the thread, in milliseconds. */
const SLICE_MS = 5;

/** The result of work that yields between its parts. It gives way to other work every few milliseconds. */
export async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  let since = performance.now();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() - since < SLICE_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}
