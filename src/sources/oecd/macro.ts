import { defineFetcher } from "#sources/fetcher.ts";
import { PERIOD } from "#domain/macro-periods.ts";
import {
  createSeries,
  IN_PERCENT,
  type Observation,
  parseFigure,
  type SeriesSpec,
} from "#sources/macro/series.ts";
import { parseSdmxCsv, type SdmxRow } from "#sources/sdmx/csv.ts";
import { orError } from "#sources/or-error.ts";
import { SourceError } from "#sources/source.ts";
import { OECD } from "./source.ts";

const DATA = "https://sdmx.oecd.org/public/rest/data";

/** The data flow of the series, and the dimensions that distinguish them, in order. */
const DATAFLOWS = {
  /** Key short-term indicators. */
  kei: {
    path: "OECD.SDD.STES,DSD_KEI@DF_KEI,4.0/JPN.M+Q.B1GQ_Q+UNEMP+H_EARN+MABM+IRLT+TOVM+CCICP+PRVM+EX+IM....",
    dimensions: ["FREQ", "MEASURE", "UNIT_MEASURE", "ACTIVITY", "ADJUSTMENT", "TRANSFORMATION"],
  },
  /** Consumer prices by purpose (COICOP 2018). */
  prices: {
    path: "OECD.SDD.TPS,DSD_PRICES_COICOP2018@DF_PRICES_C2018_ALL,1.0/JPN.M.N.CPI.PA._T+_TXCP01_NRG+CP04+CP045_0722.N.GY",
    dimensions: ["FREQ", "MEASURE", "EXPENDITURE", "TRANSFORMATION"],
  },
  /** Industry and construction. */
  industry: {
    path: "OECD.SDD.STES,DSD_STES@DF_INDSERV,4.3/JPN.M.WSDW.IX.F41.Y._Z._Z.N",
    dimensions: ["FREQ", "MEASURE", "UNIT_MEASURE", "ACTIVITY", "ADJUSTMENT"],
  },
  /** Business tendency surveys. */
  surveys: {
    path: "OECD.SDD.STES,DSD_STES@DF_BTS,4.0/JPN.Q.BCICP.PB.C.Y._Z._Z.N",
    dimensions: ["FREQ", "MEASURE", "UNIT_MEASURE", "ACTIVITY", "ADJUSTMENT"],
  },
} as const;

type Dataflow = keyof typeof DATAFLOWS;

interface OecdSpec extends SeriesSpec {
  readonly dataflow: Dataflow;
  /** The values of the dataflow's dimensions, joined by dots. */
  readonly key: string;
}

const spec = (
  dataflow: Dataflow,
  key: string,
  category: SeriesSpec["category"],
  id: string,
  name: string,
  shown: Partial<Pick<SeriesSpec, "unit" | "decimals" | "transform">> = {},
): OecdSpec => ({ ...IN_PERCENT, ...shown, dataflow, key, category, id, name });

