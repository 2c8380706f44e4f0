import { describe, expect, test } from "bun:test";
import { fakeFacts, type FakeFact, findStatement, statementsOf } from "../support/company-facts.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

describe.skipIf(!hasRecordings)("total debt of recorded companies", () => {
  const debts = (name: string) => {
    const statements = statementsOf(recordedJson(`real-2/${name}.json.gz`), name);
    return (year: number, quarter?: number) =>
      (quarter === undefined
        ? findStatement(statements, "year", year)
        : findStatement(statements, "quarter", year, quarter)
      ).items.totalDebt;
  };

  // Marvell's 10-K, note on debt: net carrying amount, in millions.
  test.each([
    [2026, 4_470.6],
    [2025, 4_063.8],
    [2024, 4_165.9],
    [2023, 4_492.1],
    [2022, 4_548],
  ])("Marvell, whose short-term borrowings are its current part: fiscal %d", (year, millions) => {
    expect((debts("MRVL")(year) ?? 0) / 1e6).toBeCloseTo(millions, 1);
  });

  // Tesla's 10-K and 10-Q, note on debt: current and long-term net carrying amounts, without leases.
  test.each([
    [2019, undefined, 1_399 + 10_402],
    [2020, undefined, 1_758 + 8_462],
    [2021, undefined, 1_088 + 4_254],
    [2022, 3, 979 + 1_418],
  ])("Tesla, whose LongTermDebt is its non-current line: %d %p", (year, quarter, millions) => {
    expect(debts("TSLA")(year, quarter)).toBe(millions * 1e6);
  });

  // Alphabet's 10-K for 2024: notes of 11,882 and commercial paper of 2,300. `LongTermDebt` is the face amount.
  test("Alphabet", () => {
    expect(debts("GOOGL")(2024)).toBe((10_883 + 999 + 2_300) * 1e6);
  });
});

// Apple's 10-K for fiscal 2019: term debt of 91,807 + 10,260, commercial paper of 5,980, which two tags state.
test.skipIf(!hasRecordings)("commercial paper under two tags counts once", () => {
  const statements = statementsOf(recordedJson("sec/companyfacts_CIK0000320193.json"), "AAPL");
  expect(findStatement(statements, "year", 2019).items.totalDebt).toBe(108_047e6);
});

type Sheet = Readonly<Record<string, number>>;

/** Sheets of consecutive year ends, the last one 2024. */
function debtsOf(
  sheets: readonly Sheet[],
  {
    currency = "USD",
    taxonomy = "us-gaap",
    flows = {},
  }: { currency?: string; taxonomy?: string; flows?: Record<string, FakeFact[]> } = {},
) {
  const first = 2025 - sheets.length;
  const tags: Record<string, FakeFact[]> = { ...flows };
  sheets.forEach((sheet, i) => {
    const year = first + i;
    const filed = `${year + 1}-02-20`;
    const revenue = taxonomy === "us-gaap" ? "Revenues" : "Revenue";
    (tags[revenue] ??= []).push([`${year}-01-01`, `${year}-12-31`, 1, filed, "10-K", year]);
    for (const [tag, value] of Object.entries({ Assets: 1e6, ...sheet }))
      (tags[tag] ??= []).push([null, `${year}-12-31`, value, filed, "10-K", year]);
  });
  const statements = statementsOf(fakeFacts(tags, { taxonomy, currency }));
  return sheets.map((_, i) => findStatement(statements, "year", first + i).items.totalDebt);
}

const debtOf = (sheet: Sheet) => debtsOf([sheet])[0];

