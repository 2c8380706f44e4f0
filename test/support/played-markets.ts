import { lazy } from "#lib/lazy.ts";
import {
  answer,
  fake,
  fakeJson,
  lines,
  type PlayedSource,
  type PlayedBody,
} from "./played-answer.ts";
import { screenerRows, symbolAt, usCompanies } from "./played-companies.ts";
import { frameBody, framesOf } from "./played-frames.ts";
import { historyOf } from "./played-prices.ts";
import { factsOf, secFacts } from "./played-statements.ts";
import { TESTS_ALL } from "./test-all.ts";
import { workbookOf } from "./workbook.ts";
import { xlsxOf } from "./xlsx.ts";

const screener = lazy(() =>
  answer({
    data: { asOf: null, headers: {}, rows: screenerRows() },
    message: null,
    status: { rCode: 200, bCodeMessage: null, developerMessage: null },
  }),
);

/** The number of invented US companies that have statements: 40, or with BOURSE_TEST_ALL=1 200. */
export const IN_FRAMES = TESTS_ALL ? 200 : 40;

/** The number of invented ETFs that are listed on Nasdaq: a tenth of the usual length of its list, or all of it. */
export const US_ETFS = TESTS_ALL ? 1_100 : 110;

const nasdaqListed = lazy(() =>
  lines([
    "Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares",
    ...["AAPL", "AMZN", "GOOG", "GOOGL", "MSFT", "NVDA"].map(
      (symbol) => `${symbol}|${symbol} - Common Stock|Q|N|N|100|N|N`,
    ),
    ...Array.from(
      { length: US_ETFS },
      (_, i) => `${symbolAt("E", 3, i)}|Fake Fund ${i + 1} ETF|G|N|N|100|Y|N`,
    ),
    "ZZZZ|Fake Test Issue|Q|Y|N|100|N|N",
    "File Creation Time: 0821202617:31|||||||",
  ]),
);

const otherListed = lazy(() =>
  lines([
    "ACT Symbol|Security Name|Exchange|CQS Symbol|ETF|Round Lot Size|Test Issue|NASDAQ Symbol",
    ...["BF.A", "BF.B", "BRK.B", ...usCompanies().map(({ symbol }) => symbol)].map(
      (symbol) => `${symbol}|${symbol} Common Stock|N|${symbol}|N|100|N|${symbol}`,
    ),
    "SPY|SPDR S&P 500|P|SPY|Y|100|N|SPY",
    "File Creation Time: 0821202617:31|||||||",
  ]),
);

/** Apple's bars in the form of nasdaq.com, newest first. */
const appleHistory = lazy(() => {
  const usDate = (date: string) => `${date.slice(5, 7)}/${date.slice(8, 10)}/${date.slice(0, 4)}`;
  const bars = historyOf("AAPL").map(({ date, price, volume }) => {
    const dollars = `$${price.toFixed(2)}`;
    return {
      date: usDate(date),
      close: dollars,
      volume: volume.toLocaleString("en-US"),
      open: dollars,
      high: dollars,
      low: dollars,
    };
  });
  return answer({
    data: { symbol: "AAPL", tradesTable: { rows: bars.reverse() } },
    status: { rCode: 200 },
  });
});

/** Nasdaq: its screener, the symbol directory, and the bars of Apple. */
export const nasdaq: PlayedSource = ({ path }) => {
  if (path === "/api/screener/stocks") return screener();
  if (path === "/api/quote/AAPL/historical") return appleHistory();
  if (path.endsWith("/nasdaqlisted.txt")) return nasdaqListed();
  return path.endsWith("/otherlisted.txt") ? otherListed() : null;
};

const registrants = lazy(() =>
  answer({
    fields: ["cik", "name", "ticker", "exchange"],
    data: [
      [320_193, "Apple Inc.", "AAPL", "Nasdaq"],
      [1_000_001, "BROWN FORMAN CORP", "BF-B", "NYSE"],
      [1_000_003, "MICROSOFT CORP", "MSFT", "Nasdaq"],
      [1_000_004, "Fake Unlisted Corp", "FAKEF", "OTC"],
      ...usCompanies().map(({ cik, name, symbol }) => [cik, name, symbol, "NYSE"]),
    ],
  }),
);

const frames = lazy(() => framesOf(usCompanies().slice(0, IN_FRAMES).map(factsOf)));

