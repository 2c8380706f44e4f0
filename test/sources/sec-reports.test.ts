import { describe, expect, test } from "bun:test";
import {
  type FakeFact,
  fakeFacts,
  findStatement as find,
  statementsOf,
} from "../support/company-facts.ts";

/** The year 2024 of a company, from figures of its annual report in millions. */
function reportOf(
  flows: Record<string, number>,
  sheet: Record<string, number>,
  options: Parameters<typeof fakeFacts>[1] = {},
) {
  const tags: Record<string, FakeFact[]> = {};
  for (const [tag, value] of Object.entries(flows))
    tags[tag] = [["2024-01-01", "2024-12-31", value, "2025-02-14", "10-K", 2024]];
  for (const [tag, value] of Object.entries({ Assets: 1, ...sheet }))
    tags[tag] = [[null, "2024-12-31", value, "2025-02-14"]];
  return find(statementsOf(fakeFacts(tags, options)), "year", 2024).items;
}

describe("banks", () => {
  // JPMorgan Chase, Form 10-K for 2024, SEC 0000019617-25-000270.
  const jpm = reportOf(
    {
      Revenues: 177_556,
      InterestIncomeExpenseNet: 92_583,
      NoninterestIncome: 84_973,
      InterestExpenseOperating: 101_350,
      NetIncomeLoss: 58_471,
      NetIncomeLossAvailableToCommonStockholdersBasic: 56_868,
    },
    {
      Assets: 4_002_814,
      CashAndDueFromBanks: 23_372,
      InterestBearingDepositsInBanks: 445_945,
      CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents: 469_317,
      StockholdersEquity: 344_758,
      PreferredStockIncludingAdditionalPaidInCapitalNetOfDiscount: 20_050,
    },
  );

  test("have the common equity, cash and interest expense of their report", () => {
    expect(jpm).toMatchObject({
      revenue: 177_556,
      netIncome: 56_868,
      interestExpense: 101_350,
      commonEquity: 324_708,
      preferredEquity: 20_050,
      cash: 469_317,
      operatingIncome: null,
      ebitda: null,
      currentAssets: null,
      grossProfit: null,
    });
  });

  test("have the revenue net of interest expense, also if only fees are tagged as revenue", () => {
    // Wells Fargo, Form 10-K for 2009: 46,324 + 42,362 = 88,686.
    const flows = { InterestIncomeExpenseNet: 46_324, NoninterestIncome: 42_362 };
    expect(reportOf(flows, {}).revenue).toBe(88_686);
    const fees = { RevenueFromContractWithCustomerExcludingAssessedTax: 9_000 };
    expect(reportOf({ ...flows, ...fees }, {}).revenue).toBe(88_686);
    // Net interest of a company that is no bank.
    expect(reportOf({ Revenues: 500, InterestIncomeExpenseNet: -3 }, {}).revenue).toBe(500);
  });

  test("have the cash of the cash flow statement if it is the only total", () => {
    const due = { CashAndDueFromBanks: 30 };
    expect(reportOf({ Revenues: 1 }, due).cash).toBe(30);
    const all = { CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents: 200 };
    expect(reportOf({ Revenues: 1 }, { ...due, ...all }).cash).toBe(200);
  });
});

describe("preferred equity", () => {
  // MetLife, Form 10-K for 2009: 33,121 − 2,042 = 31,079; the line of the balance sheet is the par value.
  const income = {
    Revenues: 41_058,
    NetIncomeLoss: -2_246,
    NetIncomeLossAvailableToCommonStockholdersBasic: -2_368,
    PaymentsOfDividendsPreferredStockAndPreferenceStock: 122,
  };
  const sheet = { StockholdersEquity: 33_121, PreferredStockValue: 1 };

  test("at par is unknown without the liquidation preference, and so is common equity", () => {
    expect(reportOf(income, sheet)).toMatchObject({ commonEquity: null, preferredEquity: null });
    const preference = { PreferredStockLiquidationPreferenceValue: 2_042 };
    expect(reportOf(income, { ...sheet, ...preference })).toMatchObject({
      commonEquity: 31_079,
      preferredEquity: 2_042,
    });
  });

  test("without a line is unknown if dividends on it are declared", () => {
    // Boeing, Form 10-K for 2024: 5,651 of convertible preferred stock, of which 6 are a line; dividends of 58.
    const boeing = {
      Revenues: 66_517,
      NetIncomeLoss: -11_817,
      NetIncomeLossAvailableToCommonStockholdersBasic: -11_875,
      PreferredStockDividendsIncomeStatementImpact: 58,
    };
    const items = reportOf(boeing, { StockholdersEquity: -3_908 });
    expect(items).toMatchObject({ commonEquity: null, preferredEquity: null });
  });

  test("of subsidiaries is not in the equity", () => {
    const { NetIncomeLossAvailableToCommonStockholdersBasic: _, ...own } = income;
    expect(reportOf(own, { StockholdersEquity: 33_121 }).commonEquity).toBe(33_121);
    // Redeemable preferred equity is a line of its own.
    const redeemable = {
      StockholdersEquity: 300,
      TemporaryEquityCarryingAmountAttributableToParent: 50,
    };
    expect(reportOf(income, redeemable).commonEquity).toBe(300);
  });
});

