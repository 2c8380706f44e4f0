/** Leaves somebody alone who keeps failing. */
export interface CircuitBreaker {
  /** Until when nobody is let through, UTC milliseconds; 0 where all are. */
  readonly openUntil: number;
  succeeded(): void;
  /** Counts a failure; `retryAfterMs` is how long the other side asked to be left alone. */
  failed(retryAfterMs?: number | null): void;
}

/**
 * A breaker that opens after `threshold` failures in a row, for `openMs`, twice as long each further
 * time up to `maxOpenMs`. Once that is over it lets calls through again; the next failure opens it.
 */
export function createCircuitBreaker(options: {
  threshold: number;
  openMs: number;
  maxOpenMs: number;
  clock: () => number;
}): CircuitBreaker {
  let failures = 0;
  let openUntil = 0;
  return {
    get openUntil() {
      return openUntil > options.clock() ? openUntil : 0;
    },
    succeeded() {
      failures = 0;
      openUntil = 0;
    },
    failed(retryAfterMs = null) {
      failures++;
      const excess = failures - options.threshold;
      const openMs = excess < 0 ? 0 : Math.min(options.openMs * 2 ** excess, options.maxOpenMs);
      openUntil = Math.max(openUntil, options.clock() + Math.max(openMs, retryAfterMs ?? 0));
    },
  };
}
