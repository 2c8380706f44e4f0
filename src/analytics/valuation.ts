import { COUNTRIES, type Country } from "#domain/country.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Statement } from "#domain/statement.ts";
import { addDays, addMonths } from "#lib/date.ts";
import { difference, percent, product, ratio, sum } from "./ratios.ts";
import {
  balance,
  balanceOrNone,
  growthPercent,
  type KnownStatements,
  knownStatements,
  ttm,
} from "./ttm.ts";

/** What the figures of one company are computed from. */
export interface CompanyInputs {
  readonly instrument: Pick<
    Instrument,
    "country" | "currency" | "sector" | "industry" | "sharesOutstanding"
  >;
  /** In any order; those filed after `asOf` are not known yet. */
  readonly statements: readonly Statement[];
  /** In the instrument's currency; null where unknown. */
  readonly price: number | null;
  /** As its publisher quotes it, in the instrument's currency: used where the shares are unknown. */
  readonly quotedMarketCap?: number | null;
  /** Null where the history is unknown; an empty one says that nothing was ever paid. */
  readonly dividends: DividendHistory["dividends"] | null;
  /** The date to compute for. */
  readonly asOf: string;
}

/** The company's latest fiscal period; all null where no statement is known. */
export interface ReportedPeriod {
  /** ISO code of the currency of all flows and balance figures. */
  readonly statementCurrency: string | null;
  readonly fiscalYear: number | null;
  readonly fiscalQuarter: number | null;
  readonly periodEnd: string | null;
}

/** Sums over the trailing twelve months, in whole units of the statement currency (see `ttm`). */
export interface TrailingFlows {
  readonly revenueTtm: number | null;
  /** (TTM − TTM one year ago) / TTM one year ago; null on a base ≤ 0. */
  readonly revenueGrowthPercent: number | null;
  readonly grossProfitTtm: number | null;
  readonly operatingIncomeTtm: number | null;
  readonly ebitdaTtm: number | null;
  /** Net income to common shareholders. */
  readonly netIncomeTtm: number | null;
  /** Diluted earnings per share. */
  readonly epsTtm: number | null;
  /** As `revenueGrowthPercent`, of `epsTtm`. */
  readonly epsGrowthPercent: number | null;
  readonly operatingCashFlowTtm: number | null;
  readonly investingCashFlowTtm: number | null;
  readonly financingCashFlowTtm: number | null;
  /** Capital expenditure as a positive outflow. */
  readonly capitalExpenditureTtm: number | null;
  /** Operating cash flow − capital expenditure. */
  readonly freeCashFlowTtm: number | null;
}

function trailingFlows(known: KnownStatements): TrailingFlows {
  const revenue = ttm(known, "revenue");
  const eps = ttm(known, "epsDiluted");
  const operatingCashFlowTtm = ttm(known, "operatingCashFlow").current;
  const capitalExpenditureTtm = ttm(known, "capitalExpenditure").current;
  return {
    revenueTtm: revenue.current,
    revenueGrowthPercent: growthPercent(revenue),
    grossProfitTtm: ttm(known, "grossProfit").current,
    operatingIncomeTtm: ttm(known, "operatingIncome").current,
    ebitdaTtm: ttm(known, "ebitda").current,
    netIncomeTtm: ttm(known, "netIncome").current,
    epsTtm: eps.current,
    epsGrowthPercent: growthPercent(eps),
    operatingCashFlowTtm,
    investingCashFlowTtm: ttm(known, "investingCashFlow").current,
    financingCashFlowTtm: ttm(known, "financingCashFlow").current,
    capitalExpenditureTtm,
    freeCashFlowTtm: difference(operatingCashFlowTtm, capitalExpenditureTtm),
  };
}

/**
 * Figures of the latest balance sheet (MRQ), in whole units of the statement currency. Preferred
 * equity, minority interest and inventory count as none where the sheet does not name them and the
 * sheet before did not either (see `balanceOrNone`); debt and cash are unknown where it does not,
 * since every company states them.
 */
