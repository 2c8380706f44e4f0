/**
 * A value that is known now, or a promise of it. `await` on the request path makes a cached call a tenth slower:
 * see `test/bench/README.md`.
 */
export type Awaitable<T> = T | Promise<T>;

/** Calls `work` with the value: at once if it is known, else when the promise resolves. */
export function whenKnown<T, U>(
  value: Awaitable<T>,
  work: (value: T) => Awaitable<U>,
): Awaitable<U> {
  return value instanceof Promise ? value.then(work) : work(value);
}
