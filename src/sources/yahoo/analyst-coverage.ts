import type { Static } from "@sinclair/typebox";
import type { AnalystCoverage } from "#domain/analyst-coverage.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import { addMonths, dateOf } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { datesIn, type Figure, figureOf, isIn, plainText } from "./answer.ts";
import { requestQuoteSummary, parseQuoteSummary, type QuoteSummary } from "./quote-summary.ts";
import { YAHOO } from "./source.ts";
import { companyOf } from "./symbol.ts";

const MAX_ACTIONS = 60;

const PERIODS: ReadonlyMap<string, AnalystCoverage["estimates"][number]["period"]> = new Map([
  ["0q", "current_quarter"],
  ["+1q", "next_quarter"],
  ["0y", "current_year"],
  ["+1y", "next_year"],
]);

const ACTIONS: ReadonlyMap<string, AnalystCoverage["actions"][number]["action"]> = new Map([
  ["up", "upgrade"],
  ["down", "downgrade"],
  ["init", "initiate"],
  ["main", "maintain"],
  ["reit", "reiterate"],
]);

/**
 * Ratings by month, price targets, estimates and the newest 60 actions of analysts. Estimates in
 * another currency than the instrument's are left out, and so are actions of an unknown kind. An
 * estimate without a currency is in the currency of the company's statements.
 */
export const yahooCoverage = defineFetcher({
  kind: "analystCoverage",
  source: YAHOO,
  countries: ["US", "JP", "VN"],
  scope: "instrument",
  fetch: async (query, client) => requestQuoteSummary(client, companyOf(query)),
  transform(answer: unknown, query) {
    const company = companyOf(query);
    const { country, symbol, currency } = company;
    const summary = parseQuoteSummary(answer, company);
    const coverage: AnalystCoverage = {
      country,
      symbol,
      ratings: ratingsOf(summary, query.now),
      priceTarget: priceTargetOf(summary),
      estimates: estimatesOf(summary, currency),
      actions: actionsOf(summary, country),
    };
    const { ratings, priceTarget, estimates, actions } = coverage;
    if (priceTarget === null && ratings.length + estimates.length + actions.length === 0) {
      throw YAHOO.error("nothing", "no analyst covers the company there");
    }
    return [coverage];
  },
});

/** A count; null if the figure is missing or is not a count. */
export function countOf(figure: Static<typeof Figure> | undefined): number | null {
  const count = figureOf(figure);
  return count !== null && Number.isInteger(count) && count >= 0 ? count : null;
}

/** The months with at least one analyst's view; `0m` is this month, `-1m` the last one. */
function ratingsOf({ recommendationTrend }: QuoteSummary, now: number): AnalystCoverage["ratings"] {
  const thisMonth = `${dateOf(now).slice(0, 7)}-01`;
  const byMonth = new Map<string, AnalystCoverage["ratings"][number]>();
  for (const { period, ...views } of recommendationTrend?.trend ?? []) {
    const [, ago] = /^-?(\d{1,2})m$/.exec(period) ?? [];
    if (ago === undefined) continue;
    const month = addMonths(thisMonth, -Number(ago)).slice(0, 7);
    const counts = {
      strongBuy: countOf(views.strongBuy) ?? 0,
      buy: countOf(views.buy) ?? 0,
      hold: countOf(views.hold) ?? 0,
      sell: countOf(views.sell) ?? 0,
      strongSell: countOf(views.strongSell) ?? 0,
    };
    if (Object.values(counts).some((count) => count > 0)) byMonth.set(month, { month, ...counts });
  }
  return [...byMonth.values()].sort((a, b) => b.month.localeCompare(a.month));
}

function priceTargetOf({ financialData }: QuoteSummary): AnalystCoverage["priceTarget"] {
  const analysts = countOf(financialData?.numberOfAnalystOpinions);
  const target = {
    low: figureOf(financialData?.targetLowPrice),
    mean: figureOf(financialData?.targetMeanPrice),
    median: figureOf(financialData?.targetMedianPrice),
    high: figureOf(financialData?.targetHighPrice),
  };
  if (!analysts || Object.values(target).every((price) => price === null)) return null;
  return { ...target, analysts };
}

function estimatesOf(
  { earningsTrend, financialData }: QuoteSummary,
  currency: string,
): AnalystCoverage["estimates"] {
  const financial = financialData?.financialCurrency;
  return (earningsTrend?.trend ?? []).flatMap((row) => {
    const period = PERIODS.get(row.period);
    if (period === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(row.endDate ?? "")) return [];
    const { earningsEstimate, revenueEstimate } = row;
    const earnings = isIn(currency, earningsEstimate?.earningsCurrency ?? financial)
      ? earningsEstimate
      : null;
    const revenue = consensusOf(
      isIn(currency, revenueEstimate?.revenueCurrency ?? financial) ? revenueEstimate : null,
    );
    const eps = consensusOf(earnings);
    if (eps.analysts + revenue.analysts === 0) return [];
    // A year before the next year is the current one: Yahoo gives its estimate.
    const epsYearAgo = period === "next_year" ? null : figureOf(earnings?.yearAgoEps);
    return [{ period, periodEnd: row.endDate ?? "", eps, revenue, epsYearAgo }];
  });
}

type Estimate = NonNullable<
  NonNullable<QuoteSummary["earningsTrend"]>["trend"][number]["revenueEstimate"]
>;

/** The figures of an estimate; null without analysts, even if there are figures. */
function consensusOf(estimate: Estimate | null | undefined) {
  const analysts = countOf(estimate?.numberOfAnalysts) ?? 0;
  const given = analysts > 0 ? estimate : null;
  return {
    low: figureOf(given?.low),
    average: figureOf(given?.avg),
    high: figureOf(given?.high),
    analysts,
  };
}

function actionsOf(
  { upgradeDowngradeHistory }: QuoteSummary,
  country: Country,
): AnalystCoverage["actions"] {
  const dateAt = datesIn(COUNTRIES[country].timeZone);
  return (upgradeDowngradeHistory?.history ?? [])
    .toSorted((a, b) => b.epochGradeDate - a.epochGradeDate)
    .flatMap((row) => {
      const action = ACTIONS.get(row.action ?? "");
      const firm = plainText(row.firm, 120);
      if (action === undefined || firm === null) return [];
      const target = (price: number | null) => (price !== null && price > 0 ? price : null);
      return [
        {
          date: dateAt(row.epochGradeDate),
          firm,
          action,
          fromGrade: plainText(row.fromGrade, 60),
          toGrade: plainText(row.toGrade, 60),
          priceTarget: target(figureOf(row.currentPriceTarget)),
          priorPriceTarget: target(figureOf(row.priorPriceTarget)),
        },
      ];
    })
    .slice(0, MAX_ACTIONS);
}
