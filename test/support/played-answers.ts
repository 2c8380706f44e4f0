import { existsSync, readFileSync } from "node:fs";
import { csvRows } from "#lib/csv.ts";
import { addDays, addMonths, dateOf, weekdayOf } from "#lib/date.ts";

const DATA = new URL("../../../shared/data/", import.meta.url);

/** True where the folder of recorded answers lies beside the repository. */
export const hasRecordings = existsSync(DATA);

/** The evening of the session that most recordings are of: a Friday, all three exchanges closed. */
export const RECORDED = Date.parse("2026-08-21T22:30:00Z");

/** A request as it came to a played source. */
export interface PlayedRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

/** What a source answers in its normal mode; a text that begins with `{` or `[` goes out as JSON. */
export interface PlayedBody {
  readonly status?: number;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answer = (request: PlayedRequest) => PlayedBody | null;

const bytes = (path: string) => readFileSync(new URL(path, DATA));
const text = (path: string) => readFileSync(new URL(path, DATA), "utf8");
// oxlint-disable-next-line typescript/no-explicit-any
const json = (path: string): any => JSON.parse(text(path));

/** The rows of a recorded CSV by the names of their columns. */
function rows(path: string): Record<string, string>[] {
  const [header, ...lines] = csvRows(text(path));
  return lines.map(({ cells }) =>
    Object.fromEntries((header?.cells ?? []).map((name, i) => [name, cells[i] ?? ""])),
  );
}

/** Makes something when it is first asked for, and then keeps it. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const answer = (value: unknown, status = 200): PlayedBody => ({
  status,
  body: JSON.stringify(value),
});
const lines = (list: readonly string[]): PlayedBody => ({ body: `${list.join("\n")}\n` });

// --- Nasdaq: the rows of the recorded screener in the envelope in which they come.

interface ScreenerRow {
  readonly symbol: string;
  readonly name: string;
  readonly lastsale: string;
  readonly netchange: string;
  readonly volume: string;
  readonly marketCap: string;
}

const screenerRows = once((): ScreenerRow[] => [
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

const nasdaq: Answer = ({ path }) => {
  if (path === "/api/screener/stocks") return screener();
  if (path.endsWith("/nasdaqlisted.txt")) return nasdaqListed();
  return path.endsWith("/otherlisted.txt") ? otherListed() : null;
};

// --- SEC and JPX: as recorded.

const registrants = once(() => ({ body: text("sec/company_tickers_exchange.json") }));
const appleFacts = once(() => ({ body: text("sec/companyfacts_CIK0000320193.json") }));

const sec: Answer = ({ path }) => {
  if (path === "/files/company_tickers_exchange.json") return registrants();
  return path.endsWith("/CIK0000320193.json") ? appleFacts() : null;
};

const workbook = once(() => ({ body: bytes("jpx/data_j.xls") }));
const jpx: Answer = ({ path }) => (path.endsWith("/data_j.xls") ? workbook() : null);

// --- Vietcap: the recorded listing in the envelope of its service.

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

const vietcap: Answer = ({ path, query }) => {
  if (path.endsWith("/v2/company/search-bar")) return vietnamListing();
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

// --- Entrade: recorded daily prices as its charts.

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

const entrade: Answer = ({ path, query }) => {
  if (!path.startsWith("/chart-api/v2/ohlcs/")) return null;
  const symbol = query.get("symbol");
  return symbol === "FPT" || symbol === "VNINDEX"
    ? entradeCharts()[symbol]
    : answer({ t: [], o: [], h: [], l: [], c: [], v: [], nextTime: 0 });
};

// --- Yahoo: recorded charts, prices, quotes and profiles in the forms of its answers.

interface Bar {
  readonly time: number;
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number | null;
  readonly volume: number | null;
}

interface PlayedChart {
  readonly meta: Record<string, unknown>;
  readonly bars: readonly Bar[];
  readonly events: Readonly<Record<string, Readonly<Record<string, { date: number }>>>>;
}

const NEW_YORK = { currency: "USD", exchangeTimezoneName: "America/New_York" };
const TOKYO = { currency: "JPY", exchangeTimezoneName: "Asia/Tokyo" };
const LONDON = { exchangeTimezoneName: "Europe/London" };

function recordedChart(path: string): PlayedChart {
  const [{ meta, timestamp, events = {}, indicators }] = json(path).chart.result;
  const [quote] = indicators.quote;
  return {
    meta,
    events,
    bars: timestamp.map((time: number, i: number) => ({
      time,
      open: quote.open[i],
      high: quote.high[i],
      low: quote.low[i],
      close: quote.close[i],
      volume: quote.volume[i],
    })),
  };
}

/** Bars out of a price file, each at that time (UTC) of its day. */
const barsOf = (path: string, time: string): Bar[] =>
  rows(path).map((row) => ({
    time: Date.parse(`${(row["Date"] ?? "").slice(0, 10)}T${time}Z`) / 1000,
    open: Number(row["Open"]),
    high: Number(row["High"]),
    low: Number(row["Low"]),
    close: Number(row["Close"]),
    volume: row["Volume"] === undefined ? null : Number(row["Volume"]),
  }));

/** A fake: the same price on every weekday of the two years before the recordings. */
function flatChart(symbol: string, price: number, meta: Record<string, unknown>): PlayedChart {
  const bars: Bar[] = [];
  for (let day = addDays(dateOf(RECORDED), -730); day <= dateOf(RECORDED); day = addDays(day, 1)) {
    if (weekdayOf(day) % 6 === 0) continue;
    // No two alike: a price that stands still without trades is taken for filled forward.
    const close = price * (1 + (bars.length % 5) / 100);
    const time = Date.parse(`${day}T14:30Z`) / 1000;
    bars.push({ time, open: close, high: close, low: close, close, volume: 1_000 });
  }
  return { meta: { symbol, ...meta }, bars, events: {} };
}

const charts = once((): Readonly<Record<string, PlayedChart>> => {
  const apple = recordedChart("yahoo/chart_2022_AAPL_ee55.json");
  return {
    // 1980 to July 2022 and May to August 2026 are recorded; nothing in between.
    AAPL: { ...apple, bars: [...apple.bars, ...barsOf("prices/AAPL_yfinance.csv", "13:30")] },
    "7203.T": {
      meta: { symbol: "7203.T", ...TOKYO },
      bars: barsOf("prices/7203.csv", "00:00"),
      events: {},
    },
    "^N225": {
      meta: { symbol: "^N225", ...TOKYO },
      bars: barsOf("prices/nkx.csv", "00:00"),
      events: {},
    },
    MSFT: flatChart("MSFT", 480, NEW_YORK),
    "JPY=X": flatChart("JPY=X", 150, { currency: "JPY", ...LONDON }),
    "VND=X": flatChart("VND=X", 26_000, { currency: "VND", ...LONDON }),
  };
});

function chartAnswer(symbol: string, query: URLSearchParams): PlayedBody {
  const chart = charts()[symbol];
  if (!chart) return { status: 404, body: text("yahoo/error_404_chart.json") };
  const [from, to] = ["period1", "period2"].map((name) => Number(query.get(name)));
  const isIn = (time: number) => time >= (from ?? 0) && time <= (to ?? 0);
  const interval = query.get("interval") ?? "1d";
  const bars = chart.bars.filter(
    ({ time }, i) => isIn(time) && (interval === "1d" || i % 21 === 0),
  );
  const column = (name: keyof Bar) => bars.map((bar) => bar[name]);
  return answer({
    chart: {
      result: [
        {
          meta: { ...chart.meta, dataGranularity: interval },
          ...(bars.length > 0 && { timestamp: column("time") }),
          events: Object.fromEntries(
            Object.entries(chart.events).map(([kind, events]) => [
              kind,
              Object.fromEntries(Object.entries(events).filter(([, { date }]) => isIn(date))),
            ]),
          ),
          indicators: {
            quote: [
              Object.fromEntries(
                (["open", "high", "low", "close", "volume"] as const).map((name) => [
                  name,
                  column(name),
                ]),
              ),
            ],
          },
        },
      ],
      error: null,
    },
  });
}

/** A company as Yahoo describes it, where none is recorded: a fake. */
const profile = (
  symbol: string,
  currency: string,
  name: string,
  employees: number,
  shares: number,
) => ({
  price: { symbol, currency },
  assetProfile: {
    longBusinessSummary: `${name} is described here. (a fake)`,
    fullTimeEmployees: employees,
  },
  defaultKeyStatistics: { sharesOutstanding: shares, impliedSharesOutstanding: shares },
});

const summaries: Readonly<Record<string, () => unknown>> = {
  AAPL: once(() => json("yahoo/quoteSummary-all-AAPL.json").quoteSummary.result[0]),
  "7203.T": () => ({
    ...profile("7203.T", "JPY", "Toyota Motor Corporation", 380_000, 13_000_000_000),
    recommendationTrend: {
      trend: [{ period: "0m", strongBuy: 4, buy: 9, hold: 6, sell: 0, strongSell: 0 }],
    },
    financialData: {
      targetLowPrice: 2_500,
      targetMeanPrice: 3_445.2,
      targetMedianPrice: 3_400,
      targetHighPrice: 4_200,
      numberOfAnalystOpinions: 19,
    },
  }),
  "FPT.VN": () => profile("FPT.VN", "VND", "FPT Corporation", 80_000, 1_714_326_422),
  MSFT: () => profile("MSFT", "USD", "Microsoft Corporation", 228_000, 7_430_000_000),
};

/** What a share is quoted at, in the form of the recorded quotes. */
interface Quoted {
  readonly symbol: string;
  readonly name: string;
  readonly price: number;
  readonly previousClose: number;
  readonly volume: number;
  readonly marketCap: number | null;
}

/** A fake beside the recorded prices: every share earns a 20th of its price and has 2.5 times its book value. */
const PRICE_TO_EARNINGS = 20;
const PRICE_TO_BOOK = 2.5;

const quoteRow = (region: "us" | "jp" | "vn", quoted: Quoted) => ({
  language: "en-US",
  region: region.toUpperCase(),
  quoteType: "EQUITY",
  symbol: quoted.symbol,
  shortName: quoted.name,
  longName: quoted.name,
  currency: { us: "USD", jp: "JPY", vn: "VND" }[region],
  exchangeTimezoneName: { us: "America/New_York", jp: "Asia/Tokyo", vn: "Asia/Ho_Chi_Minh" }[
    region
  ],
  regularMarketTime:
    Date.parse(`2026-08-21T${{ us: "20:00", jp: "06:30", vn: "07:45" }[region]}Z`) / 1000,
  regularMarketPrice: quoted.price,
  regularMarketPreviousClose: quoted.previousClose,
  regularMarketVolume: quoted.volume,
  ...(quoted.marketCap !== null && { marketCap: quoted.marketCap }),
  epsTrailingTwelveMonths: quoted.price / PRICE_TO_EARNINGS,
  priceToBook: PRICE_TO_BOOK,
});

/** The prices of Nasdaq's recording for the US, the last recorded closes for the others. */
const quotes = once(() => ({
  us: screenerRows().flatMap((row) => {
    const [price, change, volume, cap] = [
      row.lastsale,
      row.netchange,
      row.volume,
      row.marketCap,
    ].map((figure) => Number(figure.replaceAll(/[$,]/g, ""))) as [number, number, number, number];
    if (!(price > 0) || row.symbol.includes("^")) return [];
    const quoted = {
      symbol: row.symbol.replace("/", "-"),
      name: row.name,
      price,
      previousClose: price - change,
      volume,
      marketCap: cap > 0 ? cap : null,
    };
    return [quoteRow("us", quoted)];
  }),
  jp: [
    quoteRow("jp", {
      symbol: "7203.T",
      name: "Toyota Motor Corporation",
      price: 3_132,
      previousClose: 3_067,
      volume: 23_901_000,
      marketCap: 40_716_000_000_000,
    }),
  ],
  vn: [
    quoteRow("vn", {
      symbol: "FPT.VN",
      name: "FPT Corporation",
      price: 70_800,
      previousClose: 71_000,
      volume: 4_301_800,
      marketCap: 121_374_310_677_600,
    }),
  ],
}));

function screenerPage(body: string): PlayedBody {
  const { offset, size, query } = JSON.parse(body);
  const region: unknown = query.operands[0].operands[1];
  const all = region === "us" || region === "jp" || region === "vn" ? quotes()[region] : [];
  const page = all.slice(offset, offset + size);
  return answer({
    finance: {
      result: [{ start: offset, count: page.length, total: all.length, quotes: page }],
      error: null,
    },
  });
}

const appleFundamentals = once(() => ({
  timeseries: {
    result: ["financials", "balance-sheet", "cash-flow"].flatMap((statement) =>
      ["annual", "quarterly"].flatMap(
        (span) =>
          json(`yahoo/fundamentalsTimeSeries-AAPL-${statement}-${span}.json`).timeseries.result,
      ),
    ),
    error: null,
  },
}));

/** A fake: a company whose quarters are all alike. Amounts of one quarter in billions of yen, EPS in yen. */
const TOYOTA_QUARTER: Readonly<Record<string, number>> = {
  TotalRevenue: 12_000e9,
  CostOfRevenue: 9_600e9,
  GrossProfit: 2_400e9,
  OperatingIncome: 1_200e9,
  EBITDA: 1_800e9,
  PretaxIncome: 1_350e9,
  TaxProvision: 350e9,
  NetIncomeCommonStockholders: 975e9,
  DilutedEPS: 75,
  OperatingCashFlow: 1_100e9,
  InvestingCashFlow: -900e9,
  FinancingCashFlow: -150e9,
  CapitalExpenditure: -600e9,
};
const TOYOTA_BALANCE: Readonly<Record<string, number>> = {
  TotalAssets: 93_000e9,
  CurrentAssets: 37_000e9,
  CashCashEquivalentsAndShortTermInvestments: 15_000e9,
  Inventory: 4_600e9,
  TotalLiabilitiesNetMinorityInterest: 56_000e9,
  CurrentLiabilities: 29_000e9,
  TotalDebt: 38_000e9,
  CommonStockEquity: 36_000e9,
};

function toyotaFundamentals() {
  const series = (prefix: string, periodType: string, ends: readonly string[], quarters: number) =>
    [TOYOTA_QUARTER, TOYOTA_BALANCE].flatMap((figures) =>
      Object.entries(figures).map(([name, figure]) => {
        const raw = figures === TOYOTA_QUARTER ? figure * quarters : figure;
        return {
          meta: { symbol: ["7203.T"], type: [prefix + name] },
          [prefix + name]: ends.map((asOfDate) => ({
            asOfDate,
            periodType,
            currencyCode: "JPY",
            reportedValue: { raw },
          })),
        };
      }),
    );
  const quarterEnds = "2025-03-31 2025-06-30 2025-09-30 2025-12-31 2026-03-31 2026-06-30".split(
    " ",
  );
  const yearEnds = "2023-03-31 2024-03-31 2025-03-31 2026-03-31".split(" ");
  return {
    timeseries: {
      result: [
        ...series("quarterly", "3M", quarterEnds, 1),
        ...series("annual", "12M", yearEnds, 4),
      ],
      error: null,
    },
  };
}

const COOKIE = "A3=played";
const CRUMB = "Pl4yed.Crumb";

/** What needs a session, by its address below the host. */
function protectedAnswer({ path, query, body }: PlayedRequest): PlayedBody | null {
  if (path === "/v1/finance/screener") return screenerPage(body);
  if (path === "/v7/finance/quote") {
    const symbol = query.get("symbols");
    const row = Object.values(quotes())
      .flat()
      .find((one) => one.symbol === symbol);
    return answer({ quoteResponse: { result: row ? [row] : [], error: null } });
  }
  const symbol = /^\/v10\/finance\/quoteSummary\/(.+)$/.exec(path)?.[1];
  if (symbol === undefined) return null;
  const summary = summaries[symbol]?.();
  return summary
    ? answer({ quoteSummary: { result: [summary], error: null } })
    : answer(
        { quoteSummary: { result: null, error: { code: "Not Found", description: "x" } } },
        404,
      );
}

const yahoo: Answer = (request) => {
  const { path, query, headers } = request;
  if (path === "/") {
    return { status: 404, body: "", headers: { "set-cookie": `${COOKIE}; Domain=.yahoo.com` } };
  }
  if (path === "/v1/test/getcrumb") return { body: CRUMB };
  const chart = /^\/v8\/finance\/chart\/(.+)$/.exec(path)?.[1];
  if (chart !== undefined) return chartAnswer(chart, query);
  if (path.startsWith("/ws/fundamentals-timeseries/")) {
    if (path.endsWith("/AAPL")) return answer(appleFundamentals());
    return answer(
      path.endsWith("/7203.T") ? toyotaFundamentals() : { timeseries: { result: [], error: null } },
    );
  }
  if (!/^\/(v1|v7|v10)\/finance\//.test(path)) return null;
  if (query.get("crumb") !== CRUMB || headers.get("cookie") !== COOKIE)
    return { status: 401, body: text("yahoo/error_401_quote_no_crumb.json") };
  return protectedAnswer(request);
};

// --- FRED: four series are recorded; the others are fakes of the same form.

const FRED_RECORDED: Readonly<Record<string, string>> = {
  CPIAUCSL: "fred/fredgraph_CPIAUCSL_raw.csv",
  DGS10: "fred/graph_DGS10.csv",
  M2SL: "fred/graph_M2SL.csv",
  UNRATE: "fred/graph_UNRATE.csv",
};

const fred: Answer = ({ path, query }) => {
  const id = query.get("id");
  if (path !== "/graph/fredgraph.csv" || id === null) return null;
  const recorded = FRED_RECORDED[id];
  if (recorded !== undefined) return { body: text(recorded) };
  const months = Array.from({ length: 36 }, (_, i) => addMonths("2023-08-01", i));
  return lines([`observation_date,${id}`, ...months.map((month, i) => `${month},${100 + i}`)]);
};

// --- OECD: fakes in the forms of the recorded answers of other countries.

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

const oecd: Answer = ({ path, query }) => {
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

// --- Viet Nam's statistics office: recorded in autumn 2024, played a year later.

const NSO_FILES: readonly (readonly [part: string, file: string])[] = [
  ["/GDPVNM.xml", "GDPVNM.xml"],
  ["/LMIVNM.xml", "LMIVNM.xml"],
  ["/CPIVNM.xml", "CPIVNM.xml"],
  ["/IIPVNM.xml", "IIPVNM.xml"],
  ["/METVNM.xml", "METVNM.xml"],
  ["/SBV471011/", "SBV.INR_VNM.xml"],
  ["/SBV471014/", "SBV.EXR_Vietnam.xml"],
];

const nso: Answer = ({ path, query }) => {
  const address = `${path}${query.get("nodeId") ?? ""}`;
  const file = NSO_FILES.find(([part]) => address.includes(part))?.[1];
  if (file === undefined) return null;
  const later = (_: string, year: string) => `TIME_PERIOD="${Number(year) + 1}`;
  return { body: text(`vn_nso/${file}`).replaceAll(/TIME_PERIOD="(\d{4})/g, later) };
};

// --- IMF: the recorded Outlook of October 2023, which reaches to 2028, as the DataMapper gives it.

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

const imf: Answer = ({ path }) => {
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

// --- World Bank: Japan's inflation is recorded to 2022 and played three years later.

interface WorldBankRow {
  readonly date: string;
}

const worldbank: Answer = ({ path }) => {
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

// --- Calendars: recorded days, each on the days of the week on which it was.

const thisWeek = once(() => ({ body: text("forexfactory/ff_calendar_thisweek_2026-08-16.json") }));
const recordedEvents = once(() => ({
  body: text("nasdaq/api_calendar_economicevents__date=2022-10-20.json"),
}));
const NO_ROWS = { data: { asOf: null, headers: {}, rows: null }, status: { rCode: 200 } };

const calendar: Answer = ({ path, query }) => {
  if (path === "/ff_calendar_thisweek.json") return thisWeek();
  if (path !== "/api/calendar/economicevents") return null;
  // Of a Thursday, under the date of the day after.
  return weekdayOf(query.get("date") ?? "") === 5 ? recordedEvents() : answer(NO_ROWS);
};

const nasdaqEarnings: Answer = ({ path, query }) => {
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
const shiller: Answer = ({ path }) =>
  path === "/datasets/s-and-p-500/main/data/data.csv" ? shillerFile() : null;

/** What each source answers, by the source's name; null for an address that it does not have. */
export const PLAYED: Readonly<Record<string, Answer>> = {
  nasdaq,
  sec,
  jpx,
  vietcap,
  entrade,
  yahoo,
  fred,
  oecd,
  nso,
  imf,
  worldbank,
  calendar,
  "nasdaq-earnings": nasdaqEarnings,
  shiller,
};

/** The recorded bodies with which some services tell of an error under status 200. */
export const RECORDED_ERROR = once(() =>
  text("errors/ratelimit_query__function=UNEMPLOYMENT.json"),
);
