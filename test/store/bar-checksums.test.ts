import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { checkBars, hashRow, sumRows } from "#store/bar-checksums.ts";
import type { BarRow } from "#store/bar-rows.ts";
import { openMarket } from "#store/index.ts";
import { runOn } from "../support/cli.ts";
import { expectError } from "../support/error.ts";
import { openTestMarket, stock } from "../support/market.ts";
import { START } from "../support/service.ts";

const FETCHED = { source: "yahoo", storedAt: START };
const IMPORTED = { source: "import", storedAt: START };

const bars = (first: number, count: number, close = 10.25) =>
  Array.from({ length: count }, (_, i) => ({
    date: `2026-01-${String(first + i).padStart(2, "0")}`,
    open: close,
    high: close + 1,
    low: close - 1,
    close: close + i / 100,
    volume: i % 2 === 0 ? null : 1_000 + i,
  }));

const history = (...args: Parameters<typeof bars>) => ({
  country: "US" as const,
  symbol: "AAPL",
  bars: bars(...args),
});

function openWithBars() {
  const home = openTestMarket();
  home.market.put("instruments", [stock("US", "AAPL"), stock("US", "MSFT")], FETCHED);
  home.market.put("bars", [history(1, 9)], FETCHED);
  const path = join(home.folder, "market.db");
  return { ...home, path };
}

/** Changes the file as another program does. */
function change(path: string, sql: string): void {
  using other = new Database(path);
  other.run(sql);
}

test("a hash depends on every column, and a sum not on the order", () => {
  const row: BarRow = [20260102, 1, 2, 3, 4, 5];
  const others = row.map((value, i) => row.with(i, (value ?? 0) + 1) as BarRow);
  const hashes = [row, ...others, row.with(5, null) as BarRow].map((one) => hashRow(one));
  expect(new Set(hashes).size).toBe(8);
  expect(sumRows(others)).toEqual(sumRows(others.toReversed()));
});

describe("the bars of a market file", () => {
  const WRITES: [string, (home: ReturnType<typeof openWithBars>) => void][] = [
    ["fetched", () => {}],
    ["added later", ({ market }) => void market.put("bars", [history(10, 5)], FETCHED)],
    ["replaced", ({ market }) => void market.put("bars", [history(3, 12, 20)], FETCHED)],
    ["imported", ({ market }) => void market.bars.replace(history(2, 3), IMPORTED)],
    [
      "imported beside others",
      ({ market }) => void market.bars.replace(history(8, 4, 30), IMPORTED, { keepsOthers: true }),
    ],
  ];
  test.each(WRITES)("that are %s have the checksum of their rows", (_, write) => {
    using home = openWithBars();
    write(home);
    checkBars(home.path);
    using file = new Database(home.path, { readonly: true });
    const rows = file
      .query("SELECT date, open, high, low, close, volume FROM scaled_bars")
      .values() as BarRow[];
    expect(file.query("SELECT bars, checksum FROM bar_checksums").all()).toEqual([sumRows(rows)]);
    expect(home.market.listCounts().find(({ kind }) => kind === "bars")?.count).toBe(rows.length);
  });

  test.each([
    "UPDATE scaled_bars SET close = close + 1 WHERE date = 20260104",
    "UPDATE scaled_bars SET volume = NULL WHERE date = 20260104",
    "UPDATE scaled_bars SET date = 20270104 WHERE date = 20260104",
    "DELETE FROM scaled_bars WHERE date = 20260104",
  ])("are found if another program changed them: %s", async (sql) => {
    using home = openWithBars();
    change(home.path, sql);
    const { message } = await expectError(() => checkBars(home.path), "unavailable");
    expect(message).toContain("bars that are not those that were stored: US:AAPL.");
  });

  test("that a version without checksums stored are not checked, and stay without after an addition", () => {
    using home = openWithBars();
    change(home.path, "UPDATE bar_checksums SET checksum = NULL");
    change(home.path, "UPDATE scaled_bars SET close = 7 WHERE date = 20260104");
    home.market.put("bars", [history(10, 5)], FETCHED);
    expect(checkBars(home.path)).toBe(1);
    home.market.put("bars", [history(3, 12, 20)], FETCHED);
    expect(checkBars(home.path)).toBe(0);
    change(home.path, "UPDATE scaled_bars SET close = 7 WHERE date = 20260104");
    expect(() => checkBars(home.path)).toThrow("US:AAPL");
  });
});

test("doctor --deep and a backup with the market refuse changed bars; doctor alone does not read them", async () => {
  using home = openWithBars();
  openMarket(home.folder).close();
  await runOn(home.folder, "user", "add", "owner");
  change(home.path, "UPDATE scaled_bars SET close = 7 WHERE date = 20260104");
  const env = ["--port", "0", "--json"];
  const textOf = async (...flags: string[]) => {
    const { stdout } = await runOn(home.folder, "doctor", ...env, ...flags);
    const findings = JSON.parse(stdout) as { check: string; level: string; text: string }[];
    return findings.find(({ check }) => check === "market.db");
  };
  expect(await textOf()).toMatchObject({
    level: "ok",
    text: expect.stringContaining("It opens: 2 instruments"),
  });
  expect(await textOf("--deep")).toMatchObject({
    level: "failed",
    text: expect.stringContaining("US:AAPL"),
  });
  const archive = join(home.folder, "backup.tar.gz");
  const { code, stderr } = await runOn(home.folder, "backup", archive, "--market");
  expect(code).toBe(1);
  expect(stderr).toContain(`${home.path} has bars that are not those that were stored: US:AAPL.`);
  expect(stderr).not.toContain("partial");
});
