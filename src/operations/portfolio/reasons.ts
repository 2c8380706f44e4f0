import { isCompany, isShare } from "#domain/instrument.ts";
import { metricOf, whyMetric } from "#operations/metric-reasons.ts";
import type { Gap, Why, WhyMissing } from "#operations/reasons.ts";
import type { MarketStore } from "#store/index.ts";
import { MONTHS_BEFORE } from "./income-months.ts";
import type { Item, Today } from "./today.ts";

/** What the figures of a portfolio were read from. */
interface Parts {
  readonly market: MarketStore;
  readonly today: Today;
  /** False if no price is known at the start of the period. */
  readonly hasStart: boolean;
  /** False if the value falls to zero or below. */
  readonly isPositive: boolean;
}

/** Columns in money, which weights alone do not have. */
const AMOUNTS = ["shares", "value", "start_value", "end_value"];
const COSTS = ["cost", "gain", "gain_percent"];
const TOTALS = ["total_return", "total_contribution"];

/** Why figures of a portfolio are null. */
export function whyOfPortfolio(parts: Parts): WhyMissing {
  const { market, today, hasStart, isPositive } = parts;
  const { items, isKnown } = today;
  return (gap) => {
    const { figure, path, row, isList } = gap;
    if (isList) return "none";
    if (path[0] === "rows") {
      const item = items[row];
      return item && whyOfHolding(gap, item, parts);
    }
    if (!isKnown && [...AMOUNTS, "last_12_months"].includes(figure)) return "not_asked";
    if (figure === "recovered_session") return "none";
    switch (path[0]) {
      case "performance":
        if (!hasStart) return "not_listed_then";
        return firstOf(items, (item) => (item.totals ? undefined : whyNoDividends(market, item)));
      case "risk":
        if (!isPositive) return "not_meaningful";
        return figure.endsWith("_session") ? "none" : "too_few";
      case "income":
        return firstOf(items, (item) => whyNoIncome(market, item));
      case "income_by_month":
        // Nothing is expected in past months, and nothing is paid yet in later ones.
        if (figure === "expected" ? row < MONTHS_BEFORE : row > MONTHS_BEFORE) return "none";
        return isKnown ? "no_rate" : "not_asked";
      case "ratios":
        return whyRatio(figure, items);
      default:
        return COSTS.includes(figure) ? "not_asked" : undefined;
    }
  };
}

function firstOf(items: readonly Item[], whyOf: (item: Item) => Why | undefined): Why | undefined {
  for (const item of items) {
    const why = whyOf(item);
    if (why !== undefined) return why;
  }
  return undefined;
}

function whyOfHolding({ figure }: Gap, item: Item, parts: Parts): Why | undefined {
  const { market, today, hasStart } = parts;
  const { instrument, company, paid } = item;
  if (COSTS.includes(figure)) {
    if (!instrument) return "not_applicable";
    return item.purchases ? "no_rate" : "not_asked";
  }
  if (!instrument)
    return AMOUNTS.includes(figure) && !today.isKnown ? "not_asked" : "not_applicable";
  if (AMOUNTS.includes(figure) && !today.isKnown) return "not_asked";
  if (figure === "income" || figure === "yield")
    return figure === "income" && !today.isKnown ? "not_asked" : whyNoIncome(market, item);
  if (figure === "sector" || figure === "industry")
    return isCompany(instrument.assetType) ? "not_published" : "not_applicable";
  const { country, symbol, assetType } = instrument;
  if (figure === "next_earnings") {
    if (!company) return "not_applicable";
    const stored = market.documents.find("earningsDates", country, symbol);
    // The last known report is over.
    return stored ? "none" : { kind: "earningsDates", country, symbol };
  }
  if (figure === "next_ex_date") return paid ? "none" : whyNoDividends(market, item);
  const name = metricOf(figure);
  if (name !== undefined) return company ? whyMetric(name, company, market) : "not_applicable";
  if (TOTALS.includes(figure) && !item.totals) return whyNoDividends(market, item);
  if (figure === "begins") return "no_rate";
  if (figure === "risk_share") return "too_few";
  const isOfStart = /^(?:start|end)_|return|contribution/.test(figure);
  return isOfStart && (!hasStart || assetType !== "index") ? "not_listed_then" : undefined;
}

/** Why dividends are unknown; undefined if they are known. */
function whyNoDividends(market: MarketStore, { instrument, paid }: Item): Why | undefined {
  if (!instrument) return undefined;
  const { country, symbol, assetType } = instrument;
  if (!isShare(assetType)) return "not_applicable";
  if (paid || market.showsUnknownSplit(instrument)) return "contradicted";
  return { kind: "dividends", country, symbol };
}

function whyNoIncome(market: MarketStore, item: Item): Why | undefined {
  if (item.income !== null) return undefined;
  return item.yieldPercent === null ? whyNoDividends(market, item) : "no_rate";
}

/** A ratio of all companies is null if a figure of them is unknown, or their sum is not positive. */
function whyRatio(figure: string, items: readonly Item[]): Why {
  const companies = items.flatMap(({ company }) => company?.fundamentals ?? []);
  if (companies.length === 0) return "not_applicable";
  const isKnown = companies.every(({ netIncomeTtm, commonEquity, revenueTtm }) => {
    if (figure === "pe") return netIncomeTtm !== null;
    return (figure === "pb" ? commonEquity : revenueTtm) !== null;
  });
  return isKnown && figure !== "gross_margin" ? "not_meaningful" : "not_in_statements";
}
