import { COUNTRIES, type Country } from "#domain/country.ts";
import { type DividendHistory, dividendIncome } from "#domain/dividend.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Statement } from "#domain/statement.ts";
import { addDays, addMonths } from "#lib/date.ts";
import { agreesWithShares, depositaryRatio } from "./depositary-ratio.ts";
import { difference, percent, product, ratio, sum } from "./ratios.ts";
import {
  balance,
  balanceOrNone,
  domesticShares,
  growthPercent,
  type FlowItem,
  type KnownStatements,
  knownStatements,
  newestShares,
  reportsQuarters,
  ttm,
  type YearOnYear,
} from "./ttm.ts";

/** The inputs of `companyFundamentals`. */
export interface CompanyInputs {
  readonly instrument: Pick<
    Instrument,
    "country" | "currency" | "sector" | "industry" | "sharesOutstanding"
  > &
    Partial<Pick<Instrument, "name" | "shareKind">>;
  /** In any order; statements filed after `asOf` are ignored. */
  readonly statements: readonly Statement[];
  /** In the instrument's currency; null if unknown. */
  readonly price: number | null;
  /** As quoted, in the instrument's currency; used if the number of shares is unknown. */
  readonly quotedMarketCap?: number | null;
  /** Earnings per traded share TTM as quoted, in the instrument's currency. */
  readonly quotedEps?: number | null;
  /** The units of the instrument's currency for one unit of another currency; null if unknown. */
  readonly rateOf?: (currency: string) => number | null;
  /** False if splits are unknown: a filed count can be in other shares than the price. True if absent. */
  readonly knowsSplits?: () => boolean;
  /** Null if the history is unknown; empty if the company never paid a dividend. */
  readonly dividends: DividendHistory["dividends"] | null;
  /** The date to compute for, YYYY-MM-DD. */
  readonly asOf: string;
}

/** The company's latest fiscal period; all null if no statement is known. */
interface ReportedPeriod {
  /** ISO code of the currency of all flows and balance figures. */
  readonly statementCurrency: string | null;
  readonly fiscalYear: number | null;
  readonly fiscalQuarter: number | null;
  readonly periodEnd: string | null;
  /** The day on which its statement was published, YYYY-MM-DD. */
  readonly filedOn: string | null;
}

/** Sums over the trailing twelve months, in whole units of the statement currency (see `ttm`). */
interface TrailingFlows {
  readonly revenueTtm: number | null;
  /** (TTM − TTM one year ago) / TTM one year ago; null on a base ≤ 0. */
  readonly revenueGrowthPercent: number | null;
  readonly grossProfitTtm: number | null;
  readonly operatingIncomeTtm: number | null;
  /** Null for companies that hold customers' money (see `holdsCustomerFunds`): interest is their cost. */
  readonly ebitdaTtm: number | null;
  /** Net income to common shareholders. */
  readonly netIncomeTtm: number | null;
  /**
   * Diluted earnings per traded share. A depositary receipt earns what its common shares earn (see
   * `depositaryRatio`); null if their number is unknown.
   */
  readonly epsTtm: number | null;
  /** Growth of `epsTtm`, computed like `revenueGrowthPercent`. */
  readonly epsGrowthPercent: number | null;
  readonly operatingCashFlowTtm: number | null;
  readonly investingCashFlowTtm: number | null;
  readonly financingCashFlowTtm: number | null;
  /** Capital expenditure as a positive outflow. */
  readonly capitalExpenditureTtm: number | null;
  /** Operating cash flow − capital expenditure; null for companies that hold customers' money, which is in the first. */
  readonly freeCashFlowTtm: number | null;
}

