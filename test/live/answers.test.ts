import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { SOURCES } from "#service/live.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { openFolder } from "../support/access.ts";
import { type Call, CALLS, isLongerOverRest, restPath } from "../support/contract-calls.ts";

import { playedWait } from "../support/live-service.ts";
import { US_COMPANIES, usCompanies } from "../support/played-companies.ts";
import { INDEX_MEMBERS } from "../support/played-economies.ts";
import { JP_LISTED, US_ETFS, VN_LISTED } from "../support/played-markets.ts";
import { type PlayedService, startPlayedService } from "../support/played-service.ts";
import {
  type PlayedSources,
  playSources,
  SOURCES_WITHOUT_REQUESTS,
} from "../support/played-sources.ts";
import { listInstruments } from "../support/market.ts";
import { expectReasons } from "../support/reasons.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** Sources that no call needs: they lack a key, or stand in for a source that gave the records before. */
const NOT_CALLED: ReadonlySet<string> = new Set(["jquants", "edinet"]);

const THEIRS = SOURCES.filter(({ isOffByDefault }) => !isOffByDefault)
  .map(({ name }) => name)
  .filter((name) => !SOURCES_WITHOUT_REQUESTS.has(name) && !NOT_CALLED.has(name));

const folder = openFolder();
let played: PlayedSources;
let service: PlayedService;
let client: Client;
/** How requests wait for their sources while that is set; else by the real time. */
let wait: ReturnType<typeof playedWait> | null = null;

/** Calls a path over REST. */
async function ask(path: string) {
  const response = await service.get(path);
  const text = await response.text();
  return {
    status: response.status,
    text,
    // oxlint-disable-next-line typescript/no-explicit-any
    data: (JSON.parse(text) as { data: any }).data,
    sources: response.headers.get("x-data-source")?.split(", ") ?? [],
    age: Number(response.headers.get("x-data-age") ?? Number.NaN),
    retryAfter: response.headers.get("retry-after"),
  };
}

const dataOf = async (path: string) => (await ask(path)).data;

function callTool({ operation, arguments: args }: Pick<Call, "operation" | "arguments">) {
  return client.callTool({ name: operation.name, arguments: { ...args } });
}

const milliseconds = async (work: () => Promise<unknown>) => {
  const start = performance.now();
  await work();
  return `${Math.round(performance.now() - start)} ms`;
};

