import type { AssetType } from "#domain/instrument.ts";
import { mapInTurns } from "#lib/next-turn.ts";
import { type Cell, cellText } from "#lib/table.ts";
import { type Figures, getFigures, ratioOf } from "./company.ts";
import { type CallOperation, type FeedBody, type FeedRequest, jsonBody } from "./layer.ts";
import { findOpen } from "./market-hours.ts";
import { pairOf } from "./notation.ts";
import {
  changeOf,
  getParameter,
  getSymbols,
  listBars,
  listFound,
  orNone,
  type Prices,
  pricesByDate,
} from "./request.ts";
import { describe, getListed, PRICE_HINT, type YahooInstrument } from "./yahoo-instrument.ts";

/** Figures of ours by Yahoo's names. A name with `%` is a ratio there, and a percent number here. */
export type Names = Readonly<Record<string, string>>;

/** The figures of a quote that are not of its session. */
const QUOTE: Names = {
  fiftyTwoWeekLow: "low_52w",
  fiftyTwoWeekHigh: "high_52w",
  marketCap: "market_cap",
  trailingPE: "pe",
  forwardPE: "forward_pe",
  priceToBook: "pb",
  epsTrailingTwelveMonths: "eps",
  sharesOutstanding: "shares_outstanding",
  trailingAnnualDividendRate: "dividend_per_share",
  trailingAnnualDividendYield: "dividend_yield%",
};
/** Yahoo's names of the markets without an exchange of a country. */
const MARKETS: Readonly<Partial<Record<AssetType, string>>> = {
  currency: "ccy",
  cryptocurrency: "ccc",
  commodity: "us24",
};
/** Closes are of days, so a price can be as old, in minutes. */
const DAY_MINUTES = 1_440;
const MAX_FOUND = 100;
/** `change_percent` has two decimals. */
const CHANGE_ROUNDING = 0.0051;

