import { afterAll, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import type { Instrument } from "#domain/instrument.ts";
import { addDays } from "#lib/date.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { NEWEST_SESSION } from "../support/contract-market.ts";
import { flatBar, instrument, SAMPLE } from "../support/market.ts";

const BEFORE = addDays(NEWEST_SESSION, -1);
const world = openHandMade({ filled: false });
afterAll(() => world.close());

/** Stores a share with closes of the newest sessions, the last one on `NEWEST_SESSION`. */
function list(
  country: Country,
  symbol: string,
  closes: readonly number[],
  details: Partial<Instrument> = {},
) {
  const bars = closes.map((close, i) =>
    flatBar(addDays(NEWEST_SESSION, i + 1 - closes.length), close, 1_000),
  );
  world.market.put("instruments", [instrument(country, symbol, details)], SAMPLE);
  world.market.put("bars", [{ country, symbol, bars }], SAMPLE);
}
const pay = (country: Country, symbol: string, ...exDates: string[]) =>
  world.market.put(
    "dividends",
    [{ country, symbol, dividends: exDates.map((exDate) => ({ exDate, amount: 1 })) }],
    SAMPLE,
  );

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly reasons?: Readonly<Record<string, readonly string[]>>;
}
const METRICS = "reference_price,ceiling_price,floor_price";
async function limitsOf(symbol: string, args: object = {}) {
  const { columns, rows, reasons } = await world.answer<Table>("compare_stocks", {
    symbols: symbol,
    metrics: METRICS,
    ...args,
  });
  return {
    values: METRICS.split(",").map((name) => rows[0]?.[columns.indexOf(name)]),
    reasons: Object.keys(reasons ?? {}),
  };
}
const none = [null, null, null];

test("limits count from the close before, today and on a past day", async () => {
  list("VN", "HSX", [24_000, 25_300, 26_000], { exchange: "HOSE" });
  pay("VN", "HSX", "2026-09-01");
  // 25,300 · 1.07 = 27,071 and · 0.93 = 23,529; 24,000: 25,680 and 22,320; ticks of 50.
  expect((await limitsOf("VN:HSX")).values).toEqual([25_300, 27_050, 23_550]);
  const past = await limitsOf("VN:HSX", { known_on: BEFORE });
  expect(past.values).toEqual([24_000, 25_650, 22_350]);
});

test("an ex-date moves the reference in Viet Nam, not in Tokyo", async () => {
  list("VN", "EXD", [25_300, 26_000], { exchange: "HOSE" });
  pay("VN", "EXD", NEWEST_SESSION);
  expect(await limitsOf("VN:EXD")).toEqual({ values: none, reasons: ["not_published"] });
  list("JP", "7203", [3_500, 3_450]);
  pay("JP", "7203", NEWEST_SESSION);
  // Below 5,000 yen 700.
  expect((await limitsOf("JP:7203")).values).toEqual([3_500, 4_200, 2_800]);
});

test("limits are unknown while dividends in Viet Nam are, after a split, a pause or a wider limit", async () => {
  list("VN", "NODIV", [25_300, 26_000], { exchange: "HOSE" });
  expect((await limitsOf("VN:NODIV")).values).toEqual(none);
  list("VN", "UPC", [12_700, 12_800], { exchange: "UPCOM" });
  pay("VN", "UPC");
  expect(await limitsOf("VN:UPC")).toEqual({ values: none, reasons: ["not_published"] });
  list("JP", "6501", [3_500, 3_450]);
  const splits = [{ exDate: NEWEST_SESSION, numerator: 2, denominator: 1 }];
  world.market.put("splits", [{ country: "JP", symbol: "6501", splits }], SAMPLE);
  expect((await limitsOf("JP:6501")).values).toEqual(none);
  // One that is announced changes no price yet.
  const announced = [{ exDate: "2026-12-29", numerator: 2, denominator: 1 }];
  list("JP", "6507", [3_500, 3_450]);
  world.market.put("splits", [{ country: "JP", symbol: "6507", splits: announced }], SAMPLE);
  expect((await limitsOf("JP:6507")).values).toEqual([3_500, 4_200, 2_800]);
  // From 3,500 to 4,250 is more than 700.
  list("JP", "6502", [3_500, 4_250]);
  expect((await limitsOf("JP:6502")).values).toEqual(none);
  world.market.put("instruments", [instrument("JP", "6503")], SAMPLE);
  const bars = [addDays(NEWEST_SESSION, -3), NEWEST_SESSION].map((date) => flatBar(date, 3_500));
  world.market.put("bars", [{ country: "JP", symbol: "6503", bars }], SAMPLE);
  expect((await limitsOf("JP:6503")).values).toEqual(none);
});

test("a limit that Tokyo may have widened is unknown, and the other one is not", async () => {
  // 900 + 150 and 1,050 + 300 are limits.
  list("JP", "6504", [900, 1_050, 1_350, 1_400]);
  expect((await limitsOf("JP:6504")).values).toEqual([1_350, null, 1_050]);
  list("JP", "6505", [901, 1_050, 1_350, 1_400]);
  expect((await limitsOf("JP:6505")).values).toEqual([1_350, null, 1_050]);
  list("JP", "6506", [920, 1_050, 1_350, 1_400]);
  expect((await limitsOf("JP:6506")).values).toEqual([1_350, 1_650, 1_050]);
  list("JP", "1466", [683, 783, 800], { assetType: "etf" });
  expect((await limitsOf("JP:1466")).values).toEqual([783, null, 633]);
});

