import { Type } from "@sinclair/typebox";
import { type Frequency, frequencyOf, PERIOD, periodOf } from "#domain/macro-periods.ts";
import { Nullable } from "#domain/schema.ts";
import { addMonths, dateOf } from "#lib/date.ts";
import { answerReader, parseAnswer } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import {
  createSeries,
  IN_PERCENT,
  type Observation,
  parseFigure,
  type SeriesSpec,
} from "#sources/macro/series.ts";
import { listMissing, readEach, requestEach } from "#sources/macro/several.ts";
import { BOJ } from "./source.ts";

/** A database, the frequency of our series in it, and the unit in which it must state them. */
const DATABASES = {
  /** The uncollateralized overnight call rate, which the bank guides. */
  FM01: ["D", /^(%|percent)/i],
  /** The basic loan rate. */
  IR01: ["D", /^(%|percent)/i],
  MD01: ["M", /^100 million yen/i],
  MD02: ["M", /^(%|percent)/i],
  PR01: ["M", /^CY\d{4}=100/i],
  /** The Tankan: the percentage of companies with good business conditions minus those with bad ones. */
  CO: ["Q", /^(%|percent)/i],
} as const satisfies Readonly<Record<string, readonly [Frequency, RegExp]>>;
type Database = keyof typeof DATABASES;

interface BojSpec extends SeriesSpec {
  readonly database: Database;
  readonly code: string;
}

const spec = (
  database: Database,
  code: string,
  category: SeriesSpec["category"],
  id: string,
  name: string,
  shown: Partial<SeriesSpec> = {},
): BojSpec => ({ ...IN_PERCENT, isDetail: true, ...shown, database, code, category, id, name });

const RATE = { decimals: 3 } as const;
const GROWTH = { transform: "yoy" } as const;
const DIFFUSION = { unit: "index", decimals: 0 } as const;

const SERIES: readonly BojSpec[] = [
  spec("FM01", "STRDCLUCON", "money", "call-rate-daily", "Call rate, daily", RATE),
  spec("IR01", "MADR1Z@D", "money", "basic-loan-rate", "BoJ basic loan rate", RATE),
  spec("MD01", "MABS1AN11", "money", "monetary-base-yoy", "Monetary base YoY", GROWTH),
  spec("MD02", "MAM1YAM2M2MO", "money", "m2-yoy", "M2 money stock YoY"),
  spec("MD02", "MAM1YAM3M3MO", "money", "m3-yoy", "M3 money stock YoY"),
  spec("PR01", "PRCG20_2200000000", "prices", "producer-prices-yoy", "Producer prices YoY", GROWTH),
  spec(
    "CO",
    "TK99F1000601GCQ01000",
    "business",
    "tankan-large-manufacturers",
    "Tankan large manufacturers",
    { ...DIFFUSION, isDetail: false },
  ),
  spec(
    "CO",
    "TK99F2000601GCQ01000",
    "business",
    "tankan-large-non-manufacturers",
    "Tankan large non-manuf.",
    DIFFUSION,
  ),
];

/** The number of months to request: 36 observations, and a year before them for the comparison. */
const MONTHS_BACK = { D: 12, M: 60, Q: 144, A: 480 } as const;

/** Macro series of the Bank of Japan, from one request for each database. */
export const bojMacro = defineFetcher({
  kind: "macroSeries",
  source: BOJ,
  countries: ["JP"],
  scope: "country",
  complements: true,
  fetch: ({ now }, client) =>
    requestEach(
      client,
      new Map((Object.keys(DATABASES) as Database[]).map((name) => [name, addressOf(name, now)])),
    ),
  lacks: (raw) =>
    listMissing(raw, readDatabase, (database) =>
      SERIES.filter((one) => one.database === database).map(({ name }) => name),
    ),
  transform(raw, { now }) {
    const read = readEach(BOJ, raw, readDatabase);
    const series = SERIES.flatMap((one) => {
      const observations = read.get(one.database)?.get(one.code) ?? [];
      return createSeries("JP", one, observations, now) ?? [];
    });
    if (series.length === 0) throw BOJ.error("nothing", "no current series");
    return series;
  },
});

