import { describe, expect, test } from "bun:test";
import {
  castVotes,
  type RatingInputs,
  rateVotes,
  ratingLabel,
  type TechnicalVotes,
  type Vote,
} from "#analytics/technical-rating.ts";
import { averagesOf } from "./averages.ts";
import { type Snapshot, testWitness, tokyoSnapshots } from "./witness.ts";

/** Inputs for which all 26 votes are neutral. */
const QUIET: RatingInputs = {
  close: 100,
  averages: averagesOf(() => 100),
  ichimoku: { conversion: 100, base: 100, lead1: 100, lead2: 100 },
  rsi: [50, 50],
  stochastic: { k: 50, d: 50 },
  cci: [0, 0],
  adx: [10, 10],
  plusDi: 20,
  minusDi: 20,
  awesomeOscillator: [0, 0, 0],
  momentum: [0, 0],
  macd: { level: 0, signal: 0 },
  stochasticRsi: { k: 50, d: 50 },
  williamsR: [-50, -50],
  bullPower: [1, 1],
  bearPower: [-1, -1],
  ultimateOscillator: 50,
};

const trend = (ema50: number) => ({ ...QUIET.averages, ema50 });

/** The inputs that make an item vote buy or sell; all others are neutral. */
interface Rule {
  readonly buy: Partial<RatingInputs>[];
  readonly sell: Partial<RatingInputs>[];
  readonly neither: Partial<RatingInputs>[];
  readonly missing: Partial<RatingInputs>[];
}

