import {
  answer,
  bytes,
  DOUBLES_OF_FPT,
  json,
  lines,
  once,
  type PlayedAnswer,
  type PlayedBody,
  rows,
  text,
} from "./played-recordings.ts";
import { xlsxOf } from "./xlsx.ts";

interface ScreenerRow {
  readonly symbol: string;
  readonly name: string;
  readonly lastsale: string;
  readonly netchange: string;
  readonly volume: string;
  readonly marketCap: string;
  readonly sector: string;
}

/** The rows of the recorded screener. */
export const screenerRows = once((): ScreenerRow[] => [
  ...json("nasdaq_screener/nasdaq_full_tickers.json"),
  ...json("nasdaq_screener/nyse_full_tickers.json"),
]);

const screener = once(() =>
  answer({
    data: { asOf: null, headers: {}, rows: screenerRows() },
    message: null,
    status: { rCode: 200, bCodeMessage: null, developerMessage: null },
  }),
);

/** Recorded are symbols and names; whether one is an ETF is told by its name here. */
const nasdaqListed = once(() => {
  const listed = rows("nasdaq_trader/nasdaq-listed.csv");
  return lines([
    "Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares",
    ...listed.flatMap(({ Symbol: symbol = "", "Security Name": name = "" }) =>
      name === "" ? [] : [`${symbol}|${name}|Q|N|N|100|${/\bETF\b/.test(name) ? "Y" : "N"}|N`],
    ),
    "File Creation Time: 0821202617:31|||||||",
  ]);
});

const otherListed = once(() =>
  lines([
    "ACT Symbol|Security Name|Exchange|CQS Symbol|ETF|Round Lot Size|Test Issue|NASDAQ Symbol",
    ...(json("nasdaq_screener/nyse_full_tickers.json") as ScreenerRow[]).map(
      ({ symbol, name }) =>
        `${symbol.replace("/", ".")}|${name}|N|${symbol}|N|100|N|${symbol.replace("/", ".")}`,
    ),
    "SPY|SPDR S&P 500|P|SPY|Y|100|N|SPY",
    "File Creation Time: 0821202617:31|||||||",
  ]),
);

/** Apple's recorded bars in the form of nasdaq.com, newest first. */
const appleHistory = once(() => {
  const usDate = (date: string) => `${date.slice(5, 7)}/${date.slice(8, 10)}/${date.slice(0, 4)}`;
  const dollars = (price = "") => `$${Number(price).toFixed(2)}`;
  const bars = rows("prices/AAPL_yfinance.csv").map((bar) => ({
    date: usDate(bar["Date"] ?? ""),
    close: dollars(bar["Close"]),
    volume: Number(bar["Volume"]).toLocaleString("en-US"),
    open: dollars(bar["Open"]),
    high: dollars(bar["High"]),
    low: dollars(bar["Low"]),
  }));
  return answer({
    data: { symbol: "AAPL", tradesTable: { rows: bars.reverse() } },
    status: { rCode: 200 },
  });
});

/** Nasdaq: the rows of the recorded screener in the envelope in which they come. */
export const nasdaq: PlayedAnswer = ({ path }) => {
  if (path === "/api/screener/stocks") return screener();
  if (path === "/api/quote/AAPL/historical") return appleHistory();
  if (path.endsWith("/nasdaqlisted.txt")) return nasdaqListed();
  return path.endsWith("/otherlisted.txt") ? otherListed() : null;
};

const registrants = once(() => ({ body: text("sec/company_tickers_exchange.json") }));
const appleFacts = once(() => ({ body: text("sec/companyfacts_CIK0000320193.json") }));

/** The SEC, as recorded. */
export const sec: PlayedAnswer = ({ path }) => {
  if (path === "/files/company_tickers_exchange.json") return registrants();
  return path.endsWith("/CIK0000320193.json") ? appleFacts() : null;
};

const workbook = once(() => ({ body: bytes("jpx/data_j.xls") }));
const englishNames = once(() => ({
  body: xlsxOf([
    ["Effective Date", "Local Code", "Name (English)"],
    [20_230_428, 7203, "TOYOTA MOTOR CORPORATION"],
  ]),
}));
/** JPX: the recorded list in its old format, and one name of the English list. */
export const jpx: PlayedAnswer = ({ path }) => {
  if (path.endsWith("/data_j.xls")) return workbook();
  if (path.endsWith("/data_e.xlsx")) return englishNames();
  const isPage = path.endsWith("/statistics-equities/misc/01.html");
  return isPage || path.endsWith("/data_j.xlsx") ? { status: 404, body: "" } : null;
};

