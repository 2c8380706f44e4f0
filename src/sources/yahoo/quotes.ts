import { type Static, Type } from "@sinclair/typebox";
import type { Instrument } from "#domain/instrument.ts";
import { isShare } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { Nullable } from "#domain/schema.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import {
  datesIn,
  Epoch,
  Figure,
  figureOf,
  isIn,
  positiveOf,
  priceOf,
  resultsOf,
  Text,
  unitsPerCurrency,
} from "./answer.ts";
import { volumeOf } from "./bars.ts";
import { askWithSession } from "./session.ts";
import { YAHOO, YAHOO_API } from "./source.ts";
import { instrumentOf, yahooSymbol } from "./symbol.ts";

const QuoteRow = Type.Object({
  symbol: Type.String(),
  quoteType: Text,
  shortName: Text,
  longName: Text,
  currency: Text,
  /** The currency of the company's statements and of the figures per share that are computed from them. */
  financialCurrency: Text,
  exchangeTimezoneName: Text,
  regularMarketTime: Type.Optional(Nullable(Epoch)),
  regularMarketPrice: Figure,
  regularMarketPreviousClose: Figure,
  regularMarketVolume: Figure,
  marketCap: Figure,
  sharesOutstanding: Figure,
  epsTrailingTwelveMonths: Figure,
  priceToBook: Figure,
  trailingAnnualDividendYield: Figure,
});
/** One instrument of a quote or screener answer. */
export type QuoteRow = Static<typeof QuoteRow>;

/** Reads one instrument of a quote or screener answer. */
export const readQuoteRow = answerReader(YAHOO, QuoteRow);

/** The newest price of one instrument, also during an open session, with its valuation. */
export const yahooQuote = defineFetcher({
  kind: "quotes",
  source: YAHOO,
  countries: ["US", "JP", "VN"],
  scope: "instrument",
  async fetch(query, client) {
    const symbol = encodeURIComponent(yahooSymbol(instrumentOf(query)));
    const answer = await askWithSession(client, `${YAHOO_API}/v7/finance/quote?symbols=${symbol}`);
    return answer.json();
  },
  transform(answer: unknown, query) {
    const instrument = instrumentOf(query);
    const symbol = yahooSymbol(instrument);
    const row = resultsOf(answer, "quoteResponse")
      .map(readQuoteRow)
      .find((candidate) => candidate.symbol.toUpperCase() === symbol);
    if (row === undefined) throw YAHOO.error("nothing", "it does not know the symbol");
    if (positiveOf(row.regularMarketPrice) === null) {
      throw YAHOO.error("nothing", "it has no price of the symbol");
    }
    const quote = quoteOf(row, instrument);
    if (quote === null) {
      throw YAHOO.error("invalid_answer", "the quote has no date");
    }
    return [quote];
  },
});

/**
 * The quote in a row; null if it has no price or no time. Earnings, book value and yield are null
 * for instruments that do not trade in shares. Earnings are per traded share, in the currency
 * of its price. Book value and yield are null for a company that reports in another currency, because
 * Yahoo divides one currency by the other.
 *
 * @throws SourceError `invalid_answer` if it is in another currency than the instrument
 */
export function quoteOf(
  row: QuoteRow,
  instrument: Pick<Instrument, "country" | "symbol" | "assetType" | "currency">,
): Quote | null {
  const { country, symbol } = instrument;
  const price = positiveOf(row.regularMarketPrice);
  const time = row.regularMarketTime ?? null;
  if (price === null || time === null || !row.exchangeTimezoneName) return null;
  const perCurrency = unitsPerCurrency(row.currency, instrument);
  const previousClose = positiveOf(row.regularMarketPreviousClose);
  const hasOneCurrency = isIn(instrument.currency, row.financialCurrency);
  const perShare = (figure: Static<typeof Figure> | undefined) =>
    isShare(instrument.assetType) ? figureOf(figure) : null;
  const dividendYield = hasOneCurrency ? perShare(row.trailingAnnualDividendYield) : null;
  return {
    country,
    symbol,
    date: datesIn(row.exchangeTimezoneName)(time),
    price: priceOf(price, perCurrency),
    previousClose: previousClose === null ? null : priceOf(previousClose, perCurrency),
    volume: volumeOf(figureOf(row.regularMarketVolume), instrument),
    marketCap: positiveOf(row.marketCap),
    epsTtm: perShare(row.epsTrailingTwelveMonths),
    priceToBook: hasOneCurrency ? perShare(row.priceToBook) : null,
    dividendYieldPercent: dividendYield === null ? null : 100 * dividendYield,
  };
}
