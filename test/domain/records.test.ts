import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { type RecordKind, RECORDS } from "#domain/records.ts";
import { NO_ITEMS } from "#domain/statement.ts";

const of = { country: "US", symbol: "ACME" };
const bar = { date: "2026-11-20", open: 10, high: 10, low: 10, close: 10, volume: 5 };
const bars = (change: object) => ({ ...of, bars: [{ ...bar, ...change }] });
const quote = (change: object) => ({
  ...of,
  date: "2026-11-20",
  price: 10,
  previousClose: null,
  volume: null,
  marketCap: null,
  epsTtm: null,
  priceToBook: null,
  dividendYieldPercent: null,
  ...change,
});
const statement = (change: object, items: object = {}) => ({
  ...of,
  span: "quarter",
  fiscalYear: 2026,
  fiscalQuarter: 1,
  periodEnd: "2026-03-31",
  filedOn: "2026-04-30",
  currency: "USD",
  items: { ...NO_ITEMS, ...items },
  ...change,
});
const dividends = (change: object) => ({
  ...of,
  dividends: [{ exDate: "2026-11-20", amount: 1, ...change }],
});

const accepts = (kind: RecordKind, record: unknown) => Value.Check(RECORDS[kind], record);

describe("a record within the bounds is accepted", () => {
  test.each([
    // Above any quoted price, traded volume or balance sheet (the largest ones, in dong, are near 1e16).
    ["bars", bars({ close: 1e-12 })],
    ["bars", bars({ close: 1e12, volume: 1e15 })],
    ["quotes", quote({ price: 1e12, marketCap: 1e18, priceToBook: -1e6 })],
    ["statements", statement({}, { totalAssets: 1e18, netIncome: -1e18 })],
    ["dividends", dividends({ amount: 1e-12 })],
    ["indexPe", { country: "US", month: "2026-10", pe: 1e6 }],
    ["bars", bars({ date: "2028-02-29" })],
  ] as const)("%s %#", (kind, record) => expect(accepts(kind, record)).toBe(true));
});

describe("an implausible figure or an impossible date is refused", () => {
  test.each([
    ["bars", bars({ close: 1.7e308 })],
    ["bars", bars({ close: 1e-150 })],
    ["bars", bars({ open: 0 })],
    ["bars", bars({ high: Infinity })],
    ["bars", bars({ volume: 1.1e15 })],
    ["bars", bars({ date: "2026-02-30" })],
    ["quotes", quote({ price: 1.1e12 })],
    ["quotes", quote({ previousClose: 1e-13 })],
    ["quotes", quote({ volume: -1 })],
    ["quotes", quote({ marketCap: 1e19 })],
    ["quotes", quote({ epsTtm: 1e300 })],
    ["quotes", quote({ priceToBook: 1.1e6 })],
    ["quotes", quote({ date: "2026-02-29" })],
    ["statements", statement({}, { revenue: 1e300 })],
    ["statements", statement({ periodEnd: "2026-06-31" })],
    ["dividends", dividends({ amount: 1.1e12 })],
    ["dividends", dividends({ exDate: "2026-11-31" })],
    ["indexPe", { country: "US", month: "2026-10", pe: 1.1e6 }],
  ] as const)("%s %#", (kind, record) => expect(accepts(kind, record)).toBe(false));
});
