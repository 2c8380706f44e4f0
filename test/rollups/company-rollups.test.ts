import { Database } from "bun:sqlite";
import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { join } from "node:path";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { IMPORT } from "#domain/records.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";
import { addDays, addMonths } from "#lib/date.ts";
import { Patience } from "#lib/deadline.ts";
import { nextTurn } from "#lib/next-turn.ts";
import {
  type CompanyMetrics,
  getCompany,
  getCompanyMetrics,
  listIndexCloses,
} from "#rollups/companies.ts";
import { CompanyHistory } from "#rollups/company-history.ts";
import { CompanyRollups, type CompanyRollupsOptions } from "#rollups/company-rollups.ts";
import { type CountryRollup, createCountryRollup } from "#rollups/country-rollup.ts";
import { computeForThread } from "#rollups/saved-companies.ts";
import { type MarketStore } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { expectError } from "../support/error.ts";
import { applyNext, recordsOf } from "../support/market-changes.ts";
import { flatBar, openTestMarket, SAMPLE, stock } from "../support/market.ts";
import { openSampleMarket, START } from "../support/service.ts";
import { quote as newestQuote } from "../support/refresher.ts";
import { openCopiedMarket } from "../support/empty-files.ts";

const DAY_MS = 86_400_000;

const quote = (symbol: string, price: number) => newestQuote(symbol, price, { date: "2026-11-19" });

const statement = (symbol: string, revenue: number): Statement => ({
  country: "US",
  symbol,
  span: "year",
  fiscalYear: 2025,
  fiscalQuarter: 4,
  periodEnd: "2025-12-31",
  filedOn: "2026-02-01",
  currency: "USD",
  items: { ...NO_ITEMS, revenue },
});

const bar = (date: string, close: number) => flatBar(date, close, 1);

/** A market with prices of AAPL and MSFT, and a fund. */
function openTwo() {
  const home = openTestMarket();
  home.market.put(
    "instruments",
    [stock("US", "AAPL"), stock("US", "MSFT"), stock("US", "SPY", { assetType: "etf" })],
    SAMPLE,
  );
  home.market.put("quotes", [quote("AAPL", 10), quote("MSFT", 20)], SAMPLE);
  return home;
}

/** Roll-ups on a clock that the test moves. */
function openRollups(market: MarketStore, options?: CompanyRollupsOptions) {
  const time = { now: START };
  const rollups = new CompanyRollups(market, () => time.now, options);
  /** Reads them like an operation that does not have to wait. */
  const read = (country: Country = "US") => {
    expect(rollups.prepare([country])).toBeUndefined();
    return rollups.get(country);
  };
  const companyOf = (symbol: string): CompanyMetrics => {
    const found = read().list.find(({ instrument }) => instrument.symbol === symbol);
    if (!found) throw new Error(`${symbol} is not a company`);
    return found;
  };
  return { time, rollups, read, companyOf };
}

test("the companies with new figures are named once, when readers have these figures", async () => {
  using home = openTwo();
  const { market } = home;
  const { rollups, time } = openRollups(market);
  const changed = () => [...rollups.takeChanged()].toSorted();
  await rollups.update();
  // The fund is looked at too: it is no company.
  expect([changed(), changed()]).toEqual([["US:AAPL", "US:MSFT", "US:SPY"], []]);
  market.put("quotes", [quote("AAPL", 11)], SAMPLE);
  expect(changed()).toEqual([]);
  await rollups.update();
  expect(rollups.get("US").bySymbol.get("AAPL")?.newest?.close).toBe(11);
  expect(changed()).toEqual(["US:AAPL"]);
  // Another read computes few companies at once.
  market.put("quotes", [quote("MSFT", 21)], SAMPLE);
  void rollups.prepare(["US"]);
  expect(changed()).toEqual(["US:MSFT"]);
  time.now += DAY_MS;
  await rollups.update();
  expect(changed()).toEqual(["US:AAPL", "US:MSFT"]);
});

