import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { Amount, DateText, Nullable, type Static, StringEnum } from "./schema.ts";

const Figure = Nullable(Amount);
const Count = Type.Integer({ minimum: 0 });

/** The periods analysts estimate: this quarter and the next, this fiscal year and the next. */
export const ESTIMATE_PERIODS = [
  "current_quarter",
  "next_quarter",
  "current_year",
  "next_year",
] as const;

/** How many analysts hold each view. */
export const RatingCounts = Type.Object({
  strongBuy: Count,
  buy: Count,
  hold: Count,
  sell: Count,
  strongSell: Count,
});
export type RatingCounts = Static<typeof RatingCounts>;

const Consensus = Type.Object({ low: Figure, average: Figure, high: Figure, analysts: Count });

/** What analysts say of one instrument. */
export const AnalystCoverage = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  /** Views by month, newest first. */
  ratings: Type.Array(
    Type.Composite([
      Type.Object({ month: Type.String({ pattern: "^\\d{4}-\\d{2}$" }) }),
      RatingCounts,
    ]),
  ),
  /** In the instrument's currency; null if no analyst sets one. */
  priceTarget: Nullable(
    Type.Object({ low: Figure, mean: Figure, median: Figure, high: Figure, analysts: Count }),
  ),
  estimates: Type.Array(
    Type.Object({
      period: StringEnum(ESTIMATE_PERIODS),
      periodEnd: DateText,
      eps: Consensus,
      revenue: Consensus,
      epsYearAgo: Figure,
    }),
  ),
  /** What firms did, newest first. */
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

/** When in the day a company reports. */
export const EARNINGS_SESSIONS = [
  "before_market_open",
  "after_market_close",
  "not_supplied",
] as const;

/** The next report of a company, with analysts' estimates. */
export const EarningsDate = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  date: DateText,
  session: StringEnum(EARNINGS_SESSIONS),
  /** The quarter that it is about: as the company names it, `Q4 2026`, or the month of its end, `Jul 2026`. */
  fiscalPeriod: Nullable(Type.String({ maxLength: 20 })),
  epsEstimate: Figure,
  /** In whole units of the company's currency. */
  revenueEstimate: Figure,
  analysts: Nullable(Count),
});
export type EarningsDate = Static<typeof EarningsDate>;
