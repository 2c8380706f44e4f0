import type { Position } from "#analytics/portfolio.ts";
import type { Closes } from "#analytics/price-statistics.ts";
import type { AssetType } from "#domain/instrument.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import type { Provenance } from "#domain/records.ts";
import { multiply } from "#analytics/adjusted-prices.ts";
import { addDays, dateOf } from "#lib/date.ts";
import type { CurrencyRates } from "#rollups/currency-rates.ts";
import { type NewestPrice, type Prices, pricesOf } from "#rollups/prices.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { findAdjuster } from "#operations/adjusted-prices.ts";
import { cashCurrency, type Holding, isCash, parseHoldings } from "#operations/reading/holdings.ts";
import { FIRST_DATE, type PriceRange, rangeStart } from "#operations/reading/price-range.ts";
import { formatKey, resolveSymbols } from "#operations/reading/symbols.ts";
import { findPurchaseFault, type Purchase, purchaseOf } from "./purchases.ts";

/** All holdings of one instrument, or of cash in one currency. */
export interface Line {
  /** `US:AAPL`, or `CASH:USD`. */
  readonly key: string;
  /** Null for cash. */
  readonly instrument: StoredInstrument | null;
  /** ISO code of the currency of its price. */
  readonly currency: string;
  readonly units: number;
  /** What was paid for all units; null if the price paid for some of them is not known. */
  readonly purchases: readonly Purchase[] | null;
  readonly percent: number;
  /** One for each currency; without zeros. */
  readonly amounts: readonly Amount[];
}

interface Amount {
  readonly amount: number;
  readonly currency: string;
}

/** The lines of a portfolio, and the currency in which it is valued. */
export interface Lines {
  readonly lines: readonly Line[];
  readonly currency: string;
  /** What was understood that the caller may not expect. */
  readonly notes: readonly string[];
}

/** Percent below which a rest is rounding. */
const NO_REST = 1e-6;

/**
 * The lines of holdings, each instrument once. Without a currency, it is the common one of all lines, else USD.
 * Weights alone that sum to less than 100 % get the rest in cash.
 *
 * @throws BourseError `not_found` for unknown symbols, `invalid_argument` for weights above 100 %, and for a
 *   purchase that cannot be
 */
export function readLines(
  market: MarketStore,
  text: string,
  { currency: wanted, today }: { readonly currency: string | undefined; readonly today: string },
): Lines {
  const holdings = parseHoldings(text);
  const instruments = findInstruments(market, holdings);
  const currency = wanted ?? commonCurrency(holdings, instruments);
  const lines = new Map<string, Line>();
  for (const holding of holdings) {
    const { quantity, unit } = holding;
    const instrument = instruments.get(holding) ?? null;
    const own = instrument?.currency ?? cashCurrency(holding) ?? currency;
    const key = instrument ? formatKey(instrument) : `CASH:${own}`;
    const known = lines.get(key) ?? { key, instrument, currency: own, ...NOTHING };
    const bought = purchaseOf(holding, own);
    // On a past day, a later purchase was not made yet.
    const paid = market.knownOn !== null && (bought?.date ?? "") > market.knownOn ? null : bought;
    const fault = paid && findPurchaseFault(paid, key, own, today);
    if (fault) throw invalidArgument(fault.message, { param: "holdings", hint: fault.hint });
    lines.set(key, {
      ...known,
      units: known.units + (unit === "shares" ? quantity : 0),
      purchases: known.purchases && paid && [...known.purchases, paid],
      percent: known.percent + (unit === "%" ? quantity : 0),
      amounts:
        unit === "shares" || unit === "%"
          ? known.amounts
          : addAmount(known.amounts, { amount: quantity, currency: unit }),
    });
  }
  const rest = restPercent([...lines.values()]);
  const notes = cashNotes(market, holdings);
  if (rest > NO_REST) {
    const key = `CASH:${currency}`;
    const known = lines.get(key) ?? { key, instrument: null, currency, ...NOTHING };
    lines.set(key, { ...known, percent: known.percent + rest });
    const sum = Math.round(100 * (100 - rest)) / 100;
    notes.push(`The weights sum to ${sum} %: the rest is cash in ${currency}.`);
  }
  return { lines: [...lines.values()], currency, notes };
}

/** Adds an amount to the sum of its currency. An amount of zero is nothing, as zero shares are. */
function addAmount(amounts: readonly Amount[], { amount, currency }: Amount): readonly Amount[] {
  const isSame = (one: Amount) => one.currency === currency;
  const sum = (amounts.find(isSame)?.amount ?? 0) + amount;
  const others = amounts.filter((one) => !isSame(one));
  return sum === 0 ? others : [...others, { amount: sum, currency }];
}

const NOTHING = { units: 0, purchases: [], percent: 0, amounts: [] };