const rules: Record<keyof TechnicalVotes["oscillators"], Rule> = {
  rsi: {
    buy: [{ rsi: [29.9, 29.8] }],
    sell: [{ rsi: [70.1, 70.2] }],
    neither: [
      { rsi: [30, 29] },
      { rsi: [29, 29] },
      { rsi: [29, 29.1] },
      { rsi: [70, 71] },
      { rsi: [71, 71] },
      { rsi: [71, 70.9] },
    ],
    missing: [{ rsi: [29, NaN] }, { rsi: [NaN, 29] }],
  },
  stochastic: {
    buy: [{ stochastic: { k: 19.9, d: 19.8 } }],
    sell: [{ stochastic: { k: 80.1, d: 80.2 } }],
    neither: [
      { stochastic: { k: 20, d: 19 } },
      { stochastic: { k: 19, d: 19 } },
      { stochastic: { k: 18, d: 19 } },
      { stochastic: { k: 19, d: 20 } },
      { stochastic: { k: 80, d: 81 } },
      { stochastic: { k: 81, d: 81 } },
      { stochastic: { k: 82, d: 81 } },
      { stochastic: { k: 79, d: 81 } },
      { stochastic: { k: 81, d: 80 } },
    ],
    missing: [{ stochastic: { k: 19, d: NaN } }],
  },
  cci: {
    buy: [{ cci: [-100.1, -100.2] }],
    sell: [{ cci: [100.1, 100.2] }],
    neither: [
      { cci: [-100, -101] },
      { cci: [-101, -101] },
      { cci: [-101, -100.9] },
      { cci: [100, 101] },
      { cci: [101, 101] },
      { cci: [101, 100.9] },
    ],
    missing: [{ cci: [-101, NaN] }],
  },
  adx: {
    buy: [{ adx: [20.1, 20], plusDi: 21, minusDi: 20 }],
    sell: [{ adx: [20.1, 20], plusDi: 20, minusDi: 21 }],
    neither: [
      { adx: [20, 19], plusDi: 21, minusDi: 20 },
      { adx: [20, 19], plusDi: 20, minusDi: 21 },
      { adx: [25, 25], plusDi: 21, minusDi: 20 },
      { adx: [25, 25], plusDi: 20, minusDi: 21 },
      { adx: [25, 26], plusDi: 21, minusDi: 20 },
      { adx: [25, 26], plusDi: 20, minusDi: 21 },
      { adx: [25, 24], plusDi: 20, minusDi: 20 },
    ],
    missing: [
      { adx: [25, NaN], plusDi: 21, minusDi: 20 },
      { adx: [25, 24], plusDi: NaN, minusDi: NaN },
    ],
  },
  awesomeOscillator: {
    buy: [
      { awesomeOscillator: [0.1, -0.1, -1] },
      { awesomeOscillator: [0.1, 0, 0] },
      { awesomeOscillator: [2, 1, 3] },
    ],
    sell: [
      { awesomeOscillator: [-0.1, 0.1, 1] },
      { awesomeOscillator: [-0.1, 0, 0] },
      { awesomeOscillator: [-2, -1, -3] },
    ],
    neither: [
      { awesomeOscillator: [0, -0.1, -0.2] },
      { awesomeOscillator: [0, 0.1, 0.2] },
      { awesomeOscillator: [3, 2, 1] },
      { awesomeOscillator: [1, 1, 3] },
      { awesomeOscillator: [2, 1, 1] },
      { awesomeOscillator: [-3, -2, -1] },
      { awesomeOscillator: [-1, -1, -3] },
      { awesomeOscillator: [-2, -1, -1] },
    ],
    missing: [{ awesomeOscillator: [2, 1, NaN] }],
  },
  momentum: {
    buy: [{ momentum: [-1, -2] }],
    sell: [{ momentum: [1, 2] }],
    neither: [{ momentum: [1, 1] }],
    missing: [{ momentum: [1, NaN] }],
  },
  macd: {
    buy: [{ macd: { level: -1, signal: -2 } }],
    sell: [{ macd: { level: 1, signal: 2 } }],
    neither: [{ macd: { level: 1, signal: 1 } }],
    missing: [{ macd: { level: 1, signal: NaN } }],
  },
  stochasticRsi: {
    buy: [{ averages: trend(101), stochasticRsi: { k: 19, d: 18 } }],
    sell: [{ averages: trend(99), stochasticRsi: { k: 81, d: 82 } }],
    neither: [
      { averages: trend(100), stochasticRsi: { k: 19, d: 18 } },
      { averages: trend(99), stochasticRsi: { k: 19, d: 18 } },
      { averages: trend(101), stochasticRsi: { k: 20, d: 18 } },
      { averages: trend(101), stochasticRsi: { k: 19, d: 20 } },
      { averages: trend(101), stochasticRsi: { k: 19, d: 19 } },
      { averages: trend(101), stochasticRsi: { k: 18, d: 19 } },
      { averages: trend(100), stochasticRsi: { k: 81, d: 82 } },
      { averages: trend(101), stochasticRsi: { k: 81, d: 82 } },
      { averages: trend(99), stochasticRsi: { k: 80, d: 82 } },
      { averages: trend(99), stochasticRsi: { k: 81, d: 80 } },
      { averages: trend(99), stochasticRsi: { k: 81, d: 81 } },
      { averages: trend(99), stochasticRsi: { k: 82, d: 81 } },
    ],
    missing: [
      { averages: trend(NaN), stochasticRsi: { k: 50, d: 50 } },
      { averages: trend(101), stochasticRsi: { k: 19, d: NaN } },
    ],
  },
  williamsR: {
    buy: [{ williamsR: [-80.1, -80.2] }],
    sell: [{ williamsR: [-19.9, -19.8] }],
    neither: [
      { williamsR: [-80, -81] },
      { williamsR: [-81, -81] },
      { williamsR: [-81, -80.9] },
      { williamsR: [-20, -19] },
      { williamsR: [-19, -19] },
      { williamsR: [-19, -19.1] },
    ],
    missing: [{ williamsR: [-81, NaN] }],
  },
  bullBearPower: {
    buy: [{ averages: trend(99), bearPower: [-1, -2] }],
    sell: [{ averages: trend(101), bullPower: [1, 2] }],
    neither: [
      { averages: trend(100), bearPower: [-1, -2] },
      { averages: trend(101), bearPower: [-1, -2] },
      { averages: trend(99), bearPower: [0, -2] },
      { averages: trend(99), bearPower: [-2, -2] },
      { averages: trend(99), bearPower: [-2, -1] },
      { averages: trend(100), bullPower: [1, 2] },
      { averages: trend(99), bullPower: [1, 2] },
      { averages: trend(101), bullPower: [0, 2] },
      { averages: trend(101), bullPower: [2, 2] },
      { averages: trend(101), bullPower: [2, 1] },
    ],
    missing: [
      { averages: trend(NaN), bearPower: [-1, -2] },
      { averages: trend(99), bearPower: [-1, NaN] },
    ],
  },
  ultimateOscillator: {
    buy: [{ ultimateOscillator: 70.1 }],
    sell: [{ ultimateOscillator: 29.9 }],
    neither: [{ ultimateOscillator: 70 }, { ultimateOscillator: 30 }],
    missing: [{ ultimateOscillator: NaN }],
  },
};

