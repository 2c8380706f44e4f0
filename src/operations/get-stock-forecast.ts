import { Type } from "@sinclair/typebox";
import { analystRating } from "#analytics/analyst-rating.ts";
import { surprisePercent } from "#analytics/earnings-surprise.ts";
import { type AnnouncedForecast, announcedForecasts } from "#analytics/forecast-revision.ts";
import { trackRecords } from "#analytics/track-record.ts";
import { type AnalystCoverage, ESTIMATE_PERIODS } from "#domain/analyst-coverage.ts";
import { CountryCode } from "#domain/country.ts";
import type { EarningsResult } from "#domain/earnings-results.ts";
import { DateOutput, FigureOutput, Named, Nullable, StringEnum } from "#domain/schema.ts";
import type { Cell } from "#lib/table.ts";
import { round2, roundPrice } from "#panels/format.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { ListInput, SymbolInput } from "./reading/inputs.ts";
import { getInstrument, requireCompany } from "./reading/instruments.ts";
import { instrumentNeeds } from "./needs.ts";
import { newestPrice } from "#rollups/prices.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation } from "./operation.ts";
import type { WhyMissing } from "./reasons.ts";

/** Five years of sessions: enough for every evaluated target. */
const HISTORY_BARS = 1_300;

/** The parts of the payload that can be asked for alone. */
const SECTIONS = [
  "rating_trend",
  "price_target",
  "estimates",
  "surprises",
  "actions",
  "track_record",
] as const;

/** The published definition of a surprise. */
export const SURPRISE =
  "Reported less estimated earnings per share, in percent of the estimate's size: 2.42; null without an estimate.";

const Consensus = Named(
  "Consensus",
  Type.Object({
    low: FigureOutput("Lowest estimate in whole units: 1.43."),
    average: FigureOutput("Mean estimate in whole units: 1.43."),
    high: FigureOutput("Highest estimate in whole units: 1.43."),
    analysts: Type.Integer({ description: "Number of analysts with an estimate." }),
  }),
);
const RatingCount = (rating: string) =>
  Type.Integer({ description: `Analysts who say ${rating}.` });

