import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { SOURCES } from "#cli/live.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { openFolder } from "../support/access.ts";
import { type Call, CALLS, restPath } from "../support/contract-calls.ts";
import { hasRecordings } from "../support/played-recordings.ts";
import { type PlayedService, startPlayedService } from "../support/played-service.ts";
import { type PlayedSources, playSources } from "../support/played-sources.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** Sources that need no network, and so are never down. */
const OURS = new Set(["reference", "vietnam-releases"]);
const THEIRS = SOURCES.map(({ name }) => name).filter(
  (name) => !OURS.has(name) && name !== "jquants",
);

const folder = openFolder();
let played: PlayedSources;
let service: PlayedService;
let client: Client;

/** An answer over REST. */
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

// The tests of this file are one story and run in order.
describe.skipIf(!hasRecordings)(
  "a service whose sources are played from recorded answers (../shared/data)",
  () => {
    beforeAll(async () => {
      played = await playSources();
      service = await startPlayedService(folder.path, played);
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
    }, 30_000);
    afterAll(async () => {
      await client.close();
      await service.stop();
      await played.stop();
      folder[Symbol.dispose]();
    });

    describe("filled on schedule, the catalog", () => {
      test("is that of the recorded lists", async () => {
        const { countries } = await dataOf("/data/markets");
        const counts = Object.fromEntries(
          countries.map((country: { code: string; asset_counts: object }) => [
            country.code,
            country.asset_counts,
          ]),
        );
        // HOSE 403, HNX 302 and UPCOM 839 stocks, and 22 funds.
        expect(counts.VN).toMatchObject({ stock: 403 + 302 + 839, etf: 22 });
        // The lists of Nasdaq and JPX hold much that is left out; who counts them is their own tests.
        expect(counts.US.stock).toBeGreaterThan(5_000);
        expect(counts.US.etf).toBeGreaterThan(1_000);
        expect(counts.JP.stock).toBeGreaterThan(3_500);
        for (const country of COUNTRY_CODES) expect(counts[country]).toHaveProperty("index");
      });

      test("is searched, paged and filtered", async () => {
        const page = await ask("/data/symbols?country=US&type=stock&sector=technology&query=msft");
        // The recording of Nasdaq: $483.24, 0.434 %.
        expect(page.data.symbols[0]).toEqual({
          country: "US",
          symbol: "MSFT",
          name: "Microsoft Corporation",
          type: "stock",
          sector: "technology",
          currency: "USD",
          price: 483.24,
          change_percent: 0.43,
        });
        expect(page.sources).toEqual(["nasdaq", "yahoo"]);
        for (const query of ["7203", "toyota motor", "トヨタ自動車"]) {
          const { symbols } = await dataOf(`/data/symbols?country=JP&query=${query}`);
          expect(symbols).toMatchObject([
            { symbol: "7203", name: "TOYOTA MOTOR CORPORATION", price: 3_132 },
          ]);
        }
      });
    });

    test("a company whose sector Nasdaq leaves blank has that of Yahoo, or of the index's list", async () => {
      const { market } = service;
      const find = (symbol: string) => market.instruments.find({ country: "US", symbol });
      expect(find("BRK.B")).toMatchObject({ sector: "financial-services", indexMember: true });
      // Brown-Forman: Consumer Staples in the recorded list.
      expect(find("BF.B")).toMatchObject({ sector: "consumer-defensive", indexMember: true });
      expect(find("7203")).toBeNull();
      expect(market.instruments.find({ country: "JP", symbol: "7203" })).toMatchObject({
        sector: "consumer-cyclical",
        indexMember: false,
      });
      // 503 lines in the list; some changed since the screener was recorded.
      const members = market.instruments.list("US").filter(({ indexMember }) => indexMember);
      expect(members.length).toBeGreaterThan(480);
      expect(members.length).toBeLessThanOrEqual(503);
    });

    test("whatever several records are made of was asked for once", () => {
      const asked = played.calls
        .filter(({ source }) => ["calendar", "nasdaq", "imf", "fred", "sec"].includes(source))
        .map(({ address }) => address);
      expect(asked).toHaveLength(new Set(asked).size);
      // A week from one calendar, 16 days from the other, for the US and Japan together.
      expect(played.calls.filter(({ source }) => source === "calendar")).toHaveLength(17);
    });

    describe("every operation for every country", () => {
      test.each(CALLS.map((call) => [call.title, call] as const))(
        "%s answers from real sources, over MCP as over REST",
        async (_, call) => {
          const rest = await ask(restPath(call));
          expect(rest.status).toBe(200);
          expect(rest.age).toBe(0);
          expect(rest.sources.length).toBeGreaterThan(0);
          for (const source of rest.sources) {
            expect(SOURCES.map(({ name }) => name)).toContain(source);
          }
          expect(rest.text).not.toMatch(/NaN|Infinity|undefined|\[object/);
          const result = await callTool(call);
          expect(result.isError ?? false).toBe(false);
          expect(result.structuredContent).toEqual(JSON.parse(rest.text));
          expect(result._meta).toMatchObject({ source: rest.sources.join(", "), age_seconds: 0 });
        },
      );

      test("the income of Apple is what it published", async () => {
        const { data, sources } = await ask(
          "/data/stocks/AAPL/statements?country=US&type=income&period=annual&limit=2",
        );
        // 10-K for fiscal 2025 (0000320193-25-000079, 31 October 2025) and, for the twelve months since,
        // 10-Q of 27 December 2025 (0000320193-26-000006, 30 January 2026), in millions: revenue
        // 416,161 - 124,300 + 143,756; gross profit 195,201 - 58,275 + 69,231; operating income
        // 133,050 - 42,832 + 50,852; net income 112,010 - 36,330 + 42,097.
        expect(data).toMatchObject({
          "Fiscal periodCurrent": "Q1 2026",
          "Fiscal period endCurrent": "2025-12-27",
          RevenueTTM: "435.62 B USD",
          "Gross profitTTM": "206.16 B USD",
          "Op incomeTTM": "141.07 B USD",
          "Net incomeTTM": "117.78 B USD",
        });
        expect(data.periods).toMatchObject([
          {
            "Fiscal period": "FY 2025",
            "Fiscal period end": "2025-09-27",
            Revenue: "416.16 B USD",
            "Gross profit": "195.20 B USD",
            "Op income": "133.05 B USD",
            "Net income": "112.01 B USD",
            "EPS dil": "7.46 USD",
          },
          { "Fiscal period": "FY 2024", Revenue: "391.04 B USD" },
        ]);
        expect(sources).toContain("sec");
      });

      test("Apple's filings are asked for with the operator's contact", () => {
        const asked = played.calls.filter(({ source }) => source === "sec");
        expect(asked.length).toBeGreaterThan(0);
        for (const { userAgent } of asked) expect(userAgent).toContain("tests@bourse.example");
      });

      test("panels of the three stocks carry the recorded prices", async () => {
        const overviews = await Promise.all(
          ["AAPL?country=US", "7203?country=JP", "FPT?country=VN"].map(async (stock) => {
            const [symbol, query] = stock.split("?");
            return (await dataOf(`/data/stocks/${symbol}/overview?${query}`)).overview;
          }),
        );
        expect(overviews).toMatchObject([
          // Nasdaq's close of the 21st; P/E 309.35 / (7.46 - 2.40 + 2.84).
          { Price: "309.35 USD", "Price date": "2026-08-21", "Chg %": "-0.63%", "P/E": "39.16" },
          // Stooq's close; four quarters of 75 yen each; 13 billion shares.
          { Price: "3,132 JPY", "P/E": "10.44", "Mkt cap": "40.72 T JPY" },
          // 70.8 thousand dong; 1,714,326,422 shares.
          { Price: "70,800 VND", "Mkt cap": "121.37 T VND" },
        ]);
      });

      test("histories are those of the recorded files, in whole units of currency", async () => {
        const newest = async (path: string) => {
          const { dates, closes } = await dataOf(path);
          return [dates.at(-1), closes.at(-1)];
        };
        expect(await newest("/data/stocks/AAPL/history?country=US")).toEqual(["2026-08-20", 311.3]);
        expect(await newest("/data/stocks/7203/history?country=JP")).toEqual(["2026-08-21", 3_132]);
        // In the file 70.8, thousands of dong.
        expect(await newest("/data/stocks/FPT/history?country=VN")).toEqual(["2026-08-07", 70_800]);
        expect(await newest("/data/stocks/VNINDEX/history?country=VN")).toEqual([
          "2026-08-21",
          1_768.12,
        ]);
      });

      test("macro figures are the published ones", async () => {
        const latest = async (country: string, category: string) =>
          Object.fromEntries(
            (await dataOf(`/data/macro/indicators?country=${country}`))[category].map(
              (entry: { name: string; latest: number }) => [entry.name, entry.latest],
            ),
          );
        expect(await latest("US", "labor")).toMatchObject({ "Unemployment rate": 4.2 });
        expect(await latest("US", "prices")).toMatchObject({ "CPI inflation YoY": 2.9 });
        expect(await latest("US", "money")).toMatchObject({ "10-year Treasury yield": 4.61 });
        // Of 2022, played three years later: 2.4977.
        expect(await latest("JP", "prices")).toMatchObject({ "CPI inflation, annual": 2.5 });
        // Of October 2024, played a year later, as the statistics office published it.
        expect(await latest("VN", "prices")).toMatchObject({ "CPI inflation YoY": 2.89 });
        // World Economic Outlook, October 2023: 6.844 for 2026.
        const { categories } = await dataOf("/data/macro/forecast?country=VN");
        expect(categories.gdp[0]).toMatchObject({ name: "Real GDP growth YoY", "Q4/26": "6.8" });
      });

      test("the calendar joins both calendars and the rules of Viet Nam", async () => {
        const { events } = await dataOf("/data/macro/calendar?limit=200");
        const found = (event: string) =>
          events.find((one: { event: string }) => one.event.startsWith(event));
        expect(found("Flash Services PMI")).toMatchObject({
          date: "2026-08-21",
          consensus: "54.0",
        });
        expect(found("Initial Jobless Claims")).toMatchObject({
          country: "united states",
          date: "2026-08-27",
          time: "12:30",
          consensus: "230K",
        });
        const cpi = found("CPI y/y, August 2026");
        expect(cpi).toMatchObject({ country: "viet nam", actual: null });
        // What is known before a publication is the latest figure of the series that it continues.
        const { prices } = await dataOf("/data/macro/indicators?country=VN&category=prices");
        expect(cpi.previous).toBe("2.89%");
        expect(prices).toContainEqual(
          expect.objectContaining({ name: "CPI inflation YoY", latest_raw: cpi.previous }),
        );
        expect(found("CPI y/y, September 2026").previous).toBeNull();
      });

      test("the broad market holds the companies of all three countries", async () => {
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
        // Each share is played to earn a 20th of its price; Apple's own statements weigh little.
        expect(country_pe).toBeCloseTo(20, -1);
        expect(sectors.technology.stats).toMatchObject({ pe_median: 20, pb_median: 2.5 });
        expect(sectors.technology.stats.reliable).toBe(true);
      });

      test("reports to come are dated by Nasdaq, and by Yahoo where Nasdaq does not look that far", async () => {
        const { earnings } = await dataOf("/data/earnings/calendar?tickers=AAPL,NVDA");
        expect(earnings).toMatchObject([
          {
            symbol: "NVDA",
            date: "2026-08-26",
            session: "after_market_close",
            eps_estimate: 2.01,
            revenue_estimate: 90_000_000_000,
          },
          { symbol: "AAPL", date: "2026-10-29", revenue_estimate: 94_076_168_920 },
        ]);
        // Nasdaq's recording: $5,196,224,000,000.
        expect(earnings[0].market_cap / 5_196_224_000_000).toBeCloseTo(1, 6);
      });

      test("no source was asked for what it does not have, and none sent us elsewhere", () => {
        expect(played.calls.filter(({ source }) => source === "?")).toEqual([]);
        expect(played.strayed()).toBe(0);
      });
    });

    describe("two hundred requests at once for a symbol that was never asked for", () => {
      test("make one call for each thing that a source is asked for", async () => {
        const before = played.calls.length;
        const paths = ["overview", "technicals", "history", "statements", "forecast"].map(
          (panel) =>
            `/data/stocks/MSFT/${panel}?country=US${panel === "statements" ? "&type=income" : ""}`,
        );
        const statuses = await Promise.all(
          Array.from({ length: 200 }, async (_, i) => {
            // Spelled in 20 ways, so that the 30-second cache does not make one request of them.
            const limit = /history|forecast/.test(paths[i % 5] ?? "")
              ? `&limit=${1 + (i % 20)}`
              : "";
            return (await service.get(`${paths[i % 5]}${limit}`)).status;
          }),
        );
        expect(new Set(statuses)).toEqual(new Set([200]));
        const asked = played.calls.slice(before).map(({ address }) => address);
        expect(asked.some((address) => address.includes("/chart/MSFT"))).toBe(true);
        expect(new Set(asked).size).toBe(asked.length);
      });
    });

    describe("a source that is slow", () => {
      test("is waited for no longer than 2.5 s, and does not delay other calls", async () => {
        service.time.now += 3 * DAY;
        played.setMode("entrade", "slow");
        const order: string[] = [];
        const slow = ask("/data/stocks/FPT/history?country=VN&limit=3").then((answer) => {
          order.push("slow");
          return answer;
        });
        await ask("/data/stocks/7203/history?country=JP&limit=3");
        order.push("other");
        const { status, age } = await slow;
        expect(order).toEqual(["other", "slow"]);
        expect({ status, age }).toEqual({ status: 200, age: (3 * DAY) / SECOND });
        played.setMode("entrade", "normal");
        // The fetch went on: without another call, the next answer is fresh.
        const key = { kind: "bars", country: "VN", symbol: "FPT" } as const;
        await service.live.refresher.refresh(key);
        service.time.now += 31 * SECOND;
        expect((await ask("/data/stocks/FPT/history?country=VN&limit=3")).age).toBe(31);
      }, 10_000);
    });

    describe("with all sources down", () => {
      const isOurs = (sources: readonly string[]) => sources.every((source) => OURS.has(source));
      test("every answer still comes, with its age", async () => {
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

      test("the log names every source and why", () => {
        const failures = service.logLines
          .map((line) => JSON.parse(line) as Record<string, string>)
          .filter(({ message }) => message === "a source failed");
        expect(new Set(failures.map(({ source }) => source))).toEqual(new Set(THEIRS));
        for (const { reason } of failures) expect(reason).toMatch(/: \w/);
      });

      test("the ages grow", async () => {
        const path = "/data/macro/indicators?country=US";
        const { age } = await ask(path);
        service.time.now += HOUR;
        expect((await ask(path)).age).toBe(age + HOUR / SECOND);
      });

      test("the overview of a symbol that was never asked for is made from its quote", async () => {
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

      test("once they are back they are left alone for a while, and then everything heals", async () => {
        played.reconnect();
        const before = played.calls.length;
        expect((await ask("/data/stocks/AAPL/technicals?country=US")).age).toBeGreaterThan(0);
        expect(played.calls).toHaveLength(before);

        // A breaker stays open for an hour at most.
        service.time.now += 61 * 60 * SECOND;
        // Sectors are made of every company that was ever asked for, Microsoft too.
        const paths = ["/data/stocks/MSFT/overview?country=US", ...CALLS.map(restPath)];
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
  },
);