describe("the votes", () => {
  test("are 15 of moving averages and 11 of oscillators", () => {
    const { movingAverages, oscillators } = castVotes(QUIET);
    expect(Object.keys(movingAverages)).toHaveLength(15);
    expect(Object.keys(oscillators)).toHaveLength(11);
  });

  test("are all neutral if nothing moves", () => {
    const { movingAverages, oscillators } = castVotes(QUIET);
    expect(new Set(Object.values(movingAverages))).toEqual(new Set([0]));
    expect(new Set(Object.values(oscillators))).toEqual(new Set([0]));
  });

  test.each(Object.entries(rules))(
    "%s votes by its line of the table, limits excluded",
    (item, rule) => {
      const expectVote = (vote: Vote, inputs: Partial<RatingInputs>) => {
        const { oscillators } = castVotes({ ...QUIET, ...inputs });
        expect<object>({ inputs, ...oscillators }).toMatchObject({ inputs, [item]: vote });
        // EMA (50) is an input of two other items; every other input has one item.
        const concerned = [item, "stochasticRsi", "bullBearPower"];
        const others = Object.entries(oscillators).filter(([name]) => !concerned.includes(name));
        expect(others.filter(([, other]) => other !== 0)).toEqual([]);
      };
      for (const inputs of rule.buy) expectVote(1, inputs);
      for (const inputs of rule.sell) expectVote(-1, inputs);
      for (const inputs of rule.neither) expectVote(0, inputs);
      for (const inputs of rule.missing) expectVote(null, inputs);
    },
  );

  test.each(Object.keys(QUIET.averages))("%s is compared with the close", (name) => {
    const votesOn = (average: number) =>
      castVotes({ ...QUIET, averages: { ...QUIET.averages, [name]: average } }).movingAverages;
    expect(votesOn(99)).toMatchObject({ [name]: 1 });
    expect(votesOn(101)).toMatchObject({ [name]: -1 });
    expect(votesOn(NaN)).toMatchObject({ [name]: null });
    expect(Object.values(votesOn(99)).filter((vote) => vote !== 0)).toHaveLength(1);
  });
});

describe("the Ichimoku vote", () => {
  const voteOn = (close: number, conversion: number, base: number, lead1: number, lead2: number) =>
    castVotes({ ...QUIET, close, ichimoku: { conversion, base, lead1, lead2 } }).movingAverages
      .ichimoku;

  test("is given only if all five are in order", () => {
    expect(voteOn(5, 4, 3, 2, 1)).toBe(1);
    expect(voteOn(1, 2, 3, 4, 5)).toBe(-1);
  });

  test("is neutral if two neighbours are equal or swapped", () => {
    const broken: [number, number, number, number, number][] = [
      [4, 4, 3, 2, 1],
      [5, 3, 3, 2, 1],
      [5, 4, 2, 2, 1],
      [5, 4, 3, 1, 1],
      [4, 5, 3, 2, 1],
      [5, 3, 4, 2, 1],
      [5, 4, 2, 3, 1],
      [5, 4, 3, 1, 2],
    ];
    for (const [close, conversion, base, lead1, lead2] of broken) {
      expect(voteOn(close, conversion, base, lead1, lead2)).toBe(0);
      expect(voteOn(-close, -conversion, -base, -lead1, -lead2)).toBe(0);
    }
  });

  test("is null without leads", () => {
    expect(voteOn(5, 4, 3, 2, NaN)).toBeNull();
  });
});

