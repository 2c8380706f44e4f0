import { CsvError, csvRows } from "#lib/csv.ts";
import { isDate } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { type Observation, parseFigure } from "#sources/macro/series.ts";
import { CURVE_YEARS, curveSeries } from "#sources/macro/yield-curve.ts";
import { TREASURY } from "./source.ts";

const RATES =
  "https://home.treasury.gov/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv";

/** The yields of the first trading day are published within this many days of January. */
const NEW_YEAR_DAYS = 7;

/**
 * The par yields of US Treasury securities by maturity, from one file for each of three years. If a file
 * is missing, none is stored, because the days of an earlier answer would be lost.
 */
export const treasuryYields = defineFetcher({
  kind: "macroSeries",
  source: TREASURY,
  countries: ["US"],
  scope: "country",
  complements: true,
  async fetch({ now }, client): Promise<string[]> {
    const current = new Date(now).getUTCFullYear();
    const files: string[] = [];
    for (let year = current - CURVE_YEARS + 1; year <= current; year++) {
      const address = `${RATES}/${year}/all?type=daily_treasury_yield_curve&field_tdr_date_value=${year}&page&_format=csv`;
      files.push((await client.request(address, { form: "cells" })).text());
    }
    return files;
  },
  transform(files, { now }) {
    const curve = new Map<number, Observation[]>();
    const isNewYear = new Date(now).toISOString().slice(5) < `01-0${NEW_YEAR_DAYS + 1}`;
    const current = new Date(now).getUTCFullYear();
    files.forEach((text, i) => {
      const year = current - files.length + 1 + i;
      const days = readYear(text, year, curve);
      if (days === 0 && !(isNewYear && year === current))
        throw TREASURY.error("invalid_answer", `the file of ${year} has no day`);
    });
    const series = curveSeries("US", curve, 2, now);
    if (series.length === 0) throw TREASURY.error("nothing", "no current yields");
    return series;
  },
});

/**
 * Adds the yields of one year to the curve; returns the number of days. A file of a year has only the maturities
 * that existed then, and an empty cell for a maturity without a yield.
 */
function readYear(text: string, year: number, curve: Map<number, Observation[]>): number {
  const invalid = (reason: string) => TREASURY.error("invalid_answer", `${year}: ${reason}`);
  try {
    const [header, ...rows] = csvRows(text);
    if (header === undefined) return 0;
    if (header.cells[0] !== "Date") throw invalid("the first column is not Date");
    const maturities = header.cells.slice(1).map(readMaturity);
    if (!maturities.includes(120)) throw invalid("no column has 10 years");
    for (const { line, cells } of rows) {
      const day = readDay(cells[0] ?? "");
      if (day === null || !day.startsWith(String(year)) || cells.length !== header.cells.length)
        throw invalid(`line ${line} is not a day of the year`);
      for (const [i, months] of maturities.entries()) {
        const cell = cells[i + 1] ?? "";
        const value = parseFigure(cell);
        if (value === null && !/^(|N\/A)$/.test(cell.trim()))
          throw invalid(`line ${line} has a yield that is no number`);
        if (months === null || value === null) continue;
        const listed = curve.get(months) ?? [];
        curve.set(months, listed);
        listed.push({ period: day, value });
      }
    }
    const first = rows.map(({ cells }) => readDay(cells[0] ?? "") ?? "").sort()[0];
    // The rest of a file that is cut off would read like a year that begins late.
    if (first !== undefined && first > `${year}-01-10`) throw invalid("its first days are missing");
    return rows.length;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalid(`line ${error.line}: ${error.message}`);
  }
}

/** The length in months of a maturity: 1.5 of `1.5 Month`, 120 of `10 Yr`; null for another column. */
function readMaturity(name: string): number | null {
  const [, length, unit = ""] =
    /^(\d{1,2}(?:\.5)?) (Mo|Yr)(?:nth|ear)?s?$/i.exec(name.trim()) ?? [];
  return length === undefined ? null : Number(length) * (/^y/i.test(unit) ? 12 : 1);
}

/** The date of `11/27/2026`; null for another form. */
function readDay(text: string): string | null {
  const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text.trim()) ?? [];
  const date = `${year}-${month}-${day}`;
  return isDate(date) ? date : null;
}
