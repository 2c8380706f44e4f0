import { expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import type { MacroSeries } from "#domain/macro.ts";
import { formatWithUnit } from "#panels/format.ts";
import type { Fetcher } from "#sources/fetcher.ts";
import { fredMacro, fredMacroJapan, fredMacroVietNam } from "#sources/fred/macro.ts";
import { imfMacro } from "#sources/imf/macro.ts";
import { nsoMacro } from "#sources/nso/macro.ts";
import { oecdMacro } from "#sources/oecd/macro.ts";
import { worldBankMacro } from "#sources/worldbank/macro.ts";
import { answersFrom } from "../support/answers.ts";
import { queryOf } from "./macro-support.ts";

/** All fetchers of a country's macro series. Their series are shown together. */
const SETS: Readonly<Record<Country, readonly Fetcher[]>> = {
  US: [fredMacro, worldBankMacro],
  JP: [oecdMacro, fredMacroJapan, worldBankMacro, imfMacro],
  VN: [nsoMacro, fredMacroVietNam, worldBankMacro, imfMacro],
};
const COUNTRIES = ["US", "JP", "VN"] as const;

const PERIODS = {
  M: ["2025-08", "2025-09", "2026-08", "2026-09"],
  Q: ["2025-Q2", "2025-Q3", "2026-Q2", "2026-Q3"],
};

const KEI = `B1GQ_Q.GR._T.Y.GY B1GQ_Q.GR._T.Y.G1 UNEMP.PT_LF._T.Y._Z H_EARN.GR.C.Y.GY MABM.GR._Z.Y.GY
IRLT.PA._Z._Z._Z TOVM.GR.G47.Y.GY CCICP.PB._Z.Y._Z PRVM.GR.BTE.Y.GY EX.GR._T.Y.GY
IM.GR._T.Y.GY`;
const NSO_FILES = {
  GDPVNM: `Q NGDP_R_PA_XDC NGDP_PA_XDC NGDPVA_R_ISIC4_G_XDC NGDPVA_R_ISIC4_L_XDC NGDPVA_R_ISIC4_O_XDC`,
  LMIVNM: "Q LUR_PT LE_PE_NUM",
  CPIVNM: "M PCPI_IX PCPICO_PC_PP_PT PCPI_CP_01_IX PCPI_CP_04_IX PCPI_CP_07_IX",
  IIPVNM: "M AIP_ISIC4_IX AIP_ISIC4_C_IX AIP_ISIC4_D_IX",
  METVNM: "M TB_USD TXG_FOB_USD TMG_CIF_USD TMG_H5_2709_CIF_USD",
  SBV471011: "M FIR_PA",
  SBV471014: "M ENDA_MID_XDC_USD_RATE",
} as const;

/** Answers to all requests of the fetchers, in the documented form of each source. */
function fakeAnswer(url: string): string {
  const { hostname, pathname, searchParams } = new URL(url);
  if (hostname.endsWith("stlouisfed.org")) {
    const days = PERIODS.M.map((month) => `${month}-01,150.5`).join("\n");
    return `observation_date,${searchParams.get("id")}\n${days}\n`;
  }
  if (hostname.endsWith("worldbank.org")) {
    const [, , , iso3, , id] = pathname.split("/");
    const years = ["2024", "2025"].map((date) => ({
      indicator: { id },
      countryiso3code: iso3,
      date,
      value: 12.34,
    }));
    return JSON.stringify([{ pages: 1 }, years]);
  }
  if (hostname === "www.imf.org") {
    const [iso3 = "", id = ""] = pathname.split("/").reverse();
    return JSON.stringify({ values: { [id]: { [iso3]: { "2024": 1, "2025": 2 } } } });
  }
  if (hostname === "sdmx.oecd.org") return fakeOecd(pathname);
  const [name = ""] = Object.keys(NSO_FILES).filter((file) => url.includes(file));
  const [frequency = "", ...indicators] = NSO_FILES[name as keyof typeof NSO_FILES].split(" ");
  const observations = PERIODS[frequency as "M" | "Q"]
    .map((period) => `<Obs TIME_PERIOD="${period}" OBS_VALUE="123.4"/>`)
    .join("");
  const series = indicators.map(
    (id) => `<Series REF_AREA="VN" INDICATOR="${id}" FREQ="${frequency}">${observations}</Series>`,
  );
  return `<StructureSpecificData>${series.join("")}</StructureSpecificData>`;
}

function fakeOecd(path: string): string {
  const rows = (key: string) =>
    PERIODS[/^[^.]*\.?Q\b/.test(key) ? "Q" : "M"].map(
      (period) => `JPN,${key.replaceAll(".", ",")},${period},12.3`,
    );
  const answer = (dimensions: string, keys: readonly string[]) =>
    [`REF_AREA,FREQ,${dimensions},TIME_PERIOD,OBS_VALUE`, ...keys.flatMap(rows), ""].join("\n");
  if (path.includes("DSD_PRICES")) {
    const purposes = ["_T", "_TXCP01_NRG", "CP04", "CP045_0722"];
    return answer(
      "MEASURE,EXPENDITURE,TRANSFORMATION",
      purposes.map((purpose) => `M.CPI.${purpose}.GY`),
    );
  }
  const dimensions = "MEASURE,UNIT_MEASURE,ACTIVITY,ADJUSTMENT,TRANSFORMATION";
  if (path.includes("DF_INDSERV")) return answer(dimensions, ["M.WSDW.IX.F41.Y._Z"]);
  if (path.includes("DF_BTS")) return answer(dimensions, ["Q.BCICP.PB.C.Y._Z"]);
  return answer(
    dimensions,
    KEI.split(/\s+/).map((key) => `${key.startsWith("B1GQ") ? "Q" : "M"}.${key}`),
  );
}

async function setsOf(country: Country): Promise<MacroSeries[]> {
  const query = queryOf(country, "2026-11-20");
  const client = {
    key: null,
    request: (url: string) => answersFrom({ "": fakeAnswer(url) }).request(url),
  };
  const series: MacroSeries[] = [];
  for (const fetcher of SETS[country]) {
    const raw = await fetcher.fetch(query, client);
    series.push(...([...fetcher.transform(raw, query)] as MacroSeries[]));
  }
  return series;
}

/** A figure as long as the longest of its unit. */
const LONG_FIGURES: Readonly<Record<string, number>> = {
  "%": -12.34,
  "USD bn": -123.45,
  "USD tn": 38.51,
  "USD m": 1234,
  "VND tn": 3012,
  VND: 25123,
  thousand: 1360,
};

test("the sources of a country have no series in common, by id or by name", async () => {
  for (const country of COUNTRIES) {
    const series = await setsOf(country);
    expect(new Set(series.map(({ id }) => id)).size).toBe(series.length);
    expect(new Set(series.map(({ name }) => name)).size).toBe(series.length);
  }
});

test("together they fill all ten categories", async () => {
  for (const country of COUNTRIES) {
    const series = await setsOf(country);
    expect([country, new Set(series.map(({ category }) => category)).size]).toEqual([country, 10]);
  }
});

test("all of them together fit an answer of 3,900 characters", async () => {
  for (const country of COUNTRIES) {
    const answer: Record<string, unknown[]> = {};
    for (const { category, name, unit, decimals } of await setsOf(country)) {
      const figure = Number((LONG_FIGURES[unit] ?? 105.25).toFixed(decimals));
      const raw = formatWithUnit(figure, unit, decimals);
      (answer[category] ??= []).push({
        name,
        latest: figure,
        previous: figure,
        latest_raw: raw,
        previous_raw: raw,
      });
    }
    const length = JSON.stringify(answer).length;
    expect([country, length <= 3_900]).toEqual([country, true]);
  }
});
