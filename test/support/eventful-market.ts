import { COUNTRY_CODES } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { MacroForecast } from "#domain/macro.ts";
import type { Provenance, RecordKind, RecordOf } from "#domain/records.ts";
import type { Statement, StatementVintage } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";
import { barHistory } from "#sample/bars.ts";
import { createSampleMakers } from "#sample/provider.ts";
import { createSampleMarket } from "#sample/market.ts";
import { getListing } from "#sample/universe.ts";
import type { MarketStore } from "#store/index.ts";
import { stock } from "./market.ts";

/** The end of the eventful market: its newest records are of the session before, UTC milliseconds. */
export const EVENTFUL_NOW = Date.parse("2026-11-20T18:00:00Z");
const NOW: Provenance = { source: "sample", storedAt: EVENTFUL_NOW - 3_600_000 };
const FIRST_BAR = "2020-12-31";

/** Splits, a spin-off, an initial offering in 2021 and 2022, an index, funds and currency pairs. */
const SYMBOLS =
  `AAPL NVDA NFLX WMT AVGO GOOG GOOGL KO JPM COIN CEG SPY ^GSPC EURUSD=X BTC-USD 7203 4063 6146 ^N225 JPY=X
FPT VNM VNINDEX VND=X`.split(/\s/);

/** The symbols of the eventful market by country. */
export const EVENTFUL_SYMBOLS = {
  US: ["AAPL", "NVDA", "NFLX", "WMT", "GOOG", "KO", "COIN", "CEG", "GONE", "SPUN", "QUOT", "SPY"],
  JP: ["7203", "4063", "6146"],
  VN: ["FPT", "VNM"],
} as const;

/**
 * Stores a part of the sample market to which something happened: figures were restated, one company was delisted, one
 * has a spin-off, one has only a quote and recent closes, and records were stored on several days.
 */
export function fillEventful(market: MarketStore): void {
  const wanted = new Set<string>(SYMBOLS);
  const sample = createSampleMarket(EVENTFUL_NOW);
  market.transaction(() => {
    for (const { kind, make } of createSampleMakers({ now: EVENTFUL_NOW, after: null } as never)) {
      if (kind === "bars" || kind === "classifications") continue;
      const records = [...make()].filter(
        (record) => !("symbol" in record) || wanted.has(record.symbol),
      );
      if (kind === "macroForecasts") reviseForecasts(market, records as MacroForecast[]);
      market.put(kind as RecordKind, records as RecordOf<RecordKind>[], NOW);
      if (kind === "statements") restate(market, records as Statement[]);
    }
    const bars = SYMBOLS.map((symbol) => {
      const listing = getListing(symbol);
      return barHistory(listing, sample.prices, FIRST_BAR);
    });
    market.put("bars", bars, NOW);
    fillInvented(market);
  });
}

/** Every third period of a company was filed with lower figures first, and filed again 200 days later. */
function restate(market: MarketStore, statements: readonly Statement[]): void {
  const vintages = statements.flatMap((statement, i): StatementVintage[] => {
    if (i % 3 > 0 || statement.country !== "US") return [];
    const { items, ...period } = statement;
    const first = { ...items, revenue: scaled(items.revenue), netIncome: scaled(items.netIncome) };
    const again = addDays(statement.filedOn, 200);
    const filings = [{ ...period, accession: "0000000001-20-000001", items: first }];
    if (again > "2026-11-19") return filings.map((one) => ({ ...one, items: null }));
    return [
      ...filings,
      { ...period, filedOn: again, accession: "0000000001-20-000002", items: null },
    ];
  });
  market.put("statementVintages", vintages, NOW);
}

const scaled = (value: number | null) => (value === null ? null : Math.round(value * 0.9));

/** Forecasts of earlier years: each second one was withdrawn, and one publication is older than its record. */
function reviseForecasts(market: MarketStore, forecasts: readonly MacroForecast[]): void {
  const past = (year: number, change: number) =>
    forecasts.map((one) => ({
      ...one,
      origin: `Outlook of ${year}`,
      values: one.values.map((at) => ({
        ...at,
        year: at.year - 2026 + year,
        value: at.value === null ? null : at.value + change,
      })),
    }));
  const store = (day: string, records: readonly MacroForecast[]) => {
    for (const country of COUNTRY_CODES) {
      const own = records.filter((one) => one.country === country);
      market.put("macroForecasts", own, storedOn(day), { country });
    }
  };
  store("2022-03-01", past(2022, 1));
  store(
    "2023-06-15",
    past(2023, 2).filter((_, i) => i % 2 === 0),
  );
  store(
    "2024-11-20",
    past(2024, 3).map((one) => ({ ...one, publishedOn: "2024-10-22" })),
  );
}

const DAY = 86_400_000;
const storedOn = (date: string): Provenance => ({ source: "other", storedAt: Date.parse(date) });

function fillInvented(market: MarketStore): void {
  const listed = { isListing: true };
  const first = { source: "list", storedAt: Date.parse("2022-01-03") };
  const profile = { sector: "technology", industry: "consumer-electronics" } as const;
  const gone = ["GONE", "SPUN", "QUOT"].map((symbol) => stock("US", symbol, profile));
  market.instruments.put(gone, first, listed);
  market.put(
    "bars",
    ["GONE", "SPUN"].map((symbol) => ({
      country: "US" as const,
      symbol,
      isWhole: true,
      sharesAsOf: "2026-11-19",
      bars: inventedBars(symbol === "GONE" ? "2024-06-28" : "2026-11-19"),
    })),
    storedOn("2026-11-19"),
  );
  const splits = [{ exDate: "2023-09-05", numerator: 1281, denominator: 1000 }];
  market.put("splits", [{ country: "US", symbol: "SPUN", splits }], storedOn("2026-11-19"));
  // A newer list without GONE.
  const { storedAt } = storedOn("2024-07-01");
  market.instruments.put(gone.slice(1), { source: "list", storedAt }, listed);
  market.instruments.delistMissing({ country: "US", source: "list", listedAt: storedAt });
  market.put(
    "recentCloses",
    [
      {
        country: "US",
        symbol: "QUOT",
        from: "2025-06-02",
        days: [0, 1, 2, 3],
        closes: [9, 9.5, 10, 11],
      },
    ],
    storedOn("2025-06-06"),
  );
  const figures = {
    volume: 1e6,
    marketCap: 5e9,
    epsTtm: 0.5,
    priceToBook: 2,
    dividendYieldPercent: 1,
  };
  market.put(
    "quotes",
    [
      {
        country: "US",
        symbol: "QUOT",
        date: "2025-06-06",
        price: 12,
        previousClose: 11,
        ...figures,
      },
    ],
    storedOn("2025-06-07"),
  );
  const coverage = market.documents.find("analystCoverage", "US", "KO");
  if (coverage)
    market.put("analystCoverage", [coverage], {
      source: "sample",
      storedAt: Date.parse("2025-02-03") - DAY,
    });
}

/** A session on each weekday since 2022, until a day. */
function inventedBars(until: string): DailyBar[] {
  const bars: DailyBar[] = [];
  for (let date = "2022-01-03", i = 0; date <= until; date = addDays(date, 1), i++) {
    const close = Math.round(100 * (50 + 10 * Math.sin(i / 50) + i / 100)) / 100;
    if (new Date(date).getUTCDay() % 6 > 0)
      bars.push({
        date,
        open: close,
        high: close + 0.5,
        low: close - 0.5,
        close,
        volume: 1000 + i,
      });
  }
  return bars;
}