describe("the companies of a country", () => {
  test("equal the figures of each company computed alone", async () => {
    const { market, close } = openSampleMarket();
    const { rollups } = openRollups(market);
    await rollups.update();
    for (const country of COUNTRY_CODES) {
      const { list } = rollups.get(country);
      expect(list.length).toBeGreaterThan(50);
      for (const company of list.filter((_, i) => i % 3 === 0)) {
        const instrument = market.instruments.findById(company.instrument.id);
        if (!instrument) throw new Error("a company without an instrument");
        const { fundamentals, performance, newest } = getCompany(market, instrument, START);
        expect(company).toMatchObject({ fundamentals, performance, newest });
        const index = listIndexCloses(market, country);
        const { year, analysts } = getCompanyMetrics(market, instrument, START, index);
        expect(company).toMatchObject({ year, analysts });
      }
    }
    close();
  });

  test("are computed once, and again only after one of their records was stored", () => {
    using home = openTwo();
    const { market } = home;
    const { read, companyOf } = openRollups(market);
    const [apple, microsoft] = [companyOf("AAPL"), companyOf("MSFT")];
    market.setSetting("a", "1");
    market.put("quotes", [quote("AAPL", 11)], SAMPLE);
    expect(companyOf("AAPL").newest?.close).toBe(11);
    expect(companyOf("MSFT")).toBe(microsoft);
    expect(companyOf("AAPL")).not.toBe(apple);
    expect(read()).toBe(read());
  });

  test("are computed again after the rates that they need, or the closes of the index", () => {
    using home = openTwo();
    const { market } = home;
    market.put("statements", [{ ...statement("AAPL", 7), currency: "EUR" }], SAMPLE);
    const { companyOf } = openRollups(market);
    const microsoft = companyOf("MSFT");
    expect(companyOf("AAPL").fundamentals.ps).toBeNull();
    const put = (symbol: string, assetType: "currency" | "index", bars: DailyBar[]) => {
      market.put("instruments", [stock("US", symbol, { assetType })], SAMPLE);
      market.put("bars", [{ country: "US", symbol, bars }], SAMPLE);
    };
    put("EURUSD=X", "currency", [bar("2026-11-18", 1.25)]);
    // 1,000 shares at 10 dollars; 7 euro of revenue.
    expect(companyOf("AAPL").fundamentals.ps).toBeCloseTo(10_000 / (7 * 1.25), 6);
    put("EURUSD=X", "currency", [bar("2026-11-19", 1.6)]);
    expect(companyOf("AAPL").fundamentals.ps).toBeCloseTo(10_000 / (7 * 1.6), 6);
    expect(companyOf("MSFT")).toBe(microsoft);

    // The index alternates 100 and 110; so does Microsoft.
    const days = Array.from({ length: 61 }, (_, i) => addDays("2026-09-20", i));
    const closes = (high: number) => days.map((date, i) => bar(date, i % 2 === 0 ? 100 : high));
    market.put("bars", [{ country: "US", symbol: "MSFT", bars: closes(110) }], SAMPLE);
    expect(companyOf("MSFT").year?.beta).toBeNull();
    put("^GSPC", "index", closes(110));
    expect(companyOf("MSFT").year?.beta).toBeCloseTo(1, 9);
    put("^GSPC", "index", closes(120));
    // 30 rises and 30 falls: 10 % and −1/11 against 20 % and −1/6.
    expect(companyOf("MSFT").year?.beta).toBeCloseTo((0.1 + 1 / 11) / (0.2 + 1 / 6), 9);
  });

  const CHANGES: [
    string,
    (market: MarketStore) => void,
    (company: CompanyMetrics) => unknown,
    unknown,
  ][] = [
    [
      "its listing",
      (market) => market.put("instruments", [stock("US", "AAPL", { sector: "energy" })], SAMPLE),
      ({ instrument }) => instrument.sector,
      "energy",
    ],
    [
      "a split since its statements",
      (market) => {
        const { items, ...filed } = statement("AAPL", 1);
        const stated = { ...filed, sharesAsOf: "2026-02-01", items: { ...items, epsDiluted: 6 } };
        market.put("statements", [stated], SAMPLE);
        const split = { exDate: "2026-11-18", numerator: 3, denominator: 1 };
        market.put("splits", [{ country: "US", symbol: "AAPL", splits: [split] }], SAMPLE);
      },
      ({ fundamentals }) => fundamentals.epsTtm,
      2,
    ],
    [
      "a quote",
      (market) => market.put("quotes", [quote("AAPL", 12)], SAMPLE),
      ({ newest }) => newest?.close,
      12,
    ],
    [
      "the end of its quote",
      (market) => market.put("quotes", [quote("MSFT", 20)], SAMPLE, { country: "US" }),
      ({ newest }) => newest,
      null,
    ],
    [
      "bars",
      (market) =>
        market.put(
          "bars",
          [{ country: "US", symbol: "AAPL", bars: [bar("2026-11-20", 13)] }],
          SAMPLE,
        ),
      ({ newest }) => newest?.close,
      13,
    ],
    [
      "imported bars",
      (market) =>
        market.bars.replace(
          { country: "US", symbol: "AAPL", bars: [bar("2026-11-02", 14)] },
          { source: IMPORT, storedAt: 2 },
        ),
      ({ newest }) => newest?.close,
      14,
    ],
    [
      "a statement",
      (market) => market.put("statements", [statement("AAPL", 7)], SAMPLE),
      ({ fundamentals }) => fundamentals.revenueTtm,
      7,
    ],
    [
      "dividends",
      (market) =>
        market.put(
          "dividends",
          [
            {
              country: "US",
              symbol: "AAPL",
              dividends: [{ exDate: "2026-05-01", amount: 1 }],
            },
          ],
          SAMPLE,
        ),
      // A dividend of 1 at a price of 10.
      ({ fundamentals }) => fundamentals.dividendYieldPercent,
      10,
    ],
    [
      "analyst coverage",
      (market) =>
        market.put(
          "analystCoverage",
          [
            {
              country: "US",
              symbol: "AAPL",
              ratings: [],
              priceTarget: { low: 9, mean: 12, median: 12, high: 15, analysts: 3 },
              estimates: [],
              actions: [],
            },
          ],
          SAMPLE,
        ),
      ({ analysts }) => analysts?.targetPrice ?? null,
      12,
    ],
  ];
  test("are computed again on the ex-date of a split that was known before", () => {
    using home = openFolder();
    const time = { now: START };
    const market = openCopiedMarket(home.path, () => time.now);
    market.put("instruments", [stock("US", "AAPL")], SAMPLE);
    market.put("quotes", [quote("AAPL", 10)], SAMPLE);
    const filed = { ...statement("AAPL", 1), sharesAsOf: "2026-02-01" };
    filed.items = { ...filed.items, epsDiluted: 6 };
    const split = { exDate: "2026-11-21", numerator: 3, denominator: 1 };
    market.transaction(() => market.put("statements", [filed], SAMPLE));
    market.transaction(() =>
      market.put("splits", [{ country: "US", symbol: "AAPL", splits: [split] }], SAMPLE),
    );
    const rollups = new CompanyRollups(market, () => time.now);
    const eps = () => {
      expect(rollups.prepare(["US"])).toBeUndefined();
      return rollups.get("US").list[0]?.fundamentals.epsTtm;
    };
    expect(eps()).toBe(6);
    time.now += DAY_MS;
    expect(eps()).toBe(2);
    market.close();
  });

  test.each(CHANGES)("follow %s, also if another process stored it", (_, store, read, wanted) => {
    for (const elsewhere of [false, true]) {
      using home = openTwo();
      const { companyOf } = openRollups(home.market);
      expect(read(companyOf("AAPL"))).not.toEqual(wanted);
      const other = elsewhere ? openCopiedMarket(home.folder) : home.market;
      other.transaction(() => store(other));
      if (elsewhere) other.close();
      expect(read(companyOf("AAPL"))).toEqual(wanted);
    }
  });

  test("follow appended bars", () => {
    using home = openTwo();
    const { market } = home;
    const { companyOf } = openRollups(market);
    const add = (date: string, close: number) =>
      market.put("bars", [{ country: "US", symbol: "AAPL", bars: [bar(date, close)] }], SAMPLE);
    add("2026-11-19", 13);
    expect(companyOf("AAPL").newest?.close).toBe(13);
    add("2026-11-20", 14);
    expect(companyOf("AAPL").newest?.close).toBe(14);
  });

  test("follow reported earnings that come after their other records", () => {
    using home = openTwo();
    const { market } = home;
    const { companyOf } = openRollups(market);
    expect(companyOf("AAPL").history.surprises).toBeNull();
    const quarter = { reportedOn: "2026-10-29", epsActual: 1.2, epsEstimate: 1 };
    const results = [{ quarterEnd: "2026-09", ...quarter }];
    market.put("earningsResults", [{ country: "US", symbol: "AAPL", results }], SAMPLE);
    expect(companyOf("AAPL").history.surprises).not.toBeNull();
  });

  test.each([
    ["UPDATE statements SET items = replace(items, '\"revenue\":7', '\"revenue\":8')", 8, 13],
    ["DELETE FROM statements", null, 13],
    ["DELETE FROM bar_histories", 7, 10],
  ])("follow another tool's %s", (sql, revenueTtm, close) => {
    using home = openTwo();
    const { market } = home;
    market.put("statements", [statement("AAPL", 7)], SAMPLE);
    const history = { country: "US" as const, symbol: "AAPL", bars: [bar("2026-11-20", 13)] };
    market.put("bars", [history], SAMPLE);
    const { companyOf } = openRollups(market);
    expect(companyOf("AAPL").fundamentals.revenueTtm).toBe(7);
    const other = new Database(join(home.folder, "market.db"));
    other.run("PRAGMA foreign_keys = ON");
    other.run(sql);
    other.close();
    const after = companyOf("AAPL");
    expect([after.fundamentals.revenueTtm, after.newest?.close]).toEqual([revenueTtm, close]);
  });

  test("are computed for the current day", () => {
    using home = openTwo();
    const { market } = home;
    market.put("statements", [{ ...statement("AAPL", 7), filedOn: "2026-11-21" }], SAMPLE);
    const { time, read, companyOf } = openRollups(market);
    expect(companyOf("AAPL").fundamentals.revenueTtm).toBeNull();
    expect(read().asOf).toBe("2026-11-20");
    time.now += DAY_MS;
    expect(companyOf("AAPL").fundamentals.revenueTtm).toBe(7);
    expect(read().asOf).toBe("2026-11-21");
    time.now -= DAY_MS;
    expect(companyOf("AAPL").fundamentals.revenueTtm).toBeNull();
  });

  const REMOVALS: [string, (market: MarketStore, folder: string) => unknown][] = [
    [
      "a removed import",
      (market) =>
        market.imported.remove([{ kind: "instruments", country: "US", key: "GONE" }] as const),
    ],
    [
      "a removed import with another instrument in its place",
      (market) => {
        market.imported.remove([{ kind: "instruments", country: "US", key: "GONE" }] as const);
        // SQLite gives the free row id again.
        market.put("instruments", [stock("JP", "7203")], SAMPLE);
      },
    ],
    [
      "an instrument that its source's list no longer has",
      (market) => {
        const list = { country: "US", source: "list", listedAt: 2_000 } as const;
        market.instruments.delistMissing(list);
      },
    ],
    [
      "an import that a change of a cluster's log removes",
      (market) =>
        applyNext(market, {
          type: "removal",
          records: [{ kind: "instruments", country: "US", key: "GONE" }],
        }),
    ],
    [
      "a company of a market that is replaced by another one",
      async (market) => {
        using folder = openFolder();
        const other = openCopiedMarket(folder.path);
        // The row ids are those of other instruments.
        for (const symbol of ["MSFT", "NVDA"]) {
          other.put("instruments", [stock("US", symbol)], SAMPLE);
          other.put("quotes", [quote(symbol, 10)], SAMPLE);
        }
        other.close();
        await market.replaceContent(join(folder.path, "market.db"));
        expect(market.instruments.find({ country: "US", symbol: "GONE" })).toBeNull();
      },
    ],
    [
      "a row that another tool deletes",
      (_, folder) => {
        using other = new Database(join(folder, "market.db"));
        other.run("PRAGMA foreign_keys = ON");
        other.run("DELETE FROM instruments WHERE symbol = 'GONE'");
      },
    ],
    [
      "a row to which another tool gives another symbol",
      (_, folder) => {
        using other = new Database(join(folder, "market.db"));
        other.run("UPDATE instruments SET symbol = 'OTHER' WHERE symbol = 'GONE'");
      },
    ],
  ];
  test.each(REMOVALS)(
    "lose %s at once, also if another process removed it",
    async (removal, remove) => {
      for (const elsewhere of [false, true]) {
        using home = openTwo();
        // Only a listed instrument can be delisted, and only an imported one removed.
        const gone = { source: removal.includes("source's list") ? "list" : IMPORT, storedAt: 1 };
        home.market.put("instruments", [stock("US", "GONE")], gone, { country: "US" });
        home.market.put("quotes", [quote("GONE", 10)], gone);
        home.market.put(
          "bars",
          [{ country: "US", symbol: "GONE", bars: [bar("2026-11-19", 9)] }],
          gone,
        );
        const { read } = openRollups(home.market);
        const symbols = () => read().list.map(({ instrument }) => instrument.symbol);
        expect(symbols()).toEqual(["AAPL", "MSFT", "GONE"]);
        const stocks = () => read().statistics.get("technology")?.stockCount;
        expect(stocks()).toBe(3);
        const other = elsewhere ? openCopiedMarket(home.folder) : home.market;
        await remove(other, home.folder);
        if (elsewhere) other.close();
        expect(symbols()).not.toContain("GONE");
        expect(read().statistics.get("technology")?.stockCount).toBe(symbols().length);
        expect(read("JP").list.map(({ instrument }) => instrument.symbol)).not.toContain("GONE");
      }
    },
  );

  test("have an instrument again that was removed and imported again", () => {
    using home = openTwo();
    const { read } = openRollups(home.market);
    const put = () =>
      home.market.put("instruments", [stock("US", "BACK")], { source: IMPORT, storedAt: 1 });
    put();
    expect(read().list.length).toBe(3);
    home.market.imported.remove([{ kind: "instruments", country: "US", key: "BACK" }]);
    put();
    expect(read().list.map(({ instrument }) => instrument.symbol)).toContain("BACK");
    home.market.imported.remove([{ kind: "instruments", country: "US", key: "BACK" }]);
    expect(read().list.length).toBe(2);
  });

  test("are the stocks and REITs that are listed now", () => {
    using home = openTwo();
    const { market } = home;
    const { read } = openRollups(market);
    const symbols = () => read().list.map(({ instrument }) => instrument.symbol);
    expect(symbols()).toEqual(["AAPL", "MSFT"]);
    market.put("instruments", [stock("US", "AAPL", { assetType: "etf" })], SAMPLE);
    market.put("instruments", [stock("US", "SPY", { assetType: "reit" })], SAMPLE);
    expect(symbols()).toEqual(["MSFT", "SPY"]);
    expect(read("JP").list).toEqual([]);
  });

  test("have the oldest and the newest provenance of each source", () => {
    using home = openTwo();
    const { market } = home;
    const stamped = (storedAt: number) => ({ source: "quotes", storedAt });
    market.put("instruments", [stock("US", "NVDA")], SAMPLE);
    market.put("quotes", [quote("AAPL", 10)], stamped(7_000));
    market.put("quotes", [quote("MSFT", 20)], stamped(5_000));
    market.put("quotes", [quote("NVDA", 30)], stamped(9_000));
    expect(new Set(openRollups(market).read().from)).toEqual(
      new Set([SAMPLE, stamped(5_000), stamped(9_000)]),
    );
  });
});

