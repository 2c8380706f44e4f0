import { describe, expect, test } from "bun:test";
import { type BarEvidence, checkBars } from "#analytics/bar-check.ts";
import { dailyLimit } from "#analytics/daily-limits.ts";
import { repairBars } from "#analytics/split-repair.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { parseBars } from "#imports/bars-file.ts";
import { addDays, isWeekend } from "#lib/date.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const US = { country: "US", exchange: "NYSE", assetType: "stock" } as const;
const JP = { country: "JP", exchange: "TSE", assetType: "stock" } as const;
const VN = { country: "VN", exchange: "HOSE", assetType: "stock" } as const;

const evidence = (
  instrument: BarEvidence["instrument"],
  change: Partial<BarEvidence> = {},
): BarEvidence => ({ instrument, splits: null, dividends: [], quote: null, ...change });

/** Bars on weekdays that end on a date, each with one price: `[close, volume]`. */
function barsUntil(end: string, rows: readonly (readonly [number, number | null])[]): DailyBar[] {
  const bars: DailyBar[] = [];
  let date = addDays(end, 1);
  for (const [close, volume] of rows.toReversed()) {
    do date = addDays(date, -1);
    while (isWeekend(date));
    bars.unshift({ date, open: close, high: close, low: close, close, volume });
  }
  return bars;
}

/** Sessions with one volume. */
const at = (volume: number | null, ...closes: number[]) =>
  closes.map((close) => [close, volume] as const);

/** Thirty ordinary sessions: the price moves by 1 % up and down, and so does the volume. */
const calm = (close: number, volume: number | null = 1e6): [number, number | null][] =>
  Array.from({ length: 30 }, (_, i) => [
    close * (i % 2 === 0 ? 0.995 : 1.005),
    volume === null ? null : volume * (i % 2 === 0 ? 0.99 : 1.01),
  ]);

/** The closes after thirty calm sessions at `before` that are kept, and the reasons why others are not. */
function judged(
  before: number,
  rows: readonly (readonly [number, number | null])[],
  options: {
    of?: BarEvidence["instrument"];
    volume?: number | null;
    known?: Partial<BarEvidence>;
  } = {},
) {
  const { of = US, volume = 1e6, known = {} } = options;
  const history = barsUntil("2026-06-30", calm(before, volume));
  const added = barsUntil("2026-12-31", rows).map((bar, i) => ({
    ...bar,
    date: weekdayAfter("2026-06-30", i + 1),
  }));
  const { bars, faults } = checkBars(history, added, evidence(of, known));
  return {
    kept: bars.slice(history.length).map(({ close }) => close),
    faults: faults.map(({ reason }) => reason),
  };
}

function weekdayAfter(date: string, count: number): string {
  let day = date;
  for (let i = 0; i < count;) {
    day = addDays(day, 1);
    if (!isWeekend(day)) i++;
  }
  return day;
}

describe("a close of a hundred times its neighbours, or a hundredth", () => {
  // Yahoo's bars of 6098.T had one such close. High and low of a bar include its close.
  test.each([
    ["Tokyo", JP, 2_500],
    ["Tokyo, a million yen a share", JP, 1_000_000],
    ["Tokyo, an investment trust", { ...JP, assetType: "reit" } as const, 250_000],
    ["Tokyo, 30 yen", JP, 30],
    ["Tokyo, 2 yen", JP, 2],
    ["New York, 600,000 dollars a share", US, 600_000],
    ["New York, 2 cents", US, 0.02],
    ["Ho Chi Minh City, a million dong", VN, 1_000_000],
  ])("%s: in the middle, at the end, in a whole history, without volume", (_, of, price) => {
    for (const volume of [1e6, null])
      for (const wrong of [price * 100, price / 100]) {
        const one = [[wrong, volume]] as const;
        const after = calm(price, volume);
        expect(judged(price, [...one, ...after], { of, volume }).faults).toHaveLength(1);
        expect(judged(price, [...one, ...after], { of, volume }).kept).toHaveLength(30);
        expect(judged(price, one, { of, volume }).kept).toEqual([]);
        const whole = barsUntil("2026-06-30", [...calm(price, volume), ...one, ...after]);
        const { bars } = checkBars([], whole, evidence(of));
        expect(bars.map(({ date }) => date)).toEqual(
          whole.filter(({ close }) => close !== wrong).map(({ date }) => date),
        );
        const first = checkBars([], whole.slice(30), evidence(of));
        expect(first.bars).toHaveLength(30);
      }
  });
});

