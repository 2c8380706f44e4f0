import { lazy } from "#lib/lazy.ts";
import { Memo } from "#lib/memo.ts";
import { addDays, addMonths, dateOf, isWeekend, weekdayOf } from "#lib/date.ts";
import { usCompanies } from "./played-companies.ts";
import {
  answer,
  fake,
  fakeBytes,
  fakeJson,
  lines,
  PLAYED_AT,
  type PlayedSource,
  type PlayedBody,
} from "./played-answer.ts";

/** The series of FRED that have a fake file. */
const FRED_FILES: ReadonlySet<string> = new Set(["CPIAUCSL", "DGS10", "UNRATE"]);

/** FRED: three series from files; every other one counts up from 100, month by month. */
export const fred: PlayedSource = ({ path, query }) => {
  const id = query.get("id");
  if (path !== "/graph/fredgraph.csv" || id === null) return null;
  if (FRED_FILES.has(id)) return fake(`fred/${id}.fake.csv`);
  const months = Array.from({ length: 36 }, (_, i) => addMonths("2023-08-01", i));
  return lines([`observation_date,${id}`, ...months.map((month, i) => `${month},${100 + i}`)]);
};

/** ALFRED: every figure of a vintage is one more than in the vintage before. */
export const alfred: PlayedSource = ({ path, query }) => {
  const ids = query.get("id")?.split(",") ?? [];
  const days = query.get("vintage_date")?.split(",") ?? [];
  if (path !== "/graph/alfredgraph.csv" || ids.length !== days.length) return null;
  const names = days.map((day, i) => `${ids[i]}_${day.replaceAll("-", "")}`);
  const months = Array.from({ length: 36 }, (_, i) => addMonths("2023-08-01", i));
  return lines([
    `observation_date,${names.join()}`,
    ...months.map((month, i) => {
      const values = days.map((day, vintage) => (month < day ? 100 + i + vintage : "."));
      return `${month},${values.join()}`;
    }),
  ]);
};

/** The US Treasury: the same days in each year. */
export const treasury: PlayedSource = ({ path }) => {
  const year = /\/daily-treasury-rates\.csv\/(\d{4})\/all$/.exec(path)?.[1];
  const { body } = fake("treasury/2026.fake.csv");
  return year === undefined ? null : { body: String(body).replaceAll("2026", year) };
};

/** Japan's finance ministry: yields to July 2026 in one file, yields of August in the other. */
export const mof: PlayedSource = ({ path }) => {
  if (path.endsWith("/jgbcm_all.csv")) return fakeBytes("mof/history.fake.csv");
  return path.endsWith("/jgbcm.csv") ? fakeBytes("mof/month.fake.csv") : null;
};

const OUTLOOK_HEADER =
  "STRUCTURE,STRUCTURE_ID,STRUCTURE_NAME,ACTION,REF_AREA,Reference area,MEASURE,Measure,FREQ,Frequency of observation,TIME_PERIOD,Time period,OBS_VALUE";

/** The OECD's Economic Outlook: levels grow by 0.5 % a quarter, every other figure is 2.5. */
function economicOutlook(path: string, query: URLSearchParams): PlayedBody {
  const [areas = "", measures = ""] = (path.split("/").at(-1) ?? "").split(".");
  const [, year = 0, quarter = 0] =
    /^(\d{4})-Q(\d)$/.exec(query.get("startPeriod") ?? "")?.map(Number) ?? [];
  const periods = Array.from({ length: 14 }, (_, i) => {
    const at = year * 4 + quarter - 1 + i;
    return `${Math.floor(at / 4)}-Q${(at % 4) + 1}`;
  });
  return lines([
    OUTLOOK_HEADER,
    ...areas.split("+").flatMap((area) =>
      measures.split("+").flatMap((measure) =>
        periods.map((period, i) => {
          const isLevel = /^(GDPV|ET|CPV|IHV|IBV|XGSV|MGSV)$/.test(measure);
          const value = isLevel ? 1_000 * 1.005 ** i : 2.5;
          return `DATAFLOW,OECD.ECO.MAD:DSD_EO@DF_EO(1.5),Economic Outlook 119,I,${area},Area,${measure},Measure,Q,Quarterly,${period},,${value}`;
        }),
      ),
    ),
  ]);
}

