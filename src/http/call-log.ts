import { dateOf } from "#lib/date.ts";
import { HTTP_ERRORS } from "./errors.ts";
import type { RequestObserver, Trace } from "./trace.ts";

/** The calls that are kept of each token. */
export const MAX_CALLS = 1_000;
/** The tokens whose calls are kept: 25 KB each. The one that has been kept the longest makes room. */
const MAX_TOKENS = 200;

/** A call that this process has answered. */
export interface LoggedCall {
  /** When the answer began, UTC milliseconds. */
  readonly at: number;
  readonly tokenId: number;
  readonly via: Trace["via"];
  /** The operation, the method of MCP or the layer of feeds; empty if unknown. */
  readonly operation: string;
  /** Its symbols or country; empty if it has none. */
  readonly subject: string;
  /** The HTTP status; of a refused call the one that its error has over REST. */
  readonly status: number;
  /** Until the answer began. */
  readonly ms: number;
}

/** The newest calls of a token in arrays, so that a call leaves nothing for the garbage collector. */
interface Ring {
  count: number;
  readonly at: Float64Array;
  readonly ms: Float32Array;
  readonly status: Uint16Array;
  readonly via: Trace["via"][];
  readonly operation: string[];
  readonly subject: string[];
}

/** Remembers the newest calls of each token, without addresses, and of the arguments only symbols and country. They are gone when the process ends. */
export class CallLog implements RequestObserver {
  readonly stopwatch: () => number;
  /** Since when calls are remembered, UTC milliseconds. */
  readonly since: number;
  readonly #clock: () => number;
  readonly #rings = new Map<number, Ring>();

  /** @param clock gives UTC milliseconds */
  constructor(clock: () => number, stopwatch: () => number) {
    this.#clock = clock;
    this.stopwatch = stopwatch;
    this.since = clock();
  }

  finished({ via, operation, subject, refusal, tokenId }: Trace, status: number, ms: number): void {
    if (tokenId === null) return;
    const ring = this.#rings.get(tokenId) ?? this.#add(tokenId);
    const place = ring.count++ % MAX_CALLS;
    ring.at[place] = this.#clock();
    ring.ms[place] = ms;
    ring.status[place] = refusal ? HTTP_ERRORS[refusal.code].status : status;
    ring.via[place] = via;
    ring.operation[place] = operation;
    ring.subject[place] = subject;
  }

  #add(tokenId: number): Ring {
    const [oldest] = this.#rings.keys();
    if (oldest !== undefined && this.#rings.size >= MAX_TOKENS) this.#rings.delete(oldest);
    const ring: Ring = {
      count: 0,
      at: new Float64Array(MAX_CALLS),
      ms: new Float32Array(MAX_CALLS),
      status: new Uint16Array(MAX_CALLS),
      via: [],
      operation: [],
      subject: [],
    };
    this.#rings.set(tokenId, ring);
    return ring;
  }

  /** The newest calls of these tokens, newest first, at most {@link MAX_CALLS}. */
  list(tokenIds: Iterable<number>): LoggedCall[] {
    const calls: LoggedCall[] = [];
    for (const tokenId of tokenIds) {
      const ring = this.#rings.get(tokenId);
      // The newest first: calls of the same millisecond stay in this order.
      for (let back = 1; ring && back <= Math.min(ring.count, MAX_CALLS); back++) {
        const place = (ring.count - back) % MAX_CALLS;
        calls.push({
          at: ring.at[place] ?? 0,
          tokenId,
          via: ring.via[place] ?? "other",
          operation: ring.operation[place] ?? "",
          subject: ring.subject[place] ?? "",
          status: ring.status[place] ?? 0,
          ms: Math.round((ring.ms[place] ?? 0) * 100) / 100,
        });
      }
    }
    return calls.sort((a, b) => b.at - a.at).slice(0, MAX_CALLS);
  }

  /** The remembered calls of a token that were not refused, by UTC date and then by operation. Methods of MCP such as `ping` are left out. */
  countOperations(tokenId: number): ReadonlyMap<string, ReadonlyMap<string, number>> {
    const dates = new Map<string, Map<string, number>>();
    for (const { at, via, operation, status } of this.list([tokenId])) {
      if (status >= 400 || (via !== "feed" && !operation.includes("_"))) continue;
      const date = dateOf(at);
      const counts = dates.get(date) ?? new Map<string, number>();
      dates.set(date, counts.set(operation, (counts.get(operation) ?? 0) + 1));
    }
    return dates;
  }
}
