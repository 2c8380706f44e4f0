import { describe, expect, test } from "bun:test";
import { wholeYearsAfter } from "#analytics/dividend-check.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { Split } from "#domain/split.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";
import { createHolidayFinder } from "#ingest/plausibility.ts";
import { stock, listResults } from "../support/market.ts";
import { barsFrom, fakeFetcher, keyOf, openRefresher, quote } from "../support/refresher.ts";

const DAY = 86_400_000;
const AAPL = stock("US", "AAPL");
const traded = (date: string, rows: readonly (readonly [number, number])[]): DailyBar[] =>
  barsFrom(date, ...rows.map(([close]) => close)).map((bar, i) => ({
    ...bar,
    volume: rows[i]?.[1] ?? null,
  }));
/** Thirty days from 2026-10-22 to 2026-11-20 at about 100, a million shares a day. */
const USUAL = traded(
  "2026-10-22",
  Array.from({ length: 30 }, (_, i) => [i % 2 === 0 ? 100 : 101, 1e6]),
);
const history = (bars: readonly DailyBar[]) => [
  { country: "US" as const, symbol: "AAPL", bars: [...bars] },
];

/** A market with the usual bars of AAPL, and a source whose answers a test replaces. */
async function openBars() {
  const fetcher = fakeFetcher("alpha", "bars", () => history(USUAL));
  const home = openRefresher([fetcher]);
  home.list(AAPL);
  const key = keyOf("bars", "AAPL");
  await home.refresh(key);
  const id = home.market.instruments.find(AAPL)?.id ?? -1;
  return {
    home,
    fetcher,
    closes: () => [...home.market.bars.series(id, 99).close],
    answer: async (bars: readonly DailyBar[]) => {
      home.time.now += 3 * DAY;
      fetcher.respond = () => history(bars);
      await home.refresh(key);
      return home.market.fetches.findError("alpha", key);
    },
  };
}
const usualCloses = USUAL.map(({ close }) => close);

describe("a close of a currency pair", () => {
  test("that is far from the central bank's rate is not stored, and named", async () => {
    const days = barsFrom("2026-11-16", 155, 156, 1.57, 158);
    const fetcher = fakeFetcher("alpha", "bars", () => [
      { country: "JP" as const, symbol: "JPY=X", bars: days },
    ]);
    using home = openRefresher([{ ...fetcher, countries: ["JP"] }]);
    home.list({ ...stock("JP", "JPY=X"), assetType: "currency" });
    const observations = days.map(({ date }, i) => ({ period: date, value: 155 + i }));
    const rates = {
      country: "JP" as const,
      category: "money" as const,
      id: "ecb-usdjpy",
      name: "ECB rate, USD/JPY",
      unit: "JPY",
      decimals: 2,
      observations,
    };
    home.market.transaction(() =>
      home.market.put("macroSeries", [rates], { source: "frankfurter", storedAt: home.time.now }),
    );
    const key = { kind: "bars", country: "JP", symbol: "JPY=X" } as const;
    await home.refresh(key);
    const id = home.market.instruments.find(key)?.id ?? -1;
    expect([...home.market.bars.series(id, 9).close]).toEqual([155, 156, 158]);
    expect(home.market.fetches.findError("alpha", key)).toBe(
      "Bad records left out: 1. Implausible: JPY=X: 2026-11-18, close 1.57 beside 158 of the European Central Bank.",
    );
  });
});

