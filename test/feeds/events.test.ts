import { afterAll, beforeAll, expect, test } from "bun:test";
import { fixedText } from "#feeds/request.ts";
import { bar } from "../exports/split-share.ts";
import { instrument, SAMPLE, stock } from "../support/market.ts";
import { startService } from "../support/service.ts";

// A regular dividend of 0.25 and a special one of 1 have the same ex-date. No feed may lose one of them.
const service = await startService({ sample: false });
afterAll(() => service.stop());
const { link } = service.createFeedLink();
const KEY = { country: "US", symbol: "SPEC" } as const;

beforeAll(() => {
  const { market } = service;
  market.put("instruments", [stock("US", "SPEC")], SAMPLE);
  const bars = ["2026-11-17", "2026-11-18", "2026-11-19"].map((date) => bar(date, 50));
  market.put("bars", [{ ...KEY, bars }], SAMPLE);
  const dividends = [0.25, 1].map((amount) => ({ exDate: "2026-11-18", amount }));
  market.documents.put("dividends", [{ ...KEY, dividends }], SAMPLE);
  market.documents.put("splits", [{ ...KEY, splits: [] }], SAMPLE);
});

test("unknown dividends are an error in lists, where nothing would mean that there are none", async () => {
  const { market } = service;
  market.put(
    "instruments",
    [stock("US", "UNKN"), instrument("US", "^IDX", { assetType: "index" })],
    SAMPLE,
  );
  market.put(
    "bars",
    ["UNKN", "^IDX"].map((symbol) => ({
      country: "US" as const,
      symbol,
      bars: [bar("2026-11-19", 50)],
    })),
    SAMPLE,
  );
  for (const kind of ["dividends", "splits"]) {
    const [path, massive] = [kind === "splits" ? "splits" : "div", `massive/v3/reference/${kind}`];
    for (const url of [`eodhd/api/${path}/UNKN.US?fmt=json`, `${massive}?ticker=UNKN`]) {
      const response = await fetch(`${service.origin}/feed/${link}/${url}`);
      expect([response.status, await response.text()]).toEqual([
        404,
        expect.stringContaining(`The ${kind} of UNKN are unknown.`),
      ]);
    }
    expect(await read(`eodhd/api/${path}/IDX.INDX?fmt=json`)).toBe("[]");
    expect(JSON.parse(await read(`${massive}?ticker=I:IDX`))).toMatchObject({ results: [] });
  }
});

const read = async (path: string) => (await fetch(`${service.origin}/feed/${link}/${path}`)).text();

test("Yahoo's chart has their sum, because it has one entry a day", async () => {
  const path = "yahoo/v8/finance/chart/SPEC?range=5d&events=div";
  const { chart } = JSON.parse(await read(path)) as {
    chart: { result: { events: { dividends: Record<string, { amount: number }> } }[] };
  };
  const paid = Object.values(chart.result[0]?.events.dividends ?? {});
  expect(paid.map(({ amount }) => amount)).toEqual([1.25]);
});

test("Massive's list has both, with different ids", async () => {
  const { results } = JSON.parse(await read("massive/v3/reference/dividends?ticker=SPEC")) as {
    results: { id: string; cash_amount: number }[];
  };
  expect(new Set(results.map((one) => one.cash_amount))).toEqual(new Set([0.25, 1]));
  expect(new Set(results.map(({ id }) => id)).size).toBe(2);
});

test("a calendar has one event and a chart one mark, with both amounts", async () => {
  const calendar = await read("calendar/calendar.ics?tickers=SPEC&kinds=dividends");
  expect(calendar.match(/^UID:/gm)).toHaveLength(1);
  expect(calendar).toContain("SUMMARY:SPEC ex-dividend 0.25 + 1 USD");
  const marks = JSON.parse(await read("udf/timescale_marks?symbol=SPEC&from=0&to=4000000000")) as {
    tooltip: string[];
  }[];
  expect(marks.map(({ tooltip }) => tooltip[0])).toEqual(["Dividend 0.25 + 1 USD"]);
});

test("a consolidation of millions of shares has no exponent and is not rounded to 0", async () => {
  const key = { country: "US", symbol: "CONS" } as const;
  const { market } = service;
  market.put("instruments", [stock("US", "CONS")], SAMPLE);
  market.put(
    "bars",
    [{ ...key, bars: ["2026-11-17", "2026-11-18"].map((day) => bar(day, 50)) }],
    SAMPLE,
  );
  // One new share for 5,000,000 old ones.
  const splits = [{ exDate: "2026-11-18", numerator: 0.0000002, denominator: 1 }];
  market.documents.put("splits", [{ ...key, splits }], SAMPLE);
  const eodhd = "0.0000002/1.000000";
  const bulk = "eodhd/api/eod-bulk-last-day/US?symbols=CONS&type=splits&date=2026-11-18&fmt=json";
  for (const [path, text] of [
    ["eodhd/api/splits/CONS.US?fmt=json", eodhd],
    [bulk, eodhd],
    ["calendar/calendar.ics?tickers=CONS&kinds=splits", "CONS split 0.0000002:1"],
    ["udf/timescale_marks?symbol=CONS&from=0&to=4000000000", "Split 0.0000002:1"],
    ["yahoo/v8/finance/chart/CONS?range=5d&events=split", '"splitRatio":"0.0000002:1"'],
    ["yahoo/v10/finance/quoteSummary/CONS?modules=defaultKeyStatistics", '"0.0000002:1"'],
  ] as const)
    expect(await read(path)).toContain(text);
});

test.each([
  [4.3e-7, "0.00000043"],
  [1_234_567_890.12, "1234567890.1200"],
  [1e21, "1000000000000000000000"],
  [0.1 + 0.2, "0.30000000000000004"],
  [-0, "0.0000"],
])("%p with four decimals is %s", (figure, text) => {
  expect(fixedText(figure, 4)).toBe(text);
  expect(Number(text)).toBe(figure + 0);
});
