import { currencyNamedIn } from "#domain/currency.ts";
import { firstDayOf, frequencyOf, frequencyOfAll, lastDayOf } from "#domain/macro-periods.ts";
import type { MacroSeries } from "#domain/macro.ts";
import { daysBetween } from "#lib/date.ts";
import type { WrittenPeriod } from "#operations/reading/written-periods.ts";
import { sizeOfWord } from "#operations/reading/written-figures.ts";
import type { Reading, Readings } from "./reading.ts";

/** Published figures around a period among which the one that a claim means is looked for. */
const NEIGHBOURS = 1;
/** A daily figure holds until the next one, if that is not longer away. */
const MAX_AGE_DAYS = 14;

/** What a figure of a macro series can mean at a time. */
export function readSeries(series: MacroSeries, period: WrittenPeriod): Readings {
  const { name, unit, observations } = series;
  const words = unit.split(/[ /]/).filter((word) => word !== "");
  const scale = words.reduce((product, word) => product * sizeOfWord(word), 1);
  const currency = currencyNamedIn(unit);
  const unitWords = words.filter(
    (word) => sizeOfWord(word) === 1 && word !== "%" && word !== currency,
  );
  const reading = (at: number, more: Partial<Reading>): Reading[] => {
    const found = observations[at];
    if (!found) return [];
    const { value, period: on } = found;
    return [
      {
        value,
        shown: value,
        unit: unit === "%" ? "percent" : "series",
        currency,
        rateOn: lastDayOf(on),
        on,
        as: null,
        isOpen: true,
        scale,
        unitWords,
        ...more,
      },
    ];
  };
  const frequency = frequencyOfAll(observations.map((one) => one.period));
  const at =
    period.unit === "newest" ? observations.length - 1 : placeOf(observations, period, frequency);
  const isPart = period.unit !== "newest" && isLonger(period, observations[at]?.period);
  const range = `${observations[0]?.period} to ${observations.at(-1)?.period}`;
  const all = reading(at, isPart ? { isPart } : {});
  return {
    all,
    others: () =>
      [-NEIGHBOURS, NEIGHBOURS].flatMap((step) => reading(at + step, { isOpen: false })),
    reason:
      all.length === 0
        ? `No figure of then is stored: ${name} is ${frequency}, from ${range}.`
        : `${name} is ${frequency}: name one period, such as ${all[0]?.on}.`,
  };
}

/** True if a claim's time has earlier periods of the series, too. */
function isLonger({ from }: WrittenPeriod, found: string | undefined): boolean {
  return found !== undefined && from < firstDayOf(found);
}

/** The place of the last figure of a time; a rate that is decided now and then holds until the next one. -2 if there is none. */
function placeOf(
  observations: MacroSeries["observations"],
  { from, to }: WrittenPeriod,
  frequency: string,
): number {
  if (to === "") return -2;
  const at = observations.findLastIndex(({ period }) => firstDayOf(period) <= to);
  const found = observations[at]?.period;
  if (found === undefined) return -2;
  if (lastDayOf(found) >= from || frequency === "irregular") return at;
  const isRecent = daysBetween(lastDayOf(found), from) <= MAX_AGE_DAYS;
  return frequencyOf(found) === "D" && isRecent ? at : -2;
}