describe("a bar that cannot be stored", () => {
  test("80 % down with as many dollars traded as before: five new shares for one", () => {
    expect(judged(100, [[20, 5e6]])).toEqual({
      kept: [],
      faults: [expect.stringContaining("like a split that is not known")],
    });
  });

  test("80 % down without a volume waits for five more sessions", () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, i) => [20 + i / 10, null] as const);
    for (const count of [1, 2, 5])
      expect(judged(100, rows(count), { volume: null })).toEqual({
        kept: [],
        faults: [expect.stringContaining("waits for its confirmation")],
      });
    expect(judged(100, rows(6), { volume: null }).kept).toHaveLength(6);
  });

  test("one close a hundred times its neighbours, in the middle or at the end", () => {
    expect(judged(100, at(1e6, 10_000, 101, 102)).kept).toEqual([101, 102]);
    expect(judged(100, at(1e6, 101, 10_000)).kept).toEqual([101]);
    expect(judged(100, at(1e6, 101, 1, 102)).kept).toEqual([101, 102]);
  });

  test("several days in another unit, up to five", () => {
    expect(judged(100, at(1e6, 1, 1.01, 0.99, 100)).kept).toEqual([100]);
  });

  test("a high or a low that is ten times from both closes", () => {
    const [bar] = barsUntil("2026-07-01", [[100, 1e6]]) as [DailyBar];
    const history = barsUntil("2026-06-30", calm(100));
    for (const wrong of [{ high: 1_100 }, { low: 0.01 }])
      for (const before of [history, []])
        expect(checkBars(before, [{ ...bar, ...wrong }], evidence(US)).faults).toHaveLength(1);
  });

  test("of Tokyo: a move beyond four daily limits, also with a surge", () => {
    // At 400 yen the limit is 80 yen, so four limits are 320.
    const known = { splits: [] };
    expect(judged(400, [[800, 1e8]], { of: JP, known }).faults).toEqual([
      expect.stringContaining("the exchange's limits exclude"),
    ]);
    expect(judged(400, [[700, 1e8]], { of: JP, known }).faults).toEqual([]);
    expect(judged(400, [[700, 1e6]], { of: JP, known }).faults).toHaveLength(1);
    // Half the price in one session without a surge: a split of 2 for 1 that is not known.
    const halved = Array.from({ length: 8 }, () => [200, 2e6] as const);
    expect(judged(400, halved, { of: JP, known }).faults).toEqual([
      expect.stringContaining("the exchange's limits exclude"),
    ]);
  });

  test("of Ho Chi Minh City: beyond 7 % without a surge or a dividend that explains it", () => {
    expect(judged(50_000, [[46_600, 1e6]], { of: VN }).faults).toEqual([]);
    expect(judged(50_000, [[44_000, 1e6]], { of: VN }).faults).toHaveLength(1);
    // The reference price of an ex-date is the close less the dividend: 50,000 − 5,000 less 3 %.
    const dividends = [{ exDate: "2026-07-01", amount: 5_000 }];
    expect(judged(50_000, [[43_650, 1e6]], { of: VN, known: { dividends } }).faults).toEqual([]);
  });
});

