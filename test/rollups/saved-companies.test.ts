import { Database } from "bun:sqlite";
import { describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { COUNTRIES, COUNTRY_CODES } from "#domain/country.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { CompanyRollups, type CompanyRollupsOptions } from "#rollups/company-rollups.ts";
import { CompanyHistory } from "#rollups/company-history.ts";
import { computeForThread, saveCompanies } from "#rollups/saved-companies.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import type { MarketStore } from "#store/index.ts";
import { expectError } from "../support/error.ts";
import { openTestMarket, SAMPLE, stock } from "../support/market.ts";
import { quote as newestQuote } from "../support/refresher.ts";
import { openSampleMarket, START } from "../support/service.ts";

const DAY_MS = 86_400_000;
const BUILD = "a build";

const quote = (symbol: string, price: number) => newestQuote(symbol, price, { date: "2026-11-19" });

/** The roll-ups of one process, and how many companies it computed. */
function startProcess(
  market: MarketStore,
  { now = START, ...options }: Partial<CompanyRollupsOptions> & { now?: number } = {},
) {
  const reads = spyOn(market.instruments, "find");
  reads.mockClear();
  const rollups = new CompanyRollups(market, () => now, {
    servesPrevious: true,
    findBuild: () => BUILD,
    ...options,
  });
  // Each computed company is looked up, and the index of its country.
  const isCompany = (key: InstrumentKey) => key.symbol !== COUNTRIES[key.country].indexSymbol;
  return {
    rollups,
    computed: () => reads.mock.calls.filter(([key]) => isCompany(key)).length,
  };
}

const SYMBOLS = Array.from({ length: 600 }, (_, i) => `S${i}`);

/** A market whose figures a process has saved: enough companies to be worth it. */
async function openSaved() {
  const home = openTestMarket();
  home.market.put(
    "instruments",
    SYMBOLS.map((symbol) => stock("US", symbol)),
    SAMPLE,
  );
  home.market.put(
    "quotes",
    SYMBOLS.map((symbol) => quote(symbol, 10)),
    SAMPLE,
  );
  const { rollups } = startProcess(home.market);
  await rollups.update();
  await rollups.save();
  return home;
}

const closesOf = (rollups: CompanyRollups) =>
  rollups.get("US").list.map(({ newest }) => newest?.close);

/** A change of −0 % is saved as 0. */
const withoutMinusZero = (value: unknown): unknown => {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(withoutMinusZero);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, one]) => [key, withoutMinusZero(one)]);
  return Object.fromEntries(entries);
};

const longFiguresOf = ({ history }: CompanyMetrics) =>
  history instanceof CompanyHistory ? history.known : null;

/** The paths of all fields of a value, without the numbers of list items. */
function fieldsOf(value: unknown, path = ""): string[] {
  if (value === null || typeof value !== "object") return [path];
  return Object.entries(value).flatMap(([key, one]) =>
    fieldsOf(one, Array.isArray(value) ? path : `${path}.${key}`),
  );
}