/** The OECD: the key indicators of Japan from files, and the Economic Outlook of any area. */
export const oecd: PlayedSource = ({ path, query }) => {
  if (path.includes("DSD_EO@DF_EO")) return economicOutlook(path, query);
  if (path.includes("DSD_KEI")) return fake("oecd/kei.fake.csv");
  if (path.includes("DSD_PRICES")) return fake("oecd/prices.fake.csv");
  if (path.includes("DF_INDSERV")) return fake("oecd/industry.fake.csv");
  return path.includes("DF_BTS") ? fake("oecd/surveys.fake.csv") : null;
};

/** The series of each file of Viet Nam's statistics office, by a part of the file's address. */
const NSO_FILES: Readonly<Record<string, readonly string[]>> = {
  "/GDPVNM.xml": [
    "Q NGDP_R_PA_XDC",
    "Q NGDP_PA_XDC",
    "Q NGDPVA_R_ISIC4_G_XDC",
    "Q NGDPVA_R_ISIC4_L_XDC",
    "Q NGDPVA_R_ISIC4_O_XDC",
  ],
  "/LMIVNM.xml": ["Q LUR_PT", "Q LE_PE_NUM"],
  "/CPIVNM.xml": [
    "M PCPI_IX",
    "M PCPICO_PC_PP_PT",
    "M PCPI_CP_01_IX",
    "M PCPI_CP_04_IX",
    "M PCPI_CP_07_IX",
  ],
  "/IIPVNM.xml": ["M AIP_ISIC4_IX", "M AIP_ISIC4_C_IX", "M AIP_ISIC4_D_IX"],
  "/METVNM.xml": ["M TB_USD", "M TXG_FOB_USD", "M TMG_CIF_USD", "M TMG_H5_2709_CIF_USD"],
};

/** Percentages in these files: they are 2.5 in every period. */
const NSO_RATES: ReadonlySet<string> = new Set(["LUR_PT", "PCPICO_PC_PP_PT"]);

/** All periods from 2024 to the middle of 2026, the newest one last. */
const NSO_PERIODS: Readonly<Record<string, readonly string[]>> = {
  M: Array.from({ length: 31 }, (_, i) => addMonths("2024-01-01", i).slice(0, 7)),
  Q: Array.from({ length: 10 }, (_, i) => `${2024 + Math.floor(i / 4)}-Q${(i % 4) + 1}`),
};

/** A series that is 3 % higher each year than in the year before; the first period is missing. */
function nsoSeries(frequency: string, indicator: string): string {
  const observations = (NSO_PERIODS[frequency] ?? []).map((period, i) => {
    const level = 100 * 1.03 ** (Number(period.slice(0, 4)) - 2024);
    const value = i === 0 ? "na" : NSO_RATES.has(indicator) ? 2.5 : level;
    return `<Obs TIME_PERIOD="${period}" OBS_VALUE="${value}"></Obs>`;
  });
  return `<Series REF_AREA="VN" INDICATOR="${indicator}" COUNTERPART_AREA="_Z" FREQ="${frequency}" UNIT_MULT="6">${observations.join("")}</Series>`;
}

/** Viet Nam's statistics office: SDMX-ML files with the series that we show. */
export const nso: PlayedSource = ({ path }) => {
  const [, series] = Object.entries(NSO_FILES).find(([part]) => path.includes(part)) ?? [];
  if (series === undefined) return null;
  const found = series.map((one) => nsoSeries(one.slice(0, 1), one.slice(2)));
  return {
    body: `<?xml version="1.0" encoding="UTF-8"?><message:StructureSpecificData xmlns:message="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/message"><message:Header><message:ID>FAKE</message:ID></message:Header><message:DataSet COMMENT="Published">${found.join("")}</message:DataSet></message:StructureSpecificData>`,
  };
};

/** The names of the periods of each database of the Bank of Japan, to August 2026. */
const BOJ_PERIODS: Readonly<Record<string, readonly number[]>> = {
  FM01: [20260818, 20260819, 20260820],
  IR01: [20260818, 20260819, 20260820],
  CO: [202504, 202601, 202602],
};
const BOJ_UNITS: Readonly<Record<string, string>> = {
  MD01: "100 million yen",
  PR01: "CY2020=100",
  CO: "% points",
};

/** The Bank of Japan: each requested series, in the units of its database. */
export const boj: PlayedSource = ({ path, query }) => {
  if (path !== "/api/v1/getDataCode") return null;
  const answered = fakeJson("boj/call-rate.fake.json");
  const db = query.get("db") ?? "";
  const months = (NSO_PERIODS["M"] ?? []).map((month) => Number(month.replace("-", "")));
  const dates = BOJ_PERIODS[db] ?? months;
  const [series] = answered.RESULTSET;
  return answer({
    ...answered,
    RESULTSET: (query.get("code") ?? "").split(",").map((code) => ({
      ...series,
      SERIES_CODE: code,
      UNIT: BOJ_UNITS[db] ?? series.UNIT,
      VALUES: { SURVEY_DATES: dates, VALUES: dates.map((_, i) => (i === 0 ? null : 1 + i / 100)) },
    })),
  });
};

