import type { FetchKey } from "#domain/fetch.ts";
import { IMPORT, type RecordKind } from "#domain/records.ts";
import type { Log } from "#lib/log.ts";
import type { Fetcher, LiveQuery } from "#sources/fetcher.ts";
import type { StatefulSourceClient } from "#sources/source-client.ts";
import { SourceError, type SourceFault } from "#sources/source.ts";
import type { DocumentKind } from "#store/documents.ts";
import type { MarketStore } from "#store/index.ts";
import { isDue } from "./freshness.ts";
import { storeRecords } from "./ingest.ts";

/** What is still due after a fetch is not asked for again so soon. */
const RETRY_AFTER_MS = 60_000;

/**
 * Prices are worth more from any source today than from the best one yesterday. All else is not: a
 * poorer list, or statements that count years in another way, would spoil what the better source gave.
 */
const WORTH_MORE_TODAY: ReadonlySet<RecordKind> = new Set(["bars", "quotes"]);

/** How a fetch ended. */
export interface RefreshOutcome extends FetchKey {
  /** The sources that gave the records, or that know of none; null where none did. */
  readonly source: string | null;
  readonly records: number;
  /** Why not everything came, in words; null where it did, or where the sources know of nothing. */
  readonly error: string | null;
  /** False where no source was called: they are blocked after failures, or not set up. */
  readonly asked: boolean;
  /** From when fetching again can help after a failure, UTC milliseconds; null where none failed. */
  readonly retryAt: number | null;
}

/** What a refresher works with. */
export interface RefresherParts {
  readonly market: MarketStore;
  /** In order of preference. */
  readonly fetchers: readonly Fetcher[];
  /** The client of a source; null where the source is switched off. */
  readonly clientOf: (source: string) => StatefulSourceClient | null;
  readonly clock: () => number;
  readonly log: Log;
}

/** Brings what is due from the sources into the store, each thing once at a time. */
export interface Refresher {
  /** Whether any source serves that, and it is due. Of what is not listed nothing is. */
  isDue(key: FetchKey): boolean;
  /** Whether sources serve that, but none of them ever gave it or said that there is nothing. */
  isLacking(key: FetchKey): boolean;
  /**
   * Fetches, if it is due; callers of the same key meanwhile get the same outcome. With `probe` a
   * source that is blocked after failures may be tried once, since a caller waits for the answer.
   * It never rejects.
   */
  readonly refresh: (key: FetchKey, options?: { probe?: boolean }) => Promise<RefreshOutcome>;
  /** Lets no further fetch begin; resolves once those under way have ended. */
  stop(): Promise<void>;
}

/** A fetcher that serves a key, with the client of its source. */
interface Server {
  readonly fetcher: Fetcher;
  readonly client: StatefulSourceClient;
}

