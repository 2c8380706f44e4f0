import { expect, test } from "bun:test";
import { METRICS } from "#analytics/metrics.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import type { Quote } from "#domain/quote.ts";
import { flatBar, openTestMarket, SAMPLE, stock } from "../support/market.ts";

/** Friday, 20 November 2026, after the session. */
const NOW = Date.parse("2026-11-20T22:00Z");
const NAMES = [
  "change_1_session_ago",
  "change_2_sessions_ago",
  "change_3_sessions_ago",
  "change_4_sessions_ago",
] as const;

const DAYS = ["12", "13", "16", "17", "18", "19"];

function openMarket() {
  const home = openTestMarket();
  const { market } = home;
  const rollups = new CompanyRollups(market, () => NOW);
  const putBars = (
    symbol: string,
    closes: readonly number[],
    { storedAt = SAMPLE.storedAt } = {},
  ) => {
    const bars = closes.map((close, i) => {
      const date = `2026-11-${DAYS[i]}`;
      return flatBar(date, close, 1);
    });
    market.put("bars", [{ country: "US", symbol, bars }], { ...SAMPLE, storedAt });
  };
  const putQuote = (symbol: string, date: string, price: number, previousClose: number) => {
    const quote: Quote = {
      country: "US",
      symbol,
      date,
      price,
      previousClose,
      volume: null,
      marketCap: null,
      epsTtm: null,
      priceToBook: null,
      dividendYieldPercent: null,
    };
    market.put("quotes", [quote], SAMPLE);
  };
  market.put(
    "instruments",
    [stock("US", "A"), stock("US", "^GSPC", { assetType: "index", primaryListing: false })],
    SAMPLE,
  );
  const read = async (currency = "USD") => {
    await rollups.update();
    const company = rollups.get("US").bySymbol.get("A");
    if (!company) throw new Error("A is not a company");
    const figures = new ConvertedCompanies(market, currency);
    return NAMES.map((name) => figures.read(METRICS[name], company)).map(
      (change) => change && Math.round(change * 100) / 100,
    );
  };
  return { ...home, [Symbol.dispose]: () => home[Symbol.dispose](), putBars, putQuote, read };
}

const INDEX = [1_000, 1_001, 1_002, 1_003, 1_004, 1_005];

test("move by a session when the index has a quote of a newer one, also without a record of the company", async () => {
  using market = openMarket();
  market.putBars("^GSPC", INDEX);
  market.putBars("A", [100, 110, 99, 99, 198, 99]);
  // The newest session is the 19th: 198 / 99 − 1, 99 / 99 − 1, 99 / 110 − 1, 110 / 100 − 1.
  expect(await market.read()).toEqual([100, 0, -10, 10]);
  market.putQuote("^GSPC", "2026-11-20", 1_006, 1_005);
  // 99 / 198 − 1 is now the change of one session ago.
  expect(await market.read()).toEqual([-50, 100, 0, -10]);
  market.putQuote("A", "2026-11-20", 50, 99);
  expect(await market.read()).toEqual([-50, 100, 0, -10]);
});

test("are unknown if a session of the index may be missing", async () => {
  using market = openMarket();
  market.putBars("^GSPC", INDEX.slice(0, 5));
  market.putBars("A", [100, 110, 99, 99, 198, 99]);
  // The bars end on the 18th: a session of the 19th is not known.
  market.putQuote("^GSPC", "2026-11-20", 1_006, 1_005);
  expect(await market.read()).toEqual([null, null, null, null]);
});

test("a split after the closes changes nothing, and one that is not stored makes them unknown", async () => {
  using market = openMarket();
  market.putBars("^GSPC", INDEX);
  market.putQuote("^GSPC", "2026-11-20", 1_006, 1_005);
  // In the shares of the 19th.
  market.putBars("A", [1_000, 1_100, 990, 990, 1_980, 990], {
    storedAt: Date.parse("2026-11-19T22:00Z"),
  });
  expect(await market.read()).toEqual([-50, 100, 0, -10]);
  // 90 / 99 − 1 in new shares, of which ten are one old share.
  market.putQuote("A", "2026-11-20", 90, 99);
  expect(await market.read()).toEqual([null, null, null, null]);
  const splits = [{ exDate: "2026-11-20", numerator: 10, denominator: 1 }];
  market.market.put("splits", [{ country: "US", symbol: "A", splits }], SAMPLE);
  expect(await market.read()).toEqual([-50, 100, 0, -10]);
});

test("in another currency have the rates of their days", async () => {
  using market = openMarket();
  market.putBars("^GSPC", INDEX);
  market.putBars("A", [100, 110, 99, 99, 198, 99]);
  market.market.put(
    "instruments",
    [stock("US", "JPY=X", { assetType: "currency", primaryListing: false })],
    SAMPLE,
  );
  market.putBars("JPY=X", [100, 100, 100, 100, 150, 150]);
  // 198 · 150 / (99 · 100) − 1; the others have the same rate on both days.
  expect(await market.read("JPY")).toEqual([200, 0, -10, 10]);
});