/** What is known of the fields; unknown ones are left out. */
export function known<T>(fields: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The metrics behind those names, and the change of the newest session. */
export const metricsOf = (...names: readonly Names[]): string[] => [
  ...new Set(names.flatMap((one) => Object.values(one)).map((name) => name.replace("%", ""))),
  "change_percent",
];

/** The known figures by Yahoo's names. */
export function figuresOf(names: Names, figures: Figures): Readonly<Record<string, Cell>> {
  return known<Cell>(
    Object.fromEntries(
      Object.entries(names).map(([theirs, ours]) => {
        const figure = figures.get(ours.replace("%", "")) ?? null;
        return [theirs, ours.endsWith("%") ? ratioOf(figure) : figure];
      }),
    ),
  );
}

/** The newest session of an instrument, and what changed since the one before. */
export interface NewestSession {
  readonly prices: Prices | null;
  readonly previousClose: number | null;
  readonly change: number | null;
  readonly changePercent: number | null;
}

/** The newest session of an instrument. @throws BourseError */
export async function findNewest(
  call: CallOperation,
  { instrument }: YahooInstrument,
  figures: Figures,
): Promise<NewestSession> {
  const { price, session } = instrument;
  const bars = [
    ...pricesByDate(await orNone(listBars(call, instrument, { limit: 2 }))),
  ].toReversed();
  // A session that is still open has a price and no bar.
  const hasBar = bars[0]?.[0] === session;
  const before = bars[hasBar ? 1 : 0]?.[1].close ?? null;
  const percent = Number(figures.get("change_percent") ?? Number.NaN);
  const exact = price !== null && before ? (price / before - 1) * 100 : Number.NaN;
  // Other sessions may be between the newest bar and this price.
  const isNext = Math.abs(exact - percent) < CHANGE_ROUNDING;
  return {
    prices: hasBar ? (bars[0]?.[1] ?? null) : null,
    previousClose: isNext ? before : null,
    change: isNext ? changeOf(price, before) : null,
    changePercent: isNext ? Number(exact.toFixed(6)) : Number.isFinite(percent) ? percent : null,
  };
}

/** Whether an instrument trades now; `CLOSED` also where its hours are unknown. */
export async function marketStateOf(
  request: Pick<FeedRequest, "call" | "now">,
  { instrument, type }: YahooInstrument,
): Promise<"REGULAR" | "CLOSED"> {
  return (await findOpen(request, instrument.country, type)) ? "REGULAR" : "CLOSED";
}

/** The two sides of a pair, as Yahoo names them; both null for another instrument. */
export function sidesOf({ type, instrument }: YahooInstrument) {
  const pair = type === "cryptocurrency" ? pairOf(instrument.symbol) : null;
  return { fromCurrency: pair?.base ?? null, toCurrency: pair && `${pair.quote}=X` };
}

/** The quotes of several symbols, in their order. Unknown symbols are left out, as Yahoo leaves them out. */
export async function answerQuotes(request: FeedRequest): Promise<FeedBody> {
  const symbols = getSymbols(request.query);
  const quotes = await mapInTurns([...new Set(symbols)], async (symbol) => {
    const listed = await orNone(getListed(request, symbol));
    return listed === null ? [] : [await toQuote(request, listed)];
  });
  return jsonBody({ quoteResponse: { result: quotes.flat(), error: null } });
}

async function toQuote(request: FeedRequest, listed: YahooInstrument) {
  const { instrument, type, zone, session, quoteType } = listed;
  const found = await getFigures(request.call, instrument, metricsOf(QUOTE));
  const newest = await findNewest(request.call, listed, found);
  const { prices, previousClose, change, changePercent } = newest;
  const figures = figuresOf(QUOTE, found);
  const range = (low: Cell = null, high: Cell = null) =>
    low === null || high === null ? null : `${cellText(low)} - ${cellText(high)}`;
  const market = zone?.toLowerCase() ?? MARKETS[type];
  return known({
    language: "en-US",
    region: "US",
    quoteType,
    typeDisp: listed.typeDisp,
    quoteSourceName: "Delayed Quote",
    triggerable: false,
    currency: listed.currency,
    marketState: await marketStateOf(request, listed),
    tradeable: false,
    exchange: listed.exchange,
    fullExchangeName: listed.exchange,
    shortName: instrument.name,
    longName: instrument.name,
    exchangeTimezoneName: session.timeZone,
    exchangeTimezoneShortName: session.zoneName,
    gmtOffSetMilliseconds: session.gmtoffset * 1000,
    market: `${market}_market`,
    esgPopulated: false,
    sourceInterval: DAY_MINUTES,
    exchangeDataDelayedBy: DAY_MINUTES,
    priceHint: PRICE_HINT,
    regularMarketPrice: instrument.price,
    regularMarketTime: instrument.session && session.pricedAt,
    regularMarketChange: change,
    regularMarketChangePercent: changePercent,
    regularMarketOpen: prices?.open ?? null,
    regularMarketDayHigh: prices?.high ?? null,
    regularMarketDayLow: prices?.low ?? null,
    regularMarketDayRange: range(prices?.low, prices?.high),
    regularMarketVolume: prices?.volume ?? null,
    regularMarketPreviousClose: previousClose,
    fiftyTwoWeekRange: range(figures["fiftyTwoWeekLow"], figures["fiftyTwoWeekHigh"]),
    ...figures,
    ...(type === "cryptocurrency" && sidesOf(listed)),
    // A future of Yahoo's notation names no month.
    ...(type === "commodity" && { contractSymbol: false }),
    symbol: listed.symbol,
  });
}

/** Symbols by text. There are no news and no lists. */
export async function answerSearch({ query, call }: FeedRequest): Promise<FeedBody> {
  const count = Number(query.get("quotesCount") ?? 6);
  const limit = Math.min(Math.max(1, Number.isInteger(count) ? count : 6), MAX_FOUND);
  const found =
    count === 0 ? [] : await listFound(call, { query: getParameter(query, "q") }, limit);
  const quotes = found.map(({ name, ...one }, i) => ({
    ...describe(one),
    exchDisp: describe(one).exchange,
    shortname: name,
    longname: name,
    index: "quotes",
    isYahooFinance: true,
    // The order is what is known.
    score: found.length - i,
  }));
  const parts =
    "Quotes News Algowatchlist PredefinedScreener Crunchbase Nav ResearchReports ScreenerField CulturalAssets SearchLists";
  return jsonBody({
    explains: [],
    count: quotes.length,
    quotes,
    news: [],
    nav: [],
    lists: [],
    researchReports: [],
    totalTime: 0,
    ...Object.fromEntries(parts.split(" ").map((part) => [`timeTakenFor${part}`, 0])),
  });
}
