import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { COUNTRY_CODES } from "#domain/country.ts";
import type { Quote } from "#domain/quote.ts";
import { IMPORT } from "#domain/records.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";
import {
  type Company,
  getCompany,
  listCompanies,
  prepareAllCompanies,
  prepareCompanies,
} from "#rollups/companies.ts";
import { type MarketStore, openMarket } from "#store/index.ts";
import { openTestMarket, SAMPLE, stock } from "../support/market.ts";
import { copySampleMarket, START, temporaryFolder } from "../support/service.ts";

const DAY_MS = 86_400_000;

const quote = (symbol: string, price: number): Quote => ({
  country: "US",
  symbol,
  date: "2026-11-19",
  price,
  previousClose: null,
  volume: null,
  marketCap: null,
  epsTtm: null,
  priceToBook: null,
  dividendYieldPercent: null,
});

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

/** More than a request is left to compute. */
const MANY = Array.from({ length: 520 }, (_, i) => stock("JP", String(1_000 + i)));

const bar = (date: string, close: number) => ({
  date,
  open: close,
  high: close,
  low: close,
  close,
  volume: 1,
});

/** AAPL and MSFT with a price each, and a fund. */
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

function companyOf(market: MarketStore, symbol: string, now = START): Company {
  const found = listCompanies(market, "US", now).list.find(
    ({ instrument }) => instrument.symbol === symbol,
  );
  if (!found) throw new Error(`${symbol} is no company`);
  return found;
}

describe("the companies of a country", () => {
  test("have to the digit the figures that each has when it is asked for alone", () => {
    const { folder, remove } = temporaryFolder();
    copySampleMarket(folder);
    const market = openMarket(folder);
    for (const country of COUNTRY_CODES) {
      const { list } = listCompanies(market, country, START);
      expect(list.length).toBeGreaterThan(50);
      for (const company of list) {
        const instrument = market.instruments.findById(company.instrument.id);
        if (!instrument) throw new Error("a company without an instrument");
        const { fundamentals, performance, newest } = getCompany(market, instrument, START);
        expect(company).toMatchObject({ fundamentals, performance, newest });
      }
    }
    market.close();
    remove();
  });

  test("are computed once, and again only where something of theirs was stored", () => {
    using home = openTwo();
    const { market } = home;
    const [apple, microsoft] = [companyOf(market, "AAPL"), companyOf(market, "MSFT")];
    market.setSetting("a", "1");
    market.put("quotes", [quote("AAPL", 11)], SAMPLE);
    expect(companyOf(market, "AAPL").newest?.close).toBe(11);
    expect(companyOf(market, "MSFT")).toBe(microsoft);
    expect(companyOf(market, "AAPL")).not.toBe(apple);
    expect(listCompanies(market, "US", START)).toBe(listCompanies(market, "US", START));
  });

  const CHANGES: [string, (market: MarketStore) => void, (company: Company) => unknown, unknown][] =
    [
      [
        "its listing",
        (market) => market.put("instruments", [stock("US", "AAPL", { sector: "energy" })], SAMPLE),
        ({ instrument }) => instrument.sector,
        "energy",
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
        // 1 a share of a price of 10.
        ({ fundamentals }) => fundamentals.dividendYieldPercent,
        10,
      ],
    ];
  test.each(CHANGES)(
    "follow %s, also where another process stored it",
    (_, store, read, wanted) => {
      for (const elsewhere of [false, true]) {
        using home = openTwo();
        expect(read(companyOf(home.market, "AAPL"))).not.toEqual(wanted);
        const other = elsewhere ? openMarket(home.folder) : home.market;
        other.transaction(() => store(other));
        if (elsewhere) other.close();
        expect(read(companyOf(home.market, "AAPL"))).toEqual(wanted);
      }
    },
  );

  test("follow bars that are added to bars", () => {
    using home = openTwo();
    const { market } = home;
    const add = (date: string, close: number) =>
      market.put("bars", [{ country: "US", symbol: "AAPL", bars: [bar(date, close)] }], SAMPLE);
    add("2026-11-19", 13);
    expect(companyOf(market, "AAPL").newest?.close).toBe(13);
    add("2026-11-20", 14);
    expect(companyOf(market, "AAPL").newest?.close).toBe(14);
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
    expect(companyOf(market, "AAPL").fundamentals.revenueTtm).toBe(7);
    const other = new Database(join(home.folder, "market.db"));
    other.run("PRAGMA foreign_keys = ON");
    other.run(sql);
    other.close();
    const after = companyOf(market, "AAPL");
    expect([after.fundamentals.revenueTtm, after.newest?.close]).toEqual([revenueTtm, close]);
  });

  test("are computed for the day that is asked for", () => {
    using home = openTwo();
    const { market } = home;
    market.put("statements", [{ ...statement("AAPL", 7), filedOn: "2026-11-21" }], SAMPLE);
    expect(companyOf(market, "AAPL").fundamentals.revenueTtm).toBeNull();
    expect(companyOf(market, "AAPL", START + DAY_MS).fundamentals.revenueTtm).toBe(7);
    expect(companyOf(market, "AAPL").fundamentals.revenueTtm).toBeNull();
  });

  test("are stocks and trusts, as they are listed by now", () => {
    using home = openTwo();
    const { market } = home;
    const symbols = () =>
      listCompanies(market, "US", START).list.map(({ instrument }) => instrument.symbol);
    expect(symbols()).toEqual(["AAPL", "MSFT"]);
    market.put("instruments", [stock("US", "AAPL", { assetType: "etf" })], SAMPLE);
    market.put("instruments", [stock("US", "SPY", { assetType: "reit" })], SAMPLE);
    expect(symbols()).toEqual(["MSFT", "SPY"]);
    expect(listCompanies(market, "JP", START).list).toEqual([]);
  });

  test("name of each source the oldest and the newest moment", () => {
    using home = openTwo();
    const { market } = home;
    const stamped = (storedAt: number) => ({ source: "quotes", storedAt });
    market.put("instruments", [stock("US", "NVDA")], SAMPLE);
    market.put("quotes", [quote("AAPL", 10)], stamped(7_000));
    market.put("quotes", [quote("MSFT", 20)], stamped(5_000));
    market.put("quotes", [quote("NVDA", 30)], stamped(9_000));
    expect(new Set(listCompanies(market, "US", START).from)).toEqual(
      new Set([SAMPLE, stamped(5_000), stamped(9_000)]),
    );
  });
});