describe("insurers", () => {
  test("have no gross profit from the cost of the goods that they sell", () => {
    // CIGNA, Form 10-K for 2009: 18,414 of revenue, 1,036 for drugs, 16,041 of premiums.
    const flows = { Revenues: 18_414, CostOfGoodsSold: 1_036, PremiumsEarnedNet: 16_041 };
    expect(reportOf(flows, {})).toMatchObject({
      revenue: 18_414,
      costOfRevenue: null,
      grossProfit: null,
    });
  });
});

describe("convertible notes", () => {
  const debtOf = (sheet: Record<string, number>) => reportOf({ Revenues: 1 }, sheet).totalDebt;

  test("beside other lines of debt are not all debt", () => {
    // Boston Properties, Form 10-K for 2009: mortgages of 2,643 and senior notes of 2,172 million too.
    const notes = { ConvertibleNotesPayable: 1_904 };
    expect(debtOf(notes)).toBe(1_904);
    expect(debtOf({ ...notes, SecuredDebt: 2_643, SeniorNotes: 2_172 })).toBeNull();
  });

  test("beside other notes are not all debt", () => {
    // Amgen, Form 10-K for 2009: 4,512 + 6,089 = 10,601 million.
    const notes = { ConvertibleDebtNoncurrent: 4_512 };
    expect(debtOf({ ...notes, LongTermNotesPayable: 6_089 })).toBeNull();
    expect(debtOf({ ...notes, LongTermNotesPayable: 4_512 })).toBe(4_512);
    expect(debtOf({ LongTermNotesPayable: 6_089 })).toBe(6_089);
  });
});

describe("capital expenditure", () => {
  const capex = (flows: Record<string, number>, sheet: Record<string, number> = {}) =>
    reportOf({ Revenues: 1, ...flows }, sheet).capitalExpenditure;
  const plant = "PaymentsToAcquirePropertyPlantAndEquipment";

  test("has the wells of an oil company and the construction of a utility beside other property", () => {
    // Range Resources, Form 10-K for 2009: 33.1 for field service assets.
    const wells = { PaymentsToAcquireOilAndGasPropertyAndEquipment: 541.2 };
    expect(capex({ [plant]: 33.1, ...wells })).toBeCloseTo(574.3, 9);
    expect(capex(wells)).toBe(541.2);
    // American Electric Power, Form 10-K for 2009: 104 for assets of others.
    expect(capex({ [plant]: 104, PaymentsForConstructionInProcess: 2_792 })).toBe(2_896);
    // The line is the total.
    expect(capex({ [plant]: 900, PaymentsForConstructionInProcess: 300 })).toBe(900);
    // Cabot Oil & Gas, Form 10-K for 2009: the smaller one is the expense of exploration.
    expect(capex({ ...wells, PaymentsToExploreAndDevelopOilAndGasProperties: 50.8 })).toBe(541.2);
  });

  test("of a real estate company is unknown, because its purchases of property are many lines", () => {
    // Ventas, Form 10-K for 2009: 13.8 million beside acquisitions; most of its assets is property.
    const property = { Assets: 5_616, RealEstateInvestmentPropertyNet: 5_116 };
    expect(capex({ [plant]: 13.8 }, property)).toBeNull();
    expect(capex({ [plant]: 13.8 }, { ...property, RealEstateInvestmentPropertyNet: 20 })).toBe(
      13.8,
    );
  });
});

