import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Country } from "#domain/country.ts";
import { isCompany } from "#domain/instrument.ts";
import { SECTORS } from "#domain/taxonomy.ts";
import { parseDisplay } from "../support/display.ts";
import { startService } from "../support/service.ts";
import { tokensOf } from "../support/tokens.ts";
import { listInstruments } from "../support/market.ts";

/**
 * Ordinary research questions with the calls that answer them. The official MCP client makes the calls on
 * the sample market. The test computes the fields that answer the question by another route: from the
 * stored records, or from the display panels over REST.
 */

const ROOT = join(import.meta.dir, "../..");
const MAX_CALLS = 4;
/** For one copy of the answers to a question. A client shows the model the text or structuredContent. */
const MAX_TOKENS = 1_600;
/** For the answers to all questions. */
const MAX_TOKENS_OF_ALL = 8_500;

/** The part of an answer that answers the question. The rows of a table are objects by column. */
type Expected = Readonly<Record<string, unknown>>;

interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly expected: () => Expected | Promise<Expected>;
}

const service = await startService();
const token = service.createToken().token;
const client = new Client({ name: "research-test", version: "1.0.0" });
const requestInit = { headers: { authorization: `Bearer ${token}` } };
const url = new URL(`${service.base}/mcp`);
await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
afterAll(async () => {
  await client.close();
  await service.stop();
});

const round2 = (value: number) => Math.round(value * 100) / 100;

function findInstrument(country: Country, symbol: string) {
  const instrument = service.market.instruments.find({ country, symbol });
  if (!instrument) throw new Error(`no ${symbol} in ${country}`);
  return instrument;
}

/** The sessions and closes of a symbol from a date on, oldest first. */
function pricesOf(country: Country, symbol: string, from = "2000-01-01") {
  const bars = service.market.bars.series(findInstrument(country, symbol).id, 99_999, { from });
  return { dates: bars.dates, closes: [...bars.close] };
}

const last = <T>(list: readonly T[], back = 1): T => {
  const item = list.at(-back);
  if (item === undefined) throw new Error("the list is too short");
  return item;
};

/** Newest close × shares outstanding. */
function marketCap(country: Country, symbol: string): number {
  const { sharesOutstanding } = findInstrument(country, symbol);
  return last(pricesOf(country, symbol).closes) * (sharesOutstanding ?? Number.NaN);
}

/** The stored dividends of a US company, oldest first. */
function dividendsOf(symbol: string) {
  const stored = service.market.documents.find("dividends", "US", symbol)?.dividends ?? [];
  return stored.toSorted((a, b) => a.exDate.localeCompare(b.exDate));
}

/** The calendar years up to 2025 with dividends, and those of them in a row that paid more than the year before. */
function dividendYears(symbol: string) {
  const paid = new Map<number, number>();
  for (const { exDate, amount } of dividendsOf(symbol)) {
    const year = Number(exDate.slice(0, 4));
    if (year < 2026) paid.set(year, (paid.get(year) ?? 0) + amount);
  }
  let raised = 0;
  while ((paid.get(2025 - raised) ?? 0) > (paid.get(2024 - raised) ?? Infinity)) raised++;
  return { symbol, dividend_years_paid: paid.size, dividend_years_raised: raised };
}

/** The P/E at the last close of each of the 60 months before this one, by the quarters filed by then. */
async function monthEndPe(country: Country, symbol: string): Promise<number[]> {
  const { figures } = await rest<{ figures: { columns: string[]; rows: (string | number)[][] } }>(
    `/data/stocks/${symbol}/statements?country=${country}&type=income&period=quarterly&limit=40&figures=only`,
  );
  const [filed, eps] = ["filing_date", "eps_diluted"].map((name) => figures.columns.indexOf(name));
  const { dates, closes } = pricesOf(country, symbol, "2021-11-01");
  return dates.flatMap((date, i) => {
    const isMonthEnd = date.slice(0, 7) !== (dates[i + 1] ?? date).slice(0, 7);
    if (!isMonthEnd) return [];
    const known = figures.rows.filter((row) => String(row[filed ?? 0]) <= date).slice(0, 4);
    return (closes[i] ?? 0) / known.reduce((sum, row) => sum + Number(row[eps ?? 0]), 0);
  });
}

