/** What a statement is put together from, before sums and differences. */
export type FlowPart =
  | "revenue"
  | "costOfRevenue"
  | "grossProfit"
  | "operatingIncome"
  | "depreciation"
  | "pretaxIncome"
  | "incomeTax"
  | "netIncome"
  | "operatingCashFlow"
  | "investingCashFlow"
  | "financingCashFlow"
  | "capitalExpenditure";

/** A figure of a balance sheet, as it stood on a day. */
export type InstantPart =
  | "totalAssets"
  | "currentAssets"
  | "cashAndInvestments"
  | "cash"
  | "shortTermInvestments"
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
 * The tags by taxonomy. `Revenues` comes before revenue from contracts with customers: where a company
 * reports both, the latter is a part (premiums, interest and leases are not in it).
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
        depreciation: [
          "DepreciationDepletionAndAmortization",
          "DepreciationAmortizationAndAccretionNet",
          "DepreciationAndAmortization",
        ],
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
        shortTermInvestments: [
          "ShortTermInvestments",
          "MarketableSecuritiesCurrent",
          "AvailableForSaleSecuritiesDebtSecuritiesCurrent",
          "AvailableForSaleSecuritiesCurrent",
        ],
        inventory: ["InventoryNet"],
        totalLiabilities: ["Liabilities"],
        currentLiabilities: ["LiabilitiesCurrent"],
        longTermDebt: [
          "LongTermDebtNoncurrent",
          "LongTermDebtAndCapitalLeaseObligations",
          "ConvertibleNotesPayableNoncurrent",
          "ConvertibleLongTermNotesPayable",
          "LongTermNotesPayable",
        ],
        currentDebt: ["DebtCurrent"],
        currentLongTermDebt: [
          "LongTermDebtCurrent",
          "LongTermDebtAndCapitalLeaseObligationsCurrent",
          "ConvertibleNotesPayableCurrent",
        ],
        shortTermBorrowings: ["ShortTermBorrowings"],
        commercialPaper: ["CommercialPaper"],
        otherBorrowings: ["OtherShortTermBorrowings"],
        wholeDebt: ["DebtLongtermAndShorttermCombinedAmount"],
        wholeLongTermDebt: ["LongTermDebt"],
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
        depreciation: [
          "DepreciationAndAmortisationExpense",
          "AdjustmentsForDepreciationAndAmortisationExpense",
        ],
        pretaxIncome: ["ProfitLossBeforeTax"],
        incomeTax: ["IncomeTaxExpenseContinuingOperations"],
        netIncome: ["ProfitLossAttributableToOwnersOfParent", "ProfitLoss"],
        operatingCashFlow: ["CashFlowsFromUsedInOperatingActivities"],
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