/** @throws BourseError `not_found` with all reasons if a symbol is unknown: sums without it would be wrong */
function findInstruments(
  market: MarketStore,
  holdings: readonly Holding[],
): ReadonlyMap<Holding, StoredInstrument> {
  const found = new Map<Holding, StoredInstrument>();
  const missing: string[] = [];
  for (const holding of holdings) {
    if (isCash(holding)) continue;
    const [instrument] = resolveSymbols(market, holding.symbol).found;
    if (instrument) found.set(holding, instrument);
    else missing.push(holding.symbol);
  }
  if (missing.length === 0) return found;
  const { unknown } = resolveSymbols(market, missing.join(","));
  const reasons = unknown.map(({ symbol, reason }) => `${symbol}: ${reason}`);
  const near = unknown.flatMap(({ closest }) => closest ?? []);
  throw notFound(`A portfolio needs all of its holdings. ${reasons.join(" ")}`, {
    param: "holdings",
    hint:
      near.length > 0
        ? `Did you mean ${near.join(", ")}?`
        : "Call list_symbols with queries to find symbols by name, or leave the holding out.",
  });
}

function commonCurrency(
  holdings: readonly Holding[],
  instruments: ReadonlyMap<Holding, StoredInstrument>,
): string {
  const all = holdings.flatMap((one) => [
    instruments.get(one)?.currency ?? cashCurrency(one) ?? [],
    one.unit === "shares" || one.unit === "%" ? [] : one.unit,
  ]);
  const [first, ...others] = new Set(all.flat());
  // Some commodities are quoted in US cents.
  return first === undefined || others.length > 0 || first === "USX" ? "USD" : first;
}

/** The percent that weights leave. @throws BourseError if they are too many, or nothing is held */
function restPercent(lines: readonly Line[]): number {
  const sum = lines.reduce((all, { percent }) => all + percent, 0);
  const isFixed = ({ units, amounts }: Line) => units !== 0 || amounts.length > 0;
  const hasOthers = lines.some(isFixed);
  if (!hasOthers && lines.every(({ percent }) => percent === 0))
    throw invalidArgument("All holdings are zero. Give one that is not.", { param: "holdings" });
  const limit = hasOthers ? 100 - NO_REST : 100 + NO_REST;
  if (sum > limit) {
    const shown = Math.round(100 * sum) / 100;
    throw invalidArgument(
      hasOthers
        ? `The weights sum to ${shown} %; beside shares and amounts they must sum to less than 100 %.`
        : `The weights sum to ${shown} %, more than 100 %. Borrowed money is negative cash: USD=${Math.round(100 * (100 - sum)) / 100}%.`,
      { param: "holdings" },
    );
  }
  return hasOthers ? 0 : 100 - sum;
}

/** Notes about cash whose name is a symbol too: `VND` is a stock in Viet Nam. */
function cashNotes(market: MarketStore, holdings: readonly Holding[]): string[] {
  return holdings.filter(isCash).flatMap((holding) => {
    const symbol = cashCurrency(holding) ?? "CASH";
    const [country] = market.instruments.listCountries(symbol);
    return country ? `${symbol} is read as cash. For the stock write ${country}:${symbol}.` : [];
  });
}

/** The period of a portfolio. */
export interface Period {
  /** The start date as asked; `FIRST_DATE` for the longest period in which all holdings have prices. */
  readonly start: string;
  /** The newest session of the holdings, or the last one at or before `to`. */
  readonly end: string;
}

/** An instrument with its prices in the currency of the portfolio. */
export interface PricedLine extends Line {
  /** Null for cash. */
  readonly newest: NewestPrice | null;
  /** The newest price in the currency of the portfolio; for cash the rate of `session`. */
  readonly price: number;
  /** From the last close at or before the start of the period to its end. */
  readonly closes: Closes;
  /** The same with reinvested dividends; null if they are unknown. */
  readonly totals: Closes | null;
  /** Why `totals` is null. */
  readonly reason: string | null;
  readonly from: readonly Provenance[];
}

type Asked = { range?: PriceRange | undefined; from?: string | undefined; to?: string | undefined };

/** Reads the newest prices of the instruments. @throws BourseError `not_found` without a price */
export function readPrices(
  market: MarketStore,
  lines: readonly Line[],
): ReadonlyMap<Line, Prices & { readonly newest: NewestPrice }> {
  const all = new Map<Line, Prices & { readonly newest: NewestPrice }>();
  for (const line of lines) {
    const { instrument } = line;
    if (!instrument) continue;
    const { country, symbol } = instrument;
    const prices = pricesOf(market, instrument, market.documents.find("quotes", country, symbol));
    const { newest } = prices;
    if (newest) all.set(line, { ...prices, newest });
    else
      throw notFound(
        `${line.key} has no stored price, so the portfolio has no value. Leave it out, or call again in a minute.`,
        { param: "holdings" },
      );
  }
  return all;
}

/** The newest session of the instruments: the day of the figures at the newest prices. */
export function newestSession(prices: Iterable<{ readonly newest: NewestPrice }>): string {
  return [...prices].reduce((day, { newest }) => (newest.date > day ? newest.date : day), "");
}

