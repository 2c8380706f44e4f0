import type { Country } from "#domain/country.ts";
import { CsvError, csvRows } from "#lib/csv.ts";
import { addMonths, dateOf } from "#lib/date.ts";
import { checkLastLine } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { frequencyOf, PERIOD, periodOf } from "#domain/macro-periods.ts";
import { createSeries, type Observation, parseFigure } from "#sources/macro/series.ts";
import { requestEach, readEach } from "#sources/macro/several.ts";
import { type FredSpec, fredSeries } from "./series.ts";
import { FRED } from "./source.ts";

/** The number of months to request: 36 observations, and a year before them for the comparison. */
const MONTHS_BACK = { D: 12, M: 60, Q: 144, A: 480 } as const;

/** Macro series of the US: all ten categories. */
export const fredMacro = macroFetcher("US");

/** Macro series of Japan that the OECD's set does not have, with world energy prices. */
export const fredMacroJapan = macroFetcher("JP");

/** World energy prices, for Viet Nam. */
export const fredMacroVietNam = macroFetcher("VN");

/** One request for each series, because the CSV without a key has one series only. */
function macroFetcher(country: Country) {
  const specs = fredSeries(country);
  return defineFetcher({
    kind: "macroSeries",
    source: FRED,
    countries: [country],
    scope: "country",
    complements: true,
    fetch: ({ now }, client) =>
      requestEach(client, new Map(specs.map((spec) => [spec.fred, addressOf(spec, now)])), {
        // World prices are among the series of every country.
        maxAgeMs: 10 * 60_000,
      }),
    transform(raw, { now }) {
      const read = readEach(FRED, raw, parseGraphCsv);
      const series = specs.flatMap((spec) => {
        const observations = (read.get(spec.fred) ?? []).map(({ period, value }) => ({
          period: periodOf(period, spec.frequency),
          value,
        }));
        return createSeries(country, spec, observations, now) ?? [];
      });
      if (series.length === 0) throw FRED.error("nothing", "no current series");
      return series;
    },
  });
}

function addressOf({ fred, frequency }: FredSpec, now: number): string {
  const from = addMonths(dateOf(now), -MONTHS_BACK[frequency]);
  return `https://fred.stlouisfed.org/graph/fredgraph.csv?id=${fred}&cosd=${from}`;
}

/**
 * The observations of one series by day. The first column is `observation_date`, `DATE` in older
 * answers; a missing value is `.` or empty.
 */
function parseGraphCsv(text: string, id: string): Observation[] {
  const invalid = (reason: string) => FRED.error("invalid_answer", `${id}: ${reason}`);
  try {
    const rows = csvRows(text);
    const [dates, values, ...more] = rows.next().value?.cells ?? [];
    if (!/^(observation_)?date$/i.test(dates ?? "") || values !== id || more.length > 0) {
      throw invalid("the answer is not the CSV of the series");
    }
    checkLastLine(FRED, text);
    return [...rows].flatMap(({ line, cells: [date = "", text = "", ...others] }) => {
      if (!isDay(date) || others.length > 0) {
        throw invalid(`line ${line} is not an observation`);
      }
      const value = parseFigure(text);
      if (value === null && text !== "." && text !== "") {
        throw invalid(`line ${line} has no number`);
      }
      return value === null ? [] : [{ period: date, value }];
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalid(`line ${error.line}: ${error.message}`);
  }
}

const isDay = (text: string) =>
  PERIOD.test(text) && frequencyOf(text) === "D" && !Number.isNaN(Date.parse(text));
