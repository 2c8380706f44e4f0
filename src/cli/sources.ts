import { BourseError } from "#domain/errors.ts";
import { formatCount, formatMoment, formatTable } from "#lib/table.ts";
import { FETCHERS } from "#sources/index.ts";
import type { MarketStore } from "#store/index.ts";
import { type Command, JSON_FLAG } from "./command.ts";
import { createClients, SOURCES, worldOf } from "./live.ts";
import { createProgressLine } from "./progress.ts";
import { probe } from "./source-probe.ts";
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
