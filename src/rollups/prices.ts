import { firstAtOrAfter } from "#analytics/adjusted-prices.ts";
import type { FindClose, SessionClose } from "#analytics/performance.ts";
import { type Closes, NO_CLOSES } from "#analytics/price-statistics.ts";
import { isSession } from "#analytics/sessions.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import type { Quote } from "#domain/quote.ts";
import type { RecentCloses } from "#domain/recent-closes.ts";
import { IMPORT, type Provenance } from "#domain/records.ts";
import { isInOtherShares } from "#domain/split.ts";
import { addDays, daysBetween } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/** The newest price of an instrument, from its newest bar or a later quote. */
export interface NewestPrice extends SessionClose {
  readonly previousClose: number | null;
  /** The date of the previous close. For a quote without that stored close, the session before by the calendar. */
  readonly previousDate: string | null;
  readonly volume: number | null;
}

/** The closes of an instrument. All price returns are computed from them. */
export interface Prices {
  /** Null without prices. */
  readonly newest: NewestPrice | null;
  /** The close of the last session at or before a date; null if it is unknown. */
  readonly findClose: FindClose;
  /** The known closes from one date to another, both included. */
  readonly list: (first: string, last: string) => Closes;
  /** The provenances of the stored closes; empty without them. */
  readonly from: readonly Provenance[];
}

/** The closes of an instrument as they are stored. */
export interface StoredPrices extends Prices {
  /** Some of the closes since `first`: at least the newest one, and the last one before each of these days. */
  readonly listBefore: (first: string, days: readonly string[]) => Closes;
}

/** A limit above the number of sessions of any history. */
const ALL = 100_000;

/** Two sources may round the same close differently. */
const ROUNDING = 1e-4;

/**
 * The closes of an instrument: its bars, or its recent closes until it has bars, and a quote if that is
 * newer. The closes between the last stored one and the quote are unknown, unless the quote's previous
 * close is the last stored one. All closes are unknown if the newest price shows a split after them.
 */
export function pricesOf(
  market: MarketStore,
  instrument: StoredInstrument,
  quote: (Quote & Provenance) | null,
): StoredPrices {
  const { id, country, symbol } = instrument;
  const bars = market.bars.findProvenance(id);
  const record = bars ? null : market.documents.find("recentCloses", country, symbol);
  const sessions = bars ? market.bars.listNewest(id, 2) : [];
  const newest = newestPrice(market, instrument, bars, quote, sessions);
  const stored = bars ? storedBars(market, id, sessions[0] ?? null) : recordedCloses(record);
  const { last } = stored;
  const isKnown = newest !== null && last !== null && !isSplitSince(last, newest);
  const isComplete = last !== null && newest !== null && isSameClose(last, newest);
  const isQuoted = newest !== null && !(isKnown && newest.date <= last.date);
  const withQuote = ({ dates, close }: Closes, from: string, to = "9999-12-31"): Closes => {
    if (!isQuoted || newest.date < from || newest.date > to) return { dates, close };
    return { dates: [...dates, newest.date], close: Float64Array.of(...close, newest.close) };
  };
  return {
    newest,
    from: [bars, record, isQuoted ? quote : null].filter((one) => one !== null),
    findClose(date) {
      if (newest === null || date >= newest.date) return newest;
      return isKnown && (isComplete || date <= last.date) ? stored.findClose(date) : null;
    },
    list: (from, to) => withQuote(isKnown ? stored.list(from, to) : NO_CLOSES, from, to),
    listBefore: (first, days) =>
      withQuote(isKnown ? stored.listBefore(first, days) : NO_CLOSES, first),
  };
}

/** True if a quote is in other shares than the last close before it. */
function isSplitSince(last: SessionClose, { date, close, previousClose }: NewestPrice): boolean {
  return date > last.date && isInOtherShares({ price: close, previousClose }, last.close);
}

/** The closes of a source: the last one, and those by date. */
type StoredCloses = Pick<StoredPrices, "findClose" | "list" | "listBefore"> & {
  readonly last: SessionClose | null;
};

function storedBars({ bars }: MarketStore, id: number, last: SessionClose | null): StoredCloses {
  return {
    last,
    listBefore: (first, days) =>
      bars.closesBefore(id, first, last ? [...days, addDays(last.date, 1)] : days),
    findClose: (date) => bars.findAtOrBefore(id, date),
    list: readOnce((from, to) => bars.closes(id, ALL, { from, before: addDays(to, 1) })),
  };
}

/** Reads closes of a range only if the last range that was read does not contain it. */
export function readOnce(read: Prices["list"]): Prices["list"] {
  let held = { from: "", to: "", closes: NO_CLOSES };
  return (from, to) => {
    if (from < held.from || to > held.to) held = { from, to, closes: read(from, to) };
    const { dates, close } = held.closes;
    if (from === held.from && to === held.to) return held.closes;
    const [first, end] = [firstAtOrAfter(dates, from), firstAtOrAfter(dates, addDays(to, 1))];
    return { dates: dates.slice(first, end), close: close.subarray(first, end) };
  };
}

function recordedCloses(record: RecentCloses | null): StoredCloses {
  const { from = "", days = [], closes = [] } = record ?? {};
  const sessionAt = (at: number) => {
    const [day, close] = [days[at], closes[at]];
    return day === undefined || close === undefined ? null : { date: addDays(from, day), close };
  };
  const list: Prices["list"] = (first, to) => {
    const sessions = days
      .flatMap((_, at) => sessionAt(at) ?? [])
      .filter(({ date }) => date >= first && date <= to);
    return {
      dates: sessions.map(({ date }) => date),
      close: Float64Array.from(sessions, ({ close }) => close),
    };
  };
  const last = sessionAt(days.length - 1);
  return {
    last,
    findClose(date) {
      const until = daysBetween(from, date);
      return sessionAt(days.findLastIndex((day) => day <= until));
    },
    list,
    listBefore: (first) => list(first, last?.date ?? first),
  };
}

/**
 * The newest known price, or null. Quotes are ignored for an instrument with imported bars. `sessions`: the two newest
 * bars, newest first.
 */
export function newestPrice(
  market: MarketStore,
  instrument: StoredInstrument,
  barProvenance: Provenance | null,
  quote: Quote | null,
  sessions = barProvenance ? market.bars.listNewest(instrument.id, 2) : [],
): NewestPrice | null {
  const [bar, before] = sessions;
  if (quote && barProvenance?.source !== IMPORT && (!bar || quote.date > bar.date)) {
    const isStored = bar !== undefined && isSameClose(bar, quote);
    const previousDate = isStored ? bar.date : sessionBefore(instrument, quote.date);
    return { ...quote, close: quote.price, previousDate };
  }
  if (!bar) return null;
  return { ...bar, previousClose: before?.close ?? null, previousDate: before?.date ?? null };
}

/** True if a close is the previous close of a quote. */
function isSameClose({ close }: SessionClose, quote: { readonly previousClose: number | null }) {
  return Math.abs((quote.previousClose ?? Number.NaN) / close - 1) < ROUNDING;
}

/** The day of the session before a session, by the calendar of the exchanges with the decrees in `overrides`. */
export function sessionBefore(
  { country, assetType }: Pick<StoredInstrument, "country" | "assetType">,
  date: string,
  overrides: readonly HolidayOverride[] = [],
): string {
  let before = addDays(date, -1);
  if (assetType !== "cryptocurrency")
    while (!isSession(country, before, overrides)) before = addDays(before, -1);
  return before;
}
