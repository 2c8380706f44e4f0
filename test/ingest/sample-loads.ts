import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadSample, reloadSample } from "#ingest/sample-load.ts";
import { listUniverse } from "#sample/universe.ts";
import { type MarketStore, openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { runOn } from "../support/cli.ts";
import { copySampleMarket, START, temporaryFolder } from "../support/service.ts";

// Loads of the sample market after its first one. Each takes seconds, so `.ci/run` runs this file and the suite
// does not.

describe("the sample market in a data folder", () => {
  const TUESDAY = Date.parse("2026-11-24T07:00:00Z");
  let market: MarketStore;
  const removers: (() => void)[] = [];
  const idOf = (country: "US" | "JP" | "VN", symbol: string) =>
    market.instruments.find({ country, symbol })?.id ?? -1;
  const newestOf = (country: "US" | "JP" | "VN", symbol: string) =>
    market.bars.listNewest(idOf(country, symbol), 1)[0]?.date;

  /** Opens a copy of the market that was loaded first at `START`, Friday the 20th at 17:30. */
  const openLoaded = () => {
    const { folder, remove } = temporaryFolder();
    removers.push(remove);
    copySampleMarket(folder);
    return openMarket(folder);
  };

  beforeAll(() => (market = openLoaded()), 600_000);
  afterAll(() => {
    market.close();
    for (const remove of removers) remove();
  });

  test.each([
    ["load", loadSample],
    ["reload", reloadSample],
  ])("a %s that fails leaves everything unchanged", async (_, load) => {
    const before = market.listCounts();
    using setting = spyOn(market, "setSetting").mockImplementation(() => {
      throw new Error("disk full");
    });
    const failed = Promise.try(() => load({ market, now: TUESDAY }));
    expect(await failed.catch(String)).toBe("Error: disk full");
    expect(setting).toHaveBeenCalled();
    expect(market.listCounts()).toEqual(before);
    expect(newestOf("US", "AAPL")).toBe("2026-11-19");
  });

  describe("loaded after each session and each midnight", () => {
    const bar = { date: "2026-11-18", open: 9, high: 9, low: 9, close: 9, volume: 1 };
    const listAll = (symbol: string) => market.bars.listNewest(idOf("US", symbol), 5_000);
    let first: ReturnType<typeof listAll>;
    let before: number[];
    const counts = () =>
      listUniverse().map((listing) =>
        market.bars.count(market.instruments.find(listing)?.id ?? -1),
      );
    beforeAll(() => {
      first = listAll("AAPL");
      market.transaction(() =>
        market.bars.replace(
          { country: "JP", symbol: "7203", bars: [bar] },
          { source: "import", storedAt: START },
        ),
      );
      before = counts();
    });

    // The first load was on the 20th at 17:30. Coins trade on the weekend.
    test.each(["20T22:00", "21T00:00", "23T08:30", "24T07:00"])(
      "it keeps every bar that it had: %s",
      (time) => {
        expect(loadSample({ market, now: Date.parse(`2026-11-${time}:00Z`) })).toBe(true);
        const after = counts();
        expect(after.filter((count, i) => count < (before[i] ?? 0))).toEqual([]);
        before = after;
      },
      600_000,
    );

    test("it has the newer sessions, and imported bars are unchanged", () => {
      // Tokyo's session of Tuesday the 24th is over. On that day Viet Nam has a holiday.
      expect(newestOf("US", "AAPL")).toBe("2026-11-23");
      expect(newestOf("JP", "6758")).toBe("2026-11-24");
      expect(newestOf("VN", "FPT")).toBe("2026-11-23");
      // Friday and Monday.
      expect(listAll("AAPL").slice(2)).toEqual(first);
      expect(market.bars.listNewest(idOf("JP", "7203"), 10)).toEqual([bar]);
      expect(market.bars.findProvenance(idOf("JP", "7203"))?.source).toBe("import");
    });
  });

  test("bars of another version of the generator are replaced, imported ones are not", () => {
    const own = openLoaded();
    const stamp = own.findSetting("sample") ?? "";
    const bars = ["2016-11-18", "2026-11-19"].map((date) => {
      return { date, open: 9, high: 9, low: 9, close: 9, volume: 1 };
    });
    own.transaction(() => {
      for (const [symbol, source] of [
        ["COIN", "sample"],
        ["AAPL", "import"],
      ] as const)
        own.bars.replace({ country: "US", symbol, bars }, { source, storedAt: START });
      own.setSetting("sample", stamp.replace(/^\S+/, "0"));
    });
    const oldest = (symbol: string) =>
      own.bars
        .listNewest(own.instruments.find({ country: "US", symbol })?.id ?? -1, 5_000)
        .map(({ date }) => date)
        .toSorted()[0];
    expect(oldest("COIN")).toBe("2016-11-18");
    expect(loadSample({ market: own, now: START })).toBe(true);
    // Coinbase was listed on that day.
    expect(oldest("COIN")).toBe("2021-04-14");
    expect(oldest("AAPL")).toBe("2016-11-18");
    own.close();
  }, 600_000);

  test("after a removal of imports its own records are back", async () => {
    using fresh = openFolder();
    copySampleMarket(fresh.path);
    const on = (...argv: string[]) => runOn(fresh.path, "import", ...argv);
    const closes = () => {
      const opened = openMarket(fresh.path);
      const id = opened.instruments.find({ country: "US", symbol: "AAPL" })?.id ?? 0;
      const found = { bars: opened.bars.listNewest(id, 5_000), pe: peOf(opened) };
      opened.close();
      return found;
    };
    const peOf = (one: MarketStore) =>
      one.documents.list("indexPe", "US").map(({ month, pe, source }) => [month, pe, source]);
    const before = closes();
    const file = (name: string, text: string) => {
      writeFileSync(join(fresh.path, name), text);
      return join(fresh.path, name);
    };
    const bars = file("a.csv", "Date,Open,High,Low,Close,Volume\n2026-01-05,250,250,250,250,5\n");
    await on("bars", "--country", "US", "--symbol", "AAPL", bars);
    await on("index-pe", file("pe.csv", `country,month,pe\nUS,${before.pe[0]?.[0]},99\n`));
    expect(closes().bars).toHaveLength(1);
    expect(closes().pe[0]?.slice(1)).toEqual([99, "import"]);

    // Through the store: each command that removes records generates the whole sample market again.
    const opened = openMarket(fresh.path);
    opened.imported.remove(opened.imported.list("indexPe"));
    opened.close();
    expect(await on("remove", "bars", "aapl")).toEqual({
      code: 0,
      stdout: "Removed 1 bar history. Replaced records of the sample are back.\n",
      stderr: "",
    });
    expect(closes()).toEqual(before);
    expect((await on("list")).stdout).toBe("Nothing was imported.\n");
  }, 600_000);
});
