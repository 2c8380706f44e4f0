import { edenGC } from "bun:jsc";
import type { Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { Instrument, InstrumentKey } from "#domain/instrument.ts";
import type { RecordKind } from "#domain/records.ts";
import { addDays, dateOf, daysBetween } from "#lib/date.ts";
import type { Log } from "#lib/log.ts";
import type { LiveQuery } from "#sources/fetcher.ts";
import { type Source, SourceError, type SourceFault } from "#sources/source.ts";
import type { MarketStore } from "#store/index.ts";
import {
  type BoundFetcher,
  DueKeys,
  type DueKeysParts,
  isLongList,
  nameOf,
  PRICE_KINDS,
} from "./due-keys.ts";
import { isDue } from "./freshness.ts";
import { checkBatch, partsByCompany } from "./batch.ts";
import type { AnswerChange, MarketWriter } from "./changes.ts";
import { type Outage, Outages } from "./outages.ts";
import { leaveOutImplausible } from "./plausibility.ts";

/** A key that is still due after a fetch is not fetched again for this time. */
const RETRY_AFTER_MS = 60_000;

/** The whole history is requested again if the newest stored bar is older than four weeks. */
const WHOLE_AFTER_DAYS = 28;

/** Sources adjust the bars around a split's date up to five sessions early or late. */
const DAYS_AROUND_SPLIT = 7;

/**
 * A long list of companies is stored in parts of about this size, so that other records wait less and
 * few records are in memory.
 */
const RECORDS_PER_PART = 500;

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

/** The dependencies of a refresher. */
export interface RefresherParts extends DueKeysParts {
  readonly writer: MarketWriter;
  readonly log: Log;
  /** Fetches the key by `fetchHere` or on another node; always here if absent. */
  readonly route?: FetchRoute | undefined;
}

/** Decides where a key is fetched: `fetchHere` fetches it in this process. */
export type FetchRoute = (
  key: FetchKey,
  fetchHere: () => Promise<RefreshOutcome>,
) => Promise<RefreshOutcome>;

/** What was stored of an answer. */
interface Tally {
  records: number;
  delisted: number;
  readonly warnings: string[];
}

/** Fetches due records from the sources and stores them; one fetch per key at a time. */
export class Refresher extends DueKeys {
  readonly #parts: RefresherParts;
  readonly #underWay = new Map<string, Promise<RefreshOutcome>>();
  /** The keys that were still due after a fetch, in the order in which the fetches ended. */
  readonly #incomplete = new Map<string, { at: number; outcome: RefreshOutcome }>();
  readonly #outages = new Outages();
  #isStopped = false;

  /** A refresher without running fetches; earlier results are in the store. */
  constructor(parts: RefresherParts) {
    super(parts);
    this.#parts = parts;
  }

  /** When a source that kept failing last answered again, UTC milliseconds; 0 if it never did. */
  answeredAgainAt(source: string): number {
    return this.#outages.endedAt(source);
  }

  override listOutages(source: string): readonly Outage[] {
    return this.#outages.listEnded(source);
  }

  /** Why the sources need attention, in one sentence; null if they do not: see `Outages`. */
  warning(): string | null {
    return this.#outages.warning(this.#parts.clock());
  }

  /**
   * Fetches the key if it is due. Concurrent callers with the same key get the same outcome. With
   * `probe`, which is for callers that wait for the answer, a blocked source may be tried once. The
   * promise never rejects.
   */
  async refresh(
    key: FetchKey,
    { probe = false }: { probe?: boolean } = {},
  ): Promise<RefreshOutcome> {
    const { clock, route = (_, fetchHere) => fetchHere() } = this.#parts;
    const name = nameOf(key);
    const running = this.#underWay.get(name);
    if (running) return running;
    const last = this.#incomplete.get(name);
    if (last && Math.abs(clock() - last.at) < RETRY_AFTER_MS) return last.outcome;
    this.#incomplete.delete(name);
    const flight = route(key, () => this.#run(key, probe))
      .then((outcome) => {
        if (this.isDue(key)) this.#rememberIncomplete(name, outcome);
        return outcome;
      })
      .catch((error) => this.#storeFailed(key, error))
      .finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, flight);
    return flight;
  }

  /** Prevents new fetches; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  #rememberIncomplete(name: string, outcome: RefreshOutcome): void {
    const now = this.#parts.clock();
    // The oldest come first. Without this loop, every symbol that ever failed would stay.
    for (const [oldest, { at }] of this.#incomplete) {
      if (Math.abs(now - at) < RETRY_AFTER_MS) break;
      this.#incomplete.delete(oldest);
    }
    this.#incomplete.set(name, { at: now, outcome });
  }

  /**
   * The outcome if the store failed: the disk is full, or the file is locked or closed. An error with a time
   * to retry after passes by itself, such as an outage of the cluster's database.
   */
  #storeFailed(key: FetchKey, error: unknown): RefreshOutcome {
    const { clock, log } = this.#parts;
    const { kind, country } = key;
    const reason = reasonOf(error);
    const passes = error instanceof BourseError && "retryAfterSeconds" in error.details;
    log[passes ? "warn" : "error"]("a refresh failed", { kind, country, error: reason });
    const outcome = { ...failedOutcome(key, reason), retryAt: clock() + RETRY_AFTER_MS };
    this.#rememberIncomplete(nameOf(key), outcome);
    return outcome;
  }

  async #run(key: FetchKey, probe: boolean): Promise<RefreshOutcome> {
    const { chain, complements } = this.dueCandidates(key);
    const outcomes: RefreshOutcome[] = [];
    for (const fetchers of [chain, ...complements.map((one) => [one])])
      if (fetchers.length > 0) outcomes.push(await this.#runChain(fetchers, key, probe));
    return combineOutcomes(key, outcomes);
  }

  /**
   * Calls one source after the other until one gives records. If a source that gave records before gives
   * none now, its records stay and no other source is called, except for prices.
   */
  async #runChain(
    fetchers: readonly BoundFetcher[],
    key: FetchKey,
    probe: boolean,
  ): Promise<RefreshOutcome> {
    const { market, writer, clock } = this.#parts;
    let emptySource: string | null = null;
    const failures: string[] = [];
    const notSetUp: string[] = [];
    let calledSource = false;
    let firstAnswered: boolean | null = null;
    for (const { fetcher, client } of fetchers) {
      const source = fetcher.source.name;
      const bound = { fetcher, client: probe ? client.probe() : client };
      const hasDelivered = market.fetches.hasDelivered(source, key);
      try {
        const records = await this.#fetchOne(bound, key);
        this.#noteAnswer(fetcher.source);
        firstAnswered ??= true;
        const ended = { error: null, calledSource: true, firstAnswered, retryAt: null };
        return { ...key, source, records, ...ended };
      } catch (error) {
        // The store failed, not the source.
        if (error instanceof BourseError && error.code === "unavailable") throw error;
        const { fault, retryAfterMs } =
          error instanceof SourceError ? error : { fault: null, retryAfterMs: null };
        const reason = reasonOf(error);
        calledSource ||= fault !== "not_asked";
        // "Nothing" is a valid answer about a symbol. For a whole country it means that the list has moved.
        if (fault === "nothing" && key.symbol !== null) {
          emptySource = source;
          firstAnswered ??= true;
          this.#noteAnswer(fetcher.source);
        } else if (fault === "not_asked" && retryAfterMs === null) notSetUp.push(reason);
        else {
          failures.push(reason);
          firstAnswered ??= false;
          if (fault !== "not_asked") await this.#recordFailure(bound, key, reason, fault);
        }
        if (hasDelivered && !PRICE_KINDS.has(key.kind)) break;
      }
    }
    // "Nothing" is stored as a success, so it is valid as long as any other answer.
    const source = failures.length === 0 ? emptySource : null;
    const called = { calledSource, firstAnswered: firstAnswered ?? false };
    if (source !== null) {
      const { kind, country, symbol } = key;
      const fetched = { kind, country, symbol, source, at: clock(), blockedUntil: null };
      await writer.write({ type: "success", ...fetched, count: 0, warning: null });
      return { ...key, source, records: 0, error: null, ...called, retryAt: null };
    }
    const reasons = [...failures, ...notSetUp].join("; ");
    return { ...failedOutcome(key, reasons), ...called, retryAt: retryAt(fetchers, clock()) };
  }

  /** Notes that a source gave a valid answer, and logs the end of an outage. */
  #noteAnswer({ name: source, isLocal }: Source): void {
    if (isLocal) return;
    const { clock, log } = this.#parts;
    const failedMs = this.#outages.answered(source, clock());
    if (failedMs !== null)
      log.info("a source answers again", { source, failedMinutes: Math.round(failedMs / 60_000) });
  }

  /** Fetches, checks and stores the records of one source; returns how many were stored. */
  async #fetchOne(bound: BoundFetcher, key: FetchKey): Promise<number> {
    const { market, writer, clock, log } = this.#parts;
    const { fetcher } = bound;
    const source = fetcher.source.name;
    const { kind, country } = key;
    if (this.#isStopped) throw new SourceError(source, "not_asked", "bourse is stopping", 0);
    const known = market.fetches.findError(source, key);
    const isLong = isLongList(key);
    const query: LiveQuery = {
      ...queryFor(market, source, key, clock()),
      ...(isLong && { listed: await listCompanies(market, kind, country, clock()) }),
    };
    const tally: Tally = { records: 0, delisted: 0, warnings: [] };
    const parts = fetcher.parts?.(query);
    if (parts) await this.#fetchParts(bound, key, parts, tally);
    else await this.#fetchPart(bound, key, query, tally);
    if (isLong) {
      bound.client.reportAnswer(true);
      const warning = tally.warnings.join(" ") || null;
      const fetched = { ...this.#fetched(bound, key), count: tally.records, warning };
      await writer.write({ type: "success", ...fetched });
    }
    // A fault that the answer had before is in the log already.
    for (const warning of tally.warnings)
      if (!known?.includes(warning))
        log.warn("an answer was stored in part", { source, kind, country, warning });
    const { delisted } = tally;
    if (delisted > 0) log.info("instruments were delisted", { source, country, delisted });
    return tally.records;
  }

  /** Fetches several parts of a list. @throws SourceError `nothing` if no part has records */
  async #fetchParts(
    bound: BoundFetcher,
    key: FetchKey,
    parts: readonly LiveQuery[],
    tally: Tally,
  ): Promise<void> {
    let empty: unknown = null;
    for (const part of parts) {
      try {
        await this.#fetchPart(bound, key, part, tally);
      } catch (error) {
        if (!(error instanceof SourceError && error.fault === "nothing")) throw error;
        empty = error;
      }
    }
    if (empty !== null && tally.records === 0) throw empty;
  }

  /** Fetches and stores the records of one query. */
  async #fetchPart(
    bound: BoundFetcher,
    key: FetchKey,
    query: LiveQuery,
    tally: Tally,
  ): Promise<void> {
    const { fetcher, client } = bound;
    const raw = await fetcher.fetch(query, client);
    const answer = fetcher.transform(raw, query);
    // A complement and a part of a list are partial, so records that are missing in them stay.
    const isWhole = key.symbol === null && !fetcher.complements && !fetcher.parts;
    const isComplete = !isLongList(key);
    const covered = fetcher.covers?.(raw, query) ?? null;
    // Splits are stored before the bars that they concern, so that no reader sees one without the other.
    for (const { kind, records } of fetcher.others?.(raw, query) ?? []) {
      const extent = { isWhole: false, isComplete: true, covered: null };
      const others: Tally = { records: 0, delisted: 0, warnings: tally.warnings };
      await this.#storePart(bound, { ...key, kind }, records, extent, others);
    }
    for (const part of isComplete ? [answer] : partsByCompany(answer, RECORDS_PER_PART)) {
      await this.#storePart(bound, key, part, { isWhole, isComplete, covered }, tally);
      // A part leaves some ten megabytes of garbage, and the engine would let a hundred pile up. Here
      // nothing of the part is in use, so nothing of it survives. This takes about two milliseconds.
      if (!isComplete) edenGC();
    }
  }

  /** Checks and stores records of an answer. Its variables end with it, so that they can be collected. */
  async #storePart(
    bound: BoundFetcher,
    key: FetchKey,
    part: Parameters<typeof checkBatch>[1],
    extent: Pick<AnswerChange, "isWhole" | "isComplete" | "covered">,
    tally: Tally,
  ): Promise<void> {
    const valid = checkBatch(key.kind, part);
    if (extent.isComplete) bound.client.reportAnswer(true);
    const { market, writer } = this.#parts;
    const source = bound.fetcher.source.name;
    const batch = leaveOutImplausible(market, valid, source);
    const fetched = this.#fetched(bound, key);
    const change = { type: "answer", ...fetched, ...batch, ...extent };
    const stored = await writer.write(change as AnswerChange);
    tally.records += stored.records;
    tally.delisted += stored.delisted;
    tally.warnings.push(...stored.warnings);
  }

  async #recordFailure(
    bound: BoundFetcher,
    key: FetchKey,
    reason: string,
    fault: SourceFault | null,
  ): Promise<void> {
    const { writer, clock, log } = this.#parts;
    const source = bound.fetcher.source.name;
    const { kind, country, symbol } = key;
    this.#outages.failed(source, clock());
    // The answer was not data, for example an HTML page. If this repeats, the source counts as failed.
    if (fault === "invalid_answer") bound.client.reportAnswer(false);
    log.warn("a source failed", { source, kind, country, symbol: symbol ?? undefined, reason });
    await writer.write({ type: "failure", ...this.#fetched(bound, key), reason });
  }

  /** The fields of a change about that key and source. */
  #fetched({ fetcher, client }: BoundFetcher, { kind, country, symbol }: FetchKey) {
    const { name: source } = fetcher.source;
    return {
      kind,
      country,
      symbol,
      source,
      at: this.#parts.clock(),
      blockedUntil: client.blockedUntil,
    };
  }
}

