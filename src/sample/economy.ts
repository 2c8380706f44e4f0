import { type Importance, IMPORTANCES } from "#domain/calendar-event.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { MACRO_CATEGORIES, type MacroCategory } from "#domain/macro.ts";
import { csvRows } from "#lib/csv.ts";
import { lazy } from "#lib/lazy.ts";
import economyCsv from "./economy.csv" with { type: "text" };

/** How often a figure is published: `meeting` is the eight of a central bank in a year. */
const RHYTHMS = ["week", "month", "quarter", "meeting"] as const;

/** When a period's figure is published. */
export interface Print {
  /** Months from the last month of the period to the publication. */
  readonly lag: number;
  /** The rule for the day, see `publicationDay`. */
  readonly day: string;
}

/** A published figure of a country's economy, as the sample market's table has it. */
export interface EconomicFigure {
  /** Its line in the table, counted from 0. */
  readonly line: number;
  readonly country: Country;
  readonly category: MacroCategory;
  readonly name: string;
  readonly unit: string;
  readonly decimals: number;
  /** What it wanders about, and the standard deviation of that. */
  readonly level: number;
  readonly swing: number;
  readonly every: (typeof RHYTHMS)[number];
  /** The rule for the day of a first print: see `release-dates.ts`. */
  readonly day: string;
  /** The first print of a period and those that revise it, at least one. */
  readonly prints: readonly Print[];
  /** How the calendar announces it; null for a figure that it does not announce. */
  readonly event: {
    readonly title: string;
    /** In the country. */
    readonly time: string;
    readonly importance: Importance;
  } | null;
  readonly isForecast: boolean;
  /** The symbol that trades at this price: a month's figure is the mean of its closes. */
  readonly follows: string | null;
}

/** Every figure of the table, US first, then JP and VN. */
export const listEconomicFigures = lazy((): readonly EconomicFigure[] =>
  [...csvRows(economyCsv)].slice(1).map(({ cells }, line) => readFigure(cells, line)),
);

function readFigure(cells: readonly string[], line: number): EconomicFigure {
  const [country, category, name, unit, decimals, level, swing, every] = cells;
  const [day = "", lag, time, title, importance, isForecast, follows, revisions = ""] =
    cells.slice(8);
  const oneOf = <T extends string>(values: readonly T[], text: string | undefined): T => {
    const found = values.find((value) => value === text);
    if (found === undefined)
      throw new Error(`economy.csv, line ${line + 2}: "${text}" is no value.`);
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
    swing: Number(swing),
    every: oneOf(RHYTHMS, every),
    day,
    prints: [{ lag: Number(lag), day }, ...readRevisions(revisions)],
    event: title ? { title, time: time ?? "", importance: oneOf(IMPORTANCES, importance) } : null,
    isForecast: isForecast === "1",
    follows: follows || null,
  };
}

/** Later prints, each as months and day: `2:27 3:26`. */
function readRevisions(text: string): Print[] {
  return text.split(" ").flatMap((revision) => {
    const [lag, day] = revision.split(":");
    return day === undefined ? [] : [{ lag: Number(lag), day }];
  });
}