describe("companies computed ahead", () => {
  test("are as many as was said, and the rest is left for whoever needs it", () => {
    using home = openTwo();
    const { market } = home;
    // AAPL, MSFT and SPY are new.
    expect(prepareCompanies(market, "US", START, 0)).toBe(3);
    expect(prepareCompanies(market, "US", START, 2)).toBe(1);
    const { list } = listCompanies(market, "US", START);
    expect(list.map(({ instrument }) => instrument.symbol)).toEqual(["AAPL", "MSFT"]);
    expect(prepareCompanies(market, "US", START, 0)).toBe(0);
  });

  test("leave no more to a request than five hundred of a country, day after day", async () => {
    using home = openTwo();
    const { market } = home;
    market.put("instruments", MANY, SAMPLE);
    const left = (now: number) =>
      COUNTRY_CODES.map((country) => prepareCompanies(market, country, now, 0));
    for (const now of [START, START + DAY_MS]) {
      // Of the US there are two stocks and a fund.
      expect(left(now)).toEqual([3, 520, 0]);
      await prepareAllCompanies(
        market,
        () => now,
        () => false,
      );
      expect(left(now)).toEqual([3, 500, 0]);
    }
  });

  test("stop when that is asked", async () => {
    using home = openTwo();
    const { market } = home;
    market.put("instruments", MANY, SAMPLE);
    await prepareAllCompanies(
      market,
      () => START,
      () => true,
    );
    expect(prepareCompanies(market, "JP", START, 0)).toBe(520);
  });
});
