import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openFolder } from "../support/access.ts";
import { answer, type PlayedSource, type PlayedBody } from "../support/played-answer.ts";
import { FOREVER, type PlayedService, startPlayedService } from "../support/played-service.ts";
import { type PlayedSources, playSources } from "../support/played-sources.ts";
import { hasRecordings, recordedBytes, recordedJson } from "../support/recordings.ts";
import { listInstruments } from "../support/market.ts";

const recorded = (path: string): PlayedBody => ({ body: recordedBytes(path) });

const SEC_FILES: Readonly<Record<string, string>> = {
  "/files/company_tickers_exchange.json": "sec/company_tickers_exchange.json",
  "/api/xbrl/companyfacts/CIK0000320193.json": "sec/companyfacts_CIK0000320193.json",
};
const FRED_FILES: Readonly<Record<string, string>> = {
  CPIAUCSL: "fred/fredgraph_CPIAUCSL_raw.csv",
  DGS10: "fred/graph_DGS10.csv",
  M2SL: "fred/graph_M2SL.csv",
  UNRATE: "fred/graph_UNRATE.csv",
};

/** The recorded answers of some sources. The rows of the screener were recorded without their envelope. */
const RECORDED: Readonly<Record<string, PlayedSource>> = {
  sec: ({ path }) => (SEC_FILES[path] ? recorded(SEC_FILES[path]) : null),
  fred: ({ query }) => {
    const file = FRED_FILES[query.get("id") ?? ""];
    return file ? recorded(file) : null;
  },
  constituents: ({ path }) =>
    path.endsWith("/constituents.csv") ? recorded("constituents/sp500_constituents.csv") : null,
  nasdaq: ({ path }) =>
    path === "/api/screener/stocks"
      ? answer({
          data: {
            rows: [
              ...recordedJson("nasdaq_screener/nasdaq_full_tickers.json"),
              ...recordedJson("nasdaq_screener/nyse_full_tickers.json"),
            ],
          },
          status: { rCode: 200 },
        })
      : null,
};

describe.skipIf(!hasRecordings)("a service with recorded answers (../shared/data)", () => {
  const folder = openFolder();
  let played: PlayedSources;
  let service: PlayedService;
  beforeAll(async () => {
    played = await playSources(RECORDED);
    service = await startPlayedService(folder.path, played, {
      sources: [...Object.keys(RECORDED), "reference"],
      patience: FOREVER,
    });
    await service.live.schedule.run({ stopped: () => false });
  }, 600_000);
  afterAll(async () => {
    await service.stop();
    await played.stop();
    folder[Symbol.dispose]();
  });

  // oxlint-disable-next-line typescript/no-explicit-any
  const dataOf = async (path: string): Promise<any> => {
    const response = await service.get(path);
    expect(response.status).toBe(200);
    return ((await response.json()) as { data: unknown }).data;
  };

  test("a share has the price and the change of Nasdaq's screener", async () => {
    const { symbols } = await dataOf(
      "/data/symbols?country=US&type=stock&sector=technology&query=msft",
    );
    // $483.24, 0.434 %, market cap 3588320603071.00. Its class has several industries.
    expect(symbols[0]).toEqual({
      country: "US",
      symbol: "MSFT",
      name: "Microsoft Corporation",
      type: "stock",
      exchange: "NASDAQ",
      sector: "technology",
      currency: "USD",
      price: 483.24,
      change_percent: 0.43,
      market_cap: 3_588_320_603_071,
      code: "MSFT",
    });
  });

  test("the members of the S&P 500 are those of its list", () => {
    const listed = listInstruments(service.market, "US");
    // Nasdaq has no sector for Brown-Forman, the list has Consumer Staples.
    expect(listed.find(({ symbol }) => symbol === "BF.B")).toMatchObject({
      sector: "consumer-defensive",
      indexMember: true,
    });
    // The list has 503 lines. Some members changed after the screener was recorded.
    const members = listed.filter(({ indexMember }) => indexMember);
    expect(members.length).toBeGreaterThan(480);
    expect(members.length).toBeLessThanOrEqual(503);
  });

  test("the income of Apple is what it published", async () => {
    const data = await dataOf(
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
  });

  test("macro figures are the published ones", async () => {
    const latest = async (category: string) =>
      Object.fromEntries(
        (await dataOf("/data/macro/indicators?country=US"))[category].map(
          (entry: { name: string; latest: number }) => [entry.name, entry.latest],
        ),
      );
    expect(await latest("labor")).toMatchObject({ "Unemployment rate": 4.2 });
    expect(await latest("prices")).toMatchObject({ "CPI inflation YoY": 2.9 });
    expect(await latest("money")).toMatchObject({ "10-year Treasury yield": 4.61 });
  });
});
