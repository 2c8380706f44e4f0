import { describe, expect, test } from "bun:test";
import {
  applyToBars,
  applyToCloses,
  rawAdjustment,
  totalAdjustment,
} from "#analytics/adjusted-prices.ts";
import type { Closes } from "#analytics/price-statistics.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { yahooBars } from "#sources/yahoo/bars.ts";
import { liveQuery, transformed } from "../support/fetcher.ts";
import { instrument } from "../support/market.ts";
import { hasRecordings, recordedJson, recordedText } from "../support/recordings.ts";

const TODAY = "2026-11-20";
const closesOf = (...rows: [date: string, close: number][]): Closes => ({
  dates: rows.map(([date]) => date),
  close: Float64Array.from(rows, ([, close]) => close),
});
const rounded = (closes: Closes) => [...closes.close].map((close) => Number(close.toPrecision(10)));

describe("prices as traded", () => {
  const splits = [
    { exDate: "2014-06-09", numerator: 7, denominator: 1 },
    { exDate: "2020-08-31", numerator: 4, denominator: 1 },
    { exDate: "2030-01-02", numerator: 2, denominator: 1 },
  ];

  test("are those of each day: Apple closed at 645.57 on 2014-06-06 and 499.23 on 2020-08-28", () => {
    // Split-adjusted: 645.57 / 28 = 23.05607, 499.23 / 4 = 124.8075. The ex-date has the new price.
    const closes = closesOf(
      ["2014-06-06", 645.57 / 28],
      ["2014-06-09", 93.7 / 4],
      ["2020-08-28", 124.8075],
      ["2020-08-31", 129.04],
    );
    expect(rounded(applyToCloses(closes, rawAdjustment(splits, TODAY)))).toEqual([
      645.57, 93.7, 499.23, 129.04,
    ]);
  });

  test("have the volume of their day: prices up, shares down, and a reverse split the other way", () => {
    const column = (value: number) => Float64Array.of(value, value);
    const bars: BarSeries = {
      dates: ["2020-08-28", "2020-08-31"],
      open: column(125),
      high: column(130),
      low: column(120),
      close: column(124),
      volume: Float64Array.of(400, 500),
    };
    const raw = applyToBars(bars, rawAdjustment(splits, TODAY));
    expect([raw.open, raw.high, raw.low, raw.close].map((one) => one[0])).toEqual([
      500, 520, 480, 496,
    ]);
    expect([...raw.volume]).toEqual([100, 500]);
    const reverse = [{ exDate: "2020-08-31", numerator: 1, denominator: 10 }];
    const before = applyToBars(bars, rawAdjustment(reverse, TODAY));
    expect([before.close[0], before.volume[0]]).toEqual([12.4, 4_000]);
  });

  test("are the stored ones without splits", () => {
    const closes = closesOf(["2026-01-02", 10]);
    expect(rounded(applyToCloses(closes, rawAdjustment([], TODAY)))).toEqual([10]);
  });
});

describe("total-return prices", () => {
  const closes = closesOf(
    ["2026-01-05", 100],
    ["2026-01-06", 98],
    ["2026-01-07", 99],
    ["2026-01-08", 50],
  );
  const adjusted = (...dividends: [exDate: string, amount: number][]) => {
    const adjustment = totalAdjustment(
      closes,
      dividends.map(([exDate, amount]) => ({ exDate, amount })),
    );
    return adjustment && rounded(applyToCloses(closes, adjustment));
  };

  test("count each later dividend as a share of the close before it", () => {
    // 100 · (1 − 2 / 100) = 98: the dividend of 2 pays for the fall of 2.
    expect(adjusted(["2026-01-06", 2])).toEqual([98, 98, 99, 50]);
    // 1 − 9.9 / 99 = 0.9 as well; an ex-date without a session counts for the days before it.
    expect(adjusted(["2026-01-06", 2], ["2026-01-08", 9.9])).toEqual([88.2, 88.2, 89.1, 50]);
    expect(adjusted(["2026-01-04", 2])).toEqual([100, 98, 99, 50]);
  });

  test("are the prices themselves without dividends between the first and the newest close", () => {
    expect(adjusted()).toEqual([100, 98, 99, 50]);
    expect(adjusted(["2025-12-01", 2], ["2026-01-05", 2], ["2026-01-09", 2])).toEqual([
      100, 98, 99, 50,
    ]);
  });

  test("add up two dividends of one day, and are unknown if they are the whole price", () => {
    expect(adjusted(["2026-01-06", 1], ["2026-01-06", 1])).toEqual([98, 98, 99, 50]);
    expect(adjusted(["2026-01-06", 60], ["2026-01-06", 40])).toBeNull();
  });

  test("return what reinvested dividends return, simulated day by day", () => {
    const dividends = [
      { exDate: "2026-01-07", amount: 1.5 },
      { exDate: "2026-01-08", amount: 40 },
    ];
    let shares = 1;
    for (const [i, date] of closes.dates.entries()) {
      const paid = dividends.find(({ exDate }) => exDate === date);
      const before = closes.close[i - 1] ?? Number.NaN;
      // The dividend buys shares at the close before the ex-date less the dividend.
      if (paid) shares *= 1 + paid.amount / (before - paid.amount);
    }
    const adjustment = totalAdjustment(closes, dividends);
    if (!adjustment) throw new Error("unknown");
    const { close } = applyToCloses(closes, adjustment);
    const last = closes.close.at(-1) ?? Number.NaN;
    expect((close.at(-1) ?? 0) / (close[0] ?? 0)).toBeCloseTo((shares * last) / 100, 12);
  });
});

