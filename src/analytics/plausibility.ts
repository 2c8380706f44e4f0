/** A threshold of the checks of what arrives, with its reason. */
export interface Threshold {
  readonly value: number;
  /** The first sentence is the rule, which the documentation has. The others are its evidence. */
  readonly reason: string;
}

/**
 * The thresholds of the checks that every fetched or imported record passes before it is stored. A move is the
 * logarithm of a ratio, so that a rise and the fall that undoes it are equal.
 */
export const THRESHOLDS = {
  usMove: {
    value: 0.35,
    reason:
      "Move of a US share in one session that needs evidence. The smallest common split, 3 for 2, moves a price by 0.405; on an ordinary day the price moves another 0.05 at most.",
  },
  otherMove: {
    value: 0.7,
    reason:
      "The same for an index, currency, commodity or coin. They never split. The VIX doubled on 2018-02-05 (0.77) and stayed there, which confirms it.",
  },
  ownMoves: {
    value: 10,
    reason:
      "A US share may move by ten times the median move of its last 40 sessions. Shares of a few cents move by whole ticks.",
  },
  newShare: {
    value: 1.6,
    reason:
      "A US share has no usual move before its eleventh session, and new shares double: up to five times, or down to a fifth.",
  },
  tokyoUnknownSplits: {
    value: 0.31,
    reason:
      "Part of the price that a share in Tokyo may move while its splits are unknown. The limit depends on the price before the split; it is up to 30 % of prices from 500 yen.",
  },
  tokyoWidened: {
    value: 4,
    reason:
      "Tokyo widens a daily limit to four times after two sessions at the limit without trades. No share moves further.",
  },
  hoChiMinhCity: { value: 0.07, reason: "Daily limit of HOSE since 2013; it was smaller before." },
  haNoi: { value: 0.1, reason: "Daily limit of HNX." },
  upcom: {
    value: 0.15,
    reason:
      "Daily limit of UPCoM, and of a Vietnamese share whose exchange is unknown. The limit is around the average price of the day before, so closes may differ by twice as much.",
  },
  tick: { value: 0.01, reason: "Limits are rounded to ticks, and adjusted prices to cents." },
  resumptionDays: {
    value: 25,
    reason:
      "Calendar days without a bar after which a share resumes trading at a new price, without a daily limit.",
  },
  reuseDays: {
    value: 60,
    reason:
      "Calendar days without a bar after which a symbol may belong to another company. US exchanges give a symbol away after 90 days.",
  },
  reusedMove: {
    value: 1.1,
    reason:
      "A share whose first price after such a pause is three times the last one, or a third, and no known split explains it, can be another company. Viet Nam's exchanges allow 40 % on the first day after a pause.",
  },
  driftOfPause: {
    value: 4.5,
    reason:
      "During a pause the value of a share moves by up to 4.5 usual moves times the square root of the sessions, and at most 20 times. Three standard deviations are 4.5 median moves.",
  },
  surge: {
    value: 3,
    reason:
      "A true crash or jump trades at least three times as many shares as the median of 20 sessions, mostly 20 to 100 times. A price in another unit trades as many as before.",
  },
  splitMoves: {
    value: 20,
    reason:
      "A move that looks like an unknown split of 3 for 1 or more, or a price that comes back, is 20 times the median move of the last 40 sessions. In March 2020 real moves of 30 to 60 % were 6 to 14 times. An unknown split of 2 for 1 waits for five sessions, because PDC Energy fell by 48 % on 2020-03-09 just like one.",
  },
  surgeOfMoney: {
    value: 2,
    reason:
      "A price after an unknown split trades many more shares, but as much money as before: half to twice as much. A true jump trades more, a bankruptcy far less (below a third).",
  },
  spikeSessions: {
    value: 5,
    reason:
      "A price that comes back within five sessions, without a surge, is wrong. So a suspicious newest price of a share waits for five sessions at its level, or for a quote that has both prices. A missing split is known by then. Other instruments wait for one session.",
  },
  regularTrading: {
    value: 0.75,
    reason:
      "A share is traded regularly if this part of its last 20 bars has a volume. A share without trades on most days jumps to any price.",
  },
  tradedSpike: {
    value: 0.6,
    reason:
      "A price of a regularly traded share that comes back without a surge is a fault from 82 % up or 45 % down on.",
  },
  spike: {
    value: 1.1,
    reason:
      "The same without a known volume, from three times or a third on: closes of real squeezes without news fell back by less.",
  },
  unit: {
    value: 3,
    reason:
      "Twenty times, or a twentieth, without a surge of shares: another unit (cents, thousands) or another security. HealthSouth fell by 97 % in March 2003 with 17 times its shares.",
  },
  lastingSessions: {
    value: 20,
    reason:
      "If two levels of prices cannot both be right, the newer one is right once it has lasted for four weeks. Then the source's whole history is fetched again, which shows it.",
  },
  splitSessions: {
    value: 5,
    reason: "Sources adjust the bars around a split's date some sessions early or late.",
  },
  smallSplit: {
    value: 0.58,
    reason:
      "Below 9 for 5, the move of a split is looked for on its date only and must fit closely, because prices move as far by themselves.",
  },
  leastSplit: {
    value: 0.18,
    reason: "An ordinary day can move a price as far as a smaller split.",
  },
  holidayBars: {
    value: 0.002,
    reason:
      "An imported history has at most two bars in a thousand on holidays, which its tool made up. Dates that are a day off have a bar on six in a hundred days before or after one.",
  },
  rangeOfBar: {
    value: 10,
    reason:
      "High and low of a day are at most ten times apart from both its close and the close before. Exchanges cancelled the trades at one cent on 2010-05-06.",
  },
  splitRatio: {
    value: 20_000,
    reason:
      "New shares for one old share, or old for one new. Splits are up to some 100 for 1. Companies that leave the exchange consolidate thousands of shares into one.",
  },
  dividendOfSplit: {
    value: 1.5,
    reason:
      "A dividend within a month of a split is in the shares before the split if it is more than 1.5 times its neighbours, and within 1.5 times of them after division by the split's ratio.",
  },
  dividendUnit: {
    value: 100,
    reason:
      "A dividend a hundred times each of its neighbours is stated in another unit. Special dividends are up to some 60 times a regular one.",
  },
  dividendOfClose: {
    value: 1,
    reason:
      "No share pays as much as its price of the day before the ex-date: the buyers of that day get the dividend.",
  },
  debtOfLiabilities: {
    value: 1.02,
    reason: "Debt is a part of all liabilities; 2 % for rounding and different dates of tags.",
  },
  debtGrowth: {
    value: 1.6,
    reason:
      "Debt that grows by 60 % between two balance sheets must be visible in the liabilities.",
  },
  otherLiabilities: {
    value: 0.6,
    reason:
      "Such a growth is wrong if the liabilities without debt would fall below 60 % at the same time. Banks replace deposits by debt, but keep most of them.",
  },
  epsOfIncome: {
    value: 1.8,
    reason:
      "Net income / (EPS × shares) is the same for all periods of a company: 1, or the ratio of its ADRs. A split of 2 for 1 that one of them lacks makes it 2; numerators of diluted EPS and preferred dividends change it by less than half. Near a hundred, a thousand or a million, one of the three is in another unit: the one that the other statements, the number of shares or the price do not confirm.",
  },
  revenueOfNeighbours: {
    value: 10,
    reason:
      "A fourth quarter ten times each of four neighbours is a fault if neither income nor costs grew with it, because it is a difference.",
  },
  revenueOfQuarters: {
    value: 100,
    reason:
      "A quarter a hundred times each of its neighbours, or a hundredth, is a fault if neither income nor costs changed with it. In 2020, revenue of cinemas fell to a sixtieth.",
  },
  capOfShares: {
    value: 5,
    reason:
      "Market cap / price, a number of shares, changes by less from day to day, also by a merger in shares. ADRs and classes make it differ from the shares outstanding by the same factor each day.",
  },
  quoteMove: {
    value: 2.3,
    reason:
      "A factor of ten between the two closes of a quote is a fault; in Tokyo and Viet Nam, four daily limits are. If both closes are in another unit, price and market cap are 20 times the quote of the day before. A split does not change the market cap.",
  },
  referenceRate: {
    value: 0.1,
    reason:
      "Difference of a currency pair's close from the European Central Bank's rates of the day, the day after and three days before. The bank fixes its rates at noon; the yen moved by 4 % in an afternoon. The lira rose by 30 % on 2021-12-20, which the rate of the next day confirmed.",
  },
  highestYield: {
    value: 20,
    reason:
      "Yields of the US since 1990 and of Japan since 1974 stayed below 13 %. Hundredths of a percent are higher.",
  },
  yieldMove: {
    value: 3,
    reason:
      "Percentage points by which a yield moves in a day or two. The bills of one month moved by 1.3 when the debt ceiling was near in May 2023. A level that lasts for a second day is right.",
  },
} as const satisfies Readonly<Record<string, Threshold>>;

/** The value of a threshold. */
export function threshold(name: keyof typeof THRESHOLDS): number {
  return THRESHOLDS[name].value;
}
