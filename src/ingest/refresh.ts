import { edenGC } from "bun:jsc";
import type { DividendHistory } from "#domain/dividend.ts";
import { BourseError } from "#domain/errors.ts";
import type { FetchKey, MissingPart } from "#domain/fetch.ts";
import type { Log } from "#lib/log.ts";
import { reasonOf } from "#lib/reason.ts";
import { runFor, type Urgency, type WorkCaller } from "#lib/throttle.ts";
import type { LiveQuery } from "#sources/fetcher.ts";
import { SourceError } from "#sources/source.ts";
import type { StoredHost } from "#store/fetches.ts";
import { type BoundFetcher, DueKeys, type DueKeysParts, isLongList, nameOf } from "./due-keys.ts";
import { listCompanies, queryFor } from "./live-query.ts";
import { checkBatch, partsByCompany } from "./batch.ts";
import type { AnswerChange, ChangeResult, MarketWriter, SuccessChange } from "./changes.ts";
import { endsOutage, warnOfSilence } from "./outages.ts";
import { leaveOutImplausible } from "./plausibility.ts";
import {
  type Attempt,
  combineOutcomes,
  endsChain,
  failedEnd,
  failedOutcome,
  outcomeOf,
  type RefreshOutcome,
} from "./source-chain.ts";

/** A key that is still due after a fetch is not fetched again for this time. */
const RETRY_AFTER_MS = 60_000;

/**
 * A long list of companies is stored in parts of about this size, so that other records wait less and
 * few records are in memory.
 */
const RECORDS_PER_PART = 500;

/** The dependencies of a refresher. */
export interface RefresherParts extends DueKeysParts {
  readonly writer: MarketWriter;
  readonly log: Log;
  /** The hosts whose state changed since the last call, for the store; none if absent. */
  readonly takeHosts?: () => StoredHost[];
  /** Fetches the key by `fetchHere` or on another node; always here if absent. */
  readonly route?: FetchRoute | undefined;
}

/** Decides where a key is fetched: `fetchHere` fetches it in this process. */
export type FetchRoute = (
  key: FetchKey,
  fetchHere: () => Promise<RefreshOutcome>,
) => Promise<RefreshOutcome>;

/** How a key is fetched. */
export interface RefreshOptions {
  /** True for a caller that waits for the answer: its requests go first, and a blocked source may be tried once. */
  readonly probe?: boolean;
  /**
   * Called before each source after the first one. The fetch goes on when the promise resolves, or when a caller
   * that waits joins it. If it rejects with a `SourceError`, that source is not called.
   */
  readonly movesOn?: () => Promise<void>;
}

/** A fetch that is under way. */
interface Flight extends RefreshOptions, WorkCaller {
  /** Resolves when a caller that waits has joined it. */
  readonly hurried: PromiseWithResolvers<void>;
  readonly outcome: Promise<RefreshOutcome>;
}

/** What was stored of an answer. */
interface Tally {
  records: number;
  delisted: number;
  readonly warnings: string[];
  /** What the answer lacks. */
  readonly missing: MissingPart[];
}

/** Fetches due records from the sources and stores them; one fetch per key at a time. */
export class Refresher extends DueKeys {
  readonly #parts: RefresherParts;
  readonly #underWay = new Map<string, Flight>();
  /** The keys that were still due after a fetch, in the order in which the fetches ended. */
  readonly #incomplete = new Map<string, { at: number; outcome: RefreshOutcome }>();
  #isStopped = false;

  /** A refresher without running fetches; earlier results are in the store. */
  constructor(parts: RefresherParts) {
    super(parts);
    this.#parts = parts;
  }

  /** Why the sources need attention, in one sentence; null if they do not: see `warnOfSilence`. */
  warning(): string | null {
    const { market, fetchers, clock } = this.#parts;
    const called = new Set(fetchers.flatMap(({ source }) => (source.isLocal ? [] : source.name)));
    const health = [...market.fetches.readHealth()].filter(([name]) => called.has(name));
    return warnOfSilence(new Map(health), clock());
  }

  /**
   * Fetches the key if it is due. Concurrent callers with the same key get the same outcome. Callers that wait
   * go first, then lists, then companies. The promise never rejects.
   */
  async refresh(key: FetchKey, options: RefreshOptions = {}): Promise<RefreshOutcome> {
    const { clock } = this.#parts;
    const name = nameOf(key);
    const running = this.#underWay.get(name);
    if (running) return join(running, key, options);
    const last = this.#incomplete.get(name);
    if (last && Math.abs(clock() - last.at) < RETRY_AFTER_MS) return last.outcome;
    this.#incomplete.delete(name);
    return this.#begin(key, options);
  }