describe("a bar of −80 %", () => {
  test("is not stored; the stored bars stay, and sources and log name it once", async () => {
    const { home, closes, answer } = await openBars();
    using _ = home;
    const error = await answer(traded("2026-11-23", [[20, 5e6]]));
    expect(error).toBe(
      "Bad records left out: 1. Implausible: AAPL: 2026-11-23, close 20 after 101, like a split that is not known.",
    );
    expect(closes()).toEqual(usualCloses);
    expect((await listResults(home.market))[0]).toMatchObject({ lastError: error });
    // The next answer has the same fault, and the log has it once.
    await answer(traded("2026-11-23", [[20, 5e6]]));
    expect(home.logLines.filter(({ warning }) => warning === error)).toHaveLength(1);
  });

  test("that lasts is never stored behind the other level; after four weeks the source's whole history is", async () => {
    const { home, fetcher, closes, answer } = await openBars();
    using _ = home;
    // 101 dollars become 10,000 cents.
    const cents = traded(
      "2026-11-21",
      Array.from({ length: 40 }, () => [10_000, 1e6] as const),
    );
    for (const days of [1, 5, 6, 7, 21, 24]) {
      expect(await answer(cents.slice(0, days))).toContain(
        "close 10000 after 101, in another unit",
      );
      expect(closes()).toEqual(usualCloses);
      expect(fetcher.queries.at(-1)?.after).toBe("2026-11-20");
    }
    // Eighteen days later the source has corrected its answer.
    const corrected = cents.map((bar) => ({ ...bar, open: 100, high: 100, low: 100, close: 100 }));
    home.time.now += 15 * DAY;
    expect(await answer([...USUAL, ...corrected])).toBeNull();
    expect(fetcher.queries.at(-1)?.after).toBeNull();
    expect(closes()).toEqual([...usualCloses, ...corrected.map(({ close }) => close)]);
  });

  test("that the whole history has too replaces the level before it", async () => {
    const { home, closes, answer } = await openBars();
    using _ = home;
    const cents = traded(
      "2026-11-21",
      Array.from({ length: 40 }, () => [10_000, 1e6] as const),
    );
    home.time.now += 39 * DAY;
    expect(await answer([...USUAL, ...cents])).toContain("close 10000 after 101, in another unit");
    expect(closes()).toEqual(cents.map(({ close }) => close));
  });

  test("is stored with the history divided as soon as the split is known", async () => {
    const { home, closes, answer } = await openBars();
    using _ = home;
    const splits = [{ exDate: "2026-11-23", numerator: 5, denominator: 1 }];
    home.market.put("splits", [{ country: "US", symbol: "AAPL", splits }], {
      source: "beta",
      storedAt: home.time.now,
    });
    expect(await answer(traded("2026-11-23", [[20.1, 5e6]]))).toBeNull();
    expect(closes()).toEqual([...usualCloses.map((close) => close / 5), 20.1]);
  });

  test("cuts a whole history that shows it for weeks, until the split is known and the history fetched again", async () => {
    // Prices before a split of 5 for 1 are not adjusted.
    const newer = traded(
      "2026-11-21",
      Array.from({ length: 25 }, (_, i) => [20 + 0.2 * (i % 2), 5e6] as const),
    );
    const fetcher = fakeFetcher("alpha", "bars", () => history([...USUAL, ...newer]));
    using home = openRefresher([fetcher]);
    home.list(AAPL);
    const key = keyOf("bars", "AAPL");
    home.time.now += 30 * DAY;
    await home.refresh(key);
    const id = home.market.instruments.find(AAPL)?.id ?? -1;
    const closes = () => [...home.market.bars.series(id, 99).close];
    expect(closes()).toEqual(newer.map(({ close }) => close));
    const [added] = traded("2026-12-16", [[20, 5e6]]);
    fetcher.respond = () => history(added ? [added] : []);
    home.time.now += 3 * DAY;
    await home.refresh(key);
    expect(fetcher.queries.at(-1)?.after).toBe("2026-12-15");

    const splits = [{ exDate: "2026-11-23", numerator: 5, denominator: 1 }];
    home.market.put("splits", [{ country: "US", symbol: "AAPL", splits }], {
      source: "beta",
      storedAt: home.time.now + DAY,
    });
    fetcher.respond = () => history([...USUAL, ...newer, ...(added ? [added] : [])]);
    home.time.now += 3 * DAY;
    await home.refresh(key);
    expect(fetcher.queries.at(-1)?.after).toBeNull();
    expect(closes()).toEqual([
      ...usualCloses.map((close) => close / 5),
      ...newer.map(({ close }) => close),
      20,
    ]);
    // Once is enough.
    home.time.now += 3 * DAY;
    await home.refresh(key);
    expect(fetcher.queries.at(-1)?.after).toBe("2026-12-16");
  });

  test("is stored at once with forty times the volume", async () => {
    const { home, closes, answer } = await openBars();
    using _ = home;
    expect(await answer(traded("2026-11-23", [[20, 4e7]]))).toBeNull();
    expect(closes()).toEqual([...usualCloses, 20]);
  });
});