/** The largest fall from a high since the last session at or before a date. */
function largestFall({ dates, closes }: ReturnType<typeof pricesOf>, since: string) {
  const first = dates.findLastIndex((date) => date <= since);
  let [peak, fall, from, to] = [first, 0, first, first];
  for (let i = first; i < closes.length; i++) {
    if ((closes[i] ?? 0) > (closes[peak] ?? 0)) peak = i;
    const change = (closes[i] ?? 0) / (closes[peak] ?? 1) - 1;
    if (change < fall) [fall, from, to] = [change, peak, i];
  }
  const recovered = closes.findIndex((close, i) => i > to && close >= (closes[from] ?? 0));
  return {
    max_drawdown: round2(100 * fall),
    peak_session: dates[from],
    trough_session: dates[to],
    recovered_session: dates[recovered] ?? null,
  };
}

/** The return of a US share bought at one close and sold at another, its dividends reinvested before each ex-date. */
function reinvested(symbol: string, bought: string, sold: string) {
  const { dates, closes } = pricesOf("US", symbol);
  const closeOn = (date: string) => closes[dates.indexOf(date)] ?? Number.NaN;
  let shares = 1;
  for (const { exDate, amount } of dividendsOf(symbol)) {
    if (exDate <= bought || exDate > sold) continue;
    const before = closes[dates.findLastIndex((date) => date < exDate)] ?? Number.NaN;
    shares *= before / (before - amount);
  }
  const price = closeOn(sold) / closeOn(bought);
  return {
    return: round2(100 * (price - 1)),
    total_return: expect.closeTo(100 * (price * shares - 1), 1),
  };
}

/** The symbols of the companies of a country. */
const companies = (country: Country) =>
  listInstruments(service.market, country).filter(({ assetType }) => isCompany(assetType));

async function rest<T>(path: string): Promise<T> {
  const response = await service.request(path, token);
  return ((await response.json()) as { data: T }).data;
}

/** The number of a display value; null for `—`. */
const shown = (text = "—") => (text === "—" ? null : parseDisplay(text).value);

/** Figures of a company as its panels display them. */
async function panelsOf(country: Country, symbol: string) {
  const path = `/data/stocks/${encodeURIComponent(symbol)}`;
  const { valuation } = await rest<{ valuation: Record<string, string> }>(
    `${path}/overview?country=${country}`,
  );
  const income = await rest<Record<string, string>>(
    `${path}/statements?country=${country}&type=income`,
  );
  return {
    pe: shown(valuation["P/E"]),
    pb: shown(valuation["P/B"]),
    ps: shown(valuation["P/S"]),
    ev_ebitda: shown(valuation["EV/EBITDATTM"]),
    revenue_growth: shown(income["Revenue growthTTM YoY"]),
  };
}

/** The change of each company of a country from the last session but one to the last, highest first. */
function changesOf(country: Country) {
  return companies(country)
    .map(({ symbol }) => {
      const { closes } = pricesOf(country, symbol);
      const change = (last(closes) / last(closes, 2) - 1) * 100;
      return { symbol, price: last(closes), change_percent: round2(change) };
    })
    .sort((a, b) => b.change_percent - a.change_percent);
}

/** The dividends of twelve months before the newest session as a percentage of its close. */
function dividendYield(country: Country, symbol: string): number {
  const { dates, closes } = pricesOf(country, symbol);
  const end = last(dates);
  const start = `${Number(end.slice(0, 4)) - 1}${end.slice(4)}`;
  const paid = service.market.documents.find("dividends", country, symbol)?.dividends ?? [];
  const year = paid.filter(({ exDate }) => exDate > start && exDate <= end);
  return (year.reduce((sum, { amount }) => sum + amount, 0) / last(closes)) * 100;
}

