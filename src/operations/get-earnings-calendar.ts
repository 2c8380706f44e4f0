import { Type } from "@sinclair/typebox";
import { type AnalystCoverage, EARNINGS_SESSIONS } from "#domain/analyst-coverage.ts";
import { BourseError } from "#domain/errors.ts";
import { SYMBOL_CHARACTERS } from "#domain/instrument.ts";
import { DateOutput, Nullable, StringEnum } from "#domain/schema.ts";
import { dateOf } from "#lib/date.ts";
import type { InputKeywords } from "./decode.ts";
import { newestPrice } from "#rollups/companies.ts";
import { findNearSymbol } from "./instruments.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";

const MAX_TICKERS = 50;
const TICKER = `\\s*[a-z${SYMBOL_CHARACTERS}]{1,20}\\s*`;
const Figure = (description: string) => Nullable(Type.Number({ description }));

export const getEarningsCalendar = defineOperation({
  name: "get_earnings_calendar",
  title: "Earnings calendar",
  description:
    "Upcoming earnings reports of US tickers, soonest first: date, before open or after close, EPS and revenue estimates, market cap. US only. For economic publications use get_macro_calendar.",
  path: "/data/earnings/calendar",
  input: Type.Object({
    tickers: Type.String({
      pattern: `^${TICKER}(,${TICKER}){0,${MAX_TICKERS - 1}}$`,
      maxLength: 1_200,
      description: "1 to 50 US tickers, comma-separated: AAPL,MSFT.",
      upperCase: true,
      example: "AAPL,MSFT",
      expected: `1 to ${MAX_TICKERS} US tickers, comma-separated, such as AAPL,MSFT`,
    } satisfies InputKeywords & Record<string, unknown>),
  }),
  output: Type.Object({
    earnings: Type.Array(
      Type.Object({
        symbol: Type.String(),
        name: Type.String(),
        date: DateOutput("Day of the report, in New York."),
        session: StringEnum(EARNINGS_SESSIONS),
        fiscal_period: Nullable(
          Type.String({
            description:
              "The fiscal quarter: as the company names it, Q2 2026, or the month in which it ends, Jul 2026.",
          }),
        ),
        eps_estimate: Figure("Consensus, in US dollars."),
        revenue_estimate: Figure("Consensus, in US dollars."),
        market_cap: Figure("At the newest close, in US dollars."),
      }),
    ),
    without_date: Type.Array(Type.String(), {
      description: "Known tickers without an upcoming date.",
    }),
    unknown: Type.Array(Type.String(), {
      description: "Tickers that the US market does not know.",
    }),
  }),
  needs: ({ tickers }) => [
    ...countryNeeds(["instruments", "earningsDates"], "US"),
    ...optionalCountryNeeds(["quotes"], "US"),
    // Reports that are further off than the calendar goes, and what analysts expect of revenue.
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
    const asked = symbolsOf(tickers).map((symbol) => ({
      symbol,
      instrument: market.instruments.find({ country: "US", symbol }),
    }));
    const unknown = asked.flatMap(({ symbol, instrument }) => (instrument ? [] : [symbol]));
    if (unknown.length === asked.length) {
      const near = findNearSymbol(market, { country: "US", symbol: unknown[0] ?? "" });
      throw new BourseError("not_found", `Symbol ${unknown.join(", ")} not found in US.`, {
        param: "tickers",
        hint: `${near === null ? "" : `Did you mean ${near}? `}Call list_symbols with country US and a query to find a symbol by name.`,
      });
    }
    const found = asked.flatMap(({ symbol, instrument }) => {
      const record = instrument && market.documents.find("earningsDates", "US", symbol);
      if (!record || record.date < today) return [];
      const coverage = market.documents.find("analystCoverage", "US", symbol);
      const quote = market.documents.find("quotes", "US", symbol);
      const bars = market.bars.findProvenance(instrument.id);
      const price = newestPrice(market, instrument, bars, quote)?.close ?? null;
      return [
        {
          instrument,
          record,
          revenueEstimate: record.revenueEstimate ?? quarterRevenue(coverage, record.date),
          marketCap:
            price !== null && instrument.sharesOutstanding !== null
              ? Math.round(price * instrument.sharesOutstanding)
              : (quote?.marketCap ?? null),
          from: [record, bars, quote, coverage].filter((one) => one !== null),
        },
      ];
    });
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
        without_date: asked.flatMap(({ symbol, instrument }) =>
          instrument && !dated.has(symbol) ? [symbol] : [],
        ),
        unknown,
      },
      from: [
        ...found.flatMap(({ from }) => from),
        ...asked.flatMap(({ instrument }) => (instrument ? [instrument] : [])),
      ],
    };
  },
});

const symbolsOf = (tickers: string) => [
  ...new Set(tickers.split(",").map((ticker) => ticker.trim())),
];

/** The revenue that analysts expect of the quarter that a report on that date is about. */
function quarterRevenue(coverage: AnalystCoverage | null, date: string): number | null {
  const quarter = coverage?.estimates.find(({ period }) => period === "current_quarter");
  return quarter && quarter.periodEnd <= date ? quarter.revenue.average : null;
}