/** The SEC: the list of registrants, the facts of Apple, and frames of invented companies. */
export const sec: PlayedSource = ({ path }) => {
  if (path === "/files/company_tickers_exchange.json") return registrants();
  const frame = /^\/api\/xbrl\/frames\/us-gaap\/(.+)\.json$/.exec(path)?.[1];
  if (frame !== undefined) {
    const body = frameBody(frames(), frame);
    return body ? answer(body) : { status: 404, body: "<html>Not Found</html>" };
  }
  return path.endsWith("/CIK0000320193.json") ? answer(secFacts()) : null;
};

/** The number of invented stocks, ETFs and REITs in JPX's list: about a tenth of the real numbers, or all of them. */
export const JP_LISTED = TESTS_ALL
  ? { stock: 3_800, etf: 300, reit: 60 }
  : { stock: 400, etf: 30, reit: 60 };

const JPX_MARKETS = {
  stock: ["プライム（内国株式）", 5250],
  etf: ["ETF・ETN", "-"],
  reit: ["REIT・ベンチャーファンド・カントリーファンド・インフラファンド", "-"],
} as const;

const workbook = lazy(() => {
  const types = (["stock", "etf", "reit"] as const).flatMap((type) =>
    Array.from({ length: JP_LISTED[type] }, () => type),
  );
  return {
    body: workbookOf([
      ["日付", "コード", "銘柄名", "市場・商品区分", "33業種コード"],
      [20_260_731, 7203, "トヨタ自動車", "プライム（内国株式）", 3700],
      [20_260_731, "999A", "架空プロ", "PRO Market", 9050],
      ...types.map((type, i) => {
        const place = Math.floor(i / 9);
        const letter = String.fromCharCode(65 + Math.floor(place / 100));
        const code = `${1 + (i % 9)}${letter}${String(place % 100).padStart(2, "0")}`;
        return [20_260_731, code, `架空${i + 1}`, ...JPX_MARKETS[type]];
      }),
    ]),
  };
});
const englishNames = lazy(() => ({
  body: xlsxOf([
    ["Effective Date", "Local Code", "Name (English)"],
    [20_260_731, 7203, "TOYOTA MOTOR CORPORATION"],
    [20_260_731, "1A00", "FAKE BANK"],
  ]),
}));
/** JPX: the list in its old format, and two names of the English list. */
export const jpx: PlayedSource = ({ path }) => {
  if (path.endsWith("/financial-announcement/index.html")) return { body: REPORTS_PAGE };
  if (path.endsWith("/kessan07_0821.xlsx")) return plannedReports();
  if (path.endsWith("/data_j.xls")) return workbook();
  if (path.endsWith("/data_e.xlsx")) return englishNames();
  const isPage = path.endsWith("/statistics-equities/misc/01.html");
  return isPage || path.endsWith("/data_j.xlsx") ? { status: 404, body: "" } : null;
};

const REPORTS_PAGE =
  '<a href="/listing/event-schedules/financial-announcement/tvdivq0000001ofb-att/kessan07_0821.xlsx">7月</a>';

/** JPX's list of planned reports: one of Toyota, and one without a date. 46,420 is 2 February 2027. */
const plannedReports = lazy(() => ({
  body: xlsxOf([
    ["決算発表予定日 Scheduled dates"],
    [],
    [
      "決算発表予定日",
      "コード",
      "会社名",
      "Issue Name",
      "決算期末",
      "業種名",
      "Industry",
      "種別",
      "Fiscal Year/Quarter",
      "市場区分",
      "Market Segment",
    ],
    [
      46_420,
      7203,
      "トヨタ自動車",
      "TOYOTA MOTOR CORPORATION",
      46_477,
      "輸送用機器",
      "Transportation Equipment",
      "第１四半期",
      "1st Quarter",
      "プライム",
      "Prime",
    ],
    [
      "未定_Undecided",
      "285A",
      "キオクシア",
      "Kioxia",
      46_477,
      "電気機器",
      "Electric Appliances",
      "第１四半期",
      "1st Quarter",
      "プライム",
      "Prime",
    ],
  ]),
}));

const JQUANTS_FILES: Readonly<Record<string, string>> = {
  "/v2/equities/master": "jquants/master.fake.json",
  "/v2/equities/bars/daily": "jquants/bars-daily.fake.json",
  "/v2/fins/summary": "jquants/fins-summary.fake.json",
};

