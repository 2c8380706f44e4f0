import { afterAll, beforeAll, expect, test } from "bun:test";
import { bar } from "../exports/split-share.ts";
import { instrument, SAMPLE, stock } from "../support/market.ts";
import { startService } from "../support/service.ts";

// A regular dividend of 0.25 and a special one of 1 have the same ex-date. No feed may lose one of them.
const service = await startService({ sample: false });
afterAll(() => service.stop());
const { user } = service.createToken();
const { token: link } = service.accounts.createToken(user, "x", null, "feed");
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
