import { Type } from "@sinclair/typebox";
import { type AnalystCoverage, EARNINGS_SESSIONS } from "#domain/analyst-coverage.ts";
import { BourseError } from "#domain/errors.ts";
import { DateOutput, FigureOutput, Nullable, StringEnum } from "#domain/schema.ts";
import { dateOf } from "#lib/date.ts";
import { newestPrice } from "#rollups/companies.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { InputKeywords } from "./decode.ts";
import { marketCapOf } from "./instruments.ts";
import { findNear } from "./near-symbols.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";
import { parseSymbol } from "./symbols.ts";

const MAX_TICKERS = 50;

export const getEarningsCalendar = defineOperation({
  name: "get_earnings_calendar",
  title: "Earnings calendar",
  description:
    "Lists the next earnings report of each US ticker, soonest first: date, session (before open or after close), EPS and revenue estimates, market cap. US only. For economic publications use get_macro_calendar.",
  path: "/data/earnings/calendar",
  input: Type.Object({
    tickers: Type.String({
      minLength: 1,
      maxLength: 1_200,
      description: "1 to 50 US tickers, comma-separated: AAPL,MSFT.",
      upperCase: true,
      maxItems: MAX_TICKERS,
      accepts: (list: string) => list.split(",").every((ticker) => parseSymbol(ticker) !== null),
      example: "AAPL,MSFT",
      expected: `1 to ${MAX_TICKERS} US tickers, comma-separated, such as AAPL,MSFT`,
    } satisfies InputKeywords & Record<string, unknown>),
  }),
  output: Type.Object({
    earnings: Type.Array(
      Type.Object({
        symbol: Type.String({ description: "Ticker: AAPL." }),
        name: Type.String({ description: "Name of the company: Apple Inc." }),
        date: DateOutput("Date of the report in New York, YYYY-MM-DD."),
        session: StringEnum(EARNINGS_SESSIONS, { description: "Time of day of the report." }),
        fiscal_period: Nullable(
          Type.String({
            description:
              "Reported fiscal quarter by the company's own name, Q2 2026, or by the month in which it ends, Jul 2026.",
          }),
        ),
        eps_estimate: FigureOutput("Consensus of earnings per share in US dollars: 1.43."),
        revenue_estimate: FigureOutput("Consensus of revenue in US dollars: 89300000000."),
        market_cap: FigureOutput("Market cap at the newest close in US dollars: 3010000000000."),
      }),
    ),
    without_date: Type.Array(Type.String(), {
      description: "Known tickers without a date of the next report.",
    }),
    unknown: Type.Array(Type.String(), {
      description: "Tickers that do not exist in the US.",
    }),
  }),
  needs: ({ tickers }) => [
    ...countryNeeds(["instruments", "earningsDates"], "US"),
    ...optionalCountryNeeds(["quotes"], "US"),
    // Report dates beyond the calendar, and revenue estimates.
    ...symbolsOf(tickers).flatMap((symbol) =>
      (["earningsDates", "analystCoverage"] as const).map((kind) => ({
        kind,
        country: "US" as const,
        symbol,
        optional: true as const,
      })),
    ),
  ],
  handle({ tickers }, { market, now }) {
    const today = dateOf(now);
    const requested = symbolsOf(tickers).map((symbol) => ({
      symbol,
      instrument: market.instruments.find({ country: "US", symbol }),
    }));
    const unknown = requested.flatMap(({ symbol, instrument }) => (instrument ? [] : [symbol]));
    if (unknown.length === requested.length) {
      const suggestion = findNear(market, unknown[0] ?? "", ["US"])?.symbol ?? null;
      throw new BourseError("not_found", `Symbol ${unknown.join(", ")} not found in US.`, {
        param: "tickers",
        hint: `${suggestion === null ? "" : `Did you mean ${suggestion}? `}Call list_symbols with country US and a query to find a symbol by name.`,
      });
    }
    const found = requested.flatMap(
      ({ instrument }) => (instrument && nextReport(market, instrument, today)) ?? [],
    );
    const dated = new Set(found.map(({ instrument }) => instrument.symbol));
    return {
      data: {
        earnings: found
          .sort((a, b) => a.record.date.localeCompare(b.record.date))
          .map(({ instrument, record, revenueEstimate, marketCap }) => ({
            symbol: instrument.symbol,
            name: instrument.name,
            date: record.date,
            session: record.session,
            fiscal_period: record.fiscalPeriod,
            eps_estimate: record.epsEstimate,
            revenue_estimate: revenueEstimate,
            market_cap: marketCap,
          })),
        without_date: requested.flatMap(({ symbol, instrument }) =>
          instrument && !dated.has(symbol) ? [symbol] : [],
        ),
        unknown,
      },
      from: [
        ...found.flatMap(({ from }) => from),
        ...requested.flatMap(({ instrument }) => (instrument ? [instrument] : [])),
      ],
    };
  },
});

/** The next report of a US instrument on or after `today`, or null without a known date. */
function nextReport(market: MarketStore, instrument: StoredInstrument, today: string) {
  const { id, symbol } = instrument;
  const record = market.documents.find("earningsDates", "US", symbol);
  if (!record || record.date < today) return null;
  const coverage = market.documents.find("analystCoverage", "US", symbol);
  const quote = market.documents.find("quotes", "US", symbol);
  const bars = market.bars.findProvenance(id);
  const price = newestPrice(market, instrument, bars, quote)?.close ?? null;
  return {
    instrument,
    record,
    revenueEstimate: record.revenueEstimate ?? quarterRevenue(coverage, record.date),
    marketCap: marketCapOf(instrument, price, quote),
    from: [record, bars, quote, coverage].filter((one) => one !== null),
  };
}

const symbolsOf = (tickers: string) => tickers.split(",");

/** The revenue estimate for the quarter that a report on that date covers; null if unknown. */
function quarterRevenue(coverage: AnalystCoverage | null, date: string): number | null {
  const quarter = coverage?.estimates.find(({ period }) => period === "current_quarter");
  return quarter && quarter.periodEnd <= date ? quarter.revenue.average : null;
}