/** J-Quants, version 2: the listing, and the bars and summaries of Toyota. */
export const jquants: PlayedSource = ({ path, query, headers }) => {
  const file = JQUANTS_FILES[path];
  if (file === undefined) return null;
  if (!headers.get("x-api-key")) return answer({ message: "The api key is missing." }, 403);
  const [code, date] = [query.get("code"), query.get("date")];
  if (code !== null && code !== "72030") return answer({ data: [] });
  if (date === null) return fake(file);
  const { data }: { data: { DiscDate: string }[] } = fakeJson(file);
  return answer({ data: data.filter(({ DiscDate }) => DiscDate === date) });
};

/** Technology companies of Viet Nam with the same prices and statements as FPT. */
export const DOUBLES_OF_FPT: readonly string[] = ["CMG", "ELC", "ITD", "SAM", "ICT"];

/** The number of companies on each exchange of Viet Nam, and of funds: about a seventh of the real numbers, or all of them. */
export const VN_LISTED = TESTS_ALL
  ? { HOSE: 400, HNX: 300, UPCOM: 800, funds: 20 }
  : { HOSE: 60, HNX: 40, UPCOM: 120, funds: 20 };

/** Classes of the ICB at level 2 and level 4; the first one is software. */
const ICB: readonly (readonly [level2: string, level4: string])[] = [
  ["9500", "9537"],
  ["1700", "1757"],
  ["2300", "2357"],
  ["3500", "3533"],
];

/** A row of Vietcap's listing: a company of the ICB class at that place, or a fund. */
function listingRow(code: string, name: string, floor: string, icbAt: number | "fund") {
  const [level2, level4] = icbAt === "fund" ? [] : (ICB[icbAt % ICB.length] ?? []);
  return {
    code,
    name,
    shortName: code,
    floor,
    comTypeCode: icbAt === "fund" ? "QU" : "CT",
    isIndex: false,
    targetPrice: code === "FPT" ? 90_000 : 0,
    currentPrice: code === "OTC" ? 0 : 20_000,
    icbLv2: level2 === undefined ? null : { code: level2, level: 2 },
    icbLv4: level4 === undefined ? null : { code: level4, level: 4 },
  };
}

const vietnamListing = lazy(() => {
  const technology = ["FPT", ...DOUBLES_OF_FPT];
  const floors = (["HOSE", "HNX", "UPCOM"] as const).flatMap((floor) =>
    Array.from({ length: VN_LISTED[floor] }, () => floor),
  );
  return answer({
    status: 200,
    successful: true,
    data: [
      ...technology.map((symbol) => listingRow(symbol, `${symbol} Corporation`, "HOSE", 0)),
      // From UAA on.
      ...floors
        .slice(technology.length)
        .map((floor, i) =>
          listingRow(
            symbolAt("", 3, 20 * 26 ** 2 + i),
            `An Giang Fake ${i % 10 === 0 ? "Bank" : "Company"} ${i + 1}`,
            floor,
            i,
          ),
        ),
      ...Array.from({ length: VN_LISTED.funds }, (_, i) =>
        listingRow(`FUEFA${String(i).padStart(3, "0")}`, `Fake Fund ${i + 1}`, "HOSE", "fund"),
      ),
      listingRow("OTC", "Fake Unlisted Company", "OTHER", 0),
    ],
  });
});

type VietcapRow = Record<string, number | string | null>;

/** The quarters of FPT from 2024 on, with the day of publication. */
const QUARTERS = [2024, 2025, 2026].flatMap((year) =>
  [`${year}-04-28`, `${year}-07-24`, `${year}-10-24`, `${year + 1}-01-30`].flatMap((date, i) =>
    date < "2026-08"
      ? [{ yearReport: year, lengthReport: i + 1, publicDate: `${date}T00:00:00` }]
      : [],
  ),
);

/** FPT's quarters are all alike, except that cash continues from quarter to quarter. */
function vietcapSection(section: string): PlayedBody {
  const quarter: VietcapRow = fakeJson("vietcap/quarter.fake.json")[section];
  const change = Number(quarter["cfa35"] ?? 0);
  const opening = Number(quarter["cfa36"] ?? 0);
  const quarters = QUARTERS.map((period, i) => ({
    ...quarter,
    ...(section === "CASH_FLOW" && {
      cfa36: opening + i * change,
      cfa38: opening + (i + 1) * change,
    }),
    ...period,
  }));
  return answer({ status: 200, successful: true, data: { years: [], quarters } });
}

