import type { Config } from "#config.ts";
import type { SourceInfo, SourceKind } from "#http/service-reports.ts";
import { nextDueAt } from "#ingest/freshness.ts";
import { countryKeys } from "#ingest/schedule.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { Source } from "#sources/source.ts";
import { type FetchSummary, type SourceRecord, summarizeSources } from "#store/fetches.ts";
import type { MarketStore } from "#store/index.ts";
import { type Live, SOURCES } from "./live.ts";

/** A source with its settings and its last results; times in UTC milliseconds. */
export interface SourceRow extends SourceRecord {
  readonly official: boolean;
  readonly fills: string;
  readonly terms: string;
  /** False if the source is switched off. */
  readonly isOn: boolean;
  /** `ready`, or the setting that the source still needs before it can be called. */
  readonly readiness: string;
  /** The end of its block after failures; null if it is not blocked. */
  readonly blockedUntil: number | null;
}

/** What the reports on sources read. */
export interface SourceReportParts {
  readonly config: Config;
  readonly market: MarketStore;
  /** The clients of the sources that are switched on. */
  readonly clients: Live["clients"];
}

/** Every source, in the order of the fetchers; `results` are those of the sources that were ever called. */
export function listSourceRows(
  { config, market, clients }: SourceReportParts,
  results: readonly SourceRecord[],
  now: number,
): SourceRow[] {
  return SOURCES.map((source) => {
    const { name, official, fills, terms } = source;
    const result = results.find((one) => one.source === name);
    const blockedUntil = market.fetches.blockedUntil(name);
    return {
      source: name,
      official,
      fills,
      terms,
      isOn: clients.has(name),
      readiness: readinessOf(source, config),
      lastSuccessAt: result?.lastSuccessAt ?? null,
      lastErrorAt: result?.lastErrorAt ?? null,
      lastError: result?.lastError ?? null,
      faulty: result?.faulty ?? 0,
      blockedUntil: blockedUntil > now ? blockedUntil : null,
    };
  });
}

/** The setting that a source still needs before it can be called, or `ready`. */
function readinessOf({ userAgent, key }: Source, { contact, keyOf }: Config): string {
  if (userAgent === "contact" && contact === null) return "needs BOURSE_CONTACT";
  if (!key) return "ready";
  if (keyOf(key.variable) !== null) return "ready, with key";
  return key.required ? `needs ${key.variable}` : "ready, without key";
}

/** Every source with its fetches by kind and country, for the console. */
export async function readSourceInfos(
  parts: SourceReportParts,
  now: number,
): Promise<SourceInfo[]> {
  const summaries = await parts.market.fetches.readSummaries();
  const kinds = new Map<string, SourceKind[]>();
  for (const summary of summaries) {
    const own = kinds.get(summary.source) ?? [];
    kinds.set(summary.source, [...own, describeKind(parts.market, summary, now)]);
    await nextTurn();
  }
  return listSourceRows(parts, summarizeSources(summaries), now).map(
    ({ isOn, readiness, ...row }) => ({
      ...row,
      state: isOn ? readiness : "switched off",
      kinds: kinds.get(row.source) ?? [],
    }),
  );
}

function describeKind(market: MarketStore, summary: FetchSummary, now: number): SourceKind {
  const { kind, country, companies, failed, records, succeededAt, error } = summary;
  const nextDue = companies === null ? nextDueOf(market, summary, now) : null;
  const times = { succeededAt, nextDueAt: nextDue };
  return { kind, country, companies, failed, records, error, ...times };
}

/** When the schedule fetches the list of a whole country again, from any source; null if it does not. */
function nextDueOf(
  market: MarketStore,
  { kind, country }: FetchSummary,
  now: number,
): number | null {
  if (!countryKeys().some((key) => key.kind === kind && key.country === country)) return null;
  const overrides = market.documents.list("holidayOverrides", country);
  const options = { overrides, scope: "country" } as const;
  return nextDueAt(kind, country, market.fetches.findLastList(kind, country), now, options);
}
