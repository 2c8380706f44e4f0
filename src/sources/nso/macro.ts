import { defineFetcher } from "#sources/fetcher.ts";
import { type Frequency, frequencyOf, PERIOD } from "#domain/macro-periods.ts";
import {
  createSeries,
  type Observation,
  parseFigure,
  type SeriesSpec,
} from "#sources/macro/series.ts";
import { requestEach, readEach } from "#sources/macro/several.ts";
import { parseSdmxXml, type SdmxSeries } from "#sources/sdmx/xml.ts";
import { NSO } from "./source.ts";

const OFFICE = "https://nsdp.nso.gov.vn/GSO-chung/SDMXFiles/GSO";
const BANK = "https://sbv.gov.vn/webcenter/ShowProperty?nodeId=/UCMServer";
const BANK_NEWEST = "//idcPrimaryFile&revision=latestreleased";

/** The files that Viet Nam publishes for the IMF's data standard. */
const FILES = {
  GDPVNM: `${OFFICE}/GDPVNM.xml`,
  LMIVNM: `${OFFICE}/LMIVNM.xml`,
  CPIVNM: `${OFFICE}/CPIVNM.xml`,
  IIPVNM: `${OFFICE}/IIPVNM.xml`,
  METVNM: `${OFFICE}/METVNM.xml`,
  "SBV.INR": `${BANK}/SBV471011${BANK_NEWEST}`,
  "SBV.EXR": `${BANK}/SBV471014${BANK_NEWEST}`,
} as const;

interface NsoSpec extends SeriesSpec {
  readonly file: keyof typeof FILES;
  readonly indicator: string;
  readonly frequency: Frequency;
  /**
   * True if the file's multiplier applies. Rates have one too (the unemployment rate has thousands),
   * which must be ignored.
   */
  readonly multiplied: boolean;
}

type Row = [
  file: keyof typeof FILES,
  frequency: Frequency,
  indicator: string,
  category: SeriesSpec["category"],
  id: string,
  name: string,
];

const rate = (...[file, frequency, indicator, category, id, name]: Row): NsoSpec => ({
  file,
  frequency,
  indicator,
  category,
  id,
  name,
  unit: "%",
  decimals: 1,
  transform: "level",
  multiplied: false,
});

const yearOnYear = (...row: Row): NsoSpec => ({ ...rate(...row), transform: "yoy" });

const amount = (
  unit: string,
  decimals: number,
  scale: number,
  ...[file, frequency, indicator, category, id, name]: Row
): NsoSpec => ({
  file,
  frequency,
  indicator,
  category,
  id,
  name,
  unit,
  decimals,
  scale,
  transform: "level",
  multiplied: true,
});