describe("total debt by the tags of a company's annual report, in millions", () => {
  test.each<[string, Sheet, number]>([
    [
      // 10-K for 2024, balance sheet: 10,912 + 85,750 of term debt and 9,967 of commercial paper.
      "Apple",
      {
        LongTermDebtNoncurrent: 85_750,
        LongTermDebtCurrent: 10_912,
        LongTermDebt: 96_662,
        CommercialPaper: 9_967,
      },
      106_629,
    ],
    [
      // 10-K for fiscal 2024: debt of 4,129 and current debt of 1,499.
      "Adobe: LongTermDebt is the non-current line",
      { LongTermDebt: 4_129, DebtCurrent: 1_499, DebtInstrumentCarryingAmount: 5_650 },
      5_628,
    ],
    [
      // 10-K for 2024: loans and notes payable of 5,983 include 1,749 of long-term debt.
      "Johnson & Johnson",
      {
        LongTermDebtNoncurrent: 30_651,
        LongTermDebtCurrent: 1_749,
        LongTermDebt: 32_400,
        ShortTermBorrowings: 5_983,
        DebtCurrent: 6_000,
      },
      36_634,
    ],
    [
      // 10-Q for June 2025: short-term debt of 8,945 and long-term debt of 55,219.
      "IBM",
      {
        LongTermDebtNoncurrent: 55_219,
        LongTermDebtAndCapitalLeaseObligations: 55_219,
        LongTermDebtAndCapitalLeaseObligationsCurrent: 8_944,
        ShortTermBorrowings: 8_945,
      },
      64_164,
    ],
    [
      // 10-K for fiscal 2025: short-term borrowings of 3,068, 2,598 due within a year, 33,401 beyond.
      "Walmart: three separate lines, and leases",
      {
        LongTermDebtNoncurrent: 33_401,
        LongTermDebtCurrent: 2_598,
        LongTermDebt: 35_999,
        ShortTermBorrowings: 3_068,
        FinanceLeaseLiability: 6_723,
      },
      39_067,
    ],
    [
      // 10-K for fiscal 2024: 316 of short-term debt, 4,582 and 48,485 with finance leases.
      "Home Depot: lines that include finance leases",
      {
        LongTermDebtAndCapitalLeaseObligations: 48_485,
        LongTermDebtAndCapitalLeaseObligationsCurrent: 4_582,
        LongTermDebt: 51_365,
        CommercialPaper: 316,
        FinanceLeaseLiability: 3_021,
      },
      53_383,
    ],
    [
      // 10-K for 2024: total debt of 53,864.
      "Boeing",
      {
        LongTermDebtAndCapitalLeaseObligations: 52_586,
        DebtCurrent: 1_278,
        LongTermDebt: 53_625,
        FinanceLeaseLiability: 239,
      },
      53_864,
    ],
    [
      // 10-K for fiscal 2025: debt due within one year of 9,513 and long-term debt of 24,995.
      "Procter & Gamble",
      {
        LongTermDebtNoncurrent: 24_995,
        DebtCurrent: 9_513,
        LongTermDebtCurrent: 5_377,
        CommercialPaper: 4_108,
      },
      34_508,
    ],
    [
      // 10-K for 2024: 4,545 and 72,359.
      "UnitedHealth: another total in a note",
      {
        LongTermDebtNoncurrent: 72_359,
        DebtCurrent: 4_545,
        DebtLongtermAndShorttermCombinedAmount: 76_180,
      },
      76_904,
    ],
    [
      // 10-K for 2018: 8,410 and 2,222 without leases, 9,404 and 2,568 with them.
      "Tesla, 2018: lines with and without leases are not mixed",
      {
        LongTermDebtAndCapitalLeaseObligations: 9_403.672,
        LongTermDebtAndCapitalLeaseObligationsCurrent: 2_567.699,
        LongTermDebt: 8_410.49,
        DebtCurrent: 2_221.985,
        CapitalLeaseObligationsNoncurrent: 993.182,
      },
      8_410.49 + 2_221.985,
    ],
    // A bank: all long-term debt, and borrowings beside it.
    ["a bank", { LongTermDebt: 401, ShortTermBorrowings: 53 }, 454],
  ])("%s", (_, sheet, debt) => {
    expect(debtOf(sheet)).toBeCloseTo(debt, 6);
  });
});

