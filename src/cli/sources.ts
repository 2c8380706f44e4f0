import { unavailable } from "#domain/errors.ts";
import { formatCount, formatMoment, formatTable } from "#lib/table.ts";
import { describeLack, withoutSource } from "#ingest/lacks.ts";
import { createClients, readHosts, worldOf } from "#service/live.ts";
import { checkSources } from "#service/source-check.ts";
import type { Probe } from "#service/source-probe.ts";
import type { SourceVerdict } from "#service/source-verdict.ts";
import { readSources, type SourceReport } from "#service/state.ts";
import type { Command } from "./command.ts";
import { createProgressLine } from "./progress.ts";
import { OF_SOURCES } from "./service-settings.ts";
import { withMarket } from "./stores.ts";

export const sources: Command = {
  name: "sources",
  summary: "List the live sources: their data, terms, last success and last error",
  examples: ["", "--json"],
  settings: ["data", "contact", "user-agent", "sources"],
  ofService: { settings: OF_SOURCES, keys: true },
  report: ({ io, config }) =>
    withMarket(config, async (market) => {
      // Refuses a wrong setting of a source.
      createClients(config, worldOf(io));
      const stored = Map.groupBy(market.listCounts(), ({ source }) => source);
      const rows = (await readSources({ config, market }, io.clock())).map((row) => ({
        source: row.source,
        official: row.official,
        on: row.isOn,
        ready: row.readiness,
        verdict: row.verdict,
        fills: row.fills,
        terms: row.terms,
        lastSuccess: formatMoment(row.lastSuccessAt),
        lastErrorAt: formatMoment(row.lastErrorAt),
        lastError: row.lastError,
        faulty: row.faulty,
        blockedUntil: formatMoment(row.blockedUntil),
        nextFetch: formatMoment(nextFetchOf(row)),
        records: stored.get(row.source)?.reduce((sum, { count }) => sum + count, 0) ?? 0,
      }));
      const table = formatTable(
        [
          "SOURCE",
          "OFFICIAL",
          "STATE",
          "LAST SUCCESS",
          "NEXT FETCH",
          "RECORDS",
          "FAULTY",
          "LAST ERROR",
        ],
        rows.map((row) => [
          row.source,
          row.official ? "yes" : "no",
          stateOf(row),
          row.lastSuccess,
          row.nextFetch,
          row.records,
          row.faulty,
          row.lastErrorAt && `${row.lastErrorAt} ${row.lastError}`,
        ]),
      );
      const terms = rows.map((row) => `${row.source}: ${row.fills}\n  Terms: ${row.terms}\n`);
      return { json: rows, text: `${table}\n${terms.join("")}` };
    }),
};

/**
 * When the schedule next fetches a list of the source, or a company that failed, UTC milliseconds; null if
 * none is known. Companies without a failure are due by their age.
 */
function nextFetchOf({ isOn, kinds, blockedUntil }: SourceReport): number | null {
  const times = kinds.flatMap(({ nextDueAt }) => nextDueAt ?? []);
  return isOn && times.length > 0 ? Math.max(Math.min(...times), blockedUntil ?? 0) : null;
}

/** The state of a source as its figures show it. */
const VERDICTS = {
  works: "works",
  partly: "works in part",
  refused: "refuses or fails",
  empty: "answers without figures",
} as const;

/** `works`, `works in part, without key`, `needs BOURSE_CONTACT`. */
function stateOf({
  on,
  ready,
  verdict,
  blockedUntil,
}: Pick<SourceReport, "verdict"> & {
  on: boolean;
  ready: string;
  blockedUntil: string | null;
}): string {
  if (!on) return "switched off";
  if (blockedUntil !== null) return `paused until ${blockedUntil}`;
  return ready.replace(/^ready/, verdict === null ? "not called yet" : VERDICTS[verdict]);
}

export const sourcesCheck: Command = {
  name: "sources check",
  summary: "Call each source, compare figures with published ones, store nothing",
  examples: ["--contact you@example.com", "--sources sec,boj"],
  settings: ["data", "contact", "user-agent", "sources"],
  ofService: { settings: OF_SOURCES, keys: false },
  report: ({ io, config }) =>
    withMarket(config, async (market) => {
      const line = createProgressLine(io);
      const { rows, verdicts } = await checkSources({
        world: io,
        config,
        remembered: readHosts(market),
        onRow(row, done, of) {
          const progress = `${done} of ${of} called: ${row.source} ${row.kind} ${row.country}`;
          if (io.isTerminal) line.show(progress);
          else io.stderr(`${progress}: ${row.error ?? formatCount(row.records ?? 0, "record")}\n`);
        },
      });
      line.end();
      const failed = new Set(rows.filter((row) => row.failed).map(({ source }) => source));
      const failure =
        failed.size > 0 ? unavailable(`Checks failed: ${[...failed].join(", ")}.`) : null;
      // The rows before say why a source was not called, and its verdict says what is lost.
      const called = rows.filter(({ isBlocked }) => !isBlocked);
      const text = [formatVerdicts(verdicts), formatRows(called), formatFacts(rows)];
      const json = rows.map((row) => ({ ...row, refusals: undefined }));
      return { json, text: text.filter(Boolean).join("\n"), failure };
    }),
};

/** A line for each source, and for one that does not work what is lost without it and what to do. */
function formatVerdicts(verdicts: readonly SourceVerdict[]): string {
  const width = Math.max(...verdicts.map(({ source }) => source.length));
  const lines = verdicts.flatMap(({ source, verdict, lost, advice }) => {
    const loss = lost ? [`Without it: ${lost}`] : [];
    const words = verdict === "not called" ? [...advice, ...loss] : [...loss, ...advice];
    return [`${source.padEnd(width)}  ${verdict}\n`, ...words.map((one) => `  ${one}\n`)];
  });
  return lines.join("");
}

function formatRows(rows: readonly Probe[]): string {
  if (rows.length === 0) return "";
  return formatTable(
    ["SOURCE", "KIND", "COUNTRY", "SYMBOL", "RECORDS", "NEWEST", "ERROR"],
    rows.map((row) => [
      row.source,
      row.kind,
      row.country,
      row.symbol,
      row.records,
      row.newest,
      row.error ?? (row.missing ? `not whole: ${describeParts(row)}` : null),
    ]),
  );
}

/** The parts that a row lacks, with their reasons. */
function describeParts({ source, kind, country, symbol, missing = [] }: Probe): string {
  const lack = { source, parts: missing, error: null };
  return describeLack({ kind, country, symbol }, lack).map(withoutSource).join(" | ");
}

/** The published figures beside what the sources say; empty without any. */
function formatFacts(results: readonly Probe[]): string {
  const rows = results.flatMap((row) =>
    (row.facts ?? []).map((one) => [
      row.source,
      one.fact,
      one.published,
      one.published === one.adjusted ? null : Number(one.adjusted.toPrecision(6)),
      one.found,
      one.adjustment,
      one.fault ?? (one.found === null ? "not in the answer" : "ok"),
    ]),
  );
  const columns = [
    "SOURCE",
    "FACT",
    "PUBLISHED",
    "IN TODAY'S SHARES",
    "FOUND",
    "ADJUSTED",
    "RESULT",
  ];
  return rows.length === 0 ? "" : formatTable(columns, rows);
}