describe("a true extreme is stored", () => {
  test("GameStop, 26 to 28 January 2021, as traded before its split of 2022", () => {
    const rows = [
      [17.69, 6e6],
      [19.94, 7e6],
      [31.4, 144e6],
      [39.91, 94e6],
      [35.5, 46e6],
      [39.36, 75e6],
      [39.12, 33e6],
      [43.03, 57e6],
      [65.01, 197e6],
      [76.79, 178e6],
      [147.98, 179e6],
      [347.51, 93e6],
      [193.6, 59e6],
      [325, 51e6],
      [225, 37e6],
      [90, 78e6],
    ] as const;
    expect(judged(18, rows).faults).toEqual([]);
    // Each day as the newest of all.
    for (let i = 1; i <= rows.length; i++) expect(judged(18, rows.slice(0, i)).faults).toEqual([]);
  });

  test("a failed trial, 80 % down with forty times the volume", () => {
    expect(judged(50, [[10, 40e6]]).faults).toEqual([]);
  });

  test("SVB, 8 and 9 March 2023: 60 % down; Lehman, 15 September 2008: 94 % down", () => {
    expect(
      judged(280, [
        [267.83, 1.4e6],
        [106.04, 38.7e6],
      ]).faults,
    ).toEqual([]);
    // Its volume had surged for a week, so the last day alone has no surge.
    const week = [
      [16.2, 1e8],
      [14.15, 1.1e8],
      [7.79, 4.7e8],
      [7.25, 4.1e8],
      [4.22, 4.7e8],
      [3.65, 4.2e8],
      [0.21, 3.6e8],
    ] as const;
    expect(judged(16, week, { volume: 9e7 }).faults).toEqual([]);
  });

  test("PDC Energy on 9 March 2020, 48 % down like a split of 2 for 1: after five sessions, or by its quote", () => {
    // A median of 2.36 million shares at 14.1 was usual; the days after are from the exchange.
    const crash = [
      [7.3, 7_483_800],
      [8.55, 5_188_800],
      [7.4, 5e6],
      [6.6, 6e6],
      [7.1, 5e6],
      [6.5, 5e6],
    ] as const;
    const usual = { volume: 2.36e6 };
    expect(judged(14.1, crash.slice(0, 1), usual).kept).toEqual([]);
    const quote = { date: "2026-07-01", price: 7.3, previousClose: 14.17 };
    expect(judged(14.1, crash.slice(0, 1), { ...usual, known: { quote } }).kept).toEqual([7.3]);
    expect(judged(14.1, crash, usual).faults).toEqual([]);
  });

  test("Invesco Mortgage on 24 March 2020, halved and back in two days with a surge", () => {
    const rows = [
      [5.33, 2.5e7],
      [2.52, 18_492_800],
      [2.95, 18_720_600],
      [4.92, 28_456_800],
    ] as const;
    expect(judged(5.4, rows, { volume: 4e6 }).faults).toEqual([]);
  });

  test("HealthSouth in March 2003, 97 % down with 17 times the shares: it only waits", () => {
    const rows = [
      [0.55, 17_561_100],
      ...Array.from({ length: 5 }, () => [0.5, 8_095_400] as const),
    ] as const;
    expect(judged(19.55, rows, { volume: 1e6 }).faults).toEqual([]);
  });

  test("the Nikkei 225 and TOPIX on 5 August 2024, and the VIX on 5 February 2018, which stayed", () => {
    const index = { of: { ...JP, assetType: "index" }, volume: null } as const;
    expect(judged(36_000, at(null, 35_909.7, 31_458.42), index).faults).toEqual([]);
    expect(judged(2_550, at(null, 2_537.6, 2_227.15), index).faults).toEqual([]);
    const vix = judged(15, at(null, 17.31, 37.32, 29.98, 27.73), {
      ...index,
      of: { ...US, assetType: "index" },
    });
    expect(vix.faults).toEqual([]);
  });

  test("a new listing that doubles", () => {
    const { faults } = checkBars(
      [],
      barsUntil("2026-07-03", [
        [20, 5e7],
        [41, 9e7],
        [39, 3e7],
        [60, 2e7],
      ]),
      evidence(US),
    );
    expect(faults).toEqual([]);
  });

  test("a close that is back where it was before a jump without a surge, but not an old one after a crash", () => {
    // 60 was wrong, and less than a spike. The true close after it needs no evidence.
    const back = at(1e6, 60, 100.2);
    expect(judged(100, back).faults).toEqual([]);
    // 40 was true. 100 is the close of two days before again.
    const stale = [
      [40, 2e7],
      [100.2, 1e6],
    ] as const;
    expect(judged(100, stale).kept).toEqual([40]);
  });

  test("a share of three cents that moves by a third every day", () => {
    const rows = Array.from({ length: 60 }, (_, i) => [i % 3 === 0 ? 0.02 : 0.03, 1_000] as const);
    expect(checkBars([], barsUntil("2026-07-03", rows), evidence(US)).faults).toEqual([]);
  });

  test("the first price after a pause of a month", () => {
    const history = barsUntil("2026-05-29", calm(100));
    const added = barsUntil("2026-06-30", [[30, 1e6]]);
    expect(checkBars(history, added, evidence(US)).faults).toEqual([]);
  });

  test("a share that moves by 10 % a day, at five times its price after four months", () => {
    const wild = Array.from({ length: 30 }, (_, i) => [i % 2 === 0 ? 1 : 1.1, 1e6] as const);
    const bars = [...barsUntil("2026-01-30", wild), ...barsUntil("2026-06-30", at(1e6, 5, 5.5, 5))];
    expect(checkBars([], bars, evidence(US)).faults).toEqual([]);
  });

  test("a newest close that the quote has too, with the close before", () => {
    const known = { quote: { date: "2026-07-01", price: 55, previousClose: 100.5 } };
    expect(judged(100, [[55, 2.5e6]]).faults).toHaveLength(1);
    expect(judged(100, [[55, 2.5e6]], { known }).faults).toEqual([]);
  });

  test("a special dividend of half the price", () => {
    const dividends = [{ exDate: "2026-07-01", amount: 48 }];
    expect(judged(100, [[52, 1e6]], { known: { dividends } }).faults).toEqual([]);
  });
});

