import { Batch } from "#lib/batch.ts";
import { BoundedMap } from "#lib/bounded-map.ts";
import type { ClusterAccess } from "#store/access-cluster.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { type GateRefusal, type IpGate, MAX_ADDRESSES } from "./ip-gate.ts";

const MINUTE_MS = 60_000;
/** A node takes at most this share of the limit of an address in advance: 20 of 120. */
const MAX_SHARE = 1 / 6;
/** Addresses in one statement, so that it stays far below the second that it may take. */
const MAX_ROWS = 500;

/** Requests of an address that this node may let pass in a minute of the database's clock. */
interface Chunk {
  readonly size: number;
  left: number;
  /** Requests that this node let pass in the minute. */
  passed: number;
  /** True if the address has no more requests in this minute. */
  readonly isLast: boolean;
  /** The end of the minute by this node's clock, UTC milliseconds. */
  readonly endsAt: number;
  /** The end of the minute, Unix seconds. */
  readonly resetAt: number;
}

/** The dependencies of `ClusterIpGate`. */
export interface ClusterIpGateParts {
  readonly access: { readonly gate: Pick<ClusterAccess["gate"], "takeChunks"> };
  readonly clock: DatabaseClock;
}

/**
 * A gate of `perMinute` requests for each address and minute of the database's clock, for all nodes of a
 * cluster together. A node takes 1 request of an address at first, then twice as many each time, up to
 * a sixth of the limit, so that a client whose requests go to many nodes in turn is not refused early. Chunks that are wanted in
 * a turn of the event loop are one statement. A refusal lasts until the minute ends, without a statement.
 *
 * While the database cannot be used, each node counts for itself.
 */
export class ClusterIpGate implements IpGate {
  readonly #perMinute: number;
  readonly #parts: ClusterIpGateParts;
  readonly #chunks = new BoundedMap<Chunk>(MAX_ADDRESSES);
  readonly #waiting = new Batch((addresses: readonly string[]) => this.#take(addresses), MAX_ROWS);

  constructor(perMinute: number, parts: ClusterIpGateParts) {
    this.#perMinute = perMinute;
    this.#parts = parts;
  }

  check(address: string): GateRefusal | null | Promise<GateRefusal | null> {
    const known = this.#passKnown(address, this.#parts.clock.local());
    return known === undefined ? this.#waiting.add(address) : known;
  }

  /** The result of a request that needs no statement, or undefined. */
  #passKnown(address: string, now: number): GateRefusal | null | undefined {
    const chunk = this.#findChunk(address, now);
    return chunk && (chunk.left > 0 || chunk.isLast) ? this.#pass(chunk, now) : undefined;
  }

  /** The chunk of an address in this minute, used up or not. */
  #findChunk(address: string, now: number): Chunk | null {
    const chunk = this.#chunks.get(address);
    const remainingMs = chunk ? chunk.endsAt - now : 0;
    return chunk && remainingMs > 0 && remainingMs <= MINUTE_MS ? chunk : null;
  }

  #pass(chunk: Chunk, now: number): GateRefusal | null {
    if (chunk.left > 0) {
      chunk.left--;
      chunk.passed++;
      return null;
    }
    return {
      limit: this.#perMinute,
      resetAt: chunk.resetAt,
      retryAfterSeconds: Math.max(1, Math.ceil((chunk.endsAt - now) / 1_000)),
    };
  }

  /** Answers waiting requests, in order, from chunks of an earlier batch or from new ones. */
  async #take(addresses: readonly string[]): Promise<(GateRefusal | null)[]> {
    const now = this.#parts.clock.local();
    const known = addresses.map((address) => this.#passKnown(address, now));
    const waiting = addresses.filter((_, i) => known[i] === undefined);
    const chunks = waiting.length > 0 ? await this.#takeChunks(waiting, now) : null;
    return addresses.map((address, i) => {
      const chunk = known[i] === undefined ? chunks?.get(address) : undefined;
      return chunk ? this.#pass(chunk, now) : (known[i] ?? null);
    });
  }

  /** Takes a chunk for all requests of an address; without the database, from this node's own limit. */
  async #takeChunks(addresses: readonly string[], sentAt: number): Promise<Map<string, Chunk>> {
    const { access, clock } = this.#parts;
    const ceiling = this.#perMinute;
    const waiting = Map.groupBy(addresses, (address) => address);
    const wanted = [...waiting].map(([address, { length }]) => {
      const size = nextChunkSize(this.#findChunk(address, sentAt), ceiling);
      return { address, size, chunk: Math.min(ceiling, length - 1 + size), ceiling };
    });
    let granted: readonly number[] | null = null;
    try {
      const answer = await access.gate.takeChunks(wanted);
      clock.observe(sentAt, answer.now);
      ({ granted } = answer);
    } catch {
      // The gate must not refuse requests because its own statement failed.
    }
    const now = clock.at(sentAt);
    const resetAt = (Math.floor(now / MINUTE_MS) + 1) * (MINUTE_MS / 1_000);
    return new Map(
      wanted.map(({ address, size, chunk }, i) => {
        const passed = this.#findChunk(address, sentAt)?.passed ?? 0;
        const left = granted ? (granted[i] ?? 0) : Math.min(chunk, ceiling - passed);
        const taken: Chunk = {
          size,
          left,
          passed,
          isLast: left < chunk,
          endsAt: sentAt + resetAt * 1_000 - now,
          resetAt,
        };
        this.#chunks.set(address, taken);
        return [address, taken];
      }),
    );
  }
}

/** One request at first, then twice as many each time, so that a short visit leaves little unused. */
function nextChunkSize(held: Chunk | null, ceiling: number): number {
  return held ? Math.max(1, Math.min(Math.floor(ceiling * MAX_SHARE), 2 * held.size)) : 1;
}
