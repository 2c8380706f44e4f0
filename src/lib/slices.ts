/**
 * Long work that yields after every slice, so that the event loop can run other work in between. The
 * generator returns the result.
 */
export type Slices<T> = Generator<undefined, T, undefined>;

/** Runs all slices in the current turn of the event loop and returns the result. */
export function runAtOnce<T>(slices: Slices<T>): T {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
  }
}

/** Runs one slice in each turn of the event loop and resolves with the result. */
export async function runInTurns<T>(slices: Slices<T>): Promise<T> {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}

/** Calls `each` for every item, yields after every `size` items and returns the number of items. */
export function* eachInSlices<T>(
  items: Iterable<T>,
  size: number,
  each: (item: T) => void,
): Slices<number> {
  let count = 0;
  for (const item of items) {
    each(item);
    if (++count % size === 0) yield;
  }
  return count;
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