export interface BalanceFigures {
  readonly totalAssets: number | null;
  readonly currentAssets: number | null;
  /** Cash, equivalents and short-term investments. */
  readonly cash: number | null;
  readonly totalLiabilities: number | null;
  readonly totalDebt: number | null;
  /** Total debt − cash. */
  readonly netDebt: number | null;
  readonly commonEquity: number | null;
  /** Common equity + preferred equity + minority interest. */
  readonly totalEquity: number | null;
  /** Current assets / current liabilities. */
  readonly currentRatio: number | null;
  /** (Current assets − inventory) / current liabilities. */
  readonly quickRatio: number | null;
  /** Total debt / total equity; null where equity ≤ 0. */
  readonly debtToEquity: number | null;
  /** Cash / total debt; null where there is no debt. */
  readonly cashToDebt: number | null;
}

function balanceFigures(known: KnownStatements): BalanceFigures {
  const currentAssets = balance(known, "currentAssets").current;
  const currentLiabilities = balance(known, "currentLiabilities").current;
  const cash = balance(known, "cash").current;
  const totalDebt = balance(known, "totalDebt").current;
  const commonEquity = balance(known, "commonEquity").current;
  const totalEquity = sum(commonEquity, otherHolders(known));
  return {
    totalAssets: balance(known, "totalAssets").current,
    currentAssets,
    cash,
    totalLiabilities: balance(known, "totalLiabilities").current,
    totalDebt,
    netDebt: difference(totalDebt, cash),
    commonEquity,
    totalEquity,
    currentRatio: ratio(currentAssets, currentLiabilities),
    quickRatio: ratio(
      difference(currentAssets, balanceOrNone(known, "inventory")),
      currentLiabilities,
    ),
    debtToEquity: ratio(totalDebt, totalEquity),
    cashToDebt: ratio(cash, totalDebt),
  };
}

/** Preferred equity + minority interest. */
function otherHolders(known: KnownStatements): number | null {
  return sum(balanceOrNone(known, "preferredEquity"), balanceOrNone(known, "minorityInterest"));
}

/**
 * What the market pays for each unit that the company earns or owns. All null where the statements
 * are in another currency than the price; those of cash flow are null for companies that carry
 * customers' money (see `carriesCustomersMoney`).
 */
export interface PriceMultiples {
  /** Price / diluted EPS TTM; null where EPS ≤ 0, never negative. */
  readonly pe: number | null;
  /** Market cap / common equity; null where equity ≤ 0. */
  readonly pb: number | null;
  /** Market cap / revenue TTM; null where revenue ≤ 0. */
  readonly ps: number | null;
  /** Market cap / operating cash flow TTM; null where that is ≤ 0. */
  readonly priceToCashFlow: number | null;
  /** Market cap / free cash flow TTM; null where that is ≤ 0. */
  readonly priceToFreeCashFlow: number | null;
  /** P/E / EPS growth TTM in percent; null where growth ≤ 0. */
  readonly peg: number | null;
  /** Free cash flow TTM / market cap; negative where cash is burnt. */
  readonly fcfYieldPercent: number | null;
}

function priceMultiples(
  price: number | null,
  marketCap: number | null,
  flows: TrailingFlows,
  { commonEquity }: BalanceFigures,
  isCustodian: boolean,
): PriceMultiples {
  const pe = ratio(price, flows.epsTtm);
  const cashFlowCap = isCustodian ? null : marketCap;
  return {
    pe,
    pb: ratio(marketCap, commonEquity),
    ps: ratio(marketCap, flows.revenueTtm),
    priceToCashFlow: ratio(cashFlowCap, flows.operatingCashFlowTtm),
    priceToFreeCashFlow: ratio(cashFlowCap, flows.freeCashFlowTtm),
    peg: ratio(pe, flows.epsGrowthPercent),
    fcfYieldPercent: percent(flows.freeCashFlowTtm, cashFlowCap),
  };
}

/**
 * What the whole company costs, debt taken over and cash received. All null where the statements are
 * in another currency than the price; the multiples are null where EV or the flow is ≤ 0, and for
 * companies that carry customers' money (see `carriesCustomersMoney`).
 */
export interface EnterpriseMultiples {
  /** Market cap + total debt + preferred equity + minority interest − cash. */
  readonly enterpriseValue: number | null;
  /** EV / EBITDA TTM. */
  readonly evToEbitda: number | null;
  /** EV / revenue TTM. */
  readonly evToRevenue: number | null;
  /** EV / operating income TTM. */
  readonly evToEbit: number | null;
}