const SERIES: readonly OecdSpec[] = [
  spec("kei", "Q.B1GQ_Q.GR._T.Y.GY", "gdp", "gdp-yoy", "GDP growth YoY"),
  spec("kei", "M.UNEMP.PT_LF._T.Y._Z", "labor", "unemployment-rate", "Unemployment rate"),
  spec("kei", "M.H_EARN.GR.C.Y.GY", "labor", "wages-yoy", "Manufacturing wages YoY"),
  spec("prices", "M.CPI._T.GY", "prices", "cpi-yoy", "CPI inflation YoY"),
  spec("prices", "M.CPI._TXCP01_NRG.GY", "prices", "core-cpi-yoy", "Core CPI inflation YoY"),
  spec("kei", "M.MABM.GR._Z.Y.GY", "money", "broad-money-yoy", "Broad money YoY"),
  spec("kei", "M.IRLT.PA._Z._Z._Z", "money", "bond-yield-10y", "10-year bond yield", {
    decimals: 2,
  }),
  spec("kei", "M.TOVM.GR.G47.Y.GY", "consumer", "retail-volume-yoy", "Retail volume YoY"),
  spec("kei", "M.CCICP.PB._Z.Y._Z", "consumer", "consumer-confidence", "Consumer confidence", {
    unit: "balance",
  }),
  spec("prices", "M.CPI.CP04.GY", "housing", "housing-prices-yoy", "Housing and utility CPI"),
  spec("industry", "M.WSDW.IX.F41.Y", "housing", "housing-starts-yoy", "Housing starts YoY", {
    transform: "yoy",
  }),
  spec("kei", "M.PRVM.GR.BTE.Y.GY", "business", "industrial-output-yoy", "Industrial output YoY"),
  spec("surveys", "Q.BCICP.PB.C.Y", "business", "business-confidence", "Business confidence", {
    unit: "balance",
  }),
  spec("kei", "M.EX.GR._T.Y.GY", "trade", "exports-yoy", "Exports YoY"),
  spec("kei", "M.IM.GR._T.Y.GY", "trade", "imports-yoy", "Imports YoY"),
  spec("prices", "M.CPI.CP045_0722.GY", "energy", "energy-prices-yoy", "Energy CPI YoY"),
];

/** 36 months, and a year before them for the comparison. */
const YEARS_BACK = 5;

/** Macro series of Japan. */
export const oecdMacro = defineFetcher({
  kind: "macroSeries",
  source: OECD,
  countries: ["JP"],
  scope: "country",
  complements: true,
  async fetch({ now }, client) {
    const from = new Date(now).getUTCFullYear() - YEARS_BACK;
    const address = ({ path }: { path: string }) =>
      `${DATA}/${path}?startPeriod=${from}&dimensionAtObservation=AllDimensions&format=csvfile`;
    const { kei, ...others } = DATAFLOWS;
    // The key indicators are complete without the other dataflows.
    const textOf = async (dataflow: { path: string }) =>
      (await client.request(address(dataflow), { form: "lines" })).text();
    const answers: [Dataflow, string | SourceError][] = [["kei", await textOf(kei)]];
    for (const [name, dataflow] of Object.entries(others) as [Dataflow, { path: string }][])
      answers.push([name, await orError(() => textOf(dataflow))]);
    return answers;
  },
  lacks: (answers) =>
    answers.flatMap(([dataflow, answer]) =>
      answer instanceof SourceError
        ? SERIES.filter((one) => one.dataflow === dataflow).map(({ name }) => ({
            what: name,
            why: answer.words,
          }))
        : [],
    ),
  transform(answers, { now, country }) {
    const observations = new Map<string, Observation[]>();
    for (const [dataflow, text] of answers) {
      if (text instanceof SourceError) continue;
      for (const row of parseSdmxCsv(OECD, text)) {
        if (row("REF_AREA") !== "JPN") continue;
        const key = `${dataflow}/${DATAFLOWS[dataflow].dimensions.map(row).join(".")}`;
        const listed = observations.get(key) ?? [];
        listed.push(...readObservation(row));
        observations.set(key, listed);
      }
    }
    const series = SERIES.flatMap((one) => {
      const found = observations.get(`${one.dataflow}/${one.key}`) ?? [];
      return createSeries(country, one, found, now) ?? [];
    });
    if (series.length === 0) throw OECD.error("nothing", "no current series");
    return series;
  },
});

/**
 * The observation in a row; empty if its value is missing.
 *
 * @throws SourceError `invalid_answer` if its period or value has another form.
 */
export function readObservation(row: SdmxRow): Observation[] {
  const period = row("TIME_PERIOD");
  const text = row("OBS_VALUE");
  const value = parseFigure(text);
  if (!PERIOD.test(period) || (value === null && !/^(NaN)?$/.test(text))) {
    throw OECD.error("invalid_answer", "a period or value is in another form");
  }
  return value === null ? [] : [{ period, value }];
}