test("a known split divides all stored bars, however many there are and whenever it is known", async () => {
  const { home, closes, answer } = await openBars();
  using _ = home;
  const old = traded(
    "2026-05-01",
    Array.from({ length: 174 }, (_, i) => [i % 2 === 0 ? 100 : 101, 1e6]),
  );
  await answer(old);
  const splits = [{ exDate: "2026-10-22", numerator: 5, denominator: 1 }];
  home.market.put("splits", [{ country: "US", symbol: "AAPL", splits }], {
    source: "beta",
    storedAt: home.time.now,
  });
  await answer(
    traded(
      "2026-10-22",
      Array.from({ length: 30 }, () => [20, 5e6]),
    ),
  );
  expect(home.market.bars.count(home.market.instruments.find(AAPL)?.id ?? -1)).toBe(174 + 30);
  expect(new Set(closes())).toEqual(new Set([20, 20.2]));
});

test("holidays are found in each of several histories, also after the first one's last day", () => {
  using home = openRefresher([]);
  const findHolidays = createHolidayFinder(home.market);
  // Christmas was a Wednesday in 2024 and a Thursday in 2025.
  const days = ["2024-12-24", "2024-12-25", "2025-12-24", "2025-12-25"];
  const bars = days.flatMap((day) => barsFrom(day, 100));
  expect(findHolidays(AAPL, bars.slice(0, 2))).toEqual(["2024-12-25"]);
  expect(findHolidays(AAPL, bars)).toEqual(["2024-12-25", "2025-12-25"]);
  expect(findHolidays(AAPL, bars.slice(0, 1))).toEqual([]);
  expect(findHolidays(AAPL, [])).toEqual([]);
});

describe("a split", () => {
  test.each([
    [50, 1],
    [1, 100],
    [1, 1_000],
    [1, 10_000],
    [105, 100],
    [3, 2],
    [1_281, 1_000],
  ])("of %p:%p is stored", async (numerator, denominator) => {
    const splits = [{ exDate: "2026-10-22", numerator, denominator }];
    expect((await fetchSplits(splits)).stored).toEqual(splits);
  });

  test.each([
    [1e9, 1, "above 20000:1"],
    [20_001, 1, "above 20000:1"],
    [1, 20_001, "below 1:20000"],
    [1e-300, 1, "below 1:20000"],
  ])("of %p:%p leaves the splits unknown", async (numerator, denominator, limit) => {
    const wrong = { exDate: "2026-10-22", numerator, denominator };
    const right = { exDate: "2020-08-31", numerator: 4, denominator: 1 };
    expect(await fetchSplits([right, wrong])).toEqual({
      stored: undefined,
      error: `Bad records left out: 1. Implausible: AAPL: 2026-10-22, ratio ${numerator}:${denominator}, ${limit}.`,
    });
  });

  async function fetchSplits(splits: readonly Split[]) {
    const record = { country: "US" as const, symbol: "AAPL", splits: [...splits] };
    using home = openRefresher([fakeFetcher("alpha", "splits", () => [record])]);
    home.list(AAPL);
    const key = keyOf("splits", "AAPL");
    await home.refresh(key);
    const stored = home.market.documents.find("splits", "US", "AAPL")?.splits;
    return { stored, error: home.market.fetches.findError("alpha", key) };
  }
});

test("a close of a hundred times its neighbours in a whole answer leaves the stored bar", async () => {
  const { home, closes, answer } = await openBars();
  using _ = home;
  const wrong = USUAL.map((bar, i) => (i === 10 ? { ...bar, close: 10_000, high: 10_000 } : bar));
  expect(await answer(wrong)).toContain("close 10000 after 101 and back again");
  expect(closes()).toEqual(usualCloses);
});

