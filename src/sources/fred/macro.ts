import { Type } from "@sinclair/typebox";
import type { Country } from "#domain/country.ts";
import { CsvError, csvRows } from "#lib/csv.ts";
import { answerReader, checkLastLine, parseAnswer } from "#sources/check-answer.ts";
import { throughDoors } from "#sources/doors.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { frequencyOf, PERIOD, periodOf } from "#domain/macro-periods.ts";
import { createSeries, type Observation, parseFigure } from "#sources/macro/series.ts";
import { listMissing, readEach, requestEach, type Several } from "#sources/macro/several.ts";
import type { Source, SourceClient, SourceRequest } from "#sources/source.ts";
import { firstDayOf, type FredSpec, fredSeries } from "./series.ts";
import { FRED } from "./source.ts";

/** Macro series of the US: all ten categories. */
export const fredMacro = macroFetcher("US");

/** Macro series of Japan that the OECD's set does not have, with world energy prices. */
export const fredMacroJapan = macroFetcher("JP");

/** World energy prices, for Viet Nam. */
export const fredMacroVietNam = macroFetcher("VN");

/** The answers of a door, by the series of FRED. */
interface FredAnswer {
  readonly form: "json" | "csv";
  readonly several: Several;
}

/** World prices are among the series of every country. */
const MAX_AGE_MS = 10 * 60_000;

/** One request for each series, because both doors give one series at a time. */
function macroFetcher(country: Country) {
  const specs = fredSeries(country);
  const requestAll = (
    client: SourceClient,
    addressOf: (spec: FredSpec) => string,
    request: SourceRequest = {},
  ) => {
    const addresses = new Map(specs.map((spec) => [spec.fred, addressOf(spec)]));
    return requestEach(client, addresses, { maxAgeMs: MAX_AGE_MS, ...request });
  };
  return defineFetcher({
    kind: "macroSeries",
    source: FRED,
    countries: [country],
    scope: "country",
    complements: true,
    fetch: ({ now }, client) =>
      throughDoors<FredAnswer>(client, FRED.doors ?? [], {
        "api.stlouisfed.org": async () => ({
          form: "json",
          several: await requestAll(client, (spec) => apiAddress(spec, now, client.key ?? "")),
        }),
        "fred.stlouisfed.org": async () => ({
          form: "csv",
          several: await requestAll(client, (spec) => csvAddress(spec, now), { form: "lines" }),
        }),
      }),
    lacks: ({ form, several }) =>
      listMissing(several, READERS[form], (id) =>
        specs.filter(({ fred }) => fred === id).map(({ name }) => name),
      ),
    transform({ form, several }, { now }) {
      const read = readEach(FRED, several, READERS[form]);
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

function csvAddress(spec: FredSpec, now: number): string {
  return `https://fred.stlouisfed.org/graph/fredgraph.csv?id=${spec.fred}&cosd=${firstDayOf(spec, now)}`;
}

function apiAddress(spec: FredSpec, now: number, key: string): string {
  const query = `series_id=${spec.fred}&observation_start=${firstDayOf(spec, now)}&file_type=json&api_key=${encodeURIComponent(key)}`;
  return `https://api.stlouisfed.org/fred/series/observations?${query}`;
}

const readObservations = answerReader(
  FRED,
  Type.Object({
    count: Type.Number(),
    observations: Type.Array(Type.Object({ date: Type.String(), value: Type.String() })),
  }),
);

/** The observations of one series by day in an answer of the API; a missing value is `.` or empty. */
function parseObservations(text: string, id: string): Observation[] {
  const { count, observations } = readObservations(
    parseAnswer(FRED, new TextEncoder().encode(text)),
  );
  if (count > observations.length)
    throw FRED.error("invalid_answer", `${id}: the page is not whole`);
  return observations.flatMap((one) => {
    const value = parseFigure(one.value);
    if (!isDay(one.date) || (value === null && one.value !== "." && one.value !== ""))
      throw FRED.error("invalid_answer", `${id}: a row is not an observation`);
    return value === null ? [] : [{ period: one.date, value }];
  });
}

/**
 * The observations of each column by day. The first column is `observation_date`, `DATE` in older
 * answers; a missing value is `.` or empty.
 *
 * @param names of the other columns, in order
 * @throws SourceError of the source for another form or other columns
 */
export function parseGraphCsv(
  source: Source,
  text: string,
  names: readonly string[],
): Observation[][] {
  const invalid = (reason: string) => source.error("invalid_answer", `${names[0]}: ${reason}`);
  try {
    const rows = csvRows(text);
    const [dates = "", ...columns] = rows.next().value?.cells ?? [];
    if (!/^(observation_)?date$/i.test(dates) || columns.join() !== names.join()) {
      throw invalid("the answer is not the CSV of the series");
    }
    checkLastLine(source, text);
    const all = names.map((): Observation[] => []);
    for (const { line, cells } of rows) {
      const [date = "", ...values] = cells;
      if (!isDay(date) || values.length !== names.length) {
        throw invalid(`line ${line} is not an observation`);
      }
      for (const [i, written] of values.entries()) {
        const value = parseFigure(written);
        if (value === null && written !== "." && written !== "") {
          throw invalid(`line ${line} has no number`);
        }
        if (value !== null) all[i]?.push({ period: date, value });
      }
    }
    return all;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalid(`line ${error.line}: ${error.message}`);
  }
}

/** True for a date that exists, YYYY-MM-DD. */
export const isDay = (text: string) =>
  PERIOD.test(text) && frequencyOf(text) === "D" && !Number.isNaN(Date.parse(text));

/** The readers of both forms. */
const READERS = {
  json: parseObservations,
  csv: (text: string, id: string) => parseGraphCsv(FRED, text, [id]).flat(),
} as const;
