import type { CalendarEvent } from "#domain/calendar-event.ts";
import type { Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { MacroForecast, MacroSeries } from "#domain/macro.ts";
import { NO_ITEMS, type Statement, type StatementItems } from "#domain/statement.ts";
import { addDays, dateOf, isWeekend } from "#lib/date.ts";
import { claimMarket } from "#ingest/ingest.ts";
import { sampleStamp } from "#sample/releases.ts";
import { SAMPLE } from "#sample/stamp.ts";
import { type MarketStore } from "#store/index.ts";
import { instrument } from "./market.ts";
import { START } from "./service.ts";
import { openCopiedMarket } from "./empty-files.ts";

/** When the hand-made records were stored: an hour before every test begins. */
export const STORED_AT = START - 3_600_000;

/** The last completed session of the hand-made market: the day before `START`. */
export const NEWEST_SESSION = "2026-11-19";

/** Sessions that open and close at 100 on every weekday. The newest one closes at 110. */
export function flatBars(sessions: number): DailyBar[] {
  const bars: DailyBar[] = [];
  for (let date = NEWEST_SESSION; bars.length < sessions; date = addDays(date, -1)) {
    if (isWeekend(date)) continue;
    const close = bars.length === 0 ? 110 : 100;
    bars.unshift({ date, open: 100, high: close, low: 100, close, volume: 1_000_000 });
  }
  return bars;
}

/** A series whose observations are the given values, one a month, the newest in October 2026. */
export function macroSeries(
  country: Country,
  category: MacroSeries["category"],
  id: string,
  values: readonly number[],
): MacroSeries {
  return {
    country,
    category,
    id,
    name: `${id} of ${country}`,
    unit: "%",
    decimals: 1,
    observations: values.map((value, i) => ({
      period: `2026-${String(10 - values.length + 1 + i).padStart(2, "0")}`,
      value,
    })),
  };
}

/** A forecast with one value a quarter from the given quarter of 2026 on; null is a missing value. */
export function macroForecast(
  country: Country,
  name: string,
  firstQuarter: number,
  values: readonly (number | null)[],
): MacroForecast {
  return {
    country,
    category: "gdp",
    name,
    unit: "%",
    decimals: 1,
    origin: "by hand",
    values: values.map((value, i) => ({
      year: 2026 + Math.floor((firstQuarter - 1 + i) / 4),
      quarter: ((firstQuarter - 1 + i) % 4) + 1,
      value,
    })),
  };
}

/** An event at a UTC date and time. */
export function calendarEvent(
  country: Country,
  date: string,
  time: string,
  importance: CalendarEvent["importance"],
): CalendarEvent {
  return {
    id: `${country}-${date}-${time}-${importance}`,
    country,
    event: "GDP growth rate",
    date,
    time,
    importance,
    previous: "2.1%",
    forecast: null,
    consensus: null,
    actual: null,
  };
}

/** Figures of one fiscal quarter of AAPL in the hand-made market, in billions of dollars. */
export function appleQuarter(
  year: number,
  quarter: number,
  revenue: number,
  eps: number,
): Statement {
  const BILLION = 1e9;
  const items: StatementItems = {
    ...NO_ITEMS,
    revenue: revenue * BILLION,
    costOfRevenue: 150 * BILLION,
    grossProfit: 100 * BILLION,
    researchAndDevelopment: 20 * BILLION,
    sellingGeneralAdministrative: 30 * BILLION,
    operatingIncome: 50 * BILLION,
    depreciationAndAmortization: 7.5 * BILLION,
    ebitda: 57.5 * BILLION,
    pretaxIncome: 50 * BILLION,
    incomeTax: 10 * BILLION,
    netIncome: 40 * BILLION,
    epsDiluted: eps,
    sharesDiluted: 10 * BILLION,
    totalAssets: 1_000 * BILLION,
    currentAssets: 200 * BILLION,
    cash: 50 * BILLION,
    inventory: 50 * BILLION,
    totalLiabilities: 450 * BILLION,
    currentLiabilities: 100 * BILLION,
    totalDebt: 100 * BILLION,
    commonEquity: 550 * BILLION,
    operatingCashFlow: 60 * BILLION,
    investingCashFlow: -20 * BILLION,
    financingCashFlow: -30 * BILLION,
    capitalExpenditure: 10 * BILLION,
    stockCompensation: 5 * BILLION,
    dividendsPaid: 4 * BILLION,
    shareRepurchases: 9 * BILLION,
  };
  const periodEnd = `${year}-${["03-31", "06-30", "09-30", "12-31"][quarter - 1]}`;
  return {
    country: "US",
    symbol: "AAPL",
    span: "quarter",
    fiscalYear: year,
    fiscalQuarter: quarter,
    periodEnd,
    filedOn: addDays(periodEnd, 30),
    currency: "USD",
    items,
  };
}

/** A statement of a US company for a calendar year, with these lines and no others. */
export const calendarYear = (
  symbol: string,
  fiscalYear: number,
  items: Partial<StatementItems>,
  more: Partial<Statement> = {},
): Statement => ({
  country: "US",
  symbol,
  span: "year",
  fiscalYear,
  fiscalQuarter: 4,
  periodEnd: `${fiscalYear}-12-31`,
  filedOn: `${fiscalYear + 1}-02-10`,
  currency: "USD",
  items: { ...NO_ITEMS, ...items },
  ...more,
});

/**
 * Puts the hand-made market into a folder as a sample market that is not due at `now`, UTC milliseconds. A
 * service starts on it without the sample's million bars.
 */
export function createSmallSample(folder: string, now: number): void {
  const market = openCopiedMarket(folder);
  claimMarket(market, "sample");
  fillMarket(market);
  market.setSetting(SAMPLE, sampleStamp(now));
  market.close();
}

/**
 * A market small enough to be computed by hand: AAPL with all records, YOUNG with three sessions and
 * nothing else, one stock each in Japan and Viet Nam, an index, and a few macro records.
 */
export function fillMarket(market: MarketStore): void {
  const provenance = { source: "test", storedAt: STORED_AT };
  market.transaction(() => {
    market.instruments.put(
      [
        instrument("US", "AAPL", {
          name: "Apple Inc.",
          exchange: "NASDAQ",
          sector: "technology",
          industry: "consumer-electronics",
          sharesOutstanding: 10e9,
          employees: 164_000,
          summary: "Makes phones.",
          indexMember: true,
        }),
        instrument("US", "YOUNG", { name: "Young Corp" }),
        instrument("US", "^GSPC", { name: "S&P 500", assetType: "index", primaryListing: false }),
        instrument("US", "BRK-B", { name: "Berkshire Hathaway Inc." }),
        instrument("JP", "7203", {
          name: "Toyota Motor Corporation",
          exchange: "TSE",
          aliases: "トヨタ自動車",
        }),
        instrument("VN", "FPT", { name: "FPT Corporation", exchange: "HOSE" }),
      ],
      provenance,
    );
    market.indexMembers.put(
      (
        [
          ["US", "AAPL", "^DJI"],
          ["US", "YOUNG", "^DJI"],
          ["US", "AAPL", "^GSPC"],
          ["JP", "7203", "^N225"],
          ["VN", "FPT", "VN30"],
          ["VN", "FPT", "VNINDEX"],
        ] as const
      ).map(([country, symbol, memberOf]) => ({ country, symbol, memberOf, indexMember: null })),
      dateOf(STORED_AT),
    );
    market.put(
      "bars",
      [
        { country: "US", symbol: "AAPL", bars: flatBars(300) },
        { country: "US", symbol: "YOUNG", bars: flatBars(3) },
        { country: "JP", symbol: "7203", bars: flatBars(600) },
        { country: "VN", symbol: "FPT", bars: flatBars(20) },
      ],
      provenance,
    );
    market.put(
      "statements",
      [1, 2, 3, 4].flatMap((quarter) => [
        // 2024 Q4 to 2025 Q3, then 2025 Q4 to 2026 Q3.
        appleQuarter(quarter === 4 ? 2024 : 2025, quarter, 200, 1),
        appleQuarter(quarter === 4 ? 2025 : 2026, quarter, 250, 1.25),
      ]),
      provenance,
    );
    market.put(
      "dividends",
      [
        {
          country: "US",
          symbol: "AAPL",
          dividends: ["2026-02-09", "2026-05-11", "2026-08-10", "2026-11-09"].map((exDate) => ({
            exDate,
            amount: 0.55,
          })),
        },
      ],
      provenance,
    );
    market.put(
      "macroSeries",
      [
        macroSeries("US", "prices", "cpi-yoy", [3, 2.5]),
        { ...macroSeries("US", "labor", "unemployment", [4.4, 0]), name: "Unemployment rate" },
        macroSeries("US", "labor", "brand-new", [1]),
        macroSeries("JP", "prices", "cpi-yoy", [2.9, 3]),
        macroSeries("VN", "prices", "cpi-yoy", [3.1, 3.2]),
      ],
      provenance,
    );
    market.put(
      "macroForecasts",
      [
        // From the third quarter, which is over: 2026 Q3 to 2027 Q3.
        macroForecast("US", "GDP growth", 3, [1, 2, 3, 4, 5]),
        macroForecast("US", "GDP per capita growth", 4, [1.5, null, 2.5]),
        macroForecast("JP", "GDP growth", 4, [0.5, 0.6, 0.7, 0.8]),
        macroForecast("VN", "GDP growth", 4, [6, 6.1, 6.2, 6.3, 6.4, 6.5, 6.6, 6.7, 6.8]),
      ],
      provenance,
    );
    market.put(
      "calendarEvents",
      [
        calendarEvent("US", "2026-11-24", "13:30", "high"),
        calendarEvent("US", "2026-11-19", "13:30", "high"),
        calendarEvent("US", "2026-11-20", "13:30", "medium"),
        calendarEvent("US", "2026-11-24", "09:00", "low"),
        calendarEvent("JP", "2026-11-24", "09:00", "medium"),
        calendarEvent("VN", "2026-12-06", "02:00", "high"),
      ],
      provenance,
    );
    market.put(
      "earningsDates",
      [
        {
          country: "US",
          symbol: "AAPL",
          date: "2027-01-28",
          session: "after_market_close",
          fiscalPeriod: "Q1 2027",
          epsEstimate: 2.7,
          revenueEstimate: 130e9,
          analysts: 28,
        },
        {
          country: "US",
          symbol: "YOUNG",
          date: "2026-11-19",
          session: "not_supplied",
          fiscalPeriod: null,
          epsEstimate: null,
          revenueEstimate: null,
          analysts: null,
        },
        {
          country: "US",
          symbol: "BRK-B",
          date: "2026-12-01",
          session: "before_market_open",
          fiscalPeriod: null,
          epsEstimate: null,
          revenueEstimate: null,
          analysts: null,
        },
      ],
      provenance,
    );
    market.put(
      "analystCoverage",
      [
        {
          country: "US",
          symbol: "AAPL",
          ratings: [{ month: "2026-11", strongBuy: 0, buy: 10, hold: 0, sell: 0, strongSell: 0 }],
          priceTarget: { low: 90, mean: 121, median: 120, high: 150, analysts: 10 },
          estimates: [],
          actions: Array.from({ length: 7 }, (_, i) => ({
            date: addDays("2026-11-01", -i),
            firm: `Firm ${i}`,
            action: "maintain" as const,
            fromGrade: "Buy",
            toGrade: "Buy",
            priceTarget: 120,
            priorPriceTarget: null,
          })),
        },
      ],
      provenance,
    );
    const result = (quarterEnd: string, reportedOn: string | null, epsEstimate: number | null) => ({
      quarterEnd,
      reportedOn,
      epsActual: 1.5,
      epsEstimate,
    });
    market.put(
      "earningsResults",
      [
        {
          country: "US",
          symbol: "AAPL",
          results: [
            result("2026-03", null, -2),
            result("2026-06", "2026-07-30", 1.6),
            result("2026-09", "2026-10-29", 1.2),
          ],
        },
        { country: "US", symbol: "BRK-B", results: [result("2026-09", "2026-10-29", null)] },
      ],
      provenance,
    );
  });
}
