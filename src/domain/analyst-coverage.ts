import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { Amount, DateText, Nullable, type Static, StringEnum } from "./schema.ts";

const Figure = Nullable(Amount);
const Count = Type.Integer({ minimum: 0 });

/** The periods of estimates: the current and the next fiscal quarter and year. */
export const ESTIMATE_PERIODS = [
  "current_quarter",
  "next_quarter",
  "current_year",
  "next_year",
] as const;

/** The number of analysts by rating. */
export const RatingCounts = Type.Object({
  strongBuy: Count,
  buy: Count,
  hold: Count,
  sell: Count,
  strongSell: Count,
});
export type RatingCounts = Static<typeof RatingCounts>;

const Consensus = Type.Object({ low: Figure, average: Figure, high: Figure, analysts: Count });

/** The ratings, price targets, estimates and actions of analysts for one instrument. */
export const AnalystCoverage = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  /** Ratings by month, `YYYY-MM`, newest first. */
  ratings: Type.Array(
    Type.Object({
      month: Type.String({ pattern: "^\\d{4}-\\d{2}$" }),
      ...RatingCounts.properties,
    }),
  ),
  /** In the instrument's currency; null without price targets. */
  priceTarget: Nullable(
    Type.Object({ low: Figure, mean: Figure, median: Figure, high: Figure, analysts: Count }),
  ),
  estimates: Type.Array(
    Type.Object({
      period: StringEnum(ESTIMATE_PERIODS),
      periodEnd: DateText,
      eps: Consensus,
      revenue: Consensus,
      /** As reported one year before the period; null if that period is not reported yet. */
      epsYearAgo: Figure,
    }),
  ),
  /** Rating changes and price targets of firms, newest first. */
  actions: Type.Array(
    Type.Object({
      date: DateText,
      firm: Type.String({ maxLength: 120 }),
      action: StringEnum(["upgrade", "downgrade", "initiate", "maintain", "reiterate"]),
      fromGrade: Nullable(Type.String({ maxLength: 60 })),
      toGrade: Nullable(Type.String({ maxLength: 60 })),
      priceTarget: Figure,
      priorPriceTarget: Figure,
    }),
  ),
});
export type AnalystCoverage = Static<typeof AnalystCoverage>;

/** The time of day at which a company reports. */
export const EARNINGS_SESSIONS = [
  "before_market_open",
  "after_market_close",
  "not_supplied",
] as const;

/** The next earnings report of a company, with the analysts' estimates. */
export const EarningsDate = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  date: DateText,
  session: StringEnum(EARNINGS_SESSIONS),
  /** The reported quarter: in the company's words, `Q4 2026`, or the month of its end, `Jul 2026`. */
  fiscalPeriod: Nullable(Type.String({ maxLength: 20 })),
  epsEstimate: Figure,
  /** In whole units of the company's currency. */
  revenueEstimate: Figure,
  analysts: Nullable(Count),
});
export type EarningsDate = Static<typeof EarningsDate>;
