import type { MetricName } from "#analytics/metrics.ts";
import { periodFigures } from "#analytics/periods.ts";
import {
  BANKS_AND_INSURERS,
  type CompanyFundamentals,
  holdsCustomerFunds,
} from "#analytics/valuation.ts";
import type { Statement } from "#domain/statement.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { type Subject, whyOfCompanies, whyPastMetric } from "./metric-reasons.ts";
import type { WhyMissing } from "./reasons.ts";

/** The ratios of the twelve months that end with a period, by column and label. */
const OF_TWELVE_MONTHS: Readonly<Record<string, MetricName>> = {
  roic_percent: "roic",
  fcf_yield_percent: "fcf_yield",
  ev_to_ebit: "ev_ebit",
  ROIC: "roic",
  "FCF yield": "fcf_yield",
  "EV/EBIT": "ev_ebit",
};

/** What the figures of statements were read from. */
interface Parts {
  readonly market: MarketStore;
  readonly company: Subject;
  readonly shown: readonly { readonly statement: Statement }[];
  /** The figures of the twelve months that end with a period; null for another type than ratios. */
  readonly read: ((statement: Statement) => CompanyFundamentals) | null;
}

/** Why figures of a company's statements are missing. */
export function whyOfStatements({ market, company, shown, read }: Parts): WhyMissing {
  const whyOfCompany = whyOfCompanies(market, () => company);
  const { instrument } = company;
  const { country, symbol } = instrument;
  return (gap) => {
    const { figure, row, isList } = gap;
    const isAbsent = isList || figure === "currency" || figure.startsWith("Fiscal period");
    if (isAbsent && company.fundamentals.filedOn !== null) return "not_in_statements";
    if (isAbsent) return { kind: "statements", country, symbol };
    const statement = row < 0 ? undefined : shown[row]?.statement;
    if (!statement) return whyOfCompany(gap);
    const name = OF_TWELVE_MONTHS[figure];
    if (name !== undefined)
      return read
        ? whyPastMetric(name, { instrument, fundamentals: read(statement) }, market)
        : undefined;
    return whyItem(figure, statement, instrument);
  };
}

/** Why a line or a ratio of one period is null. */
function whyItem(figure: string, { items }: Statement, { industry }: StoredInstrument) {
  const isOf = (pattern: RegExp) => pattern.test(figure);
  if (figure === "accession_number") return "not_published";
  if (isOf(/gross.?margin/i) && BANKS_AND_INSURERS.has(industry ?? "")) return "not_applicable";
  if (isOf(/^fcf|free_cash_flow/i)) {
    const { currentAssets } = items;
    if (holdsCustomerFunds({ sector: null, industry }, currentAssets)) return "not_applicable";
  }
  const { totalEquity } = periodFigures(items, industry);
  const divisor = isOf(/margin/i) ? items.revenue : isOf(/^debt/i) ? totalEquity : null;
  return divisor !== null && divisor <= 0 ? "not_meaningful" : "not_in_statements";
}
