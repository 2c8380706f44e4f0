import { COUNTRY_CODES } from "#domain/country.ts";
import { invalidArgument, unavailable } from "#domain/errors.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import { claimMarket } from "#ingest/ingest.ts";
import { failedOutcome, type RefreshOutcome } from "#ingest/source-chain.ts";
import { isCompanyKind } from "#ingest/schedule.ts";
import { FETCHERS } from "#sources/index.ts";
import type { MarketStore } from "#store/index.ts";
import { openLog } from "#service/world.ts";
import { createLive, type Live } from "#service/live.ts";
import { type Command, type Invocation, parseChoice } from "./command.ts";
import { withMarket } from "./stores.ts";

const KINDS: readonly RecordKind[] = [...new Set(FETCHERS.map(({ kind }) => kind))];

/** The kinds that are fetched for a symbol in --symbols. */
const BY_SYMBOL: readonly RecordKind[] = [
  "instruments",
  "bars",
  "dividends",
  "splits",
  "statements",
  "quotes",
  "analystCoverage",
  "earningsDates",
  "earningsResults",
  "companyForecasts",
];

export const sync: Command = {
  name: "sync",
  summary: "Fetch everything that is due from the live sources",
  flags: {
    country: { value: COUNTRY_CODES.join("|"), description: "only this country" },
    kind: { value: "KIND", description: `only this kind: ${KINDS.join(", ")}` },
    symbols: {
      value: "A,B,…",
      description: "all data of these symbols, with --country; without it the largest companies",
    },
  },
  values: { KIND: KINDS },
  examples: ["", "--country US --symbols AAPL,MSFT"],
  settings: ["data", "contact", "user-agent", "sources"],
  async report(invocation) {
    const { io, config } = invocation;
    const wanted = readFlags(invocation);
    if (config.cluster !== null) {
      throw invalidArgument(
        "The leader of the cluster fetches all data that is due. Start `serve`, or unset BOURSE_CLUSTER to fill the folder of one machine.",
      );
    }
    return withMarket(config, async (market) => {
      const log = openLog(io, config);
      // The progress lines have already reported the records.
      const { clock, sleep } = io;
      const live = createLive({ config, market, clock, sleep, log: { ...log, info() {} } });
      claimMarket(market, "live");
      let isStopped = false;
      io.onStop(() => {
        isStopped = true;
        void live.stop();
      });
      const stopped = () => isStopped;
      const outcomes: RefreshOutcome[] = [];
      const report = (outcome: RefreshOutcome, place: number, of: number) => {
        outcomes.push(outcome);
        const { kind, country, symbol, source, records, error } = outcome;
        const what = [kind, country, symbol].filter(Boolean).join(" ");
        const ended = [source && `${records} records from ${source}`, error].filter(Boolean);
        io.stderr(`${place}/${of} ${what}: ${ended.join("; ")}\n`);
      };
      if (wanted.named.length === 0) {
        await live.schedule.run({
          stopped,
          onOutcome: report,
          wants: wanted.wants,
          triesOnce: true,
        });
      } else {
        await refreshNamed(wanted.named, { market, live, stopped, report });
      }
      const failed = outcomes.filter(({ error }) => error !== null).length;
      const records = outcomes.reduce((sum, outcome) => sum + outcome.records, 0);
      const fetched = outcomes.length;
      return {
        json: { fetched, failed, records, stopped: isStopped, outcomes },
        text: `${fetched} fetched, ${records} records, ${failed} failed${isStopped ? "; stopped, the rest is still due" : ""}.\n`,
        failure: failed > 0 ? unavailable(`${failed} of ${fetched} could not be fetched.`) : null,
      };
    });
  },
};

/** Refreshes the named keys that are due, in order. An unknown symbol is reported once. */
async function refreshNamed(
  keys: readonly FetchKey[],
  parts: {
    market: MarketStore;
    live: Live;
    stopped: () => boolean;
    report: (outcome: RefreshOutcome, place: number, of: number) => void;
  },
): Promise<void> {
  const { market, live, stopped, report } = parts;
  const unknown = new Set<string>();
  for (const [i, key] of keys.entries()) {
    const { country, symbol } = key;
    if (stopped()) return;
    if (symbol !== null && !market.holds({ kind: "instruments", country, symbol })) {
      const error = `${symbol} is not listed in ${country}`;
      if (!unknown.has(symbol))
        report({ ...failedOutcome(key, error), retryAt: null }, i + 1, keys.length);
      unknown.add(symbol);
      continue;
    }
    if (!live.refresher.isDue(key)) continue;
    const outcome = await live.refresher.refresh(key);
    // A refresh that the stop interrupted did not fail.
    if (stopped() && outcome.error !== null) return;
    report(outcome, i + 1, keys.length);
  }
}

/** The keys that the flags name, and the filter of keys if they name none. @throws BourseError if a flag is wrong */
function readFlags({ flags }: Invocation): {
  readonly named: readonly FetchKey[];
  readonly wants: (key: FetchKey) => boolean;
} {
  const { country: countryText, kind: kindText } = flags;
  const country =
    countryText === undefined ? undefined : parseChoice("country", countryText, COUNTRY_CODES);
  const kind = kindText === undefined ? undefined : parseChoice("kind", kindText, KINDS);
  const symbols = String(flags["symbols"] ?? "")
    .split(",")
    .map((symbol) => symbol.trim().toUpperCase())
    .filter((symbol) => symbol !== "");
  const isKind = (key: FetchKey) => kind === undefined || key.kind === kind;
  if (symbols.length === 0) {
    const ofCompanies = kind !== undefined && isCompanyKind(kind);
    // Companies and their sizes come first: the largest of them are fetched.
    const before = (key: FetchKey) =>
      ofCompanies && (key.kind === "instruments" || key.kind === "quotes");
    const isBroad = (key: FetchKey) => kind === undefined || ofCompanies || key.symbol === null;
    return {
      named: [],
      wants: (key) =>
        (country === undefined || key.country === country) &&
        ((isKind(key) && isBroad(key)) || before(key)),
    };
  }
  if (country === undefined) {
    throw invalidArgument(
      "--symbols needs --country: the same symbol can exist in several countries.",
    );
  }
  const named = symbols
    .flatMap((symbol) => BY_SYMBOL.map((one): FetchKey => ({ kind: one, country, symbol })))
    .filter(isKind);
  if (named.length === 0) {
    throw invalidArgument(`--kind ${kind} is not fetched by symbol; leave --symbols out.`);
  }
  // The listing comes first: symbols that are not listed are not fetched.
  return { named: [{ kind: "instruments", country, symbol: null }, ...named], wants: () => true };
}
