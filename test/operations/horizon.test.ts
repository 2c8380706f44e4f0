import { afterAll, expect, test } from "bun:test";
import { expectError } from "../support/error.ts";
import { openHandMade } from "../support/contract-answers.ts";

// An answer says where its data begin or end, if the call asks for more.

const home = openHandMade();
afterAll(() => home.close());

const horizon = async (name: string, args: Record<string, unknown>) => {
  const { begins, known_to } = await home.answer(name, args);
  return [begins, known_to];
};

// FPT has the 20 weekdays up to Thursday, 2026-11-19: 4 + 5 + 5 + 5 from Monday, 26 October, and 23 October.
const FIRST = "2026-10-23";
const LAST = "2026-11-19";

test.each([
  [{ from: "2011-01-01" }, FIRST, undefined],
  [{ from: FIRST }, undefined, undefined],
  [{ from: "2026-11-02", to: "2027-01-01" }, undefined, LAST],
  [{ from: "2011", to: "2030" }, FIRST, LAST],
  [{ range: "5y" }, FIRST, undefined],
  [{ range: "1w" }, undefined, undefined],
  [{ range: "max" }, undefined, undefined],
  [{}, undefined, undefined],
] as const)("a price history of %j begins %p and is known to %p", async (args, begins, knownTo) => {
  const fpt = { country: "VN", symbol: "FPT", ...args };
  expect(await horizon("get_stock_price_history", fpt)).toEqual([begins, knownTo]);
});

test.each([
  [{ from: "2025-01-01" }, { "VN:FPT": FIRST }, undefined],
  [{ range: "1y" }, { "VN:FPT": FIRST }, undefined],
  [{ range: "1w" }, undefined, undefined],
  [{ dates: "2026-10-22" }, { "VN:FPT": FIRST }, undefined],
  [{ from: "2026-11-02", to: "2027-01-01" }, undefined, LAST],
  [{}, undefined, undefined],
] as const)("statistics of %j begin %p and are known to %p", async (args, begins, knownTo) => {
  // Toyota has 600 weekdays, more than two years.
  const symbols = { symbols: "FPT,7203", ...args };
  expect(await horizon("get_price_statistics", symbols)).toEqual([begins, knownTo]);
});

test("closes of the future are refused", async () => {
  // START is on 20 November 2026.
  const ask = (dates: string) => home.answer("get_price_statistics", { symbols: "FPT", dates });
  const error = await expectError(() => ask("2026-11-02,2026-11-21"), "invalid_argument");
  expect(error.message).toBe(
    "dates must be today, 2026-11-20, or earlier, not 2026-11-21: closes of the future are not known.",
  );
  await expectError(() => ask("tomorrow"), "invalid_argument");
  expect(await ask("2026-11-20")).toHaveProperty("closes");
});

test.each([
  // The figures are those of September and October 2026.
  [{ from: "2011-01-01" }, "2026-09", undefined],
  [{ from: "2026-09-15" }, undefined, undefined],
  [{ to: "2026-10-31" }, undefined, undefined],
  [{ to: "2027-06-30" }, undefined, "2026-10-31"],
] as const)("a macro series of %j begins %p and is known to %p", async (args, begins, knownTo) => {
  const series = { country: "US", series: "Unemployment rate", ...args };
  expect(await horizon("get_macro_history", series)).toEqual([begins, knownTo]);
});

test("calendars are known to the date of the last event, of several countries to the earliest of them", async () => {
  expect(await horizon("get_macro_calendar", { country: "VN", to: "2027-06-30" })).toEqual([
    undefined,
    "2026-12-06",
  ]);
  expect(await horizon("get_macro_calendar", { to: "2027-06-30" })).toEqual([
    undefined,
    "2026-11-24",
  ]);
  expect(await horizon("get_macro_calendar", { to: "2026-11-24" })).toEqual([undefined, undefined]);
  const earnings = { from: "2026-11-20", to: "2028-01-01" };
  expect(await horizon("get_earnings_calendar", earnings)).toEqual([undefined, "2027-01-28"]);
});

test("statements begin with the oldest period, if more are asked for", async () => {
  const apple = { country: "US", symbol: "AAPL", type: "income", period: "quarterly" };
  const { periods_total: total } = await home.answer<{ periods_total: number }>(
    "get_stock_statements",
    { ...apple, limit: 1 },
  );
  expect(await horizon("get_stock_statements", { ...apple, limit: total })).toEqual([
    undefined,
    undefined,
  ]);
  const { begins, figures } = await home.answer<{ begins: string; figures: { rows: string[][] } }>(
    "get_stock_statements",
    { ...apple, limit: 40, figures: true },
  );
  expect(begins).toBe(figures.rows.at(-1)?.[1] ?? "");
});
