/** The flows that a statement is made from, before sums and differences. */
export type FlowPart =
  | "revenue"
  | "costOfRevenue"
  | "grossProfit"
  | "operatingIncome"
  | "depreciationAndAmortization"
  | "depreciation"
  | "amortization"
  | "pretaxIncome"
  | "incomeTax"
  | "netIncome"
  | "operatingCashFlow"
  | "investingCashFlow"
  | "financingCashFlow"
  | "capitalExpenditure";

/** The figures of one day that a balance sheet is made from. */
export type InstantPart =
  | "totalAssets"
  | "currentAssets"
  | "cashAndInvestments"
  | "cash"
  | "shortTermInvestments"
  | "currentDebtSecurities"
  | "currentEquitySecurities"
  | "securitiesForSale"
  | "inventory"
  | "totalLiabilities"
  | "currentLiabilities"
  | "longTermDebt"
  | "currentDebt"
  | "currentLongTermDebt"
  | "shortTermBorrowings"
  | "commercialPaper"
  | "otherBorrowings"
  | "wholeDebt"
  | "wholeLongTermDebt"
  | "equity"
  | "equityWithMinority"
  | "preferredEquity"
  | "minorityInterest";

/** The tags that companies use for a part, the one to prefer first. */
export interface TagTable {
  readonly flows: Readonly<Record<FlowPart, readonly string[]>>;
  readonly instants: Readonly<Record<InstantPart, readonly string[]>>;
  readonly epsDiluted: readonly string[];
  readonly sharesDiluted: readonly string[];
}

/**
 * The tags by taxonomy. `Revenues` comes before revenue from contracts with customers: if a company
 * reports both, the second is only a part (without premiums, interest and leases).
 */
