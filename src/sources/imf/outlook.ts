import { Nullable } from "#domain/schema.ts";
import { answerReader } from "#sources/check-answer.ts";
import { Type } from "@sinclair/typebox";
import type { Country } from "#domain/country.ts";
import { isDate } from "#lib/date.ts";
import { parseFigure } from "#sources/macro/series.ts";
import { throughDoors } from "#sources/doors.ts";
import { parseSdmxCsv } from "#sources/sdmx/csv.ts";
import { parseSdmxXml } from "#sources/sdmx/xml.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";
import { IMF } from "./source.ts";

/** The answers of the World Economic Outlook: of the SDMX service, or of the DataMapper by indicator. */
export type OutlookAnswer =
  | { readonly form: "sdmx"; readonly text: string }
  | {
      readonly form: "datamapper";
      readonly answers: readonly [indicator: string, body: unknown][];
    };

/** One country's figures of the World Economic Outlook. */
export interface Outlook {
  /** Year and month of publication (`2026-10`), or null if the answer does not say. */
  readonly edition: string | null;
  /** The UTC date since which its figures are published; null if the answer does not say when they last changed. */
  readonly publishedOn: string | null;
  /** By indicator, by year. */
  readonly years: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

const ISO3: Readonly<Record<Country, string>> = { US: "USA", JP: "JPN", VN: "VNM" };

/** Forecasts and public finances share figures, and are fetched one after the other. */
const MAX_AGE_MS = 10 * 60_000;

/** The forms of the SDMX service. Each was seen to be answered. */
const FORMS = ["application/vnd.sdmx.data+csv", "application/xml"] as const;

/** Requests the SDMX service, then the DataMapper if the service refuses or has nothing of the country. */
export function requestOutlook(
  client: SourceClient,
  country: Country,
  indicators: readonly string[],
): Promise<OutlookAnswer> {
  return throughDoors<OutlookAnswer>(client, IMF.doors ?? [], {
    "api.imf.org": () => requestSdmx(client, country, indicators),
    "www.imf.org": () => requestDataMapper(client, country, indicators),
  });
}

async function requestDataMapper(
  client: SourceClient,
  country: Country,
  indicators: readonly string[],
): Promise<OutlookAnswer> {
  const answers: [string, unknown][] = [];
  for (const indicator of indicators) {
    const answer = await client.request(
      `https://www.imf.org/external/datamapper/api/v1/${indicator}/${ISO3[country]}`,
      { headers: { accept: "application/json" }, maxAgeMs: MAX_AGE_MS },
    );
    answers.push([indicator, await answer.json()]);
  }
  return { form: "datamapper", answers };
}

/** @throws SourceError of the last form; `nothing` if the answer has no figure of the country */
async function requestSdmx(
  client: SourceClient,
  country: Country,
  indicators: readonly string[],
): Promise<OutlookAnswer> {
  const address = `https://api.imf.org/external/sdmx/3.0/data/dataflow/IMF.RES/WEO/+/${ISO3[country]}.${indicators.join("+")}.A`;
  for (const accept of FORMS) {
    try {
      const text = (await client.request(address, { headers: { accept }, form: "lines" })).text();
      if (readSdmx(text, ISO3[country]).years.size > 0) return { form: "sdmx", text };
      throw IMF.error("nothing", "api.imf.org has no figures of the country");
    } catch (error) {
      if (accept === FORMS.at(-1) || !isRefusedForm(error)) throw error;
    }
  }
  throw new Error("The SDMX service has no form.");
}

/** True if the service may answer in another form. */
function isRefusedForm(error: unknown): boolean {
  if (!(error instanceof SourceError)) return false;
  return error.fault === "invalid_answer" || [406, 415].includes(Number(error.refusal?.cause));
}

/**
 * The figures of one country in an answer. The DataMapper may answer for other countries than requested.
 *
 * @throws SourceError `invalid_answer` if it has another form.
 */
export function readOutlook(answer: OutlookAnswer, country: Country): Outlook {
  return answer.form === "sdmx"
    ? readSdmx(answer.text, ISO3[country])
    : {
        edition: null,
        publishedOn: null,
        years: new Map(
          answer.answers.map(([indicator, body]) => [
            indicator,
            readDataMapper(body, indicator, ISO3[country]),
          ]),
        ),
      };
}

const Years = Type.Record(Type.String(), Nullable(Type.Number()));

/** `{values: {NGDP_RPCH: {VNM: {"2026": 6.0}}}}`; only an unknown indicator has no values. */
const readValues = answerReader(
  IMF,
  Type.Object({
    values: Type.Optional(Type.Record(Type.String(), Type.Record(Type.String(), Years))),
    api: Type.Optional(Type.Unknown()),
  }),
);

function readDataMapper(body: unknown, indicator: string, iso3: string): Map<number, number> {
  const { values, api } = readValues(body);
  if (values === undefined && api === undefined) {
    throw IMF.error("invalid_answer", `${indicator}: not the form of the DataMapper`);
  }
  const years = Object.entries(values?.[indicator]?.[iso3] ?? {});
  return new Map(
    years.flatMap(([year, value]): [number, number][] => {
      if (value === null) return [];
      if (/^\d{4}$/.test(year)) return [[Number(year), value]];
      throw IMF.error("invalid_answer", `${indicator}: a figure without a year`);
    }),
  );
}

function readSdmx(text: string, iso3: string): Outlook {
  return text.trimStart().startsWith("<") ? readXml(text, iso3) : readCsv(text, iso3);
}

function readXml(text: string, iso3: string): Outlook {
  const { dataSet, series } = parseSdmxXml(IMF, text);
  const years = new Map<string, Map<number, number>>();
  for (const { attributes, observations } of series) {
    const indicator = attributes.get("INDICATOR");
    if (indicator === undefined || attributes.get("FREQUENCY") === undefined) {
      throw IMF.error("invalid_answer", "a series without its dimensions");
    }
    if (attributes.get("COUNTRY") !== iso3 || attributes.get("FREQUENCY") !== "A") continue;
    for (const { period, value } of observations) addYear(years, indicator, period, value);
  }
  return { ...publicationOf((name) => dataSet.get(name) ?? ""), years };
}

function readCsv(text: string, iso3: string): Outlook {
  const years = new Map<string, Map<number, number>>();
  let publication = publicationOf(() => "");
  for (const row of parseSdmxCsv(IMF, text, ["COUNTRY", "INDICATOR", "FREQUENCY"])) {
    if (publication.edition === null) publication = publicationOf(row);
    if (row("COUNTRY") !== iso3 || row("FREQUENCY") !== "A") continue;
    addYear(years, row("INDICATOR"), row("TIME_PERIOD"), row("OBS_VALUE"));
  }
  return { ...publication, years };
}

function addYear(
  years: Map<string, Map<number, number>>,
  indicator: string,
  period: string,
  value: string,
): void {
  const figure = parseFigure(value);
  if (!/^\d{4}$/.test(period) || figure === null) return;
  const own = years.get(indicator) ?? new Map<number, number>();
  years.set(indicator, own.set(Number(period), figure));
}

/** When an edition was published. Its figures can have been corrected since. */
function publicationOf(valueOf: (name: string) => string): Omit<Outlook, "years"> {
  const [published = "", updated = ""] = ["PUBLICATION_DATE", "UPDATE_DATE"].map(valueOf);
  const [first, last] = [published, updated].map((text) => text.slice(0, 10)).toSorted();
  return {
    edition: /^(\d{4}-(0[1-9]|1[0-2]))-/.exec(published)?.[1] ?? null,
    publishedOn: [first, last].every((day = "") => isDate(day)) ? (last ?? null) : null,
  };
}
