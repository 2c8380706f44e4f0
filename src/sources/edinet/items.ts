import { difference, sum } from "#analytics/ratios.ts";
import { NO_ITEMS, type StatementItem, type StatementItems } from "#domain/statement.ts";

/** The figures of one period by element: its flows and its last day's. */
export type Figures = (element: string) => number | null;

/** Elements that give an item, the best first; `A + B` is A with B, if the company reports B. */
type Elements = Readonly<Partial<Record<StatementItem, string>>>;

/** The standards by their names in a report. A period has elements of one standard only. */
export const STANDARDS = ["Japan GAAP", "IFRS", "US GAAP"] as const;
export type Standard = (typeof STANDARDS)[number];

const S = "SummaryOfBusinessResults";

/**
 * Elements of the total of sales. Some companies report parts of it beside it, such as sales without services, so the
 * largest one is the total.
 */
const REVENUES: Readonly<Record<Standard, string>> = {
  "Japan GAAP": `NetSales OperatingRevenue1 GrossOperatingRevenue Revenue OperatingRevenueSEC OrdinaryIncomeBNK
    OperatingIncomeINS NetSales${S} OperatingRevenue1${S} GrossOperatingRevenue${S} RevenueKeyFinancialData
    OrdinaryIncome${S}`,
  IFRS: `RevenueIFRS Revenue2IFRS NetSalesIFRS OperatingRevenueIFRS SalesRevenuesIFRS TotalNetRevenuesIFRS
    SalesAndFinancialServicesRevenueIFRS RevenueIFRS${S} NetSalesIFRS${S} OperatingRevenueIFRS${S}
    OperatingRevenuesIFRSKeyFinancialData`,
  "US GAAP": `RevenuesUSGAAP${S}`,
};

