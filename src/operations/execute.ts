import type { Country } from "#domain/country.ts";
import type { Need } from "#domain/fetch.ts";
import { COMPUTED, type Provenance } from "#domain/records.ts";
import { createTtlCache } from "#lib/ttl-cache.ts";
import type { MarketStore } from "#store/index.ts";
import { type DecodedArguments, decodeArguments, type RawArguments } from "./decode.ts";
import type { Operation } from "./operation.ts";

/** How long an answer is served again before it is made anew. */
export const CACHE_MS = 30_000;
const MAX_CACHED_ANSWERS = 5_000;
/** Characters of all answers together; what is made of them for the wire is some four times as much. */
const MAX_CACHED_CHARACTERS = 32 * 2 ** 20;

/** An operation with arguments that it accepts. */
export interface Question {
  readonly operation: Operation;
  readonly input: DecodedArguments;
  /** The same for every question that has the same answer. */
  readonly key: string;
}

/** An answer as it is remembered: made and serialised once. */
export interface Execution {
  /** The envelope, which is the same on REST and on MCP, as JSON text: `country`, `data`, `as_of`. */
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

/** The one road into the operations: decode (`askQuestion`), cache, handle, envelope. */
export interface Executor {
  /** What is remembered comes at once, without a promise. @throws BourseError */
  execute(question: Question): Execution | Promise<Execution>;
}

/** Decodes the arguments. @throws BourseError where they are not what the operation takes */
export function askQuestion(operation: Operation, raw: RawArguments): Question {
  const input = decodeArguments(operation.input, raw, operation.notFound);
  return { operation, input, key: `${operation.name} ${JSON.stringify(input)}` };
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
    maxWeight: MAX_CACHED_CHARACTERS,
    weigh: ({ body }) => body.length,
    clock,
  });

  const make = ({ operation, input }: Question): Execution => {
    const now = clock();
    const { data, from } = operation.handle(input, { market, now });
    const country = operation.omitsCountry ? undefined : (input["country"] as Country | undefined);
    const as_of = new Date(now).toISOString();
    const json = JSON.stringify(data);
    return {
      body: `{${country ? `"country":"${country}",` : ""}"data":${json},"as_of":"${as_of}"}`,
      etag: `"${Bun.hash(json).toString(36)}"`,
      madeAt: now,
      ...provenanceOf(from, now),
    };
  };

  return {
    execute(question) {
      return cache.get(question.key, () => {
        const { operation, input } = question;
        const refreshed = operation.needs && refresh?.(operation.needs(input));
        return refreshed ? refreshed.then(() => make(question)) : make(question);
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