/** @param flowOf reads a flow and its value of a year before */
function flowsOf(flowOf: (item: FlowItem) => YearOnYear, isCustodian: boolean): TrailingFlows {
  const revenue = flowOf("revenue");
  const eps = flowOf("epsDiluted");
  const operatingCashFlowTtm = flowOf("operatingCashFlow").current;
  const capitalExpenditureTtm = flowOf("capitalExpenditure").current;
  return {
    revenueTtm: revenue.current,
    revenueGrowthPercent: growthPercent(revenue),
    grossProfitTtm: flowOf("grossProfit").current,
    operatingIncomeTtm: flowOf("operatingIncome").current,
    ebitdaTtm: isCustodian ? null : flowOf("ebitda").current,
    netIncomeTtm: flowOf("netIncome").current,
    epsTtm: eps.current,
    epsGrowthPercent: growthPercent(eps),
    operatingCashFlowTtm,
    investingCashFlowTtm: flowOf("investingCashFlow").current,
    financingCashFlowTtm: flowOf("financingCashFlow").current,
    capitalExpenditureTtm,
    freeCashFlowTtm: isCustodian ? null : difference(operatingCashFlowTtm, capitalExpenditureTtm),
  };
}

/**
 * Figures of the latest balance sheet (MRQ), in whole units of the statement currency. Preferred
 * equity and minority interest count as 0 if this balance sheet does not report them, and none of the last
 * five has some (see `balanceOrNone`). Debt, cash and inventory are unknown if not reported.
 */
interface BalanceFigures {
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
  /** Total debt / total equity; null if equity ≤ 0. */
  readonly debtToEquity: number | null;
  /** Cash / total debt; null without debt. */
  readonly cashToDebt: number | null;
}

function balanceFigures(known: KnownStatements): BalanceFigures {
  const currentAssets = balance(known, "currentAssets").current;
  const currentLiabilities = balance(known, "currentLiabilities").current;
  const cash = balance(known, "cash").current;
  const totalDebt = balance(known, "totalDebt").current;
  const commonEquity = balance(known, "commonEquity").current;
  const totalEquity = sum(commonEquity, otherEquity(known));
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
      difference(currentAssets, balance(known, "inventory").current),
      currentLiabilities,
    ),
    debtToEquity: ratio(totalDebt, totalEquity),
    cashToDebt: ratio(cash, totalDebt),
  };
}

/** Preferred equity + minority interest. Without common equity it is unknown whether there is preferred equity. */
function otherEquity(known: KnownStatements): number | null {
  const isUnknown =
    balance(known, "commonEquity").current === null &&
    balance(known, "preferredEquity").current === null;
  return isUnknown
    ? null
    : sum(balanceOrNone(known, "preferredEquity"), balanceOrNone(known, "minorityInterest"));
}

/** The figures of a company by the statements that were known on one day. */
export interface ReportedFigures {
  readonly known: KnownStatements;
  readonly flows: TrailingFlows;
  readonly sheet: BalanceFigures;
  /** See `holdsCustomerFunds`. */
  readonly isCustodian: boolean;
}

/** Computes the figures by the statements that were filed by the date `asOf`. */
export function reportedFigures({
  instrument,
  statements,
  asOf,
}: Pick<CompanyInputs, "instrument" | "statements" | "asOf">): ReportedFigures {
  const known = knownStatements(statements, asOf);
  const sheet = balanceFigures(known);
  const isCustodian = holdsCustomerFunds(instrument, sheet.currentAssets);
  return { known, flows: flowsOf((item) => ttm(known, item), isCustodian), sheet, isCustodian };
}

/** The price and the market cap in the shares and the currency of the statements. */
export interface ComparablePrice {
  /** The price of one common share; null if unknown, or if the depositary ratio is unknown. */
  readonly price: number | null;
  /** Null if unknown, or if it covers another number of shares than the statements in another currency. */
  readonly marketCap: number | null;
  /** Units of the price's currency for one of the statements'; 1 if they are the same, null if unknown. */
  readonly rate: number | null;
}

/** Days from the end of a quarter until most companies have published the next one. */
const RECENT_DAYS = 140;

/** How traded shares relate to the common shares of the statements. */
export interface ShareBasis {
  /** Common shares that one traded share represents (see `depositaryRatio`); null if unknown. */
  readonly commonShares: number | null;
  /** False if the market cap in another currency covers another number of shares than the statements. */
  readonly coversAllShares: boolean;
}

