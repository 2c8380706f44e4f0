/** Stops calls to a service that keeps failing. */
export interface CircuitBreaker {
  /**
   * The end of the time in which calls are refused, UTC milliseconds; 0 while the breaker is closed. Set it
   * to what another process has stored.
   */
  openUntil: number;
  /** Resets the count of failures. An open breaker stays open until `openUntil`. */
  succeeded(): void;
  /** Counts a failure. `retryAfterMs` is the wait that the service requested. */
  failed(retryAfterMs?: number | null): void;
  /**
   * Closes an open breaker early, so that one call can probe the service: at most once per `openMs`,
   * and never during a wait that the service requested. The next failure opens it again.
   */
  probe(): void;
}

/**
 * Creates a breaker that opens after `threshold` consecutive failures for `openMs`. Each further failure
 * doubles this time, up to `maxOpenMs`. A wait that the service requested counts too, up to
 * `maxRequestedMs`. After that time calls pass again, and the next failure opens the breaker. Failures while
 * it is open belong to calls that began earlier and are not counted.
 */
export function createCircuitBreaker(options: {
  threshold: number;
  openMs: number;
  maxOpenMs: number;
  maxRequestedMs: number;
  clock: () => number;
  /** The initial `openUntil`, UTC milliseconds; 0 for a closed breaker. */
  openUntil: number;
}): CircuitBreaker {
  const { threshold, openMs, maxOpenMs, maxRequestedMs, clock } = options;
  let { openUntil } = options;
  let failures = 0;
  let openedAt = 0;
  let requestedUntil = 0;
  const isOpen = () => {
    const left = openUntil - clock();
    // A clock that was set back must not keep the breaker open for longer than the maximum.
    return left > 0 && left <= Math.max(maxOpenMs, maxRequestedMs);
  };
  return {
    get openUntil() {
      return isOpen() ? openUntil : 0;
    },
    set openUntil(until) {
      openUntil = until;
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
      const requestedMs = Math.min(retryAfterMs ?? 0, maxRequestedMs);
      requestedUntil = Math.max(wasOpen ? requestedUntil : 0, now + requestedMs);
      openUntil = Math.max(wasOpen ? openUntil : 0, now + ownMs, requestedUntil);
    },
    probe() {
      const now = clock();
      if (!isOpen() || now < requestedUntil || now < openedAt + openMs) return;
      openedAt = now;
      openUntil = 0;
    },
  };
}
