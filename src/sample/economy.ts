import { type Importance, IMPORTANCES } from "#domain/calendar-event.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { MACRO_CATEGORIES, type MacroCategory } from "#domain/macro.ts";
import { csvRows } from "#lib/csv.ts";
import { lazy } from "#lib/lazy.ts";
import economyCsv from "./economy.csv" with { type: "text" };

/** How often a figure is published. `meeting` means the eight meetings of a central bank in a year. */
const RHYTHMS = ["week", "month", "quarter", "meeting"] as const;

/** One publication of a period's figure: the first one or a revision. */
interface Print {
  /** Months from the last month of the period to the publication. */
  readonly lag: number;
  /** The rule for the day, see `publicationDay`. */
  readonly day: string;
}

/** A published figure of a country's economy, a row of `economy.csv`. */
export interface EconomicFigure {
  /** Index of the row, from 0. */
  readonly line: number;
  readonly country: Country;
  readonly category: MacroCategory;
  readonly name: string;
  readonly unit: string;
  readonly decimals: number;
  /** Long-term mean. */
  readonly level: number;
  /** Standard deviation from the level. */
  readonly deviation: number;
  readonly every: (typeof RHYTHMS)[number];
  /** The rule for the day of a first print: see `release-dates.ts`. */
  readonly day: string;
  /** The first print of a period and its revisions, at least one. */
  readonly prints: readonly Print[];
  /** The figure's entry in the economic calendar; null if it has none. */
  readonly event: {
    readonly title: string;
    readonly importance: Importance;
  } | null;
  /** Local time of publication in the country, `08:30`. Null for figures without an announced time. */
  readonly time: string | null;
  readonly isForecast: boolean;
  /**
   * A symbol whose closes give the figure, their mean in the month; or a quarterly growth of the country
   * with the same prints, whose last four quarters it compounds. Null for other figures.
   */
  readonly follows: string | null;
}

/** Every figure, US first, then JP and VN. */
export const listEconomicFigures = lazy((): readonly EconomicFigure[] =>
  [...csvRows(economyCsv)].slice(1).map(({ cells }, line) => readFigure(cells, line)),
);

function readFigure(cells: readonly string[], line: number): EconomicFigure {
  const [country, category, name, unit, decimals, level, deviation, every] = cells;
  const [day = "", lag, time, title, importance, isForecast, follows, revisions = ""] =
    cells.slice(8);
  const oneOf = <T extends string>(values: readonly T[], text: string | undefined): T => {
    const found = values.find((value) => value === text);
    if (found === undefined)
      throw new Error(
        `economy.csv, line ${line + 2}: "${text}" is not one of ${values.join(", ")}.`,
      );
    return found;
  };
  return {
    line,
    country: oneOf(COUNTRY_CODES, country),
    category: oneOf(MACRO_CATEGORIES, category),
    name: name ?? "",
    unit: unit ?? "",
    decimals: Number(decimals),
    level: Number(level),
    deviation: Number(deviation),
    every: oneOf(RHYTHMS, every),
    day,
    prints: [{ lag: Number(lag), day }, ...readRevisions(revisions)],
    event: title ? { title, importance: oneOf(IMPORTANCES, importance) } : null,
    time: time || null,
    isForecast: isForecast === "1",
    follows: follows || null,
  };
}

/** Reads later prints, each a lag in months and a day: `2:27 3:26`. */
function readRevisions(text: string): Print[] {
  return text.split(" ").flatMap((revision) => {
    const [lag, day] = revision.split(":");
    return day === undefined ? [] : [{ lag: Number(lag), day }];
  });
}
