/** Leaves somebody alone who keeps failing. */
export interface CircuitBreaker {
  /** Until when nobody is let through, UTC milliseconds; 0 where all are. */
  readonly openUntil: number;
  /** Ends the row of failures; what is open stays so for its time. */
  succeeded(): void;
  /** Counts a failure; `retryAfterMs` is how long the other side asked to be left alone. */
  failed(retryAfterMs?: number | null): void;
}

/**
 * A breaker that opens after `threshold` failures in a row, for `openMs`, twice as long each further
 * time; or for as long as the other side asked; never for longer than `maxOpenMs`. Once that is over
 * it lets calls through again, and the next failure opens it. Failures while it is open, of calls
 * that had begun before, are not counted.
 */
export function createCircuitBreaker(options: {
  threshold: number;
  openMs: number;
  maxOpenMs: number;
  clock: () => number;
  /** Until when it is open from the start, UTC milliseconds; 0 for closed. */
  openUntil: number;
}): CircuitBreaker {
  let failures = 0;
  let { openUntil } = options;
  const isOpen = () => {
    const left = openUntil - options.clock();
    // A clock that stepped back must not keep it open for longer than its time.
    return left > 0 && left <= options.maxOpenMs;
  };
  return {
    get openUntil() {
      return isOpen() ? openUntil : 0;
    },
    succeeded() {
      failures = 0;
    },
    failed(retryAfterMs = null) {
      const wasOpen = isOpen();
      if (!wasOpen) failures++;
      const excess = failures - options.threshold;
      const openMs = wasOpen || excess < 0 ? 0 : options.openMs * 2 ** excess;
      const ms = Math.min(Math.max(openMs, retryAfterMs ?? 0), options.maxOpenMs);
      openUntil = Math.max(wasOpen ? openUntil : 0, options.clock() + ms);
    },
  };
}