describe("the ratings", () => {
  const quiet = castVotes(QUIET);

  test("are the mean of each group's votes and the mean of the two groups", () => {
    const ratings = rateVotes({
      movingAverages: { ...quiet.movingAverages, sma10: 1, sma20: 1, sma30: 1 },
      oscillators: { ...quiet.oscillators, rsi: -1 },
    });
    expect(ratings.movingAverages).toBeCloseTo(3 / 15, 15);
    expect(ratings.oscillators).toBeCloseTo(-1 / 11, 15);
    expect(ratings.technical).toBeCloseTo((3 / 15 - 1 / 11) / 2, 15);
  });

  test("exclude a missing vote from the mean", () => {
    const ratings = rateVotes({
      movingAverages: {
        ...quiet.movingAverages,
        sma10: 1,
        sma100: null,
        sma200: null,
        ema200: null,
      },
      oscillators: { ...quiet.oscillators, rsi: -1, adx: null },
    });
    expect(ratings.movingAverages).toBeCloseTo(1 / 12, 15);
    expect(ratings.oscillators).toBeCloseTo(-1 / 10, 15);
  });

  test("are null without votes", () => {
    const noVotes = castVotes({
      ...QUIET,
      close: NaN,
      rsi: [NaN, NaN],
      stochastic: { k: NaN, d: NaN },
      cci: [NaN, NaN],
      adx: [NaN, NaN],
      awesomeOscillator: [NaN, NaN, NaN],
      momentum: [NaN, NaN],
      macd: { level: NaN, signal: NaN },
      williamsR: [NaN, NaN],
      ultimateOscillator: NaN,
    });
    expect(rateVotes(noVotes)).toEqual({
      technical: null,
      movingAverages: null,
      oscillators: null,
    });
  });
});

describe("the label", () => {
  test.each([
    [-1, "Strong sell"],
    [-0.501, "Strong sell"],
    [-0.5, "Sell"],
    [-0.101, "Sell"],
    [-0.1, "Neutral"],
    [0, "Neutral"],
    [0.1, "Neutral"],
    [0.101, "Buy"],
    [0.5, "Buy"],
    [0.501, "Strong buy"],
    [1, "Strong buy"],
    [null, null],
  ] as const)("of %p is %p", (rating, label) => {
    expect(ratingLabel(rating)).toBe(label);
  });

  test("is the milder one if rounding pushed a mean over a limit", () => {
    expect((-0.8 + 0.6) / 2).toBeLessThan(-0.1);
    expect(ratingLabel((-0.8 + 0.6) / 2)).toBe("Neutral");
  });
});

/**
 * The votes and ratings of TradingView's screener for 11 Tokyo stocks on 2026-09-18, computed from the
 * values that it returned with them. It returned no earlier values of ADX, Williams %R, bull and bear
 * power, no %D of the Stochastic RSI and no leads for the Ichimoku vote. Each of these is set far below
 * zero, to zero and far above, and the record must be among the results. The CCI is that of the typical
 * price and replaces that of the close.
 */