describe("a symbol that another company took over", () => {
  /** Thirty sessions at 12 to January, and others from June on, with `volume` a day. */
  const after = (price: number, volume: number | null, sessions: number) => [
    ...barsUntil("2026-01-30", calm(12, volume)),
    ...barsUntil("2026-06-30", calm(price, volume).slice(0, sessions)),
  ];

  test.each([
    ["New York", US, 184, 1e6],
    ["New York, downwards", US, 1, 1e6],
    ["New York, with a surge", US, 60, 1e8],
    ["Tokyo", JP, 184, 1e6],
    ["Ho Chi Minh City, a fund", { ...VN, assetType: "etf" } as const, 2, 1e6],
  ] as const)("%s: its history begins with the new one", (_, of, price, volume) => {
    const all = after(price, 1e6, 30).map((bar, i) => (i < 30 ? bar : { ...bar, volume }));
    const whole = checkBars([], all, evidence(of));
    expect(whole.bars).toEqual(all.slice(30));
    expect(whole.faults).toEqual([
      {
        date: "2026-01-30",
        bars: 30,
        reason: expect.stringMatching(/a pause of 1\d\d days, like another company/),
      },
    ]);
    // A short new history, and one that continues stored bars, waits.
    expect(checkBars([], all.slice(0, 40), evidence(of)).bars).toEqual(all.slice(0, 30));
    expect(checkBars(all.slice(0, 30), all.slice(30), evidence(of)).bars).toEqual(all.slice(0, 30));
  });

  test("is no share, a pause of a month, or a move that a split in the pause explains", () => {
    const all = after(184, null, 30);
    const index = { ...US, assetType: "index" } as const;
    expect(checkBars([], all, evidence(index)).faults).toEqual([]);
    const splits = [{ exDate: "2026-03-02", numerator: 1, denominator: 15 }];
    const { faults, bars } = checkBars([], all, evidence(US, { splits }));
    expect(faults).toEqual([]);
    // 12 × 15
    expect(bars[0]?.close).toBeCloseTo(12 * 0.995 * 15, 6);
  });
});

describe("a known split", () => {
  const split = (exDate: string, numerator: number, denominator = 1) => [
    { exDate, numerator, denominator },
  ];

  test("divides the bars before it, also stored ones, and multiplies their volume", () => {
    const history = barsUntil("2026-06-30", calm(100));
    const added = barsUntil("2026-07-01", [[20, 5e6]]);
    const known = evidence(US, { splits: split("2026-07-01", 5) });
    const { bars, changesHistory, faults } = checkBars(history, added, known);
    expect(faults).toEqual([]);
    expect(changesHistory).toBe(true);
    // 100.5 / 5 and 1,010,000 × 5
    expect(bars.at(-2)).toMatchObject({ close: 20.1, volume: 5_050_000 });
  });

  test("changes nothing where the bars are adjusted, whatever the day does", () => {
    for (const close of [97, 80, 70])
      for (const splits of [split("2026-07-01", 5), split("2026-07-01", 1, 20)]) {
        const bars = barsUntil("2026-07-01", [...calm(100), [close, 4e6]]);
        expect(repairBars(bars, splits)).toBe(bars);
      }
  });

  test("of 1 for 20 multiplies the bars before it", () => {
    const bars = barsUntil("2026-07-01", [...calm(0.5, 2e7), [9.8, 1.1e6]]);
    const [first] = repairBars(bars, split("2026-07-01", 1, 20));
    // 0.5 × 0.995 × 20
    expect(first?.close).toBeCloseTo(9.95, 9);
  });

  test("divides only the newest bars if the older ones are adjusted", () => {
    const rows = [...calm(20, 5e6), [101, 1e6], [99, 1e6], [20.2, 5e6]] as const;
    const closes = repairBars(barsUntil("2026-07-01", rows), split("2026-07-01", 5)).map(
      ({ close }) => close,
    );
    expect(closes.slice(-4)).toEqual([20 * 1.005, 20.2, 19.8, 20.2]);
  });

  test("of before all bars, or of next month, divides nothing", () => {
    const bars = barsUntil("2026-07-03", [
      [100, 1e6],
      [20, 5e6],
      ...calm(20, 5e6),
      [99, 1e6],
      [20, 5e6],
    ]);
    for (const exDate of ["2020-01-02", bars[0]?.date ?? "", "2026-08-03"])
      expect(repairBars(bars, split(exDate, 5))).toBe(bars);
  });

  test("is not taken for a true crash in the same week", () => {
    const bars = barsUntil("2026-07-03", [...calm(100), [101, 1e6], [49, 4e7], [48, 2e7]]);
    expect(repairBars(bars, split("2026-07-01", 2))).toBe(bars);
  });
});