test("recent closes, quotes and dividends are checked too", async () => {
  const closes = fakeFetcher(
    "alpha",
    "recentCloses",
    () => [
      {
        country: "US",
        symbol: "AAPL",
        from: "2026-11-16",
        days: [0, 1, 2, 3, 4],
        closes: [100, 101, 9_900, 100, 99],
      },
    ],
    { scope: "country" },
  );
  const quotes = fakeFetcher("alpha", "quotes", () => [quote("AAPL", 100, { previousClose: 1 })]);
  const dividends = fakeFetcher("alpha", "dividends", () => [
    {
      country: "US",
      symbol: "AAPL",
      dividends: [
        { exDate: "2025-02-01", amount: 0.2 },
        { exDate: "2025-05-01", amount: 20 },
        { exDate: "2025-08-01", amount: 0.2 },
      ],
    },
  ]);
  using home = openRefresher([closes, quotes, dividends]);
  home.list(AAPL);
  await home.refresh(keyOf("recentCloses"));
  await home.refresh(keyOf("quotes", "AAPL"));
  await home.refresh(keyOf("dividends", "AAPL"));
  const { documents } = home.market;
  expect(documents.find("recentCloses", "US", "AAPL")).toMatchObject({
    days: [0, 1, 3, 4],
    closes: [100, 101, 100, 99],
  });
  expect(documents.find("quotes", "US", "AAPL")).toBeNull();
  expect(documents.find("dividends", "US", "AAPL")?.dividends).toHaveLength(2);
});

describe("dividends in another currency than the prices", () => {
  const paid = (currency: string, ...days: string[]) =>
    fakeFetcher("alpha", "dividends", () => [
      {
        country: "US",
        symbol: "AAPL",
        dividends: days.map((exDate) => ({ exDate, amount: 0.9, currency })),
      },
    ]);
  /** Refreshes the dividends in a market with 1.5 CAD a dollar in November 2024, and 0.8 dollars a pound. */
  async function stored(fetcher: ReturnType<typeof paid>) {
    using home = openRefresher([fetcher]);
    const pairs = { "CAD=X": 1.5, "GBPUSD=X": 0.8 };
    home.list(AAPL, ...Object.keys(pairs).map((symbol) => stock("US", symbol)));
    const bars = Object.entries(pairs).map(([symbol, rate]) => ({
      country: "US" as const,
      symbol,
      bars: barsFrom("2024-11-01", rate),
    }));
    home.market.put("bars", bars, { source: "beta", storedAt: home.time.now });
    const key = keyOf("dividends", "AAPL");
    await home.refresh(key);
    const record = home.market.documents.find("dividends", "US", "AAPL");
    return [record?.dividends ?? null, home.market.fetches.findError("alpha", key)] as const;
  }

  test("are converted at the rate of their ex-date", async () => {
    // 0.9 CAD / 1.5 CAD a dollar, and 0.9 pounds × 0.8 dollars a pound.
    const day = "2024-11-15";
    expect(await stored(paid("CAD", day))).toEqual([[{ exDate: day, amount: 0.6 }], null]);
    expect(await stored(paid("GBP", day))).toEqual([[{ exDate: day, amount: 0.72 }], null]);
    expect(await stored(paid("USD", day))).toEqual([[{ exDate: day, amount: 0.9 }], null]);
    // 0.9 pence are 0.009 pounds, and 0.9 cents are 0.009 dollars.
    for (const pence of ["GBp", "GBX"])
      expect(await stored(paid(pence, day))).toEqual([[{ exDate: day, amount: 0.0072 }], null]);
    expect(await stored(paid("USX", day))).toEqual([[{ exDate: day, amount: 0.009 }], null]);
  });

  test("without a rate of that day are left out with a reason, and all before them", async () => {
    expect(await stored(paid("ZMW", "2024-11-15"))).toEqual([
      null,
      "Bad records left out: 1. Implausible: AAPL: dividend 0.9 ZMW on 2024-11-15, and no rate to USD is stored for that day.",
    ]);
    // Before the first rate, and so long after the last one that it may have stopped.
    for (const day of ["2024-10-31", "2025-03-01"])
      expect((await stored(paid("CAD", day)))[0]).toBeNull();
  });
});

