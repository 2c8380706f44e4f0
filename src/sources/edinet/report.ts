import type { Filing } from "#domain/filings.ts";
import { isDate } from "#lib/date.ts";
import { normalForm } from "#lib/normal-form.ts";
import { EDINET } from "./source.ts";

/** A report as it was requested: its figures as tab-separated text. */
export interface RequestedReport {
  readonly filing: Filing;
  readonly csv: string;
}

/** The figures of a report by context and element, and what it says of itself. */
export interface Report {
  readonly filing: Filing;
  readonly facts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Its own data, by element without `DEI`: `CurrentPeriodEndDate`. */
  readonly about: ReadonlyMap<string, string>;
  /** The months in which the years of its summary end, `YYYY-MM`, oldest first; empty if it does not say them. */
  readonly yearEnds: readonly string[];
}

/** Columns: element, label, context, relative year, group or parent, period, unit id, unit, value. */
const COLUMNS = 9;
const HEADER = "要素ID";

/** Yen for one of a unit. Other currencies and units are not read. */
const YEN: Readonly<Record<string, number>> = { 円: 1, 千円: 1e3, 百万円: 1e6 };
/** Amounts in one unit may be rounded in a summary. */
const ROUNDING = 1e-3;

/** `2022年3月` five times after the words for "end of the year" in the table of the last five years. */
const YEAR_ENDS = /決算年月[^\d]{0,20}((?:\d{4}年\s{0,9}\d{1,2}月[^\d]{0,20}){5})/;

/** Reads a report. @throws SourceError `invalid_answer` if it has no figures in the documented columns */
export function parseReport({ filing, csv }: RequestedReport): Report {
  const facts = new Map<string, Map<string, number>>();
  const about = new Map<string, string>();
  let yearEnds: string[] = [];
  let isHeaded = false;
  for (const line of csv.split(/\r?\n/)) {
    const cells = line.split("\t").map((cell) => cell.replace(/^"(.*)"$/, "$1"));
    const [element = "", , context = "", , , , unitId = "", unit = "", value = ""] = cells;
    isHeaded ||= cells.length === COLUMNS && element.endsWith(HEADER);
    if (!isHeaded || cells.length !== COLUMNS) continue;
    const name = element.slice(element.indexOf(":") + 1);
    if (element.startsWith("jpdei_cor:")) about.set(name.replace(/DEI$/, ""), value);
    else if (/^BusinessResultsOf(Group|ReportingCompany)TextBlock$/.test(name)) {
      if (yearEnds.length === 0) yearEnds = yearEndsIn(value);
    } else {
      const figure = figureOf(value, unitId, unit);
      if (figure === null) continue;
      const known = facts.get(context) ?? new Map<string, number>();
      facts.set(context, known.set(name, agreed(known.get(name), figure)));
    }
  }
  if (!isHeaded) throw EDINET.error("invalid_answer", "a report has other columns");
  return { filing, facts, about, yearEnds };
}

/** The amount in yen, or in yen per share; null for a text and for any other unit. */
function figureOf(value: string, unitId: string, unit: string): number | null {
  const isPerShare = unitId === "JPYPerShares";
  const factor = isPerShare && unit !== "円" ? undefined : YEN[unit];
  if (factor === undefined || (!isPerShare && unitId !== "JPY")) return null;
  return /^-?\d{1,18}(\.\d{1,9})?$/.test(value) ? Number(value) * factor : null;
}

/** The first of two figures; NaN if a report contradicts itself by more than rounding. */
function agreed(known: number | undefined, figure: number): number {
  if (known === undefined) return figure;
  return Math.abs(known - figure) <= ROUNDING * Math.abs(known) ? known : Number.NaN;
}

function yearEndsIn(text: string): string[] {
  const found = YEAR_ENDS.exec(normalForm(text.slice(0, 2_000), "NFKC"))?.[1] ?? "";
  return [...found.matchAll(/(\d{4})年\s*(\d{1,2})月/g)].map(
    ([, year = "", month = ""]) => `${year}-${month.padStart(2, "0")}`,
  );
}

/** A date that the report says of itself; empty if it does not. */
export function dayIn({ about }: Report, name: string): string {
  const day = about.get(name) ?? "";
  return isDate(day) ? day : "";
}