describe("finance leases", () => {
  const leases = (sheet: Record<string, number>) =>
    reportOf({ Revenues: 1 }, sheet).leaseLiabilities;

  test("alone are not all leases, unlike the capital leases before 2019", () => {
    // ASML, Form 20-F for 2025: 16.5 million of finance leases, and operating leases in other liabilities.
    expect(leases({ FinanceLeaseLiability: 16.5 })).toBeNull();
    expect(leases({ FinanceLeaseLiability: 16.5, OperatingLeaseLiability: 300 })).toBe(316.5);
    expect(leases({ CapitalLeaseObligations: 16.5 })).toBe(16.5);
    expect(leases({ FinanceLeaseLiability: 0, OperatingLeaseLiability: 300 })).toBe(300);
  });
});

test("companies under IFRS have EBITDA from two lines, and the finance costs as interest expense", () => {
  // Taiwan Semiconductor, Form 20-F for 2024, in millions of TWD: 1,322,053.0 + 653,610.5 + 9,186.1 = 1,984,849.6.
  const flows = {
    Revenue: 2_894_307.7,
    ProfitLossFromOperatingActivities: 1_322_053,
    DepreciationExpense: 653_610.5,
    AmortisationExpense: 9_186.1,
    FinanceCosts: 10_495.4,
    InterestExpenseOnBorrowings: 150.8,
  };
  const options = { taxonomy: "ifrs-full", currency: "TWD" };
  const items = reportOf(flows, {}, options);
  expect(items.ebitda).toBeCloseTo(1_984_849.6, 6);
  expect(items.interestExpense).toBe(10_495.4);
  const { AmortisationExpense: _, ...without } = flows;
  expect(reportOf(without, {}, options).ebitda).toBeNull();
});

test("inventory is 0 only if nothing shows one under another tag", () => {
  const inventory = (sheet: Record<string, number>, flows: Record<string, number> = {}) =>
    reportOf({ Revenues: 1, ...flows }, sheet).inventory;
  const assets = { AssetsCurrent: 4_021 };
  // Visa, Form 10-K for 2024, has none; Union Pacific has materials of 769 that changed by 26.
  expect(inventory(assets)).toBe(0);
  expect(inventory({ ...assets, MaterialsSuppliesAndOther: 769 })).toBeNull();
  expect(inventory(assets, { IncreaseDecreaseInMaterialsAndSupplies: 26 })).toBeNull();
  expect(inventory({ ...assets, InventoryNet: 769 })).toBe(769);
  // A bank.
  expect(inventory({})).toBeNull();
});

test("payables are those of suppliers alone in every report, or those with accrued liabilities", () => {
  // Coca-Cola, in millions: 10-K for 2024 and 10-Q of the second quarter of 2025.
  const payables: FakeFact = [null, "2024-12-31", 5_468, "2025-02-20"];
  const all: FakeFact[] = [
    [null, "2024-12-31", 21_715, "2025-02-20"],
    [null, "2025-03-28", 17_030, "2025-04-29", "10-Q"],
  ];
  const statements = (trade: FakeFact[]) =>
    statementsOf(
      fakeFacts({
        Revenues: [
          ["2024-01-01", "2024-12-31", 47_061, "2025-02-20", "10-K", 2024],
          ["2025-01-01", "2025-03-28", 11_129, "2025-04-29", "10-Q", 2025, "Q1"],
        ],
        Assets: [[null, "2024-12-31", 100_549, "2025-02-20"]],
        AccountsPayableAndAccruedLiabilitiesCurrent: all,
        AccountsPayableCurrent: trade,
      }),
    );
  const quarter = (trade: FakeFact[]) => find(statements(trade), "quarter", 2025, 1).items.payables;
  expect(find(statements([payables]), "year", 2024).items.payables).toBe(5_468);
  expect(quarter([payables])).toBeNull();
  expect(quarter([])).toBe(17_030);
});

test("inventory is the line that is net of customers' advances", () => {
  // Boeing, Form 10-K for 2024.
  const sheet = { InventoryNetOfAllowancesCustomerAdvancesAndProgressBillings: 87_550 };
  expect(reportOf({ Revenues: 1 }, sheet).inventory).toBe(87_550);
});

test("interest expense below zero is net of interest income", () => {
  // Vertiv tags −4.4 million for the first quarter of 2026.
  expect(reportOf({ Revenues: 2_650, InterestExpense: -4.4 }, {}).interestExpense).toBeNull();
});
