import { type Importance, IMPORTANCES } from "#domain/calendar-event.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { MACRO_CATEGORIES, type MacroCategory } from "#domain/macro.ts";
import { lazy } from "#lib/lazy.ts";
import economyCsv from "./economy.csv" with { type: "text" };
import { oneOf, readTable } from "./table.ts";

/** How often a figure is published. `meeting` means the eight meetings of a central bank in a year. */
const RHYTHMS = ["week", "month", "quarter", "meeting"] as const;

/** A published figure of a country's economy, a row of `economy.csv`. */
export interface EconomicFigure {
  /** Index of the row, from 0. */
  readonly line: number;
  readonly country: Country;
  readonly category: MacroCategory;
  readonly name: string;
  readonly unit: string;
  readonly decimals: number;
  /** Long-term mean, and standard deviation from it. */
  readonly level: number;
  readonly deviation: number;
  readonly every: (typeof RHYTHMS)[number];
  /** The day of publication: see `publicationDay`; the bank of a policy rate. */
  readonly day: string;
  /** Months from the last month of the period to the publication. */
  readonly lag: number;
  /** The title in the economic calendar; empty if it is not there. */
  readonly event: string;
  readonly importance: Importance;
  /** Local time of publication in the country, `08:30`. Null for figures without an announced time. */
  readonly time: string | null;
  readonly isForecast: boolean;
  /**
   * A symbol whose closes give the figure, their mean in the month; or a quarterly growth of the country,
   * whose last four quarters it compounds. Null for other figures.
   */
  readonly follows: string | null;
}

/** Every figure, US first, then JP and VN. */
export const listEconomicFigures = lazy((): readonly EconomicFigure[] =>
  readTable(economyCsv).map((row, line) => ({
    line,
    country: oneOf(COUNTRY_CODES, row("country")),
    category: oneOf(MACRO_CATEGORIES, row("category")),
    name: row("name"),
    unit: row("unit"),
    decimals: Number(row("decimals")),
    level: Number(row("level")),
    deviation: Number(row("deviation")),
    every: oneOf(RHYTHMS, row("every")),
    day: row("day"),
    lag: Number(row("lag")),
    event: row("event"),
    importance: oneOf(IMPORTANCES, row("importance") || "low"),
    time: row("time") || null,
    isForecast: row("forecast") === "1",
    follows: row("follows") || null,
  })),
);
