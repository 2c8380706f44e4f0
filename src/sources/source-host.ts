import { type CircuitBreaker, createCircuitBreaker } from "#lib/circuit-breaker.ts";
import { Throttle } from "#lib/throttle.ts";
import { isRefusal, type Refusal, type RefusalCause } from "./refusal.ts";

/** When a host pauses after failures, in milliseconds. */
export const BREAKER = {
  threshold: 4,
  openMs: 60_000,
  maxOpenMs: 600_000,
  maxRequestedMs: 3_600_000,
};
/** After this time a host that refused us is tried again before the doors behind it. */
const REMEMBERED_MS = 24 * 3_600_000;

/** What is known of a host, for the next start. Times are UTC milliseconds. */
export interface HostState {
  /** The name of the host: `query1.finance.yahoo.com`. */
  readonly host: string;
  /** The end of its block; 0 if it is not blocked. */
  readonly blockedUntil: number;
  /** How it last refused; null after an answer. */
  readonly refusal: RefusalCause | null;
  readonly refusedAt: number | null;
  /** The User-Agent to which it last answered; null if it never did, or if the source has one only. */
  readonly identity: string | null;
}

/** The limits of a source at a host. */
export interface HostLimits {
  readonly requestsPerSecond: number;
  readonly concurrency: number;
}

/** Time, as hosts need it. */
interface HostWorld {
  readonly clock: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** A host that one or more sources call: its throttle, its breaker and its last refusal. */
export class SourceHost {
  readonly name: string;
  readonly breaker: CircuitBreaker;
  /** The User-Agents to which it answered since the start. A 429 to one of them means too many calls. */
  readonly #passed = new Set<string>();
  /** The number of requests in a row to which it sent nothing at all. */
  hangs = 0;
  /** True while the store does not know the newest state. */
  isChanged = false;
  readonly #clock: () => number;
  readonly #limits = { intervalMs: 0, concurrency: Number.POSITIVE_INFINITY };
  readonly #throttle: Throttle;
  /** The host whose throttle a part of it shares; null for a host. */
  readonly #whole: SourceHost | null;
  /** What the store keeps beside the block. */
  #known: Omit<HostState, "host" | "blockedUntil"> = {
    refusal: null,
    refusedAt: null,
    identity: null,
  };

  /** @param whole the host, for a part of it that refuses alone; null for a host */
  constructor(name: string, { clock, sleep }: HostWorld, whole: SourceHost | null = null) {
    this.name = name;
    this.#whole = whole;
    this.#clock = clock;
    this.#throttle = new Throttle(Object.assign(this.#limits, { clock, sleep }));
    this.breaker = createCircuitBreaker({ ...BREAKER, clock, openUntil: 0 });
  }

  /** How it last refused; null after an answer. */
  get refusal(): Refusal | null {
    const { refusal } = this.#known;
    return refusal === null ? null : { host: this.name, cause: refusal };
  }

  /** The User-Agent to which it last answered; null if none is known. */
  get identity(): string | null {
    return this.#known.identity;
  }

  /** True if it refused within the last day and has not answered since. */
  get isClosed(): boolean {
    const { refusal, refusedAt } = this.#known;
    if (refusal === null || !isRefusal(refusal)) return false;
    const ageMs = this.#clock() - (refusedAt ?? 0);
    return ageMs >= 0 && ageMs < REMEMBERED_MS;
  }

  /** What the store keeps. */
  get state(): HostState {
    return { host: this.name, blockedUntil: this.breaker.openUntil, ...this.#known };
  }

  /** Continues with what was stored. */
  resume({ blockedUntil, refusal, refusedAt, identity }: HostState): void {
    this.breaker.openUntil = blockedUntil;
    this.#known = { refusal, refusedAt, identity };
  }

  /** Runs a request within the strictest limits of all sources that call this host. */
  run<T>(allowed: HostLimits, work: () => Promise<T>): Promise<T> {
    if (this.#whole) return this.#whole.run(allowed, work);
    const { requestsPerSecond, concurrency } = allowed;
    const limits = this.#limits;
    limits.intervalMs = Math.max(limits.intervalMs, 1_000 / requestsPerSecond);
    limits.concurrency = Math.min(limits.concurrency, concurrency);
    return this.#throttle.run(work);
  }

  /** True if it answered to that User-Agent since the start. */
  hasAnswered(identity: string): boolean {
    return this.#passed.has(identity);
  }

  /** Notes an answer to that User-Agent; null for a source that has one only. */
  answered(identity: string | null, isProbe: boolean): void {
    if (identity !== null) this.#passed.add(identity);
    const { refusal, identity: before } = this.#known;
    this.isChanged ||= refusal !== null || before !== identity;
    this.#known = { refusal: null, refusedAt: null, identity };
    this.breaker.succeeded(isProbe);
  }

  /** Notes a failure, and how it refused; null if it did not. `pauseMs` is the wait that it requested. */
  failed(cause: RefusalCause | null, pauseMs: number | null, isProbe: boolean): void {
    if (cause !== null) this.note(cause);
    this.isChanged = true;
    this.breaker.failed(pauseMs, isProbe);
  }

  /** Notes how it refused. Content that cannot be used is counted by its source. */
  note(cause: RefusalCause): void {
    this.#known = { ...this.#known, refusal: cause, refusedAt: this.#clock() };
    this.isChanged = true;
  }
}

/** The hosts that all sources of a process call, by name. */
export class SourceHosts {
  readonly #world: HostWorld;
  readonly #hosts = new Map<string, SourceHost>();

  /** Hosts without a history. */
  constructor(world: HostWorld) {
    this.#world = world;
  }

  /** The host with that name, or a part of it that refuses alone: `query1.finance.yahoo.com (session)`. */
  get(name: string): SourceHost {
    const known = this.#hosts.get(name);
    if (known) return known;
    const [whole = name, part] = name.split(" ");
    const host = new SourceHost(name, this.#world, part === undefined ? null : this.get(whole));
    this.#hosts.set(name, host);
    return host;
  }

  /** Continues with what another process stored. */
  resume(states: Iterable<HostState>): void {
    for (const state of states) this.get(state.host).resume(state);
  }

  /** The states that changed since the last call, for the store. */
  takeChanges(): HostState[] {
    return [...this.#hosts.values()].flatMap((host) => {
      if (!host.isChanged) return [];
      host.isChanged = false;
      return [host.state];
    });
  }
}