/** @param rate see `ComparablePrice` */
function shareBasis(
  inputs: CompanyInputs,
  { known, flows }: ReportedFigures,
  marketCap: number | null,
  rate: number | null,
): ShareBasis {
  const { instrument, quotedEps = null, asOf } = inputs;
  const { newest } = known;
  if (newest === null) return { commonShares: null, coversAllShares: false };
  const isForeign = newest.currency !== instrument.currency;
  const dilutedShares = newestShares(known, "sharesDiluted");
  const evidence = {
    shares: newestShares(known, "sharesOutstanding") ?? dilutedShares,
    dilutedShares,
    tradedShares: ratio(marketCap, positive(inputs.price)),
    eps: product(flows.epsTtm, rate),
    quotedEps: newest.periodEnd >= addDays(asOf, -RECENT_DAYS) ? quotedEps : null,
  };
  const isUnproven =
    evidence.tradedShares === null &&
    evidence.quotedEps === null &&
    !(tradesItsShare(instrument) && reportsQuarters(known));
  // Only the United States list depositary receipts.
  const commonShares =
    instrument.country === "US" ? depositaryRatio(evidence, isForeign || isUnproven) : 1;
  return { commonShares, coversAllShares: !isForeign || agreesWithShares(commonShares, evidence) };
}

/**
 * Converts a price and a market cap to the currency of the statements by the rate of their day, and the
 * price to the price of one common share.
 */
export function comparablePrice(
  price: number | null,
  marketCap: number | null,
  rate: number | null,
  { commonShares, coversAllShares }: ShareBasis,
): ComparablePrice {
  return {
    price: ratio(ratio(positive(price), rate), commonShares),
    marketCap: coversAllShares ? ratio(marketCap, rate) : null,
    rate,
  };
}

/**
 * Multiples of the price and the market cap, in the currency of the statements by the newest rate. All
 * are null if that is unknown. Multiples of cash flow are null for companies that hold customers' money (see
 * `holdsCustomerFunds`).
 */
interface PriceMultiples {
  /**
   * Price / diluted EPS TTM, of one common share; null for a depositary receipt with an unknown number
   * of common shares. If EPS is unknown, because the company states it for each class of shares
   * only: market cap / net income to common TTM. Null if the divisor is ≤ 0.
   */
  readonly pe: number | null;
  /** Market cap / common equity; null if equity ≤ 0. */
  readonly pb: number | null;
  /** Market cap / revenue TTM; null if revenue ≤ 0. */
  readonly ps: number | null;
  /** Market cap / operating cash flow TTM; null if that is ≤ 0. */
  readonly priceToCashFlow: number | null;
  /** Market cap / free cash flow TTM; null if that is ≤ 0. */
  readonly priceToFreeCashFlow: number | null;
  /** P/E / EPS growth TTM in percent; null if growth ≤ 0. */
  readonly peg: number | null;
  /** Free cash flow TTM / market cap; can be negative. */
  readonly fcfYieldPercent: number | null;
}

function priceMultiples(
  { price, marketCap }: ComparablePrice,
  { flows, sheet: { commonEquity }, isCustodian }: ReportedFigures,
): PriceMultiples {
  const pe =
    flows.epsTtm === null ? ratio(marketCap, flows.netIncomeTtm) : ratio(price, flows.epsTtm);
  return {
    pe,
    pb: ratio(marketCap, commonEquity),
    ps: ratio(marketCap, flows.revenueTtm),
    priceToCashFlow: isCustodian ? null : ratio(marketCap, flows.operatingCashFlowTtm),
    priceToFreeCashFlow: ratio(marketCap, flows.freeCashFlowTtm),
    peg: ratio(pe, flows.epsGrowthPercent),
    fcfYieldPercent: percent(flows.freeCashFlowTtm, marketCap),
  };
}

/**
 * The enterprise value (EV) and its multiples. All are null if the rate between the currencies of the
 * statements and the price is unknown. The multiples are null if EV or the flow is ≤ 0, and for companies that hold
 * customers' money (see `holdsCustomerFunds`).
 */
