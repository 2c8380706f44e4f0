import { expect, test } from "bun:test";
import { describeLack, withoutSource } from "#ingest/lacks.ts";

const KEY = { kind: "macroSeries", country: "US", symbol: null } as const;

test("missing parts are named once for each reason, and counted where there are many", () => {
  const names = Array.from({ length: 10 }, (_, i) => `Series ${i}`);
  const parts = [
    ...names.map((what) => ({ what, why: "a.test does not answer" })),
    { what: "Other", why: "b.test 403" },
  ];
  expect(describeLack(KEY, { source: "fred", parts, error: null })).toEqual([
    "fred: Series 0, Series 1, Series 2, Series 3, Series 4, Series 5, Series 6, Series 7 and 2 more of US (a.test does not answer)",
    "fred: Other of US (b.test 403)",
  ]);
});

test("a source that never gave a record lacks all of them", () => {
  const key = { kind: "earningsDates", country: "US", symbol: "AAPL" } as const;
  const lack = {
    source: "nasdaq-earnings",
    parts: [],
    error: "nasdaq-earnings: b.test 403: it ends",
  };
  expect(describeLack(key, lack)).toEqual([
    "nasdaq-earnings: earnings dates of AAPL (b.test 403: it ends)",
  ]);
});

test("a kind with a sign in its words is written with it", () => {
  const key = { kind: "indexPe", country: "VN", symbol: null } as const;
  const lack = { source: "vndirect", parts: [], error: "vndirect: HTTP 500" };
  expect(describeLack(key, lack)).toEqual(["vndirect: index P/E of VN (HTTP 500)"]);
});

test("the name of a source is no part of its words", () => {
  expect(withoutSource("nasdaq-earnings: HTTP 500")).toBe("HTTP 500");
  expect(withoutSource("fred.stlouisfed.org does not answer: why")).toBe(
    "fred.stlouisfed.org does not answer: why",
  );
});