/** The outcome of a key for which no source was called or gave records, except for `retryAt`. */
export function failedOutcome(key: FetchKey, error: string): Omit<RefreshOutcome, "retryAt"> {
  return { ...key, source: null, records: 0, error, calledSource: false, firstAnswered: false };
}

/** Combines the outcomes of the chain and of each complement. */
function combineOutcomes(key: FetchKey, outcomes: readonly RefreshOutcome[]): RefreshOutcome {
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

/** The earliest time at which one of the sources may be called again, UTC milliseconds. */
function retryAt(fetchers: readonly BoundFetcher[], now: number): number {
  const unblocked = Math.min(...fetchers.map(({ client }) => client.blockedUntil));
  return Math.max(now + RETRY_AFTER_MS, unblocked);
}

/** The message of an error as one line of at most 300 characters without control characters. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return reason.slice(0, 300).replaceAll(/\p{Cc}+/gu, " ");
}

/** The companies of a list, the largest first. Closes are needed only without bars, and once a week. */
async function listCompanies(
  market: MarketStore,
  kind: RecordKind,
  country: Country,
  now: number,
): Promise<Pick<Instrument, "symbol">[]> {
  const companies = await market.instruments.listLargest(country, Infinity);
  if (kind !== "recentCloses") return companies;
  const known = new Set<string>();
  for (const { symbol, succeededAt } of market.fetches.listLast("bars", country))
    if (succeededAt !== null) known.add(symbol);
  for (const { key, storedAt } of market.documents.listAges(kind, country))
    if (!isDue(kind, country, storedAt, now)) known.add(key);
  return companies.filter(({ symbol }) => !known.has(symbol));
}

/** The query of a fetcher, with the stored records that it needs. */
function queryFor(
  market: MarketStore,
  source: string,
  { kind, country, symbol }: FetchKey,
  now: number,
): LiveQuery {
  const stored = symbol === null ? null : market.instruments.find({ country, symbol });
  const of = {
    now,
    country,
    holidayOverrides: market.documents.list("holidayOverrides", country),
    splitsOf: (one: string) => market.documents.find("splits", country, one)?.splits ?? null,
  };
  if (!stored) return { ...of, instrument: null, after: null };
  const { id, source: _, storedAt: __, ...instrument } = stored;
  if (kind !== "bars") return { ...of, instrument, after: null };
  // A source only continues its own bars; those of another source may be adjusted differently.
  const isOwn = market.bars.findProvenance(id)?.source === source;
  const newest = isOwn ? market.bars.listNewest(id, 1)[0]?.date : undefined;
  // Bars may be old because newer ones were refused. The whole history shows which are right.
  const isOld = newest !== undefined && newest < addDays(dateOf(now), -WHOLE_AFTER_DAYS);
  const isWhole = newest === undefined || isOld || lacksBarsBeforeSplit(market, stored);
  const after = isWhole ? null : newest;
  const storedBars = () => market.bars.listNewest(id, Number.MAX_SAFE_INTEGER).reverse();
  return { ...of, instrument, after, storedBars };
}

/**
 * True if the stored bars begin at a split that became known after they were stored. Older bars were then left out,
 * because the two levels of prices could not both be right.
 */
function lacksBarsBeforeSplit(
  market: MarketStore,
  { id, country, symbol }: InstrumentKey & { readonly id: number },
): boolean {
  const bars = market.bars.findProvenance(id);
  const known = market.documents.find("splits", country, symbol);
  if (!bars || !known || known.storedAt <= bars.storedAt) return false;
  const first = market.bars.findOnOrAfter(id, "0000-01-01")?.date;
  const isNear = (date: string, exDate: string) =>
    Math.abs(daysBetween(date, exDate)) <= DAYS_AROUND_SPLIT;
  return first !== undefined && known.splits.some(({ exDate }) => isNear(first, exDate));
}
