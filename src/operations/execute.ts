import type { Country } from "#domain/country.ts";
import { COMPUTED, type Provenance } from "#domain/records.ts";
import { createTtlCache } from "#lib/ttl-cache.ts";
import type { MarketStore } from "#store/index.ts";
import type { Need } from "#store/fetches.ts";
import { type DecodedArguments, decodeArguments, type RawArguments } from "./decode.ts";
import type { Operation } from "./operation.ts";

/** How long an answer is served again before it is made anew. */
export const CACHE_MS = 30_000;
const MAX_CACHED_ANSWERS = 5_000;

/** What every data answer carries, on REST and on MCP alike. */
export interface Envelope {
  readonly country?: Country;
  readonly data: unknown;
  /** ISO 8601, UTC: when the answer was made. */
  readonly as_of: string;
}

/** An answer as it is remembered: made and serialised once. */
export interface Execution {
  readonly envelope: Envelope;
  /** The envelope as JSON text. */
  readonly body: string;
  /** A quoted hash of `data` alone: it stays the same while `as_of` moves on. */
  readonly etag: string;
  /** Where the figures come from: source names, comma-separated. */
  readonly source: string;
  /** When the oldest record behind the answer was stored, UTC milliseconds. */
  readonly storedAt: number;
  /** When the answer was made, UTC milliseconds. */
  readonly madeAt: number;
}

/** The one road into the operations: decode, cache, handle, envelope. */
export interface Executor {
  /** @throws BourseError */
  execute(operation: Operation, raw: RawArguments): Execution | Promise<Execution>;
}

/** What an executor works with. */
export interface ExecutorParts {
  readonly market: MarketStore;
  readonly clock: () => number;
  /**
   * Sees to it that what an answer needs is there and fresh; undefined where it is already. Left out
   * where nothing is live.
   */
  readonly refresh?: ((needs: readonly Need[]) => Promise<void> | undefined) | undefined;
}

/** An executor with an empty cache, on the given clock (UTC milliseconds). */
export function createExecutor({ market, clock, refresh }: ExecutorParts): Executor {
  const cache = createTtlCache<Execution>({
    ttlMs: CACHE_MS,
    maxEntries: MAX_CACHED_ANSWERS,
    clock,
  });

  const answer = (operation: Operation, input: DecodedArguments): Execution => {
    const now = clock();
    const { data, from } = operation.handle(input, { market, now });
    const country = operation.omitsCountry ? undefined : (input["country"] as Country | undefined);
    const as_of = new Date(now).toISOString();
    const json = JSON.stringify(data);
    return {
      envelope: { ...(country && { country }), data, as_of },
      body: `{${country ? `"country":"${country}",` : ""}"data":${json},"as_of":"${as_of}"}`,
      etag: `"${Bun.hash(json).toString(36)}"`,
      madeAt: now,
      ...provenanceOf(from, now),
    };
  };

  return {
    execute(operation, raw) {
      const input = decodeArguments(operation.input, raw, operation.notFound);
      return cache.get(`${operation.name} ${JSON.stringify(input)}`, () => {
        const refreshed = operation.needs && refresh?.(operation.needs(input));
        return refreshed
          ? refreshed.then(() => answer(operation, input))
          : answer(operation, input);
      });
    },
  };
}

/** How old an answer's oldest record is, in whole seconds. */
export function ageSeconds(execution: Execution, now: number): number {
  return Math.max(0, Math.floor((now - execution.storedAt) / 1000));
}

/** The sources of all records, and the age of the oldest; what no record stands behind was computed. */
function provenanceOf(
  from: Iterable<Provenance>,
  now: number,
): { source: string; storedAt: number } {
  const sources = new Set<string>();
  let storedAt = now;
  for (const provenance of from) {
    sources.add(provenance.source);
    storedAt = Math.min(storedAt, provenance.storedAt);
  }
  return { source: sources.size > 0 ? [...sources].sort().join(", ") : COMPUTED, storedAt };
}