/** More companies than a request computes itself. */
const SYMBOLS = Array.from({ length: 120 }, (_, i) => `S${i}`);

/** A market with all `SYMBOLS` at one price. */
function openMany() {
  const home = openTestMarket();
  const setPrices = (price: number, symbols = SYMBOLS) =>
    home.market.put(
      "quotes",
      symbols.map((symbol) => quote(symbol, price)),
      SAMPLE,
    );
  home.market.put(
    "instruments",
    SYMBOLS.map((symbol) => stock("US", symbol)),
    SAMPLE,
  );
  setPrices(10);
  return { ...home, setPrices };
}

const pricesOf = ({ list }: CountryRollup) => new Set(list.map(({ newest }) => newest?.close));
const SERVING = { servesPrevious: true };

describe("many due companies", () => {
  test("make the first reader wait", async () => {
    using home = openMany();
    for (const options of [undefined, SERVING]) {
      const { rollups, read } = openRollups(home.market, options);
      const ready = rollups.prepare(["US"]);
      expect(ready).toBeInstanceOf(Promise);
      // Other countries do not wait.
      expect(read("JP").list).toEqual([]);
      await ready;
      expect(rollups.get("US").list.length).toBe(SYMBOLS.length);
    }
  });

  test("are served with the previous figures until all are complete", async () => {
    using home = openMany();
    const { rollups, read } = openRollups(home.market, SERVING);
    await rollups.update();
    const previous = read();
    home.setPrices(11);
    expect(read()).toBe(previous);
    const update = rollups.update();
    const seen: CountryRollup[] = [];
    let isComplete = false;
    void update.then(() => (isComplete = true));
    while (!isComplete) {
      seen.push(read());
      await nextTurn();
    }
    expect(seen.filter((rollup) => rollup === previous).length).toBeGreaterThan(5);
    for (const rollup of seen) expect(pricesOf(rollup).size).toBe(1);
    expect(pricesOf(previous)).toEqual(new Set([10]));
    expect(pricesOf(read())).toEqual(new Set([11]));
  });

  test("are served with the previous day's figures and date when a day begins", async () => {
    using home = openMany();
    const filed = SYMBOLS.map((symbol) => ({ ...statement(symbol, 7), filedOn: "2026-11-21" }));
    home.market.put("statements", filed, SAMPLE);
    const { rollups, read, time } = openRollups(home.market, SERVING);
    await rollups.update();
    time.now += DAY_MS;
    const revenues = () => new Set(read().list.map(({ fundamentals }) => fundamentals.revenueTtm));
    expect([read().asOf, revenues()]).toEqual(["2026-11-20", new Set([null])]);
    await rollups.update();
    expect([read().asOf, revenues()]).toEqual(["2026-11-21", new Set([7])]);
  });

  test("make readers outside the service wait", async () => {
    using home = openMany();
    const { rollups, time } = openRollups(home.market);
    await rollups.update();
    time.now += DAY_MS;
    home.setPrices(11);
    await rollups.prepare(["US"]);
    const rollup = rollups.get("US");
    expect([rollup.asOf, pricesOf(rollup)]).toEqual(["2026-11-21", new Set([11])]);
  });

  test("make readers wait while no company has a market cap", async () => {
    using home = openTestMarket();
    const { rollups } = openRollups(home.market, SERVING);
    await rollups.update();
    const instruments = SYMBOLS.map((symbol) => stock("US", symbol));
    home.market.put("instruments", instruments, SAMPLE);
    await rollups.prepare(["US"]);
    const quotes = SYMBOLS.map((symbol) => quote(symbol, 10));
    home.market.put("quotes", quotes, SAMPLE);
    await rollups.prepare(["US"]);
    expect(pricesOf(rollups.get("US"))).toEqual(new Set([10]));
  });

  test("do not include a few changed companies, which the next request computes", async () => {
    using home = openMany();
    const { rollups, read } = openRollups(home.market, SERVING);
    await rollups.update();
    home.setPrices(11, SYMBOLS.slice(0, 20));
    expect(pricesOf(read())).toEqual(new Set([10, 11]));
    home.setPrices(12, SYMBOLS.slice(0, 21));
    expect(pricesOf(read())).toEqual(new Set([10, 11]));
  });

  test("are computed ten at a time, and once for all waiting readers", async () => {
    using home = openMany();
    const { rollups } = openRollups(home.market);
    using read = spyOn(home.market.instruments, "find");
    // The country's index is found too.
    const computed = () => read.mock.calls.filter(([{ symbol }]) => SYMBOLS.includes(symbol));
    let isReady = false;
    void Promise.all([rollups.prepare(["US"]), rollups.prepare(["US"]), rollups.update()]).then(
      () => (isReady = true),
    );
    while (!isReady) {
      const before = computed().length;
      await nextTurn();
      expect(computed().length - before).toBeLessThanOrEqual(10);
    }
    expect(computed().length).toBe(SYMBOLS.length);
  });

  test("are read in slices too if thousands changed at once", async () => {
    using home = openTestMarket();
    const instruments = Array.from({ length: 2_500 }, (_, i) => stock("JP", String(10_000 + i)));
    home.market.transaction(() => home.market.put("instruments", instruments, SAMPLE));
    const { rollups } = openRollups(home.market);
    using listed = spyOn(home.market.instruments, "listChanged");
    await rollups.update();
    const sizes = listed.mock.results.map(({ value }) => (value as unknown[]).length);
    expect(sizes).toEqual([1_000, 1_000, 500]);
    expect(rollups.get("JP").list.length).toBe(2_500);
  });

  test("fail for all waiting readers, and are computed for the next reader", async () => {
    using home = openMany();
    const { rollups } = openRollups(home.market);
    const failing = spyOn(home.market.instruments, "find").mockImplementation(() => {
      throw new Error("disk I/O error");
    });
    const outcomes = await Promise.allSettled([rollups.prepare(["US"]), rollups.update()]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    failing.mockRestore();
    await rollups.prepare(["US"]);
    expect(rollups.get("US").list.length).toBe(SYMBOLS.length);
  });

  test("end at a stop, and waiting readers are refused", async () => {
    using home = openMany();
    const { rollups } = openRollups(home.market, SERVING);
    const waiting = rollups.prepare(["US"]);
    await nextTurn();
    using computed = spyOn(home.market.instruments, "find");
    await rollups.stop();
    await waiting;
    expect(computed.mock.calls.length).toBe(0);
    expect(() => rollups.get("US")).toThrow("The service is stopping. Retry shortly.");
  });
});

describe("companies that another thread computes", () => {
  /** Roll-ups whose other thread runs `before` before it computes. */
  function openThreaded(market: MarketStore, before: () => void | Promise<void> = () => {}) {
    const asked: string[] = [];
    const opened = openRollups(market, {
      ...SERVING,
      async compute(companies) {
        asked.push(...companies.symbols);
        const computed = computeForThread(market, companies);
        // Another thread never answers in the turn in which it is asked.
        await nextTurn();
        await before();
        return computed;
      },
    });
    return { ...opened, asked };
  }

  test("equal those computed here, and are asked for once", async () => {
    const { market, close } = openSampleMarket();
    const { rollups, asked } = openThreaded(market);
    const { rollups: here } = openRollups(market);
    await Promise.all([rollups.update(), here.update()]);
    for (const country of COUNTRY_CODES)
      expect(rollups.get(country).statistics).toEqual(here.get(country).statistics);
    expect(asked.length).toBeGreaterThan(500);
    expect(new Set(asked).size).toBe(asked.length);
    close();
  });

  test("have the figures of several years, also if they are few", async () => {
    using home = openTwo();
    const { rollups } = openThreaded(home.market);
    await rollups.update();
    for (const { history } of rollups.get("US").list)
      expect(history instanceof CompanyHistory && history.known).toBeTruthy();
  });

  /** A change of a market, or a new day (null). */
  type Change = ((market: MarketStore) => void) | null;
  const symbols = fc.constantFrom("A", "B", "C", "EURUSD=X", "^GSPC");
  const closes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 20, maxLength: 66 });
  const longBars = fc.record({ symbol: symbols, closes, isLate: fc.boolean() });
  const changes: fc.Arbitrary<Change> = fc.oneof(
    fc.constant(null),
    // A bar every month. The last one is of today's month, on any day.
    {
      weight: 4,
      arbitrary: longBars.map(({ symbol, closes: all, isLate }) => (market: MarketStore) => {
        const last = isLate ? "2026-11-19" : "2026-11-05";
        const bars = all.map((close, i) => bar(addMonths(last, i + 1 - all.length), close));
        market.put("bars", [{ country: "US", symbol, bars, isWhole: true }], SAMPLE);
      }),
    },
    ...(["quotes", "dividends", "splits", "recentCloses", "statementVintages"] as const).map(
      (kind) =>
        recordsOf(kind, "US").map(
          (records) => (market: MarketStore) => market.put(kind, records, SAMPLE),
        ),
    ),
    recordsOf("statements", "US").map(
      (records) => (market: MarketStore) =>
        market.put("statements", records.map(inOtherCurrency), SAMPLE),
    ),
  );
  /** Of a company that changed to the currency of its prices. */
  function inOtherCurrency({ items: { revenue }, ...one }: Statement): Statement {
    const items = { ...NO_ITEMS, revenue, epsDiluted: 2, sharesDiluted: 1_000, commonEquity: 500 };
    return { ...one, currency: one.fiscalYear < 2025 ? "EUR" : "USD", items };
  }

  test("have after any changes the figures that are computed from nothing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 8 }), async (all) => {
        using home = openTestMarket();
        const { market } = home;
        const others = ["EURUSD=X", "^GSPC"].map((symbol, i) =>
          stock("US", symbol, { assetType: i === 0 ? "currency" : "index" }),
        );
        const companies = ["A", "B", "C", "D", "E"].map((symbol) => stock("US", symbol));
        market.put("instruments", [...companies, ...others], SAMPLE);
        const bars = Array.from({ length: 62 }, (_, i) => bar(addMonths("2021-10-19", i), 9 + i));
        for (const symbol of ["A", "EURUSD=X"])
          market.put("bars", [{ country: "US", symbol, bars }], SAMPLE);
        const filed = [2022, 2023, 2024, 2025].map((fiscalYear) => ({
          ...statement("A", 7),
          fiscalYear,
          periodEnd: `${fiscalYear}-12-31`,
          filedOn: `${fiscalYear + 1}-02-01`,
        }));
        market.put("statements", filed.map(inOtherCurrency), SAMPLE);
        const { rollups, time } = openThreaded(market);
        await rollups.update();
        for (const change of all) {
          if (change) market.transaction(() => change(market));
          else time.now += DAY_MS;
          await rollups.update();
        }
        const anew = new CompanyRollups(market, () => time.now);
        await anew.update();
        const [kept, computed] = [rollups, anew].map((one) =>
          one.get("US").list.map(({ instrument, history, fundamentals, year, newest }) => {
            const long = [history.ownHistory, history.totalReturns, history.dividends];
            // Figures of another thread pass through JSON, which has no −0.
            return JSON.stringify([instrument.symbol, fundamentals, year, newest, ...long]);
          }),
        );
        expect(kept?.toSorted()).toEqual(computed?.toSorted());
      }),
      { numRuns: 40 },
    );
  });

  test("are computed again if their records change meanwhile", async () => {
    using home = openMany();
    let calls = 0;
    const { rollups, read } = openThreaded(home.market, () => {
      if (++calls > 1) return;
      home.setPrices(11);
      // A reader notices the change.
      void rollups.prepare(["US"]);
    });
    await rollups.update();
    expect(pricesOf(read())).toEqual(new Set([11]));
  });

  test("are computed again if a day begins, or the closes of the index change meanwhile", async () => {
    using home = openMany();
    const days = Array.from({ length: 61 }, (_, i) => addDays("2026-09-20", i));
    const closes = (high: number) => days.map((date, i) => bar(date, i % 2 === 0 ? 100 : high));
    home.market.put("instruments", [stock("US", "^GSPC", { assetType: "index" })], SAMPLE);
    home.market.put(
      "bars",
      SYMBOLS.map((symbol) => ({ country: "US" as const, symbol, bars: closes(110) })),
      SAMPLE,
    );
    let calls = 0;
    const { rollups, read, time } = openThreaded(home.market, () => {
      if (++calls === 1)
        home.market.put("bars", [{ country: "US", symbol: "^GSPC", bars: closes(110) }], SAMPLE);
      if (calls === 3) time.now += DAY_MS;
      void rollups.prepare(["US"]);
    });
    await rollups.update();
    expect(read().asOf).toBe("2026-11-21");
    // They move as the index does.
    for (const { year } of read().list) expect(year?.beta).toBeCloseTo(1, 9);
  });

  test("are computed here while that thread has ended", async () => {
    using home = openMany();
    const { rollups, read } = openThreaded(home.market, () => {
      throw new Error("the thread has ended");
    });
    await rollups.update();
    expect(pricesOf(read())).toEqual(new Set([10]));
    expect(read().list.length).toBe(SYMBOLS.length);
  });
});

