import { Type } from "@sinclair/typebox";
import { EARNINGS_SESSIONS } from "#domain/analyst-coverage.ts";
import { BourseError } from "#domain/errors.ts";
import { SYMBOL_CHARACTERS } from "#domain/instrument.ts";
import { Nullable, StringEnum } from "#domain/schema.ts";
import { closest } from "#lib/closest.ts";
import { dateOf } from "#lib/date.ts";
import type { InputKeywords } from "./decode.ts";
import { countryNeeds } from "./needs.ts";
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
      expected: `1 to ${MAX_TICKERS} US tickers, comma-separated, such as AAPL,MSFT`,
    } satisfies InputKeywords & Record<string, unknown>),
  }),
  output: Type.Object({
    earnings: Type.Array(
      Type.Object({
        symbol: Type.String(),
        name: Type.String(),
        date: Type.String(),
        session: StringEnum(EARNINGS_SESSIONS),
        fiscal_period: Nullable(Type.String()),
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
  needs: () => countryNeeds(["instruments", "earningsDates"], "US"),
  handle({ tickers }, { market, now }) {
    const today = dateOf(now);
    const asked = [...new Set(tickers.split(",").map((ticker) => ticker.trim()))].map((symbol) => ({
      symbol,
      instrument: market.instruments.find({ country: "US", symbol }),
    }));
    const unknown = asked.flatMap(({ symbol, instrument }) => (instrument ? [] : [symbol]));
    if (unknown.length === asked.length) {
      const near = closest(unknown[0] ?? "", market.instruments.listSymbols("US"));
      throw new BourseError("not_found", `Symbol ${unknown.join(", ")} not found in US.`, {
        param: "tickers",
        hint: `${near === null ? "" : `Did you mean ${near}? `}Call list_symbols with country US and a query to find a symbol by name.`,
      });
    }
    const found = asked.flatMap(({ symbol, instrument }) => {
      const record = instrument && market.documents.find("earningsDates", "US", symbol);
      return record && record.date >= today ? [{ instrument, record }] : [];
    });
    const dated = new Set(found.map(({ instrument }) => instrument.symbol));
    return {
      data: {
        earnings: found
          .sort((a, b) => a.record.date.localeCompare(b.record.date))
          .map(({ instrument, record }) => {
            const [quote] = market.bars.listNewest(instrument.id, 1);
            return {
              symbol: instrument.symbol,
              name: instrument.name,
              date: record.date,
              session: record.session,
              fiscal_period: record.fiscalPeriod,
              eps_estimate: record.epsEstimate,
              revenue_estimate: record.revenueEstimate,
              market_cap:
                quote && instrument.sharesOutstanding !== null
                  ? Math.round(quote.close * instrument.sharesOutstanding)
                  : null,
            };
          }),
        without_date: asked.flatMap(({ symbol, instrument }) =>
          instrument && !dated.has(symbol) ? [symbol] : [],
        ),
        unknown,
      },
      from: [
        ...found.map(({ record }) => record),
        ...asked.flatMap(({ instrument }) => (instrument ? [instrument] : [])),
      ],
    };
  },
});