function addressOf(name: Database, now: number): string {
  const codes = SERIES.filter(({ database }) => database === name).map(({ code }) => code);
  const [frequency] = DATABASES[name];
  const from = addMonths(dateOf(now), -MONTHS_BACK[frequency]);
  const period =
    frequency === "Q" ? periodOf(from, "Q").replace("-Q", "0") : from.slice(0, 7).replace("-", "");
  const query = new URLSearchParams({
    format: "json",
    lang: "en",
    db: name,
    code: codes.join(","),
    startDate: period,
  });
  return `https://www.stat-search.boj.or.jp/api/v1/getDataCode?${query.toString()}`;
}

/** A number as JSON, or as text in some answers. */
const Cell = Type.Union([Type.Number(), Type.String()]);

const readAnswer = answerReader(
  BOJ,
  Type.Object({
    STATUS: Type.Integer(),
    MESSAGEID: Type.String(),
    NEXTPOSITION: Type.Optional(Nullable(Cell)),
    RESULTSET: Type.Optional(
      Nullable(
        Type.Array(
          Type.Object({
            SERIES_CODE: Type.String(),
            UNIT: Type.String(),
            VALUES: Type.Object({
              SURVEY_DATES: Type.Array(Cell),
              VALUES: Type.Array(Nullable(Cell)),
            }),
          }),
        ),
      ),
    ),
  }),
);

/**
 * The observations in an answer by the code of their series. A day or month without a value has null. Errors
 * have the HTTP status 200 and another `STATUS`.
 */
function readDatabase(body: string, name: string): Map<string, Observation[]> {
  const invalid = (reason: string) => BOJ.error("invalid_answer", `${name}: ${reason}`);
  const answer = readAnswer(parseAnswer(BOJ, new TextEncoder().encode(body)));
  const id = /^M\d{6}[A-Z]$/.exec(answer.MESSAGEID)?.[0] ?? "without an id";
  if (answer.STATUS !== 200) throw invalid(`its message is ${id}`);
  if ((answer.NEXTPOSITION ?? "") !== "") throw invalid("the answer is not whole");
  const [frequency, unit] = DATABASES[name as Database];
  const found = new Map<string, Observation[]>();
  for (const { SERIES_CODE: code, UNIT, VALUES } of answer.RESULTSET ?? []) {
    const { SURVEY_DATES: dates, VALUES: values } = VALUES;
    if (!unit.test(UNIT.trim())) throw invalid("a series has another unit");
    if (dates.length !== values.length) throw invalid("a series has dates without values");
    const observations = dates.flatMap((date, i): Observation[] => {
      const period = readPeriod(String(date), frequency);
      if (period === null) throw invalid("a period is in another form");
      const cell = values[i] ?? "";
      const value = parseFigure(String(cell));
      if (value === null && cell !== "") throw invalid("a value is no number");
      return value === null ? [] : [{ period, value }];
    });
    found.set(code, observations);
  }
  for (const { database, code } of SERIES)
    if (database === name && !found.has(code)) throw invalid("a series is missing");
  return found;
}

/** The period of `20260821`, `202608` or, of a quarter, `202602`; null for another form. */
function readPeriod(text: string, frequency: Frequency): string | null {
  const [, year = "", part = "", day] = /^(\d{4})(\d{2})(\d{2})?$/.exec(text) ?? [];
  if (frequency === "Q" && !part.startsWith("0")) return null;
  const period = [year, frequency === "Q" ? `Q${part.slice(1)}` : part, ...(day ? [day] : [])].join(
    "-",
  );
  return PERIOD.test(period) && frequencyOf(period) === frequency ? period : null;
}