test("New York has no limits", async () => {
  list("US", "FREE", [10, 20]);
  expect(await limitsOf("US:FREE")).toEqual({ values: none, reasons: ["not_applicable"] });
  const { overview } = await world.answer<{ overview: object }>("get_stock_overview", {
    country: "US",
    symbol: "FREE",
  });
  expect(Object.keys(overview)).not.toContain("Ceiling price");
});

test("a share at its limit is found by a screen, in any currency", async () => {
  list("VN", "UP", [25_300, 27_050], { exchange: "HOSE" });
  pay("VN", "UP");
  list("VN", "DOWN", [25_300, 23_550], { exchange: "HOSE" });
  pay("VN", "DOWN");
  list("VN", "VND=X", [25_000, 25_000], { assetType: "currency" });
  const found = async (where: string, currency?: string) => {
    const args = { country: "VN", where, metrics: "price", ...(currency && { currency }) };
    const { columns, rows } = await world.answer<Table>("screen_stocks", args);
    return rows.map((row) => row[columns.indexOf("symbol")]);
  };
  expect(await found("below_ceiling<=0")).toEqual(["UP"]);
  expect(await found("below_ceiling<=0", "USD")).toEqual(["UP"]);
  expect(await found("cách giá sàn<=0")).toEqual(["DOWN"]);
  // 27,050 and 25,300 dong at 25,000 dong a dollar.
  const { values } = await limitsOf("VN:UP", { currency: "USD" });
  expect(values.slice(0, 2)).toEqual([1.012, 1.082]);
});

test("the sectors of a country name how its companies traded in the newest session", async () => {
  // Suspended the day before.
  list("VN", "OLD", [10_000, 10_000], { exchange: "HOSE" });
  world.market.put(
    "bars",
    [{ country: "VN", symbol: "OLD", bars: [flatBar(BEFORE, 10_000)] }],
    SAMPLE,
  );
  const { breadth } = await world.answer<{ breadth: object }>("get_sectors", {
    country: "VN",
    columns: "stocks",
  });
  // HSX, EXD, NODIV and UPC rose. UP is at its ceiling, DOWN at its floor. Each traded 1,000 shares.
  const closes = [26_000, 26_000, 26_000, 12_800, 27_050, 23_550];
  expect(breadth).toEqual({
    advancers: 5,
    decliners: 1,
    unchanged: 0,
    unknown: 1,
    at_ceiling: 1,
    at_floor: 1,
    traded_value: 1_000 * closes.reduce((sum, close) => sum + close, 0),
    traded_value_of: 6,
  });
  const ofUs = await world.answer<{ breadth: object }>("get_sectors", {
    country: "US",
    columns: "stocks",
  });
  expect(ofUs.breadth).toEqual({
    advancers: 1,
    decliners: 0,
    unchanged: 0,
    unknown: 0,
    traded_value: 20_000,
    traded_value_of: 1,
  });
});

test("a quote that names the limits of its session is right for UPCoM and on an ex-date", async () => {
  list("VN", "BSR", [12_700, 12_800], { exchange: "UPCOM" });
  list("VN", "EXQ", [25_300, 24_500], { exchange: "HOSE" });
  pay("VN", "EXQ", NEWEST_SESSION);
  const quote = (symbol: string, price: number, limits: number[], date = NEWEST_SESSION) => {
    const [reference = 0, ceiling = 0, floor = 0] = limits;
    const none = { volume: null, marketCap: null, epsTtm: null, previousClose: null } as const;
    const ratios = { priceToBook: null, dividendYieldPercent: null } as const;
    const named = { limits: { reference, ceiling, floor } };
    world.market.put(
      "quotes",
      [{ country: "VN", symbol, date, price, ...none, ...ratios, ...named }],
      SAMPLE,
    );
  };
  // 12,750 is an average; 12,750 · 1.15 = 14,662 and · 0.85 = 10,838.
  quote("BSR", 12_800, [12_750, 14_600, 10_900]);
  quote("EXQ", 24_500, [24_300, 26_000, 22_600]);
  expect((await limitsOf("VN:BSR")).values).toEqual([12_750, 14_600, 10_900]);
  expect((await limitsOf("VN:EXQ")).values).toEqual([24_300, 26_000, 22_600]);
  // Of another session than the newest price.
  quote("BSR", 12_700, [12_750, 14_600, 10_900], BEFORE);
  expect((await limitsOf("VN:BSR")).values).toEqual(none);
});

test("the last day with a dividend is the session before, also beside a holiday by decree", async () => {
  list("VN", "CUM", [10_000, 10_000], { exchange: "HOSE" });
  // Monday 2026-12-21, behind Friday 18.
  pay("VN", "CUM", "2026-12-21");
  const last = async () => {
    const args = { symbols: "VN:CUM", metrics: "last_cum_date" };
    const { rows } = await world.answer<Table>("compare_stocks", args);
    return rows[0]?.at(-1);
  };
  expect(await last()).toBe("2026-12-18");
  const decree = { country: "VN", date: "2026-12-18", name: "Bridge day", closed: true } as const;
  world.market.put("holidayOverrides", [decree], SAMPLE);
  expect(await last()).toBe("2026-12-17");
});
