import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { type RecordKind, RECORDS } from "#domain/records.ts";
import { claimMarket } from "#ingest/ingest.ts";
import { broadKeys } from "#ingest/schedule.ts";
import { createLog } from "#lib/log.ts";
import type { FetchKey } from "#store/fetches.ts";
import { type Command, type Invocation, JSON_FLAG } from "./command.ts";
import { createLive } from "./live.ts";
import { withMarket } from "./stores.ts";

/** What is fetched for a symbol that is named. */
const BY_SYMBOL: readonly RecordKind[] = [
  "instruments",
  "bars",
  "dividends",
  "statements",
  "quotes",
  "analystCoverage",
  "earningsDates",
];

export const sync: Command = {
  name: "sync",
  summary: "Fetch everything that is due from the live sources",
  flags: {
    country: { value: COUNTRY_CODES.join("|"), description: "only this country" },
    kind: { value: "KIND", description: `only this kind: ${Object.keys(RECORDS).join(", ")}` },
    symbols: { value: "A,B,…", description: "everything of these symbols, with --country" },
    json: JSON_FLAG,
  },
  settings: ["data", "contact", "sources"],
  run: (invocation) =>
    withMarket(invocation.config.dataFolder, async (market) => {
      const { io, config, flags } = invocation;
      claimMarket(market, "live");
      let isStopped = false;
      io.onStop(() => (isStopped = true));
      const log = createLog({
        format: config.logFormat,
        write: (line) => io.stderr(`${line}\n`),
        clock: Date.now,
      });
      const { refresher } = createLive({ config, market, clock: Date.now, log });
      const keys = wantedKeys(invocation);
      const outcomes = [];
      for (const [i, key] of keys.entries()) {
        if (isStopped) break;
        if (!refresher.isDue(key)) continue;
        const what = [key.kind, key.country, key.symbol].filter(Boolean).join(" ");
        const outcome = await refresher.refresh(key);
        outcomes.push(outcome);
        io.stderr(
          `${i + 1}/${keys.length} ${what}: ${outcome.error ?? `${outcome.records} records from ${outcome.source}`}\n`,
        );
      }
      const failed = outcomes.filter(({ error }) => error !== null).length;
      const records = outcomes.reduce((sum, outcome) => sum + outcome.records, 0);
      io.stdout(
        flags["json"]
          ? `${JSON.stringify({ fetched: outcomes.length, failed, records, stopped: isStopped, outcomes })}\n`
          : `${outcomes.length} fetched, ${records} records, ${failed} failed${isStopped ? "; stopped, the rest is due still" : ""}.\n`,
      );
      if (failed > 0)
        throw new BourseError(
          "unavailable",
          `${failed} of ${outcomes.length} could not be fetched.`,
        );
    }),
};

function wantedKeys({ flags }: Invocation): FetchKey[] {
  const country = flags["country"] as Country | undefined;
  const kind = flags["kind"] as RecordKind | undefined;
  const symbols = typeof flags["symbols"] === "string" ? flags["symbols"].split(",") : [];
  if (country !== undefined && !COUNTRY_CODES.includes(country)) {
    throw new BourseError(
      "invalid_argument",
      `--country must be one of ${COUNTRY_CODES.join(", ")}, not ${country}.`,
    );
  }
  if (kind !== undefined && !Object.hasOwn(RECORDS, kind)) {
    throw new BourseError(
      "invalid_argument",
      `--kind must be one of ${Object.keys(RECORDS).join(", ")}, not ${kind}.`,
    );
  }
  if (symbols.length > 0 && country === undefined) {
    throw new BourseError(
      "invalid_argument",
      "--symbols needs --country: a symbol is known by its country.",
    );
  }
  const listed = broadKeys().filter((key) => country === undefined || key.country === country);
  const named = symbols.flatMap((symbol) =>
    BY_SYMBOL.map((one): FetchKey => ({
      kind: one,
      country: country ?? "US",
      symbol: symbol.trim().toUpperCase(),
    })),
  );
  // The listing comes first: what is not listed is not asked for.
  const all =
    symbols.length > 0 ? [...listed.filter((key) => key.kind === "instruments"), ...named] : listed;
  return all.filter((key) => kind === undefined || key.kind === kind);
}