const ELEMENTS: Readonly<Record<Standard, Elements>> = {
  "Japan GAAP": {
    costOfRevenue: "CostOfSales",
    grossProfit: "OperatingGrossProfit, GrossProfit",
    researchAndDevelopment: "ResearchAndDevelopmentExpensesResearchAndDevelopmentActivities",
    sellingGeneralAdministrative: "SellingGeneralAndAdministrativeExpenses",
    operatingIncome: "OperatingIncome",
    depreciationAndAmortization:
      "DepreciationAndAmortizationOpeCF + AmortizationOfGoodwillOpeCF, DepreciationOpeCF + AmortizationOfGoodwillOpeCF",
    interestExpense: "InterestExpensesNOE",
    ordinaryIncome: `OrdinaryIncome, OrdinaryIncomeLoss${S}`,
    pretaxIncome: "IncomeBeforeIncomeTaxes",
    incomeTax: "IncomeTaxes",
    netIncome: `ProfitLossAttributableToOwnersOfParent, ProfitLossAttributableToOwnersOfParent${S}`,
    epsDiluted: `DilutedEarningsPerShare${S}, BasicEarningsLossPerShare${S}`,
    totalAssets: `Assets, TotalAssets${S}`,
    currentAssets: "CurrentAssets",
    cash: `CashAndDeposits + ShortTermInvestmentSecurities, CashAndCashEquivalents${S}`,
    receivables:
      "NotesAndAccountsReceivableTradeAndContractAssets, NotesAndAccountsReceivableTrade",
    inventory: "Inventories",
    goodwill: "Goodwill",
    totalLiabilities: "Liabilities",
    currentLiabilities: "CurrentLiabilities",
    payables: "NotesAndAccountsPayableTrade",
    operatingCashFlow: `NetCashProvidedByUsedInOperatingActivities, NetCashProvidedByUsedInOperatingActivities${S}`,
    investingCashFlow: `NetCashProvidedByUsedInInvestmentActivities, NetCashProvidedByUsedInInvestingActivities${S}`,
    financingCashFlow: `NetCashProvidedByUsedInFinancingActivities, NetCashProvidedByUsedInFinancingActivities${S}`,
    capitalExpenditure:
      "PurchaseOfPropertyPlantAndEquipmentAndIntangibleAssetsInvCF, PurchaseOfPropertyPlantAndEquipmentInvCF + PurchaseOfIntangibleAssetsInvCF",
    dividendsPaid: "CashDividendsPaidFinCF",
    shareRepurchases: "PurchaseOfTreasuryStockFinCF",
  },
  IFRS: {
    costOfRevenue: "CostOfSalesIFRS",
    grossProfit: "GrossProfitIFRS",
    researchAndDevelopment: "ResearchAndDevelopmentExpensesResearchAndDevelopmentActivities",
    sellingGeneralAdministrative: "SellingGeneralAndAdministrativeExpensesIFRS",
    operatingIncome: `OperatingProfitLossIFRS, OperatingProfitLossIFRS${S}`,
    depreciationAndAmortization: "DepreciationAndAmortizationOpeCFIFRS",
    pretaxIncome: `ProfitLossBeforeTaxIFRS, ProfitLossBeforeTaxIFRS${S}`,
    incomeTax: "IncomeTaxExpenseIFRS",
    netIncome: `ProfitLossAttributableToOwnersOfParentIFRS, ProfitLossAttributableToOwnersOfParentIFRS${S}`,
    epsDiluted: `DilutedEarningsLossPerShareIFRS, DilutedEarningsLossPerShareIFRS${S}, BasicEarningsLossPerShareIFRS, BasicEarningsLossPerShareIFRS${S}`,
    totalAssets: `AssetsIFRS, TotalAssetsIFRS${S}`,
    currentAssets: "CurrentAssetsIFRS",
    cash: `CashAndCashEquivalentsIFRS, CashAndCashEquivalentsIFRS${S}`,
    receivables: "TradeAndOtherReceivablesCAIFRS",
    inventory: "InventoriesCAIFRS",
    goodwill: "GoodwillIFRS",
    totalLiabilities: "LiabilitiesIFRS",
    currentLiabilities: "TotalCurrentLiabilitiesIFRS",
    payables: "TradeAndOtherPayablesCLIFRS",
    commonEquity: `EquityAttributableToOwnersOfParentIFRS, EquityAttributableToOwnersOfParentIFRS${S}`,
    minorityInterest: "NonControllingInterestsIFRS",
    operatingCashFlow: `NetCashProvidedByUsedInOperatingActivitiesIFRS, CashFlowsFromUsedInOperatingActivitiesIFRS${S}`,
    investingCashFlow: `NetCashProvidedByUsedInInvestingActivitiesIFRS, CashFlowsFromUsedInInvestingActivitiesIFRS${S}`,
    financingCashFlow: `NetCashProvidedByUsedInFinancingActivitiesIFRS, CashFlowsFromUsedInFinancingActivitiesIFRS${S}`,
    capitalExpenditure:
      "PurchaseOfPropertyPlantAndEquipmentInvCFIFRS + PurchaseOfIntangibleAssetsInvCFIFRS",
    dividendsPaid: "DividendsPaidFinCFIFRS",
    shareRepurchases: "PurchaseOfTreasurySharesFinCFIFRS",
  },
  // Its statements have no elements of their own, only the summary has.
  "US GAAP": {
    operatingIncome: `OperatingIncomeLossUSGAAP${S}`,
    pretaxIncome: `ProfitLossBeforeTaxUSGAAP${S}`,
    netIncome: `NetIncomeLossAttributableToOwnersOfParentUSGAAP${S}`,
    epsDiluted: `DilutedEarningsLossPerShareUSGAAP${S}, BasicEarningsLossPerShareUSGAAP${S}`,
    totalAssets: `TotalAssetsUSGAAP${S}`,
    cash: `CashAndCashEquivalentsUSGAAP${S}`,
    commonEquity: `EquityAttributableToOwnersOfParentUSGAAP${S}`,
    operatingCashFlow: `CashFlowsFromUsedInOperatingActivitiesUSGAAP${S}`,
    investingCashFlow: `CashFlowsFromUsedInInvestingActivitiesUSGAAP${S}`,
    financingCashFlow: `CashFlowsFromUsedInFinancingActivitiesUSGAAP${S}`,
  },
};

