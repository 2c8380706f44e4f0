import { nextTurn } from "#lib/next-turn.ts";
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MarketStore, openMarket, removeMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { expectError } from "../support/error.ts";
import { openTestMarket, SAMPLE, stock, listInstruments } from "../support/market.ts";

test("reads together see the market of one moment, also inside of others and after an error", () => {
  using home = openTestMarket();
  const { market } = home;
  const find = () => market.findSetting("origin");
  const seen = market.readTogether(() => {
    const before = find();
    market.setSetting("origin", "sample");
    return [before, market.readTogether(find), find()];
  });
  expect(seen).toEqual([null, null, null]);
  const failing = () =>
    market.readTogether(() => {
      throw new Error("half way");
    });
  expect(failing).toThrow("half way");
  expect(market.readTogether(find)).toBe("sample");
});

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
    expect(listInstruments(market, "US")).toHaveLength(2);
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
    expect(listInstruments(market, null)).toEqual([]);
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
        expect(listInstruments(reader, null)).toHaveLength(1);
        expect(reader.listCounts()).toMatchObject([{ kind: "instruments", count: 1 }]);
      }
    });
    for (const reader of [market, other]) {
      expect(listInstruments(reader, null).map(({ name }) => name)).toEqual(["After", "7203 Inc"]);
    }
    other.close();
  });
});

describe("queueTransaction", () => {
  const settings = (market: MarketStore, ...names: string[]) =>
    names.map((name) => market.findSetting(name));

  test("stores nothing if its work throws, and the next one works", async () => {
    using home = openTestMarket();
    const { market } = home;
    const failing = market.queueTransaction(() => {
      market.setSetting("a", "set");
      throw new Error("half way");
    });
    const after = market.queueTransaction(() => market.setSetting("b", "set"));
    expect(await failing.catch(String)).toBe("Error: half way");
    await after;
    expect(settings(market, "a", "b")).toEqual([null, "set"]);
  });

  test("waits while another process writes, and blocks nothing meanwhile", async () => {
    using home = openTestMarket();
    const other = new Database(join(home.folder, "market.db"));
    other.run("BEGIN IMMEDIATE");
    const waiting = home.market.queueTransaction(() => home.market.setSetting("a", "set"));
    // This turn of the event loop comes although the file is locked.
    await new Promise((resolve) => void setTimeout(resolve, 1));
    expect(home.market.findSetting("a")).toBeNull();
    other.run("COMMIT");
    other.close();
    await waiting;
    expect(home.market.findSetting("a")).toBe("set");
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

describe("the version of the records", () => {
  test("changes when one is stored again or removed, by any process, and with nothing else", async () => {
    using home = openTestMarket();
    const { market, folder } = home;
    const versions = [await market.findVersion()];
    const step = async (work: () => void) => {
      work();
      versions.push(await market.findVersion());
    };
    await step(() => market.put("instruments", [stock("US", "AAPL")], SAMPLE));
    const holiday = {
      country: "JP",
      date: "2027-07-19",
      name: "Marine Day",
      closed: true,
    } as const;
    await step(() => market.put("holidayOverrides", [holiday], SAMPLE));
    const later = { ...SAMPLE, storedAt: SAMPLE.storedAt + 1 };
    await step(() => market.put("holidayOverrides", [holiday], later));
    const other = openMarket(folder);
    await step(() => other.put("holidayOverrides", [{ ...holiday, date: "2027-08-11" }], later));
    other.close();
    expect(new Set(versions).size).toBe(5);
    market.setSetting("origin", "sample");
    expect(await market.findVersion()).toBe(versions[4] ?? "");
  });

  test("is found in parts of at most a thousand records", async () => {
    using home = openTestMarket();
    const { market } = home;
    const symbols = Array.from({ length: 2_500 }, (_, i) => `S${i}`);
    const splitsOf = (symbol: string) => ({ country: "US" as const, symbol, splits: [] });
    market.transaction(() => market.put("splits", symbols.map(splitsOf), SAMPLE));
    let isFound = false;
    const found = market.findVersion().then((version) => {
      isFound = true;
      return version;
    });
    let turns = 0;
    for (; !isFound; turns++) await nextTurn();
    expect(turns).toBeGreaterThan(1);
    const later = { ...SAMPLE, storedAt: SAMPLE.storedAt + 1 };
    market.put("splits", symbols.slice(-1).map(splitsOf), later);
    expect(await market.findVersion()).not.toBe(await found);
  });
});