/** The median P/E of a US sector, over the column of a screen. */
async function medianPe(sector: string): Promise<number> {
  const { rows } = await rest<{ rows: [string, string, number | null][] }>(
    `/data/stocks/screen?country=US&sector=${sector}&metrics=pe&limit=100`,
  );
  const pes = rows.flatMap(([, , pe]) => pe ?? []).sort((a, b) => a - b);
  const middle = pes.length / 2;
  const [low = 0, high = 0] = [pes[Math.ceil(middle) - 1], pes[Math.floor(middle)]];
  return (low + high) / 2;
}

/** Return and maximum drawdown in percent, from the first close on or after a date to the newest. */
function statisticsOf(country: Country, symbol: string, from: string) {
  const all = pricesOf(country, symbol);
  // The return is measured from the last close at or before the start date.
  const start = all.dates.findLastIndex((date) => date <= from);
  const [dates, closes] = [all.dates.slice(start), all.closes.slice(start)];
  let [peak, drawdown] = [0, 0];
  for (const close of closes) {
    peak = Math.max(peak, close);
    drawdown = Math.min(drawdown, (close / peak - 1) * 100);
  }
  return {
    symbol,
    from_session: dates[0],
    to_session: last(dates),
    return: round2((last(closes) / (closes[0] ?? Number.NaN) - 1) * 100),
    max_drawdown: round2(drawdown),
  };
}

/** RSI (14) by Wilder's recursion: the averages start as means of the first 14 changes. */
function rsi14(closes: readonly number[]): number {
  const changes = closes.slice(1).map((close, i) => close - (closes[i] ?? Number.NaN));
  let [gain, loss] = [0, 0];
  for (const [i, change] of changes.entries()) {
    const weight = Math.max(1 / 14, 1 / (i + 1));
    gain += weight * (Math.max(change, 0) - gain);
    loss += weight * (Math.max(-change, 0) - loss);
  }
  return 100 - 100 / (1 + gain / loss);
}

const near = (value: number) => expect.closeTo(value, 1);