/** A company without subsidiaries has other names of its net income. */
const ALONE = `ProfitLoss, NetIncomeLoss${S}`;

/** Elements of equity per share. The name of the second one says "ratio", and its unit is yen per share. */
const BOOK_VALUES: Readonly<Record<Standard, string>> = {
  "Japan GAAP": `NetAssetsPerShare${S}`,
  IFRS: `EquityToAssetRatioIFRS${S}`,
  "US GAAP": `EquityAttributableToOwnersOfParentPerShareUSGAAP${S}`,
};
/** Book value per share is rounded to two decimals; the number of shares may differ by this share. */
const BOOK_VALUE_ROUNDING = 0.005;
const MAX_SHARES_ERROR = 1e-3;

/** Outflows are negative in a statement of cash flows, and positive in ours. */
const OUTFLOWS = ["capitalExpenditure", "dividendsPaid", "shareRepurchases"] as const;

/** The items of one period, in yen. `isGroup`: the figures are of the group, not of a company alone. */
export function itemsOf(figures: Figures, standard: Standard, isGroup: boolean): StatementItems {
  const items: StatementItems = { ...NO_ITEMS };
  const elements = ELEMENTS[standard];
  for (const item of Object.keys(elements) as StatementItem[])
    items[item] = read(figures, elements[item] ?? "");
  if (standard === "Japan GAAP" && !isGroup) items.netIncome = read(figures, ALONE);
  const revenues = REVENUES[standard].split(/\s+/).flatMap((name) => figures(name) ?? []);
  items.revenue = revenues.length === 0 ? null : Math.max(...revenues);
  items.ebitda = sum(items.operatingIncome, items.depreciationAndAmortization);
  for (const item of OUTFLOWS) {
    const flow = items[item];
    items[item] = flow === null ? null : Math.abs(flow);
  }
  if (standard === "Japan GAAP") Object.assign(items, equityOf(figures));
  items.totalLiabilities ??= difference(
    items.totalAssets,
    sum(items.commonEquity, items.minorityInterest),
  );
  items.sharesOutstanding = sharesOf(items.commonEquity, figures(BOOK_VALUES[standard]));
  return items;
}

function read(figures: Figures, elements: string): number | null {
  for (const way of elements.split(", ")) {
    const [first = "", ...others] = way.split(" + ");
    const figure = figures(first);
    if (figure !== null) return others.reduce((all, other) => all + (figures(other) ?? 0), figure);
  }
  return null;
}

/**
 * Equity of the owners and the rest of net assets: minorities and rights to shares. Null unless the parts of a
 * balance sheet add up to its net assets.
 */
function equityOf(figures: Figures): Pick<StatementItems, "commonEquity" | "minorityInterest"> {
  const netAssets = figures("NetAssets");
  const own = figures("ShareholdersEquity");
  if (netAssets === null || own === null) return { commonEquity: null, minorityInterest: null };
  const commonEquity = own + (figures("ValuationAndTranslationAdjustments") ?? 0);
  const minorityInterest = netAssets - commonEquity;
  const others = ["NonControllingInterests", "SubscriptionRightsToShares"];
  const known = others.reduce((all, element) => all + (figures(element) ?? 0), 0);
  return Math.abs(minorityInterest - known) <= ROUNDED_AMOUNTS
    ? { commonEquity, minorityInterest }
    : { commonEquity: null, minorityInterest: null };
}

/** Sums of amounts in million yen may differ by some millions. */
const ROUNDED_AMOUNTS = 5e6;

/** The number of shares without the company's own: equity / book value per share, if it is exact to a thousandth. */
function sharesOf(equity: number | null, bookValue: number | null): number | null {
  if (equity === null || bookValue === null || equity <= 0 || bookValue <= 0) return null;
  return BOOK_VALUE_ROUNDING / bookValue > MAX_SHARES_ERROR ? null : Math.round(equity / bookValue);
}
