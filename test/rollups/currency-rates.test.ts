import { afterAll, beforeAll, expect, test } from "bun:test";
import { multiplyPrices } from "#analytics/adjusted-prices.ts";
import type { Country } from "#domain/country.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { convertPrices, CurrencyRates } from "#rollups/currency-rates.ts";
import { pricesOf } from "#rollups/prices.ts";
import { instrument, openTestMarket, SAMPLE } from "../support/market.ts";
import { quote } from "../support/refresher.ts";

let home: ReturnType<typeof openTestMarket>;
const bar = (date: string, close: number): DailyBar => ({
  date,
  open: close,
  high: 2 * close,
  low: close / 2,
  close,
  volume: 10,
});
function put(
  country: Country,
  symbol: string,
  closes: Readonly<Record<string, number>>,
  known: Partial<Instrument> = {},
): void {
  home.market.put("instruments", [instrument(country, symbol, known)], SAMPLE);
  const bars = Object.entries(closes).map(([date, close]) => bar(date, close));
  home.market.put("bars", [{ country, symbol, bars }], SAMPLE);
}
beforeAll(() => {
  home = openTestMarket();
  // Thursday, Friday and Monday.
  put("JP", "JPY=X", { "2024-05-02": 150, "2024-05-03": 160, "2024-05-06": 125 });
  put("US", "EURUSD=X", { "2024-05-03": 1.25, "2024-05-06": 1.6 });
  put("VN", "VND=X", { "2024-05-06": 25_316 });
  const coin = { assetType: "cryptocurrency", currency: "USD" } as const;
  put(
    "US",
    "COIN",
    { "2024-05-01": 9, "2024-05-04": 10, "2024-05-05": 20, "2024-05-06": 30 },
    coin,
  );
  put("JP", "1", { "2024-05-01": 900, "2024-05-02": 1_500, "2024-05-06": 1_500 });
});
afterAll(() => home[Symbol.dispose]());

const rates = () => new CurrencyRates(home.market);
const pricesIn = (country: Country, symbol: string, to: string, all = rates()) => {
  const found = home.market.instruments.find({ country, symbol });
  if (!found) throw new Error(`no ${symbol}`);
  const newest = home.market.documents.find("quotes", country, symbol);
  return convertPrices(pricesOf(home.market, found, newest), found, all, to);
};

test("the rate of a day is the last one at or before it: direct, inverse and cross through the dollar", () => {
  const all = rates();
  expect(all.findOn("USD", "JPY", "2024-05-03")).toBe(160);
  expect(all.findOn("JPY", "USD", "2024-05-03")).toBe(1 / 160);
  expect(all.findOn("EUR", "USD", "2024-05-05")).toBe(1.25);
  expect(all.findOn("USD", "EUR", "2024-05-06")).toBe(1 / 1.6);
  // 160 yen and 0.8 euros a dollar: 200 yen a euro.
  expect(all.findOn("EUR", "JPY", "2024-05-04")).toBe(200);
  // A dollar is 100 cents, in which corn is quoted.
  expect(all.findOn("USX", "JPY", "2024-05-02")).toBe(1.5);
  // 1 / 25,316 = 0.0000395007…
  expect(all.findOn("VND", "USD", "2024-06-01")).toBeCloseTo(3.95007e-5, 10);
  expect(all.find("EUR", "JPY")).toBe(200);
  expect(all.find("JPY", "USD")).toBe(1 / 125);
});

test("a day before the first rate is unknown, and so is a currency without a pair", () => {
  const all = rates();
  expect([...all.list("JPY", "EUR", ["2024-05-01", "2024-05-02", "2024-05-03"])]).toEqual([
    Number.NaN,
    Number.NaN,
    0.8 / 160,
  ]);
  expect(all.find("USD", "CHF")).toBeNull();
  expect(all.findOn("USD", "CHF", "2024-05-03")).toBeNull();
  // The euro's rates begin a day after the yen's.
  expect(all.used).toEqual([
    {
      from: "JPY",
      to: "EUR",
      first: { rate: 0.8 / 160, date: "2024-05-03" },
      last: { rate: 0.8 / 160, date: "2024-05-03" },
      begins: "2024-05-03",
    },
    { from: "USD", to: "CHF", first: null, last: null, begins: null },
  ]);
});

test("lists the oldest and the newest rate that was used", () => {
  const all = rates();
  all.findOn("USD", "JPY", "2024-05-05");
  all.findOn("USD", "JPY", "2024-05-02");
  all.find("JPY", "JPY");
  expect(all.used).toEqual([
    {
      from: "USD",
      to: "JPY",
      first: { rate: 150, date: "2024-05-02" },
      last: { rate: 160, date: "2024-05-03" },
      begins: null,
    },
  ]);
  expect(all.from).toEqual([SAMPLE]);
});

test("each close has the rate of its own day, on weekends that of Friday", () => {
  const coin = pricesIn("US", "COIN", "JPY");
  const { dates, close } = coin.list("2024-01-01", "2024-12-31");
  expect(dates).toEqual(["2024-05-04", "2024-05-05", "2024-05-06"]);
  // 10 and 20 dollars at Friday's 160 yen, 30 at Monday's 125.
  expect([...close]).toEqual([1_600, 3_200, 3_750]);
  expect(coin.newest).toMatchObject({ close: 3_750, previousClose: 3_200, volume: 10 });
  expect(coin.findClose("2024-05-02")).toBeNull();
  expect(pricesIn("US", "COIN", "USD").list("2024-01-01", "2024-12-31").dates).toHaveLength(4);
});

test("a flat price in yen moves in dollars", () => {
  const { newest, findClose } = pricesIn("JP", "1", "USD");
  expect(newest).toMatchObject({ date: "2024-05-06", close: 12, previousClose: 10 });
  expect(findClose("2024-05-05")).toEqual({ date: "2024-05-02", close: 10 });
});

test("the previous close of a quote without stored closes is one of the session before", () => {
  home.market.put("instruments", [instrument("US", "QUOTED")], SAMPLE);
  // The session before Monday the 6th is Friday the 3rd, at 160 yen.
  home.market.put("quotes", [quote("QUOTED", 8, { date: "2024-05-06", previousClose: 5 })], SAMPLE);
  expect(pricesIn("US", "QUOTED", "JPY").newest).toMatchObject({
    close: 1_000,
    previousClose: 800,
  });
});

test("prices of bars are converted, volumes are not", () => {
  const found = home.market.instruments.find({ country: "JP", symbol: "1" });
  const bars = home.market.bars.series(found?.id ?? 0, 10);
  const converted = multiplyPrices(bars, rates().list("JPY", "USD", bars.dates));
  expect([converted.open, converted.high, converted.low].map((all) => all[1])).toEqual([10, 20, 5]);
  expect([...converted.close]).toEqual([Number.NaN, 10, 12]);
  expect([...converted.volume]).toEqual([10, 10, 10]);
});