interface EnterpriseMultiples {
  /** Market cap + total debt + preferred equity + minority interest − cash, in the price's currency. */
  readonly enterpriseValue: number | null;
  /** EV / EBITDA TTM. */
  readonly evToEbitda: number | null;
  /** EV / revenue TTM. */
  readonly evToRevenue: number | null;
  /** EV / operating income TTM. */
  readonly evToEbit: number | null;
}

function enterpriseMultiples(
  { marketCap, rate }: ComparablePrice,
  { known, flows, sheet: { netDebt }, isCustodian }: ReportedFigures,
): EnterpriseMultiples {
  const enterpriseValue = sum(sum(marketCap, netDebt), otherEquity(known));
  const meaningful = isCustodian ? null : positive(enterpriseValue);
  return {
    enterpriseValue: product(enterpriseValue, rate),
    evToEbitda: ratio(meaningful, flows.ebitdaTtm),
    evToRevenue: ratio(meaningful, flows.revenueTtm),
    evToEbit: ratio(meaningful, flows.operatingIncomeTtm),
  };
}

/** The multiples of a price by the figures that were known on its day. */
export function multiplesOf(
  price: ComparablePrice,
  reported: ReportedFigures,
): PriceMultiples & EnterpriseMultiples {
  return { ...priceMultiples(price, reported), ...enterpriseMultiples(price, reported) };
}

/**
 * Returns on equity, assets and invested capital, in percent. An average is the mean of the latest
 * balance sheet and the one a year earlier, or the latest alone if the earlier one is unknown.
 */
interface Returns {
  /** Net income to common TTM / average common equity; null if equity ≤ 0. */
  readonly roePercent: number | null;
  /** Net income to common TTM / average total assets. */
  readonly roaPercent: number | null;
  /**
   * Operating income TTM · (1 − tax) / (total debt + total equity − cash); null if that capital is ≤ 0,
   * and for companies that hold customers' money. Tax is the TTM rate limited to 0–0.35, or the
   * country's statutory rate if pretax income is unknown or ≤ 0.
   */
  readonly roicPercent: number | null;
}

/** Computes the returns by the statements that were known on one day. */
export function returnsOf(
  { known, flows, sheet, isCustodian }: ReportedFigures,
  country: Country,
): Returns {
  const { netIncomeTtm, operatingIncomeTtm } = flows;
  const { netDebt, totalEquity, commonEquity, totalAssets } = sheet;
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

/** The tax rate of `Returns.roicPercent`, 0 to 0.35. */
function taxRate(known: KnownStatements, country: Country): number {
  const rate = ratio(ttm(known, "incomeTax").current, ttm(known, "pretaxIncome").current);
  return rate === null ? COUNTRIES[country].taxPercent / 100 : Math.min(Math.max(rate, 0), 0.35);
}

/** Margins in percent of revenue TTM; null if revenue ≤ 0. */
interface Margins {
  /** Gross profit TTM / revenue TTM; null for banks and insurers. */
  readonly grossMarginPercent: number | null;
  /** Operating income TTM / revenue TTM. */
  readonly operatingMarginPercent: number | null;
  /** Net income to common TTM / revenue TTM. */
  readonly netMarginPercent: number | null;
  /** Free cash flow TTM / revenue TTM. */
  readonly fcfMarginPercent: number | null;
}

function margins(flows: TrailingFlows, industry: string | null): Margins {
  const { revenueTtm } = flows;
  const lendsOrInsures = industry !== null && BANKS_AND_INSURERS.has(industry);
  return {
    grossMarginPercent: lendsOrInsures ? null : percent(flows.grossProfitTtm, revenueTtm),
    operatingMarginPercent: percent(flows.operatingIncomeTtm, revenueTtm),
    netMarginPercent: percent(flows.netIncomeTtm, revenueTtm),
    fcfMarginPercent: percent(flows.freeCashFlowTtm, revenueTtm),
  };
}

/**
 * Industry slugs of companies that have neither a cost of revenue nor an operating cash flow in the
 * usual sense. Insurance brokers are not included: they bear no risk and earn fees.
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

/** Industry slugs of brokers and dealers, and of lenders that fund each loan in the market. */
const BROKERS_AND_MORTGAGE_LENDERS: ReadonlySet<string> = new Set([
  "capital-markets",
  "mortgage-finance",
]);

/** Industry slugs of both lenders (American Express) and companies that only earn fees (Visa). */
const PARTLY_LENDERS: ReadonlySet<string> = new Set(["credit-services", "financial-conglomerates"]);

/**
 * True if customers' money is on the company's balance sheet. Its debt then funds its business, its cash
 * is partly its customers', and its operating cash flow includes deposits.
 *
 * That is true for banks, insurers, brokers, mortgage lenders and financial companies of an unknown
 * industry. Credit services and conglomerates are included if their balance sheet has no current
 * assets: lenders do not split their balance sheet into current and non-current.
 */
export function holdsCustomerFunds(
  { sector, industry }: Pick<Instrument, "sector" | "industry">,
  currentAssets: number | null,
): boolean {
  if (industry === null) return sector === "financial-services";
  if (PARTLY_LENDERS.has(industry)) return currentAssets === null;
  return BANKS_AND_INSURERS.has(industry) || BROKERS_AND_MORTGAGE_LENDERS.has(industry);
}

/**
 * All fundamental figures of one company on one day; null if a figure is unknown or has no meaning.
 * Percentages are percent numbers (15.2). Nothing is rounded.
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
  /**
   * Price × shares of all classes. If the listing does not state the shares: as quoted, or price × the
   * shares of the latest balance sheet. In the United States, the share can be a depositary receipt: see
   * `filedShares`. Null if not positive.
   */
  readonly marketCap: number | null;
  /** The traded shares that make up the market cap: of all classes, or depositary receipts. */
  readonly sharesOutstanding: number | null;
  /**
   * Dividends of the last year by ex-date / price (see `dividendsOfLastYear`); 0 without dividends,
   * null if the history is unknown.
   */
  readonly dividendYieldPercent: number | null;
}