export const getStockForecast = defineOperation({
  name: "get_stock_forecast",
  set: "company",
  title: "Analyst forecasts",
  description:
    "Returns the analysts' view of a company: ratings by month, price targets, EPS and revenue estimates, past EPS surprises, recent actions, and how each firm's past targets did. For reported figures use get_stock_statements.",
  path: "/data/stocks/{symbol}/forecast",
  notRewound: COMPANY_FACTS,
  input: Type.Object({
    country: CountryCode,
    symbol: SymbolInput,
    sections: Type.Optional(ListInput(StringEnum(SECTIONS), `Only these: ${SECTIONS.join(", ")}.`)),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 5,
        description: "Rows of a section.",
      }),
    ),
  }),
  output: Type.Object({
    name: Type.String({ description: "Name of the company: Apple Inc." }),
    currency: Type.String({
      description: "ISO code of the currency of prices and price targets: USD.",
    }),
    price: FigureOutput("Newest close in `currency`: 177.39."),
    rating: Nullable(Type.String({ description: "Label of the newest month's mean rating: Buy." })),
    rating_trend: Type.Optional(
      Type.Array(
        Type.Object({
          month: Type.String({ description: "Month of the ratings, YYYY-MM." }),
          strong_buy: RatingCount("strong buy"),
          buy: RatingCount("buy"),
          hold: RatingCount("hold"),
          sell: RatingCount("sell"),
          strong_sell: RatingCount("strong sell"),
        }),
      ),
    ),
    price_target: Type.Optional(
      Nullable(
        Type.Object({
          low: FigureOutput("Lowest target in `currency`: 120."),
          mean: FigureOutput("Mean target in `currency`: 200.5."),
          median: FigureOutput("Median target in `currency`: 205."),
          high: FigureOutput("Highest target in `currency`: 250."),
          analysts: Type.Integer({ description: "Number of analysts with a target." }),
          upside_percent: FigureOutput(
            "Distance of the mean target from the newest close in percent: 12.50.",
          ),
        }),
      ),
    ),
    estimates: Type.Optional(
      Type.Array(
        Type.Object({
          period: StringEnum(ESTIMATE_PERIODS, { description: "Fiscal quarter or year." }),
          period_end: DateOutput("Last day of the period, YYYY-MM-DD."),
          eps: Consensus,
          revenue: Consensus,
          eps_year_ago: FigureOutput(
            "Reported earnings per share one year before the period: 1.40; null for next_year.",
          ),
        }),
      ),
    ),
    company_forecast: Type.Optional(
      Type.Array(
        Type.Object({
          period_end: DateOutput("Last day of the fiscal year, YYYY-MM-DD."),
          announced_on: DateOutput("Date of the announcement, YYYY-MM-DD."),
          revenue: FigureOutput("Sales in whole units: 48000000000000."),
          operating_profit: FigureOutput("In whole units: 4800000000000."),
          ordinary_profit: FigureOutput("Before tax and extraordinary items, in whole units."),
          net_profit: FigureOutput("Of the parent's owners, in whole units."),
          eps: FigureOutput("Earnings per share in today's shares: 295.38."),
          dividend_per_share: FigureOutput("Dividend of the whole year in today's shares: 95."),
          revision: Nullable(
            Type.String({
              description:
                "Change of earnings since the announcement before: raised or lowered, or null.",
            }),
          ),
        }),
        { description: "Forecasts of the company itself, newest first; left out if unknown." },
      ),
    ),
    surprises: Type.Optional(
      Type.Array(
        Type.Object({
          quarter_end: Type.String({
            description: "Month in which the reported fiscal quarter ends, YYYY-MM, newest first.",
          }),
          reported_on: Nullable(DateOutput("Day of the report, YYYY-MM-DD, or null.")),
          eps_actual: Type.Number({
            description:
              "Reported earnings per share in `currency` as analysts count them, often without one-off items, in today's shares: 1.64.",
          }),
          eps_estimate: FigureOutput("Mean estimate before the report in today's shares: 1.60."),
          surprise_percent: FigureOutput(SURPRISE),
        }),
      ),
    ),
    surprises_total: Type.Optional(
      Type.Integer({ description: "Number of all quarters with a reported result." }),
    ),
    actions: Type.Optional(
      Type.Array(
        Type.Object({
          date: DateOutput("Date of the action, YYYY-MM-DD."),
          firm: Type.String({ description: "Name of the firm." }),
          action: Type.String({
            description: "Action: upgrade, downgrade, initiate, maintain or reiterate.",
          }),
          to_grade: Nullable(
            Type.String({ description: "New rating in the words of the firm: Outperform." }),
          ),
          price_target: FigureOutput("New price target in `currency`: 210."),
        }),
      ),
    ),
    actions_total: Type.Optional(
      Type.Integer({ description: "Number of all actions. A higher limit returns more of them." }),
    ),
    track_record: Type.Optional(
      Type.Array(
        Type.Object({
          firm: Type.String({ description: "Name of the firm." }),
          targets: Type.Integer({ description: "Number of targets older than a year." }),
          hit_percent: Type.Number({
            description:
              "Share of these targets that the price reached within a year, in percent: 60.",
          }),
          average_return_percent: Type.Number({
            description: "Mean change of the price in the year after a target, in percent: 8.21.",
          }),
        }),
      ),
    ),
    track_record_total: Type.Optional(
      Type.Integer({ description: "Number of all firms with a track record." }),
    ),
  }),
  table: (data) => ({ columns: ["section", "entry", "field", "value"], rows: forecastRows(data) }),
  needs: ({ country, symbol }) => [
    ...instrumentNeeds({ country, symbol }, [], ["bars", "earningsResults", "companyForecasts"]),
    // What the company expects is an answer without analysts.
    { kind: "analystCoverage", country, symbol, substitute: "companyForecasts" },
  ],
  handle({ country, symbol, sections, limit = 5 }, { market }) {
    const instrument = getInstrument(market, { country, symbol });
    requireCompany(instrument, "analyst forecasts");
    const coverage = market.documents.find("analystCoverage", country, symbol);
    const history = market.bars.findProvenance(instrument.id);
    const quote = market.documents.find("quotes", country, symbol);
    const price = newestPrice(market, instrument, history, quote)?.close ?? null;
    // Until a split is known, targets are in other shares than the price.
    const comparable = market.showsUnknownSplit(instrument) ? null : price;
    const actions = coverage?.actions ?? [];
    const past = market.documents.find("earningsResults", country, symbol);
    const results = past?.results.toReversed() ?? [];
    const own = market.documents.find("companyForecasts", country, symbol);
    const [newestRatings] = coverage?.ratings ?? [];
    const has = (section: (typeof SECTIONS)[number]) =>
      sections === undefined || sections.split(",").includes(section);
    const records = has("track_record")
      ? trackRecords(actions, market.bars.series(instrument.id, HISTORY_BARS))
      : [];
    return {
      data: {
        name: instrument.name,
        currency: instrument.currency,
        price: price === null ? null : roundPrice(price),
        rating: newestRatings ? analystRating(newestRatings) : null,
        ...(has("rating_trend") && { rating_trend: (coverage?.ratings ?? []).map(ratingCounts) }),
        ...(has("price_target") && { price_target: priceTarget(coverage, comparable) }),
        ...(has("estimates") && { estimates: (coverage?.estimates ?? []).map(estimate) }),
        ...(has("estimates") &&
          own && {
            company_forecast: announcedForecasts(own.forecasts)
              .slice(0, limit)
              .map(companyForecast),
          }),
        ...(has("surprises") && {
          surprises: results.slice(0, limit).map(surprise),
          surprises_total: results.length,
        }),
        ...(has("actions") && {
          actions: actions.slice(0, limit).map(actionRow),
          actions_total: actions.length,
        }),
        ...(has("track_record") && {
          track_record: records.slice(0, limit).map((record) => ({
            firm: record.firm,
            targets: record.targets,
            hit_percent: round2(record.hitPercent) ?? 0,
            average_return_percent: round2(record.averageReturnPercent) ?? 0,
          })),
          track_record_total: records.length,
        }),
      },
      from: [
        coverage ?? instrument,
        history ?? instrument,
        quote ?? instrument,
        past ?? instrument,
        own ?? instrument,
      ],
      why: whyOfForecast(instrument, {
        hasCoverage: coverage !== null,
        hasResults: past !== null,
        hasActions: actions.length > 0,
        isComparable: price === null || comparable !== null,
      }),
    };
  },
});