describe("TradingView's record of 11 Tokyo stocks", () => {
  const field = (snapshot: Snapshot, name: string): number => {
    const value = snapshot[name];
    if (value === undefined) throw new Error(`the record has no ${name}`);
    return value;
  };

  const inputsOf = (snapshot: Snapshot, unknown: number): RatingInputs => {
    const value = (name: string) => field(snapshot, name);
    // BBPower is the bull plus the bear power: high + low − 2 · EMA (13).
    const ema13 = (value("high") + value("low") - value("BBPower")) / 2;
    return {
      close: value("close"),
      averages: averagesOf((name) =>
        value({ hma9: "HullMA9", vwma20: "VWMA" }[name as string] ?? name.toUpperCase()),
      ),
      ichimoku: {
        conversion: value("Ichimoku.CLine"),
        base: value("Ichimoku.BLine"),
        lead1: unknown,
        lead2: 2 * unknown,
      },
      rsi: [value("RSI"), value("RSI[1]")],
      stochastic: { k: value("Stoch.K"), d: value("Stoch.D") },
      cci: [value("CCI20"), value("CCI20[1]")],
      adx: [value("ADX"), unknown],
      plusDi: value("ADX+DI"),
      minusDi: value("ADX-DI"),
      awesomeOscillator: [value("AO"), value("AO[1]"), value("AO[2]")],
      momentum: [value("Mom"), value("Mom[1]")],
      macd: { level: value("MACD.macd"), signal: value("MACD.signal") },
      stochasticRsi: { k: value("Stoch.RSI.K"), d: unknown },
      williamsR: [value("W.R"), unknown],
      bullPower: [value("high") - ema13, unknown],
      bearPower: [value("low") - ema13, unknown],
      ultimateOscillator: value("UO"),
    };
  };

  const recordedVote = (snapshot: Snapshot, name: string) => field(snapshot, name) as Vote;

  const possibleVotes = (snapshot: Snapshot) =>
    [-1e9, 0, 1e9].map((unknown) => castVotes(inputsOf(snapshot, unknown)));

  testWitness("holds 11 stocks", () => {
    expect(tokyoSnapshots()).toHaveLength(11);
  });

  testWitness("gives the votes that follow from known values", () => {
    for (const [code, snapshot] of tokyoSnapshots()) {
      for (const { movingAverages, oscillators } of possibleVotes(snapshot)) {
        const { hma9, vwma20 } = movingAverages;
        const { ultimateOscillator } = oscillators;
        expect({ code, hma9, vwma20, ultimateOscillator }).toEqual({
          code,
          hma9: recordedVote(snapshot, "Rec.HullMA9"),
          vwma20: recordedVote(snapshot, "Rec.VWMA"),
          ultimateOscillator: recordedVote(snapshot, "Rec.UO"),
        });
      }
    }
  });

  testWitness("gives one of the possible votes where a value is unknown", () => {
    for (const [, snapshot] of tokyoSnapshots()) {
      const possible = possibleVotes(snapshot);
      const expectRecorded = (name: string, vote: (votes: TechnicalVotes) => Vote) =>
        expect(possible.map(vote)).toContain(recordedVote(snapshot, name));
      expectRecorded("Rec.Stoch.RSI", ({ oscillators }) => oscillators.stochasticRsi);
      expectRecorded("Rec.WR", ({ oscillators }) => oscillators.williamsR);
      expectRecorded("Rec.BBPower", ({ oscillators }) => oscillators.bullBearPower);
      expectRecorded("Rec.Ichimoku", ({ movingAverages }) => movingAverages.ichimoku);
    }
  });

  testWitness("gives the three ratings, whichever way the ADX went", () => {
    for (const [, snapshot] of tokyoSnapshots()) {
      const recorded = (name: string) => recordedVote(snapshot, name);
      const possible = possibleVotes(snapshot).map(({ movingAverages, oscillators }) =>
        rateVotes({
          movingAverages: { ...movingAverages, ichimoku: recorded("Rec.Ichimoku") },
          oscillators: {
            ...oscillators,
            stochasticRsi: recorded("Rec.Stoch.RSI"),
            williamsR: recorded("Rec.WR"),
            bullBearPower: recorded("Rec.BBPower"),
          },
        }),
      );
      expect(possible).toContainEqual({
        technical: expect.closeTo(field(snapshot, "Recommend.All"), 12),
        movingAverages: expect.closeTo(field(snapshot, "Recommend.MA"), 12),
        oscillators: expect.closeTo(field(snapshot, "Recommend.Other"), 12),
      });
    }
  });
});