/** Computes the figures of one company as they were known at the end of the date `asOf`. */
export function companyFundamentals(inputs: CompanyInputs): CompanyFundamentals {
  const { dividends, asOf } = inputs;
  const reported = reportedFigures(inputs);
  const price = positive(inputs.price);
  return {
    ...fundamentalsOf(inputs, reported, { price, ...tradedCompany(inputs, reported) }),
    dividendYieldPercent: percent(dividends && dividendsOfLastYear(dividends, asOf), price),
  };
}

/** The figures of a company by its reports and what its shares cost, without dividends. */
export function fundamentalsOf(
  { instrument }: Pick<CompanyInputs, "instrument">,
  reported: ReportedFigures,
  { price, marketCap, tradedShares, basis, rate }: TradedCompany & { price: number | null },
): CompanyFundamentals {
  const { known, flows, sheet } = reported;
  return {
    currency: instrument.currency,
    marketCap,
    sharesOutstanding: tradedShares,
    dividendYieldPercent: null,
    statementCurrency: known.newest?.currency ?? null,
    fiscalYear: known.newest?.fiscalYear ?? null,
    fiscalQuarter: known.newest?.fiscalQuarter ?? null,
    periodEnd: known.newest?.periodEnd ?? null,
    filedOn: known.newest?.filedOn ?? null,
    ...flows,
    epsTtm: product(flows.epsTtm, basis.commonShares),
    ...sheet,
    ...multiplesOf(comparablePrice(price, marketCap, rate, basis), reported),
    ...returnsOf(reported, instrument.country),
    ...margins(flows, instrument.industry),
  };
}

/** A single quarter, and the same one of the year before; null if that is unknown. */
export interface QuarterPair {
  readonly quarter: Pick<Statement, "items">;
  readonly yearBefore: Pick<Statement, "items"> | null;
}

/**
 * The figures of a company with the flows, the growth and the margins of one quarter. Returns and multiples stay
 * figures of twelve months.
 *
 * @param commonShares see `ShareBasis`
 */
