/** Runs work with a limited rate and a limited concurrency. */
export type Throttle = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a throttle that starts work in the order of the calls, at least `intervalMs` apart. */
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
      // At most `concurrency` starts can be in the future. More means that the clock was set back.
      const latest = now + options.intervalMs * options.concurrency;
      const start = Math.max(now, Math.min(nextStart, latest));
      nextStart = start + options.intervalMs;
      if (start > now) await options.sleep(start - now);
      return await work();
    } finally {
      // The next waiting work takes this place, or it becomes free.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
