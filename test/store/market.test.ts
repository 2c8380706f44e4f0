import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Slices } from "#lib/slices.ts";
import { type MarketStore, openMarket, removeMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { endChildren, spawnChild } from "../support/child-process.ts";
import { expectError } from "../support/error.ts";
import { openTestMarket, SAMPLE, stock } from "../support/market.ts";
import { quote } from "../support/refresher.ts";

afterAll(endChildren);

function* inOneSlice<T>(work: () => T): Slices<T> {
  yield;
  return work();
}

describe("transaction", () => {
  test("stores all of its writes and returns its result", () => {
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

  test("stores nothing if it throws", () => {
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

  test("is invisible to readers while it is open, and they never wait for it", () => {
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
      // If they waited, they would fail after the busy timeout: this thread holds the lock.
      for (const reader of [market, other]) {
        expect(reader.instruments.find({ country: "US", symbol: "AAPL" })?.name).toBe("Before");
        expect(reader.instruments.list(null)).toHaveLength(1);
        expect(reader.listCounts()).toMatchObject([{ kind: "instruments", count: 1 }]);
      }
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
    const child = spawnChild([process.execPath, "-e", script, join(home.folder, "market.db")]);
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    expect(home.market.findSetting("n0")).toBeNull();
    home.market.transaction(() => home.market.setSetting("n0", "mine"));
    expect(home.market.findSetting("n0")).toBe("mine");
  });
});

describe("transactionInSlices", () => {
  const settings = (market: MarketStore, ...names: string[]) =>
    names.map((name) => market.findSetting(name));

  test("lets other work run between its slices; readers see none of it or all", async () => {
    using home = openTestMarket();
    const { market } = home;
    const seen: unknown[] = [];
    const stored = market.transactionInSlices(function* () {
      for (const name of ["a", "b", "c"]) {
        market.setSetting(name, "set");
        setImmediate(() => seen.push(settings(market, "a", "b", "c")));
        yield;
      }
      return 3;
    });
    expect(await stored).toBe(3);
    expect(seen).toEqual(Array.from({ length: 3 }, () => [null, null, null]));
    expect(settings(market, "a", "b", "c")).toEqual(["set", "set", "set"]);
  });

  test("stores nothing if a slice throws, and the next transaction works", async () => {
    using home = openTestMarket();
    const { market } = home;
    const failing = market.transactionInSlices(function* () {
      market.setSetting("a", "set");
      yield;
      throw new Error("half way");
    });
    const after = market.transactionInSlices(() => inOneSlice(() => market.setSetting("b", "set")));
    expect(await failing.catch(String)).toBe("Error: half way");
    await after;
    expect(settings(market, "a", "b")).toEqual([null, "set"]);
  });

  test("runs one after the other, in the order in which they were requested", async () => {
    using home = openTestMarket();
    const { market } = home;
    const order: string[] = [];
    const run = (name: string, slices: number) =>
      market.transactionInSlices(function* () {
        for (let i = 0; i < slices; i++) {
          order.push(name);
          yield;
        }
      });
    await Promise.all([run("a", 3), run("b", 1), run("c", 2)]);
    expect(order.join("")).toBe("aaabcc");
  });

  test("leaves a large log to a thread that empties it before the next one begins", async () => {
    using home = openTestMarket();
    const { market } = home;
    const log = join(home.folder, "market.db-wal");
    const summary = "x".repeat(1_000_000);
    await market.transactionInSlices(function* () {
      for (let i = 0; i < 5; i++) {
        market.put("instruments", [{ ...stock("US", `S${i}`), summary }], SAMPLE);
        yield;
      }
    });
    expect(await market.transactionInSlices(() => inOneSlice(() => statSync(log).size))).toBe(0);
    expect(market.instruments.list("US").map((one) => one.summary?.length)).toEqual(
      Array.from({ length: 5 }, () => 1_000_000),
    );
  });

  test("lets no other transaction write into it", async () => {
    using home = openTestMarket();
    const { market } = home;
    const stored = market.transactionInSlices(function* () {
      yield;
      yield;
    });
    await new Promise((resolve) => void setImmediate(resolve));
    expect(() => market.transaction(() => market.setSetting("a", "set"))).toThrow(
      "Another transaction is running",
    );
    await stored;
    market.transaction(() => market.setSetting("a", "set"));
    expect(market.findSetting("a")).toBe("set");
  });

  test("waits while another process writes, and blocks nothing meanwhile", async () => {
    using home = openTestMarket();
    const other = new Database(join(home.folder, "market.db"));
    other.run("BEGIN IMMEDIATE");
    const waiting = home.market.transactionInSlices(() =>
      inOneSlice(() => home.market.setSetting("a", "set")),
    );
    // This turn of the event loop comes although the file is locked.
    await new Promise((resolve) => void setTimeout(resolve, 1));
    expect(home.market.findSetting("a")).toBeNull();
    other.run("COMMIT");
    other.close();
    await waiting;
    expect(home.market.findSetting("a")).toBe("set");
  });

  test("of a process that is killed between two slices leaves nothing", async () => {
    using home = openTestMarket();
    const script = `
      import { openMarket } from ${JSON.stringify(join(import.meta.dir, "../../src/store/index.ts"))};
      const market = openMarket(process.argv[1]);
      market.transactionInSlices(function* () {
        for (let i = 0; i < 2_000; i++) {
          market.setSetting("n" + i, "x".repeat(4_000));
          if (i === 1_500) process.kill(process.pid, "SIGKILL");
          if (i % 100 === 99) yield;
        }
      });`;
    const child = spawnChild([process.execPath, "-e", script, home.folder]);
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    expect(settings(home.market, "n0", "n1400")).toEqual([null, null]);
    await home.market.transactionInSlices(() =>
      inOneSlice(() => home.market.setSetting("n0", "mine")),
    );
    expect(home.market.findSetting("n0")).toBe("mine");
  });

  test("that is running when the store is closed is undone, and rejects", async () => {
    using home = openTestMarket();
    const { market } = home;
    const storing = market.transactionInSlices(function* () {
      market.setSetting("a", "set");
      yield;
      market.setSetting("b", "set");
    });
    await new Promise((resolve) => void setImmediate(resolve));
    market.close();
    expect(await storing.catch((error: unknown) => error)).toBeInstanceOf(Error);
    const again = openMarket(home.folder);
    expect(settings(again, "a", "b")).toEqual([null, null]);
    again.close();
  });

  test.each([
    ["instruments", (i: number) => stock("US", `S${i}`)],
    ["quotes", (i: number) => quote(`S${i}`, 1)],
  ] as const)("a large list of %s takes many slices of a few rows each", (kind, make) => {
    using home = openTestMarket();
    const { market } = home;
    const records = Array.from({ length: 2_000 }, (_, i) => make(i));
    for (let round = 1; round <= 2; round++) {
      market.transaction(() => {
        const slices = market.putInSlices(
          kind,
          records as never,
          { source: "alpha", storedAt: round },
          { country: "US" },
        );
        let turns = 0;
        while (!slices.next().done) turns++;
        expect(turns).toBeGreaterThanOrEqual(20);
      });
    }
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

describe("a market that is deleted", () => {
  test("is gone; a missing one is no error", () => {
    using folder = openFolder();
    removeMarket(folder.path);
    const market = openMarket(folder.path);
    market.setSetting("origin", "live");
    market.close();
    removeMarket(folder.path);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("stays while a process has it open, idle or not", async () => {
    using home = openTestMarket();
    home.market.setSetting("origin", "live");
    await expectError(() => removeMarket(home.folder), "unavailable");
    expect(home.market.findSetting("origin")).toBe("live");
    home.market.transaction(() => home.market.setSetting("origin", "sample"));
    home.market.close();
    removeMarket(home.folder);
    expect(readdirSync(home.folder)).toEqual([]);
  });

  test("may be damaged", () => {
    using folder = openFolder();
    writeFileSync(join(folder.path, "market.db"), "not a database at all".repeat(1_000));
    removeMarket(folder.path);
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
