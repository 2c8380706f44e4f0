/** Stops calls to a service that keeps failing. */
export interface CircuitBreaker {
  /** Until when calls are refused, UTC milliseconds; 0 while it is closed. */
  readonly openUntil: number;
  /** Ends the series of failures; an open breaker stays open for its time. */
  succeeded(): void;
  /** Counts a failure; `retryAfterMs` is the wait that the service asked for. */
  failed(retryAfterMs?: number | null): void;
  /**
   * Closes an open breaker early, so that one call can probe the service: at most once per `openMs`,
   * and never within a wait that the service asked for. The next failure opens it again.
   */
  probe(): void;
}

/**
 * A breaker that opens after `threshold` failures in a row for `openMs`, then for twice as long after
 * each further failure, at most `maxOpenMs`; or for as long as the service asked, at most
 * `maxAskedMs`. After that time calls pass again, and the next failure opens it. Failures while it is
 * open belong to calls that had begun before and are not counted.
 */
export function createCircuitBreaker(options: {
  threshold: number;
  openMs: number;
  maxOpenMs: number;
  maxAskedMs: number;
  clock: () => number;
  /** Until when it is open from the start, UTC milliseconds; 0 for closed. */
  openUntil: number;
}): CircuitBreaker {
  const { threshold, openMs, maxOpenMs, maxAskedMs, clock } = options;
  let { openUntil } = options;
  let failures = 0;
  let openedAt = 0;
  let askedUntil = 0;
  const isOpen = () => {
    const left = openUntil - clock();
    // A clock that stepped back must not keep it open for longer than its time.
    return left > 0 && left <= Math.max(maxOpenMs, maxAskedMs);
  };
  return {
    get openUntil() {
      return isOpen() ? openUntil : 0;
    },
    succeeded() {
      failures = 0;
    },
    failed(retryAfterMs = null) {
      const now = clock();
      const wasOpen = isOpen();
      if (!wasOpen) {
        failures++;
        openedAt = now;
      }
      const excess = failures - threshold;
      const ownMs = wasOpen || excess < 0 ? 0 : Math.min(openMs * 2 ** excess, maxOpenMs);
      const askedMs = Math.min(retryAfterMs ?? 0, maxAskedMs);
      askedUntil = Math.max(wasOpen ? askedUntil : 0, now + askedMs);
      openUntil = Math.max(wasOpen ? openUntil : 0, now + ownMs, askedUntil);
    },
    probe() {
      const now = clock();
      if (!isOpen() || now < askedUntil || now < openedAt + openMs) return;
      openedAt = now;
      openUntil = 0;
    },
  };
}