describe("a large country", () => {
  const MANY = Array.from({ length: 1_200 }, (_, i) => `S${i}`);

  function openLarge() {
    const home = openTestMarket();
    home.market.transaction(() => {
      const instruments = MANY.map((symbol) => stock("US", symbol));
      home.market.put("instruments", instruments, SAMPLE);
      const quotes = MANY.map((symbol) => quote(symbol, 10));
      home.market.put("quotes", quotes, SAMPLE);
    });
    return home;
  }

  test("is put together in parts of at most a hundred companies", async () => {
    using home = openLarge();
    const { rollups } = openRollups(home.market);
    await rollups.update();
    let read = 0;
    const counted = rollups.get("US").list.map((company) => ({
      ...company,
      get from() {
        read++;
        return company.from;
      },
    }));
    const parts = createCountryRollup(counted, "2026-11-20");
    for (let before = 0; !parts.next().done; before = read)
      expect(read - before).toBeLessThanOrEqual(100);
    expect(read).toBe(MANY.length);
  });

  test("shows a few changes to the next reader, who waits for them in several turns", async () => {
    using home = openLarge();
    const { rollups } = openRollups(home.market, SERVING);
    await rollups.update();
    home.market.put("quotes", [quote("S7", 11)], SAMPLE);
    await rollups.prepare(["US"]);
    expect(pricesOf(rollups.get("US"))).toEqual(new Set([10, 11]));
  });

  test("shows a change during a publication to the reader who noticed it", async () => {
    using home = openLarge();
    const { rollups } = openRollups(home.market, SERVING);
    await rollups.update();
    home.market.put("quotes", [quote("S7", 11)], SAMPLE);
    const publishing = rollups.update();
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    home.market.put("quotes", [quote("S8", 12)], SAMPLE);
    await rollups.prepare(["US"]);
    expect(pricesOf(rollups.get("US"))).toEqual(new Set([10, 11, 12]));
    await publishing;
  });

  test("shows a change to a reader who comes while it is published", async () => {
    using home = openLarge();
    const { rollups } = openRollups(home.market, { servesPrevious: false });
    await rollups.update();
    home.market.put("quotes", [quote("S7", 11)], SAMPLE);
    const publishing = rollups.update();
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    await rollups.prepare(["US"]);
    expect(pricesOf(rollups.get("US"))).toEqual(new Set([10, 11]));
    await publishing;
  });

  test("lets no second reader wait for figures in vain", async () => {
    using home = openLarge();
    const gate = Promise.withResolvers<string>();
    const clock = () => START;
    const compute = () => gate.promise;
    const rollups = new CompanyRollups(home.market, clock, { ...SERVING, compute });
    const timers = spyOn(globalThis, "setTimeout");
    await expectError(async () => rollups.prepare(["US"], new Patience(clock, 1)), "unavailable");
    await expectError(async () => rollups.prepare(["US"]), "unavailable");
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([1, 0]);
    timers.mockRestore();
    gate.reject(new Error("the thread has ended"));
    await rollups.update();
    await rollups.prepare(["US"]);
    expect(rollups.get("US").list.length).toBe(MANY.length);
  });

  test("shows the previous figures to a reader for whom the changes take too long", async () => {
    using home = openLarge();
    const late = { ...SERVING, patienceMs: 0 };
    const { rollups } = openRollups(home.market, late);
    await rollups.update();
    home.market.put("quotes", [quote("S7", 11)], SAMPLE);
    await rollups.prepare(["US"]);
    expect(rollups.get("US").list.length).toBe(MANY.length);
    await rollups.update();
    expect(pricesOf(rollups.get("US"))).toEqual(new Set([10, 11]));
  });
});

