/** Runs work at most so often and at most so much of it at once. */
export type Throttle = <T>(work: () => Promise<T>) => Promise<T>;

/** A throttle that starts work at least `intervalMs` apart, in the order in which it was asked. */
export function createThrottle(options: {
  intervalMs: number;
  concurrency: number;
  clock: () => number;
  sleep: (ms: number) => Promise<void>;
}): Throttle {
  const waiting: (() => void)[] = [];
  let running = 0;
  let nextStart = 0;

  return async (work) => {
    if (running >= options.concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      const now = options.clock();
      // No more than `concurrency` starts are ever ahead, unless the clock stepped back.
      const latest = now + options.intervalMs * options.concurrency;
      const start = Math.max(now, Math.min(nextStart, latest));
      nextStart = start + options.intervalMs;
      if (start > now) await options.sleep(start - now);
      return await work();
    } finally {
      // The place goes to the next in line, or is free.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
