import type { Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { type Instrument, NO_PROFILE } from "#domain/instrument.ts";
import type { RecordKind } from "#domain/records.ts";
import { checkBatch } from "#ingest/batch.ts";
import { reasonOf } from "#ingest/refresh.ts";
import { runAtOnce } from "#lib/slices.ts";
import { formatCount, formatMoment, formatTable } from "#lib/table.ts";
import type { Fetcher, LiveQuery } from "#sources/fetcher.ts";
import { FETCHERS } from "#sources/index.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";
import type { MarketStore } from "#store/index.ts";
import { type Command, JSON_FLAG } from "./command.ts";
import { createClients, SOURCES, worldOf } from "./live.ts";
import { createProgressLine } from "./progress.ts";
import { withMarket } from "./stores.ts";

export const sources: Command = {
  name: "sources",
  summary: "List the live sources: their data, terms, last success and last error",
  flags: { json: JSON_FLAG },
  settings: ["data", "contact", "sources"],
  run: ({ io, config, flags }) =>
    withMarket(config.dataFolder, (market) => {
      const clients = createClients(config, worldOf(io));
      const results = new Map(market.fetches.listSources().map((row) => [row.source, row]));
      const stored = Map.groupBy(market.listCounts(), ({ source }) => source);
      const now = io.clock();
      const rows = SOURCES.map((source) => ({
        source: source.name,
        official: source.official,
        on: clients.has(source.name),
        ready: readiness(
          source.userAgent === "contact" && config.contact === null,
          source.key,
          config.keyOf,
        ),
        fills: source.fills,
        terms: source.terms,
        lastSuccess: formatMoment(results.get(source.name)?.lastSuccessAt ?? null),
        lastErrorAt: formatMoment(results.get(source.name)?.lastErrorAt ?? null),
        lastError: results.get(source.name)?.lastError ?? null,
        blockedUntil: formatMoment(blockedUntil(market, source.name, now)),
        records: stored.get(source.name)?.reduce((sum, { count }) => sum + count, 0) ?? 0,
      }));
      if (flags["json"]) {
        io.stdout(`${JSON.stringify(rows)}\n`);
        return;
      }
      io.stdout(
        formatTable(
          ["SOURCE", "OFFICIAL", "STATE", "BREAKER", "LAST SUCCESS", "RECORDS", "LAST ERROR"],
          rows.map((row) => [
            row.source,
            row.official ? "yes" : "no",
            row.on ? row.ready : "switched off",
            row.blockedUntil === null ? "closed" : `open until ${row.blockedUntil}`,
            row.lastSuccess,
            row.records,
            row.lastErrorAt && `${row.lastErrorAt} ${row.lastError}`,
          ]),
        ),
      );
      io.stdout(
        `\n${rows.map((row) => `${row.source}: ${row.fills}\n  Terms: ${row.terms}\n`).join("")}`,
      );
    }),
};

/** The end of a source's block after failures, UTC milliseconds; null if it is not blocked. */
function blockedUntil(market: MarketStore, source: string, now: number): number | null {
  const until = market.fetches.blockedUntil(source);
  return until > now ? until : null;
}

/** The setting that a source still needs before it can be called, or `ready`. */
function readiness(
  lacksContact: boolean,
  key: { variable: string; required: boolean } | undefined,
  keyOf: (variable: string) => string | null,
): string {
  if (lacksContact) return "needs BOURSE_CONTACT";
  if (!key) return "ready";
  if (keyOf(key.variable) !== null) return "ready, with key";
  return key.required ? `needs ${key.variable}` : "ready, without key";
}

/** The instrument of each country that the check fetches. */
const PROBES: Readonly<Record<Country, Pick<Instrument, "symbol" | "name" | "currency">>> = {
  US: { symbol: "AAPL", name: "Apple Inc.", currency: "USD" },
  JP: { symbol: "7203", name: "Toyota Motor", currency: "JPY" },
  VN: { symbol: "FPT", name: "FPT Corporation", currency: "VND" },
};

export const sourcesCheck: Command = {
  name: "sources check",
  summary: "Call each source for all its kinds of data and print what works; store nothing",
  flags: { json: JSON_FLAG },
  settings: ["data", "contact", "sources"],
  run: ({ io, config, flags }) =>
    // The market is not needed, but an unusable folder must be reported here.
    withMarket(config.dataFolder, async () => {
      const clients = createClients(config, worldOf(io));
      const line = createProgressLine(io);
      let done = 0;
      const probes = FETCHERS.flatMap((fetcher) => {
        const client = clients.get(fetcher.source.name);
        if (!client) return [];
        return fetcher.countries.map(async (country) => {
          const row = await probe(fetcher, country, client, io.clock());
          const progress = `${++done} of ${probes.length} called: ${row.source} ${row.kind} ${country}`;
          if (io.isTerminal) line.show(progress);
          else io.stderr(`${progress}: ${row.error ?? formatCount(row.records ?? 0, "record")}\n`);
          return row;
        });
      });
      const results = await Promise.all(probes);
      line.end();
      io.stdout(
        flags["json"]
          ? `${JSON.stringify(results)}\n`
          : formatTable(
              ["SOURCE", "KIND", "COUNTRY", "SYMBOL", "RECORDS", "NEWEST", "ERROR"],
              results.map((row) => [
                row.source,
                row.kind,
                row.country,
                row.symbol,
                row.records,
                row.newest,
                row.error,
              ]),
            ),
      );
      const failed = new Set(results.filter((row) => row.failed).map(({ source }) => source));
      if (failed.size > 0) {
        throw new BourseError("unavailable", `Checks failed: ${[...failed].join(", ")}.`);
      }
    }),
};

/** Kinds of which even the probed companies may have no records. */
const MAY_BE_EMPTY: ReadonlySet<RecordKind> = new Set([
  "analystCoverage",
  "dividends",
  "earningsDates",
]);

async function probe(fetcher: Fetcher, country: Country, client: SourceClient, now: number) {
  const { source, kind, scope } = fetcher;
  const instrument = scope === "country" ? null : probeInstrument(country);
  const query: LiveQuery = { now, after: null, country, instrument, isProbe: true };
  const row = { source: source.name, kind, country, symbol: instrument?.symbol ?? null };
  try {
    const answer = await fetcher.fetch(query, client);
    const { records } = runAtOnce(checkBatch(kind, fetcher.transform(answer, query)));
    return {
      ...row,
      records: records.length,
      newest: newestDate(records),
      failed: false,
      error: null,
    };
  } catch (error) {
    // A source that needs a contact or a key, or that is blocked, did not fail here.
    const isCalled = !(error instanceof SourceError && error.fault === "not_asked");
    const isBlocked = !isCalled && error.retryAfterMs !== null;
    const knowsNothing =
      error instanceof SourceError && error.fault === "nothing" && MAY_BE_EMPTY.has(kind);
    return {
      ...row,
      records: null,
      newest: null,
      failed: isCalled && !knowsNothing,
      error: isBlocked ? "not called: the source failed before" : reasonOf(error),
    };
  }
}

function probeInstrument(country: Country): Instrument {
  return {
    country,
    ...PROBES[country],
    assetType: "stock",
    exchange: null,
    ...NO_PROFILE,
    primaryListing: true,
    indexMember: true,
  };
}

/**
 * The latest day, month, quarter or year in the records: how old the data is, or how far it
 * reaches into the future. Null if the records have no date, as in lists.
 */
function newestDate(records: readonly unknown[]): string | null {
  const dates = JSON.stringify(records).matchAll(
    /"(?:\w*[dD]ate|month|period|quarter|periodEnd|filedOn)":"(\d{4}(?:-Q\d|-\d{2}(?:-\d{2})?)?)"/g,
  );
  let newest: string | null = null;
  for (const [, date = ""] of dates) if (newest === null || date > newest) newest = date;
  return newest;
}