describe.skipIf(!hasRecordings)(
  "Yahoo's adjusted closes in recordings are total-return prices",
  () => {
    /** The largest relative difference between our total-return closes and the adjusted ones of the answer. */
    function largestError(path: string, symbol: string, country: "US" | "JP", today: string) {
      const raw = recordedJson(path);
      const [result] = raw.chart.result;
      const about = instrument(country, symbol);
      const query = liveQuery({ today: `${today}T12:00Z`, instrument: about });
      const [history] = transformed("bars", yahooBars, { whole: true, answer: raw }, query);
      const others = yahooBars.others?.({ whole: true, answer: raw }, query) ?? [];
      const paid = others.flatMap((one) => (one.kind === "dividends" ? one.records : []))[0];
      const bars = history?.bars ?? [];
      const closes = closesOf(...bars.map(({ date, close }): [string, number] => [date, close]));
      const adjustment = totalAdjustment(closes, paid?.dividends ?? []);
      if (!adjustment) throw new Error("unknown");
      const total = applyToCloses(closes, adjustment);
      const zone = country === "JP" ? 9 : -4;
      const theirs = new Map<string, number>(
        (result.timestamp as number[]).map((time, i) => [
          new Date((time + zone * 3_600) * 1_000).toISOString().slice(0, 10),
          result.indicators.adjclose[0].adjclose[i] as number,
        ]),
      );
      const errors = total.dates.map((date, i) => {
        const expected = theirs.get(date) ?? Number.NaN;
        return Math.abs((total.close[i] ?? 0) / expected - 1);
      });
      return { sessions: errors.length, paid: paid?.dividends.length, error: Math.max(...errors) };
    }

    test("Apple, 1980 to 2022, with 75 dividends and five splits", () => {
      const found = largestError("yahoo/chart_2022_AAPL_ee55.json", "AAPL", "US", "2022-07-18");
      expect(found).toMatchObject({ sessions: 10_485, paid: 75 });
      // Dividends have six decimals: 0.000536 of the first one is known to a thousandth of itself.
      expect(found.error).toBeLessThan(2e-5);
    });

    test("6309.T, whose dividend and split of 3 for 1 have one ex-date", () => {
      const found = largestError(
        "yahoo/chart_6309.T_split_dividend.json",
        "6309",
        "JP",
        "2025-05-19",
      );
      expect(found).toMatchObject({ sessions: 18, paid: 1 });
      expect(found.error).toBeLessThan(1e-6);
    });

    test("4063.T, with a dividend of 55 on the ex-date of its split", () => {
      const [, ...lines] = recordedText("real-2/prices/4063-T-1d-bad-stock-split-fixed.csv")
        .trim()
        .split(/\r?\n/);
      const rows = lines.map((line) => line.split(",")).reverse();
      const closes = closesOf(
        ...rows.map((cells): [string, number] => [(cells[0] ?? "").slice(0, 10), Number(cells[4])]),
      );
      const adjustment = totalAdjustment(closes, [{ exDate: "2023-03-30", amount: 55 }]);
      if (!adjustment) throw new Error("unknown");
      const { close } = applyToCloses(closes, adjustment);
      for (const [i, cells] of rows.entries()) {
        const theirs = Number(cells[5]);
        // Their adjusted close of 29 March is rounded to 4151.
        expect(Math.abs((close[i] ?? 0) - theirs)).toBeLessThanOrEqual(0.5);
      }
      // As traded, 5 old shares of 28 March are one: 4,142 · 5 = 20,710.
      const split = { exDate: "2023-03-30", numerator: 5, denominator: 1 };
      const raw = applyToCloses(closes, rawAdjustment([split], TODAY));
      expect(raw.close[closes.dates.indexOf("2023-03-28")]).toBe(20_710);
    });
  },
);