test("a company without bars has price changes from its recent closes, until its bars are stored", () => {
  using home = openTwo();
  const { market } = home;
  const { companyOf } = openRollups(market);
  expect(companyOf("AAPL").performance["1m"]).toBeNull();
  const closes = {
    country: "US",
    symbol: "AAPL",
    from: "2025-11-10",
    days: [0, 8, 367],
    closes: [4, 5, 8],
  };
  market.put("recentCloses", [{ ...closes, country: "US" }], { source: "closer", storedAt: 5 });
  // The quote is 10, on 2026-11-19. Closes: 4 on 2025-11-10, 5 on 2025-11-18, 8 on 2026-11-12.
  expect(companyOf("AAPL").performance).toMatchObject({ "1w": 25, "1y": 100 });
  expect(companyOf("AAPL").from).toContainEqual({ source: "closer", storedAt: 5 });
  expect(companyOf("AAPL").year).toBeNull();
  market.put(
    "bars",
    [{ country: "US", symbol: "AAPL", bars: [bar("2026-11-10", 4), bar("2026-11-19", 10)] }],
    SAMPLE,
  );
  expect(companyOf("AAPL").performance).toMatchObject({ "1w": 150, "1y": null });
});

describe("the companies of a past day", () => {
  const DAY = "2026-11-12";
  const clock = () => Date.parse(DAY) + DAY_MS - 1;

  /** A market with an index and companies of a price, and their roll-ups on a past day. */
  function openPast(count: number) {
    const home = openTestMarket();
    const { market } = home;
    const symbols = Array.from({ length: count }, (_, i) => `S${i}`);
    const put = (symbol: string, ...bars: DailyBar[]) =>
      market.put("bars", [{ country: "US", symbol, bars }], SAMPLE);
    market.transaction(() => {
      const index = stock("US", "^GSPC", { assetType: "index" });
      market.put("instruments", [index, ...symbols.map((symbol) => stock("US", symbol))], SAMPLE);
      for (const symbol of ["^GSPC", ...symbols])
        put(symbol, bar("2026-11-11", 9), bar(DAY, 10), bar("2026-11-13", 11));
    });
    const asked: string[] = [];
    const { rollups } = openRollups(market, {
      ...SERVING,
      async compute(companies) {
        asked.push(...companies.symbols);
        const { day } = companies;
        const computed = computeForThread(day ? market.asKnownOn(day) : market, companies);
        await nextTurn();
        await nextTurn();
        return computed;
      },
    });
    const past = rollups.onDay(market.asKnownOn(DAY), clock);
    return { ...home, put, past, asked };
  }

  test("are computed here and in another thread, and are equal", async () => {
    const { past, asked, market, [Symbol.dispose]: close } = openPast(120);
    await past.prepare(["US"]);
    expect(asked.length).toBeGreaterThan(50);
    expect(asked.length).toBeLessThan(120);
    const here = new CompanyRollups(market.asKnownOn(DAY), clock);
    await here.prepare(["US"]);
    const figuresOf = (rollups: CompanyRollups) =>
      rollups
        .get("US")
        .list.map(({ instrument, newest, performance, year }) => ({
          instrument,
          newest,
          performance,
          year,
        }))
        .toSorted((a, b) => a.instrument.id - b.instrument.id);
    expect(figuresOf(past)).toEqual(figuresOf(here));
    expect(figuresOf(past).map(({ newest }) => newest?.close)).toEqual(Array(120).fill(10));
    close();
  });

  test("are computed again if their records changed, but not after a later close of the index", async () => {
    const { past, asked, put, [Symbol.dispose]: close } = openPast(30);
    await past.prepare(["US"]);
    const [first, ...others] = past.get("US").list;
    const closesOf = () => past.get("US").list.map(({ newest }) => newest?.close);
    asked.length = 0;
    put("^GSPC", bar("2026-11-16", 12));
    expect(past.prepare(["US"])).toBeUndefined();
    expect(past.get("US").list[0] === first).toBe(true);
    put("S0", bar(DAY, 7));
    await past.prepare(["US"]);
    expect(closesOf().filter((close) => close === 7)).toHaveLength(1);
    expect(past.get("US").list.map((company, i) => company === others[i - 1])).toEqual([
      false,
      ...others.map(() => true),
    ]);
    // Another close of the index before the day changes every beta.
    put("^GSPC", bar("2026-11-10", 8));
    expect(past.prepare(["US"])).toBeInstanceOf(Promise);
    await past.prepare(["US"]);
    expect(past.get("US").list.some((company) => others.includes(company))).toBe(false);
    close();
  });

  test("are the previous ones while many are computed again, after a wait", async () => {
    const { past, market, [Symbol.dispose]: close } = openPast(60);
    await past.prepare(["US"]);
    const previous = past.get("US");
    using late = spyOn(market, "asKnownOn");
    late.mockImplementation(() => {
      throw new Error("The thread is busy.");
    });
    market.transaction(() =>
      market.put(
        "instruments",
        Array.from({ length: 60 }, (_, i) => stock("US", `S${i}`)),
        {
          ...SAMPLE,
          storedAt: START,
        },
      ),
    );
    expect(past.prepare(["US"], new Patience(() => START))).toBeInstanceOf(Promise);
    expect(past.get("US")).toBe(previous);
    await past.update(["US"]);
    expect(past.get("US")).not.toBe(previous);
    close();
  });
});
