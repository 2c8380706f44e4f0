import { addMonths } from "#lib/date.ts";
import { lazy } from "#lib/lazy.ts";
import {
  answer,
  fakeJson,
  type PlayedSource,
  type PlayedBody,
  type PlayedRequest,
} from "./played-answer.ts";
import { screenerRows, usCompanies, YAHOO_SECTORS } from "./played-companies.ts";
import { DOUBLES_OF_FPT } from "./played-markets.ts";
import { historyOf } from "./played-prices.ts";
import { yahooFundamentals } from "./played-statements.ts";

/** What a chart says about a symbol, with the time of day (UTC) at which its bars begin. */
const CHARTS: Readonly<Record<string, { currency: string; timeZone: string; opens: string }>> = {
  AAPL: { currency: "USD", timeZone: "America/New_York", opens: "14:30" },
  MSFT: { currency: "USD", timeZone: "America/New_York", opens: "14:30" },
  "7203.T": { currency: "JPY", timeZone: "Asia/Tokyo", opens: "00:00" },
  "^N225": { currency: "JPY", timeZone: "Asia/Tokyo", opens: "00:00" },
  "VNM.VN": { currency: "VND", timeZone: "Asia/Ho_Chi_Minh", opens: "02:00" },
  "JPY=X": { currency: "JPY", timeZone: "Europe/London", opens: "12:00" },
  "VND=X": { currency: "VND", timeZone: "Europe/London", opens: "12:00" },
};

const secondsOf = (date: string, time: string) => Date.parse(`${date}T${time}Z`) / 1000;

const DIVIDENDS = ["2025-08-11", "2026-02-09", "2026-05-11"];

/** Every share has paid dividends of 1.00 and has been split once. */
const EVENTS = {
  dividends: DIVIDENDS.map((date) => ({ date: secondsOf(date, "14:30"), amount: 1 })),
  splits: [
    {
      date: secondsOf("2020-08-31", "14:30"),
      numerator: 4,
      denominator: 1,
      splitRatio: "4:1",
    },
  ],
};

function chartAnswer(symbol: string, query: URLSearchParams): PlayedBody {
  const chart = CHARTS[symbol];
  if (!chart) {
    const error = { code: "Not Found", description: "No data found, symbol may be delisted" };
    return answer({ chart: { result: null, error } }, 404);
  }
  const [from = 0, to = 0] = ["period1", "period2"].map((name) => Number(query.get(name)));
  const isIn = (time: number) => time >= from && time <= to;
  const interval = query.get("interval") ?? "1d";
  const bars = historyOf(symbol)
    .map((bar) => ({ ...bar, time: secondsOf(bar.date, chart.opens) }))
    .filter(({ time }, i) => isIn(time) && (interval === "1d" || i % 21 === 0));
  const prices = bars.map(({ price }) => price);
  const volume = bars.map((bar) => bar.volume);
  const meta = {
    symbol,
    currency: chart.currency,
    exchangeTimezoneName: chart.timeZone,
    dataGranularity: interval,
  };
  const events = Object.entries(EVENTS).map(([kind, all]) => {
    const given = all.filter(({ date }) => isIn(date));
    return [kind, Object.fromEntries(given.map((event) => [String(event.date), event]))];
  });
  return answer({
    chart: {
      result: [
        {
          meta,
          ...(bars.length > 0 && { timestamp: bars.map(({ time }) => time) }),
          events: Object.fromEntries(events),
          indicators: {
            quote: [{ open: prices, high: prices, low: prices, close: prices, volume }],
          },
        },
      ],
      error: null,
    },
  });
}

/** A company that has no fake file, as Yahoo describes it. */
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
  earningsHistory: {
    history: [
      { quarter: secondsOf("2026-03-31", "00:00"), epsActual: 1.2, epsEstimate: 1.1, currency },
      { quarter: secondsOf("2026-06-30", "00:00"), epsActual: {}, epsEstimate: 1.3, currency },
    ],
  },
});

const summaries: Readonly<Record<string, () => unknown>> = {
  AAPL: () => fakeJson("yahoo/quote-summary.fake.json"),
  NVDA: () => ({
    ...profile("NVDA", "USD", "NVIDIA Corporation", 42_000, 25_000_000_000),
    // Nasdaq's calendar has another day, and it is preferred.
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
      targetLowPrice: 2_000,
      targetMeanPrice: 2_600,
      targetMedianPrice: 2_500,
      targetHighPrice: 3_000,
      numberOfAnalystOpinions: 20,
    },
  }),
  "FPT.VN": () => profile("FPT.VN", "VND", "FPT Corporation", 80_000, 1_700_000_000),
  "VNM.VN": () => ({
    ...profile("VNM.VN", "VND", "Fake Dairy", 10_000, 100_000_000),
    financialData: {
      targetLowPrice: 60_000,
      targetMeanPrice: 70_000,
      targetMedianPrice: 70_000,
      targetHighPrice: 80_000,
      numberOfAnalystOpinions: 4,
    },
  }),
  MSFT: () => profile("MSFT", "USD", "Microsoft Corporation", 228_000, 7_500_000_000),
};

