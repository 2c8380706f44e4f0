import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMarket, removeMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { expectError } from "../support/expect-error.ts";
import { openTestMarket, SAMPLE, stock } from "../support/market.ts";

describe("transaction", () => {
  test("all of its writes land, and its result is returned", () => {
    using home = openTestMarket();
    const { market } = home;
    const stored = market.transaction(() => {
      market.setSetting("origin", "sample");
      return market.put("instruments", [stock("US", "AAPL"), stock("US", "MSFT")], SAMPLE);
    });
    expect(stored).toBe(2);
    expect(market.findSetting("origin")).toBe("sample");
    expect(market.instruments.list("US")).toHaveLength(2);
  });

  test("none of its writes land where it throws", () => {
    using home = openTestMarket();
    const { market } = home;
    const failing = () =>
      market.transaction(() => {
        market.setSetting("origin", "sample");
        market.put("instruments", [stock("US", "AAPL")], SAMPLE);
        throw new Error("half way");
      });
    expect(failing).toThrow("half way");
    expect(market.findSetting("origin")).toBeNull();
    expect(market.instruments.list(null)).toEqual([]);
  });

  test("readers see nothing of it while it is open, and never wait for it", () => {
    using home = openTestMarket();
    const { market } = home;
    market.put("instruments", [stock("US", "AAPL", { name: "Before" })], SAMPLE);
    const other = openMarket(home.folder);
    market.transaction(() => {
      market.put(
        "instruments",
        [stock("US", "AAPL", { name: "After" }), stock("JP", "7203")],
        SAMPLE,
      );
      const started = performance.now();
      for (const reader of [market, other]) {
        expect(reader.instruments.find({ country: "US", symbol: "AAPL" })?.name).toBe("Before");
        expect(reader.instruments.list(null)).toHaveLength(1);
        expect(reader.listCounts()).toMatchObject([{ kind: "instruments", count: 1 }]);
      }
      expect(performance.now() - started).toBeLessThan(1_000);
    });
    for (const reader of [market, other]) {
      expect(reader.instruments.list(null).map(({ name }) => name)).toEqual(["After", "7203 Inc"]);
    }
    other.close();
  });

  test("of a killed process leaves nothing", async () => {
    using home = openTestMarket();
    home.market.put("instruments", [stock("US", "AAPL")], SAMPLE);
    const script = `
      const { Database } = require("bun:sqlite");
      const database = new Database(process.argv[1]);
      database.run("PRAGMA cache_size = 1");
      database.run("BEGIN IMMEDIATE");
      for (let i = 0; i < 500; i++) database.run("INSERT INTO settings VALUES (?, ?)", ["n" + i, "x".repeat(4000)]);
      process.kill(process.pid, "SIGKILL");`;
    const child = Bun.spawn([process.execPath, "-e", script, join(home.folder, "market.db")], {
      stderr: "inherit",
    });
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    expect(home.market.findSetting("n0")).toBeNull();
    home.market.transaction(() => home.market.setSetting("n0", "mine"));
    expect(home.market.findSetting("n0")).toBe("mine");
  });
});

describe("counts", () => {
  test("are by kind and source, with the moment of the oldest", () => {
    using home = openTestMarket();
    const { market } = home;
    const bar = { open: 1, high: 1, low: 1, close: 1, volume: null };
    market.put("instruments", [stock("US", "AAPL"), stock("JP", "7203")], SAMPLE);
    market.put("instruments", [stock("VN", "FPT")], { source: "import", storedAt: 2_000 });
    market.put(
      "bars",
      [
        {
          country: "US",
          symbol: "AAPL",
          bars: [
            { date: "2026-11-18", ...bar },
            { date: "2026-11-19", ...bar },
          ],
        },
      ],
      SAMPLE,
    );
    market.bars.replace(
      { country: "VN", symbol: "FPT", bars: [{ date: "2026-11-19", ...bar }] },
      { source: "import", storedAt: 2_000 },
    );
    market.put("indexPe", [{ country: "US", month: "2026-10", pe: 28 }], {
      source: "sample",
      storedAt: 500,
    });
    expect(market.listCounts().toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
      { kind: "bars", source: "import", count: 1, storedAt: 2_000 },
      { kind: "bars", source: "sample", count: 2, storedAt: 1_000 },
      { kind: "indexPe", source: "sample", count: 1, storedAt: 500 },
      { kind: "instruments", source: "import", count: 1, storedAt: 2_000 },
      { kind: "instruments", source: "sample", count: 2, storedAt: 1_000 },
    ]);
  });
});

describe("the reading connection", () => {
  test("cannot write", () => {
    using home = openTestMarket();
    const reader = new Database(join(home.folder, "market.db"), { readonly: true });
    expect(() => reader.run("DELETE FROM settings")).toThrow("readonly");
    reader.close();
  });
});

describe("a market that is thrown away", () => {
  test("is no more; one that there is not is no fault", () => {
    using folder = openFolder();
    removeMarket(folder.path);
    const market = openMarket(folder.path);
    market.setSetting("origin", "live");
    market.close();
    removeMarket(folder.path);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("stays while anybody has it open, idle or not", async () => {
    using home = openTestMarket();
    home.market.setSetting("origin", "live");
    await expectError(() => removeMarket(home.folder), "unavailable");
    expect(home.market.findSetting("origin")).toBe("live");
    home.market.transaction(() => home.market.setSetting("origin", "sample"));
    home.market.close();
    removeMarket(home.folder);
    expect(readdirSync(home.folder)).toEqual([]);
  });

  test("may be damaged: that is what it is thrown away for", () => {
    using folder = openFolder();
    writeFileSync(join(folder.path, "market.db"), "no database at all".repeat(1_000));
    removeMarket(folder.path);
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
