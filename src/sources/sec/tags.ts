import { mapRecord } from "#lib/map-record.ts";

/**
 * The tags of US-GAAP, the one to prefer first. If a company reports several tags of revenue, `revenueFacts` finds the
 * one for all revenue. Parts without a tag exist in IFRS only.
 */
const US_GAAP = {
  flows: {
    revenue: [
      "Revenues",
      "RevenueFromContractWithCustomerExcludingAssessedTax",
      "RevenueFromContractWithCustomerIncludingAssessedTax",
      "SalesRevenueNet",
      "RevenuesNetOfInterestExpense",
      "SalesRevenueGoodsNet",
      "SalesRevenueServicesNet",
      "RealEstateRevenueNet",
    ],
    netInterestIncome: ["InterestIncomeExpenseNet"],
    noninterestIncome: ["NoninterestIncome"],
    costOfRevenue: ["CostOfRevenue", "CostOfGoodsAndServicesSold", "CostOfGoodsSold"],
    grossProfit: ["GrossProfit"],
    policyBenefits: ["PolicyholderBenefitsAndClaimsIncurredNet"],
    premiums: ["PremiumsEarnedNet"],
    operatingIncome: ["OperatingIncomeLoss"],
    depreciationAndAmortization: [
      "DepreciationDepletionAndAmortization",
      "DepreciationAmortizationAndAccretionNet",
      "DepreciationAndAmortization",
    ],
    depreciation: ["OtherDepreciationAndAmortization", "Depreciation", "DepreciationNonproduction"],
    amortization: ["AmortizationOfIntangibleAssets"],
    depreciationExpense: [],
    amortisationExpense: [],
    pretaxIncome: [
      "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest",
      "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments",
    ],
    incomeTax: ["IncomeTaxExpenseBenefit"],
    netIncome: ["NetIncomeLossAvailableToCommonStockholdersBasic", "NetIncomeLoss", "ProfitLoss"],
    incomeToParent: ["NetIncomeLoss"],
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
    ],
    software: [
      "PaymentsToAcquireSoftware",
      "PaymentsToDevelopSoftware",
      "PaymentsToAcquireAndDevelopSoftware",
      "PaymentsForSoftware",
    ],
    investmentProperty: [],
    otherCapitalExpenditure: [
      "PaymentsToExploreAndDevelopOilAndGasProperties",
      "PaymentsToAcquireOilAndGasPropertyAndEquipment",
      "PaymentsToAcquireOilAndGasProperty",
      "PaymentsForConstructionInProcess",
      "PaymentsForCapitalImprovements",
    ],
    researchAndDevelopment: [
      "ResearchAndDevelopmentExpense",
      "ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost",
      "ResearchAndDevelopmentExpenseSoftwareExcludingAcquiredInProcessCost",
    ],
    sellingGeneralAdministrative: ["SellingGeneralAndAdministrativeExpense"],
    selling: ["SellingAndMarketingExpense", "SellingExpense", "MarketingExpense"],
    generalAdministrative: ["GeneralAndAdministrativeExpense"],
    interestExpense: [
      "InterestExpense",
      "InterestExpenseOperating",
      "InterestExpenseNonoperating",
      "InterestAndDebtExpense",
      "InterestExpenseDebt",
    ],
    stockCompensation: ["ShareBasedCompensation"],
    dividends: ["PaymentsOfDividends", "PaymentsOfOrdinaryDividends"],
    commonDividends: ["PaymentsOfDividendsCommonStock"],
    preferredDividends: ["PaymentsOfDividendsPreferredStockAndPreferenceStock"],
    preferredDeclared: [
      "PreferredStockDividendsIncomeStatementImpact",
      "DividendsPreferredStock",
      "DividendsPreferredStockCash",
    ],
    shareRepurchases: ["PaymentsForRepurchaseOfCommonStock", "PaymentsForRepurchaseOfEquity"],
    // Some of them after repayments.
    shortTermBorrowed: [
      "ProceedsFromShortTermDebt",
      "ProceedsFromIssuanceOfCommercialPaper",
      "ProceedsFromOtherShortTermDebt",
      "ProceedsFromShortTermDebtMaturingInMoreThanThreeMonths",
      "ProceedsFromRepaymentsOfShortTermDebt",
      "ProceedsFromRepaymentsOfCommercialPaper",
      "ProceedsFromRepaymentsOfOtherShortTermDebt",
      "ProceedsFromRepaymentsOfShortTermDebtMaturingInThreeMonthsOrLess",
    ],
    shortTermRepaid: [
      "RepaymentsOfShortTermDebt",
      "RepaymentsOfCommercialPaper",
      "RepaymentsOfOtherShortTermDebt",
      "RepaymentsOfShortTermDebtMaturingInMoreThanThreeMonths",
    ],
    inventoryChange: [
      "IncreaseDecreaseInInventories",
      "IncreaseDecreaseInRetailRelatedInventories",
      "IncreaseDecreaseInMaterialsAndSupplies",
    ],
  },
  instants: {
    totalAssets: ["Assets"],
    currentAssets: ["AssetsCurrent"],
    cashAndInvestments: ["CashCashEquivalentsAndShortTermInvestments"],
    cash: ["CashAndCashEquivalentsAtCarryingValue", "Cash"],
    cashInBanks: ["CashAndDueFromBanks"],
    depositsInBanks: ["InterestBearingDepositsInBanks"],
    cashAndRestricted: ["CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents"],
    restrictedCash: [
      "RestrictedCashAndCashEquivalentsAtCarryingValue",
      "RestrictedCashCurrent",
      "RestrictedCash",
      "RestrictedCashAndCashEquivalents",
      "RestrictedCashNoncurrent",
      "RestrictedCashAndCashEquivalentsNoncurrent",
    ],
    shortTermInvestments: ["ShortTermInvestments", "OtherShortTermInvestments"],
    marketableSecurities: ["MarketableSecuritiesCurrent"],
    currentDebtSecurities: ["DebtSecuritiesCurrent"],
    // Its label says "current"; insurers use it for all their shares.
    currentEquitySecurities: ["EquitySecuritiesFvNi"],
    securitiesForSale: [
      "AvailableForSaleSecuritiesDebtSecuritiesCurrent",
      "DebtSecuritiesAvailableForSaleExcludingAccruedInterestCurrent",
      "AvailableForSaleSecuritiesCurrent",
    ],
    securitiesToMaturity: ["HeldToMaturitySecuritiesCurrent"],
    investments: ["Investments", "MarketableSecurities"],
    longTermInvestments: ["LongTermInvestments", "MarketableSecuritiesNoncurrent"],
    inventory: ["InventoryNet", "InventoryNetOfAllowancesCustomerAdvancesAndProgressBillings"],
    // Parts of the inventory, or all: nothing shows which.
    otherInventory: [
      "RetailRelatedInventoryMerchandise",
      "MaterialsSuppliesAndOther",
      "OtherInventorySupplies",
      "EnergyRelatedInventory",
      "EnergyRelatedInventoryGasStoredUnderground",
      "PublicUtilitiesInventory",
      "AirlineRelatedInventoryNet",
      "InventoryPartsAndComponentsNetOfReserves",
      "InventoryForLongTermContractsOrPrograms",
      "InventoryFinishedGoods",
      "InventoryFinishedGoodsNetOfReserves",
      "InventoryFinishedGoodsAndWorkInProcess",
      "InventoryWorkInProcess",
      "InventoryGross",
    ],
    otherCurrentAssets: ["PrepaidExpenseAndOtherAssetsCurrent", "OtherAssetsCurrent"],
    totalLiabilities: ["Liabilities"],
    currentLiabilities: ["LiabilitiesCurrent"],
    receivables: [
      "AccountsReceivableNetCurrent",
      "ReceivablesNetCurrent",
      "AccountsNotesAndLoansReceivableNetCurrent",
      "AccountsAndOtherReceivablesNetCurrent",
    ],
    goodwill: ["Goodwill"],
    intangibleAssets: [
      "FiniteLivedIntangibleAssetsNet",
      "IntangibleAssetsNetExcludingGoodwill",
      "IntangibleAssetsNetIncludingGoodwill",
    ],
    payables: ["AccountsPayableCurrent", "AccountsPayableTradeCurrent"],
    otherPayables: ["AccountsPayableAndAccruedLiabilitiesCurrent"],
    noncurrentDebt: ["LongTermDebtNoncurrent"],
    noncurrentDebtAndLeases: ["LongTermDebtAndCapitalLeaseObligations"],
    noncurrentNotes: ["ConvertibleDebtNoncurrent", "ConvertibleLongTermNotesPayable"],
    longTermNotes: ["LongTermNotesPayable"],
    currentDebt: ["DebtCurrent"],
    currentLongTermDebt: ["LongTermDebtCurrent"],
    currentDebtAndLeases: ["LongTermDebtAndCapitalLeaseObligationsCurrent"],
    currentNotes: ["ConvertibleDebtCurrent", "ConvertibleNotesPayableCurrent"],
    shortTermBorrowings: ["ShortTermBorrowings"],
    commercialPaper: ["CommercialPaper"],
    otherBorrowings: ["OtherShortTermBorrowings"],
    longTermDebt: [
      "LongTermDebt",
      "LongTermDebtAndCapitalLeaseObligationsIncludingCurrentMaturities",
    ],
    convertibleDebt: ["ConvertibleDebt", "ConvertibleNotesPayable"],
    wholeDebt: ["DebtLongtermAndShorttermCombinedAmount"],
    debtCarrying: ["DebtInstrumentCarryingAmount"],
    otherDebt: [
      "SecuredDebt",
      "UnsecuredDebt",
      "SeniorNotes",
      "NotesPayable",
      "LoansPayable",
      "LineOfCredit",
      "LongTermLineOfCredit",
      "SeniorLongTermNotes",
      "SecuredLongTermDebt",
      "UnsecuredLongTermDebt",
      "LongTermLoansPayable",
      "LongTermLoansFromBank",
      "OtherLongTermDebt",
      "OtherLongTermDebtNoncurrent",
    ],
    otherCurrentDebt: [
      "NotesPayableCurrent",
      "LoansPayableCurrent",
      "NotesAndLoansPayableCurrent",
      "LinesOfCreditCurrent",
    ],
    bonds: [],
    operatingLeases: ["OperatingLeaseLiability"],
    currentOperatingLeases: ["OperatingLeaseLiabilityCurrent"],
    noncurrentOperatingLeases: ["OperatingLeaseLiabilityNoncurrent"],
    financeLeases: ["FinanceLeaseLiability"],
    capitalLeases: ["CapitalLeaseObligations"],
    currentFinanceLeases: ["FinanceLeaseLiabilityCurrent", "CapitalLeaseObligationsCurrent"],
    noncurrentFinanceLeases: [
      "FinanceLeaseLiabilityNoncurrent",
      "CapitalLeaseObligationsNoncurrent",
    ],
    equity: ["StockholdersEquity"],
    equityWithMinority: ["StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"],
    preferredEquity: [
      "PreferredStockIncludingAdditionalPaidInCapitalNetOfDiscount",
      "PreferredStockValue",
      "PreferredStockValueOutstanding",
    ],
    preferredLiquidation: ["PreferredStockLiquidationPreferenceValue"],
    minorityInterest: ["MinorityInterest"],
    redeemableMinority: ["RedeemableNoncontrollingInterestEquityCarryingAmount"],
    investmentPropertyHeld: ["RealEstateInvestmentPropertyNet"],
    redeemableEquity: [
      "TemporaryEquityCarryingAmountIncludingPortionAttributableToNoncontrollingInterests",
      "RedeemableNoncontrollingInterestEquityCarryingAmount",
      "TemporaryEquityCarryingAmountAttributableToParent",
    ],
  },
  epsDiluted: ["EarningsPerShareDiluted", "EarningsPerShareBasicAndDiluted"],
  sharesDiluted: [
    "WeightedAverageNumberOfDilutedSharesOutstanding",
    "WeightedAverageNumberOfShareOutstandingBasicAndDiluted",
  ],
} satisfies TagLists;