  #begin(key: FetchKey, options: RefreshOptions): Promise<RefreshOutcome> {
    const { route = (_, fetchHere) => fetchHere() } = this.#parts;
    const name = nameOf(key);
    const ended = Promise.withResolvers<RefreshOutcome>();
    const flight: Flight = {
      ...options,
      urgency: urgencyOf(key, options),
      hurried: Promise.withResolvers(),
      outcome: ended.promise,
    };
    this.#underWay.set(name, flight);
    const fetchHere = () => runFor(flight, () => this.#run(key, flight));
    const outcome = route(key, fetchHere)
      .then((one) => {
        if (this.isDue(key)) this.#rememberIncomplete(name, one);
        return one;
      })
      .catch((error) => this.#storeFailed(key, error))
      .finally(() => this.#underWay.delete(name));
    ended.resolve(outcome);
    return outcome;
  }

  /** Prevents new fetches; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    while (this.#underWay.size > 0)
      await Promise.all([...this.#underWay.values()].map(({ outcome }) => outcome));
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

  async #run(key: FetchKey, flight: Flight): Promise<RefreshOutcome> {
    const { chain, complements } = this.dueCandidates(key);
    const run = (fetchers: readonly BoundFetcher[]) => this.#runChain(fetchers, key, flight);
    const first = chain.length > 0 ? [await run(chain)] : [];
    // At once, because a source that hangs must not hold the others.
    const added = complements.map((one) => run([one]));
    // If the store failed for one, the others go on until here.
    await Promise.allSettled(added);
    return combineOutcomes(key, [...first, ...(await Promise.all(added))]);
  }

  /**
   * Calls one source after the other until one gives records. If a source that gave records before gives
   * none now, its records stay and no other source is called, except for prices.
   */
  async #runChain(
    fetchers: readonly BoundFetcher[],
    key: FetchKey,
    flight: Flight,
  ): Promise<RefreshOutcome> {
    const { market, clock } = this.#parts;
    const attempts: Attempt[] = [];
    for (const { fetcher, client } of fetchers) {
      const bound = { fetcher, client: flight.probe ? client.probe() : client };
      const hasDelivered = market.fetches.hasDelivered(fetcher.source.name, key);
      const attempt = await this.#attempt(bound, key, flight);
      attempts.push(attempt);
      if (endsChain(attempt, key, hasDelivered)) break;
    }
    const outcome = outcomeOf(key, attempts, retryAt(fetchers, attempts, clock()));
    if (outcome.error === null) await this.#storeEmpty(key, attempts, outcome);
    return outcome;
  }

  /** Calls one source. @throws BourseError if the store failed */
  async #attempt(bound: BoundFetcher, key: FetchKey, flight: Flight): Promise<Attempt> {
    const source = bound.fetcher.source.name;
    try {
      if (flight.movesOn && source !== this.sourceOf(key))
        await Promise.race([flight.movesOn(), flight.hurried.promise]);
      const records = await this.#fetchOne(bound, key);
      return { source, end: "records", records, reason: "", waitMs: 0 };
    } catch (error) {
      // The store failed, not the source.
      if (error instanceof BourseError && error.code === "unavailable") throw error;
      const reason = reasonOf(error);
      const end = failedEnd(error, key);
      const waitMs = error instanceof SourceError ? (error.retryAfterMs ?? 0) : 0;
      const isHeld = end === "blocked" && waitMs > 0 && key.symbol === null;
      if (end === "failed" || (isHeld && this.#isNewlyBlocked(source)))
        await this.#recordFailure(bound, key, reason, error);
      return { source, end, records: 0, reason, waitMs };
    }
  }

  /** True if a source is not called for a list because its host failed another source: nothing else would say so. */
  #isNewlyBlocked(source: string): boolean {
    return this.#parts.market.fetches.findHealth(source).failingSince === null;
  }

  /**
   * Stores that sources have no records for a key that is answered. This is a success, so it is valid as long
   * as any other answer. Beside records of another source, only the end of an outage is worth a write.
   */
  async #storeEmpty(
    { kind, country, symbol }: FetchKey,
    attempts: readonly Attempt[],
    outcome: RefreshOutcome,
  ): Promise<void> {
    const { market, clock } = this.#parts;
    for (const { source, end } of attempts) {
      const isFailing = market.fetches.findHealth(source).failingSince !== null;
      if (end !== "empty" || (source !== outcome.source && !isFailing)) continue;
      const fetched = { kind, country, symbol, source, at: clock(), blockedUntil: null };
      await this.#write({ type: "success", ...fetched, count: 0, warning: null });
    }
  }

