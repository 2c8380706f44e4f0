import { Nullable } from "#domain/schema.ts";
import { answerReader } from "#sources/check-answer.ts";
import { Type } from "@sinclair/typebox";
import type { Country } from "#domain/country.ts";
import { parseFigure } from "#sources/macro/series.ts";
import { parseSdmxXml } from "#sources/sdmx/xml.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";
import { IMF } from "./source.ts";

/** The answers of the World Economic Outlook: of the DataMapper by indicator, or of the SDMX service. */
export type OutlookAnswer =
  | { readonly form: "datamapper"; readonly answers: readonly [indicator: string, body: unknown][] }
  | { readonly form: "sdmx"; readonly text: string };

/** One country's figures of the World Economic Outlook. */
export interface Outlook {
  /** Year and month of publication (`2026-10`), or null if the answer does not say. */
  readonly edition: string | null;
  /** By indicator, by year. */
  readonly years: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

const ISO3: Readonly<Record<Country, string>> = { US: "USA", JP: "JPN", VN: "VNM" };

/** Forecasts and public finances share figures, and are fetched one after the other. */
const MAX_AGE_MS = 10 * 60_000;

/** Requests the DataMapper, then the SDMX service if the DataMapper refuses programs, as it sometimes does. */
export async function requestOutlook(
  client: SourceClient,
  country: Country,
  indicators: readonly string[],
): Promise<OutlookAnswer> {
  try {
    const answers: [string, unknown][] = [];
    for (const indicator of indicators) {
      const answer = await client.request(
        `https://www.imf.org/external/datamapper/api/v1/${indicator}/${ISO3[country]}`,
        { headers: { accept: "application/json" }, maxAgeMs: MAX_AGE_MS },
      );
      answers.push([indicator, await answer.json()]);
    }
    return { form: "datamapper", answers };
  } catch (error) {
    if (!(error instanceof SourceError) || error.fault === "not_asked") throw error;
    return { form: "sdmx", text: await requestSdmx(client, country, indicators, error) };
  }
}

/** @throws SourceError; `instead` if the service is not called or has no data, because `instead` is the cause */
async function requestSdmx(
  client: SourceClient,
  country: Country,
  indicators: readonly string[],
  instead: SourceError,
): Promise<string> {
  const address = `https://api.imf.org/external/sdmx/3.0/data/dataflow/IMF.RES/WEO/+/${ISO3[country]}.${indicators.join("+")}.A`;
  const headers = { accept: "application/vnd.sdmx.structurespecificdata+xml;version=2.1" };
  try {
    return (await client.request(address, { headers })).text();
  } catch (error) {
    const isReason =
      !(error instanceof SourceError) || !["nothing", "not_asked"].includes(error.fault);
    throw isReason ? error : instead;
  }
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
  const { dataSet, series } = parseSdmxXml(IMF, text);
  const years = new Map<string, Map<number, number>>();
  for (const { attributes, observations } of series) {
    const indicator = attributes.get("INDICATOR");
    if (indicator === undefined || attributes.get("FREQUENCY") === undefined) {
      throw IMF.error("invalid_answer", "a series without its dimensions");
    }
    if (attributes.get("COUNTRY") !== iso3 || attributes.get("FREQUENCY") !== "A") continue;
    const values = new Map<number, number>();
    for (const { period, value } of observations) {
      const figure = parseFigure(value);
      if (/^\d{4}$/.test(period) && figure !== null) values.set(Number(period), figure);
    }
    years.set(indicator, values);
  }
  const published = /^(\d{4}-(0[1-9]|1[0-2]))-/.exec(dataSet.get("PUBLICATION_DATE") ?? "");
  return { edition: published?.[1] ?? null, years };
}