const vietnamListing = once(() => {
  const classes = new Map(
    rows("vn_listing/symbols_by_industries.csv").map((c) => [c["symbol"], c]),
  );
  return answer({
    status: 200,
    successful: true,
    data: rows("vn_listing/vn_symbols_2026.csv").map((row) => {
      const known = classes.get(row["symbol"]);
      const isShare = row["type"] === "stock" || row["type"] === "fund";
      const icb = (level: 2 | 4) => known && { code: known[`icb_code${level}`], level };
      return {
        code: row["symbol"],
        name: row["en_organ_name"] || row["organ_name"],
        shortName: row["symbol"],
        floor: isShare ? row["exchange"] : "OTHER",
        comTypeCode: row["type"] === "fund" ? "QU" : (known?.["com_type_code"] ?? "CT"),
        isIndex: false,
        icbLv2: icb(2) ?? null,
        icbLv4: icb(4) ?? null,
      };
    }),
  });
});

type VietcapRow = Record<string, number | string | null>;

/** The quarters that are faked, with the day of publication. */
const FAKED_QUARTERS = [2024, 2025, 2026].flatMap((year) =>
  [`${year}-04-28`, `${year}-07-24`, `${year}-10-24`, `${year + 1}-01-30`].flatMap((date, i) =>
    date < "2026-08"
      ? [{ yearReport: year, lengthReport: i + 1, publicDate: `${date}T00:00:00` }]
      : [],
  ),
);

/**
 * The recording of FPT holds the income of 2018 and 2019, the balances of 2023 and 2024 and the cash
 * flows of early 2026. The quarters from 2024 on are fakes: the last recorded row under other dates,
 * of a year's income 60 % in each, cash that goes on from quarter to quarter.
 */
function vietcapSection(section: string): PlayedBody {
  const { years = [], quarters = [] } = json(
    `vietcap/financial-statement_FPT_${section}.json`,
  ).data;
  const template: VietcapRow = [...years, ...quarters].at(-1);
  const change = Number(template["cfa35"] ?? 0);
  const fakes = FAKED_QUARTERS.map((period, i) => ({
    ...Object.fromEntries(
      Object.entries(template).map(([code, value]) => [
        code,
        typeof value === "number" && /^is[a-z]\d+$/.test(code) ? value * 0.6 : value,
      ]),
    ),
    ...("cfa35" in template && { cfa36: 1e13 + i * change, cfa38: 1e13 + (i + 1) * change }),
    ...period,
  }));
  return answer({ status: 200, successful: true, data: { years, quarters: fakes } });
}

/** Vietcap: the recorded listing in the envelope of its service. */
export const vietcap: PlayedAnswer = ({ path: asked, query }) => {
  if (asked.endsWith("/v2/company/search-bar")) return vietnamListing();
  const path = asked.replace(/(?<=\/company\/)(\w+)(?=\/)/, (symbol) =>
    DOUBLES_OF_FPT.includes(symbol) ? "FPT" : symbol,
  );
  if (path.endsWith("/company/FPT/statistics-financial"))
    return { body: text("vietcap/statistics-financial_FPT.json") };
  if (path.endsWith("/company/FPT/financial-statement"))
    return vietcapSection(query.get("section") ?? "");
  if (path.endsWith("/company/details") && query.get("ticker") === "FPT") {
    const enProfile = "FPT Corporation develops software and runs telecommunications. (a fake)";
    return answer({ status: 200, successful: true, data: { enProfile } });
  }
  return /\/company\/\w+\/(statistics-financial|financial-statement)$/.test(path)
    ? answer({ status: 200, successful: true, data: null })
    : null;
};

const entradeCharts = once(() => {
  const chart = (path: string) => {
    const bars = rows(path);
    const column = (name: string) => bars.map((bar) => Number(bar[name]));
    const seconds = (bar: Record<string, string>) =>
      Date.parse(`${(bar["time"] ?? "").slice(0, 10)}T00:00Z`) / 1000;
    const [o, h, l, c, v] = ["open", "high", "low", "close", "volume"].map(column);
    return answer({ t: bars.map(seconds), o, h, l, c, v, nextTime: 0 });
  };
  return { FPT: chart("prices/FPT_vci.csv"), VNINDEX: chart("prices/VNINDEX.csv") };
});

/** Entrade: recorded daily prices in the form of its charts. */
export const entrade: PlayedAnswer = ({ path, query }) => {
  if (!path.startsWith("/chart-api/v2/ohlcs/")) return null;
  const symbol = query.get("symbol");
  if (DOUBLES_OF_FPT.includes(symbol ?? "")) return entradeCharts().FPT;
  return symbol === "FPT" || symbol === "VNINDEX"
    ? entradeCharts()[symbol]
    : answer({ t: [], o: [], h: [], l: [], c: [], v: [], nextTime: 0 });
};
