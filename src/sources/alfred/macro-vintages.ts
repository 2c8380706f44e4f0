import { Type } from "@sinclair/typebox";
import type { Country } from "#domain/country.ts";
import { periodOf } from "#domain/macro-periods.ts";
import type { MacroVintage, MacroVintages } from "#domain/macro-vintages.ts";
import { addDays, addMonths, dateOf } from "#lib/date.ts";
import { answerReader, parseAnswer } from "#sources/check-answer.ts";
import { throughDoors } from "#sources/doors.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { isDay, parseGraphCsv } from "#sources/fred/macro.ts";
import { type FredSpec, firstDayOf, fredSeries } from "#sources/fred/series.ts";
import { createSeries, type Observation, parseFigure } from "#sources/macro/series.ts";
import { listMissing, readEach, requestEach, type Several } from "#sources/macro/several.ts";
import type { SourceClient, SourceRequest } from "#sources/source.ts";
import { ALFRED } from "./source.ts";

/** How far back the API is asked. It gives at most 2,000 vintages in an answer, which only daily series have. */
const YEARS = 5;
/** How many ends of months the CSV files are asked for, and how many a graph has. */
const MONTHS = 24;
const DAYS_PER_GRAPH = 12;
/** More observations than a series has. */
const ALL = 10_000;

/** Figures with the days on which they were the newest ones: from `since` on, and to `until` inclusive. */
interface Known extends Observation {
  readonly since: string;
  readonly until: string;
}

/** What an answer says: the vintages of one series since the first one. */
interface Vintages {
  readonly known: readonly Known[];
  /** True if every change is in it, with its day. False if it only has the figures of some days. */
  readonly isWhole: boolean;
}

/** The answers of a door, by the address. */
interface AlfredAnswer {
  readonly form: "json" | "csv";
  readonly several: Several;
}

/** Series that are requested to test the source. */
const PROBED = 4;

/** The series of a query. Daily and weekly ones are hardly ever revised. */
const specsOf = ({ country, isProbe }: LiveQuery) =>
  fredSeries(country)
    .filter(({ frequency }) => frequency !== "D")
    .slice(0, isProbe ? PROBED : undefined);

/** The vintages of the series of FRED of the US. */
export const alfredVintages = defineFetcher({
  kind: "macroVintages",
  source: ALFRED,
  countries: ["US"],
  scope: "country",
  fetch: (query, client) =>
    throughDoors<AlfredAnswer>(client, ALFRED.doors ?? [], {
      "api.stlouisfed.org": async () => {
        const addresses = specsOf(query).map((spec) => [
          spec.fred,
          apiAddress(spec, query.now, client),
        ]);
        return { form: "json", several: await request(client, addresses, {}) };
      },
      "alfred.stlouisfed.org": async () => {
        const graphs = graphsOf(query.now);
        const addresses = specsOf(query).flatMap((spec) =>
          graphs.map((days) => [keyOf(spec, days), graphAddress(spec, query.now, days)]),
        );
        return { form: "csv", several: await request(client, addresses, { form: "lines" }) };
      },
    }),
  lacks: ({ form, several }, query) =>
    listMissing(several, READERS[form](query.now), (key) =>
      specsOf(query).flatMap(({ fred, name }) => (seriesOf(key) === fred ? [name] : [])),
    ),
  transform({ form, several }, query): MacroVintages[] {
    const { now, country } = query;
    const read = [...readEach(ALFRED, several, READERS[form](now))];
    const all = specsOf(query).flatMap((spec) => {
      const parts = read.flatMap(([key, part]) => (seriesOf(key) === spec.fred ? [part] : []));
      const vintages = vintagesOf(country, spec, parts);
      return vintages.length > 0 ? [{ country, id: spec.id, unit: spec.unit, vintages }] : [];
    });
    if (all.length === 0) throw ALFRED.error("nothing", "no vintages");
    return all;
  },
});

const request = (
  client: SourceClient,
  addresses: readonly string[][],
  options: SourceRequest,
): Promise<Several> => requestEach(client, new Map(addresses as [string, string][]), options);

/** `GDPC1 2026-01-31,2026-02-28` */
const keyOf = ({ fred }: FredSpec, days: readonly string[]) => `${fred} ${days.join()}`;
const seriesOf = (key: string) => key.split(" ")[0];

function apiAddress(spec: FredSpec, now: number, { key }: SourceClient): string {
  const query = new URLSearchParams({
    series_id: spec.fred,
    observation_start: firstDayOf(spec, now),
    realtime_start: firstVintage(now),
    realtime_end: "9999-12-31",
    file_type: "json",
    api_key: key ?? "",
  });
  return `https://api.stlouisfed.org/fred/series/observations?${query.toString()}`;
}

