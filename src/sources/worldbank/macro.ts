import { Type } from "@sinclair/typebox";
import { Nullable } from "#domain/schema.ts";
import type { Country } from "#domain/country.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import {
  createSeries,
  IN_PERCENT,
  type Observation,
  type SeriesSpec,
} from "#sources/macro/series.ts";
import { listMissing, readEach, requestEach } from "#sources/macro/several.ts";
import { answerReader, parseAnswer } from "#sources/check-answer.ts";
import { WORLD_BANK } from "./source.ts";

interface WorldBankSpec extends SeriesSpec {
  readonly indicator: string;
  readonly countries: readonly Country[];
}

const spec = (
  indicator: string,
  category: SeriesSpec["category"],
  id: string,
  name: string,
  countries: readonly Country[],
): WorldBankSpec => ({ ...IN_PERCENT, indicator, countries, category, id, name });

/** Annual figures, all in percent; the national sources have the rest. */
const SERIES: readonly WorldBankSpec[] = [
  spec("NY.GDP.MKTP.KD.ZG", "gdp", "gdp-growth-annual", "GDP growth, annual", ["VN", "JP"]),
  spec("FP.CPI.TOTL.ZG", "prices", "cpi-annual", "CPI inflation, annual", ["VN", "JP"]),
  spec("FM.LBL.BMNY.ZG", "money", "broad-money-annual", "Broad money growth", ["VN"]),
  spec("NE.CON.PRVT.KD.ZG", "consumer", "household-spending", "Household spending growth", [
    "VN",
    "JP",
  ]),
  spec("BX.KLT.DINV.WD.GD.ZS", "business", "fdi-to-gdp", "FDI inflow to GDP", ["VN"]),
  spec("NE.EXP.GNFS.ZS", "trade", "exports-to-gdp", "Exports to GDP", ["VN"]),
  spec("NE.CON.GOVT.ZS", "government", "public-consumption", "Public consumption to GDP", ["VN"]),
  spec("EG.ELC.RNEW.ZS", "energy", "renewable-power", "Renewable power share", ["VN", "US"]),
];

const ISO3: Readonly<Record<Country, string>> = { US: "USA", JP: "JPN", VN: "VNM" };
const YEARS_BACK = 40;

/** Annual macro series that fill gaps. */
export const worldBankMacro = defineFetcher({
  kind: "macroSeries",
  source: WORLD_BANK,
  countries: ["VN", "JP", "US"],
  scope: "country",
  complements: true,
  fetch: ({ now, country }, client) => {
    const year = new Date(now).getUTCFullYear();
    return requestEach(
      client,
      new Map(
        seriesOf(country).map(({ indicator }) => [
          indicator,
          `https://api.worldbank.org/v2/country/${ISO3[country]}/indicator/${indicator}?format=json&per_page=20000&date=${year - YEARS_BACK}:${year}`,
        ]),
      ),
    );
  },
  lacks: (raw, { country }) =>
    listMissing(
      raw,
      (body, indicator) => parseObservations(body, indicator, ISO3[country]),
      (indicator) =>
        seriesOf(country)
          .filter((one) => one.indicator === indicator)
          .map(({ name }) => name),
    ),
  transform(raw, { now, country }) {
    const read = readEach(WORLD_BANK, raw, (body, indicator) =>
      parseObservations(body, indicator, ISO3[country]),
    );
    const series = seriesOf(country).flatMap(
      (one) => createSeries(country, one, read.get(one.indicator) ?? [], now) ?? [],
    );
    if (series.length === 0) {
      throw WORLD_BANK.error("nothing", "no current series");
    }
    return series;
  },
});

const seriesOf = (country: Country) =>
  SERIES.filter(({ countries }) => countries.includes(country));

const readPage = answerReader(
  WORLD_BANK,
  Type.Tuple([
    Type.Object({ pages: Type.Number() }),
    Nullable(
      Type.Array(
        Type.Object({
          indicator: Type.Object({ id: Type.String() }),
          countryiso3code: Type.String(),
          date: Type.String(),
          value: Nullable(Type.Number()),
        }),
      ),
    ),
  ]),
);

/**
 * The years of one indicator that have a value; the newest years usually have none. An error has
 * the status 200, with a message instead of the page.
 */
function parseObservations(body: string, indicator: string, iso3: string): Observation[] {
  const invalid = (reason: string) => WORLD_BANK.error("invalid_answer", `${indicator}: ${reason}`);
  const [{ pages }, rows] = readPage(parseAnswer(WORLD_BANK, new TextEncoder().encode(body)));
  if (pages > 1) throw invalid("the page is not whole");
  return (rows ?? []).flatMap((row): Observation[] => {
    if (row.indicator.id !== indicator) throw invalid("an observation of something else");
    const { countryiso3code, date, value } = row;
    if (countryiso3code !== iso3) return [];
    if (!/^\d{4}$/.test(date)) throw invalid("a period that is not a year");
    return value === null ? [] : [{ period: date, value }];
  });
}