/** Vietcap: the listing, and the statements, ratios and description of FPT. */
export const vietcap: PlayedSource = ({ path: requested, query }) => {
  if (requested.endsWith("/v2/company/search-bar")) return vietnamListing();
  if (requested.endsWith("/v1/events")) {
    const events = fakeJson("vietcap/events.fake.json");
    return answer(query.get("ticker") === "FPT" ? events : { ...events, data: { content: [] } });
  }
  const path = requested.replace(/(?<=\/company\/)(\w+)(?=\/)/, (symbol) =>
    DOUBLES_OF_FPT.includes(symbol) ? "FPT" : symbol,
  );
  if (path.endsWith("/company/FPT/statistics-financial"))
    return fake("vietcap/statistics-financial.fake.json");
  if (path.endsWith("/company/FPT/financial-statement"))
    return vietcapSection(query.get("section") ?? "");
  if (path.endsWith("/company/details") && query.get("ticker") === "FPT")
    return fake("vietcap/details.fake.json");
  return /\/company\/\w+\/(statistics-financial|financial-statement)$/.test(path)
    ? answer({ status: 200, successful: true, data: null })
    : null;
};

/** Entrade: prices of FPT in thousands of dong, and the VN-Index in points. */
export const entrade: PlayedSource = ({ path, query }) => {
  if (!path.startsWith("/chart-api/v2/ohlcs/")) return null;
  const symbol = query.get("symbol") ?? "";
  const bars = historyOf(DOUBLES_OF_FPT.includes(symbol) ? "FPT" : symbol);
  const prices = bars.map(({ price }) => price);
  return answer({
    t: bars.map(({ date }) => Date.parse(`${date}T00:00Z`) / 1000),
    o: prices,
    h: prices,
    l: prices,
    c: prices,
    v: bars.map(({ volume }) => volume),
    nextTime: 0,
  });
};

/** The tickers of the Dow, invented but for Apple's. */
export const DOW_TICKERS: readonly string[] = [
  "AAPL",
  ...Array.from(
    { length: 29 },
    (_, i) => `F${String.fromCharCode(65 + (i % 26))}${i < 26 ? "" : "B"}`,
  ),
];

/** The workbook of the fund's holdings: lines about the fund, the header, the shares, cash, a notice. */
export const dowHoldings = (tickers: readonly string[], column = "Ticker"): Uint8Array =>
  xlsxOf([
    ["Fund Name:", "Fake Dow ETF"],
    ["Holdings:", "As of 20-Aug-2026"],
    [],
    ["Name", column, "Identifier", "Weight"],
    ...tickers.map((ticker, i) => [`FAKE INC ${i}`, ticker, `00000000${i}`, 3.3]),
    ["US DOLLAR", "-", "999USD", 0.1],
    ["Past performance is no guarantee."],
  ]);

/** State Street: the holdings of the fund DIA. */
export const ssga: PlayedSource = ({ path }) =>
  path.endsWith("/holdings-daily-us-en-dia.xlsx") ? { body: dowHoldings(DOW_TICKERS) } : null;

/** SSI's boards: FPT on HOSE, a fund, a warrant, and a share that does not trade. Its group VN30 has 30 shares. */
export const ssi: PlayedSource = ({ path }) => {
  const [, board] = /^\/stock\/(exchange\/(?:hose|hnx|upcom)|group\/VN30)$/.exec(path) ?? [];
  if (board === undefined) return null;
  const exchange = board.split("/")[1] as "hose" | "hnx" | "upcom" | "VN30";
  const row = (stockSymbol: string, stockType: string, matchedPrice: number | null) => ({
    stockSymbol,
    stockType,
    exchange,
    companyNameEn: `Fake ${stockSymbol} JSC`,
    companyNameVi: `Công ty ${stockSymbol}`,
    refPrice: 98_000,
    matchedPrice,
    nmTotalTradedQty: 1_000_000,
    buyForeignValue: 3_000_000_000,
    sellForeignValue: 1_000_000_000,
    remainForeignQtty: 5_000_000,
    tradingDate: "20260821",
  });
  const rows = {
    hose: [row("FPT", "s", 99_000), row("E1VFVN30", "e", 25_000), row("CFPT2601", "w", 900)],
    hnx: [row("PVS", "s", 33_000)],
    upcom: [row("BSR", "s", null)],
    VN30: ["FPT", ...Array.from({ length: 29 }, (_, i) => `V${String(i).padStart(2, "0")}`)].map(
      (symbol) => row(symbol, "s", 20_000),
    ),
  }[exchange];
  return answer({ code: "SUCCESS", message: "ok", data: rows });
};
