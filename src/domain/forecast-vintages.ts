import { Type } from "@sinclair/typebox";
import { dateOf } from "#lib/date.ts";
import { CountryCode } from "./country.ts";
import { MacroForecast } from "./macro.ts";
import { DateText, Nullable, type Static } from "./schema.ts";

/** A macro forecast, and the UTC date since which it was known; null since its source no longer gave it. */
const ForecastVintage = Type.Object({
  since: DateText,
  source: Type.String(),
  /** UTC milliseconds. */
  storedAt: Type.Integer(),
  forecast: Nullable(MacroForecast),
});

/** What was known of a macro forecast, by day. */
export const ForecastVintages = Type.Object({
  country: CountryCode,
  /** The category and the name of the forecast, as the store has it: `gdp/GDP growth`. */
  id: Type.String(),
  vintages: Type.Array(ForecastVintage, { minItems: 1 }),
});
export type ForecastVintages = Static<typeof ForecastVintages>;

/** The most changes of a forecast whose days are kept. Sources publish it at most monthly. */
const MOST_VINTAGES = 300;

/** A forecast with its source, and when it was stored (UTC milliseconds). */
type StoredForecast = MacroForecast & { readonly source: string; readonly storedAt: number };

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
  const vintages = older?.vintages ?? (before ? [vintageOf(before, dateOf(before.storedAt))] : []);
  const last = vintages.at(-1);
  if (isSame(last?.forecast ?? null, now)) return { country, id, vintages };
  const day = dateOf(storedAt);
  const { publishedOn = day } = now ?? {};
  const since = publishedOn < day && publishedOn > (last?.since ?? "") ? publishedOn : day;
  const kept = last?.since === since ? vintages.slice(0, -1) : vintages;
  const added = now
    ? vintageOf(now, since)
    : { since, source: before?.source ?? "", storedAt, forecast: null };
  return { country, id, vintages: [...kept, added].slice(-MOST_VINTAGES) };
}

function vintageOf({ source, storedAt, ...forecast }: StoredForecast, since: string) {
  return { since, source, storedAt, forecast };
}

/** True if both are the same forecast, of any source. */
function isSame(a: MacroForecast | null, b: MacroForecast | null): boolean {
  if (a === null || b === null) return a === b;
  const textOf = ({ unit, decimals, origin, values, publishedOn }: MacroForecast) =>
    JSON.stringify([unit, decimals, origin, values, publishedOn]);
  return textOf(a) === textOf(b);
}
