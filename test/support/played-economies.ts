import { addMonths, weekdayOf } from "#lib/date.ts";
import {
  answer,
  json,
  lines,
  once,
  type PlayedAnswer,
  type PlayedBody,
  rows,
  text,
} from "./played-recordings.ts";

const FRED_RECORDED: Readonly<Record<string, string>> = {
  CPIAUCSL: "fred/fredgraph_CPIAUCSL_raw.csv",
  DGS10: "fred/graph_DGS10.csv",
  M2SL: "fred/graph_M2SL.csv",
  UNRATE: "fred/graph_UNRATE.csv",
};

/** FRED: four series are recorded; the others are fakes of the same form. */
export const fred: PlayedAnswer = ({ path, query }) => {
  const id = query.get("id");
  if (path !== "/graph/fredgraph.csv" || id === null) return null;
  const recorded = FRED_RECORDED[id];
  if (recorded !== undefined) return { body: text(recorded) };
  const months = Array.from({ length: 36 }, (_, i) => addMonths("2023-08-01", i));
  return lines([`observation_date,${id}`, ...months.map((month, i) => `${month},${100 + i}`)]);
};

const KEI = `Q.B1GQ_Q.GR._T.Y.GY M.UNEMP.PT_LF._T.Y._Z M.H_EARN.GR.C.Y.GY M.MABM.GR._Z.Y.GY
M.TOVM.GR.G47.Y.GY M.CCICP.PB._Z.Y._Z M.PRVM.GR.BTE.Y.GY M.EX.GR._T.Y.GY M.IM.GR._T.Y.GY`;
const PERIODS = { M: ["2026-06", "2026-05", "2025-06"], Q: ["2026-Q2", "2026-Q1", "2025-Q2"] };

const sdmx = (dimensions: string, keys: readonly string[]) => [
  `REF_AREA,FREQ,${dimensions},TIME_PERIOD,OBS_VALUE`,
  ...keys.flatMap((key) =>
    PERIODS[key.startsWith("Q") ? "Q" : "M"].map(
      (period, i) => `JPN,${key.replaceAll(".", ",")},${period},${2 + i / 10}`,
    ),
  ),
];

const keyIndicators = once(() => {
  const [header = "", ...recorded] = text("oecd/kei_GBR_IRLT.csv").trimEnd().split("\r\n");
  const later = (_: string, year: string) => `,${Number(year) + 2}-`;
  return lines([
    header,
    ...recorded.map((row) => row.replace("GBR", "JPN").replace(/,(\d{4})-/, later)),
    ...sdmx("", KEI.split(/\s+/))
      .slice(1)
      .map((row) => `OECD.SDD.STES:DSD_KEI@DF_KEI(4.0),${row},A,0,1,`),
  ]);
});

