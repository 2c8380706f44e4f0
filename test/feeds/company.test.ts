import { expect, test } from "bun:test";
import { findQuarter, listPeriods } from "#feeds/company.ts";
import type { CallOperation } from "#feeds/layer.ts";
import type { Cell } from "#lib/table.ts";

/** Rows of a period: its label, its end, its filing and a figure. */
const TABLES: Readonly<Record<string, { columns: string[]; rows: Cell[][] }>> = {
  ratios: {
    columns: ["fiscal_period", "period_end", "net_margin_percent"],
    rows: [
      ["Q2 2026", "2026-06-30", 20],
      ["Q1 2026", "2026-03-31", 10],
    ],
  },
  // Stored a moment later: a quarter was reported in between, and an old one is no longer there.
  income: {
    columns: ["fiscal_period", "period_end", "revenue"],
    rows: [
      ["Q3 2026", "2026-09-30", 300],
      ["Q2 2026", "2026-06-30", 200],
    ],
  },
};
const call = ((_: string, { type }: { type: string }) =>
  Promise.resolve({ figures: TABLES[type] })) as unknown as CallOperation;

test("figures of answers that are cached apart are joined by their period", async () => {
  const company = { country: "US", symbol: "AAPL" } as const;
  const list = async (types: readonly ("ratios" | "income")[]) =>
    (await listPeriods(call, company, types, { period: "quarterly" })).map((figures) =>
      ["period_end", "net_margin_percent", "revenue"].map((name) => figures.get(name)),
    );
  expect(await list(["ratios", "income"])).toEqual([
    ["2026-06-30", 20, 200],
    ["2026-03-31", 10, undefined],
  ]);
  expect(await list(["income", "ratios"])).toEqual([
    ["2026-09-30", undefined, 300],
    ["2026-06-30", 20, 200],
  ]);
});

test.each([
  ["2026-09-30", "2026-09"],
  ["2026-09-26", "2026-09"],
  ["2026-10-01", "2026-09"],
  ["2026-10-03", "2026-09"],
  ["2027-01-02", "2026-12"],
  ["2026-10-04", undefined],
  ["2026-06-30", undefined],
])("the estimate of the quarter that ended on %s is of %p", (end, month) => {
  const estimates = [{ quarter_end: "2026-12" }, { quarter_end: "2026-09" }];
  expect(findQuarter(estimates, end)?.quarter_end).toBe(month as string);
});
