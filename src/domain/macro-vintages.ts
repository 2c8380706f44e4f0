import { Type } from "@sinclair/typebox";
import { dateOf } from "#lib/date.ts";
import { CountryCode } from "./country.ts";
import { MacroForecast, MacroPeriod, type MacroSeries, MacroUnit, SeriesId } from "./macro.ts";
import { Amount, DateText, Nullable, type Static } from "./schema.ts";

/** A figure of a period, and the UTC date since which it was known; null where a figure was withdrawn. */
const MacroVintage = Type.Object({
  period: MacroPeriod,
  since: DateText,
  value: Nullable(Amount),
  /** True if the figure may have been published earlier, and then perhaps another one before it. */
  isBase: Type.Optional(Type.Literal(true)),
});
export type MacroVintage = Static<typeof MacroVintage>;

/** What was known of a macro series, and since when: by period, then by day. */
export const MacroVintages = Type.Object({
  country: CountryCode,
  id: SeriesId,
  /** The unit of the values, as of the series. */
  unit: MacroUnit,
  vintages: Type.Array(MacroVintage, { minItems: 1 }),
});
export type MacroVintages = Static<typeof MacroVintages>;

/** The most changes of a series whose days are kept: more than ten years of a daily one. */
const MOST_VINTAGES = 5_000;

/** The vintages that were known at the end of a day; null if none was. */
export function vintagesOn(record: MacroVintages, day: string): MacroVintages | null {
  const vintages = record.vintages.filter(({ since }) => since <= day);
  return vintages.length > 0 ? { ...record, vintages } : null;
}

/** The series with the figures that were known at the end of a day; null if none was, or if its unit is another one. */
export function seriesOn<Series extends MacroSeries>(
  series: Series,
  record: MacroVintages,
  day: string,
): Series | null {
  if (record.unit !== series.unit) return null;
  const known = new Map<string, number | null>();
  for (const { period, since, value } of record.vintages)
    if (since <= day) known.set(period, value);
  const observations = [...known].flatMap(([period, value]) =>
    value === null ? [] : [{ period, value }],
  );
  return observations.length > 0 ? { ...series, observations } : null;
}

/**
 * The vintages of a series after newer figures are stored. The first ones count from the day on which the older figures
 * were stored. A correction on the same day is no vintage.
 *
 * @param older null if none are stored
 * @param before the stored series; null if there is none
 */
export function keepVintages(
  older: MacroVintages | null,
  before: (MacroSeries & { readonly storedAt: number }) | null,
  newer: MacroSeries,
  storedAt: number,
): MacroVintages {
  const { country, id, unit, observations } = newer;
  const day = dateOf(storedAt);
  const kept = older?.unit === unit ? older.vintages : [];
  const vintages =
    kept.length === 0 && before?.unit === unit
      ? basesOf(before.observations, dateOf(before.storedAt))
      : kept;
  if (vintages.length === 0) return { country, id, unit, vintages: basesOf(observations, day) };
  const last = new Map(vintages.map((one) => [one.period, one]));
  const given = new Map(observations.map(({ period, value }) => [period, value]));
  const [first, newest] = [observations[0]?.period ?? "", observations.at(-1)?.period];
  const added: MacroVintage[] = [];
  for (const { period, value } of observations) {
    const known = last.get(period);
    if (known?.value === value) continue;
    // A period between others may have been published, and revised, before it was fetched.
    const isBase = known === undefined && period !== newest;
    added.push({ period, since: day, value, ...(isBase && { isBase }) });
  }
  for (const { period, value } of last.values()) {
    // Older periods are no longer given, which does not withdraw them.
    if (period >= first && value !== null && !given.has(period))
      added.push({ period, since: day, value: null });
  }
  return { country, id, unit, vintages: sorted(vintages, added) };
}

/**
 * The vintages of both records. Those that a source gives replace the stored ones of the same periods, except
 * later ones. Where the source may lack earlier figures of a period, both are kept.
 */
export function mergeVintages(older: MacroVintages, newer: MacroVintages): MacroVintages {
  if (older.unit !== newer.unit) return newer;
  // The first one of each period.
  const given = new Map(newer.vintages.toReversed().map((one) => [one.period, one]));
  const end = newer.vintages.reduce((last, { since }) => (since > last ? since : last), "");
  const kept = older.vintages.filter(({ period, since }) => {
    const first = given.get(period);
    return first === undefined || first.isBase === true || since > end;
  });
  return { ...newer, vintages: sorted(newer.vintages, kept) };
}

const basesOf = (observations: MacroSeries["observations"], since: string): MacroVintage[] =>
  observations.map(({ period, value }) => ({ period, since, value, isBase: true }));

/** All vintages by period and day, without equal ones in a row. The later one of a day wins. */
function sorted(vintages: readonly MacroVintage[], added: readonly MacroVintage[]): MacroVintage[] {
  if (added.length === 0) return [...vintages];
  const periods = Map.groupBy([...vintages, ...added], ({ period }) => period);
  const all = [...periods]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, of]) => {
      const kept: MacroVintage[] = [];
      for (const one of of.toSorted((a, b) =>
        a.since < b.since ? -1 : Number(a.since > b.since),
      )) {
        const sameDay = kept.at(-1)?.since === one.since ? kept.pop() : undefined;
        const isBase = one.isBase ?? sameDay?.isBase;
        if (kept.at(-1)?.value !== one.value) kept.push({ ...one, ...(isBase && { isBase }) });
      }
      return kept;
    });
  if (all.length <= MOST_VINTAGES) return all;
  const days = all.map(({ since }) => since).toSorted();
  const earliest = days[days.length - MOST_VINTAGES] ?? "";
  return [...Map.groupBy(all, ({ period }) => period).values()].flatMap((of) => {
    // The figure of that day stays, but no longer since when it was known.
    const at = of.findLastIndex(({ since }) => since < earliest);
    const held = of[at];
    const later = of.slice(at + 1);
    return held === undefined || later[0]?.since === earliest
      ? later
      : [{ ...held, since: earliest, isBase: true }, ...later];
  });
}

