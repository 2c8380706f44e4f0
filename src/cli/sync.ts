import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import type { RecordKind } from "#domain/records.ts";
import { claimMarket } from "#ingest/ingest.ts";
import type { RefreshOutcome } from "#ingest/refresh.ts";
import { broadKeys } from "#ingest/schedule.ts";
import { createLog } from "#lib/log.ts";
import { FETCHERS } from "#providers/index.ts";
import type { FetchKey } from "#store/fetches.ts";
import { type Command, type Invocation, JSON_FLAG } from "./command.ts";
import { createLive } from "./live.ts";
import { withMarket } from "./stores.ts";

const KINDS: readonly RecordKind[] = [...new Set(FETCHERS.map(({ kind }) => kind))];

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
    kind: { value: "KIND", description: `only this kind: ${KINDS.join(", ")}` },
    symbols: { value: "A,B,…", description: "everything of these symbols, with --country" },
    json: JSON_FLAG,
  },
  settings: ["data", "contact", "sources"],
  async run(invocation) {
    const { io, config, flags } = invocation;
    const keys = wantedKeys(invocation);
    await withMarket(config.dataFolder, async (market) => {
      const log = createLog({
        format: config.logFormat,
        write: (line) => io.stderr(`${line}\n`),
        clock: Date.now,
      });
      const live = createLive({ config, market, clock: Date.now, log });
      claimMarket(market, "live");
      let isStopped = false;
      io.onStop(() => {
        isStopped = true;
        void live.stop();
      });
      const outcomes: RefreshOutcome[] = [];
      for (const [i, key] of keys.entries()) {
        if (isStopped) break;
        const { kind, country, symbol } = key;
        const isUnknown =
          symbol !== null && !market.holds({ kind: "instruments", country, symbol });
        // That a symbol is unknown is said once, not for every kind.
        if (isUnknown && outcomes.some((outcome) => outcome.symbol === symbol)) continue;
        if (!isUnknown && !live.refresher.isDue(key)) continue;
        const outcome = isUnknown
          ? { ...key, source: null, records: 0, error: `${symbol} is not listed in ${country}` }
          : await live.refresher.refresh(key);
        // What the stop cut off did not fail.
        if (isStopped && outcome.error !== null) break;
        outcomes.push(outcome);
        const { source, records, error } = outcome;
        const told = [source && `${records} records from ${source}`, error];
        io.stderr(
          `${i + 1}/${keys.length} ${[kind, country, symbol].filter(Boolean).join(" ")}: ${told.filter(Boolean).join("; ")}\n`,
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
    });
  },
};

/** What to fetch where it is due, in order. @throws BourseError where a flag is wrong */
function wantedKeys({ flags }: Invocation): FetchKey[] {
  const country = flags["country"] as Country | undefined;
  const kind = flags["kind"] as RecordKind | undefined;
  const symbols = String(flags["symbols"] ?? "")
    .split(",")
    .map((symbol) => symbol.trim().toUpperCase())
    .filter((symbol) => symbol !== "");
  if (country !== undefined && !COUNTRY_CODES.includes(country)) {
    throw new BourseError(
      "invalid_argument",
      `--country must be one of ${COUNTRY_CODES.join(", ")}, not ${country}.`,
    );
  }
  if (kind !== undefined && !KINDS.includes(kind)) {
    throw new BourseError(
      "invalid_argument",
      `--kind must be one of ${KINDS.join(", ")}, not ${kind}.`,
    );
  }
  if (symbols.length > 0 && country === undefined) {
    throw new BourseError(
      "invalid_argument",
      "--symbols needs --country: a symbol is known by its country.",
    );
  }
  const isKind = (key: FetchKey) => kind === undefined || key.kind === kind;
  const broad = broadKeys().filter((key) => country === undefined || key.country === country);
  const named = symbols.flatMap((symbol) =>
    BY_SYMBOL.map((one): FetchKey => ({ kind: one, country: country ?? "US", symbol })),
  );
  const wanted = (symbols.length > 0 ? named : broad).filter(isKind);
  if (wanted.length === 0) {
    throw new BourseError(
      "invalid_argument",
      symbols.length > 0
        ? `--kind ${kind} is not fetched by symbol; leave --symbols out.`
        : `--kind ${kind} is fetched by symbol; name them with --symbols and --country.`,
    );
  }
  // The listing comes first: what is not listed is not asked for.
  return symbols.length > 0
    ? [...broad.filter((key) => key.kind === "instruments"), ...wanted]
    : wanted;
}
