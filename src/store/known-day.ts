import { vintagesOn } from "#domain/macro-vintages.ts";
import type { Provenance, RecordKind, RecordOf } from "#domain/records.ts";
import { addDays, DAY_MS } from "#lib/date.ts";

/** A past day at whose end a market is read. */
export interface KnownDay {
  /** The UTC date, `YYYY-MM-DD`. */
  readonly day: string;
  /** The last moment of the day, UTC milliseconds. */
  readonly endsAt: number;
}

/** The day of that UTC date. */
export function knownDay(day: string): KnownDay {
  return { day, endsAt: Date.parse(day) + DAY_MS - 1 };
}

/** What was known of a record on a day; null if nothing was. The record is in the shares of that day. */
export type Rewind<K extends RecordKind> = (
  record: RecordOf<K> & Provenance,
  known: KnownDay,
) => (RecordOf<K> & Provenance) | null;

/** For records whose figures name no day: they are known from the moment they were stored. */
const sinceStored = <T extends Provenance>(record: T, { endsAt }: KnownDay): T | null =>
  record.storedAt <= endsAt ? record : null;

/** How each kind of document is read as known on a day. */
export const REWINDS = {
  // Its price is of its session. The other figures name no day: a report after the session is in the earnings.
  quotes(quote, { day, endsAt }) {
    if (quote.date > day || quote.storedAt <= endsAt) return quote.date <= day ? quote : null;
    const unknown = { marketCap: null, epsTtm: null, priceToBook: null };
    return { ...quote, ...unknown, dividendYieldPercent: null };
  },
  recentCloses(record, { day }) {
    const count = record.days.filter((days) => addDays(record.from, days) <= day).length;
    if (count === 0) return null;
    return { ...record, days: record.days.slice(0, count), closes: record.closes.slice(0, count) };
  },
  dividends: (record, { day }) => ({
    ...record,
    dividends: record.dividends.filter(({ exDate }) => exDate <= day),
  }),
  splits: (record, { day }) => ({
    ...record,
    splits: record.splits.filter(({ exDate }) => exDate <= day),
  }),
  // A report without a day is known from the day on which it was stored.
  earningsResults: (record, { day, endsAt }) => ({
    ...record,
    results: record.results.filter(({ reportedOn }) =>
      reportedOn === null ? record.storedAt <= endsAt : reportedOn <= day,
    ),
  }),
  companyForecasts: (record, { day }) => ({
    ...record,
    forecasts: record.forecasts.filter(({ announcedOn }) => announcedOn <= day),
  }),
  foreignTrades: (record, { day }) => (record.date <= day ? record : null),
  filings: (record, { day }) => ({
    ...record,
    filings: record.filings.filter(({ filedOn }) => filedOn <= day),
  }),
  // The figure of a month is its last one, so it is known after the month.
  indexPe: (record, { day }) => (isOver(record.month, day) ? record : null),
  // A decree is known from its day on, or from the day on which it was stored.
  holidayOverrides: (record, known) =>
    record.date <= known.day ? record : sinceStored(record, known),
  // Targets and estimates name no day. Actions do, and the ratings of a month are known after it.
  analystCoverage(record, known) {
    if (record.storedAt <= known.endsAt) return record;
    const ratings = record.ratings.filter(({ month }) => isOver(month, known.day));
    const actions = record.actions.filter(({ date }) => date <= known.day);
    if (ratings.length + actions.length === 0) return null;
    return { ...record, ratings, actions, priceTarget: null, estimates: [] };
  },
  earningsDates: sinceStored,
  macroVintages: (record, { day }) => {
    const known = vintagesOn(record, day);
    return known && { ...record, ...known };
  },
  // Without vintages: see `DocumentStore`.
  macroSeries: sinceStored,
  // Without vintages: see `DocumentStore`.
  macroForecasts: sinceStored,
  forecastVintages: (record, { day }) => {
    const vintages = record.vintages.filter(({ since }) => since <= day);
    return vintages.length > 0 ? { ...record, vintages } : null;
  },
  // Of an event that is over, its schedule and its figure are known.
  calendarEvents: (event, known) => (event.date <= known.day ? event : sinceStored(event, known)),
} satisfies { readonly [K in RecordKind]?: Rewind<K> };

/** True if a month, `YYYY-MM`, has ended by the end of a day. */
const isOver = (month: string, day: string): boolean => addDays(day, 1).slice(0, 7) > month;
