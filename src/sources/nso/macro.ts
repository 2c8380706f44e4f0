import { defineFetcher } from "#sources/fetcher.ts";
import { frequencyOf, PERIOD } from "#domain/macro-periods.ts";
import {
  createSeries,
  IN_PERCENT,
  type Observation,
  parseFigure,
  type SeriesSpec,
} from "#sources/macro/series.ts";
import { listMissing, readEach, requestEach } from "#sources/macro/several.ts";
import { parseSdmxXml, type SdmxSeries } from "#sources/sdmx/xml.ts";
import { NSO } from "./source.ts";

const OFFICE = "https://nsdp.nso.gov.vn/GSO-chung/SDMXFiles/GSO";

/** The files that Viet Nam publishes for the IMF's data standard, with the frequency of our series. */
const FILES = {
  GDPVNM: ["Q", `${OFFICE}/GDPVNM.xml`],
  LMIVNM: ["Q", `${OFFICE}/LMIVNM.xml`],
  CPIVNM: ["M", `${OFFICE}/CPIVNM.xml`],
  IIPVNM: ["M", `${OFFICE}/IIPVNM.xml`],
  METVNM: ["M", `${OFFICE}/METVNM.xml`],
} as const;

type Shown = Partial<Pick<SeriesSpec, "unit" | "decimals" | "transform" | "scale">>;
type Row = [id: string, name: string, file: keyof typeof FILES, indicator: string, shown?: Shown];

const GROWTH = { transform: "yoy" } as const;
const DOLLARS = { unit: "USD bn", decimals: 2, scale: 1e-9 };

/** Quarterly GDP is under its production approach (`_PA_`): the file's annual real one ends in a wrong figure. */
const TABLE: Readonly<Partial<Record<SeriesSpec["category"], readonly Row[]>>> = {
  gdp: [
    ["gdp-yoy", "GDP growth YoY", "GDPVNM", "NGDP_R_PA_XDC", GROWTH],
    [
      "nominal-gdp",
      "Nominal GDP",
      "GDPVNM",
      "NGDP_PA_XDC",
      { unit: "VND tn", decimals: 0, scale: 1e-12 },
    ],
  ],
  labor: [
    ["unemployment-rate", "Unemployment rate", "LMIVNM", "LUR_PT", { decimals: 2 }],
    ["employment", "Employment", "LMIVNM", "LE_PE_NUM", { unit: "million", scale: 1e-6 }],
  ],
  prices: [
    ["cpi-yoy", "CPI inflation YoY", "CPIVNM", "PCPI_IX", { ...GROWTH, decimals: 2 }],
    ["core-cpi-yoy", "Core CPI inflation YoY", "CPIVNM", "PCPICO_PC_PP_PT", { decimals: 2 }],
    ["food-prices-yoy", "Food prices YoY", "CPIVNM", "PCPI_CP_01_IX", GROWTH],
  ],
  consumer: [
    ["retail-trade-yoy", "Retail trade output YoY", "GDPVNM", "NGDPVA_R_ISIC4_G_XDC", GROWTH],
  ],
  housing: [
    ["housing-prices-yoy", "Housing and utility CPI", "CPIVNM", "PCPI_CP_04_IX", GROWTH],
    ["real-estate-yoy", "Real estate output YoY", "GDPVNM", "NGDPVA_R_ISIC4_L_XDC", GROWTH],
  ],
  business: [
    ["industrial-output-yoy", "Industrial output YoY", "IIPVNM", "AIP_ISIC4_IX", GROWTH],
    ["manufacturing-yoy", "Manufacturing output YoY", "IIPVNM", "AIP_ISIC4_C_IX", GROWTH],
  ],
  trade: [
    ["trade-balance", "Trade balance", "METVNM", "TB_USD", DOLLARS],
    ["exports", "Exports", "METVNM", "TXG_FOB_USD", DOLLARS],
    ["imports", "Imports", "METVNM", "TMG_CIF_USD", DOLLARS],
  ],
  government: [
    ["public-output-yoy", "Public admin output YoY", "GDPVNM", "NGDPVA_R_ISIC4_O_XDC", GROWTH],
  ],
  energy: [
    ["power-output-yoy", "Power and gas output YoY", "IIPVNM", "AIP_ISIC4_D_IX", GROWTH],
    [
      "crude-imports",
      "Crude oil imports",
      "METVNM",
      "TMG_H5_2709_CIF_USD",
      { unit: "USD m", decimals: 0, scale: 1e-6 },
    ],
    ["transport-prices-yoy", "Transport CPI YoY", "CPIVNM", "PCPI_CP_07_IX", GROWTH],
  ],
};

const SERIES = Object.entries(TABLE).flatMap(([category, rows]) =>
  rows.map(([id, name, file, indicator, shown]) => {
    const spec = { category: category as SeriesSpec["category"], id, name, file, indicator };
    return { ...IN_PERCENT, ...spec, ...shown };
  }),
);
type NsoSpec = (typeof SERIES)[number];

/** Macro series of Viet Nam. */
export const nsoMacro = defineFetcher({
  kind: "macroSeries",
  source: NSO,
  countries: ["VN"],
  scope: "country",
  complements: true,
  fetch: (_query, client) =>
    requestEach(
      client,
      new Map(Object.entries(FILES).map(([name, [, address]]) => [name, address])),
      { headers: { accept: "application/xml" } },
    ),
  lacks: (raw) =>
    listMissing(raw, readFile, (file) =>
      SERIES.filter((spec) => spec.file === file).map(({ name }) => name),
    ),
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
          attributes.get("FREQ") === FILES[spec.file][0] &&
          attributes.get("REF_AREA") === "VN",
      );
      return [spec.id, published ? observationsOf(published, spec) : []];
    }),
  );
}

/** Unsorted, as in the file; `na` and other texts that are not numbers are missing values. */
function observationsOf(
  { attributes, observations }: SdmxSeries,
  { file, scale }: NsoSpec,
): Observation[] {
  // Rates have a multiplier too (the unemployment rate has thousands), which must be ignored.
  const multiplier = 10 ** (scale === undefined ? 0 : Number(attributes.get("UNIT_MULT") ?? 0));
  return observations.flatMap(({ period, value }) => {
    if (!PERIOD.test(period) || frequencyOf(period) !== FILES[file][0]) {
      throw NSO.error("invalid_answer", "a period is in another form");
    }
    const figure = parseFigure(value);
    return figure === null ? [] : [{ period, value: figure * multiplier }];
  });
}