const QUESTIONS: Readonly<Record<string, readonly Call[]>> = {
  "Compare Apple, Microsoft and Nvidia by valuation.": [
    {
      tool: "compare_stocks",
      args: { symbols: "AAPL,MSFT,NVDA", metrics: "market_cap,pe,forward_pe,pb,ps,ev_ebitda" },
      expected: async () => ({
        rows: await Promise.all(
          ["AAPL", "MSFT", "NVDA"].map(async (symbol) => {
            const { pe, pb, ps, ev_ebitda } = await panelsOf("US", symbol);
            const market_cap = Math.round(marketCap("US", symbol));
            return { symbol, currency: "USD", market_cap, pe, pb, ps, ev_ebitda };
          }),
        ),
      }),
    },
  ],
  "Which growing technology companies of the US are cheapest?": [
    {
      tool: "screen_stocks",
      args: { country: "US", sector: "technology", where: "revenue_growth>10", sort: "pe" },
      expected: async () => {
        const technology = companies("US").filter(({ sector }) => sector === "technology");
        const figures = await Promise.all(
          technology.map(async ({ symbol }) => {
            const { pe, revenue_growth } = await panelsOf("US", symbol);
            return { symbol, pe, revenue_growth };
          }),
        );
        const growing = figures.filter(({ revenue_growth }) => (revenue_growth ?? 0) > 10);
        const cheapest = growing.sort((a, b) => (a.pe ?? Infinity) - (b.pe ?? Infinity));
        return { total: growing.length, rows: cheapest.slice(0, 10) };
      },
    },
  ],
  "What are today's gainers and losers in Viet Nam?": [
    {
      tool: "screen_stocks",
      args: { country: "VN", sort: "both:change_percent" },
      expected: () => {
        const changes = changesOf("VN");
        return { of: changes.length, rows: [...changes.slice(0, 5), ...changes.slice(-5)] };
      },
    },
  ],
  "Which stocks of Japan have the highest dividend yield?": [
    {
      tool: "screen_stocks",
      args: { country: "JP", sort: "-dividend_yield" },
      expected: () => {
        const yields = companies("JP").map(({ symbol }) => ({
          symbol,
          dividend_yield: round2(dividendYield("JP", symbol)),
        }));
        yields.sort((a, b) => b.dividend_yield - a.dividend_yield);
        return { rows: yields.slice(0, 10) };
      },
    },
  ],
  "Which sectors of the US are cheapest?": [
    {
      tool: "get_sectors",
      args: { country: "US", columns: "pe_median,ev_ebitda_median,return_1y" },
      expected: async () => {
        const medians = [...SECTORS.keys()].map(async (slug) => ({
          slug,
          pe_median: expect.closeTo(await medianPe(slug), 1),
        }));
        return { rows: await Promise.all(medians) };
      },
    },
  ],
  "What is the inflation of the US now, and what is it next year?": [
    {
      tool: "get_macro_forecast",
      args: { country: "US", categories: "prices" },
      expected: () => {
        const { documents } = service.market;
        const name = "CPI inflation YoY";
        const series = documents.list("macroSeries", "US").find((one) => one.name === name);
        const forecast = documents.list("macroForecasts", "US").find((one) => one.name === name);
        const { period, value } = last(series?.observations ?? []);
        const quarters = forecast?.values.map((one) => [
          `Q${one.quarter}/${one.year - 2000}`,
          one.value?.toFixed(1),
        ]);
        const entry = {
          name,
          latest: value.toFixed(1),
          latest_period: period,
          ...Object.fromEntries(quarters ?? []),
        };
        expect(Object.keys(entry)).toContain("Q4/27");
        return { categories: { prices: expect.arrayContaining([expect.objectContaining(entry)]) } };
      },
    },
  ],
  "Which important economic events do the US and Japan have this week?": [
    {
      tool: "get_macro_calendar",
      args: { countries: "US,JP", from: "2026-11-16", to: "2026-11-22", importance: "high" },
      expected: () => {
        const events = (["US", "JP"] as const)
          .flatMap((country) => service.market.calendar.listFrom(country, "2026-11-16"))
          .filter(({ date, importance }) => date <= "2026-11-22" && importance === "high")
          .sort((a, b) => `${a.date}${a.time}`.localeCompare(`${b.date}${b.time}`));
        expect(events).not.toBeEmpty();
        return {
          events: events.map(({ event, date, time, previous, consensus, actual }) => {
            return { event, date, time, previous, consensus, actual };
          }),
        };
      },
    },
  ],
  "How did Toyota's revenue develop over four years?": [
    {
      tool: "get_stock_statements",
      args: { country: "JP", symbol: "7203", type: "income", period: "annual" },
      expected: () => {
        const years = service.market.statements
          .list({ country: "JP", symbol: "7203" })
          .filter(({ span }) => span === "year")
          .slice(-4);
        return {
          periods: years.toReversed().map(({ fiscalYear, periodEnd, items }) => ({
            "Fiscal period": `FY ${fiscalYear}`,
            "Fiscal period end": periodEnd,
            Revenue: `${((items.revenue ?? Number.NaN) / 1e12).toFixed(2)} T JPY`,
          })),
        };
      },
    },
  ],
  "How did the S&P 500 do against Apple since 2020, with drawdowns?": [
    {
      tool: "get_price_statistics",
      args: { symbols: "^GSPC,AAPL", from: "2020-01-01" },
      expected: () => ({
        rows: ["^GSPC", "AAPL"].map((symbol) => statisticsOf("US", symbol, "2020-01-01")),
      }),
    },
  ],
  "What do analysts say about Nvidia?": [
    {
      tool: "get_stock_forecast",
      args: { country: "US", symbol: "NVDA" },
      expected: () => {
        const coverage = service.market.documents.find("analystCoverage", "US", "NVDA");
        const { mean = null, analysts } = coverage?.priceTarget ?? {};
        const { month, buy, strongSell } = coverage?.ratings[0] ?? {};
        return {
          price_target: {
            mean,
            analysts,
            upside_percent: near(
              ((mean ?? Number.NaN) / last(pricesOf("US", "NVDA").closes) - 1) * 100,
            ),
          },
          rating_trend: expect.arrayContaining([
            expect.objectContaining({ month, buy, strong_sell: strongSell }),
          ]),
        };
      },
    },
  ],
  "When do Apple and Microsoft report next?": [
    {
      tool: "get_earnings_calendar",
      args: { tickers: "AAPL,MSFT" },
      expected: () => {
        const reports = ["AAPL", "MSFT"].map((symbol) => {
          const next = service.market.documents.find("earningsDates", "US", symbol);
          return { symbol, date: next?.date, session: next?.session };
        });
        reports.sort((a, b) => String(a.date).localeCompare(String(b.date)));
        return { earnings: reports };
      },
    },
  ],
  "Is FPT overbought?": [
    {
      tool: "get_stock_technicals",
      args: { country: "VN", symbol: "FPT" },
      expected: () => ({ "RSI (14)": rsi14(pricesOf("VN", "FPT").closes).toFixed(2) }),
    },
  ],
  "What are the figures of Vinamilk?": [
    {
      tool: "list_symbols",
      args: { query: "Vinamilk" },
      expected: () => ({ total: 1, symbols: [{ country: "VN", symbol: "VNM" }] }),
    },
    {
      tool: "get_stock_overview",
      args: { country: "VN", symbol: "VNM" },
      expected: () => ({
        overview: {
          Name: findInstrument("VN", "VNM").name,
          "Mkt cap": `${(marketCap("VN", "VNM") / 1e12).toFixed(2)} T VND`,
          "Div yield %TTM": `${dividendYield("VN", "VNM").toFixed(2)}%`,
        },
      }),
    },
  ],
  "How large are Toyota, Vinhomes and Microsoft in dollars?": [
    {
      tool: "compare_stocks",
      args: { symbols: "JP:7203,VN:VHM,US:MSFT", metrics: "market_cap", currency: "USD" },
      expected: () => {
        const perDollar = (country: Country, pair: string) => last(pricesOf(country, pair).closes);
        const yen = marketCap("JP", "7203") / perDollar("JP", "JPY=X");
        const dong = marketCap("VN", "VHM") / perDollar("VN", "VND=X");
        return {
          rows: [
            { symbol: "7203", currency: "USD", market_cap: expect.closeTo(yen, -6) },
            { symbol: "VHM", currency: "USD", market_cap: expect.closeTo(dong, -6) },
            { symbol: "MSFT", currency: "USD", market_cap: Math.round(marketCap("US", "MSFT")) },
          ],
        };
      },
    },
  ],
  "How many years in a row have Coca-Cola and Procter & Gamble raised their dividends?": [
    {
      tool: "compare_stocks",
      args: { symbols: "US:KO,US:PG", metrics: "dividend_years_paid,dividend_years_raised" },
      expected: () => ({ rows: [dividendYears("KO"), dividendYears("PG")] }),
    },
  ],
  "Is Apple expensive against its own five years?": [
    {
      tool: "compare_stocks",
      args: { symbols: "US:AAPL", metrics: "pe,pe_5y_median,pe_percentile_5y" },
      expected: async () => {
        const { pe } = await panelsOf("US", "AAPL");
        const history = await monthEndPe("US", "AAPL");
        expect(history).toHaveLength(60);
        const [low = 0, high = 0] = history.toSorted((a, b) => a - b).slice(29, 31);
        const below = history.filter((value) => value < (pe ?? 0)).length;
        return {
          rows: [
            {
              pe,
              pe_5y_median: expect.closeTo((low + high) / 2, 1),
              pe_percentile_5y: round2((100 * below) / history.length),
            },
          ],
        };
      },
    },
  ],
  "When was Disco's largest fall in five years, and has it recovered?": [
    {
      tool: "get_price_statistics",
      args: { symbols: "JP:6146", range: "5y" },
      expected: () => ({ rows: [largestFall(pricesOf("JP", "6146"), "2021-11-20")] }),
    },
  ],
  "What did Coca-Cola return from 2021 to 2025 with dividends reinvested?": [
    {
      tool: "get_price_statistics",
      args: { symbols: "US:KO", years: "2021-2025" },
      expected: () => ({ rows: [reinvested("KO", "2020-12-31", "2025-12-31")] }),
    },
  ],
  "What are 10 Apple, 300 Toyota and 5,000 FPT worth in dollars, and how are they spread?": [
    {
      tool: "analyze_portfolio",
      args: { holdings: "US:AAPL=10, JP:7203=300, VN:FPT=5000", currency: "USD", range: "1y" },
      expected: () => {
        const holdings = [
          ["AAPL", 10 * last(pricesOf("US", "AAPL").closes)],
          [
            "7203",
            (300 * last(pricesOf("JP", "7203").closes)) / last(pricesOf("JP", "JPY=X").closes),
          ],
          [
            "FPT",
            (5_000 * last(pricesOf("VN", "FPT").closes)) / last(pricesOf("VN", "VND=X").closes),
          ],
        ] as const;
        const value = holdings.reduce((sum, [, one]) => sum + one, 0);
        return {
          value: expect.closeTo(value, 0),
          rows: holdings.map(([symbol, one]) => ({
            symbol: expect.stringContaining(symbol),
            weight: expect.closeTo((100 * one) / value, 1),
          })),
        };
      },
    },
  ],
  "Which is larger in dollars, ソニーグループ or Tập đoàn Hòa Phát?": [
    {
      tool: "list_symbols",
      args: { queries: "ソニーグループ,Tập đoàn Hòa Phát", limit: 1 },
      expected: () => ({
        matches: [
          { query: "ソニーグループ", symbols: ["JP:6758"] },
          { query: "Tập đoàn Hòa Phát", symbols: ["VN:HPG"] },
        ],
      }),
    },
    {
      tool: "compare_stocks",
      args: { symbols: "JP:6758,VN:HPG", metrics: "market_cap", currency: "USD" },
      expected: () => {
        const yen = marketCap("JP", "6758") / last(pricesOf("JP", "JPY=X").closes);
        const dong = marketCap("VN", "HPG") / last(pricesOf("VN", "VND=X").closes);
        expect(yen).toBeGreaterThan(dong);
        return {
          rows: [
            { symbol: "6758", market_cap: expect.closeTo(yen, -6) },
            { symbol: "HPG", market_cap: expect.closeTo(dong, -6) },
          ],
        };
      },
    },
  ],
  "Are these two closes of a text right, of Apple and FPT?": [
    {
      tool: "check_figures",
      args: {
        claims: `US:AAPL|price|${last(pricesOf("US", "AAPL").closes) / 2}
VN:FPT|giá|${last(pricesOf("VN", "FPT").closes).toLocaleString("de-DE")} đồng`,
      },
      expected: () => ({
        rows: [
          {
            verdict: "differs",
            value: last(pricesOf("US", "AAPL").closes),
            on: last(pricesOf("US", "AAPL").dates),
            off_percent: -50,
          },
          { verdict: "confirmed", value: last(pricesOf("VN", "FPT").closes), unit: "VND" },
        ],
      }),
    },
  ],
};

