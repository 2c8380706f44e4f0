import {
  type Metric,
  METRIC_NAMES,
  type MetricInputs,
  type MetricName,
  METRICS,
} from "#analytics/metrics.ts";
import { periodFigures } from "#analytics/periods.ts";
import { knownStatements, ttm } from "#analytics/ttm.ts";
import {
  BANKS_AND_INSURERS,
  type CompanyFundamentals,
  holdsCustomerFunds,
} from "#analytics/valuation.ts";
import { isCompany, isShare } from "#domain/instrument.ts";
import type { RecordKind } from "#domain/records.ts";
import type { Statement } from "#domain/statement.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import { CurrencyRates } from "#rollups/currency-rates.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { isRecent } from "./past-periods.ts";
import { NO_PERFORMANCE } from "./reading/known-on.ts";
import type { Gap, Why, WhyMissing } from "./reasons.ts";

/** A company whose metrics are missing. Figures that a past period does not have are left out. */
export interface Subject
  extends
    Pick<MetricInputs, "fundamentals">,
    Partial<Omit<MetricInputs, "fundamentals" | "instrument">>,
    Partial<Pick<CompanyMetrics, "starts" | "showsUnknownSplit">> {
  readonly instrument: StoredInstrument;
}

type Figure = keyof CompanyFundamentals;

/** The figures that must be positive for a metric to have a meaning. */
const DIVISORS: Partial<Record<MetricName, readonly Figure[]>> = {
  peg: ["epsGrowthPercent"],
  pb: ["commonEquity"],
  ps: ["revenueTtm"],
  pcf: ["operatingCashFlowTtm"],
  pfcf: ["freeCashFlowTtm"],
  ev_ebitda: ["enterpriseValue", "ebitdaTtm"],
  ev_revenue: ["enterpriseValue", "revenueTtm"],
  ev_ebit: ["enterpriseValue", "operatingIncomeTtm"],
  gross_margin: ["revenueTtm"],
  operating_margin: ["revenueTtm"],
  net_margin: ["revenueTtm"],
  fcf_margin: ["revenueTtm"],
  roe: ["commonEquity"],
  roa: ["totalAssets"],
  equity_ratio: ["totalAssets"],
  debt_to_equity: ["totalEquity"],
  cash_to_debt: ["totalDebt"],
};

/** The metrics that need earnings above zero. */
const OF_EARNINGS: readonly MetricName[] = ["pe", "peg", "payout_ratio"];

/** The metrics that companies which hold customers' money do not have. */
const NOT_OF_CUSTODIANS: readonly MetricName[] = [
  "ebitda",
  "free_cash_flow",
  "pcf",
  "pfcf",
  "fcf_yield",
  "fcf_margin",
  "ev_ebitda",
  "ev_revenue",
  "ev_ebit",
  "roic",
];

/** The metrics that need what all shares cost. */
const OF_MARKET_CAP: readonly MetricName[] = [
  "enterprise_value",
  "pb",
  "ps",
  "pcf",
  "pfcf",
  "ev_ebitda",
  "ev_revenue",
  "ev_ebit",
  "fcf_yield",
];

/** The metrics of past results and of analysts, by the records that have them. */
const RECORDS_OF: Partial<Record<MetricName, RecordKind>> = {
  eps_surprise_last: "earningsResults",
  eps_beats_4q: "earningsResults",
  rating: "analystCoverage",
  analyst_count: "analystCoverage",
  target_price: "analystCoverage",
  target_upside: "analystCoverage",
  forward_pe: "analystCoverage",
};

/** Periods whose figures are left out while the newest quote shows an unknown split. */
const OF_SHARES: readonly Metric["period"][] = [
  "year",
  "earlier session",
  "dividend year",
  "calendar years",
  "announced",
  "month ends",
  "1y total",
  "5y total",
  "year to date",
];
const NAMES_OF_SHARES: readonly MetricName[] = [
  "reference_price",
  "ceiling_price",
  "floor_price",
  "below_ceiling",
  "above_floor",
  "eps",
  "eps_growth",
  "pe",
  "peg",
  "payout_ratio",
  "rsi",
  "macd",
  "rating",
  "analyst_count",
  "target_price",
  "target_upside",
  "forward_pe",
  "market_cap",
  "shares_outstanding",
];