describe("saved figures", () => {
  test("equal computed figures, as do figures of several years", async () => {
    const { market, close } = openSampleMarket();
    const { rollups: first } = startProcess(market, {
      compute: async (companies) => computeForThread(market, companies),
    });
    await first.update();
    await first.save();
    const { rollups: next, computed } = startProcess(market);
    await next.update();
    expect(computed()).toBe(0);
    for (const country of COUNTRY_CODES) {
      const [read, made] = [next, first].map((one) => one.get(country).list.map(withoutMinusZero));
      // Much faster than `toEqual`, which finds the difference of two lists.
      expect(Bun.deepEquals(read, made, true)).toBe(true);
      const [readLong, madeLong] = [next, first].map((one) =>
        one.get(country).list.map((company) => withoutMinusZero(longFiguresOf(company))),
      );
      expect(readLong).not.toContain(null);
      expect(Bun.deepEquals(readLong, madeLong, true)).toBe(true);
      expect(next.get(country).statistics).toEqual(first.get(country).statistics);
      expect(next.get(country).asOf).toBe(first.get(country).asOf);
    }
    close();
  });

  test("of companies that changed since are computed again", async () => {
    using home = await openSaved();
    home.market.put("quotes", [quote("S7", 11)], SAMPLE);
    home.market.put("instruments", [stock("US", "NEW")], SAMPLE);
    const { rollups, computed } = startProcess(home.market);
    await rollups.prepare(["US"]);
    expect(computed()).toBe(2);
    expect(closesOf(rollups).filter((close) => close !== 10)).toEqual([11, undefined]);
  });

  test("are computed again after the index has other closes, not after its quote", async () => {
    using home = openTestMarket();
    const { market } = home;
    const put = (close: number) => {
      const bars = [{ date: "2026-11-19", open: 1, high: 9, low: 1, close, volume: null }];
      market.put("bars", [{ country: "US", symbol: "^GSPC", bars }], SAMPLE);
    };
    const index = stock("US", "^GSPC", { assetType: "index" });
    market.put("instruments", [index, ...SYMBOLS.map((symbol) => stock("US", symbol))], SAMPLE);
    put(5);
    const { rollups } = startProcess(market);
    await rollups.update();
    await rollups.save();
    const computed = async () => {
      const next = startProcess(market);
      await next.rollups.update();
      return next.computed();
    };
    market.put("quotes", [quote("^GSPC", 11)], SAMPLE);
    expect(await computed()).toBe(0);
    put(6);
    expect(await computed()).toBe(SYMBOLS.length);
  });

  test("of a removed instrument are left out", async () => {
    using home = await openSaved();
    const other = new Database(join(home.folder, "market.db"));
    other.run("PRAGMA foreign_keys = ON");
    other.run("DELETE FROM instruments WHERE symbol = 'S7'");
    other.close();
    const { rollups } = startProcess(home.market);
    await rollups.update();
    expect(rollups.get("US").list.length).toBe(SYMBOLS.length - 1);
  });

  test.each([
    ["another program", { findBuild: () => "another build" }, "2026-11-20"],
    ["yesterday", { now: START + DAY_MS }, "2026-11-21"],
    ["a month ago", { now: START + 30 * DAY_MS }, "2026-12-20"],
  ])("of %s are served until all are computed again", async (_, options, today) => {
    using home = await openSaved();
    home.market.put(
      "quotes",
      SYMBOLS.map((symbol) => quote(symbol, 11)),
      SAMPLE,
    );
    const gate = Promise.withResolvers<void>();
    const { rollups, computed } = startProcess(home.market, {
      ...options,
      compute: async (companies) => {
        await gate.promise;
        return computeForThread(home.market, companies);
      },
      patienceMs: 0,
    });
    const updated = rollups.update();
    while (!rollups.areComplete) await Bun.sleep(1);
    await rollups.prepare(["US"]);
    expect(rollups.get("US").asOf).toBe("2026-11-20");
    expect(new Set(closesOf(rollups))).toEqual(new Set([10]));
    gate.resolve();
    await updated;
    expect(rollups.get("US").asOf).toBe(today);
    expect(new Set(closesOf(rollups))).toEqual(new Set([11]));
    expect(computed()).toBe(SYMBOLS.length);
  });

  test("have a number of their form, which rises with each change of their fields", async () => {
    const { market, close } = openSampleMarket();
    const of = { country: "US", symbols: ["AAPL"], now: START, day: null } as const;
    const [company] = JSON.parse(computeForThread(market, of));
    close();
    const fields = [...new Set(fieldsOf(company))].toSorted().join();
    let state = "";
    const save = async (text: string) => void (state = text);
    const none = { build: BUILD, now: START, change: 0, inputs: {} };
    await saveCompanies(save, none, { US: [], JP: [], VN: [] });
    // If the fields differ: raise FORM of saved-companies.ts, and write the new pair here.
    expect([JSON.parse(state).form, Bun.hash.crc32(fields)]).toEqual([4, 2876512612]);
  });

  test("of another form are not read", async () => {
    using home = await openSaved();
    const other = new Database(join(home.folder, "market.db"));
    const state = "CAST(replace(CAST(body AS TEXT), 'form', 'was') AS BLOB)";
    other.run(`UPDATE company_figures SET body = ${state} WHERE country = ''`);
    other.close();
    const { rollups, computed } = startProcess(home.market);
    await rollups.update();
    expect(computed()).toBe(SYMBOLS.length);
  });

  test.each([
    ["a country", "country = 'US' AND part = 1"],
    ["their state", "country = ''"],
  ])("that are damaged in the row of %s are computed again", async (_, row) => {
    using home = await openSaved();
    const other = new Database(join(home.folder, "market.db"));
    other.run(`UPDATE company_figures SET body = x'00' WHERE ${row}`);
    other.close();
    const { rollups, computed } = startProcess(home.market);
    await rollups.update();
    expect(computed()).toBe(SYMBOLS.length);
    expect(new Set(closesOf(rollups))).toEqual(new Set([10]));
  });

  test("are computed again if another process saves while they are read: no company is lost", async () => {
    using home = await openSaved();
    using file = new Database(join(home.folder, "market.db"));
    // The save of a round may still be in its last step.
    file.run("PRAGMA busy_timeout = 5000");
    const keep = (name: string) =>
      file.run(`CREATE TEMP TABLE ${name} AS SELECT * FROM company_figures`);
    const replace = (from: string) =>
      file.run(`DELETE FROM company_figures; INSERT INTO company_figures SELECT * FROM ${from}`);
    keep("earlier");
    const { rollups: other } = startProcess(home.market);
    await other.update();
    file.run("PRAGMA foreign_keys = ON");
    file.run("DELETE FROM instruments WHERE symbol = 'S7'");
    await other.update();
    // The first company of the second part is now the last one of the first part.
    const { list } = other.get("US");
    const state = { build: BUILD, now: START, change: SYMBOLS.length * 3, inputs: {} };
    const save = async (...figures: Parameters<typeof home.market.figures.replace>) =>
      home.market.transaction(() => home.market.figures.replace(...figures));
    await saveCompanies(save, state, { US: list, JP: [], VN: [] });
    keep("later");
    replace("earlier");

    const { rollups } = startProcess(home.market);
    const { figures } = home.market;
    const findPart = figures.findPart.bind(figures);
    spyOn(figures, "findPart").mockImplementationOnce((country, part) => {
      const found = findPart(country, part);
      replace("later");
      return found;
    });
    await rollups.update();
    const symbols = rollups.get("US").list.map(({ instrument }) => instrument.symbol);
    expect(symbols.toSorted()).toEqual(SYMBOLS.filter((symbol) => symbol !== "S7").toSorted());
  });

  test("are not read if they are of a later day, or of yesterday in a command", async () => {
    using home = await openSaved();
    for (const options of [
      { now: START + DAY_MS, servesPrevious: false },
      { now: START - DAY_MS },
    ]) {
      const { rollups } = startProcess(home.market, options);
      await rollups.prepare(["US"]);
      expect(rollups.get("US").asOf).toBe(new Date(options.now).toISOString().slice(0, 10));
    }
  });

  test("are written once in ten minutes, and before a stop, if enough companies changed", async () => {
    using home = await openSaved();
    const writes = spyOn(home.market.figures, "replace");
    const time = { now: START };
    const rollups = new CompanyRollups(home.market, () => time.now, {
      servesPrevious: true,
      findBuild: () => BUILD,
    });
    const change = async (price: number, count: number) => {
      const symbols = SYMBOLS.slice(0, count);
      home.market.put(
        "quotes",
        symbols.map((symbol) => quote(symbol, price)),
        SAMPLE,
      );
      await rollups.update();
    };
    await change(11, 600);
    await rollups.save();
    expect(writes).toHaveBeenCalledTimes(1);
    await change(12, 600);
    await rollups.save();
    expect(writes).toHaveBeenCalledTimes(1);
    time.now += 600_000;
    await rollups.save();
    expect(writes).toHaveBeenCalledTimes(2);
    await change(13, 499);
    await rollups.save({ all: true });
    expect(writes).toHaveBeenCalledTimes(2);
    await change(14, 1);
    await rollups.save({ all: true });
    expect(writes).toHaveBeenCalledTimes(3);
    const { rollups: next, computed } = startProcess(home.market);
    await next.update();
    expect([computed(), next.get("US").list[0]?.newest?.close]).toEqual([0, 14]);
  });
});

describe("a reader of a service", () => {
  test("is told when to try again if the figures take longer than it can wait", async () => {
    using home = openTestMarket();
    home.market.put(
      "instruments",
      SYMBOLS.map((symbol) => stock("US", symbol)),
      SAMPLE,
    );
    const { rollups } = startProcess(home.market, { patienceMs: 0 });
    expect(rollups.areComplete).toBe(false);
    const error = await expectError(async () => rollups.prepare(["US"]), "unavailable");
    expect(error.details.retryAfterSeconds).toBe(5);
    await rollups.update();
    expect(rollups.areComplete).toBe(true);
    await rollups.prepare(["US"]);
    expect(rollups.get("US").list.length).toBe(SYMBOLS.length);
  });
});