const firstVintage = (now: number) => addMonths(dateOf(now), -12 * YEARS);

/** The last days of the past months in parts of a graph, oldest first. */
function graphsOf(now: number): string[][] {
  const month = `${dateOf(now).slice(0, 7)}-01`;
  const days = Array.from({ length: MONTHS }, (_, i) =>
    addDays(addMonths(month, i + 1 - MONTHS), -1),
  );
  return Array.from({ length: MONTHS / DAYS_PER_GRAPH }, (_, i) =>
    days.slice(i * DAYS_PER_GRAPH, (i + 1) * DAYS_PER_GRAPH),
  );
}

/** A graph with a line for each day: the id is repeated. */
function graphAddress(spec: FredSpec, now: number, days: readonly string[]): string {
  const ids = days.map(() => spec.fred).join();
  return `https://alfred.stlouisfed.org/graph/alfredgraph.csv?id=${ids}&cosd=${firstDayOf(spec, now)}&vintage_date=${days.join()}`;
}

const readObservations = answerReader(
  ALFRED,
  Type.Object({
    realtime_start: Type.String(),
    realtime_end: Type.String(),
    count: Type.Number(),
    observations: Type.Array(
      Type.Object({
        realtime_start: Type.String(),
        realtime_end: Type.String(),
        date: Type.String(),
        value: Type.String(),
      }),
    ),
  }),
);

/** Reads an answer of the API, whose days must be the ones that were asked for. */
const parseObservations =
  (now: number) =>
  (text: string, id: string): Vintages => {
    const answer = readObservations(parseAnswer(ALFRED, new TextEncoder().encode(text)));
    const invalid = (reason: string) => ALFRED.error("invalid_answer", `${id}: ${reason}`);
    if (answer.realtime_start !== firstVintage(now) || answer.realtime_end !== "9999-12-31")
      throw invalid("the answer is of other days");
    if (answer.count > answer.observations.length) throw invalid("the page is not whole");
    const known = answer.observations.flatMap((one): Known[] => {
      const value = parseFigure(one.value);
      const { date: period, realtime_start: since, realtime_end: until } = one;
      const isMissing = one.value === "." || one.value === "";
      if (![period, since, until].every(isDay) || (value === null && !isMissing))
        throw invalid("a row is not an observation");
      return value === null ? [] : [{ period, value, since, until }];
    });
    return { known, isWhole: true };
  };

/** Reads a CSV file. The names of its columns prove the days: `GDPC1_20260131`. */
const parseGraph =
  () =>
  (text: string, key: string): Vintages => {
    const [id = "", days = ""] = key.split(" ");
    const all = days.split(",");
    const columns = parseGraphCsv(
      ALFRED,
      text,
      all.map((day) => `${id}_${day.replaceAll("-", "")}`),
    );
    const known = columns.flatMap((observations, i) => {
      const day = all[i] ?? "";
      return observations.map((one): Known => ({ ...one, since: day, until: day }));
    });
    return { known, isWhole: false };
  };

/** The readers of both forms, on that UTC time. */
const READERS = { json: parseObservations, csv: parseGraph } as const;

/**
 * The vintages of a series as we show it. The figures of the first day may have been published earlier, and without
 * every change all of them. So may a period that ALFRED added after later ones.
 */
function vintagesOf(country: Country, spec: FredSpec, parts: readonly Vintages[]): MacroVintage[] {
  const known = parts.flatMap((part) => part.known);
  const days = [...new Set(known.map(({ since }) => since))].toSorted();
  const isWhole = parts.every((part) => part.isWhole);
  const last = new Map<string, number | null>();
  let newest = "";
  return days
    .flatMap((since, i) => {
      const published = known
        .filter((one) => one.since <= since && one.until >= since)
        .map(({ period, value }) => ({ period: periodOf(period, spec.frequency), value }));
      const series = createSeries(country, { ...spec, kept: ALL }, published, Date.parse(since));
      const { observations = [] } = series ?? {};
      const given = new Set(observations.map(({ period }) => period));
      const gone = [...last].flatMap(([period, value]) =>
        value === null || given.size === 0 || given.has(period) ? [] : [{ period, value: null }],
      );
      return [...observations, ...gone].flatMap(({ period, value }): MacroVintage[] => {
        if (last.get(period) === value) return [];
        const isOlder = period < newest;
        const isBase = !last.has(period) && (i === 0 || !isWhole || isOlder);
        last.set(period, value);
        if (!isOlder) newest = period;
        return [{ period, since, value, ...(isBase && { isBase: true }) }];
      });
    })
    .toSorted((a, b) => (a.period === b.period ? 0 : a.period < b.period ? -1 : 1));
}