/** The months of the State Bank: 3 % more each year than in the year before. */
const SBV_MONTHS = Array.from({ length: 31 }, (_, i) => ({
  month: addMonths("2024-01-01", i).slice(0, 7),
  level: 20_000_000 * 1.03 ** Math.floor(i / 12),
}));

/** The State Bank of Viet Nam: its articles in two languages, and its rates at the IMF as CSV. */
export const sbv: PlayedSource = ({ path }) => {
  if (path === "/o/article/v1.0/articles") {
    const articles = SBV_MONTHS.flatMap(({ month, level }, i) =>
      ["vi-VN", "en-US"].map((locale) => ({
        articleId: String(900_000 + i),
        title: "M2",
        datePublished: `${month}-28T08:00:00Z`,
        locale,
        fields: { Date00000001: `${month}-28`, tongPhuongTienThanhToan: String(Math.round(level)) },
      })),
    );
    return answer({ totalCount: articles.length, articles });
  }
  const indicator = /^\/external\/sdmx\/3\.0\/data\/dataflow\/IMF\.STA\/\w+\/\+\/VNM\.(\w+)\./.exec(
    path,
  )?.[1];
  if (indicator === undefined) return null;
  return lines([
    "COUNTRY,INDICATOR,TYPE_OF_TRANSFORMATION,FREQUENCY,TIME_PERIOD,OBS_VALUE",
    ...SBV_MONTHS.map(
      ({ month }) =>
        `VNM,${indicator},X,M,${month.replace("-", "-M")},${indicator === "XDC_USD" ? 25_000 : 4.5}`,
    ),
  ]);
};

/** The IMF: the DataMapper's figures of one country, and its SDMX service, which has Slovakia only. */
export const imf: PlayedSource = ({ path }) => {
  if (path.startsWith("/external/sdmx/3.0/data/dataflow/IMF.RES/")) return fake("imf/weo.fake.xml");
  const [, code = "", iso3 = ""] = /\/api\/v1\/(\w+)\/(\w+)$/.exec(path) ?? [];
  if (code === "") return null;
  const { values } = fakeJson("imf/datamapper.fake.json");
  return answer({ values: { [code]: { [iso3]: values[code]?.[iso3] ?? {} } } });
};

/** The World Bank: Japan's inflation from a file; every other series is 12 in 2023 and 11 in 2024. */
export const worldbank: PlayedSource = ({ path }) => {
  const [, iso3 = "", id = ""] = /^\/v2\/country\/(\w+)\/indicator\/([\w.]+)$/.exec(path) ?? [];
  if (id === "") return null;
  if (iso3 === "JPN" && id === "FP.CPI.TOTL.ZG")
    return fake("worldbank/FP.CPI.TOTL.ZG_JPN.fake.json");
  const years = ["2025", "2024", "2023"].map((date, i) => ({
    indicator: { id, value: id },
    country: { id: iso3, value: iso3 },
    countryiso3code: iso3,
    date,
    value: i === 0 ? null : 10 + i,
  }));
  return answer([{ page: 1, pages: 1, per_page: 20_000, total: 3 }, years]);
};

const NO_ROWS = { data: { asOf: null, headers: {}, rows: null }, status: { rCode: 200 } };

/** The economic calendars: one week, and the same events every Thursday, listed under the next day. */
export const calendar: PlayedSource = ({ path, query }) => {
  if (path === "/ff_calendar_thisweek.json") return fake("calendar/this-week.fake.json");
  if (path !== "/api/calendar/economicevents") return null;
  const isFriday = weekdayOf(query.get("date") ?? "") === 5;
  return isFriday ? fake("calendar/events.fake.json") : answer(NO_ROWS);
};

/** Nasdaq's calendar of reports: the same companies every Wednesday. */
export const nasdaqEarnings: PlayedSource = ({ path, query }) => {
  if (/^\/api\/company\/(AAPL|NVDA)\/earnings-surprise$/.test(path))
    return fake("nasdaq-earnings/surprises.fake.json");
  if (path !== "/api/calendar/earnings") return null;
  const isWednesday = weekdayOf(query.get("date") ?? "") === 3;
  return isWednesday ? fake("nasdaq-earnings/day.fake.json") : answer(NO_ROWS);
};

