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
