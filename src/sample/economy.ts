import { IMPORTANCES } from "#domain/calendar-event.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { MACRO_CATEGORIES } from "#domain/macro.ts";
import { lazy } from "#lib/lazy.ts";
import economyCsv from "./economy.csv" with { type: "text" };
import { oneOf, readTable, type Row } from "./table.ts";

/** How often a figure is published. `meeting` means the eight meetings of a central bank in a year. */
const RHYTHMS = ["week", "month", "quarter", "meeting"] as const;

/** A published figure of a country's economy, a row of `economy.csv`. */
export type EconomicFigure = Readonly<ReturnType<typeof readFigure>>;

/** Every figure, US first, then JP and VN. */
export const listEconomicFigures = lazy((): readonly EconomicFigure[] =>
  readTable(economyCsv).map(readFigure),
);

function readFigure(row: Row, line: number) {
  return {
    /** Index of the row, from 0. */
    line,
    country: oneOf(COUNTRY_CODES, row("country")),
    category: oneOf(MACRO_CATEGORIES, row("category")),
    name: row("name"),
    unit: row("unit"),
    decimals: Number(row("decimals")),
    /** Long-term mean, and standard deviation from it. */
    level: Number(row("level")),
    deviation: Number(row("deviation")),
    every: oneOf(RHYTHMS, row("every")),
    /** The day of publication: see `publicationDay`; the bank of a policy rate. */
    day: row("day"),
    /** Months from the last month of the period to the publication. */
    lag: Number(row("lag")),
    /** The title in the economic calendar; empty if it is not there. */
    event: row("event"),
    importance: oneOf(IMPORTANCES, row("importance") || "low"),
    /** Local time of publication in the country, `08:30`. Null for figures without an announced time. */
    time: row("time") || null,
    isForecast: row("forecast") === "1",
    /**
     * A symbol whose closes give the figure, their mean in the month; or a quarterly growth of the country,
     * whose last four quarters it compounds. Null for other figures.
     */
    follows: row("follows") || null,
  };
}