  /** Writes an answer of a source, and logs the end of its outage. */
  async #write(change: AnswerChange | SuccessChange): Promise<ChangeResult> {
    const { market, writer, log } = this.#parts;
    const { source, at } = change;
    const health = market.fetches.findHealth(source);
    const result = await writer.write(change);
    if (endsOutage(health, at) && (change.type === "success" || change.isComplete)) {
      const failedMinutes = Math.round((at - (health.failingSince ?? at)) / 60_000);
      log.info("a source answers again", { source, failedMinutes });
    }
    return result;
  }

  /** Fetches, checks and stores the records of one source; returns how many were stored. */
  async #fetchOne(bound: BoundFetcher, key: FetchKey): Promise<number> {
    const { market, clock, log } = this.#parts;
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
    const tally: Tally = { records: 0, delisted: 0, warnings: [], missing: [] };
    const parts = fetcher.parts?.(query);
    if (parts) await this.#fetchParts(bound, key, parts, tally);
    else await this.#fetchPart(bound, key, query, tally);
    if (isLong) {
      bound.client.reportAnswer(true);
      const warning = tally.warnings.join(" ") || null;
      const lacks = tally.missing.length > 0 && { missing: tally.missing };
      const fetched = { ...this.#fetched(bound, key), count: tally.records, warning, ...lacks };
      await this.#write({ type: "success", ...fetched });
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
    const missing = fetcher.lacks?.(raw, query) ?? [];
    tally.missing.push(...missing);
    const lacks = missing.length > 0 && { missing: [...missing] };
    const others = fetcher.others?.(raw, query) ?? [];
    const storeOther = async ({ kind, records }: (typeof others)[number]) => {
      const extent = { isWhole: false, isComplete: true, covered: null };
      const uncounted: Tally = { records: 0, delisted: 0, warnings: tally.warnings, missing: [] };
      await this.#storePart(bound, { ...key, kind }, records, extent, uncounted);
    };
    // Splits are stored before the bars that they concern, so that no reader sees one without the other.
    // Dividends are stored after the bars, whose closes check them.
    const dividends = others.find((one) => one.kind === "dividends");
    for (const one of others) if (one !== dividends) await storeOther(one);
    for (const part of isComplete ? [answer] : partsByCompany(answer, RECORDS_PER_PART)) {
      const extent = { isWhole, isComplete, covered, ...lacks };
      await this.#storePart(bound, key, part, extent, tally, dividends?.records[0]);
      // A part leaves some ten megabytes of garbage, and the engine would let a hundred pile up. Here
      // nothing of the part is in use, so nothing of it survives. This takes about two milliseconds.
      if (!isComplete) edenGC();
    }
    if (dividends) await storeOther(dividends);
  }

  /** Checks and stores records of an answer. Its variables end with it, so that they can be collected. */
  async #storePart(
    bound: BoundFetcher,
    key: FetchKey,
    part: Parameters<typeof checkBatch>[1],
    extent: Pick<AnswerChange, "isWhole" | "isComplete" | "covered" | "missing">,
    tally: Tally,
    dividends?: DividendHistory,
  ): Promise<void> {
    const valid = checkBatch(key.kind, part);
    if (extent.isComplete) bound.client.reportAnswer(true);
    const { market } = this.#parts;
    const source = bound.fetcher.source.name;
    const batch = leaveOutImplausible(market, valid, source, dividends);
    const fetched = this.#fetched(bound, key);
    const change = { type: "answer", ...fetched, ...batch, ...extent };
    const stored = await this.#write(change as AnswerChange);
    tally.records += stored.records;
    tally.delisted += stored.delisted;
    tally.warnings.push(...stored.warnings);
  }

  async #recordFailure(
    bound: BoundFetcher,
    key: FetchKey,
    reason: string,
    error: unknown,
  ): Promise<void> {
    const { writer, log } = this.#parts;
    const source = bound.fetcher.source.name;
    const { kind, country, symbol } = key;
    // The answer was not data, for example an HTML page. If this repeats, the source counts as failed. A refusal
    // counts at its host alone.
    if (error instanceof SourceError && error.fault === "invalid_answer" && !error.refusal)
      bound.client.reportAnswer(false);
    log.warn("a source failed", { source, kind, country, symbol: symbol ?? undefined, reason });
    await writer.write({ type: "failure", ...this.#fetched(bound, key), reason });
  }

  /** The fields of a change about that key and source. */
  #fetched({ fetcher, client }: BoundFetcher, { kind, country, symbol }: FetchKey) {
    const { name: source } = fetcher.source;
    const hosts = this.#parts.takeHosts?.() ?? [];
    return {
      kind,
      country,
      symbol,
      source,
      at: this.#parts.clock(),
      blockedUntil: client.blockedUntil,
      ...(hosts.length > 0 && { hosts }),
    };
  }
}

/** Joins a fetch that is under way. A caller that waits makes it urgent. */
function join(flight: Flight, key: FetchKey, options: RefreshOptions): Promise<RefreshOutcome> {
  if (options.probe) {
    flight.urgency = urgencyOf(key, options);
    flight.hurried.resolve();
  }
  return flight.outcome;
}

/** A long list takes minutes, so even a caller that waits for it lets others go first. */
function urgencyOf(key: FetchKey, { probe = false }: RefreshOptions): Urgency {
  if (isLongList(key)) return "series";
  if (probe) return "urgent";
  return key.symbol === null ? "series" : "single";
}

/** The earliest time at which one of the sources may be called again, UTC milliseconds. */
function retryAt(
  fetchers: readonly BoundFetcher[],
  attempts: readonly Attempt[],
  now: number,
): number {
  // A source that is called for other records may still be blocked for these.
  const ends = fetchers.map(({ client }, i) =>
    Math.max(client.blockedUntil, now + (attempts[i]?.waitMs ?? 0)),
  );
  return Math.max(now + RETRY_AFTER_MS, Math.min(...ends));
}
