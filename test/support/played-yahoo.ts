import { addDays, dateOf, weekdayOf } from "#lib/date.ts";
import { screenerRows } from "./played-markets.ts";
import {
  answer,
  DOUBLES_OF_FPT,
  json,
  once,
  type PlayedAnswer,
  type PlayedBody,
  type PlayedRequest,
  RECORDED,
  rows,
  text,
} from "./played-recordings.ts";

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

/** Recorded in February 2025; the next report is played a year and a half later. */
const appleSummary = once(() => {
  const [summary] = json("yahoo/quoteSummary-all-AAPL.json").quoteSummary.result;
  const { earnings } = summary.calendarEvents;
  const earningsDate = earnings.earningsDate.map((at: number) => at + 547 * 86_400);
  return { ...summary, calendarEvents: { earnings: { ...earnings, earningsDate } } };
});

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
  AAPL: appleSummary,
  NVDA: () => ({
    ...profile("NVDA", "USD", "NVIDIA Corporation", 42_000, 24_200_000_000),
    // Another day than Nasdaq's calendar tells, which is the surer one.
    calendarEvents: {
      earnings: {
        earningsDate: [Date.parse("2026-08-28T20:00Z") / 1000],
        isEarningsDateEstimate: true,
      },
    },
    earningsTrend: {
      trend: [
        {
          period: "0q",
          endDate: "2026-07-31",
          revenueEstimate: { avg: 90_000_000_000, numberOfAnalysts: 40, revenueCurrency: "USD" },
        },
      ],
    },
  }),
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
  vn: ["FPT", ...DOUBLES_OF_FPT].map((symbol) =>
    quoteRow("vn", {
      symbol: `${symbol}.VN`,
      name: symbol === "FPT" ? "FPT Corporation" : symbol,
      price: 70_800,
      previousClose: 71_000,
      volume: 4_301_800,
      marketCap: 121_374_310_677_600,
    }),
  ),
}));

/** Yahoo's name of a sector for each of Nasdaq's; none for what Nasdaq leaves blank. */
const YAHOO_SECTORS: Readonly<Record<string, string>> = {
  "Basic Materials": "Basic Materials",
  "Consumer Discretionary": "Consumer Cyclical",
  "Consumer Staples": "Consumer Defensive",
  Energy: "Energy",
  Finance: "Financial Services",
  "Health Care": "Healthcare",
  Industrials: "Industrials",
  "Real Estate": "Real Estate",
  Technology: "Technology",
  Telecommunications: "Communication Services",
  Utilities: "Utilities",
};
/** What is played beside the recording: what Nasdaq leaves blank or says coarsely. */
const SECTORS_BY_SYMBOL: Readonly<Record<string, string>> = {
  "7203.T": "Consumer Cyclical",
  "BRK-B": "Financial Services",
  GOOG: "Communication Services",
  GOOGL: "Communication Services",
};
const sectorsBySymbol = once(
  () =>
    new Map(
      screenerRows().map(({ symbol, sector }) => [
        symbol.replace("/", "-"),
        // Blank at Nasdaq is on none of Yahoo's pages either.
        YAHOO_SECTORS[sector] ?? "",
      ]),
    ),
);
const sectorOf = (symbol: string) =>
  SECTORS_BY_SYMBOL[symbol] ?? sectorsBySymbol().get(symbol) ?? "Technology";

function screenerPage(body: string): PlayedBody {
  const { offset, size, query } = JSON.parse(body);
  const region: unknown = query.operands[0].operands[1];
  const sector: unknown = query.operands[1].operands[1];
  const listed = region === "us" || region === "jp" || region === "vn" ? quotes()[region] : [];
  const all = listed.filter(({ symbol }) => sectorOf(String(symbol)) === sector);
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

/** Yahoo: recorded charts, prices, quotes and profiles in the forms of its answers. */
export const yahoo: PlayedAnswer = (request) => {
  const { path, query, headers } = request;
  if (path === "/") {
    return { status: 404, body: "", headers: { "set-cookie": `${COOKIE}; Domain=.yahoo.com` } };
  }
  if (path === "/v1/test/getcrumb") return { body: CRUMB };
  const chart = /^\/v8\/finance\/chart\/(.+)$/.exec(path)?.[1];
  if (chart !== undefined) return chartAnswer(decodeURIComponent(chart), query);
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
