/** A value that is known now, or a promise of it. A promise costs a turn of the event loop. */
export type Awaitable<T> = T | Promise<T>;

/** Calls `next` with the value: at once if it is known, else when the promise resolves. */
export function whenKnown<T, U>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<U>,
): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