// The tests of this file depend on each other and run in order.
describe("a service whose sources are played", () => {
  beforeAll(async () => {
    played = await playSources();
    service = await startPlayedService(folder.path, played, {
      patience: (ms) => (wait?.sleep ?? Bun.sleep)(ms),
    });
    client = new Client({ name: "live-test", version: "1.0.0" });
    const requestInit = { headers: { authorization: `Bearer ${service.token}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${service.base}/mcp`), { requestInit }),
    );
    await client.listTools();
    const filling = await milliseconds(() => service.live.schedule.run({ stopped: () => false }));
    const list = await milliseconds(() => ask("/data/symbols?query=apple"));
    const sectors = await milliseconds(() => ask("/data/sectors?country=US"));
    const panel = await milliseconds(() => ask("/data/stocks/AAPL/overview?country=US"));
    process.stderr.write(
      `live: all broad data in ${filling}; list_symbols ${list}, sectors ${sectors}, a first panel ${panel}\n`,
    );
  }, 600_000);
  afterAll(async () => {
    await client.close();
    await service.stop();
    await played.stop();
    folder[Symbol.dispose]();
  });

  describe("filled on schedule, the catalog", () => {
    test("has the instruments of all lists", async () => {
      const { countries } = await dataOf("/data/markets");
      const counts = Object.fromEntries(
        countries.map((country: { code: string; asset_counts: object }) => [
          country.code,
          country.asset_counts,
        ]),
      );
      const { HOSE, HNX, UPCOM, funds } = VN_LISTED;
      expect(counts.VN).toMatchObject({ stock: HOSE + HNX + UPCOM, etf: funds });
      // Toyota and the invented companies; issues of the PRO Market are left out.
      expect(counts.JP).toMatchObject({ ...JP_LISTED, stock: 1 + JP_LISTED.stock });
      // Nine shares of real companies, SPY, and the invented companies and funds.
      const reits = usCompanies().filter(({ isReit }) => isReit).length;
      const stocks = 9 + US_COMPANIES - reits;
      expect(counts.US).toMatchObject({ stock: stocks, reit: reits, etf: 1 + US_ETFS });
      for (const country of COUNTRY_CODES) expect(counts[country]).toHaveProperty("index");
    });

    test("is searched, paged and filtered", async () => {
      const page = await ask("/data/symbols?country=US&type=stock&sector=technology&query=msft");
      // Nasdaq: $484.00, 4.00 more than on the day before. 4 / 480 is 0.83 %.
      expect(page.data.symbols[0]).toEqual({
        country: "US",
        symbol: "MSFT",
        name: "Microsoft Corporation",
        type: "stock",
        sector: "technology",
        exchange: "NASDAQ",
        currency: "USD",
        price: 484,
        change_percent: 0.83,
        market_cap: 3_630_000_000_000,
        // Nasdaq's class has several industries.
        code: "MSFT",
      });
      expect(page.sources).toEqual(["nasdaq", "yahoo"]);
      for (const query of ["7203", "toyota motor", "トヨタ自動車"]) {
        const { symbols } = await dataOf(`/data/symbols?country=JP&query=${query}`);
        expect(symbols).toMatchObject([
          { symbol: "7203", name: "TOYOTA MOTOR CORPORATION", price: 2_420 },
        ]);
      }
    });
  });

  test("without a sector from Nasdaq, a company has that of Yahoo or of the index's list", async () => {
    const { market } = service;
    const find = (symbol: string) => market.instruments.find({ country: "US", symbol });
    expect(find("BRK.B")).toMatchObject({ sector: "financial-services", indexMember: true });
    // Brown-Forman: Consumer Staples in the list of the index.
    expect(find("BF.B")).toMatchObject({ sector: "consumer-defensive", indexMember: true });
    expect(find("7203")).toBeNull();
    expect(market.instruments.find({ country: "JP", symbol: "7203" })).toMatchObject({
      sector: "consumer-cyclical",
      // In the list of the Nikkei 225.
      indexMember: true,
    });
    const members = listInstruments(market, "US").filter(({ indexMember }) => indexMember);
    expect(members).toHaveLength(INDEX_MEMBERS);
  });

  test("an answer that several fetchers read was requested once", () => {
    const addresses = played.calls
      .filter(({ source }) => ["calendar", "nasdaq", "imf", "fred", "sec"].includes(source))
      .map(({ address }) => address);
    expect(addresses).toHaveLength(new Set(addresses).size);
    // One request for a week, and one for each of 16 days, for the US and Japan together.
    expect(played.calls.filter(({ source }) => source === "calendar")).toHaveLength(17);
  });

  describe("every operation for every country", () => {
    test.each(CALLS.map((call) => [call.title, call] as const))(
      "%s answers from live sources, over MCP as over REST",
      async (_, call) => {
        const rest = await ask(restPath(call));
        expect(rest.status).toBe(200);
        expect(rest.age).toBe(0);
        expect(rest.sources.length).toBeGreaterThan(0);
        for (const source of rest.sources) {
          expect(SOURCES.map(({ name }) => name)).toContain(source);
        }
        expect(rest.text).not.toMatch(/NaN|Infinity|undefined|\[object/);
        expectReasons(rest.data);
        const result = await callTool(call);
        expect(result.isError ?? false).toBe(false);
        const { data } = result.structuredContent as { data: object };
        if (!isLongerOverRest(call) && !("left_out" in data))
          expect(result.structuredContent).toEqual(JSON.parse(rest.text));
        expect(result._meta).toMatchObject({ source: rest.sources.join(", "), age_seconds: 0 });
      },
    );

    test("Apple's income is that of its filings", async () => {
      const { data, sources } = await ask(
        "/data/stocks/AAPL/statements?country=US&type=income&period=annual&limit=2",
      );
      // Billions: fiscal 2025, less its first three quarters, plus those of fiscal 2026: revenue
      // 400 - 300 + 330; gross profit 160 - 120 + 132; operating income 140 - 105 + 115.5; net
      // income 120 - 90 + 99.
      expect(data).toMatchObject({
        "Fiscal periodCurrent": "Q3 2026",
        "Fiscal period endCurrent": "2026-06-30",
        RevenueTTM: "430.00 B USD",
        "Gross profitTTM": "172.00 B USD",
        "Op incomeTTM": "150.50 B USD",
        "Net incomeTTM": "129.00 B USD",
      });
      expect(data.periods).toMatchObject([
        {
          "Fiscal period": "FY 2025",
          "Fiscal period end": "2025-09-30",
          Revenue: "400.00 B USD",
          "Gross profit": "160.00 B USD",
          "Op income": "140.00 B USD",
          "Net income": "120.00 B USD",
          "EPS dil": "8.00 USD",
        },
        { "Fiscal period": "FY 2024", Revenue: "400.00 B USD" },
      ]);
      expect(sources).toContain("sec");
    });

    test("requests for filings name the operator's contact", () => {
      const filings = played.calls.filter(({ source }) => source === "sec");
      expect(filings.length).toBeGreaterThan(0);
      for (const { userAgent } of filings) expect(userAgent).toContain("tests@bourse.example");
    });

    test("panels of the three stocks have the prices of their sources", async () => {
      const overviews = await Promise.all(
        ["AAPL?country=US", "7203?country=JP", "FPT?country=VN"].map(async (stock) => {
          const [symbol, query] = stock.split("?");
          return (await dataOf(`/data/stocks/${symbol}/overview?${query}`)).overview;
        }),
      );
      expect(overviews).toMatchObject([
        // 2.50 / 300; P/E 302.5 / (8.00 - 6.00 + 6.60).
        { Price: "302.50 USD", "Price date": "2026-08-21", "Chg %": "+0.83%", "P/E": "35.17" },
        // Four quarters of 75 yen each; 13 billion shares.
        { Price: "2,420 JPY", "P/E": "8.07", "Mkt cap": "31.46 T JPY" },
        // 72.6 thousand dong; 1.7 billion shares.
        { Price: "72,600 VND", "Mkt cap": "123.42 T VND" },
      ]);
    });

    test("histories end with the last session, in whole units of currency", async () => {
      const newest = async (path: string) => {
        const { dates, closes } = await dataOf(path);
        return [dates.at(-1), closes.at(-1)];
      };
      expect(await newest("/data/stocks/AAPL/history?country=US")).toEqual(["2026-08-21", 302.5]);
      expect(await newest("/data/stocks/7203/history?country=JP")).toEqual(["2026-08-21", 2_420]);
      // The source has 72.6 thousand dong.
      expect(await newest("/data/stocks/FPT/history?country=VN")).toEqual(["2026-08-21", 72_600]);
      expect(await newest("/data/stocks/VNINDEX/history?country=VN")).toEqual([
        "2026-08-21",
        1_815,
      ]);
    });

    test("macro figures are those of their sources", async () => {
      const latest = async (country: string, category: string) =>
        Object.fromEntries(
          (await dataOf(`/data/macro/indicators?country=${country}`))[category].map(
            (entry: { name: string; latest: number }) => [entry.name, entry.latest],
          ),
        );
      expect(await latest("US", "labor")).toMatchObject({ "Unemployment rate": 4 });
      // 206 is 3 % more than 200.
      expect(await latest("US", "prices")).toMatchObject({ "CPI inflation YoY": 3 });
      expect(await latest("US", "money")).toMatchObject({ "10-year Treasury yield": 4.5 });
      expect(await latest("JP", "prices")).toMatchObject({ "CPI inflation, annual": 2.5 });
      expect(await latest("VN", "prices")).toMatchObject({ "CPI inflation YoY": 3 });
      const { categories } = await dataOf("/data/macro/forecast?country=VN");
      expect(categories.gdp[0]).toMatchObject({ name: "Real GDP growth YoY", "Q4/26": "6.5" });
    });

    test("the calendar joins both calendars and the rules of Viet Nam", async () => {
      const { events } = await dataOf("/data/macro/calendar?limit=200");
      const found = (event: string) =>
        events.find((one: { event: string }) => one.event.startsWith(event));
      expect(found("Flash Services PMI")).toMatchObject({
        date: "2026-08-21",
        consensus: "50.0",
      });
      expect(found("Initial Jobless Claims")).toMatchObject({
        country: "united states",
        date: "2026-08-27",
        time: "12:30",
        consensus: "200K",
      });
      const cpi = found("CPI y/y, August 2026");
      expect(cpi).toMatchObject({ country: "viet nam", actual: null });
      // The previous figure is the latest one of the series that the publication continues.
      const { prices } = await dataOf("/data/macro/indicators?country=VN&category=prices");
      expect(cpi.previous).toBe("3.00%");
      expect(prices).toContainEqual(
        expect.objectContaining({ name: "CPI inflation YoY", latest_raw: cpi.previous }),
      );
      expect(found("CPI y/y, September 2026").previous).toBeNull();
    });

    test("the broad market contains the companies of all three countries", async () => {
      const overview = await ask("/data/sectors/overview");
      const stocks = new Map<string, number>();
      for (const country of COUNTRY_CODES) {
        const { sectors } = await dataOf(`/data/sectors?country=${country}`);
        for (const [slug, sector] of Object.entries(sectors)) {
          const count = Number((sector as { overview: { Stocks: string } }).overview.Stocks);
          stocks.set(slug, (stocks.get(slug) ?? 0) + count);
        }
      }
      expect(stocks.size).toBe(11);
      for (const { slug, stocks: count } of overview.data.rows)
        expect(count).toBe(stocks.get(slug) ?? 0);
      expect(overview.sources).toEqual(expect.arrayContaining(["nasdaq", "sec", "yahoo"]));
    });

    test("sectors have the multiples of their quoted companies", async () => {
      const { country_pe, sectors } = await dataOf("/data/sectors?country=US");
      // Every share is played with earnings of a 20th of its price. Apple's statements have little weight.
      expect(country_pe).toBeCloseTo(20, -1);
      expect(sectors.technology.stats).toMatchObject({ pe_median: 20, pb_median: 2.5 });
      expect(sectors.technology.stats.reliable).toBe(true);
    });

    test("each country's P/E is that of the members of its index", async () => {
      for (const country of COUNTRY_CODES) {
        const { country_pe_of } = await dataOf(`/data/sectors?country=${country}`);
        expect({ country, country_pe_of }).toEqual({ country, country_pe_of: "index members" });
      }
    });

    test("upcoming reports have the dates of Nasdaq, and later ones those of Yahoo", async () => {
      const { earnings } = await dataOf("/data/earnings/calendar?tickers=AAPL,NVDA");
      expect(earnings).toMatchObject([
        {
          symbol: "NVDA",
          date: "2026-08-26",
          session: "after_market_close",
          eps_estimate: 2,
          revenue_estimate: 90_000_000_000,
        },
        { symbol: "AAPL", date: "2026-10-29", revenue_estimate: 100_000_000_000 },
      ]);
      expect(earnings[0].market_cap).toBe(4_000_000_000_000);
    });

    test("no request went to an unknown address or to another host", () => {
      expect(played.calls.filter(({ source }) => source === "?")).toEqual([]);
      expect(played.strayed()).toBe(0);
    });
  });

  describe("two hundred requests at once for a symbol that was never requested", () => {
    test("make one call to a source for each address", async () => {
      const before = played.calls.length;
      const paths = ["overview", "technicals", "history", "statements", "forecast"].map(
        (panel) =>
          `/data/stocks/MSFT/${panel}?country=US${panel === "statements" ? "&type=income" : ""}`,
      );
      const statuses = await Promise.all(
        Array.from({ length: 200 }, async (_, i) => {
          // With 20 limits, so that the 30-second cache does not answer them.
          const limit = /history|forecast/.test(paths[i % 5] ?? "") ? `&limit=${1 + (i % 20)}` : "";
          return (await service.get(`${paths[i % 5]}${limit}`)).status;
        }),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      const addresses = played.calls.slice(before).map(({ address }) => address);
      expect(addresses.some((address) => address.includes("/chart/MSFT"))).toBe(true);
      expect(new Set(addresses).size).toBe(addresses.length);
    });
  });

  describe("a source that is slow", () => {
    test("delays its own call by at most 2.5 s, and no other call", async () => {
      service.time.now += 3 * DAY;
      played.setMode("entrade", "slow");
      wait = playedWait();
      const called = played.nextCall("entrade");
      const slow = ask("/data/stocks/FPT/history?country=VN&limit=3");
      await called;
      const other = await ask("/data/stocks/7203/history?country=JP&limit=3");
      expect(other.status).toBe(200);
      expect(await Promise.race([slow, Promise.resolve("waiting")])).toBe("waiting");
      expect(new Set(wait.durations())).toEqual(new Set([2_500]));
      wait.pass();
      wait = null;
      const { status, age } = await slow;
      expect({ status, age }).toEqual({ status: 200, age: (3 * DAY) / SECOND });
      played.setMode("entrade", "normal");
      // The fetch continued: without another call, the next answer is fresh.
      const key = { kind: "bars", country: "VN", symbol: "FPT" } as const;
      await service.live.refresher.refresh(key);
      service.time.now += 31 * SECOND;
      expect((await ask("/data/stocks/FPT/history?country=VN&limit=3")).age).toBe(31);
    }, 600_000);
  });

  describe("with all sources down", () => {
    const isOurs = (sources: readonly string[]) =>
      sources.every((source) => SOURCES_WITHOUT_REQUESTS.has(source));
    test("every call is answered, with the age of its data", async () => {
      await played.disconnect();
      service.time.now += 4 * DAY;
      for (const call of CALLS) {
        const rest = await ask(restPath(call));
        expect([call.title, rest.status]).toEqual([call.title, 200]);
        if (!isOurs(rest.sources)) expect(rest.age).toBeGreaterThanOrEqual((4 * DAY) / SECOND);
        const { _meta } = await callTool(call);
        expect(_meta).toMatchObject({ age_seconds: rest.age, source: rest.sources.join(", ") });
      }
    });

    test("the log names every source and its error", () => {
      const failures = service.logLines
        .map((line) => JSON.parse(line) as Record<string, string>)
        .filter(({ message }) => message === "a source failed");
      const failed = new Set(failures.map(({ source }) => source));
      expect(failed, "A source that no call needs is missing: see NOT_CALLED.").toEqual(
        new Set(THEIRS),
      );
      for (const { reason } of failures) expect(reason).toMatch(/: \w/);
    });

    test("the ages grow", async () => {
      const path = "/data/macro/indicators?country=US";
      const { age } = await ask(path);
      service.time.now += HOUR;
      expect((await ask(path)).age).toBe(age + HOUR / SECOND);
    });

    test("the overview of a symbol that was never requested is made from its quote", async () => {
      const { status, data, sources } = await ask("/data/stocks/AMZN/overview?country=US");
      expect(status).toBe(200);
      expect(sources).toContain("nasdaq");
      const [listed] = (await ask("/data/symbols?country=US&query=AMZN")).data.symbols;
      expect(Number(data.overview["Price"].replace(" USD", ""))).toBe(listed.price);
      expect(data.overview["Chg %"]).toContain(`${listed.change_percent}%`);
      expect(data.overview["Mkt cap"]).toMatch(/^\d\.\d\d T USD$/);
      expect(new Set(Object.values(data.performance))).toEqual(new Set(["—"]));
    });

    test("its technicals are unavailable, and an unknown symbol is unknown", async () => {
      const rest = await ask("/data/stocks/AMZN/technicals?country=US");
      expect(rest.status).toBe(503);
      expect(Number(rest.retryAfter)).toBeGreaterThan(0);
      const call = client.callTool({
        name: "get_stock_technicals",
        arguments: { country: "US", symbol: "AMZN" },
      });
      expect(await call.catch((error: unknown) => error)).toMatchObject({
        code: -32002,
        data: { retry_after_seconds: Number(rest.retryAfter) },
      });
      expect((await ask("/data/stocks/GHOST/overview?country=US")).status).toBe(404);
    });

    test("they are paused for a while after they return, and then every answer is fresh again", async () => {
      played.reconnect();
      const before = played.calls.length;
      expect((await ask("/data/stocks/AAPL/technicals?country=US")).age).toBeGreaterThan(0);
      expect(played.calls).toHaveLength(before);

      // A breaker stays open for an hour at most.
      service.time.now += 61 * 60 * SECOND;
      // The list of all statements is a week old, and no request waits for it.
      await service.live.schedule.run({ stopped: () => false });
      // Sectors and screens use every company that was ever requested.
      const paths = [
        "/data/stocks/MSFT/overview?country=US",
        "/data/stocks/MSFT/forecast?country=US",
        "/data/earnings/calendar?tickers=NVDA",
        ...CALLS.filter(({ isDefault }) => isDefault).map(restPath),
      ];
      for (const path of paths) await ask(path);
      service.time.now += 31 * SECOND;
      for (const path of paths) {
        const { status, age } = await ask(path);
        expect({ path, status, isFresh: age < DAY / SECOND }).toEqual({
          path,
          status: 200,
          isFresh: true,
        });
      }
      expect((await ask("/data/stocks/AMZN/overview?country=US")).status).toBe(200);
    });
  });
});
