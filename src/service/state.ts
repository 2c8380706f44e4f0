import { statSync } from "node:fs";
import { join } from "node:path";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import type { Config } from "#config.ts";
import type {
  DoorsInfo,
  ListInfo,
  ServiceStatus,
  SourceInfo,
  SourceKind,
} from "#http/service-reports.ts";
import { findOrigin } from "#ingest/ingest.ts";
import { outagesUntil } from "#ingest/outages.ts";
import { isDue, nextDueAt } from "#ingest/freshness.ts";
import { describeLack, withoutSource } from "#ingest/lacks.ts";
import { listProgress, type Progress } from "#ingest/progress.ts";
import { countryKeys } from "#ingest/schedule.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { FETCHERS } from "#sources/index.ts";
import { groupRefusals, NOT_CALLED, parseCause } from "#sources/refusal.ts";
import type { Source } from "#sources/source.ts";
import { type FetchSummary, summarizeSources } from "#store/fetches.ts";
import { type AccessStore, DATABASES, type MarketStore } from "#store/index.ts";
import { databaseNames } from "./data-folder.ts";
import { isSwitchedOn, SOURCES } from "./live.ts";

// The state of a data folder, its market and its sources, as `status`, `sources`, the console and the
// metrics report it. Times are UTC milliseconds.

/** What the state is read from. */
export interface StateParts {
  readonly config: Config;
  readonly market: MarketStore;
}

/** A source with its settings, its last results and its fetches by kind and country. */
export interface SourceReport extends Omit<SourceInfo, "state"> {
  readonly isOn: boolean;
  /** `ready`, or the setting that the source still needs before it can be called. */
  readonly readiness: string;
}

/** The database files of a data folder; `bytes` include the log of a file. */
export function listFiles({
  cluster,
  dataFolder,
}: Pick<Config, "cluster" | "dataFolder">): ServiceStatus["files"] {
  return databaseNames(cluster !== null).map((name) => ({
    name,
    bytes: ["", "-wal"].reduce((sum, suffix) => sum + sizeOf(join(dataFolder, name + suffix)), 0),
    // Opening a file brings it to the form of this version.
    schema: DATABASES[name].migrations.length,
  }));
}

/** The bytes of a file; 0 if there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** What the background refresh has done with the sources that are switched on and have their settings. */
export function readProgress({ config, market }: StateParts, now: number): Promise<Progress[]> {
  const fetchers = FETCHERS.filter(
    ({ source }) => isSwitchedOn(source, config) && readinessOf(source, config).startsWith("ready"),
  );
  return listProgress({ market, fetchers, now });
}

/** Every source, in the order of the fetchers. */
export async function readSources(
  { config, market }: StateParts,
  now: number,
): Promise<SourceReport[]> {
  const summaries = await market.fetches.readSummaries();
  const results = summarizeSources(summaries);
  const lacks = market.fetches.listMissing();
  const states: SourceReport[] = [];
  for (const source of SOURCES) {
    const { name, official, fills, terms } = source;
    const kinds: SourceKind[] = [];
    for (const summary of summaries.filter((one) => one.source === name)) {
      kinds.push(describeKind(market, summary, now));
      await nextTurn();
    }
    const result = results.find((one) => one.source === name);
    states.push({
      source: name,
      official,
      fills,
      terms,
      isOn: isSwitchedOn(source, config),
      readiness: readinessOf(source, config),
      lastSuccessAt: result?.lastSuccessAt ?? null,
      lastErrorAt: result?.lastErrorAt ?? null,
      lastError: result?.lastError ?? null,
      faulty: result?.faulty ?? 0,
      blockedUntil: findBlock(market, name, now),
      outages: outagesUntil(market.fetches.findHealth(name), now),
      ...judgeSource(name, kinds, result?.lastSuccessAt ?? null, lacks),
      kinds,
    });
  }
  return states;
}