/** The number of lines in the list of the S&P 500: some companies have two classes of shares. */
export const INDEX_MEMBERS = 503;

const members = lazy(() =>
  lines([
    "Symbol,Security,GICS Sector,GICS Sub-Industry,Headquarters Location,Date added,CIK,Founded",
    'AAPL,Apple Inc.,Information Technology,Hardware,"Cupertino, California",2000-01-01,320193,1977',
    'BF.B,Brown–Forman,Consumer Staples,Distillers,"Louisville, Kentucky",2000-01-01,1000001,1870',
    'BRK.B,Berkshire Hathaway,Financials,Holdings,"Omaha, Nebraska",2000-01-01,1000002,1839',
    ...usCompanies()
      .filter(({ isReit }) => !isReit)
      .slice(0, INDEX_MEMBERS - 3)
      .map(
        ({ symbol, name, sector, cik }) =>
          `${symbol},${name},${sector.gics},Invented,"Nowhere, Alaska",2000-01-01,${cik},2000`,
      ),
  ]),
);

/** The members of the S&P 500: three real ones and 500 invented ones. */
export const constituents: PlayedSource = ({ path }) =>
  path.endsWith("/constituents.csv") ? members() : null;

/** The members of the Nikkei 225: Toyota, 100 codes of digits, and 124 invented companies. */
export const NIKKEI_CODES: readonly string[] = [
  "7203",
  ...Array.from({ length: 100 }, (_, i) => String(9_000 + i)),
  ...Array.from({ length: 124 }, (_, i) => {
    const place = Math.floor(i / 9);
    return `${1 + (i % 9)}A${String(place).padStart(2, "0")}`;
  }),
];

/** The lines of Nikkei's list of weights, with the notice at its end. */
export const nikkeiLines = (): string[] => [
  "Date,Code,Company Name,Industry,Sector,Weight",
  ...NIKKEI_CODES.map(
    (code, i) => `2026/08/21,${code},"FAKE CO., LTD. ${i}",Services,Consumer Goods,0.44%`,
  ),
  '"(C) Fake Inc. This list is for reference only.",,,,,',
];

/** Nikkei: the list of weights. */
export const nikkei: PlayedSource = ({ path }) =>
  path.endsWith("/nikkei_stock_average_weight_en.csv") ? lines(nikkeiLines()) : null;

/** Shiller's series: its earnings end in June 2023. */
export const shiller: PlayedSource = ({ path }) =>
  path === "/datasets/s-and-p-500/main/data/data.csv" ? fake("shiller/data.fake.csv") : null;

/** multpl: the page of the S&P 500's price/earnings by month. */
export const multpl: PlayedSource = ({ path }) =>
  path === "/s-p-500-pe-ratio/table/by-month" ? fake("multpl/by-month.fake.html") : null;

/** VNDirect: the P/E of the VN-Index on some days. */
export const vndirect: PlayedSource = ({ path }) =>
  path === "/v4/ratios" ? fake("vndirect/ratios.fake.json") : null;

/** Frankfurter: the yen as on the played Yahoo, and constant rates of the other currencies, on each weekday. */
export const frankfurter: PlayedSource = ({ path, query }) => {
  const [, from = ""] = /^\/v1\/(\d{4}-\d{2}-\d{2})\.\.$/.exec(path) ?? [];
  const symbols = query.get("symbols") ?? "";
  return from === ""
    ? null
    : frankfurterAnswers.get(`${from} ${symbols}`, () => ratesSince(from, symbols.split(",")));
};

/** By the request: several keys ask for the same rates. */
const frankfurterAnswers = new Memo<PlayedBody>(100);

function ratesSince(from: string, symbols: readonly string[]): PlayedBody {
  const example = fakeJson("frankfurter/rates.fake.json");
  const rates: Record<string, Record<string, number>> = {};
  for (let date = from; date <= dateOf(PLAYED_AT); date = addDays(date, 1)) {
    if (isWeekend(date)) continue;
    const yen = 1.1 * 150 * (1 + Number(date.slice(8)) / 100);
    const all: Record<string, number> = { USD: 1.1, JPY: yen };
    rates[date] = Object.fromEntries(symbols.map((symbol, i) => [symbol, all[symbol] ?? 1 + i]));
  }
  return answer({ ...example, start_date: from, end_date: dateOf(PLAYED_AT), rates });
}