interface TagLists {
  readonly flows: Readonly<Record<string, readonly string[]>>;
  readonly instants: Readonly<Record<string, readonly string[]>>;
  readonly epsDiluted: readonly string[];
  readonly sharesDiluted: readonly string[];
}

/** The flows that a statement is made from, before sums and differences. */
export type FlowPart = keyof typeof US_GAAP.flows;

/** The figures of one day that a balance sheet is made from. */
export type InstantPart = keyof typeof US_GAAP.instants;

/** The tags that companies use for a part, the one to prefer first. */
export interface TagTable extends TagLists {
  readonly flows: Readonly<Record<FlowPart, readonly string[]>>;
  readonly instants: Readonly<Record<InstantPart, readonly string[]>>;
}

const NO_TAGS = (): readonly string[] => [];

const IFRS: TagTable = {
  flows: {
    ...mapRecord(US_GAAP.flows, NO_TAGS),
    revenue: ["Revenue", "RevenueFromContractsWithCustomers"],
    costOfRevenue: ["CostOfSales"],
    grossProfit: ["GrossProfit"],
    operatingIncome: ["ProfitLossFromOperatingActivities"],
    depreciationAndAmortization: [
      "DepreciationAndAmortisationExpense",
      "AdjustmentsForDepreciationAndAmortisationExpense",
    ],
    // Each is the whole expense: IAS 1 requires it.
    depreciationExpense: ["DepreciationExpense", "AdjustmentsForDepreciationExpense"],
    amortisationExpense: ["AmortisationExpense", "AdjustmentsForAmortisationExpense"],
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
    capitalExpenditure: [
      "PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities",
      "PurchaseOfPropertyPlantAndEquipmentIntangibleAssetsOtherThanGoodwillInvestmentPropertyAndOtherNoncurrentAssets",
    ],
    investmentProperty: ["PurchaseOfInvestmentProperty"],
    researchAndDevelopment: ["ResearchAndDevelopmentExpense"],
    sellingGeneralAdministrative: ["SellingGeneralAndAdministrativeExpense"],
    selling: ["SalesAndMarketingExpense", "DistributionCosts"],
    generalAdministrative: ["GeneralAndAdministrativeExpense", "AdministrativeExpense"],
    interestExpense: ["InterestExpense", "FinanceCosts"],
    stockCompensation: ["AdjustmentsForSharebasedPayments"],
    dividends: [
      "DividendsPaidToEquityHoldersOfParentClassifiedAsFinancingActivities",
      "DividendsPaidClassifiedAsFinancingActivities",
    ],
    shareRepurchases: ["PaymentsToAcquireOrRedeemEntitysShares", "PurchaseOfTreasuryShares"],
    shortTermBorrowed: ["ProceedsFromCurrentBorrowings"],
    shortTermRepaid: ["RepaymentsOfCurrentBorrowings"],
    inventoryChange: ["AdjustmentsForDecreaseIncreaseInInventories"],
  },
  instants: {
    ...mapRecord(US_GAAP.instants, NO_TAGS),
    totalAssets: ["Assets"],
    currentAssets: ["CurrentAssets"],
    cash: ["CashAndCashEquivalents"],
    inventory: ["Inventories"],
    otherInventory: ["CurrentInventoriesHeldForSale"],
    totalLiabilities: ["Liabilities"],
    currentLiabilities: ["CurrentLiabilities"],
    receivables: ["CurrentTradeReceivables", "TradeAndOtherCurrentReceivables"],
    goodwill: ["Goodwill"],
    payables: ["TradeAndOtherCurrentPayablesToTradeSuppliers"],
    otherPayables: ["TradeAndOtherCurrentPayables"],
    noncurrentDebt: ["LongtermBorrowings", "NoncurrentPortionOfNoncurrentBorrowings"],
    currentDebt: ["CurrentBorrowingsAndCurrentPortionOfNoncurrentBorrowings"],
    currentLongTermDebt: [
      "CurrentPortionOfLongtermBorrowings",
      "CurrentPortionOfNoncurrentBorrowings",
    ],
    shortTermBorrowings: ["ShorttermBorrowings", "CurrentBorrowings"],
    wholeDebt: ["Borrowings"],
    otherDebt: ["NoncurrentPortionOfNoncurrentBondsIssued", "BondsIssued"],
    bonds: ["NoncurrentPortionOfNoncurrentBondsIssued"],
    // Lessees under IFRS 16 do not separate operating and finance leases.
    operatingLeases: ["LeaseLiabilities"],
    currentOperatingLeases: ["CurrentLeaseLiabilities"],
    noncurrentOperatingLeases: ["NoncurrentLeaseLiabilities"],
    equity: ["EquityAttributableToOwnersOfParent"],
    equityWithMinority: ["Equity"],
    minorityInterest: ["NoncontrollingInterests"],
    investmentPropertyHeld: ["InvestmentProperty"],
  },
  epsDiluted: ["DilutedEarningsLossPerShare", "BasicAndDilutedEarningsLossPerShare"],
  sharesDiluted: ["AdjustedWeightedAverageShares"],
};

/** The tags by taxonomy. */
export const TAGS: ReadonlyMap<string, TagTable> = new Map<string, TagTable>([
  ["us-gaap", US_GAAP],
  ["ifrs-full", IFRS],
]);
