/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Parts of work in one turn. */
const PARTS_PER_TURN = 20;

/** The result of work that yields between its parts. It gives way to other work now and then. */
export async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  for (let parts = 1; ; parts++) {
    const { done, value } = work.next();
    if (done) return value;
    if (parts % PARTS_PER_TURN === 0) await nextTurn();
  }
}