export const TAGS: ReadonlyMap<string, TagTable> = new Map([
  [
    "us-gaap",
    {
      flows: {
        revenue: [
          "Revenues",
          "RevenueFromContractWithCustomerExcludingAssessedTax",
          "RevenueFromContractWithCustomerIncludingAssessedTax",
          "SalesRevenueNet",
          "RevenuesNetOfInterestExpense",
          "SalesRevenueGoodsNet",
          "SalesRevenueServicesNet",
        ],
        costOfRevenue: ["CostOfRevenue", "CostOfGoodsAndServicesSold", "CostOfGoodsSold"],
        grossProfit: ["GrossProfit"],
        operatingIncome: ["OperatingIncomeLoss"],
        depreciationAndAmortization: [
          "DepreciationDepletionAndAmortization",
          "DepreciationAmortizationAndAccretionNet",
          "DepreciationAndAmortization",
        ],
        depreciation: ["OtherDepreciationAndAmortization", "Depreciation"],
        amortization: ["AmortizationOfIntangibleAssets"],
        pretaxIncome: [
          "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest",
          "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments",
        ],
        incomeTax: ["IncomeTaxExpenseBenefit"],
        netIncome: [
          "NetIncomeLossAvailableToCommonStockholdersBasic",
          "NetIncomeLoss",
          "ProfitLoss",
        ],
        operatingCashFlow: [
          "NetCashProvidedByUsedInOperatingActivities",
          "NetCashProvidedByUsedInOperatingActivitiesContinuingOperations",
        ],
        investingCashFlow: [
          "NetCashProvidedByUsedInInvestingActivities",
          "NetCashProvidedByUsedInInvestingActivitiesContinuingOperations",
        ],
        financingCashFlow: [
          "NetCashProvidedByUsedInFinancingActivities",
          "NetCashProvidedByUsedInFinancingActivitiesContinuingOperations",
        ],
        capitalExpenditure: [
          "PaymentsToAcquirePropertyPlantAndEquipment",
          "PaymentsToAcquireProductiveAssets",
          "PaymentsForCapitalImprovements",
        ],
      },
      instants: {
        totalAssets: ["Assets"],
        currentAssets: ["AssetsCurrent"],
        cashAndInvestments: ["CashCashEquivalentsAndShortTermInvestments"],
        cash: ["CashAndCashEquivalentsAtCarryingValue", "CashAndDueFromBanks", "Cash"],
        shortTermInvestments: ["ShortTermInvestments", "MarketableSecuritiesCurrent"],
        currentDebtSecurities: ["DebtSecuritiesCurrent"],
        // Its label says "current"; insurers use it for all their shares.
        currentEquitySecurities: ["EquitySecuritiesFvNi"],
        securitiesForSale: [
          "AvailableForSaleSecuritiesDebtSecuritiesCurrent",
          "AvailableForSaleSecuritiesCurrent",
        ],
        inventory: ["InventoryNet"],
        totalLiabilities: ["Liabilities"],
        currentLiabilities: ["LiabilitiesCurrent"],
        longTermDebt: [
          "LongTermDebtNoncurrent",
          "LongTermDebtAndCapitalLeaseObligations",
          "ConvertibleDebtNoncurrent",
          "ConvertibleNotesPayableNoncurrent",
          "ConvertibleLongTermNotesPayable",
          "LongTermNotesPayable",
        ],
        currentDebt: ["DebtCurrent"],
        currentLongTermDebt: [
          "LongTermDebtCurrent",
          "LongTermDebtAndCapitalLeaseObligationsCurrent",
          "ConvertibleDebtCurrent",
          "ConvertibleNotesPayableCurrent",
        ],
        shortTermBorrowings: ["ShortTermBorrowings"],
        commercialPaper: ["CommercialPaper"],
        otherBorrowings: ["OtherShortTermBorrowings"],
        wholeDebt: ["DebtLongtermAndShorttermCombinedAmount"],
        wholeLongTermDebt: [
          "LongTermDebt",
          "LongTermDebtAndCapitalLeaseObligationsIncludingCurrentMaturities",
          "ConvertibleDebt",
          "ConvertibleNotesPayable",
        ],
        equity: ["StockholdersEquity"],
        equityWithMinority: [
          "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest",
        ],
        preferredEquity: ["PreferredStockValue", "PreferredStockValueOutstanding"],
        minorityInterest: ["MinorityInterest"],
      },
      epsDiluted: ["EarningsPerShareDiluted", "EarningsPerShareBasicAndDiluted"],
      sharesDiluted: [
        "WeightedAverageNumberOfDilutedSharesOutstanding",
        "WeightedAverageNumberOfShareOutstandingBasicAndDiluted",
      ],
    },
  ],
  [
    "ifrs-full",
    {
      flows: {
        revenue: ["Revenue", "RevenueFromContractsWithCustomers"],
        costOfRevenue: ["CostOfSales"],
        grossProfit: ["GrossProfit"],
        operatingIncome: ["ProfitLossFromOperatingActivities"],
        depreciationAndAmortization: [
          "DepreciationAndAmortisationExpense",
          "AdjustmentsForDepreciationAndAmortisationExpense",
        ],
        depreciation: [],
        amortization: [],
        pretaxIncome: ["ProfitLossBeforeTax"],
        incomeTax: ["IncomeTaxExpenseContinuingOperations"],
        netIncome: ["ProfitLossAttributableToOwnersOfParent", "ProfitLoss"],
        operatingCashFlow: [
          "CashFlowsFromUsedInOperatingActivities",
          "CashFlowsFromUsedInOperatingActivitiesContinuingOperations",
          // Before interest and tax are paid; for companies that do not state the cash flow after them.
          "CashFlowsFromUsedInOperations",
        ],
        investingCashFlow: ["CashFlowsFromUsedInInvestingActivities"],
        financingCashFlow: ["CashFlowsFromUsedInFinancingActivities"],
        capitalExpenditure: ["PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities"],
      },
      instants: {
        totalAssets: ["Assets"],
        currentAssets: ["CurrentAssets"],
        cashAndInvestments: [],
        cash: ["CashAndCashEquivalents"],
        shortTermInvestments: [],
        currentDebtSecurities: [],
        currentEquitySecurities: [],
        securitiesForSale: [],
        inventory: ["Inventories"],
        totalLiabilities: ["Liabilities"],
        currentLiabilities: ["CurrentLiabilities"],
        longTermDebt: ["LongtermBorrowings", "NoncurrentPortionOfNoncurrentBorrowings"],
        currentDebt: ["CurrentBorrowingsAndCurrentPortionOfNoncurrentBorrowings"],
        currentLongTermDebt: [
          "CurrentPortionOfLongtermBorrowings",
          "CurrentPortionOfNoncurrentBorrowings",
        ],
        shortTermBorrowings: ["ShorttermBorrowings", "CurrentBorrowings"],
        commercialPaper: [],
        otherBorrowings: [],
        wholeDebt: ["Borrowings"],
        wholeLongTermDebt: [],
        equity: ["EquityAttributableToOwnersOfParent"],
        equityWithMinority: ["Equity"],
        preferredEquity: [],
        minorityInterest: ["NoncontrollingInterests"],
      },
      epsDiluted: ["DilutedEarningsLossPerShare", "BasicAndDilutedEarningsLossPerShare"],
      sharesDiluted: ["AdjustedWeightedAverageShares"],
    },
  ],
]);

/** A tag whose frames are fetched. */
export interface FrameTag {
  readonly tag: string;
  readonly unit: "USD" | "shares" | "USD/shares";
  /** The flow that it gives; null for a balance; absent for figures per share. */
  readonly part?: FlowPart | null;
}

/** Tags that the taxonomy has not had since 2019. */
const REMOVED: ReadonlySet<string> = new Set([
  "SalesRevenueNet",
  "SalesRevenueGoodsNet",
  "SalesRevenueServicesNet",
  "CostOfGoodsSold",
  "AvailableForSaleSecuritiesCurrent",
]);

/** All tags of the table for US companies that filings still use, each once. */
export function frameTags(): FrameTag[] {
  const table = TAGS.get("us-gaap");
  if (!table) return [];
  const flows = Object.entries(table.flows) as [FlowPart, readonly string[]][];
  const all: FrameTag[] = [
    ...flows.flatMap(([part, tags]) => tags.map((tag) => ({ tag, unit: "USD", part }) as const)),
    ...table.epsDiluted.map((tag) => ({ tag, unit: "USD/shares" }) as const),
    ...table.sharesDiluted.map((tag) => ({ tag, unit: "shares" }) as const),
    ...Object.values(table.instants)
      .flat()
      .map((tag) => ({ tag, unit: "USD", part: null }) as const),
  ];
  return all.filter(({ tag }) => !REMOVED.has(tag));
}