/** A refresher with nothing under way; what was fetched before, the store tells. */
export function createRefresher(parts: RefresherParts): Refresher {
  const { market, fetchers, clientOf, clock, log } = parts;
  const underWay = new Map<string, Promise<RefreshOutcome>>();
  const incomplete = new Map<string, { at: number; outcome: RefreshOutcome }>();
  let isStopped = false;
  const remember = (name: string, outcome: RefreshOutcome) => {
    // In order of age: what is over is let go, or every symbol that ever failed would stay.
    for (const [oldest, { at }] of incomplete) {
      if (Math.abs(clock() - at) < RETRY_AFTER_MS) break;
      incomplete.delete(oldest);
    }
    incomplete.set(name, { at: clock(), outcome });
  };

  /** Who serves a key: those of whom one is enough, in order of preference, and those beside them. */
  const serving = ({ kind, country, symbol }: FetchKey) => {
    const all = fetchers.flatMap((fetcher): Server[] => {
      const serves =
        fetcher.kind === kind &&
        fetcher.countries.includes(country) &&
        fetcher.scope === (symbol === null ? "country" : "instrument");
      const client = serves ? clientOf(fetcher.source.name) : null;
      return client ? [{ fetcher, client }] : [];
    });
    return {
      chain: all.filter(({ fetcher }) => !fetcher.complements),
      complements: all.filter(({ fetcher }) => fetcher.complements),
    };
  };
  const lastSuccess = (servers: readonly Server[], key: FetchKey) =>
    servers.reduce<number | null>((latest, { fetcher }) => {
      const at = market.fetches.findLastSuccess(fetcher.source.name, key);
      return at === null || (latest !== null && latest > at) ? latest : at;
    }, null);
  const areDue = (servers: readonly Server[], key: FetchKey) =>
    servers.length > 0 && isDue(key.kind, key.country, lastSuccess(servers, key), clock());
  /** Whether the fetcher has more to say of the instrument than what another source told. */
  const adds = ({ fetcher }: Server, key: FetchKey) => {
    if (!fetcher.adds || key.symbol === null) return true;
    const told = market.documents.find(key.kind as DocumentKind, key.country, key.symbol);
    return !told || told.source === fetcher.source.name || fetcher.adds(told, clock());
  };
  /** Of those who serve a key, the ones to ask now. */
  const dueServers = (key: FetchKey) => {
    if (!isWanted(market, key)) return { chain: [], complements: [] };
    const { chain, complements } = serving(key);
    const adding = chain.filter((server) => adds(server, key));
    return {
      chain: areDue(adding, key) ? adding : [],
      complements: complements.filter((server) => areDue([server], key)),
    };
  };
  const due = (key: FetchKey) => {
    const { chain, complements } = dueServers(key);
    return chain.length + complements.length > 0;
  };

  /** Stores until when the source is blocked, for the commands and for the next start. */
  const noteBlock = ({ fetcher, client }: Server) => {
    const { name } = fetcher.source;
    const { blockedUntil } = client;
    const stored = market.fetches.leftAloneUntil(name);
    // A probe that succeeds ends a block that was stored.
    if (blockedUntil > 0 || stored > clock()) market.fetches.leaveAlone(name, blockedUntil);
  };

  const fetchOne = async (server: Server, key: FetchKey): Promise<number> => {
    const { fetcher, client } = server;
    const { source, kind } = fetcher;
    if (isStopped) throw new SourceError(source.name, "not_asked", "bourse is stopping", 0);
    const query = queryFor(market, source.name, key, clock());
    const raw = await fetcher.fetch(query, client);
    return market.transactionWhenFree(() => {
      const records = storeRecords(
        market,
        kind,
        fetcher.transform(raw, query),
        { source: source.name, storedAt: clock() },
        // What complements others may come in part: what it left out this time stays.
        key.symbol === null && !fetcher.complements ? { country: key.country } : undefined,
      );
      market.fetches.recordSuccess(source.name, key, clock(), records);
      client.judge(true);
      noteBlock(server);
      return records;
    });
  };

  /**
   * Asks one after the other until one gives something; complements are lists of one. What one gave
   * before stays where it gives nothing now, for whatever reason, unless it is prices.
   */
  const runChain = async (
    servers: readonly Server[],
    key: FetchKey,
    probe: boolean,
  ): Promise<RefreshOutcome> => {
    let knowsNothing: string | null = null;
    const failures: string[] = [];
    const notSetUp: string[] = [];
    let asked = false;
    for (const server of servers) {
      const source = server.fetcher.source.name;
      const hasGiven = market.fetches.hasGiven(source, key);
      try {
        if (probe) server.client.probe();
        const records = await fetchOne(server, key);
        return { ...key, source, records, error: null, asked: true, retryAt: null };
      } catch (error) {
        const { fault, retryAfterMs } =
          error instanceof SourceError ? error : { fault: null, retryAfterMs: null };
        const reason = reasonOf(error);
        asked ||= fault !== "not_asked";
        // Of a symbol that is an answer; the list of a country is not gone, but has moved.
        if (fault === "nothing" && key.symbol !== null) knowsNothing = source;
        else if (fault === "not_asked" && retryAfterMs === null) notSetUp.push(reason);
        else {
          failures.push(reason);
          if (fault !== "not_asked") await noteFailure(server, key, reason, fault);
        }
        if (hasGiven && !WORTH_MORE_TODAY.has(key.kind)) break;
      }
    }
    // That a source knows of nothing is an answer too, and holds as long as one.
    const source = failures.length === 0 ? knowsNothing : null;
    if (source !== null) {
      await market.transactionWhenFree(() => market.fetches.recordSuccess(source, key, clock(), 0));
      return { ...key, source, records: 0, error: null, asked, retryAt: null };
    }
    const error = [...failures, ...notSetUp].join("; ");
    return { ...key, source: null, records: 0, error, asked, retryAt: retryAt(servers, clock()) };
  };

  const noteFailure = async (
    server: Server,
    key: FetchKey,
    reason: string,
    fault: SourceFault | null,
  ): Promise<void> => {
    const source = server.fetcher.source.name;
    const { kind, country, symbol } = key;
    // What came was no answer: a page for people, say. A source that gives nothing else has failed.
    if (fault === "invalid_answer") server.client.judge(false);
    log.warn("a source failed", { source, kind, country, symbol: symbol ?? undefined, reason });
    await market.transactionWhenFree(() => {
      market.fetches.recordFailure(source, key, clock(), reason);
      noteBlock(server);
    });
  };

  const run = async (key: FetchKey, probe: boolean): Promise<RefreshOutcome> => {
    const { chain, complements } = dueServers(key);
    const outcomes: RefreshOutcome[] = [];
    for (const servers of [chain, ...complements.map((server) => [server])]) {
      if (servers.length > 0) outcomes.push(await runChain(servers, key, probe));
    }
    const told = (texts: readonly (string | null)[], between: string) =>
      texts.filter((text) => text !== null).join(between) || null;
    return {
      ...key,
      source: told(
        outcomes.map(({ source }) => source),
        ", ",
      ),
      records: outcomes.reduce((sum, { records }) => sum + records, 0),
      error: told(
        outcomes.map(({ error }) => error),
        "; ",
      ),
      asked: outcomes.some(({ asked }) => asked),
      retryAt: outcomes.reduce<number | null>(
        (latest, { retryAt: at }) => (at === null ? latest : Math.max(at, latest ?? 0)),
        null,
      ),
    };
  };

  return {
    isDue: due,
    isLacking(key) {
      const { chain, complements } = serving(key);
      const servers = chain.length > 0 ? chain : complements;
      return servers.length > 0 && lastSuccess(servers, key) === null;
    },
    async refresh(key, { probe = false } = {}) {
      const name = nameOf(key);
      const running = underWay.get(name);
      if (running) return running;
      const last = incomplete.get(name);
      if (last && Math.abs(clock() - last.at) < RETRY_AFTER_MS) return last.outcome;
      incomplete.delete(name);
      const flight = run(key, probe)
        .then((outcome) => {
          if (due(key)) remember(name, outcome);
          return outcome;
        })
        // The store failed: a full disk, a file that is locked or closed.
        .catch((error): RefreshOutcome => {
          const outcome = {
            ...key,
            source: null,
            records: 0,
            error: reasonOf(error),
            asked: false,
            retryAt: clock() + RETRY_AFTER_MS,
          };
          log.error("a refresh failed", {
            kind: key.kind,
            country: key.country,
            error: outcome.error,
          });
          remember(name, outcome);
          return outcome;
        })
        .finally(() => underWay.delete(name));
      underWay.set(name, flight);
      return flight;
    },
    async stop() {
      isStopped = true;
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
  };
}

/** When the first of the sources may be called again for what failed now, UTC milliseconds. */
function retryAt(servers: readonly Server[], now: number): number {
  const unblocked = Math.min(...servers.map(({ client }) => client.blockedUntil));
  return Math.max(now + RETRY_AFTER_MS, unblocked);
}

/** A key as text, the same for no other. */
export function nameOf({ kind, country, symbol }: FetchKey): string {
  return `${kind} ${country} ${symbol ?? ""}`;
}

/** Why something failed, in words for a line: what sources wrote may stand in it. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return reason.slice(0, 300).replaceAll(/\p{Cc}+/gu, " ");
}

/** What a fetcher needs to know of what is stored. */
function queryFor(
  market: MarketStore,
  source: string,
  { kind, country, symbol }: FetchKey,
  now: number,
): LiveQuery {
  const stored = symbol === null ? null : market.instruments.find({ country, symbol });
  const holidayOverrides = market.documents.list("holidayOverrides", country);
  if (!stored) return { now, country, instrument: null, after: null, holidayOverrides };
  const { id, source: _, storedAt: __, ...instrument } = stored;
  if (kind !== "bars") return { now, country, instrument, after: null, holidayOverrides };
  // A source adds to its own bars; those of another source may be adjusted in another way.
  const isOwn = market.bars.findProvenance(id)?.source === source;
  const after = isOwn ? (market.bars.listNewest(id, 1)[0]?.date ?? null) : null;
  const storedBars = () => market.bars.listNewest(id, Number.MAX_SAFE_INTEGER).reverse();
  return { now, country, instrument, after, storedBars, holidayOverrides };
}

/**
 * False for what is not listed, and for bars beside imported ones: those are the whole history of
 * their instrument.
 */
function isWanted(market: MarketStore, { kind, country, symbol }: FetchKey): boolean {
  if (symbol === null) return true;
  const instrument = market.instruments.find({ country, symbol });
  if (!instrument) return false;
  return kind !== "bars" || market.bars.findProvenance(instrument.id)?.source !== IMPORT;
}