/** A macro forecast, and the UTC date since which it was known; null once its source did not give it any more. */
const ForecastVintage = Type.Object({
  since: DateText,
  source: Type.String(),
  /** UTC milliseconds. */
  storedAt: Type.Integer(),
  forecast: Nullable(MacroForecast),
});
type ForecastVintage = Static<typeof ForecastVintage>;

/** What was known of a macro forecast, by day. */
export const ForecastVintages = Type.Object({
  country: CountryCode,
  /** The category and the name of the forecast, as the store has it: `gdp/GDP growth`. */
  id: Type.String(),
  vintages: Type.Array(ForecastVintage, { minItems: 1 }),
});
export type ForecastVintages = Static<typeof ForecastVintages>;

/** The most changes of a forecast whose days are kept. Sources publish it at most monthly. */
const MOST_FORECASTS = 300;

/** A forecast with its source, and when it was stored (UTC milliseconds). */
export type StoredForecast = MacroForecast & { readonly source: string; readonly storedAt: number };

/** The forecast that was known at the end of a day; null if none was. */
export function forecastOn({ vintages }: ForecastVintages, day: string): StoredForecast | null {
  const last = vintages.findLast(({ since }) => since <= day);
  if (!last || last.forecast === null) return null;
  // A publication can be older than the record.
  const storedAt = Math.min(last.storedAt, Date.parse(`${last.since}T23:59:59.999Z`));
  return { ...last.forecast, source: last.source, storedAt };
}

/**
 * The vintages of a forecast after a change of a source at `storedAt`, UTC milliseconds. A new forecast counts from the
 * day of its publication if that is known and newer than the last vintage, else from the day on which it was stored. A
 * correction on the same day is no vintage.
 *
 * @param older null if none are stored
 * @param before the stored forecast; null if there was none
 * @param now the forecast that is stored now; null if its source no longer gives it
 */
export function keepForecast(
  older: ForecastVintages | null,
  before: StoredForecast | null,
  now: StoredForecast | null,
  { id, storedAt }: { readonly id: string; readonly storedAt: number },
): ForecastVintages | null {
  const country = (now ?? before)?.country;
  if (country === undefined) return older;
  const kept = older?.vintages ?? [];
  // Without vintages, it was stored by an older bourse, or generated.
  const vintages = before ? withForecast(kept, before, dateOf(before.storedAt)) : kept;
  const day = dateOf(storedAt);
  if (now === null) {
    const gone = { since: day, source: before?.source ?? "", storedAt, forecast: null };
    return { country, id, vintages: before ? withVintage(vintages, gone) : vintages };
  }
  const { publishedOn = day } = now;
  const isDated = publishedOn < day && publishedOn > (vintages.at(-1)?.since ?? "");
  return { country, id, vintages: withForecast(vintages, now, isDated ? publishedOn : day) };
}

/** True if a source gives a forecast again as an earlier publication had it, such as in an older file. */
export function isEarlierForecast(given: MacroForecast, stored: MacroForecast): boolean {
  const [one, other] = [given.publishedOn, stored.publishedOn];
  return one !== undefined && other !== undefined && one < other;
}

/** The vintages of a forecast and one of an earlier publication, which counts from its day. */
export function keepEarlierForecast(
  { vintages, ...of }: ForecastVintages,
  { source, storedAt, ...forecast }: StoredForecast,
): ForecastVintages {
  const since = forecast.publishedOn ?? dateOf(storedAt);
  const others = vintages.filter((one) => one.since !== since);
  const all = [...others, { since, source, storedAt, forecast }];
  return {
    ...of,
    vintages: all.sort((a, b) => (a.since < b.since ? -1 : 1)).slice(-MOST_FORECASTS),
  };
}

/** The vintages and a forecast since a day, if it is another one than the last. */
function withForecast(
  vintages: readonly ForecastVintage[],
  { source, storedAt, ...forecast }: StoredForecast,
  since: string,
): ForecastVintage[] {
  return isSame(vintages.at(-1)?.forecast ?? null, forecast)
    ? [...vintages]
    : withVintage(vintages, { since, source, storedAt, forecast });
}

/** The vintages and a newer one, which replaces one of the same day. */
function withVintage(
  vintages: readonly ForecastVintage[],
  newer: ForecastVintage,
): ForecastVintage[] {
  const older = vintages.filter(({ since }) => since < newer.since);
  return [...older, newer].slice(-MOST_FORECASTS);
}

/** True if both are the same forecast, of any source. */
function isSame(a: MacroForecast | null, b: MacroForecast | null): boolean {
  if (a === null || b === null) return a === b;
  const textOf = ({ unit, decimals, origin, values, publishedOn }: MacroForecast) =>
    JSON.stringify([unit, decimals, origin, values, publishedOn]);
  return textOf(a) === textOf(b);
}