/** The figures of a quote. */
interface Quoted {
  readonly symbol: string;
  readonly name: string;
  readonly price: number;
  readonly previousClose: number;
  readonly volume: number;
  readonly marketCap: number | null;
}

/** Every share earns a 20th of its price, and costs 2.5 times its book value. */
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

/** The prices of Nasdaq's screener for the US, the last closes for the others. */
const quotes = lazy(() => ({
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
      price: 2_420,
      previousClose: 2_400,
      volume: 1_000_000,
      // 13 billion shares.
      marketCap: 31_460_000_000_000,
    }),
  ],
  vn: ["FPT", ...DOUBLES_OF_FPT, "VNM"].map((symbol) =>
    quoteRow("vn", {
      symbol: `${symbol}.VN`,
      name: symbol === "FPT" ? "FPT Corporation" : symbol,
      price: 72_600,
      previousClose: 72_000,
      volume: 1_000_000,
      // 1.7 billion shares of FPT and its doubles, 100 million of VNM.
      marketCap: symbol === "VNM" ? 7_260_000_000_000 : 123_420_000_000_000,
    }),
  ),
}));

/** Sectors that Nasdaq does not have or has in another way, and those of other countries. */
const SECTORS_BY_SYMBOL: Readonly<Record<string, string>> = {
  "7203.T": "Consumer Cyclical",
  "VNM.VN": "Consumer Defensive",
  "BRK-B": "Financial Services",
  GOOG: "Communication Services",
  GOOGL: "Communication Services",
};
const sectorsBySymbol = lazy(
  () =>
    new Map(
      screenerRows().map(({ symbol, sector }) => [
        symbol.replace("/", "-"),
        // A share without a sector at Nasdaq is on none of Yahoo's pages.
        YAHOO_SECTORS.get(sector) ?? "",
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

/** Invented companies closed at four fifths of their price on the first of each month. */
const sparkCloses = lazy(
  () =>
    new Map([
      ...usCompanies().map(({ symbol, price }) => [symbol, { price, ...US_CHART }] as const),
      ["AAPL", { price: 302.5, ...US_CHART }] as const,
      [
        "7203.T",
        { price: 2_420, currency: "JPY", timeZone: "Asia/Tokyo", opens: "00:00" },
      ] as const,
    ]),
);
const US_CHART = { currency: "USD", timeZone: "America/New_York", opens: "14:30" };
const SPARK_DATES = Array.from({ length: 13 }, (_, i) => addMonths("2025-08-20", i));

function sparkAnswer(symbols: readonly string[]): PlayedBody {
  const result = symbols.flatMap((symbol) => {
    const known = sparkCloses().get(symbol);
    if (!known) return [];
    const { price, currency, timeZone, opens } = known;
    const response = {
      meta: { symbol, currency, exchangeTimezoneName: timeZone },
      timestamp: SPARK_DATES.map((date) => secondsOf(date, opens)),
      indicators: { quote: [{ close: SPARK_DATES.map(() => 0.8 * price) }] },
    };
    return [{ symbol, response: [response] }];
  });
  return answer({ spark: { result, error: null } });
}

const COOKIE = "A3=played";
const CRUMB = "Pl4yed.Crumb";

/** The answers that need a session, by their path. */
function protectedAnswer({ path, query, body }: PlayedRequest): PlayedBody | null {
  if (path === "/v1/finance/screener") return screenerPage(body);
  if (path === "/v7/finance/quote") {
    const symbol = query.get("symbols");
    const row = Object.values(quotes())
      .flat()
      .find((one) => one.symbol === symbol);
    return answer({ quoteResponse: { result: row ? [row] : [], error: null } });
  }
  if (path === "/v7/finance/spark") return sparkAnswer((query.get("symbols") ?? "").split(","));
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

/** Yahoo: charts, quotes, profiles and statements of a few companies, and quotes of all US shares. */
export const yahoo: PlayedSource = (request) => {
  const { path, query, headers } = request;
  if (path === "/") {
    return { status: 404, body: "", headers: { "set-cookie": `${COOKIE}; Domain=.yahoo.com` } };
  }
  if (path === "/v1/test/getcrumb") return { body: CRUMB };
  const chart = /^\/v8\/finance\/chart\/(.+)$/.exec(path)?.[1];
  if (chart !== undefined) return chartAnswer(decodeURIComponent(chart), query);
  const company = /^\/ws\/fundamentals-timeseries\/.+\/(.+)$/.exec(path)?.[1];
  if (company !== undefined) return answer(yahooFundamentals(company));
  if (!/^\/(v1|v7|v10)\/finance\//.test(path)) return null;
  if (query.get("crumb") !== CRUMB || headers.get("cookie") !== COOKIE) {
    const error = { code: "Unauthorized", description: "A crumb is missing." };
    return answer({ finance: { result: null, error } }, 401);
  }
  return protectedAnswer(request);
};