/** Why a metric of a company is null, by what is stored. Undefined if there is no evidence. */
export function whyMetric(
  name: MetricName,
  company: Subject,
  market: MarketStore,
): Why | undefined {
  const { instrument, showsUnknownSplit = false } = company;
  const metric: Metric = METRICS[name];
  const { period } = metric;
  const isOfPrices = /^(?:earlier )?session$|^year/.test(period) || isWindow(period);
  const isOfDividends =
    period.includes("dividend") || period === "calendar years" || period === "announced";
  const isFundamental = !isOfPrices && !isOfDividends && !period.endsWith(" total");
  if (isKnown(metric, company)) return "no_rate";
  if (isFundamental || name === "market_cap" ? !isCompany(instrument.assetType) : false)
    return "not_applicable";
  if ((isOfDividends || period.endsWith(" total")) && !isShare(instrument.assetType))
    return "not_applicable";
  if (showsUnknownSplit && (OF_SHARES.includes(period) || NAMES_OF_SHARES.includes(name)))
    return "contradicted";
  if (name !== "market_cap" && isOfPrices) return whyPrice(name, company, market);
  if (isOfDividends) return whyDividend(name, company, market);
  if (period.endsWith(" total")) return whyTotalReturn(period, company);
  if (period === "month ends") return whyOwnHistory(name, company, market);
  const kind = RECORDS_OF[name];
  if (kind !== undefined) return whyRecorded(name, kind, company);
  if (name === "employees")
    return market.knownOn === null ? "not_published" : absent("instruments", company);
  return whyFundamental(name, company, market);
}

const isWindow = (period: string) => /^(?:\d+[dwmy]|ytd)$/.test(period);

/** True for a value that is known in another currency than the answer's. */
const isKnown = (metric: Metric, company: Subject) =>
  company.newest !== undefined && metric.valueOf(company as CompanyMetrics) !== null;

const absent = (kind: RecordKind, { instrument: { country, symbol } }: Subject): Why => ({
  kind,
  country,
  symbol,
});

/** The metrics of the rules of Tokyo and Viet Nam. */
const OF_EXCHANGES: readonly MetricName[] = [
  "min_investment",
  "reference_price",
  "ceiling_price",
  "floor_price",
  "below_ceiling",
  "above_floor",
];

/** The metrics that only Viet Nam has. */
const OF_FOREIGNERS: readonly MetricName[] = ["foreign_net_value", "foreign_room"];

function whyPrice(name: MetricName, company: Subject, market: MarketStore): Why | undefined {
  const { newest, starts, year, instrument } = company;
  const { country, symbol, assetType } = instrument;
  if (OF_FOREIGNERS.includes(name))
    return country === "VN" && isShare(assetType)
      ? absent("foreignTrades", company)
      : "not_applicable";
  const isRule = OF_EXCHANGES.includes(name);
  if (isRule && (country === "US" || !isShare(assetType))) return "not_applicable";
  if (newest === undefined) return undefined;
  if (newest === null) return absent("bars", company);
  if (isRule && name !== "min_investment" && country === "VN" && instrument.exchange !== "UPCOM") {
    // Without them, the day may be an ex-date.
    if (!market.documents.find("dividends", country, symbol)) return absent("dividends", company);
  }
  if (name === "volume" || name === "traded_value" || isRule) return "not_published";
  const { period }: Metric = METRICS[name];
  if (isWindow(period) && period !== "1d")
    return starts?.[period as keyof typeof starts] === null ? "not_listed_then" : undefined;
  if (period !== "earlier session") return "too_few";
  // Others trade on days on which the index does not.
  return year && isShare(instrument.assetType) ? "suspended" : undefined;
}

function whyDividend(name: MetricName, company: Subject, market: MarketStore): Why | undefined {
  const { history, newest, instrument } = company;
  if (!market.documents.find("dividends", instrument.country, instrument.symbol))
    return absent("dividends", company);
  if (name === "dividend_yield") return newest === null ? absent("bars", company) : undefined;
  if (!history?.dividends) return undefined;
  const { yearsPaid, perShare } = history.dividends;
  return name === "next_ex_date" || yearsPaid + perShare === 0 ? "none" : "too_few";
}

