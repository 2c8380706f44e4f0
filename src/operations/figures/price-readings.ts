import { changePercent } from "#analytics/performance.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { type Adjustment, ADJUSTMENTS } from "#domain/split.ts";
import { addDays, daysBetween } from "#lib/date.ts";
import { roundMetric } from "#panels/metrics.ts";
import { formatKey } from "#operations/reading/symbols.ts";
import type { NewestPrice } from "#rollups/prices.ts";
import type { WrittenPeriod } from "#operations/reading/written-periods.ts";
import type { ClaimedCompany } from "./company-readings.ts";
import type { BarField, FigureName } from "./figure-name.ts";
import type { Reading, Readings } from "./reading.ts";

/** A price is the one of the last session at or before a day, if that was not longer ago. Holidays are shorter. */
const MAX_AGE_DAYS = 14;
/** Sessions before and after a day among which the one that a claim means is looked for. */
const NEIGHBOURS = 5;
const ADJUSTED: Readonly<Record<Adjustment, string>> = {
  split: "adjusted for splits",
  none: "as traded, before later splits",
  total: "adjusted for dividends too",
};

/** What a price, a volume or a day's change can mean at a time in the past. */
export function readPastPrice(
  company: ClaimedCompany,
  { field, adjustments }: Pick<FigureName, "field" | "adjustments">,
  period: WrittenPeriod,
): Readings {
  const { market, instrument, today } = company;
  if (period.from > today) return { all: [], reason: `${period.from} is in the future.` };
  const end = period.to > today ? today : period.to;
  const { newest } = company.metrics();
  const bars = market.bars.series(instrument.id, NEIGHBOURS + 1, { before: addDays(end, 1) });
  const date = bars.dates.at(-1);
  // A quote can be newer than the stored bars.
  if (newest !== null && newest.date <= end && newest.date > (date ?? "")) {
    const reading = quoted(company, newest, field);
    return period.unit === "day"
      ? { all: [reading] }
      : { all: [{ ...reading, isPart: true }], reason: nameDay(newest.date) };
  }
  if (date === undefined || daysBetween(date, end) > MAX_AGE_DAYS)
    return { all: [], reason: whyNoSession(company, end) };
  const isPart = period.unit !== "day" && { isPart: true };
  const adjusted = (areOpen: boolean) =>
    listAdjusted(company, bars, { field, adjustments }, areOpen).map((one) => ({
      ...one,
      ...isPart,
    }));
  return {
    all: adjusted(true),
    reason: nameDay(date),
    others: () => [
      ...adjusted(false),
      ...listNear(company, bars, field, date).map((one) => ({ ...one, isOpen: false })),
    ],
  };
}

const nameDay = (date: string) => `Name a day: ${date} is the last session of that time.`;

/** The figure of a quote. Of the prices of its session, it has only the close. */
function quoted(company: ClaimedCompany, newest: NewestPrice, field: BarField | null): Reading {
  const known: Partial<Record<BarField, number | null>> = newest;
  const value = field === null ? company.metrics().changePercent : (known[field] ?? null);
  return { ...readingOf(value, field, company, newest.date), why: () => "not_stored" };
}

/** The figure of the last of some sessions by each adjustment that the claim leaves open, or by the others. */
function listAdjusted(
  company: ClaimedCompany,
  bars: BarSeries,
  { field, adjustments }: Pick<FigureName, "field" | "adjustments">,
  areOpen: boolean,
): Reading[] {
  const open = adjustments ?? ["split", "none"];
  return ADJUSTMENTS.flatMap((one) => {
    if (field === null && one !== "split") return [];
    const isOpen = open.includes(one);
    const adjuster = isOpen === areOpen ? company.adjusterOf(one) : null;
    if (adjuster === null) return [];
    // The name of the figure says which prices are meant, or split-adjusted ones are usual.
    const as = isOpen && (one === "split" || open.length === 1) ? null : ADJUSTED[one];
    return [{ ...atSession(company, adjuster.bars(bars), field, -1), as, isOpen }];
  });
}

/** The other prices of the last of some sessions, and the figures of the sessions around it. */
function listNear(
  company: ClaimedCompany,
  bars: BarSeries,
  field: BarField | null,
  date: string,
): Reading[] {
  const { market, instrument } = company;
  const around = market.bars.series(instrument.id, 2 * NEIGHBOURS + 1, {
    before: addDays(date, 2 * NEIGHBOURS),
  });
  return [
    ...FIELDS.filter((one) => one !== field).map((one) => ({
      ...atSession(company, bars, one, -1),
      as: `the ${one} of the day`,
    })),
    ...around.dates.map((_, i) => atSession(company, around, field, i)),
  ];
}

const FIELDS = ["close", "open", "high", "low"] as const satisfies readonly BarField[];

/** A field of a session, or without one its change; `place` as in `Array.at`. */
function atSession(
  company: ClaimedCompany,
  bars: BarSeries,
  field: BarField | null,
  place: number,
): Reading {
  const at = place < 0 ? bars.dates.length + place : place;
  const value =
    field === null
      ? changePercent(bars.close[at] ?? null, bars.close[at - 1] ?? null)
      : (bars[field][at] ?? null);
  return readingOf(value, field, company, bars.dates[at] ?? "");
}

function readingOf(
  value: number | null,
  field: BarField | null,
  { instrument: { currency } }: ClaimedCompany,
  date: string,
): Reading {
  const unit = field === null ? "change" : field === "volume" ? "count" : "price";
  const known = value === null || Number.isNaN(value) ? null : value;
  return {
    value: known,
    shown: roundMetric({ unit }, known),
    unit,
    currency: unit === "price" ? currency : null,
    rateOn: date,
    on: date,
    as: null,
    isOpen: true,
  };
}

function whyNoSession({ market, instrument }: ClaimedCompany, end: string): string {
  const first = market.bars.findOnOrAfter(instrument.id)?.date;
  const [last] = market.bars.listNewest(instrument.id, 1);
  const key = formatKey(instrument);
  return first === undefined || last === undefined
    ? `No prices of ${key} are stored.`
    : `No session near ${end}: prices of ${key} are from ${first} to ${last.date}.`;
}
