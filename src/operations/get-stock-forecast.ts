import { Type } from "@sinclair/typebox";
import { analystRating } from "#analytics/analyst-rating.ts";
import { trackRecords } from "#analytics/track-record.ts";
import { ESTIMATE_PERIODS } from "#domain/analyst-coverage.ts";
import { CountryCode } from "#domain/country.ts";
import { DateOutput, Named, Nullable, StringEnum } from "#domain/schema.ts";
import { round2, roundPrice } from "#panels/format.ts";
import { SymbolInput } from "./inputs.ts";
import { getInstrument, requireCompany } from "./instruments.ts";
import { instrumentNeeds } from "./needs.ts";
import { newestPrice } from "#rollups/companies.ts";
import { defineOperation } from "./operation.ts";

/** Enough for every judged action: five years of sessions. */
const HISTORY_BARS = 1_300;

const Figure = Nullable(Type.Number());
const Consensus = Named(
  "Consensus",
  Type.Object({
    low: Figure,
    average: Figure,
    high: Figure,
    analysts: Type.Integer(),
  }),
);

export const getStockForecast = defineOperation({
  name: "get_stock_forecast",
  title: "Analyst forecasts",
  description:
    "What analysts expect of a ticker: ratings by month, price targets, EPS and revenue estimates, recent actions, and how each firm's past targets came out on our prices. Empty if no analyst covers it; only companies have any. For reported figures use get_stock_statements.",
  path: "/data/stocks/{symbol}/forecast",
  input: Type.Object({
    country: CountryCode,
    symbol: SymbolInput,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 5,
        description: "Actions and firms to return.",
      }),
    ),
  }),
  output: Type.Object({
    name: Type.String(),
    currency: Type.String(),
    price: Nullable(Type.Number({ description: "Newest close." })),
    rating: Nullable(Type.String({ description: "The newest month's views in words." })),
    rating_trend: Type.Array(
      Type.Object({
        month: Type.String(),
        strong_buy: Type.Integer(),
        buy: Type.Integer(),
        hold: Type.Integer(),
        sell: Type.Integer(),
        strong_sell: Type.Integer(),
      }),
    ),
    price_target: Nullable(
      Type.Object({
        low: Figure,
        mean: Figure,
        median: Figure,
        high: Figure,
        analysts: Type.Integer(),
        upside_percent: Nullable(
          Type.Number({ description: "Of the mean over the newest close." }),
        ),
      }),
    ),
    estimates: Type.Array(
      Type.Object({
        period: StringEnum(ESTIMATE_PERIODS),
        period_end: DateOutput("Last day of the period."),
        eps: Consensus,
        revenue: Consensus,
        eps_year_ago: Figure,
      }),
    ),
    actions: Type.Array(
      Type.Object({
        date: DateOutput("Day of the action."),
        firm: Type.String(),
        action: Type.String(),
        to_grade: Nullable(Type.String()),
        price_target: Figure,
      }),
    ),
    actions_total: Type.Integer({
      description: "Actions that there are; a higher limit gives more.",
    }),
    track_record: Type.Array(
      Type.Object({
        firm: Type.String(),
        targets: Type.Integer({ description: "Targets older than a year." }),
        hit_percent: Type.Number({ description: "Share that the price touched within a year." }),
        average_return_percent: Type.Number({ description: "Of the price in the year after." }),
      }),
    ),
  }),
  needs: (input) => instrumentNeeds(input, ["analystCoverage"], ["bars"]),
  handle({ country, symbol, limit = 5 }, { market }) {
    const instrument = getInstrument(market, { country, symbol });
    requireCompany(instrument, "analyst forecasts");
    const coverage = market.documents.find("analystCoverage", country, symbol);
    const bars = market.bars.series(instrument.id, HISTORY_BARS);
    const history = market.bars.findProvenance(instrument.id);
    const quote = market.documents.find("quotes", country, symbol);
    const price = newestPrice(market, instrument, history, quote)?.close ?? null;
    const target = coverage?.priceTarget ?? null;
    const actions = coverage?.actions ?? [];
    const [views] = coverage?.ratings ?? [];
    return {
      data: {
        name: instrument.name,
        currency: instrument.currency,
        price: price === null ? null : roundPrice(price),
        rating: views ? analystRating(views) : null,
        rating_trend: (coverage?.ratings ?? []).map((month) => ({
          month: month.month,
          strong_buy: month.strongBuy,
          buy: month.buy,
          hold: month.hold,
          sell: month.sell,
          strong_sell: month.strongSell,
        })),
        price_target: target && {
          ...target,
          upside_percent:
            price === null || target.mean === null ? null : round2(100 * (target.mean / price - 1)),
        },
        estimates: (coverage?.estimates ?? []).map((estimate) => ({
          period: estimate.period,
          period_end: estimate.periodEnd,
          eps: estimate.eps,
          revenue: estimate.revenue,
          eps_year_ago: estimate.epsYearAgo,
        })),
        actions: actions.slice(0, limit).map((action) => ({
          date: action.date,
          firm: action.firm,
          action: action.action,
          to_grade: action.toGrade,
          price_target: action.priceTarget,
        })),
        actions_total: actions.length,
        track_record: trackRecords(actions, bars)
          .slice(0, limit)
          .map((record) => ({
            firm: record.firm,
            targets: record.targets,
            hit_percent: round2(record.hitPercent) ?? 0,
            average_return_percent: round2(record.averageReturnPercent) ?? 0,
          })),
      },
      from: [coverage ?? instrument, history ?? instrument, quote ?? instrument],
    };
  },
});
