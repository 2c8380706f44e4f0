import type { FetchKey } from "#domain/fetch.ts";
import { SourceError } from "#sources/source.ts";
import { PRICE_KINDS } from "./due-keys.ts";

/** How a fetch ended. */
export interface RefreshOutcome extends FetchKey {
  /** The sources that gave the records or answered that there are none; null if all failed. */
  readonly source: string | null;
  readonly records: number;
  /** Why a source failed; null if none did. */
  readonly error: string | null;
  /** False if no source was called, because all are blocked after failures or not configured. */
  readonly calledSource: boolean;
  /** True if the first source that is set up gave the records or answered that there are none. */
  readonly firstAnswered: boolean;
  /** The earliest useful time for a retry, UTC milliseconds; null if no source failed. */
  readonly retryAt: number | null;
}

/** How the call of one source of a chain ended. */
export interface Attempt {
  readonly source: string;
  /**
   * `records`: they are stored. `empty`: it has none for the key. `failed`: it was called in vain. `blocked`:
   * it is not called for a while. `not_set_up`: it lacks a setting.
   */
  readonly end: "records" | "empty" | "failed" | "blocked" | "not_set_up";
  readonly records: number;
  /** Why there are no records. */
  readonly reason: string;
  /** The time after which a retry can help, in milliseconds; 0 if it is unknown. */
  readonly waitMs: number;
}

/** How a call ended that threw an error. */
export function failedEnd(error: unknown, { symbol }: FetchKey): Attempt["end"] {
  if (!(error instanceof SourceError)) return "failed";
  const { fault, retryAfterMs } = error;
  if (fault === "not_asked") return retryAfterMs === null ? "not_set_up" : "blocked";
  // "Nothing" is a valid answer about a symbol. For a whole country it means that the list has moved.
  return fault === "nothing" && symbol !== null ? "empty" : "failed";
}

/** True if no further source is called: see `Refresher`. `hasDelivered`: the source once gave records. */
export function endsChain({ end }: Attempt, { kind }: FetchKey, hasDelivered: boolean): boolean {
  return end === "records" || (hasDelivered && !PRICE_KINDS.has(kind));
}

/** The outcome of a chain. A failure has `retryAt`. */
export function outcomeOf(
  key: FetchKey,
  attempts: readonly Attempt[],
  retryAt: number,
): RefreshOutcome {
  const answers = attempts.filter(({ end }) => end === "records" || end === "empty");
  const failures = attempts.filter(({ end }) => end === "failed" || end === "blocked");
  const first = attempts.find(({ end }) => end !== "not_set_up");
  const called = {
    calledSource: answers.length > 0 || failures.some(({ end }) => end === "failed"),
    firstAnswered: first !== undefined && answers.includes(first),
  };
  const last = answers.at(-1);
  if (last && (last.end === "records" || failures.length === 0)) {
    const { source, records } = last;
    return { ...key, source, records, error: null, ...called, retryAt: null };
  }
  const notSetUp = attempts.filter(({ end }) => end === "not_set_up");
  const reasons = [...failures, ...notSetUp].map(({ reason }) => reason).join("; ");
  return { ...failedOutcome(key, reasons), ...called, retryAt };
}

/** The outcome of a key for which no source was called or gave records, except for `retryAt`. */
export function failedOutcome(key: FetchKey, error: string): Omit<RefreshOutcome, "retryAt"> {
  return { ...key, source: null, records: 0, error, calledSource: false, firstAnswered: false };
}

/** Combines the outcomes of the chain and of each complement. */
export function combineOutcomes(
  key: FetchKey,
  outcomes: readonly RefreshOutcome[],
): RefreshOutcome {
  const join = (texts: readonly (string | null)[], separator: string) =>
    texts.filter((text) => text !== null).join(separator) || null;
  const sources = outcomes.map(({ source }) => source);
  const errors = outcomes.map(({ error }) => error);
  const retryTimes = outcomes.flatMap((outcome) => outcome.retryAt ?? []);
  return {
    ...key,
    source: join(sources, ", "),
    records: outcomes.reduce((sum, { records }) => sum + records, 0),
    error: join(errors, "; "),
    calledSource: outcomes.some((one) => one.calledSource),
    firstAnswered: outcomes[0]?.firstAnswered ?? false,
    retryAt: retryTimes.length === 0 ? null : Math.max(...retryTimes),
  };
}