function whyTotalReturn(period: string, company: Subject): Why | undefined {
  const { history, starts, newest } = company;
  if (newest === null) return absent("bars", company);
  if (history?.dividends === null) return absent("dividends", company);
  const window = period.replace(" total", "") as keyof NonNullable<typeof starts>;
  return starts?.[window] === null ? "not_listed_then" : undefined;
}

/** A percentile needs today's value and enough month ends, a median only these. */
function whyOwnHistory(name: MetricName, company: Subject, market: MarketStore): Why | undefined {
  const today = name.replace(/_(?:5y_median|percentile_5y)$/, "") as MetricName;
  const isMissing =
    name.includes("percentile") && METRICS[today].valueOf(company as CompanyMetrics) === null;
  return isMissing ? whyMetric(today, company, market) : "too_few";
}

function whyRecorded(name: MetricName, kind: RecordKind, company: Subject): Why | undefined {
  const { analysts, history, newest, fundamentals } = company;
  if (kind === "earningsResults")
    return history?.surprises === null ? absent(kind, company) : "too_few";
  if (analysts === null) return absent(kind, company);
  if (name !== "forward_pe") return "not_published";
  if (newest === null) return absent("bars", company);
  const eps = analysts?.nextYearEps ?? null;
  if (eps === null) return "not_published";
  if (eps <= 0) return "not_meaningful";
  return fundamentals.statementCurrency === fundamentals.currency ? undefined : "no_rate";
}

function whyFundamental(name: MetricName, company: Subject, market: MarketStore): Why | undefined {
  const { instrument, fundamentals: f, newest } = company;
  if (name === "market_cap" || name === "shares_outstanding")
    return newest === null ? absent("bars", company) : "not_published";
  const valueOf = (figure: Figure) => f[figure] as number | null;
  const isLost = (figure: Figure) => (valueOf(figure) ?? 1) <= 0;
  const earnings = f.epsTtm ?? f.netIncomeTtm;
  if (OF_EARNINGS.includes(name) && earnings !== null && earnings <= 0) return "not_meaningful";
  if (f.filedOn !== null) {
    const { sector, industry } = instrument;
    const isCustodian = holdsCustomerFunds({ sector, industry }, f.currentAssets);
    if (isCustodian && NOT_OF_CUSTODIANS.includes(name)) return "not_applicable";
    if (name === "gross_margin" && BANKS_AND_INSURERS.has(industry ?? "")) return "not_applicable";
  }
  if (DIVISORS[name]?.some(isLost)) return "not_meaningful";
  if (
    name === "roic" &&
    f.netDebt !== null &&
    f.totalEquity !== null &&
    f.netDebt + f.totalEquity <= 0
  )
    return "not_meaningful";
  if (name === "payout_ratio" && f.dividendYieldPercent === null)
    return whyDividend("dividend_yield", company, market);
  if (f.filedOn === null) return absent("statements", company);
  if (OF_MARKET_CAP.includes(name) && f.marketCap === null)
    return newest === undefined ? undefined : whyFundamental("market_cap", company, market);
  if (OF_EARNINGS.includes(name) && newest === null) return absent("bars", company);
  if (OF_MARKET_CAP.includes(name) || OF_EARNINGS.includes(name)) {
    const { statementCurrency: from, currency } = f;
    const hasRate =
      from === null || from === currency || new CurrencyRates(market).find(from, currency) !== null;
    if (!hasRate) return "no_rate";
  }
  if (name === "eps_growth" || name === "peg") return whyGrowth("epsDiluted", company, market);
  if (name === "revenue_growth") return whyGrowth("revenue", company, market);
  return "not_in_statements";
}

/** Why a metric of a past fiscal period is null. Its price is the close of the period's end. */
export function whyPastMetric(
  name: MetricName,
  { instrument, fundamentals }: Pick<Subject, "instrument" | "fundamentals">,
  market: MarketStore,
): Why | undefined {
  const metric: Metric = METRICS[name];
  const subject = { instrument, fundamentals };
  const figures = { ...subject, ...NO_PERFORMANCE, newest: null };
  if (metric.valueOf(figures) !== null) return "no_rate";
  const why = whyMetric(name, subject, market);
  const hasPrice = [...OF_MARKET_CAP, ...OF_EARNINGS, "market_cap"].includes(name);
  const isOpen = why === undefined || why === "not_in_statements" || why === "not_published";
  if (!hasPrice || !isOpen || fundamentals.periodEnd === null) return why;
  if (market.showsUnknownSplit(instrument)) return "contradicted";
  const bar = market.bars.findAtOrBefore(instrument.id, fundamentals.periodEnd);
  if (bar === null) return "not_listed_then";
  // With a close, only the number of shares can be missing.
  return isRecent(bar.date, fundamentals.periodEnd) ? "not_in_statements" : undefined;
}

