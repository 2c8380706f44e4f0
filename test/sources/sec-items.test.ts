import { describe, expect, test } from "bun:test";
import {
  cashFlow2024,
  fakeFacts,
  type FakeFact,
  findStatement as find,
  statementsOf,
  year2024,
} from "../support/company-facts.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

const ASSETS: FakeFact[] = [[null, "2024-12-31", 500, "2025-02-20"]];

describe("items of statements", () => {
  /** The statement of the year 2024 from flows and balances. */
  const yearOf = (
    flows: Record<string, number>,
    sheet: Record<string, number>,
    options: { taxonomy?: string; currency?: string } = {},
  ) => {
    const tags: Record<string, FakeFact[]> = { Assets: ASSETS };
    for (const [tag, value] of Object.entries(flows)) tags[tag] = year2024(value);
    for (const [tag, value] of Object.entries(sheet))
      tags[tag] = [[null, "2024-12-31", value, "2025-02-20"]];
    return find(statementsOf(fakeFacts(tags, options)), "year", 2024).items;
  };

  const sheetOf = (sheet: Record<string, number>) => yearOf({ Revenues: 1 }, sheet);

  const ebitdaOf = (tags: Record<string, FakeFact[]>) => {
    const statements = statementsOf(
      fakeFacts({ Assets: ASSETS, OperatingIncomeLoss: year2024(400, 90, 100), ...tags }),
    );
    return [
      find(statements, "quarter", 2024, 1).items.ebitda,
      find(statements, "quarter", 2024, 2).items.ebitda,
      find(statements, "year", 2024).items.ebitda,
    ];
  };

  describe("revenue", () => {
    const [CONTRACTS, WITH_TAXES] = ["Excluding", "Including"].map(
      (part) => `RevenueFromContractWithCustomer${part}AssessedTax`,
    ) as [string, string];
    const NET = "RevenuesNetOfInterestExpense";
    const revenueOf = (tags: Record<string, FakeFact[]>, year = 2024, quarter = 4) => {
      const statements = statementsOf(fakeFacts({ Assets: ASSETS, ...tags }));
      const span = quarter === 4 ? "year" : "quarter";
      return find(statements, span, year, quarter).items.revenue;
    };

    // Years of 4, 8, … million a quarter, in the order of the tags or against it.
    test.each<[string, Record<string, number>, number]>([
      ["all net revenue of a broker, not its fees", { [CONTRACTS]: 1_830, [NET]: 3_660 }, 3_660],
      ["all revenue of a landlord, not its services", { [CONTRACTS]: 40, Revenues: 500 }, 500],
      ["contracts that are more than another line", { [CONTRACTS]: 500, Revenues: 40 }, 500],
      // Raymond James, fiscal 2023: 12,992 less 1,373 of interest expense.
      ["net of interest expense", { Revenues: 12_992, [CONTRACTS]: 6_700, [NET]: 11_619 }, 11_619],
      ["of the group, not net revenue of a small line", { Revenues: 5_000, [NET]: 50 }, 5_000],
      // Altria, 2023: 24,483 less 3,981 of excise taxes.
      ["without taxes", { [WITH_TAXES]: 24_483, [CONTRACTS]: 20_502 }, 20_502],
      [
        "without taxes under another tag",
        { Revenues: 24_483, [CONTRACTS]: 20_502, ExciseAndSalesTaxes: 3_981 },
        20_502,
      ],
      ["goods and services", { SalesRevenueGoodsNet: 60, SalesRevenueServicesNet: 40 }, 100],
      [
        "the total of goods and services",
        { SalesRevenueGoodsNet: 60, SalesRevenueServicesNet: 40, SalesRevenueNet: 130 },
        130,
      ],
      // The same figure, rounded.
      ["the preferred tag of two for one amount", { [CONTRACTS]: 499, Revenues: 500 }, 500],
      ["the preferred tag of two, if it is less", { [CONTRACTS]: 500, Revenues: 499 }, 499],
    ])("is %s", (_, amounts, expected) => {
      const tags = Object.fromEntries(
        Object.entries(amounts).map(([tag, amount]) => [tag, year2024(amount, amount / 4)]),
      );
      expect(revenueOf(tags)).toBe(expected);
      expect(revenueOf(tags, 2024, 1)).toBe(expected / 4);
    });

    test("of a year is not mixed with a part in its quarters, or the reverse", () => {
      const quarters = (value: number): FakeFact[] => [
        ["2024-01-01", "2024-03-31", value, "2024-05-01", "10-Q"],
        ["2024-04-01", "2024-06-30", value, "2024-08-01", "10-Q"],
        ["2024-07-01", "2024-09-30", value, "2024-11-01", "10-Q"],
      ];
      const allOf = (tags: Record<string, FakeFact[]>) => {
        const statements = statementsOf(
          fakeFacts({ Assets: ASSETS, NetIncomeLoss: [...year2024(40), ...quarters(10)], ...tags }),
        );
        const [first, last] = [1, 4].map((n) => find(statements, "quarter", 2024, n).items.revenue);
        return [first, last, find(statements, "year", 2024).items.revenue];
      };
      // The fourth quarter would be 1,000 − 3 × 125 = 625.
      const [fees, all] = [quarters(125), quarters(250)];
      expect(allOf({ [CONTRACTS]: fees, [NET]: year2024(1_000) })).toEqual([null, null, 1_000]);
      // 500 − 3 × 250 = −250.
      expect(allOf({ [CONTRACTS]: year2024(500), [NET]: all })).toEqual([250, null, null]);
      // One amount under two tags, and a season: 400 after 200.
      expect(allOf({ [CONTRACTS]: quarters(200), [NET]: year2024(1_000) })).toEqual([
        200, 400, 1_000,
      ]);
    });

    test("of the running year is unknown as long as only a part is stated", () => {
      const next = (value: number): FakeFact[] => [
        ["2025-01-01", "2025-03-31", value, "2025-05-01", "10-Q", 2025, "Q1"],
      ];
      const fees = [...year2024(1_830, 450), ...next(460)];
      const netOf = (facts: FakeFact[]) => ({ [CONTRACTS]: fees, [NET]: facts });
      expect(revenueOf(netOf([...year2024(3_660, 900), ...next(920)]), 2025, 1)).toBe(920);
      const others = { NetIncomeLoss: [...year2024(366, 90), ...next(92)] };
      expect(revenueOf({ ...netOf(year2024(3_660, 900)), ...others }, 2025, 1)).toBeNull();
    });
  });

  test("net income is without the part of minority owners", () => {
    const incomeOf = (flows: Record<string, number>, sheet: Record<string, number> = {}) =>
      yearOf({ Revenues: 1_000, ...flows }, sheet).netIncome;
    const held = { StockholdersEquity: 300, MinorityInterest: 100 };
    expect(incomeOf({ ProfitLoss: 100, NetIncomeLoss: 75 }, held)).toBe(75);
    const share = { NetIncomeLossAttributableToNoncontrollingInterest: 25 };
    expect(incomeOf({ ProfitLoss: 100, ...share }, held)).toBe(75);
    // The part is not stated.
    expect(incomeOf({ ProfitLoss: 100 }, held)).toBeNull();
    const all = { StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest: 400 };
    expect(incomeOf({ ProfitLoss: 100 }, { ...all, StockholdersEquity: 300 })).toBeNull();
    const redeemable = { RedeemableNoncontrollingInterestEquityCarryingAmount: 100 };
    expect(incomeOf({ ProfitLoss: 100 }, { StockholdersEquity: 300, ...redeemable })).toBeNull();
    expect(incomeOf({ ProfitLoss: 100 }, { StockholdersEquity: 400 })).toBe(100);
    expect(incomeOf({ ProfitLoss: 100 }, { ...held, MinorityInterest: 2 })).toBe(100);
  });

  test("costs that are less than revenue − gross profit are a part: of goods, beside services", () => {
    const costsOf = (flows: Record<string, number>) =>
      yearOf({ Revenues: 1_000, ...flows }, {}).costOfRevenue;
    expect(costsOf({ GrossProfit: 400, CostOfGoodsAndServicesSold: 250 })).toBe(600);
    expect(costsOf({ GrossProfit: 400, CostOfGoodsAndServicesSold: 600 })).toBe(600);
    expect(costsOf({ CostOfGoodsAndServicesSold: 250 })).toBe(250);
  });

  test("EBITDA uses two lines, of which depreciation is one of the cash flow statement", () => {
    // As Marvell and AMD state it: 90 + 10 + 20, 100 + (21 − 10) + 21, 400 + 45 + 85.
    const amortization = { AmortizationOfIntangibleAssets: year2024(85, 20, 21) };
    const two = { OtherDepreciationAndAmortization: cashFlow2024(45, 10, 21), ...amortization };
    expect(ebitdaOf(two)).toEqual([120, 132, 530]);
    // As IBM states it.
    expect(ebitdaOf({ Depreciation: cashFlow2024(45, 10, 21), ...amortization })).toEqual([
      120, 132, 530,
    ]);
    // Microsoft, fiscal 2015: notes of 4,100 and 1,300; 5,957 in the cash flow statement.
    expect(
      ebitdaOf({
        Depreciation: year2024(4_100),
        AmortizationOfIntangibleAssets: year2024(1_300, 300, 310),
      }),
    ).toEqual([null, null, null]);
    // One line has both: 90 + 25, 100 + 26, 400 + 110.
    const both = { DepreciationDepletionAndAmortization: year2024(110, 25, 26), ...two };
    expect(ebitdaOf(both)).toEqual([115, 126, 510]);
  });

  test("EBITDA of a quarter is unknown if only the annual report states amortization", () => {
    // 400 + 45 + 85.
    expect(
      ebitdaOf({
        Depreciation: cashFlow2024(45, 10, 21),
        AmortizationOfIntangibleAssets: year2024(85),
      }),
    ).toEqual([null, null, 530]);
    // 400 + 120: depreciation alone, of the quarters too, is a part.
    expect(
      ebitdaOf({
        DepreciationDepletionAndAmortization: year2024(120),
        Depreciation: year2024(45, 10, 11),
      }),
    ).toEqual([null, null, 520]);
  });

  test("two lines are no total if they were only a part in another year", () => {
    // Tesla: 1,636 in 2017, of which 769 and 40; 1,110 and 66 in 2018, when the total, 1,901, has no common tag.
    const in2023 = (value: number): FakeFact => ["2023-01-01", "2023-12-31", value, "2024-02-20"];
    const tags = {
      DepreciationAndAmortization: [in2023(1_636)],
      Depreciation: [in2023(769), ...year2024(1_110, 245, 252)],
      AmortizationOfIntangibleAssets: [in2023(40), ...year2024(66)],
    };
    expect(ebitdaOf(tags)).toEqual([null, null, null]);
    // Without the year that shows it: a second quarter alone is in a note.
    expect(ebitdaOf({ ...tags, DepreciationAndAmortization: [] })).toEqual([null, null, null]);
  });

  test("the tag of the total is no total in a year without amortization if it was only a part in another", () => {
    // Marvell: 197.9 in 2021 with 95.9 of depreciation; in 2022 265.9 beside 979.4 of amortization.
    const tags = { DepreciationAndAmortization: year2024(198), Depreciation: year2024(96) };
    expect(ebitdaOf(tags)).toEqual([null, null, 598]);
    const later = (value: number): FakeFact => ["2025-01-01", "2025-12-31", value, "2026-02-20"];
    const shown = {
      DepreciationAndAmortization: [...year2024(198), later(266)],
      OtherDepreciationAndAmortization: [later(266)],
      AmortizationOfIntangibleAssets: [later(979)],
    };
    expect(ebitdaOf({ ...tags, ...shown })).toEqual([null, null, null]);
  });

  test("the tag of the total is not the total if the annual report uses it for depreciation alone", () => {
    // Marvell, 2022: 304.9 of depreciation in a note, as in the cash flow statement, which has amortization too.
    expect(
      ebitdaOf({
        DepreciationAndAmortization: year2024(45),
        OtherDepreciationAndAmortization: cashFlow2024(45, 10, 21),
        AmortizationOfIntangibleAssets: year2024(85, 20, 21),
      }),
    ).toEqual([120, 132, 530]);
    // Salesforce, fiscal 2025: 903 in a note, 3,477 in the cash flow statement.
    expect(
      ebitdaOf({
        DepreciationDepletionAndAmortization: year2024(45),
        DepreciationAndAmortization: year2024(130),
      }),
    ).toEqual([null, null, 530]);
  });

  test("depreciation alone is no EBITDA, except without goodwill and intangible assets", () => {
    // Union Pacific, 2024: depreciation of 2,398 and no goodwill.
    const tags = { Depreciation: year2024(2_398, 594, 596) };
    expect(ebitdaOf(tags)).toEqual([90 + 594, 100 + 596, 400 + 2_398]);
    for (const tag of ["Goodwill", "FiniteLivedIntangibleAssetsNet"])
      expect(ebitdaOf({ ...tags, [tag]: ASSETS })).toEqual([null, null, null]);
  });

  test.skipIf(!hasRecordings)(
    "EBITDA of Alphabet, whose amortization has no tag, is unknown",
    () => {
      const statements = statementsOf(recordedJson("real-2/GOOGL.json.gz"), "GOOGL");
      // Published for 2021: 78,714 + 11,555 + 886 = 91,155; facts have 10,273 of depreciation.
      expect(statements.filter(({ span }) => span === "year").length).toBeGreaterThan(5);
      for (const { span, items } of statements)
        if (span === "year") expect(items.ebitda).toBeNull();
    },
  );

  test("the tag of the total excludes amortization if it is depreciation alone", () => {
    // Home Depot's cash flow statement for fiscal 2024: "depreciation and amortization, excluding amortization of
    // intangible assets" of 3,336, and 425. A note has depreciation of 3,283.
    expect(
      ebitdaOf({
        DepreciationDepletionAndAmortization: cashFlow2024(3_336, 800, 1_630),
        DepreciationNonproduction: year2024(3_283),
        AmortizationOfIntangibleAssets: year2024(425),
      }),
    ).toEqual([null, null, 400 + 3_336 + 425]);
    // Meta, 2024: 15,290 of depreciation and 211 are all of it, but for rounding.
    expect(
      ebitdaOf({
        DepreciationDepletionAndAmortization: cashFlow2024(15_498, 3_374, 7_011),
        Depreciation: year2024(15_290),
        AmortizationOfIntangibleAssets: year2024(211),
      })[2],
    ).toBe(400 + 15_498);
  });

  test.each([
    // As NVIDIA states it since 2026: debt and equity securities on two lines.
    [{ DebtSecuritiesCurrent: 37, EquitySecuritiesFvNi: 6 }, 13 + 37 + 6],
    [{ DebtSecuritiesCurrent: 37 }, 13 + 37],
    [
      { MarketableSecuritiesCurrent: 43, DebtSecuritiesCurrent: 37, EquitySecuritiesFvNi: 6 },
      13 + 43,
    ],
    // As Berkshire states it: all its shares, which are not cash.
    [{ EquitySecuritiesFvNi: 270 }, 13],
    [{ AvailableForSaleSecuritiesDebtSecuritiesCurrent: 9, EquitySecuritiesFvNi: 6 }, 13 + 9],
    // As Nike and IBM state it: 7,464 and 1,687 for Nike's fiscal 2025.
    [{ DebtSecuritiesAvailableForSaleExcludingAccruedInterestCurrent: 9 }, 13 + 9],
  ])("cash of 13 with %o is %d", (tags, cash) => {
    expect(sheetOf({ CashAndCashEquivalentsAtCarryingValue: 13, ...tags }).cash).toBe(cash);
  });

  test("the cost of goods of an insurer is no cost of revenue", () => {
    // UnitedHealth, 2024: medical costs of 264,185 beside 46,694 for products.
    const items = yearOf(
      {
        Revenues: 400_278,
        CostOfGoodsAndServicesSold: 46_694,
        PolicyholderBenefitsAndClaimsIncurredNet: 264_185,
      },
      {},
    );
    expect([items.costOfRevenue, items.grossProfit]).toEqual([null, null]);
  });

  test("expenses and outflows below zero are unknown", () => {
    const flows = {
      OperatingIncomeLoss: 10,
      DepreciationDepletionAndAmortization: -3,
      PaymentsToAcquirePropertyPlantAndEquipment: -4,
      PaymentsOfDividends: -5,
      PaymentsForRepurchaseOfCommonStock: -6,
    };
    expect(yearOf({ Revenues: 1, ...flows }, {})).toMatchObject({
      depreciationAndAmortization: null,
      ebitda: null,
      capitalExpenditure: null,
      dividendsPaid: null,
      shareRepurchases: null,
    });
  });

  test("capital expenditure includes software on a line of its own", () => {
    const capex = (flows: Record<string, number>) =>
      yearOf({ Revenues: 1, ...flows }, {}).capitalExpenditure;
    // Mastercard's cash flow statement for 2024.
    const mastercard = {
      PaymentsToAcquirePropertyPlantAndEquipment: 474,
      PaymentsToAcquireSoftware: 720,
    };
    expect(capex(mastercard)).toBe(1_194);
    expect(
      capex({ PaymentsToAcquireProductiveAssets: 1_257, PaymentsToAcquireSoftware: 720 }),
    ).toBe(1_257);
    // Snowflake's free cash flow for fiscal 2025 is 884.1 = 959.8 − 46.3 − 29.4 million.
    const snowflake = {
      PaymentsToAcquirePropertyPlantAndEquipment: 463,
      PaymentsToDevelopSoftware: 294,
    };
    expect(capex(snowflake)).toBe(9_598 - 8_841);
    const statements = (software: Record<string, FakeFact[]>) =>
      statementsOf(
        fakeFacts({
          Assets: ASSETS,
          Revenues: year2024(4, 1),
          PaymentsToAcquirePropertyPlantAndEquipment: year2024(80, 10),
          ...software,
        }),
      );
    const first = (software: Record<string, FakeFact[]>) =>
      find(statements(software), "quarter", 2024, 1).items.capitalExpenditure;
    expect(first({})).toBe(10);
    expect(first({ PaymentsToDevelopSoftware: year2024(240, 30) })).toBe(40);
    // The quarter does not state it.
    expect(first({ PaymentsToDevelopSoftware: year2024(240) })).toBeNull();
  });

  test("research and development is the larger of two tags", () => {
    // Johnson & Johnson, 2023: expenses of 15,085, and a note on acquired projects of 483.
    const expense = "ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost";
    const flows = { ResearchAndDevelopmentExpense: 483, [expense]: 15_085 };
    expect(yearOf({ Revenues: 1, ...flows }, {}).researchAndDevelopment).toBe(15_085);
  });

  test("capital expenditure of a property company includes its property, or is unknown", () => {
    const ifrs = { taxonomy: "ifrs-full" };
    const plant = "PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities";
    const capex = (flows: Record<string, number>, property: number) =>
      yearOf({ Revenue: 1, ...flows }, { InvestmentProperty: property }, ifrs).capitalExpenditure;
    expect(capex({ [plant]: 3, PurchaseOfInvestmentProperty: 70 }, 450)).toBe(73);
    expect(capex({ PurchaseOfInvestmentProperty: 70 }, 450)).toBe(70);
    // Logistic Properties of the Americas, 2024: 71,066 for equipment, property of 555 of 607 million.
    expect(capex({ [plant]: 3 }, 450)).toBeNull();
    expect(capex({ [plant]: 3 }, 10)).toBe(3);
  });

  test.each<[string, Record<string, number>, number | null]>([
    [
      "one line",
      { SellingGeneralAndAdministrativeExpense: 100, GeneralAndAdministrativeExpense: 40 },
      100,
    ],
    ["two lines", { SellingAndMarketingExpense: 60, GeneralAndAdministrativeExpense: 40 }, 100],
    ["one of two lines", { GeneralAndAdministrativeExpense: 40 }, null],
  ])("selling, general and administrative expenses of %s", (_, flows, expected) => {
    expect(yearOf({ Revenues: 1, ...flows }, {}).sellingGeneralAdministrative).toBe(expected);
  });

  test("dividends are those to common and preferred shareholders", () => {
    const paid = (flows: Record<string, number>) =>
      yearOf({ Revenues: 1, ...flows }, {}).dividendsPaid;
    expect(paid({ PaymentsOfDividends: 12 })).toBe(12);
    expect(paid({ PaymentsOfDividendsCommonStock: 10 })).toBe(10);
    const preferred = { PaymentsOfDividendsPreferredStockAndPreferenceStock: 2 };
    expect(paid({ PaymentsOfDividendsCommonStock: 10, ...preferred })).toBe(12);
  });

  test("liabilities that are not stated exclude redeemable interests", () => {
    // Walmart, fiscal 2025: 260,823 − 97,421 − 271.
    const sheet = {
      Assets: 260_823,
      StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest: 97_421,
      RedeemableNoncontrollingInterestEquityCarryingAmount: 271,
    };
    expect(yearOf({ Revenues: 1 }, sheet).totalLiabilities).toBe(163_131);
  });

  test("investments of unknown term are cash only if they complete the current assets", () => {
    const cash = (tags: Record<string, number>) => sheetOf(tags).cash;
    // Visa, fiscal 2024: settlement receivables, collateral and client incentives have no common tags.
    const visa = {
      AssetsCurrent: 34_033,
      CashAndCashEquivalentsAtCarryingValue: 11_975,
      Investments: 3_200,
      LongTermInvestments: 2_545,
      AccountsReceivableNetCurrent: 2_561,
      PrepaidExpenseAndOtherAssetsCurrent: 3_312,
    };
    expect(cash(visa)).toBeNull();
    expect(cash({ ...visa, AssetsCurrent: 11_975 + 3_200 + 2_561 + 3_312 })).toBe(15_175);
    expect(cash({ ...visa, Investments: 2_545 })).toBe(11_975);
    // Disney, fiscal 2024: 2,097 of content advances are all the rest, so 4,459 are not current.
    const disney = {
      AssetsCurrent: 25_241,
      CashAndCashEquivalentsAtCarryingValue: 6_002,
      Investments: 4_459,
      ReceivablesNetCurrent: 12_729,
      InventoryNet: 2_022,
      OtherAssetsCurrent: 2_391,
    };
    expect(cash(disney)).toBe(6_002);
  });

  test("short-term investments and marketable securities are added only if both are lines", () => {
    const cash = (current: number) =>
      sheetOf({
        AssetsCurrent: current,
        CashAndCashEquivalentsAtCarryingValue: 100,
        ShortTermInvestments: 50,
        MarketableSecuritiesCurrent: 30,
        InventoryNet: 20,
      }).cash;
    expect(cash(100 + 50 + 30 + 20)).toBe(180);
    expect(cash(100 + 50 + 20)).toBe(150);
    expect(cash(500)).toBeNull();
  });

  test("short-term investments that disappear make cash unknown, unless all current assets are known", () => {
    // Union Pacific: 20 held to maturity at the end of 2024; 1,060 + 1,915 + 774 + 434 in June 2025.
    const cash = (current: number) => {
      const june = (value: number): FakeFact => [null, "2025-06-30", value, "2025-07-24"];
      const facts = fakeFacts({
        Assets: [...ASSETS, june(500)],
        Revenues: [
          ...year2024(4),
          ["2025-04-01", "2025-06-30", 1, "2025-07-24", "10-Q", 2025, "Q2"],
        ],
        CashAndCashEquivalentsAtCarryingValue: [
          [null, "2024-12-31", 1_016, "2025-02-20"],
          june(1_060),
        ],
        HeldToMaturitySecuritiesCurrent: [[null, "2024-12-31", 20, "2025-02-20"]],
        AssetsCurrent: [june(current)],
        AccountsReceivableNetCurrent: [june(1_915)],
        InventoryNet: [june(774)],
        OtherAssetsCurrent: [june(434)],
      });
      const statements = statementsOf(facts);
      return [
        find(statements, "year", 2024).items.cash,
        find(statements, "quarter", 2025, 2).items.cash,
      ];
    };
    expect(cash(4_183)).toEqual([1_036, 1_060]);
    expect(cash(4_400)).toEqual([1_036, null]);
  });

  test("minority interest includes redeemable interests, and is no liability", () => {
    // UnitedHealth, 2024: 5,610 in the equity of 98,268, and 4,323 before it; liabilities of 195,687.
    const sheet = {
      Assets: 298_278,
      StockholdersEquity: 92_658,
      MinorityInterest: 5_610,
      RedeemableNoncontrollingInterestEquityCarryingAmount: 4_323,
    };
    expect(sheetOf(sheet)).toMatchObject({
      minorityInterest: 9_933,
      commonEquity: 92_658,
      totalLiabilities: 195_687,
    });
  });

  test("cash is the line of the balance sheet, also if its tag includes restricted cash", () => {
    const all = { CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents: 9_556 };
    expect(sheetOf(all).cash).toBe(9_556);
    expect(sheetOf({ ...all, RestrictedCashCurrent: 500 }).cash).toBeNull();
    expect(sheetOf({ ...all, CashAndCashEquivalentsAtCarryingValue: 9_000 }).cash).toBe(9_000);
  });

  test("cash is unknown on a day of which only the cash flow statement is known", () => {
    const tags: Record<string, FakeFact[]> = {
      Assets: [[null, "2025-03-31", 500, "2025-05-01"]],
      Revenues: [...year2024(4), ["2025-01-01", "2025-03-31", 1, "2025-05-01", "10-Q", 2025, "Q1"]],
      CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents: [
        [null, "2024-12-31", 9, "2025-05-01"],
        [null, "2025-03-31", 8, "2025-05-01"],
      ],
    };
    const statements = statementsOf(fakeFacts(tags));
    expect(find(statements, "year", 2024).items.cash).toBeNull();
    expect(find(statements, "quarter", 2025, 1).items.cash).toBe(8);
  });

  test("average shares in thousands are unknown", () => {
    // NVIDIA, fiscal 2008: 606,732 for 606.7 million; 797.6 million of income are 1.31 a share.
    const income = (shares: number) =>
      yearOf(
        {
          NetIncomeLoss: 797_645_000,
          EarningsPerShareDiluted: 1.31,
          WeightedAverageNumberOfDilutedSharesOutstanding: shares,
        },
        {},
      );
    expect(income(606_732)).toMatchObject({ epsDiluted: 1.31, sharesDiluted: null });
    expect(income(606_732_000)).toMatchObject({ epsDiluted: 1.31, sharesDiluted: 606_732_000 });
  });

  test("common equity is unknown if preferred equity disappears from the sheet", () => {
    const equity = (preferred: FakeFact[]) =>
      find(
        statementsOf(
          fakeFacts({
            Assets: [[null, "2023-12-31", 500, "2024-02-20"], ...ASSETS],
            Revenues: year2024(1),
            StockholdersEquity: [[null, "2024-12-31", 300, "2025-02-20"]],
            PreferredStockValue: preferred,
          }),
        ),
        "year",
        2024,
      ).items.commonEquity;
    expect(equity([])).toBe(300);
    expect(equity([[null, "2023-12-31", 8, "2024-02-20"]])).toBeNull();
    expect(equity([[null, "2024-12-31", 8, "2025-02-20"]])).toBe(292);
  });

  describe("shares outstanding", () => {
    const counted = (cover: number[], average: number | null, onSheet?: number) =>
      find(
        statementsOf(
          fakeFacts({
            Assets: ASSETS,
            Revenues: year2024(1),
            EntityCommonStockSharesOutstanding: cover.map((count): FakeFact => [
              null,
              "2025-02-14",
              count,
              "2025-02-20",
            ]),
            ...(average !== null && {
              WeightedAverageNumberOfSharesOutstandingBasic: year2024(average),
            }),
            ...(onSheet !== undefined && {
              CommonStockSharesOutstanding: [[null, "2024-12-31", onSheet, "2025-02-20"]],
            }),
          }),
        ),
        "year",
        2024,
      ).items.sharesOutstanding;

    test.each<[string, number[], number | null, number | undefined, number | null]>([
      ["those of the cover page", [950], 1_000, undefined, 950],
      ["those of the cover page after an issue", [1_800], 1_000, 1_750, 1_800],
      ["unknown on a cover page with one of two classes", [600], 1_000, undefined, null],
      ["unknown on a cover page with two classes", [600, 400], 1_000, undefined, null],
      ["unknown in thousands", [1], 1_000, undefined, null],
      ["unknown without an average to compare", [950], null, 950, null],
      // Alphabet: the cover page has three classes, the balance sheet all shares.
      ["those of the balance sheet", [], 12_319, 12_211, 12_211],
      ["unknown on a balance sheet with one class", [], 1_000, 900, null],
    ])("are %s", (_, cover, average, onSheet, expected) => {
      expect(counted(cover, average, onSheet)).toBe(expected);
    });
  });
});