/** The state of a source by its last results, with advice. One company that fails is no fault of its source. */
function judgeSource(
  name: string,
  kinds: readonly SourceKind[],
  deliveredAt: number | null,
  lacks: ReturnType<MarketStore["fetches"]["listMissing"]>,
): Pick<SourceReport, "verdict" | "advice"> {
  const failing = kinds.filter(
    ({ failed, companies }) => failed > 0 && failed === (companies ?? 1),
  );
  const missing = lacks.filter(({ source }) => source === name).flatMap(({ parts }) => parts);
  const errors = failing
    .flatMap(({ error }) => error ?? [])
    .map((error) => withoutSource(error).replace(`${NOT_CALLED}: `, ""));
  const whys = [...new Set([...errors, ...missing.map(({ why }) => why)])];
  // A stored error can be cut.
  const advice = whys.filter(
    (one) => !whys.some((other) => other !== one && other.startsWith(one)),
  );
  if (deliveredAt !== null)
    return { verdict: failing.length + missing.length > 0 ? "partly" : "works", advice };
  if (failing.length > 0) return { verdict: "refused", advice };
  return { verdict: kinds.length > 0 ? "empty" : null, advice };
}

/** The end of the block of a source that failed repeatedly; null if it is not blocked. */
function findBlock({ fetches }: MarketStore, source: string, now: number): number | null {
  const until = fetches.blockedUntil(source);
  return until > now ? until : null;
}

/** True if the source is not used without a key and has none. */
export function missesKey({ key }: Source, { keyOf }: Pick<Config, "keyOf">): boolean {
  return key?.required === true && keyOf(key.variable) === null;
}

/** The variables of the keys with which other sources would give these records. */
export function keysFor(
  { kind, country }: { readonly kind: string; readonly country: string },
  config: Config,
): string[] {
  const others = FETCHERS.filter(
    (one) =>
      one.kind === kind &&
      one.countries.some((code) => code === country) &&
      missesKey(one.source, config),
  );
  return [...new Set(others.flatMap(({ source }) => source.key?.variable ?? []))];
}

/** The setting that a source still needs before it can be called, or `ready`. */
function readinessOf(source: Source, config: Config): string {
  const { userAgent, key } = source;
  if (userAgent === "contact" && config.contact === null) return "needs BOURSE_CONTACT";
  if (!key) return "ready";
  if (missesKey(source, config)) return `needs ${key.variable}`;
  return config.keyOf(key.variable) === null ? "ready, without key" : "ready, with key";
}

function describeKind(market: MarketStore, summary: FetchSummary, now: number): SourceKind {
  const { kind, country, companies, failed, records, succeededAt, error, nextAttemptAt } = summary;
  // A company without a failure is due by the age of its records.
  const dueAt = companies === null ? findNextDue(market, summary, now) : null;
  const nextDue = nextAttemptAt === null ? dueAt : Math.max(nextAttemptAt, dueAt ?? 0, now);
  return { kind, country, companies, failed, records, error, succeededAt, nextDueAt: nextDue };
}

/**
 * When the schedule fetches the list of a whole country again; null if it does not. A source that complements others
 * is due by itself, the others together.
 */
function findNextDue(
  market: MarketStore,
  { source, kind, country }: FetchSummary,
  now: number,
): number | null {
  if (!countryKeys().some((key) => key.kind === kind && key.country === country)) return null;
  const overrides = market.documents.list("holidayOverrides", country);
  const options = { overrides, scope: "country" } as const;
  const lists = FETCHERS.filter(
    (one) => one.kind === kind && one.scope === "country" && one.countries.includes(country),
  );
  const isAlone = lists.some((one) => one.source.name === source && one.complements);
  const times = lists
    .filter((one) => (isAlone ? one.source.name === source : !one.complements))
    .flatMap((one) => {
      const key = { kind, country, symbol: null };
      return market.fetches.findLastSuccess(one.source.name, key) ?? [];
    });
  const last = times.length === 0 ? null : Math.max(...times);
  return nextDueAt(kind, country, last, now, options);
}

