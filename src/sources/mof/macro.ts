import { CsvError, csvRows } from "#lib/csv.ts";
import { addMonths, dateOf } from "#lib/date.ts";
import { isEraDate, parseEraDate } from "#lib/era-date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { type Observation, parseFigure } from "#sources/macro/series.ts";
import { CURVE_YEARS, curveSeries } from "#sources/macro/yield-curve.ts";
import { MOF } from "./source.ts";

const RATES = "https://www.mof.go.jp/jgbs/reference/interest_rate";

/** Both files. `history` ends with a past month, `month` has the days after it. */
interface YieldFiles {
  readonly history: Uint8Array;
  readonly month: Uint8Array;
}

/** The yields of one day by maturity, in months. */
type Day = ReadonlyMap<number, number>;

/**
 * The yields of Japanese government bonds by maturity. If one of the two files is missing, none is stored,
 * because the days of an earlier answer would be lost.
 */
export const mofYields = defineFetcher({
  kind: "macroSeries",
  source: MOF,
  countries: ["JP"],
  scope: "country",
  complements: true,
  async fetch(_query, client): Promise<YieldFiles> {
    const history = await client.request(`${RATES}/data/jgbcm_all.csv`, { form: "cells" });
    const month = await client.request(`${RATES}/jgbcm.csv`, { form: "cells" });
    return { history: history.bytes, month: month.bytes };
  },
  lacks(files) {
    const gap = monthBetween(readFiles(files));
    return gap === null ? [] : [{ what: `Yields of ${gap}`, why: "neither file has them yet" }];
  },
  transform(files, { now }) {
    const { earlier, newest } = readFiles(files);
    const first = addMonths(dateOf(now), -12 * CURVE_YEARS);
    const curve = new Map<number, Observation[]>();
    // A day that is in both files has the yields of the newer one.
    for (const [period, day] of new Map([...earlier, ...newest])) {
      if (period < first) continue;
      for (const [months, value] of day) {
        const listed = curve.get(months) ?? [];
        curve.set(months, listed);
        listed.push({ period, value });
      }
    }
    const series = curveSeries("JP", curve, 3, now);
    if (series.length === 0) throw MOF.error("nothing", "no current yields");
    return series;
  },
});

/** The days of each file. */
interface YieldDays {
  readonly earlier: ReadonlyMap<string, Day>;
  readonly newest: ReadonlyMap<string, Day>;
}

/** @throws SourceError if a file has another form, or the history has no day */
function readFiles({ history, month }: YieldFiles): YieldDays {
  const earlier = readFile(history, "jgbcm_all.csv");
  const newest = readFile(month, "jgbcm.csv");
  if (earlier.size === 0) throw MOF.error("invalid_answer", "jgbcm_all.csv has no day");
  return { earlier, newest };
}

/**
 * The month after the last one of the history, if the newest days are of a later month; null without a gap.
 * For some days at the start of a month, the files are not updated together.
 */
function monthBetween({ earlier, newest }: YieldDays): string | null {
  const [last = "", first = "9999"] = [
    [...earlier.keys()].sort().at(-1),
    [...newest.keys()].sort()[0],
  ];
  const next = addMonths(`${last.slice(0, 7)}-01`, 1).slice(0, 7);
  return newest.size > 0 && next < first.slice(0, 7) ? next : null;
}

/** The days of a file in Shift-JIS, by date. Lines above the header and notes below the days are skipped. */
function readFile(bytes: Uint8Array, name: string): Map<string, Day> {
  const invalid = (reason: string) => MOF.error("invalid_answer", `${name}: ${reason}`);
  const days = new Map<string, Day>();
  let maturities: readonly (number | null)[] | null = null;
  try {
    for (const { line, cells } of csvRows(new TextDecoder("shift_jis").decode(bytes))) {
      const [date = "", ...yields] = cells.map((cell) => cell.trim());
      if (date === "基準日") maturities = yields.map(readMaturity);
      else if (maturities !== null && isEraDate(date)) {
        const period = parseEraDate(date);
        if (period === null || yields.length < maturities.length)
          throw invalid(`line ${line} is not a day with its yields`);
        days.set(
          period,
          readDay(yields, maturities, () => invalid(`line ${line} has a yield that is no number`)),
        );
      } else if (maturities !== null && yields.some((cell) => parseFigure(cell) !== null)) {
        throw invalid(`line ${line} has no date`);
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalid(`line ${error.line}: ${error.message}`);
  }
  if (maturities?.includes(120) !== true) throw invalid("no column has 10 years");
  return days;
}

/** The yields of a day; a maturity with a dash has none. */
function readDay(
  yields: readonly string[],
  maturities: readonly (number | null)[],
  fault: () => Error,
): Day {
  const day = new Map<number, number>();
  for (const [i, months] of maturities.entries()) {
    const text = yields[i] ?? "";
    const value = parseFigure(text);
    if (value === null && !/^[-－ー―]?$/.test(text)) throw fault();
    if (months !== null && value !== null) day.set(months, value);
  }
  return day;
}

/** The length in months of a maturity: 120 of `10年`; null for another column. */
function readMaturity(name: string): number | null {
  const years = /^(\d{1,2})年$/.exec(name)?.[1];
  return years === undefined ? null : Number(years) * 12;
}