function enterpriseMultiples(
  known: KnownStatements,
  marketCap: number | null,
  flows: TrailingFlows,
  { netDebt }: BalanceFigures,
  isCustodian: boolean,
): EnterpriseMultiples {
  const enterpriseValue = sum(sum(marketCap, netDebt), otherHolders(known));
  const meaningful = isCustodian ? null : positive(enterpriseValue);
  return {
    enterpriseValue,
    evToEbitda: ratio(meaningful, flows.ebitdaTtm),
    evToRevenue: ratio(meaningful, flows.revenueTtm),
    evToEbit: ratio(meaningful, flows.operatingIncomeTtm),
  };
}

/**
 * What the company earns on what was put into it, in percent. An average is that of the latest
 * balance sheet and the one a year earlier, or the latest alone where that one is unknown.
 */
export interface Returns {
  /** Net income to common TTM / average common equity; null where equity ≤ 0. */
  readonly roePercent: number | null;
  /** Net income to common TTM / average total assets. */
  readonly roaPercent: number | null;
  /**
   * Operating income TTM · (1 − tax) / (total debt + total equity − cash); null where that capital
   * is ≤ 0, and for companies that carry customers' money. Tax is the TTM rate clamped to 0–0.35, or
   * the country's statutory rate where pretax income is unknown or ≤ 0.
   */
  readonly roicPercent: number | null;
}

function returns(
  known: KnownStatements,
  { netIncomeTtm, operatingIncomeTtm }: TrailingFlows,
  { netDebt, totalEquity, commonEquity, totalAssets }: BalanceFigures,
  country: Country,
  isCustodian: boolean,
): Returns {
  const investedCapital =
    isCustodian || netDebt === null || totalEquity === null ? null : netDebt + totalEquity;
  const afterTax =
    operatingIncomeTtm === null ? null : operatingIncomeTtm * (1 - taxRate(known, country));
  return {
    roePercent: percent(
      netIncomeTtm,
      average(positive(commonEquity), balance(known, "commonEquity").yearAgo),
    ),
    roaPercent: percent(netIncomeTtm, average(totalAssets, balance(known, "totalAssets").yearAgo)),
    roicPercent: percent(afterTax, investedCapital),
  };
}

/** Income tax / pretax income, as `Returns.roicPercent` says. */
function taxRate(known: KnownStatements, country: Country): number {
  const rate = ratio(ttm(known, "incomeTax").current, ttm(known, "pretaxIncome").current);
  return rate === null ? COUNTRIES[country].taxPercent / 100 : Math.min(Math.max(rate, 0), 0.35);
}

/** Shares of revenue TTM that remain, in percent; null where revenue ≤ 0. */
export interface Margins {
  /** Gross profit TTM / revenue TTM; null for banks and insurers. */
  readonly grossMarginPercent: number | null;
  /** Operating income TTM / revenue TTM. */
  readonly operatingMarginPercent: number | null;
  /** Net income to common TTM / revenue TTM. */
  readonly netMarginPercent: number | null;
  /** Free cash flow TTM / revenue TTM; null for banks and insurers. */
  readonly fcfMarginPercent: number | null;
}

function margins(flows: TrailingFlows, industry: string | null): Margins {
  const { revenueTtm } = flows;
  const lendsOrInsures = industry !== null && BANKS_AND_INSURERS.has(industry);
  return {
    grossMarginPercent: lendsOrInsures ? null : percent(flows.grossProfitTtm, revenueTtm),
    operatingMarginPercent: percent(flows.operatingIncomeTtm, revenueTtm),
    netMarginPercent: percent(flows.netIncomeTtm, revenueTtm),
    fcfMarginPercent: lendsOrInsures ? null : percent(flows.freeCashFlowTtm, revenueTtm),
  };
}

/**
 * Industry slugs of companies that have neither a cost of revenue nor an operating cash flow in the
 * usual sense. Insurance brokers are none of them: they carry no risk and earn fees.
 */
export const BANKS_AND_INSURERS: ReadonlySet<string> = new Set([
  "banks-diversified",
  "banks-regional",
  "insurance-diversified",
  "insurance-life",
  "insurance-property-and-casualty",
  "insurance-reinsurance",
  "insurance-specialty",
]);

/** Industry slugs of brokers and dealers, and of lenders that fund each loan on the market. */
const BROKERS_AND_MORTGAGE_LENDERS: ReadonlySet<string> = new Set([
  "capital-markets",
  "mortgage-finance",
]);