test("dividends that came with the bars are checked by them, and explain their moves", async () => {
  // A dividend of 60 explains the fall from 101 to 41, and one of 200 is no dividend.
  const fall = traded("2026-11-21", [[41, 1e6]]);
  const dividends = [
    { exDate: "2026-11-10", amount: 200 },
    { exDate: "2026-11-21", amount: 60 },
  ];
  const fetcher = {
    ...fakeFetcher("alpha", "bars", () => history([...USUAL, ...fall])),
    others: () => [
      {
        kind: "dividends" as const,
        records: [{ country: "US" as const, symbol: "AAPL", dividends }],
      },
    ],
  };
  using home = openRefresher([fetcher, fakeFetcher("alpha", "dividends", () => [])]);
  home.list(AAPL);
  await home.refresh(keyOf("bars", "AAPL"));
  const { documents, bars, instruments } = home.market;
  expect(bars.count(instruments.find(AAPL)?.id ?? -1)).toBe(31);
  expect(documents.find("dividends", "US", "AAPL")?.dividends).toEqual(dividends.slice(1));
});

test("a history of dividends begins with the year after the last unknown one", () => {
  const days = ["2022-03-01", "2022-09-01", "2023-03-01", "2024-03-01"];
  const dividends = days.map((exDate) => ({ exDate, amount: 1 }));
  const after = (date: string) =>
    wholeYearsAfter({ country: "US", symbol: "AAPL", dividends }, date)?.dividends ?? null;
  expect(after("2022-03-01")).toEqual(dividends.slice(2));
  // The twelve months before the newest one may lack a dividend of 2023.
  expect(after("2023-01-02")).toBeNull();
});

/** A fiscal year of an invented company. */
const statement = (fiscalYear: number, items: Partial<Statement["items"]>): Statement => ({
  country: "US",
  symbol: "AAPL",
  span: "year",
  fiscalYear,
  fiscalQuarter: 4,
  periodEnd: `${fiscalYear}-09-30`,
  filedOn: `${fiscalYear}-10-30`,
  sharesAsOf: `${fiscalYear}-10-30`,
  currency: "USD",
  items: {
    ...NO_ITEMS,
    totalDebt: 40,
    totalLiabilities: 100,
    netIncome: 100,
    sharesDiluted: 50,
    epsDiluted: 2,
    ...items,
  },
});

test("a doubled debt and a retold EPS are null beside the stored statements", async () => {
  const fetcher = fakeFetcher("alpha", "statements", () => [
    statement(2024, {}),
    statement(2025, {}),
  ]);
  using home = openRefresher([fetcher]);
  home.list(AAPL);
  const key = keyOf("statements", "AAPL");
  await home.refresh(key);
  home.time.now += 30 * DAY;
  fetcher.respond = () => [statement(2026, { totalDebt: 80, epsDiluted: 40 })];
  await home.refresh(key);
  const [newest] = home.market.statements.list(AAPL).toReversed();
  expect(newest?.items).toMatchObject({ totalDebt: null, epsDiluted: null, netIncome: 100 });
  expect(home.market.fetches.findError("alpha", key)).toContain("totalDebt 80 after 40");
});

test("amounts in thousands lose, whatever the source; sources and log say why once", async () => {
  const millions = { netIncome: 100e6, sharesDiluted: 50e6 };
  const fetcher = fakeFetcher("alpha", "statements", () => [
    statement(2025, { ...millions, netIncome: 100e3 }),
  ]);
  using home = openRefresher([fetcher]);
  // The number of shares and the price of other sources confirm 2 dollars for each of 50 million.
  home.list({ ...AAPL, sharesOutstanding: 51e6 });
  home.market.put("quotes", [quote("AAPL", 40)], { source: "beta", storedAt: home.time.now });
  const key = keyOf("statements", "AAPL");
  for (let i = 0; i < 2; i++) {
    await home.refresh(key);
    home.time.now += 30 * DAY;
  }
  expect(home.market.statements.list(AAPL)[0]?.items).toMatchObject({
    netIncome: null,
    epsDiluted: 2,
    sharesDiluted: 50e6,
  });
  const error =
    "Bad records left out: 3. Implausible: AAPL: 2025-09-30, netIncome 100000 is not epsDiluted 2 × sharesDiluted 50000000.";
  expect((await listResults(home.market))[0]).toMatchObject({ lastError: error });
  expect(home.logLines.filter(({ warning }) => warning === error)).toHaveLength(1);
});