/** Why forecasts of a company are missing, by the records that are stored. */
const whyOfForecast =
  (
    { country, symbol }: StoredInstrument,
    stored: {
      readonly hasCoverage: boolean;
      readonly hasResults: boolean;
      readonly hasActions: boolean;
      /** False while targets are in other shares than the price. */
      readonly isComparable: boolean;
    },
  ): WhyMissing =>
  ({ figure, path, of }) => {
    if (figure === "price") return { kind: "bars", country, symbol };
    if (figure === "surprises")
      return stored.hasResults ? "not_published" : { kind: "earningsResults", country, symbol };
    if (!stored.hasCoverage && path.length === 0)
      return { kind: "analystCoverage", country, symbol };
    // A target is a year old before it can be judged.
    if (figure === "track_record") return stored.hasActions ? "too_few" : "not_published";
    if (figure === "upside_percent") return stored.isComparable ? "not_published" : "contradicted";
    if (figure === "surprise_percent")
      return of["eps_estimate"] === 0 ? "not_meaningful" : "not_published";
    if (figure === "eps_year_ago" && of["period"] === "next_year") return "not_released";
    return figure === "revision" ? "none" : "not_published";
  };

/** Parts of an answer that say something of its figures. Tables have figures only. */
const NOTES = ["reasons", "not_rewound"];

/** A row for each value: `estimates`, the entry's number from 1, `eps.average`, 1.43. */
function forecastRows(data: object): Cell[][] {
  const sections = Object.entries(data).filter(([section]) => !NOTES.includes(section));
  return sections.flatMap(([section, value]): Cell[][] =>
    Array.isArray(value)
      ? (value as object[]).flatMap((entry, i) =>
          flatten(entry).map(([field, cell]) => [section, i + 1, field, cell]),
        )
      : flatten({ [section]: value as unknown }).map(([path, cell]) => {
          const field = path.slice(section.length + 1);
          return [section, null, field === "" ? null : field, cell];
        }),
  );
}

/** The values of an object with their paths: `eps.average`. */
function flatten(value: object, path = ""): (readonly [string, Cell])[] {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === "object" && inner !== null
      ? flatten(inner as object, `${path}${name}.`)
      : [[`${path}${name}`, inner as Cell] as const],
  );
}

const ratingCounts = (month: AnalystCoverage["ratings"][number]) => ({
  month: month.month,
  strong_buy: month.strongBuy,
  buy: month.buy,
  hold: month.hold,
  sell: month.sell,
  strong_sell: month.strongSell,
});

function priceTarget(coverage: AnalystCoverage | null, price: number | null) {
  const target = coverage?.priceTarget ?? null;
  const mean = target?.mean ?? null;
  const upside = price === null || mean === null ? null : round2(100 * (mean / price - 1));
  return target && { ...target, upside_percent: upside };
}

const estimate = (one: AnalystCoverage["estimates"][number]) => ({
  period: one.period,
  period_end: one.periodEnd,
  eps: one.eps,
  revenue: one.revenue,
  eps_year_ago: one.epsYearAgo,
});

const companyForecast = (one: AnnouncedForecast) => ({
  period_end: one.yearEnd,
  announced_on: one.announcedOn,
  revenue: one.revenue,
  operating_profit: one.operatingIncome,
  ordinary_profit: one.ordinaryIncome,
  net_profit: one.netIncome,
  eps: one.eps,
  dividend_per_share: one.dividendPerShare,
  revision: one.revision,
});

const surprise = (result: EarningsResult) => ({
  quarter_end: result.quarterEnd,
  reported_on: result.reportedOn,
  eps_actual: result.epsActual,
  eps_estimate: result.epsEstimate,
  surprise_percent: round2(surprisePercent(result)),
});

const actionRow = (action: AnalystCoverage["actions"][number]) => ({
  date: action.date,
  firm: action.firm,
  action: action.action,
  to_grade: action.toGrade,
  price_target: action.priceTarget,
});
