/**
 * Long work that pauses after every slice, so that other work of the event loop can run in between.
 * It returns its result at the end.
 */
export type Slices<T> = Generator<undefined, T, undefined>;

/** Runs all slices in this turn of the event loop. */
export function runAtOnce<T>(slices: Slices<T>): T {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
  }
}

/** Runs one slice in each turn of the event loop. */
export async function runInTurns<T>(slices: Slices<T>): Promise<T> {
  for (;;) {
    const step = slices.next();
    if (step.done) return step.value;
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

/** The same items, with a pause after every `size` of them; `each` handles one item. */
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