describe("two readings", () => {
  test("without proof, LongTermDebt beside DebtCurrent is unknown", () => {
    expect(debtOf({ LongTermDebt: 10_402, DebtCurrent: 1_399 })).toBeNull();
    // As whole: 1,399 − 1,200 are beside it. The carrying amount of all debt proves it.
    const whole = { LongTermDebt: 10_402, DebtCurrent: 1_399, LongTermDebtCurrent: 1_200 };
    expect(debtOf({ ...whole, DebtInstrumentCarryingAmount: 10_500 })).toBe(10_601);
    expect(debtOf({ ...whole, DebtInstrumentCarryingAmount: 11_801 })).toBe(11_801);
    expect(debtOf({ ...whole, DebtInstrumentCarryingAmount: 20_000 })).toBeNull();
  });

  test("without proof, LongTermDebt beside a current part is unknown, if that is not small", () => {
    // NVIDIA, fiscal 2017: 1,983 and 796 on the balance sheet, 2,779 in all.
    expect(debtOf({ LongTermDebt: 1_983, ConvertibleDebtCurrent: 796 })).toBeNull();
    // Fiscal 2018: 1,985 and 15.
    expect(debtOf({ LongTermDebt: 1_985, ConvertibleDebtCurrent: 15 })).toBe(1_985);
    // Fiscal 2016: all notes were due.
    expect(debtOf({ LongTermDebt: 1_413, ConvertibleDebtCurrent: 1_413 })).toBe(1_413);
    const proven = { LongTermDebt: 60, LongTermDebtNoncurrent: 50, LongTermDebtCurrent: 10 };
    expect(debtsOf([proven, { LongTermDebt: 70, LongTermDebtCurrent: 12 }])).toEqual([60, 70]);
  });

  test("LongTermDebt above all non-current liabilities includes its current part", () => {
    const sheet = { LongTermDebt: 100, DebtCurrent: 40, LongTermDebtCurrent: 30 };
    expect(debtOf({ ...sheet, Liabilities: 200, LiabilitiesCurrent: 110 })).toBe(110);
  });

  test("the nearest sheet with a proof decides", () => {
    const proven = { LongTermDebt: 1_000, DebtCurrent: 200, DebtInstrumentCarryingAmount: 1_210 };
    expect(debtsOf([proven, { LongTermDebt: 900, DebtCurrent: 300 }])).toEqual([1_200, 1_200]);
    const included = {
      LongTermDebtNoncurrent: 500,
      LongTermDebtCurrent: 60,
      ShortTermBorrowings: 60,
    };
    const bare = { LongTermDebtNoncurrent: 450, LongTermDebtCurrent: 60, ShortTermBorrowings: 75 };
    expect(debtsOf([included, bare])).toEqual([560, 525]);
    // Alone, short-term borrowings are beside long-term debt, by their definition.
    expect(debtsOf([bare])).toEqual([585]);
  });

  test("short-term debt or convertible notes are all debt only without another line of debt", () => {
    // Realty Income: mortgages, term loans and notes are lines of their own.
    expect(debtOf({ CommercialPaper: 1_130, SecuredDebt: 80, NotesPayable: 22_700 })).toBeNull();
    expect(debtOf({ ConvertibleDebtNoncurrent: 2_272 })).toBe(2_272);
    expect(debtOf({ ConvertibleDebtNoncurrent: 2_272, LongTermLineOfCredit: 500 })).toBeNull();
    expect(debtOf({ CommercialPaper: 1_130, SecuredDebt: 80, LongTermDebt: 24_000 })).toBe(25_130);
  });

  test("short-term debt is all debt if the interest is small enough, or if there are no other liabilities", () => {
    const debtWith = (sheet: Sheet, interest: FakeFact[] = []) =>
      debtsOf([sheet], { flows: { InterestExpense: interest } })[0];
    const interestOf = (amount: number): FakeFact[] => [
      ["2024-01-01", "2024-12-31", amount, "2025-02-20", "10-K", 2024],
    ];
    // Kimberly-Clark, 10-K for 2009: long-term debt of 4,792 has a tag of its own; interest of 275.
    expect(debtWith({ DebtCurrent: 610 }, interestOf(275))).toBeNull();
    // Imperial Oil, 10-K for 2009: interest of 5, nothing but capital leases beside it.
    expect(debtWith({ ShortTermBorrowings: 109 }, interestOf(5))).toBe(109);
    // Lincoln National, 10-K for 2009: no line for interest.
    expect(debtWith({ ShortTermBorrowings: 350 })).toBeNull();
    const all = { CommercialPaper: 1_130, Liabilities: 4_000 };
    expect(debtWith({ ...all, LiabilitiesCurrent: 4_000 })).toBe(1_130);
    expect(debtWith({ ...all, LiabilitiesCurrent: 3_000 })).toBeNull();
  });

  test("notes payable beside the other lines make debt unknown, unless these include them", () => {
    // Masco, 10-K for 2009: notes payable of 364, long-term debt of 3,604.
    const masco = { LongTermDebtNoncurrent: 3_604, NotesPayableCurrent: 364 };
    expect(debtOf(masco)).toBeNull();
    expect(debtOf({ ...masco, DebtCurrent: 364 })).toBe(3_968);
    // Moody's, 10-K for 2009, at the end of 2008: a credit facility of 613, commercial paper of 104.7.
    expect(
      debtOf({ LongTermDebtNoncurrent: 750, LinesOfCreditCurrent: 613, CommercialPaper: 104.7 }),
    ).toBeNull();
    // Kellogg, 10-K for 2009, at the end of 2008: 4,068 + 1 + 1,387, and notes payable of 1,387 by another tag.
    expect(
      debtOf({
        LongTermDebtNoncurrent: 4_068,
        LongTermDebtCurrent: 1,
        ShortTermBorrowings: 1_387,
        NotesPayableCurrent: 1_387,
      }),
    ).toBe(5_456);
  });

  test("a non-current line beside a larger one with more than leases is not all debt", () => {
    // DTE Energy, 10-K for 2009: 6,237 of bonds and notes in 7,370 of long-term debt, with 51 of leases.
    const dte = { LongTermDebtNoncurrent: 6_237, CapitalLeaseObligationsNoncurrent: 51 };
    expect(debtOf({ ...dte, LongTermDebtAndCapitalLeaseObligations: 7_370 })).toBeNull();
    expect(debtOf({ ...dte, LongTermDebtAndCapitalLeaseObligations: 6_288 })).toBe(6_237);
  });

  test("bonds that exceed non-current borrowings are not among them", () => {
    // As TSMC states them, in millions of Taiwan dollars: 913,900 of bonds, 4,383 of bank loans.
    const debt = (sheet: Sheet) => debtsOf([sheet], { currency: "TWD", taxonomy: "ifrs-full" })[0];
    const loans = { LongtermBorrowings: 4_383 };
    expect(debt({ ...loans, NoncurrentPortionOfNoncurrentBondsIssued: 913_900 })).toBeNull();
    expect(debt({ ...loans, NoncurrentPortionOfNoncurrentBondsIssued: 3_000 })).toBe(4_383);
    expect(debt({ Borrowings: 920_000, NoncurrentPortionOfNoncurrentBondsIssued: 913_900 })).toBe(
      920_000,
    );
  });

  test("lines that contradict each other give none", () => {
    const long = { LongTermDebtNoncurrent: 500 };
    // All current debt is at least as large as each of its parts.
    expect(debtOf({ ...long, DebtCurrent: 50, LongTermDebtCurrent: 60 })).toBeNull();
    expect(debtOf({ ...long, DebtCurrent: 50, ShortTermBorrowings: 60 })).toBeNull();
    expect(
      debtOf({ ...long, DebtCurrent: 60, LongTermDebtCurrent: 60, ShortTermBorrowings: 20 }),
    ).toBeNull();
  });

  test("a non-current line that cannot be one gives none", () => {
    // Tesla, September 2013: 582.5 of notes were due, and tagged as non-current too.
    const due = { LongTermDebtNoncurrent: 582.5, ConvertibleDebtCurrent: 582.502 };
    expect(debtOf({ ...due, Liabilities: 1_524.546, LiabilitiesCurrent: 1_169.459 })).toBeNull();
    // June 2014: 593.7 were due, and 1,767 were not.
    const notes = { ConvertibleDebtCurrent: 593.712, ConvertibleDebtNoncurrent: 1_767.024 };
    expect(debtOf({ ...notes, LongTermDebtNoncurrent: 593.7 })).toBeNull();
    expect(debtOf(notes)).toBeCloseTo(2_360.736, 6);
  });

  test("one of two lines of short-term debt that disappears makes debt unknown", () => {
    // Coca-Cola: commercial paper of 1,139 and other loans of 360 at the end of 2024. The quarterly reports
    // of 2025 have no tag for the second.
    const full = { LongTermDebtNoncurrent: 42_375, CommercialPaper: 1_139 };
    expect(debtsOf([{ ...full, OtherShortTermBorrowings: 360 }, full])).toEqual([43_874, null]);
    // Apple, 2020: the line was retagged, as long as it included repurchase agreements.
    const apple = { LongTermDebtNoncurrent: 98_667 };
    const retagged = [{ OtherShortTermBorrowings: 11_166 }, { CommercialPaper: 4_996 }];
    expect(debtsOf(retagged.map((line) => ({ ...apple, ...line })))).toEqual([109_833, 103_663]);
  });

  describe("short-term debt that only cash flows show", () => {
    const flowsOf = (year: number, proceeds: number, repayments: number) => {
      const fact = (value: number): FakeFact => [
        `${year}-01-01`,
        `${year}-12-31`,
        value,
        `${year + 1}-02-20`,
        "10-K",
        year,
      ];
      return {
        ProceedsFromShortTermDebt: [fact(proceeds)],
        RepaymentsOfShortTermDebt: [fact(repayments)],
      };
    };
    // Amazon's balance sheet; its notes name 6.8 billion of commercial paper and 1.2 of other short-term debt.
    const amazon = { LongTermDebtNoncurrent: 67_150, LongTermDebtCurrent: 2_999 };

    test("makes debt unknown, as long as the balance sheet states none", () => {
      // Amazon, 2022.
      const flows = flowsOf(2024, 41_553, 37_554);
      expect(debtsOf([amazon], { flows })).toEqual([null]);
      expect(debtsOf([{ ...amazon, ShortTermBorrowings: 8_000 }], { flows })).toEqual([78_149]);
      expect(debtsOf([{ ...amazon, DebtCurrent: 10_999 }], { flows })).toEqual([78_149]);
      // The flows of the year after show it too.
      expect(debtsOf([amazon, amazon], { flows })).toEqual([null, null]);
    });

    test("changes nothing if it was repaid", () => {
      // Union Pacific, 2024: no commercial paper at the end of 2023; 823 was issued and repaid.
      const flows = flowsOf(2024, 823, 823);
      const pacific = { LongTermDebtNoncurrent: 29_767, LongTermDebtCurrent: 1_425 };
      expect(debtsOf([pacific], { flows })).toEqual([31_192]);
      const paper = { ...pacific, CommercialPaper: 800 };
      expect(debtsOf([paper, pacific], { flows: flowsOf(2024, 200, 1_000) })).toEqual([
        31_992,
        null,
      ]);
      expect(debtsOf([amazon], { flows: flowsOf(2024, 500, 0) })).toEqual([70_149]);
    });
  });

  test("a line that disappears makes debt unknown, one that another line includes does not", () => {
    const before = { LongTermDebtNoncurrent: 500, LongTermDebtCurrent: 60, CommercialPaper: 20 };
    expect(
      debtsOf([before, { LongTermDebtNoncurrent: 500, LongTermDebtCurrent: 60 }])[1],
    ).toBeNull();
    expect(debtsOf([before, { LongTermDebtNoncurrent: 500, DebtCurrent: 80 }])[1]).toBe(580);
    // Marvell, fiscal 2024: the current part is in short-term borrowings only.
    const marvell = {
      LongTermDebtNoncurrent: 3_907.7,
      LongTermDebtCurrent: 584.4,
      ShortTermBorrowings: 584.4,
    };
    const next = { LongTermDebtNoncurrent: 4_058.6, ShortTermBorrowings: 107.3 };
    expect(debtsOf([marvell, next])[1]).toBeCloseTo(4_165.9, 6);
  });
});
