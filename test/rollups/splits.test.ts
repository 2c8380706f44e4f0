import { expect, test } from "bun:test";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { flatBar, stock } from "../support/market.ts";
import { quote } from "../support/refresher.ts";

/*
 * NVIDIA's split of 10 for 1 on Monday 2024-06-10, day by day. Closes: 1,208.88 on Friday 7 June; 121.79 on
 * Monday. EPS of the four quarters to 2024-04-28 as filed on 29 May: 17.09; the same in new shares: 1.709.
 */
const NVDA = { country: "US", symbol: "NVDA" } as const;
const FILED = "2024-05-29";

const at = (date: string, time: string) => Date.parse(`${date}T${time}:00Z`);
const bar = (date: string, close: number) => flatBar(date, close, 1e6);

function year(epsDiluted: number, change: Partial<Statement>): Statement {
  return {
    ...NVDA,
    span: "year",
    fiscalYear: 2024,
    fiscalQuarter: 4,
    periodEnd: "2024-04-28",
    filedOn: FILED,
    currency: "USD",
    ...change,
    items: { ...NO_ITEMS, revenue: 79_774e6, netIncome: 42_598e6, epsDiluted },
  };
}

function openNvidia() {
  const home = openFolder();
  const time = { now: at("2024-06-07", "22:00") };
  const market = openMarket(home.path, () => time.now);
  const stored = () => ({ source: "yahoo", storedAt: time.now });
  market.put("instruments", [stock("US", "NVDA", { sharesOutstanding: 2_460e6 })], stored());
  market.put("statements", [year(17.09, { sharesAsOf: FILED })], stored());
  market.put(
    "bars",
    [{ ...NVDA, bars: [bar("2024-06-06", 1_209.98), bar("2024-06-07", 1_208.88)] }],
    stored(),
  );
  const rollups = new CompanyRollups(market, () => time.now);
  return {
    market,
    rollups,
    time,
    stored,
    split: () =>
      market.put(
        "splits",
        [{ ...NVDA, splits: [{ exDate: "2024-06-10", numerator: 10, denominator: 1 }] }],
        stored(),
      ),
    figures() {
      expect(rollups.prepare(["US"])).toBeUndefined();
      const [company] = rollups.get("US").list;
      const { fundamentals, newest, performance, changePercent, year: oneYear } = company ?? {};
      return {
        price: newest?.close,
        change: changePercent,
        week: performance?.["1w"],
        high: oneYear?.high,
        eps: fundamentals?.epsTtm,
        pe: fundamentals?.pe && Math.round(fundamentals.pe * 100) / 100,
        marketCap: fundamentals?.marketCap && Math.round(fundamentals.marketCap / 1e9),
      };
    },
    [Symbol.dispose]() {
      market.close();
      home[Symbol.dispose]();
    },
  };
}

// 1,208.88 / 17.09 = 70.74; 1,208.88 · 2.46 bn = 2,974 bn.
const FRIDAY = { price: 1_208.88, eps: 17.09, pe: 70.74, marketCap: 2_974 };

test("with the split known: the day before, the ex-date, and after the next filing", () => {
  using home = openNvidia();
  const { market, time, stored } = home;
  home.split();
  expect(home.figures()).toMatchObject(FRIDAY);
  // The ex-date before its session: the same company in new shares.
  time.now = at("2024-06-10", "08:00");
  expect(home.figures()).toMatchObject({ price: 120.888, eps: 1.709, pe: 70.74, marketCap: 2_974 });
  // During the session, by a quote in new shares: 121.79 / 1.709 = 71.26, 121.79 · 24.6 bn = 2,996 bn.
  time.now = at("2024-06-10", "19:00");
  const live = quote("NVDA", 121.79, { date: "2024-06-10", previousClose: 120.888 });
  market.put("quotes", [live], stored());
  const monday = { price: 121.79, eps: 1.709, pe: 71.26, marketCap: 2_996 };
  expect(home.figures()).toMatchObject({ ...monday, high: 121.79 });
  // After it, with the whole history in new shares.
  time.now = at("2024-06-10", "22:00");
  const bars = [bar("2024-06-06", 120.998), bar("2024-06-07", 120.888), bar("2024-06-10", 121.79)];
  market.put("bars", [{ ...NVDA, bars }], stored());
  expect(home.figures()).toMatchObject(monday);
  // The next filing states the same year in new shares, and the profile counts them.
  time.now = at("2024-08-29", "12:00");
  market.put("statements", [year(1.709, { sharesAsOf: "2024-08-28" })], stored());
  market.put("instruments", [stock("US", "NVDA", { sharesOutstanding: 24_600e6 })], stored());
  expect(home.figures()).toMatchObject(monday);
});

test("a list of the morning of the ex-date counts the shares of the day before", () => {
  using home = openNvidia();
  const { market, time, stored } = home;
  home.split();
  const list = (sharesOutstanding: number) =>
    market.put("instruments", [stock("US", "NVDA", { sharesOutstanding })], stored());
  // New York opens at 13:30 UTC. Nasdaq's cap / last sale: 2,974 bn / 1,208.88 before, 2,996 bn / 121.79 after.
  time.now = at("2024-06-10", "08:00");
  list(2_460e6);
  expect(home.figures()).toMatchObject({ price: 120.888, marketCap: 2_974 });
  time.now = at("2024-06-10", "13:29");
  list(2_460e6);
  expect(home.figures()).toMatchObject({ price: 120.888, marketCap: 2_974 });
  time.now = at("2024-06-10", "13:30");
  list(24_600e6);
  expect(home.figures()).toMatchObject({ price: 120.888, marketCap: 2_974 });
});

test("a quote that shows an unknown split gives its own figures, and no figure in mixed shares", () => {
  using home = openNvidia();
  const { market, time, stored } = home;
  market.put("splits", [{ ...NVDA, splits: [] }], stored());
  expect(home.figures()).toMatchObject(FRIDAY);
  time.now = at("2024-06-10", "19:00");
  const live = quote("NVDA", 121.79, {
    date: "2024-06-10",
    previousClose: 120.888,
    marketCap: 2_996e9,
    epsTtm: 1.71,
  });
  market.put("quotes", [live], stored());
  // The market cap is the quote's; 121.79 / 1.71 = 71.22.
  expect(home.figures()).toMatchObject({ price: 121.79, eps: 1.71, marketCap: 2_996, week: null });
  expect(home.figures().high).toBeUndefined();
  expect(home.rollups.listUnknownSplits("US")).toEqual(["NVDA"]);
  expect(home.figures().pe).toBeWithin(70, 72);
  home.split();
  expect(home.figures()).toMatchObject({ eps: 1.709, pe: 71.26, marketCap: 2_996, high: 121.79 });
  expect(home.rollups.listUnknownSplits("US")).toEqual([]);
});