/** The tokens of the answers to each question. */
const tokens = new Map<string, number>();

async function answer(question: string, { tool, args }: Call): Promise<Expected> {
  const result = await client.callTool({ name: tool, arguments: { ...args } });
  const [block] = result.content as { type: string; text: string }[];
  tokens.set(question, (tokens.get(question) ?? 0) + tokensOf(block?.text ?? ""));
  if (result.isError || !block) throw new Error(`${tool}: ${block?.text}`);
  const { data } = JSON.parse(block.text) as { data: Expected };
  expect(String(data["source"] ?? data["Source"])).toBe("sample");
  return data;
}

/** An answer with its `rows` as objects by column. */
function readTable(data: Expected): Expected {
  const { columns, rows } = data as { columns?: string[]; rows?: unknown[][] };
  if (!columns || !rows) return data;
  const read = rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
  return { ...data, rows: read };
}

describe("research questions", () => {
  test.each(Object.entries(QUESTIONS))("%s", async (question, calls) => {
    for (const call of calls) {
      expect(readTable(await answer(question, call))).toMatchObject(await call.expected());
    }
  });

  test(`take at most ${MAX_CALLS} calls and ${MAX_TOKENS} tokens each, in the median below 2 calls`, () => {
    expect(tokens.size).toBe(Object.keys(QUESTIONS).length);
    const calls = Object.values(QUESTIONS).map(({ length }) => length);
    expect(Math.max(...calls)).toBeLessThanOrEqual(MAX_CALLS);
    expect(calls.toSorted((a, b) => a - b)[10]).toBeLessThan(2);
    expect(Math.max(...tokens.values())).toBeLessThanOrEqual(MAX_TOKENS);
    const total = [...tokens.values()].reduce((sum, count) => sum + count, 0);
    expect(total).toBeLessThanOrEqual(MAX_TOKENS_OF_ALL);
  });

  test("are in src/operations/README.md with their calls, and with their tokens within 10 %", async () => {
    const readme = await Bun.file(join(ROOT, "src/operations/README.md")).text();
    const listed = readme.split("\n").flatMap((line) => {
      const [, question = "", calls = "", count = ""] = line.split("|").map((cell) => cell.trim());
      return question in QUESTIONS ? [{ question, calls, count: Number(count) }] : [];
    });
    expect(listed.map(({ question }) => question)).toEqual(Object.keys(QUESTIONS));
    for (const { question, calls, count } of listed) {
      expect(calls).toBe(QUESTIONS[question]?.map(({ tool }) => `\`${tool}\``).join(", ") ?? "");
      const measured = tokens.get(question) ?? 0;
      expect([question, measured, Math.abs(count / measured - 1) < 0.1]).toEqual([
        question,
        measured,
        true,
      ]);
    }
  });
});