/** The number of users, tokens and calls. */
export async function countAccounts(access: AccessStore, clock: () => number) {
  const accounts = new Accounts({ access, clock, actor: COMMAND_LINE });
  const users = await accounts.listUsers();
  const sum = (count: (user: (typeof users)[number]) => number) =>
    users.reduce((total, user) => total + count(user), 0);
  const tokens = await accounts.listTokens(null);
  return {
    users: users.length,
    liveTokens: sum(({ liveTokens }) => liveTokens),
    tokens: tokens.length,
    callsToday: sum(({ callsToday }) => callsToday),
    callsThisHour: sum(({ callsThisHour }) => callsThisHour),
  };
}

/** What is said of the lists of a market that no source fills. */
export const NO_DOORS: DoorsInfo = { live: [], old: [], empty: [], refused: [], missing: [] };

/**
 * What is live, old or refused in a live market: the state of its lists, the hosts that refused and what
 * answers lack, in the words of refusals. Empty for a market that no source fills.
 */
export async function readDoors({ config, market }: StateParts, now: number): Promise<DoorsInfo> {
  if (findOrigin(market) !== "live") return NO_DOORS;
  const lists = FETCHERS.filter(
    ({ source, scope }) =>
      scope === "country" && isSwitchedOn(source, config) && !missesKey(source, config),
  ).flatMap(({ kind, countries }) => countries.map((country) => ({ kind, country })));
  const [live, old, empty]: [ListInfo[], ListInfo[], ListInfo[]] = [[], [], []];
  for (const { kind, country } of uniqueLists(lists)) {
    await nextTurn();
    const fetchedAt = market.fetches.findNewest(kind, country);
    const overrides = market.documents.list("holidayOverrides", country);
    const options = { overrides, inBackground: true, scope: "country" } as const;
    const isOld = isDue(kind, country, market.fetches.findLastList(kind, country), now, options);
    (fetchedAt === null ? empty : isOld ? old : live).push({ kind, country, fetchedAt });
  }
  return {
    live,
    old,
    empty,
    refused: listRefusals(market, now),
    missing: market.fetches
      .listMissing()
      .flatMap((lack) => describeLack({ ...lack, symbol: null }, { ...lack, error: null })),
  };
}

const uniqueLists = <T extends Pick<ListInfo, "kind" | "country">>(lists: readonly T[]): T[] => [
  ...new Map(lists.map((one) => [`${one.kind} ${one.country}`, one])).values(),
];

function listRefusals({ fetches }: MarketStore, now: number): DoorsInfo["refused"] {
  const refusals = fetches
    .readHosts()
    .flatMap(({ host, refusal, refusedAt, blockedUntil }) => {
      const cause = refusal === null ? null : parseCause(refusal);
      return cause === null || refusedAt === null ? [] : [{ host, cause, refusedAt, blockedUntil }];
    })
    .toSorted((a, b) => b.refusedAt - a.refusedAt);
  return groupRefusals(refusals).map(({ words, own }) => {
    const callableAt = Math.min(...own.map(({ blockedUntil }) => blockedUntil));
    return {
      hosts: own.map(({ host }) => host),
      words,
      at: own[0]?.refusedAt ?? 0,
      retryAt: callableAt > now ? callableAt : null,
    };
  });
}

/** The origin of a market, its records, what its refresh has done, and its sources that are blocked. */
export async function readMarket({ config, market }: StateParts, now: number) {
  const origin = findOrigin(market);
  return {
    market: origin,
    data: listData(market, now),
    progress: origin === "live" ? await readProgress({ config, market }, now) : [],
    doors: await readDoors({ config, market }, now),
    pausedSources: SOURCES.flatMap(({ name }) => {
      const until = findBlock(market, name, now);
      return until === null ? [] : [{ source: name, until }];
    }),
  };
}

function listData(market: MarketStore, now: number) {
  return market.listCounts().map(({ kind, source, count, storedAt }) => ({
    kind,
    source,
    count,
    ageSeconds: Math.max(0, Math.floor((now - storedAt) / 1000)),
  }));
}