/** The period that is asked for. @throws BourseError `invalid_argument` if no holding has a session in it */
export function periodOf(all: Iterable<Prices>, { range, from, to }: Asked): Period {
  const prices = [...all];
  const ends = prices.flatMap(
    ({ newest, findClose }) => (to === undefined ? newest : findClose(to))?.date ?? [],
  );
  const end = ends.toSorted().at(-1);
  if (end === undefined || (from !== undefined && from > end)) {
    const newest = prices.flatMap((one) => one.newest?.date ?? []).toSorted();
    throw invalidArgument(
      `There is no session of these holdings in this period. Their prices end on ${newest.at(-1)}.`,
      { param: from === undefined ? "to" : "from" },
    );
  }
  const start = from ?? rangeStart(range ?? "1y", end);
  if (start !== FIRST_DATE) return { start, end };
  // The longest period in which all holdings have prices.
  const begins = prices.flatMap(({ list }) => list(FIRST_DATE, end).dates[0] ?? []);
  return { start: begins.toSorted().at(-1) ?? end, end };
}

/** Reads the closes of a line in the period, and converts them at the rate of each day. */
export function priceLine(
  market: MarketStore,
  line: Line & { readonly instrument: StoredInstrument },
  prices: Prices & { readonly newest: NewestPrice },
  { period, rates, currency, now }: PriceInputs,
): PricedLine {
  const { instrument, currency: own } = line;
  const before = prices.findClose(period.start);
  const local = prices.list(before?.date ?? period.start, period.end);
  const { adjuster, reason } = findAdjuster("total", {
    market,
    instrument,
    // The dividends of the period need no other closes.
    allCloses: () => local,
    today: dateOf(now),
  });
  const convert = converter(local.dates, rates, own, currency);
  const { newest } = prices;
  const rate = own === currency ? 1 : rates.findOn(own, currency, newest.date);
  if (rate === null) refuseRate(own, currency);
  return {
    ...line,
    newest,
    price: newest.close * rate,
    closes: convert(local),
    totals: adjuster && convert(adjuster.closes(local)),
    reason: reason && reason.replace(/ Leave adjust out .*$/s, ""),
    from: [...prices.from, ...(adjuster?.from ?? [])],
  };
}

/** What prices are read with. */
export interface PriceInputs {
  readonly period: Period;
  /** See `newestSession`. */
  readonly session: string;
  readonly rates: CurrencyRates;
  readonly currency: string;
  /** UTC milliseconds. */
  readonly now: number;
}

/** Cash as a line with a price: its rate on each of these dates. It bears no interest. */
export function priceCash(
  line: Line,
  dates: readonly string[],
  { rates, currency, session }: PriceInputs,
): PricedLine {
  const all = { dates, close: new Float64Array(dates.length).fill(1) };
  const price = line.currency === currency ? 1 : rates.findOn(line.currency, currency, session);
  if (price === null) refuseRate(line.currency, currency);
  const closes = converter(dates, rates, line.currency, currency)(all);
  return { ...line, newest: null, price, closes, totals: closes, reason: null, from: [] };
}

/** Converts closes on these dates. Days before the first rate are left out. */
function converter(
  dates: readonly string[],
  rates: CurrencyRates,
  from: string,
  to: string,
): (closes: Closes) => Closes {
  if (from === to) return (closes) => closes;
  const all = rates.list(from, to, dates);
  const first = all.findIndex((rate) => !Number.isNaN(rate));
  const start = first < 0 ? all.length : first;
  return ({ close }) => ({ dates: dates.slice(start), close: multiply(close, all).slice(start) });
}

function refuseRate(from: string, to: string): never {
  throw notFound(`No rate from ${from} to ${to} is stored. Choose another currency.`, {
    param: "currency",
  });
}

/** The positions of lines at the rates of a day. */
export function positionsOf(
  lines: readonly Line[],
  { rates, currency }: PriceInputs,
  date: string,
): Position[] {
  return lines.map(({ units, percent, amounts }) => ({
    units,
    percent,
    amount: amounts.reduce<number | null>((sum, one) => {
      const rate = one.currency === currency ? 1 : rates.findOn(one.currency, currency, date);
      return rate === null ? refuseRate(one.currency, currency) : (sum ?? 0) + one.amount * rate;
    }, null),
  }));
}

/** The type of a line: its instrument's, or `cash`. */
export const typeOf = ({ instrument }: Line): AssetType | "cash" => instrument?.assetType ?? "cash";

/** Days after which a carried close is mentioned. */
const STALE_DAYS = 7;

/** What the caller must know about the prices of a line; null without anything. */
export function noteOf(line: PricedLine, first: string, end: string): string | null {
  const { key, instrument, newest, closes, units } = line;
  if (!instrument || !newest) return null;
  if (instrument.assetType === "index" && units !== 0)
    return `${key} is an index: a point counts as one ${line.currency}.`;
  const [begins] = closes.dates;
  if (begins !== undefined && begins > first)
    return `${key} begins on ${begins}: until then its part is held as cash. For the period of all holdings use from=${begins} or range=max.`;
  const last = closes.dates.at(-1) ?? newest.date;
  if (instrument.delistedAt !== undefined || last < addDays(end, -STALE_DAYS))
    return `${key}${instrument.delistedAt === undefined ? "" : " is delisted"}: its last close, of ${last}, is carried.`;
  return null;
}