/** Further questions that one call answers because it takes several countries, companies or days, and its arguments. */
const IN_ONE_CALL: readonly (readonly [question: string, tool: string, args: object])[] = [
  [
    "Where is unemployment lowest?",
    "get_macro_history",
    { countries: "US,JP,VN", series: "unemployment", limit: 12 },
  ],
  [
    "米国と日本の10年国債利回りの差は？",
    "get_macro_history",
    { country: "US", countries: "JP", series: "10年国債利回り", limit: 3 },
  ],
  [
    "Tăng trưởng GDP của Việt Nam so với Nhật?",
    "get_macro_history",
    { country: "VN", countries: "JP", series: "tăng trưởng GDP", limit: 6 },
  ],
  ["How do the three economies stand?", "get_macro_indicators", { countries: "US,JP,VN" }],
  [
    "What will inflation be in the US and Viet Nam?",
    "get_macro_forecast",
    { country: "US", countries: "VN", categories: "prices" },
  ],
  [
    "Are Toyota, Honda and Nissan cheap against their own past?",
    "get_valuation_history",
    { symbols: "7203,7267,7201", metric: "pb", summary: true },
  ],
  [
    "What were the worst days of the Nikkei?",
    "get_price_statistics",
    { symbols: "^N225", range: "10y", worst_days: 5, columns: "return" },
  ],
  [
    "In which months do KO, JNJ and PG pay me?",
    "analyze_portfolio",
    { holdings: "KO=50,JNJ=20,PG=30", parts: "income_by_month" },
  ],
  [
    "Compare Walmart, Costco and Aeon in 2024.",
    "compare_stocks",
    { symbols: "WMT,COST,JP:8267", fiscal_year: 2024, currency: "USD" },
  ],
  [
    "How many stocks of each country have a P/E below 10?",
    "screen_stocks",
    { country: "all", where: "pe<10", limit: 1 },
  ],
  [
    "日経225でPBR1倍割れの会社は何社？",
    "screen_stocks",
    { country: "JP", where: "list:nikkei225,pb<1", limit: 1 },
  ],
  ["How do the stocks of the Dow compare?", "compare_stocks", { symbols: "list:dow" }],
];

test("questions about several countries, companies or days take one call of at most 4,000 tokens", async () => {
  let total = 0;
  for (const [question, tool, args] of IN_ONE_CALL) {
    const { result, error } = await service.callTool(token, tool, args);
    const text = result?.content[0]?.text ?? "";
    expect([question, error, result?.isError]).toEqual([question, undefined, undefined]);
    expect([question, tokensOf(text) <= 4_000]).toEqual([question, true]);
    total += tokensOf(text);
  }
  expect(total).toBeLessThanOrEqual(9_000);
});
