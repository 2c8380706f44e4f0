/** Stops calls to a service that keeps failing. */
export interface CircuitBreaker {
  /**
   * The end of the time in which calls are refused, UTC milliseconds; 0 while the breaker is closed. Set it
   * to what another process has stored.
   */
  openUntil: number;
  /** True during a wait that the service requested, in which no probe passes either. */
  readonly isRequested: boolean;
  /** Resets the count of failures. Only the success of a probe closes an open breaker before `openUntil`. */
  succeeded(isProbe?: boolean): void;
  /** Counts a failure. `retryAfterMs` is the wait that the service requested. */
  failed(retryAfterMs?: number | null, isProbe?: boolean): void;
  /**
   * True if a call may pass the open breaker now, to probe the service: at most once per `openMs`, and never
   * during a wait that the service requested. The breaker stays open for all other calls until the probe
   * succeeds; if the probe fails, the open time doubles.
   */
  probe(): boolean;
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
    get isRequested() {
      return isOpen() && clock() < requestedUntil;
    },
    succeeded(isProbe = false) {
      failures = 0;
      if (isProbe) openUntil = 0;
    },
    failed(retryAfterMs = null, isProbe = false) {
      const now = clock();
      const wasOpen = isOpen() && !isProbe;
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
      if (!isOpen() || now < requestedUntil || now < openedAt + openMs) return false;
      openedAt = now;
      return true;
    },
  };
}
