import type { ClusterLeasesParts } from "#access/cluster-leases.ts";
import { BourseError } from "#domain/errors.ts";
import { nextTurn } from "#lib/next-turn.ts";
import {
  type Ceilings,
  type CountedCalls,
  type DeniedCalls,
  type Usage,
  windowsAt,
} from "#store/usage.ts";

/** How a statement fares on its way. It runs after `toServerMs` unless it is lost before. */
export interface Transit {
  readonly toServerMs: number;
  readonly toNodeMs: number;
  readonly lost?: "before" | "after" | "refused";
}

/** An undisturbed statement: half a millisecond each way is less than the clock shows. */
const AT_ONCE: Transit = { toServerMs: 0, toNodeMs: 0 };
/** As `Postgres`: a statement without an answer fails after this time. */
const STATEMENT_MS = 1_000;

/** The error of a statement that has no answer: it may have run. */
const noAnswer = (): BourseError =>
  new BourseError("unavailable", "The database does not answer.", { retryAfterSeconds: 1 });

/** A virtual time in UTC milliseconds, with events. */
export class FakeTime {
  now: number;
  #events: { readonly at: number; readonly run: () => void }[] = [];

  constructor(start: number) {
    this.now = start;
  }

  /** Runs `run` when that much time has passed. */
  after(ms: number, run: () => void): void {
    this.#events.push({ at: this.now + ms, run });
  }

  /** Passes time event by event; all code that waits for an event runs before the next. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    await settled();
    for (;;) {
      const next = this.#events
        .filter(({ at }) => at <= end)
        .toSorted((one, other) => one.at - other.at)[0];
      if (!next) break;
      this.#events = this.#events.filter((event) => event !== next);
      this.now = Math.max(this.now, next.at);
      next.run();
      await settled();
    }
    this.now = end;
  }
}

/** Resolves when all code that waits only for turns of the event loop has run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await nextTurn();
}

/** Way of a node to the database, with faults that a test injects. */
export class FakeLink {
  readonly time: FakeTime;
  outages = 0;
  #isDown = false;

  get isDown(): boolean {
    return this.#isDown;
  }

  set isDown(isDown: boolean) {
    if (isDown && !this.#isDown) this.outages++;
    this.#isDown = isDown;
  }

  /** The transits of the next statements; the ones after are undisturbed. */
  next: Transit[] = [];
  /** Statements that were sent. */
  sent = 0;
  /** Statements whose answer the node waits for. */
  underWay = 0;

  constructor(time: FakeTime) {
    this.time = time;
  }

  /** Sends a statement; `unseen` is called with a result that the node never gets. */
  send<T>(run: () => T, unseen: (result: T) => void, unrun: () => void = () => {}): Promise<T> {
    if (this.isDown) return Promise.reject(noAnswer());
    this.sent++;
    this.underWay++;
    const { toServerMs, toNodeMs, lost } = this.next.shift() ?? AT_ONCE;
    return new Promise<T>((resolve, reject) => {
      let isOver = false;
      this.time.after(STATEMENT_MS, () => {
        isOver = true;
        reject(noAnswer());
      });
      this.time.after(toServerMs, () => {
        if (lost === "before") return unrun();
        if (lost === "refused") {
          if (isOver) return unrun();
          isOver = true;
          return reject(new Error("deadlock detected"));
        }
        const result = run();
        if (isOver || lost === "after" || toServerMs + toNodeMs >= STATEMENT_MS)
          return unseen(result);
        this.time.after(toNodeMs, () => resolve(result));
      });
    }).finally(() => this.underWay--);
  }
}

interface FakeToken {
  isLive: boolean;
  readonly days: Map<number, number>;
  readonly hours: Map<number, number>;
  /** When it last granted fewer calls than wanted. */
  fullAt: number;
}

/** Adds to the number of a key. */
export function addTo<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** The counters of a cluster's database, in memory. Its clock is the virtual time. */
export class FakeCounters {
  readonly time: FakeTime;
  readonly denied = new Map<string, number>();
  readonly #tokens = new Map<number, FakeToken>();

  constructor(time: FakeTime) {
    this.time = time;
  }

  token(id: number): FakeToken {
    const token = this.#tokens.get(id) ?? {
      isLive: true,
      days: new Map(),
      hours: new Map(),
      fullAt: Number.NEGATIVE_INFINITY,
    };
    this.#tokens.set(id, token);
    return token;
  }

  usage(id: number): Usage {
    const { day, hour } = windowsAt(this.time.now);
    const { days, hours } = this.token(id);
    return { day, dayUsed: days.get(day) ?? 0, hour, hourUsed: hours.get(hour) ?? 0 };
  }

  charge(id: number, calls: number, ceilings: Ceilings): { calls: number; usage: Usage } | null {
    const token = this.token(id);
    if (!token.isLive) return null;
    const { day, dayUsed, hour, hourUsed } = this.usage(id);
    const room = Math.min(ceilings.daily - dayUsed, ceilings.hourly - hourUsed);
    const granted = Math.max(0, Math.min(calls, room));
    if (granted < calls) token.fullAt = this.time.now;
    addTo(token.days, day, granted);
    addTo(token.hours, hour, granted);
    return { calls: granted, usage: this.usage(id) };
  }

  refund({ tokenId, calls, day, hour }: CountedCalls): void {
    const { days, hours } = this.token(tokenId);
    addTo(days, day, -calls);
    addTo(hours, hour, -calls);
  }

  addDenied({ tokenId, hour, denied }: DeniedCalls): void {
    addTo(this.denied, `${tokenId} ${hour}`, denied);
  }
}

/** Calls of a token in an hour, as a key: `token hour`. */
export type HourKey = `${number} ${number}`;

/** The calls of one node, by token and hour. */
export class Ledger {
  /** Counted for the node and not given back. */
  readonly counted = new Map<HourKey, number>();
  readonly served = new Map<HourKey, number>();
  /** Counted, but the node does not know of them or could not give them back. */
  readonly lost = new Map<HourKey, number>();
}

/** The counters as a node sees them. */
export function createFakeAccess(
  counters: FakeCounters,
  link: FakeLink,
  ledger = new Ledger(),
): ClusterLeasesParts["access"] {
  return {
    get isDown() {
      return link.isDown;
    },
    get outages() {
      return link.outages;
    },
    usage: {
      // This database never goes back in time.
      raise: () =>
        link.send(
          () => 0,
          () => {},
        ),
      charge: (wanted) =>
        link.send(
          () => {
            const granted = wanted.map(({ tokenId, calls, ceilings }) => {
              const grant = counters.charge(tokenId, calls, ceilings);
              if (grant) addTo(ledger.counted, `${tokenId} ${grant.usage.hour}`, grant.calls);
              return grant;
            });
            return { now: counters.time.now, granted };
          },
          ({ granted }) => {
            for (const [i, { tokenId }] of wanted.entries()) {
              const grant = granted[i];
              if (grant) addTo(ledger.lost, `${tokenId} ${grant.usage.hour}`, grant.calls);
            }
          },
        ),
      settle: (unused, denied) =>
        link.send(
          () => {
            for (const one of unused) {
              counters.refund(one);
              addTo(ledger.counted, `${one.tokenId} ${one.hour}`, -one.calls);
            }
            for (const one of denied) counters.addDenied(one);
          },
          () => {},
          () => {
            for (const one of unused) addTo(ledger.lost, `${one.tokenId} ${one.hour}`, one.calls);
          },
        ),
      list: (tokenIds) =>
        link.send(
          () => ({ now: counters.time.now, usages: tokenIds.map((id) => counters.usage(id)) }),
          () => {},
        ),
    },
  };
}
