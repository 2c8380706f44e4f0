import { basename } from "node:path";
import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { BarHistory, DailyBar } from "#domain/daily-bar.ts";
import { BourseError } from "#domain/errors.ts";
import {
  ASSET_TYPES,
  type AssetType,
  type Instrument,
  SYMBOL_PATTERN,
} from "#domain/instrument.ts";
import { IMPORT } from "#domain/records.ts";
import { parseBarsCsv } from "#imports/bars-csv.ts";
import { closest } from "#lib/closest.ts";
import { dateOf } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import type { Flag, Invocation } from "./command.ts";
import { withFiles } from "./import-files.ts";

/** The flags that say which instrument the bars of a file are of. */
export const HISTORY_FLAGS = {
  country: {
    value: COUNTRY_CODES.join("|"),
    description: "its country, for a file without that column",
  },
  symbol: { value: "SYMBOL", description: "its symbol, for a file without that column" },
  name: { value: "NAME", description: "its name, to make an instrument that is not known yet" },
  type: { value: "TYPE", description: `with --name: ${ASSET_TYPES.join(", ")} (stock)` },
} as const satisfies Readonly<Record<string, Flag>>;

/** Takes the daily bars of the one instrument that the flags name, in place of those it had. */
export function importHistory(
  market: MarketStore,
  { io, operands: paths, flags }: Invocation,
  now: number,
): void {
  const country = parseChoice("country", flags["country"], COUNTRY_CODES);
  const symbol = parseSymbol(flags["symbol"]);
  const known = market.instruments.find({ country, symbol });
  const added = known ? null : newInstrument(market, country, symbol, flags);

  const files = withFiles(io, paths, (opened) =>
    opened.map(({ path, name, pieces }) => ({
      path,
      ...parseBarsCsv(Buffer.concat([...pieces]).toString(), {
        country,
        assetType: (known ?? added)?.assetType ?? "stock",
        fileName: name,
        today: dateOf(now),
      }),
    })),
  );
  const history: BarHistory = { country, symbol, bars: merge(files) };
  const before = known ? market.bars.count(known.id) : 0;
  const leftOut = files.reduce((sum, file) => sum + file.leftOut, 0);
  const provenance = { source: IMPORT, storedAt: now };
  market.transaction(() => {
    if (added) market.instruments.put([added], provenance);
    market.bars.replace(history, provenance);
  });

  const report = {
    country,
    symbol,
    bars: history.bars.length,
    first: history.bars[0]?.date,
    last: history.bars.at(-1)?.date,
    leftOut,
    replaced: before,
    files: files.map(({ path, shape, bars }) => ({ path, shape, bars: bars.length })),
  };
  io.stdout(
    flags["json"]
      ? `${JSON.stringify(report)}\n`
      : `Imported ${report.bars} bars of ${symbol} (${country}), ${report.first} to ${report.last}, as ${files.map(({ shape }) => shape).join(", ")}${before > 0 ? `, in place of ${before}` : ""}.\n${leftOut > 0 ? `${leftOut} rows of days without trades, filled forward, were left out.\n` : ""}`,
  );
}

function parseChoice<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  const choice = allowed.find((one) => one === value);
  if (choice !== undefined) return choice;
  throw new BourseError(
    "invalid_argument",
    `--${name} must be one of ${allowed.join(", ")}${typeof value === "string" ? `, not ${value}` : "; it is missing"}.`,
  );
}

function parseSymbol(value: unknown): string {
  const symbol = typeof value === "string" ? value.toUpperCase() : "";
  if (new RegExp(SYMBOL_PATTERN).test(symbol)) return symbol;
  throw new BourseError(
    "invalid_argument",
    "--symbol must be 1 to 20 letters, digits or any of . - ^ = (such as AAPL, 7203 or FPT).",
  );
}

/** @throws BourseError where no name was given to make it with */
function newInstrument(
  market: MarketStore,
  country: Country,
  symbol: string,
  flags: Readonly<Record<string, unknown>>,
): Instrument {
  const name = flags["name"];
  if (typeof name !== "string" || name.trim() === "") {
    const near = closest(symbol, market.instruments.listSymbols(country));
    throw new BourseError(
      "not_found",
      `${symbol} is not known in ${country}${near ? ` (is it ${near}?)` : ""}; give --name to make it.`,
    );
  }
  const assetType: AssetType = parseChoice("type", flags["type"] ?? "stock", ASSET_TYPES);
  return {
    country,
    symbol,
    name: name.trim().slice(0, 200),
    assetType,
    exchange: null,
    currency: COUNTRIES[country].currency,
    sector: null,
    industry: null,
    sharesOutstanding: null,
    employees: null,
    summary: null,
    primaryListing: true,
    indexMember: false,
  };
}

/** The bars of all files as one history, oldest first; a date may stand in one file only. */
function merge(files: readonly { path: string; bars: DailyBar[] }[]): DailyBar[] {
  const byDate = new Map<string, { bar: DailyBar; path: string }>();
  for (const { path, bars } of files) {
    for (const bar of bars) {
      const rival = byDate.get(bar.date);
      if (rival) {
        throw new BourseError(
          "invalid_argument",
          `${bar.date} stands in ${basename(rival.path)} and in ${basename(path)}; a date may stand in one file only.`,
        );
      }
      byDate.set(bar.date, { bar, path });
    }
  }
  return [...byDate.values()].map(({ bar }) => bar).sort((a, b) => (a.date < b.date ? -1 : 1));
}