/** Industry slugs that hold both lenders and companies of fees alone: American Express and Visa. */
const PARTLY_LENDERS: ReadonlySet<string> = new Set(["credit-services", "financial-conglomerates"]);

/**
 * True if customers' money is on the company's balance sheet: its debt is then its raw material, its
 * cash not its own, and its operating cash flow the flow of deposits.
 *
 * So for banks, insurers, brokers, mortgage lenders and financial companies of an unknown industry.
 * Of credit services and conglomerates, so for those whose balance sheet has no current assets: a
 * lender does not split its balance sheet into current and non-current.
 */
export function carriesCustomersMoney(
  { sector, industry }: Pick<Instrument, "sector" | "industry">,
  currentAssets: number | null,
): boolean {
  if (industry === null) return sector === "financial-services";
  if (PARTLY_LENDERS.has(industry)) return currentAssets === null;
  return BANKS_AND_INSURERS.has(industry) || BROKERS_AND_MORTGAGE_LENDERS.has(industry);
}

/**
 * Every fundamental figure of one company on one day, null where it is not available or would mean
 * nothing. Percentages are percent numbers (15.2), multiples plain numbers, nothing is rounded.
 */
export interface CompanyFundamentals
  extends
    ReportedPeriod,
    TrailingFlows,
    BalanceFigures,
    PriceMultiples,
    EnterpriseMultiples,
    Returns,
    Margins {
  /** ISO code of the currency of the market cap and the enterprise value. */
  readonly currency: string;
  /** Price × shares of all classes, or as quoted where the shares are unknown; null if not positive. */
  readonly marketCap: number | null;
  /**
   * Dividends with an ex-date since the same date a year ago / price (see `dividendsOfLastYear`); 0
   * where there were none, null where the history is unknown.
   */
  readonly dividendYieldPercent: number | null;
}

/** Computes every figure of one company as it was known at the end of the date `asOf`. */
export function companyFundamentals(inputs: CompanyInputs): CompanyFundamentals {
  const { instrument, dividends, asOf } = inputs;
  const known = knownStatements(inputs.statements, asOf);
  const price = positive(inputs.price);
  const marketCap =
    positive(product(price, instrument.sharesOutstanding)) ??
    positive(inputs.quotedMarketCap ?? null);
  const flows = trailingFlows(known);
  const balanceSheet = balanceFigures(known);
  const isCustodian = carriesCustomersMoney(instrument, balanceSheet.currentAssets);

  const oneCurrency = known.newest?.currency === instrument.currency;
  const comparablePrice = oneCurrency ? price : null;
  const comparableCap = oneCurrency ? marketCap : null;
  return {
    currency: instrument.currency,
    marketCap,
    dividendYieldPercent: percent(dividends && dividendsOfLastYear(dividends, asOf), price),
    statementCurrency: known.newest?.currency ?? null,
    fiscalYear: known.newest?.fiscalYear ?? null,
    fiscalQuarter: known.newest?.fiscalQuarter ?? null,
    periodEnd: known.newest?.periodEnd ?? null,
    ...flows,
    ...balanceSheet,
    ...priceMultiples(comparablePrice, comparableCap, flows, balanceSheet, isCustodian),
    ...enterpriseMultiples(known, comparableCap, flows, balanceSheet, isCustodian),
    ...returns(known, flows, balanceSheet, instrument.country, isCustodian),
    ...margins(flows, instrument.industry),
  };
}

/**
 * Per share, ex-dates since the same date a year ago, that date included. Where a dividend goes ex on
 * `asOf` itself it takes the place of the one of a year ago: else a year would hold five quarters.
 */
function dividendsOfLastYear(dividends: DividendHistory["dividends"], asOf: string): number {
  const yearAgo = addMonths(asOf, -12);
  const since = dividends.some(({ exDate }) => exDate === asOf) ? addDays(yearAgo, 1) : yearAgo;
  return dividends
    .filter(({ exDate }) => exDate >= since && exDate <= asOf)
    .reduce((sum, { amount }) => sum + amount, 0);
}

/** The value where it is known and above zero. */
function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null;
}

/** The mean of a figure and what it was a year before, or the figure alone where that is unknown. */
function average(current: number | null, yearAgo: number | null): number | null {
  return current === null || yearAgo === null ? current : (current + yearAgo) / 2;
}