export function withQuarter(
  figures: CompanyFundamentals,
  { quarter, yearBefore }: QuarterPair,
  { industry }: Pick<Instrument, "industry">,
  isCustodian: boolean,
  commonShares: number | null,
): CompanyFundamentals {
  const flows = flowsOf(
    (item) => ({ current: quarter.items[item], yearAgo: yearBefore?.items[item] ?? null }),
    isCustodian,
  );
  return {
    ...figures,
    ...flows,
    epsTtm: product(flows.epsTtm, commonShares),
    ...margins(flows, industry),
  };
}

/** The size of a company by its price and shares: see `CompanyFundamentals`. */
interface TradedCompany {
  readonly marketCap: number | null;
  readonly tradedShares: number | null;
  readonly basis: ShareBasis;
  /** See `ComparablePrice`. */
  readonly rate: number | null;
}

/** The market cap and the shares of a company on the date `asOf`. */
export function tradedCompany(inputs: CompanyInputs, reported: ReportedFigures): TradedCompany {
  const { instrument, rateOf } = inputs;
  const { known } = reported;
  const price = positive(inputs.price);
  const marketCap =
    positive(product(price, instrument.sharesOutstanding)) ??
    positive(inputs.quotedMarketCap ?? null) ??
    positive(product(price, filedShares(inputs, known)));
  const currency = known.newest?.currency ?? instrument.currency;
  const rate = currency === instrument.currency ? 1 : (rateOf?.(currency) ?? null);
  return {
    marketCap,
    tradedShares:
      instrument.sharesOutstanding ??
      ratio(marketCap, price) ??
      positive(filedShares(inputs, known)),
    basis: shareBasis(inputs, reported, marketCap, rate),
    rate,
  };
}

/**
 * The legal form of a company from abroad at the end of its name. Some file as domestic companies, and what is traded are
 * still depositary receipts: 13 shares of BeOne Medicines Ltd., 80,000 of Akari Therapeutics plc.
 */
const FOREIGN_FORM =
  /[\s,](plc|p\.l\.c|ltd|limited|n\.?v|s\.?a|ag|se|asa|a\/s|ab|oyj|s\.?p\.?a)\.?( class [a-z])?$/i;

/** False for a depositary receipt, and for a legal form from abroad if the kind of share is unknown. */
function tradesItsShare({ name = "", shareKind }: CompanyInputs["instrument"]): boolean {
  return (shareKind ?? (FOREIGN_FORM.test(name) ? null : "share")) === "share";
}

/**
 * The filed number of shares that are traded. Null for a depositary receipt, whose number of shares is unknown, and if it
 * is unknown whether they are traded: by the company's legal form if its kind of share is unknown, or by its reports (see
 * `domesticShares`).
 */
export function filedShares(
  { instrument, knowsSplits }: Pick<CompanyInputs, "instrument" | "knowsSplits">,
  known: KnownStatements,
): number | null {
  if (instrument.country !== "US") return balance(known, "sharesOutstanding").current;
  if (!tradesItsShare(instrument)) return null;
  return knowsSplits?.() === false ? null : domesticShares(known, instrument.currency);
}

/**
 * The dividends with an ex-date from one year before `asOf` (inclusive) to `asOf`. If a dividend goes ex on
 * `asOf`, the day one year before is excluded; otherwise five quarterly dividends could count.
 */
export function listOfLastYear(
  dividends: DividendHistory["dividends"],
  asOf: string,
): DividendHistory["dividends"] {
  const yearAgo = addMonths(asOf, -12);
  const since = dividends.some(({ exDate }) => exDate === asOf) ? addDays(yearAgo, 1) : yearAgo;
  return dividends.filter(({ exDate }) => exDate >= since && exDate <= asOf);
}

/** Dividends per share of the last year, without capital gains of funds: see `listOfLastYear`. */
export function dividendsOfLastYear(dividends: DividendHistory["dividends"], asOf: string): number {
  return listOfLastYear(dividends, asOf).reduce((sum, one) => sum + dividendIncome(one), 0);
}

/** The value if it is positive, else null. */
function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null;
}

/** The mean of a figure and its value a year ago, or the figure alone if that is unknown. */
function average(current: number | null, yearAgo: number | null): number | null {
  return current === null || yearAgo === null ? current : (current + yearAgo) / 2;
}
