import { createFileGuard, type Guard } from "#access/guard.ts";

/** The methods of `T` that may return a promise, without the promise. */
type AtOnce<T> = {
  [K in keyof T]: T[K] extends (...args: infer Args) => infer Result
    ? [Result] extends [Promise<unknown>]
      ? T[K]
      : (...args: Args) => Exclude<Result, Promise<unknown>>
    : T[K];
};

/** The same object on SQLite, where the methods that may return a promise return a value. */
export function atOnce<T extends object>(target: T): AtOnce<T> & T {
  return target as AtOnce<T> & T;
}

/** A guard over the access file, whose methods return values. */
export type FileGuard = AtOnce<Guard> & Guard;

/** Creates a guard over the access file. */
export function openGuard(parts: Parameters<typeof createFileGuard>[0]): FileGuard {
  return atOnce(createFileGuard(parts));
}