describe("a daily limit", () => {
  // JPX, daily price limits: 1,000 to 1,500 yen 300 yen; 3,000 to 5,000 yen 700 yen.
  test("of Tokyo depends on the price before later splits", () => {
    expect(dailyLimit(JP, 1_200, 1_200)).toBeCloseTo(300 / 1_200, 12);
    expect(dailyLimit(JP, 1_000, 4_000)).toBeCloseTo(700 / 4_000, 12);
    expect(dailyLimit(JP, 4_000, null)).toBe(0.31);
  });

  test("is the exchange's in Viet Nam, and absent in the US and for an index", () => {
    expect(dailyLimit(VN, 50_000, null)).toBe(0.07);
    expect(dailyLimit({ ...VN, exchange: "HNX" }, 50_000, null)).toBe(0.1);
    expect(dailyLimit(US, 100, null)).toBeNull();
    expect(dailyLimit({ ...JP, assetType: "index" }, 100, null)).toBeNull();
  });
});

describe.if(hasRecordings)("real prices", () => {
  const read = (path: string, of: BarEvidence["instrument"]) =>
    parseBars(recordedText(path), { ...of, fileName: path, onBad: "skip", dateOrder: "dmy" }).bars;
  const faultsOf = (path: string, of: BarEvidence["instrument"]) => {
    const bars = read(path, of);
    return checkBars([], bars, evidence(of)).faults.map(({ date }) => date);
  };

  test("of 27 years of Toyota, of Apple, FPT, SPY and the Nikkei 225 are all plausible", () => {
    expect(faultsOf("prices/7203.csv", JP)).toEqual([]);
    expect(faultsOf("prices/AAPL_yfinance.csv", US)).toEqual([]);
    expect(faultsOf("prices/FPT_investing.csv", VN)).toEqual([]);
    expect(faultsOf("prices/FPT_vci.csv", VN)).toEqual([]);
    expect(faultsOf("reference/tulip/SPY_D.csv", { ...US, assetType: "etf" })).toEqual([]);
    expect(faultsOf("prices/nkx.csv", { ...JP, assetType: "index" })).toEqual([]);
  });

  test("of the VN-Index have one fault: 445.59 on 2007-07-23, between 981.31 and 982.43", () => {
    expect(faultsOf("prices/VNINDEX.csv", { ...VN, assetType: "index" })).toEqual(["2007-07-23"]);
  });

  test("of Shin-Etsu before its split of 2023 are refused, or divided if the split is known", () => {
    const bad = read("real-2/prices/4063-T-1d-bad-stock-split.csv", JP);
    const fixed = read("real-2/prices/4063-T-1d-bad-stock-split-fixed.csv", JP);
    expect(checkBars([], bad, evidence(JP)).bars).toEqual(bad.slice(0, 9));
    const splits = [{ exDate: "2023-03-30", numerator: 5, denominator: 1 }];
    expect(checkBars([], bad, evidence(JP, { splits }))).toEqual({
      bars: fixed,
      changesHistory: false,
      faults: [],
    });
  });
});
