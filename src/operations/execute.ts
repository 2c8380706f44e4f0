import type { Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import type { Need } from "#domain/fetch.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import type { Provenance } from "#domain/records.ts";
import { createTtlCache } from "#lib/ttl-cache.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import type { MarketStore } from "#store/index.ts";
import { type DecodedArguments, decodeArguments, type RawArguments } from "./decode.ts";
import type { Answer, Operation } from "./operation.ts";

/** How long an answer is remembered. */
export const CACHE_MS = 30_000;
const MAX_CACHED_ANSWERS = 5_000;
/** Characters of all answers together; their encoded forms take about four times as much. */
const MAX_CACHED_CHARACTERS = 32 * 2 ** 20;
const MAX_MISSING_SYMBOLS = 1_000;

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
  /** Where the figures come from: source names, comma-separated; null where no record was found. */
  readonly source: string | null;
  /** When the oldest record behind the answer was stored, UTC milliseconds. */
  readonly storedAt: number;
  /** When the answer was made, UTC milliseconds. */
  readonly madeAt: number;
}

/** The one pipeline of all operations: decode (`askQuestion`), cache, handle, envelope. */
export interface Executor {
  /** A remembered answer comes at once, without a promise. @throws BourseError */
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
   * Fetches what an answer needs and is not fresh; undefined where everything is. Left out where no
   * source is live.
   */
  readonly refresh?: ((needs: readonly Need[]) => Promise<void> | undefined) | undefined;
  /** Roll-ups of the same market; where left out, answers wait until they are computed. */
  readonly rollups?: CompanyRollups | undefined;
}

/** Creates an executor with an empty cache, on the given clock (UTC milliseconds). */
export function createExecutor(parts: ExecutorParts): Executor {
  const { market, clock, refresh } = parts;
  const rollups = parts.rollups ?? new CompanyRollups(market, clock);
  const answers = createTtlCache<Execution>({
    ttlMs: CACHE_MS,
    maxEntries: MAX_CACHED_ANSWERS,
    maxWeight: MAX_CACHED_CHARACTERS,
    weigh: ({ body }) => body.length,
    clock,
  });
  const missing = createMissingSymbols(market, clock);

  const handle = (question: Question): Execution => {
    const now = clock();
    try {
      const { operation, input } = question;
      return envelope(question, operation.handle(input, { market, rollups, now }), now);
    } catch (error) {
      missing.note(question.input, error);
      throw error;
    }
  };
  const prepare = (question: Question): Execution | Promise<Execution> => {
    const { operation, input } = question;
    const prepared = operation.companiesOf && rollups.prepare(operation.companiesOf(input));
    return prepared ? prepared.then(() => handle(question)) : handle(question);
  };

  return {
    execute(question) {
      return answers.get(question.key, () => {
        const { operation, input } = question;
        missing.refuse(input);
        const refreshed = operation.needs && refresh?.(operation.needs(input));
        return refreshed ? refreshed.then(() => prepare(question)) : prepare(question);
      });
    },
  };
}

function envelope(
  { operation, input }: Question,
  { data, from }: Answer<unknown>,
  now: number,
): Execution {
  const country = operation.omitsCountry ? undefined : (input["country"] as Country | undefined);
  const as_of = new Date(now).toISOString();
  const json = JSON.stringify(data);
  return {
    body: `{${country ? `"country":"${country}",` : ""}"data":${json},"as_of":"${as_of}"}`,
    etag: `"${Bun.hash(json).toString(36)}"`,
    madeAt: now,
    ...provenanceOf(from, now),
  };
}

/**
 * Remembers which symbols were not found for 30 s, so that the search for the closest one runs once.
 * A symbol that was stored since is found at once.
 */
function createMissingSymbols(market: MarketStore, clock: () => number) {
  const errors = createTtlCache<BourseError>({
    ttlMs: CACHE_MS,
    maxEntries: MAX_MISSING_SYMBOLS,
    maxWeight: MAX_MISSING_SYMBOLS,
    weigh: () => 1,
    clock,
  });
  const keyOf = ({ country, symbol }: DecodedArguments) =>
    typeof country === "string" && typeof symbol === "string" ? { country, symbol } : null;
  return {
    /** @throws BourseError where the arguments name a symbol that is remembered as missing */
    refuse(input: DecodedArguments): void {
      const key = keyOf(input);
      const error = key && errors.find(`${key.country} ${key.symbol}`);
      if (key && error && !market.instruments.find(key as InstrumentKey)) throw error;
    },
    /** Remembers the error if it says that the symbol of the arguments was not found. */
    note(input: DecodedArguments, error: unknown): void {
      const key = keyOf(input);
      const isMissing =
        error instanceof BourseError &&
        error.code === "not_found" &&
        error.details.param === "symbol";
      if (key && isMissing) errors.set(`${key.country} ${key.symbol}`, error);
    },
  };
}

/** How old an answer's oldest record is, in whole seconds. */
export function ageSeconds(execution: Execution, now: number): number {
  return Math.max(0, Math.floor((now - execution.storedAt) / 1000));
}

/** The sources of all records, null where there are none, and when the oldest was stored. */
function provenanceOf(
  from: Iterable<Provenance>,
  now: number,
): Pick<Execution, "source" | "storedAt"> {
  const sources = new Set<string>();
  let storedAt = now;
  for (const provenance of from) {
    sources.add(provenance.source);
    storedAt = Math.min(storedAt, provenance.storedAt);
  }
  return { source: [...sources].sort().join(", ") || null, storedAt };
}