/** Quarterly GDP is under its production approach (`_PA_`): the file's annual real one ends in a wrong figure. */
const SERIES: readonly NsoSpec[] = [
  yearOnYear("GDPVNM", "Q", "NGDP_R_PA_XDC", "gdp", "gdp-yoy", "GDP growth YoY"),
  amount("VND tn", 0, 1e-12, "GDPVNM", "Q", "NGDP_PA_XDC", "gdp", "nominal-gdp", "Nominal GDP"),
  {
    ...rate("LMIVNM", "Q", "LUR_PT", "labor", "unemployment-rate", "Unemployment rate"),
    decimals: 2,
  },
  amount("million", 1, 1e-6, "LMIVNM", "Q", "LE_PE_NUM", "labor", "employment", "Employment"),
  {
    ...yearOnYear("CPIVNM", "M", "PCPI_IX", "prices", "cpi-yoy", "CPI inflation YoY"),
    decimals: 2,
  },
  {
    ...rate("CPIVNM", "M", "PCPICO_PC_PP_PT", "prices", "core-cpi-yoy", "Core CPI inflation YoY"),
    decimals: 2,
  },
  yearOnYear("CPIVNM", "M", "PCPI_CP_01_IX", "prices", "food-prices-yoy", "Food prices YoY"),
  rate("SBV.INR", "M", "FIR_PA", "money", "refinancing-rate", "Refinancing rate"),
  amount(
    "VND",
    0,
    1,
    "SBV.EXR",
    "M",
    "ENDA_MID_XDC_USD_RATE",
    "money",
    "usd-vnd",
    "USD/VND mid rate",
  ),
  yearOnYear(
    "GDPVNM",
    "Q",
    "NGDPVA_R_ISIC4_G_XDC",
    "consumer",
    "retail-trade-yoy",
    "Retail trade output YoY",
  ),
  yearOnYear(
    "CPIVNM",
    "M",
    "PCPI_CP_04_IX",
    "housing",
    "housing-prices-yoy",
    "Housing and utility CPI",
  ),
  yearOnYear(
    "GDPVNM",
    "Q",
    "NGDPVA_R_ISIC4_L_XDC",
    "housing",
    "real-estate-yoy",
    "Real estate output YoY",
  ),
  yearOnYear(
    "IIPVNM",
    "M",
    "AIP_ISIC4_IX",
    "business",
    "industrial-output-yoy",
    "Industrial output YoY",
  ),
  yearOnYear(
    "IIPVNM",
    "M",
    "AIP_ISIC4_C_IX",
    "business",
    "manufacturing-yoy",
    "Manufacturing output YoY",
  ),
  amount("USD bn", 2, 1e-9, "METVNM", "M", "TB_USD", "trade", "trade-balance", "Trade balance"),
  amount("USD bn", 2, 1e-9, "METVNM", "M", "TXG_FOB_USD", "trade", "exports", "Exports"),
  amount("USD bn", 2, 1e-9, "METVNM", "M", "TMG_CIF_USD", "trade", "imports", "Imports"),
  yearOnYear(
    "GDPVNM",
    "Q",
    "NGDPVA_R_ISIC4_O_XDC",
    "government",
    "public-output-yoy",
    "Public admin output YoY",
  ),
  yearOnYear(
    "IIPVNM",
    "M",
    "AIP_ISIC4_D_IX",
    "energy",
    "power-output-yoy",
    "Power and gas output YoY",
  ),
  amount(
    "USD m",
    0,
    1e-6,
    "METVNM",
    "M",
    "TMG_H5_2709_CIF_USD",
    "energy",
    "crude-imports",
    "Crude oil imports",
  ),
  yearOnYear("CPIVNM", "M", "PCPI_CP_07_IX", "energy", "transport-prices-yoy", "Transport CPI YoY"),
];

/** Macro series of Viet Nam. */
export const nsoMacro = defineFetcher({
  kind: "macroSeries",
  source: NSO,
  countries: ["VN"],
  scope: "country",
  complements: true,
  fetch: (_query, client) =>
    requestEach(client, new Map(Object.entries(FILES)), { headers: { accept: "application/xml" } }),
  transform(raw, { now, country }) {
    const files = readEach(NSO, raw, readFile);
    const records = SERIES.flatMap((spec) => {
      const observations = files.get(spec.file)?.get(spec.id) ?? [];
      return createSeries(country, spec, observations, now) ?? [];
    });
    if (records.length === 0) throw NSO.error("nothing", "no current series");
    return records;
  },
});

/** The observations of our series in one file, by our id. */
function readFile(body: string, file: string): Map<string, Observation[]> {
  const { series } = parseSdmxXml(NSO, body);
  if (series.length === 0) throw NSO.error("invalid_answer", `${file}: no series`);
  return new Map(
    SERIES.filter((spec) => spec.file === file).map((spec) => {
      const published = series.find(
        ({ attributes }) =>
          attributes.get("INDICATOR") === spec.indicator &&
          attributes.get("FREQ") === spec.frequency &&
          attributes.get("REF_AREA") === "VN",
      );
      return [spec.id, published ? observationsOf(published, spec) : []];
    }),
  );
}

/** Unsorted, as in the file; `na` and other texts that are not numbers are missing values. */
function observationsOf(
  { attributes, observations }: SdmxSeries,
  { multiplied, frequency }: NsoSpec,
): Observation[] {
  const multiplier = 10 ** (multiplied ? Number(attributes.get("UNIT_MULT") ?? 0) : 0);
  return observations.flatMap(({ period, value }) => {
    if (!PERIOD.test(period) || frequencyOf(period) !== frequency) {
      throw NSO.error("invalid_answer", "a period is in another form");
    }
    const figure = parseFigure(value);
    return figure === null ? [] : [{ period, value: figure * multiplier }];
  });
}