/** Levels grow by 0.5 % a quarter, all else stands at 2.5. */
function economicOutlook(path: string, query: URLSearchParams): PlayedBody {
  const [areas = "", measures = ""] = (path.split("/").at(-1) ?? "").split(".");
  const [, year = 0, quarter = 0] =
    /^(\d{4})-Q(\d)$/.exec(query.get("startPeriod") ?? "")?.map(Number) ?? [];
  const periods = Array.from({ length: 14 }, (_, i) => {
    const at = year * 4 + quarter - 1 + i;
    return `${Math.floor(at / 4)}-Q${(at % 4) + 1}`;
  });
  const [header = ""] = text("oecd/eo119_KOR_annual_csvfilewithlabels.csv").split("\n");
  return lines([
    header,
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

/** The OECD: fakes in the forms of the recorded answers of other countries. */
export const oecd: PlayedAnswer = ({ path, query }) => {
  if (path.includes("DSD_EO@DF_EO")) return economicOutlook(path, query);
  if (path.includes("DSD_KEI")) return keyIndicators();
  if (path.includes("DSD_PRICES")) {
    const purposes = ["_T", "_TXCP01_NRG", "CP04", "CP045_0722"];
    const keys = purposes.map((purpose) => `M.CPI.${purpose}.GY`);
    return lines(sdmx("MEASURE,EXPENDITURE,TRANSFORMATION", keys));
  }
  const dimensions = "MEASURE,UNIT_MEASURE,ACTIVITY,ADJUSTMENT,TRANSFORMATION";
  if (path.includes("DF_INDSERV")) return lines(sdmx(dimensions, ["M.WSDW.IX.F41.Y._Z"]));
  return path.includes("DF_BTS") ? lines(sdmx(dimensions, ["Q.BCICP.PB.C.Y._Z"])) : null;
};

const NSO_FILES: readonly (readonly [part: string, file: string, yearsLater: number])[] = [
  ["/GDPVNM.xml", "GDPVNM.xml", 1],
  ["/LMIVNM.xml", "LMIVNM.xml", 1],
  ["/CPIVNM.xml", "CPIVNM.xml", 1],
  ["/IIPVNM.xml", "IIPVNM.xml", 1],
  ["/METVNM.xml", "METVNM.xml", 1],
  ["/SBV471011/", "SBV.INR_VNM.xml", 2],
  ["/SBV471014/", "SBV.EXR_Vietnam.xml", 1],
];

/** Viet Nam's statistics office: recorded in 2024, played one or two years later. */
export const nso: PlayedAnswer = ({ path, query }) => {
  const address = `${path}${query.get("nodeId") ?? ""}`;
  const [, file, years] = NSO_FILES.find(([part]) => address.includes(part)) ?? [];
  if (file === undefined || years === undefined) return null;
  const later = (_: string, year: string) => `TIME_PERIOD="${Number(year) + years}`;
  return { body: text(`vn_nso/${file}`).replaceAll(/TIME_PERIOD="(\d{4})/g, later) };
};

const OUTLOOK_COLUMNS: Readonly<Record<string, string>> = {
  NGDP_RPCH: "Gross domestic product, constant prices",
  LUR: "Unemployment rate",
  PCPIPCH: "Inflation, average consumer prices",
  BCA_NGDPD: "Current account balance",
  GGXCNL_NGDP: "General government net lending/borrowing",
  GGXWDG_NGDP: "General government gross debt",
};
const OUTLOOK_COUNTRIES: Readonly<Record<string, string>> = {
  USA: "United States",
  JPN: "Japan",
  VNM: "Vietnam",
};

/** The IMF: the recorded Outlook of October 2023, which reaches to 2028, as the DataMapper gives it. */
export const imf: PlayedAnswer = ({ path }) => {
  // Of Slovakia: the service that is asked where the DataMapper fails has nothing of other countries.
  if (path.startsWith("/external/sdmx/3.0/")) return { body: text("imf/sdmx_WEO-data.xml") };
  const [, code = "", iso3 = ""] = /\/api\/v1\/(\w+)\/(\w+)$/.exec(path) ?? [];
  if (code === "") return null;
  const column = OUTLOOK_COLUMNS[code];
  const years = rows("imf/WEOOct2023_USA_JPN_VNM.csv").flatMap((row) => {
    const figure = Number(row[column ?? ""] || "n/a");
    const isWanted = row["country"] === OUTLOOK_COUNTRIES[iso3] && Number.isFinite(figure);
    return isWanted ? [[row["year"] ?? "", figure] as const] : [];
  });
  return answer({ values: { [code]: { [iso3]: Object.fromEntries(years) } } });
};

interface WorldBankRow {
  readonly date: string;
}

/** The World Bank: Japan's inflation is recorded to 2022 and played three years later. */
export const worldbank: PlayedAnswer = ({ path }) => {
  const [, iso3 = "", id = ""] = /^\/v2\/country\/(\w+)\/indicator\/([\w.]+)$/.exec(path) ?? [];
  if (id === "") return null;
  if (iso3 === "JPN" && id === "FP.CPI.TOTL.ZG") {
    const [page, recorded] = json("worldbank/FP.CPI.TOTL.ZG_JPN.json") as [object, WorldBankRow[]];
    const later = recorded.map((row) => ({ ...row, date: String(Number(row.date) + 3) }));
    return answer([{ ...page, pages: 1 }, later]);
  }
  const years = ["2025", "2024", "2023"].map((date, i) => ({
    indicator: { id, value: id },
    country: { id: iso3, value: iso3 },
    countryiso3code: iso3,
    date,
    value: i === 0 ? null : 10 + i,
  }));
  return answer([{ page: 1, pages: 1, per_page: 20_000, total: 3 }, years]);
};

const thisWeek = once(() => ({ body: text("forexfactory/ff_calendar_thisweek_2026-08-16.json") }));
const recordedEvents = once(() => ({
  body: text("nasdaq/api_calendar_economicevents__date=2022-10-20.json"),
}));
const NO_ROWS = { data: { asOf: null, headers: {}, rows: null }, status: { rCode: 200 } };

/** The economic calendars: recorded days, each on the days of the week on which it was. */
export const calendar: PlayedAnswer = ({ path, query }) => {
  if (path === "/ff_calendar_thisweek.json") return thisWeek();
  if (path !== "/api/calendar/economicevents") return null;
  // Of a Thursday, under the date of the day after.
  return weekdayOf(query.get("date") ?? "") === 5 ? recordedEvents() : answer(NO_ROWS);
};

/** Nasdaq's calendar of reports: a recorded day on every Wednesday. */
export const nasdaqEarnings: PlayedAnswer = ({ path, query }) => {
  if (path !== "/api/calendar/earnings") return null;
  const date = query.get("date") ?? "";
  if (weekdayOf(date) !== 3) return answer(NO_ROWS);
  const day = json("nasdaq/api_calendar_earnings__date=2024-07-03.json");
  const nvidia = json("nasdaq/calendar_earnings_row_NVDA_2026-08-26.json");
  return answer({
    ...day,
    data: { ...day.data, rows: [...(date === "2026-08-26" ? nvidia : []), ...day.data.rows] },
  });
};

const shillerFile = once(() => ({ body: text("pe_history/sp500_shiller_monthly.csv") }));
/** Shiller's series, as recorded. */
/** The members of the S&P 500, as recorded. */
export const constituents: PlayedAnswer = ({ path }) =>
  path.endsWith("/constituents.csv") ? { body: text("constituents/sp500_constituents.csv") } : null;

export const shiller: PlayedAnswer = ({ path }) =>
  path === "/datasets/s-and-p-500/main/data/data.csv" ? shillerFile() : null;