/** Growth from a loss, or from nothing, has no meaning. */
function whyGrowth(
  item: "epsDiluted" | "revenue",
  { instrument, fundamentals: { periodEnd } }: Subject,
  market: MarketStore,
): Why {
  const statements = market.statements
    .list(instrument)
    .map((statement) => ({ ...statement, filedOn: statement.periodEnd }));
  const { current, yearAgo } = ttm(knownStatements(statements, periodEnd ?? ""), item);
  return current !== null && yearAgo !== null && yearAgo <= 0
    ? "not_meaningful"
    : "not_in_statements";
}

const BY_LABEL: ReadonlyMap<string, MetricName> = new Map(
  METRIC_NAMES.flatMap((name) => {
    const { label }: Metric = METRICS[name];
    return label === undefined ? [] : [[label, name] as const];
  }),
);

/** Why the market cap of a list is null, by the newest price and the shares of the listing. */
export function whyNoMarketCap(market: MarketStore, instrument: StoredInstrument): Why {
  const { id, country, symbol, assetType } = instrument;
  if (!isCompany(assetType)) return "not_applicable";
  if (market.showsUnknownSplit(instrument)) return "contradicted";
  const hasPrice =
    market.bars.findProvenance(id) !== null || market.documents.find("quotes", country, symbol);
  return hasPrice ? "not_published" : { kind: "bars", country, symbol };
}

/** The metric of a column, a field or a label of a panel; undefined for another figure. */
export function metricOf(figure: string): MetricName | undefined {
  return Object.hasOwn(METRICS, figure) ? (figure as MetricName) : BY_LABEL.get(figure);
}

/** Why figures of companies are missing: metrics, their ranks, and what an instrument is. */
export function whyOfCompanies(
  market: MarketStore,
  companyOf: (gap: Gap) => Subject | null | undefined,
): WhyMissing {
  return (gap) => {
    const { figure } = gap;
    // The rows have several.
    if (figure === "currency" && gap.path.length === 0) return null;
    const company = companyOf(gap);
    if (!company) return undefined;
    const name = metricOf(figure);
    if (name !== undefined) return whyMetric(name, company, market);
    const { instrument } = company;
    if (figure === "sector" || figure === "industry")
      return isCompany(instrument.assetType) ? "not_published" : "not_applicable";
    if (figure === "currency") return "not_applicable";
    if (figure === "to_session" || figure === "Price date") return absent("bars", company);
    if (figure.endsWith("_median"))
      return instrument.sector === null ? "not_applicable" : "too_few";
    if (figure.endsWith("from_session")) return whyStart(figure, gap, company, market);
    return figure.endsWith("_rank") ? whyRank(figure, company, market) : undefined;
  };
}

/** A return and its start are missing for the same reason. */
function whyStart(figure: string, { of }: Gap, company: Subject, market: MarketStore) {
  const name =
    figure === "from_session"
      ? Object.keys(of).find((column) => /^return_\d/.test(column) || column === "return_ytd")
      : figure.replace("_from_session", "");
  const metric = name === undefined ? undefined : metricOf(name);
  return metric && whyMetric(metric, company, market);
}

function whyRank(figure: string, company: Subject, market: MarketStore): Why | undefined {
  const name = metricOf(figure.replace(/_rank$/, ""));
  if (name === undefined) return undefined;
  if (METRICS[name].valueOf(company as CompanyMetrics) === null)
    return whyMetric(name, company, market);
  return company.instrument.sector === null ? "not_applicable" : "too_few";
}

/** The ratios of the twelve months that end with a period, by column and label. */
const OF_TWELVE_MONTHS: Readonly<Record<string, MetricName>> = {
  roic_percent: "roic",
  fcf_yield_percent: "fcf_yield",
  ev_to_ebit: "ev_ebit",
  roe_percent: "roe",
  pe: "pe",
  ROIC: "roic",
  "FCF yield": "fcf_yield",
  "EV/EBIT": "ev_ebit",
  ROE: "roe",
  "P/E": "pe",
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
