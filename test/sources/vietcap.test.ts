import { csvRows } from "#lib/csv.ts";
import { describe, expect, test } from "bun:test";
import { NO_ITEMS } from "#domain/statement.ts";
import { classify } from "#sources/vietcap/icb.ts";
import { vietcapTargets } from "#sources/vietcap/analyst-coverage.ts";
import { vietcapDividends } from "#sources/vietcap/dividends.ts";
import { vietcapInstruments } from "#sources/vietcap/instruments.ts";
import { vietcapProfile } from "#sources/vietcap/profile.ts";
import { vietcapQuotes } from "#sources/vietcap/quotes.ts";
import { vietcapStatements } from "#sources/vietcap/statements.ts";
import { answersFrom } from "../support/answers.ts";
import { faultOf, liveQuery, transformed, vietnamese } from "../support/fetcher.ts";
import { quote } from "../support/refresher.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const FPT = vietnamese("FPT", { summary: "Told by another source.", sharesOutstanding: 5 });
const today = "2026-11-20";
const query = liveQuery({ today, country: "VN" });
const ofFpt = liveQuery({ today, instrument: FPT });
const SERVICE = "https://iq.vietcap.com.vn/api/iq-insight-service";
const ok = (data: unknown) => ({ status: 200, successful: true, data });

/** Answers in another form, each with its fault. */
const STRANGE = [
  [null, "invalid_answer"],
  ["<html>blocked</html>", "invalid_answer"],
  [[], "invalid_answer"],
  [{ message: "forbidden" }, "invalid_answer"],
  [{ status: 500, successful: false, data: { error: "x" } }, "invalid_answer"],
  [ok({ content: 1 }), "invalid_answer"],
  [ok(null), "nothing"],
] as const;

describe("Vietcap's listing", () => {
  const company = (change: Record<string, unknown> = {}) => ({
    id: "1",
    code: "FPT",
    name: "FPT Corporation",
    shortName: "FPT",
    floor: "HOSE",
    comTypeCode: "CT",
    isIndex: false,
    icbLv1: { code: "9000", name: "Technology", level: 1 },
    icbLv2: { code: "9500", name: "Technology", level: 2 },
    icbLv3: { code: "9530", name: "Software & Computer Services", level: 3 },
    icbLv4: { code: "9537", name: "Software", level: 4 },
    currentPrice: 70_800,
    ...change,
  });
  const listing = (...rows: unknown[]) =>
    transformed("instruments", vietcapInstruments, ok(rows), query);

  test("a company has its exchange, sector and industry, and only those on HOSE are in the VN-Index", () => {
    const [fpt, hnx] = listing(company(), company({ code: "IDC", floor: "HNX" }));
    expect(fpt).toEqual(
      vietnamese("FPT", {
        sector: "technology",
        industry: "software-application",
        localSector: "9500",
      }),
    );
    expect(hnx).toMatchObject({ exchange: "HNX", indexMember: false, aliases: "FPT" });
  });

  test("funds are recognized by their kind or their symbol, and have no sector", () => {
    const funds = listing(
      company({ code: "FUEVFVND" }),
      company({ code: "E1VFVN30" }),
      company({ code: "ABC", comTypeCode: "QU" }),
    );
    for (const fund of funds)
      expect(fund).toMatchObject({
        assetType: "etf",
        sector: null,
        industry: null,
        indexMember: false,
      });
  });

  test("indexes, other floors, rows without a name and duplicates are left out", () => {
    const symbols = listing(
      company({ code: "VNINDEX", isIndex: true }),
      ...["OTC", "OTHER", "STOP", null].map((floor) => company({ code: "OLD", floor })),
      company({ code: "NIX", name: "\u0000", shortName: null }),
      company({ code: "no symbol" }),
      company({ code: null }),
      company(),
      company({ name: "Again" }),
    ).map(({ symbol }) => symbol);
    expect(symbols).toEqual(["FPT"]);
  });

  test("a listing in another form is refused, one without companies is `nothing`", async () => {
    expect(await faultOf(() => listing(company(), company({ icbLv4: "9537" })))).toBe(
      "invalid_answer",
    );
    expect(await faultOf(() => listing(company({ floor: "OTC" })))).toBe("nothing");
  });

  test("it is requested in English, once", async () => {
    const client = answersFrom({ "search-bar": JSON.stringify(ok([])) });
    await vietcapInstruments.fetch(query, client);
    expect(client.requests.map(({ url }) => url)).toEqual([
      `${SERVICE}/v2/company/search-bar?language=2`,
    ]);
  });

  test("a subsector that is not in the table has the sector of its supersector", () => {
    expect(classify("8600", "8699")).toEqual({ sector: "real-estate", industry: null });
    expect(classify(null, "constructor")).toEqual({ sector: null, industry: null });
    expect(classify("9999", null)).toEqual({ sector: null, industry: null });
  });
});

describe("Vietcap's statements", () => {
  /** A quarter of a company with round figures in VND, such as sales of 100. */
  const income = (change: Record<string, unknown> = {}) => ({
    ticker: "FPT",
    yearReport: 2026,
    lengthReport: 1,
    publicDate: "2026-04-28T00:00:00",
    isa1: 101,
    isa3: 100,
    isa4: -60,
    isa5: 40,
    isa7: -3,
    isa8: -2,
    isa9: -10,
    isa10: -5,
    isa11: 30,
    isa16: 28,
    isa19: -5,
    isa20: 23,
    isa21: 3,
    isa22: 20,
    isa23: 1_200,
    isa24: 1_100,
    isb27: 0.0,
    isi168: null,
    ...change,
  });
  const sheet = (change: Record<string, unknown> = {}) => ({
    yearReport: 2026,
    lengthReport: 1,
    publicDate: "2026-04-30T00:00:00",
    bsa1: 300,
    bsa2: 50,
    bsa5: 20,
    bsa9: 80,
    bsa15: 0.0,
    bsa53: 500,
    bsa54: 200,
    bsa55: 150,
    bsa56: 0.0,
    bsa57: 45,
    bsa71: 0.0,
    bsa78: 300,
    bsa80: 1_000_000,
    bsa83: 0.0,
    bsa174: 0.0,
    bsa209: 12,
    bsa210: 30,
    ...change,
  });
  const flows = (change: Record<string, unknown> = {}) => ({
    yearReport: 2026,
    lengthReport: 1,
    publicDate: "2026-04-28T00:00:00",
    cfa2: 7,
    cfa18: 40,
    cfa19: -15,
    cfa26: -10,
    cfa28: 0.0,
    cfa32: -4,
    cfa34: -5,
    cfa35: 25,
    cfa36: 100,
    cfa38: 125,
    ...change,
  });
  const answers = (sections: { income?: unknown[]; sheet?: unknown[]; flows?: unknown[] }) => ({
    INCOME_STATEMENT: ok({ years: [], quarters: sections.income ?? [] }),
    BALANCE_SHEET: ok({ years: [], quarters: sections.sheet ?? [] }),
    CASH_FLOW: ok({ years: [], quarters: sections.flows ?? [] }),
  });
  const statements = (raw: unknown) => transformed("statements", vietcapStatements, raw, ofFpt);
  const itemsOf = (
    ...sections: [Record<string, unknown>?, Record<string, unknown>?, Record<string, unknown>?]
  ) =>
    statements(
      answers({
        income: [income(sections[0])],
        sheet: [sheet(sections[1])],
        flows: [flows(sections[2])],
      }),
    )[0]?.items;

  test("the sections of a period are one statement with positive costs, taxes and outlays", () => {
    const [statement, ...others] = statements(
      answers({ income: [income()], sheet: [sheet()], flows: [flows()] }),
    );
    expect(others).toEqual([]);
    expect(statement).toMatchObject({
      symbol: "FPT",
      span: "quarter",
      fiscalYear: 2026,
      fiscalQuarter: 1,
      periodEnd: "2026-03-31",
      // The balance sheet was published last.
      filedOn: "2026-04-30",
      sharesAsOf: "2026-04-30",
      currency: "VND",
    });
    expect(statement?.items).toEqual({
      ...NO_ITEMS,
      revenue: 100,
      costOfRevenue: 60,
      grossProfit: 40,
      // Selling 10, administration 5.
      sellingGeneralAdministrative: 15,
      // 40 − 10 − 5, without the financial income that is part of isa11.
      operatingIncome: 25,
      depreciationAndAmortization: 7,
      // 25, and 7 of depreciation.
      ebitda: 32,
      interestExpense: 2,
      pretaxIncome: 28,
      incomeTax: 5,
      netIncome: 20,
      epsDiluted: 1_100,
      // 1,000,000 of capital at a par of 10,000.
      sharesOutstanding: 100,
      totalAssets: 500,
      currentAssets: 300,
      cash: 70,
      receivables: 80,
      inventory: 0,
      goodwill: 12,
      totalLiabilities: 200,
      currentLiabilities: 150,
      payables: 45,
      totalDebt: 0,
      // 300, less 30 of the minority.
      commonEquity: 270,
      preferredEquity: 0,
      minorityInterest: 30,
      operatingCashFlow: 40,
      investingCashFlow: -10,
      financingCashFlow: -5,
      capitalExpenditure: 15,
      dividendsPaid: 4,
      shareRepurchases: 0,
    });
  });

  test("interest is unknown if a company with debt states none", () => {
    expect(itemsOf({ isa8: 0.0 })?.interestExpense).toBe(0);
    expect(itemsOf({ isa8: 0.0 }, { bsa56: 10 })?.interestExpense).toBeNull();
  });

  test("shares outstanding are unknown with treasury shares, which have a value and no number", () => {
    expect(itemsOf({}, { bsa175: 900_000 })?.sharesOutstanding).toBe(90);
    expect(itemsOf({}, { bsa83: -20 })?.sharesOutstanding).toBeNull();
    expect(itemsOf({}, { bsa80: 0.0 })?.sharesOutstanding).toBeNull();
  });

  test("goodwill had another column before 2015", () => {
    expect(itemsOf({}, { bsa209: 0.0, bsa48: 9 })?.goodwill).toBe(9);
    expect(itemsOf({}, { bsa209: 0.0 })?.goodwill).toBe(0);
  });

  test("zero is null if it means not applicable, and zero if it is a part of a known total", () => {
    expect(itemsOf({ isa3: 0.0, isa4: 0.0, isa5: 0.0 })).toMatchObject({
      revenue: null,
      costOfRevenue: null,
      grossProfit: null,
      operatingIncome: null,
    });
    expect(itemsOf({ isa19: 0.0 }, { bsa56: 0.0, bsa71: 0.0 }, { cfa19: 0.0 })).toMatchObject({
      incomeTax: 0,
      totalDebt: 0,
      inventory: 0,
      capitalExpenditure: 0,
    });
    expect(itemsOf({}, { bsa53: 0.0, bsa54: 0.0, bsa78: 0.0 })).toMatchObject({
      totalAssets: null,
      totalLiabilities: null,
      totalDebt: null,
      inventory: null,
      cash: null,
      commonEquity: null,
    });
    expect(itemsOf({}, { bsa56: null })?.totalDebt).toBeNull();
  });

  test("convertible bonds are debt; the minority's share was not part of equity before 2015", () => {
    expect(itemsOf({}, { bsa56: 10, bsa71: 20, bsa173: 5 })?.totalDebt).toBe(35);
    expect(itemsOf({}, { bsa210: 0.0, bsa95: 12 })).toMatchObject({
      commonEquity: 300,
      minorityInterest: 12,
    });
  });

  test("a company without minorities has its net income, and a loss is negative", () => {
    expect(itemsOf({ isa21: 0.0, isa22: 0.0 })?.netIncome).toBe(23);
    expect(itemsOf({ isa16: -9, isa22: -9 })).toMatchObject({ pretaxIncome: -9, netIncome: -9 });
  });

  test("a bank has the items of all forms and its total operating income", () => {
    const bank = itemsOf(
      { isa3: 0.0, isa4: 0.0, isa5: 0.0, isb26: -55, isb27: 60, isb38: 90 },
      { bsa1: 0.0, bsa55: 0.0, bsb113: 400 },
    );
    expect(bank).toMatchObject({
      revenue: 90,
      grossProfit: null,
      operatingIncome: null,
      ebitda: null,
      // On deposits too.
      interestExpense: 55,
      sellingGeneralAdministrative: null,
      pretaxIncome: 28,
      netIncome: 20,
      sharesOutstanding: 100,
      totalAssets: 500,
      totalLiabilities: 200,
      commonEquity: 270,
      currentAssets: null,
      cash: null,
      inventory: null,
      totalDebt: null,
    });
  });

  test("a bank has the figures that BIDV published for Q2 2026", () => {
    // In millions of VND: net interest, fees, currencies, securities of two kinds, other income, dividends.
    const income = [17_804_231, 1_959_783, 708_376, 136_120, 16_631, 2_851_612, 161_165];
    const revenue = income.reduce((a, b) => a + b);
    // Before provisions 16,153,206, after operating expenses of 7,484,712.
    expect(revenue).toBe(16_153_206 + 7_484_712);
    const bank = itemsOf(
      {
        isa3: 0,
        isa4: 0,
        isa5: 0,
        isb25: 49_659_834,
        isb26: -31_855_603,
        isb38: revenue,
        isa16: 10_332_973,
        isa19: -2_038_057,
        isa20: 8_294_916,
        isa22: 8_146_256,
      },
      {
        bsa1: 0,
        bsa2: 12_509_838,
        bsa53: 3_440_840_854,
        bsa54: 3_242_057_568,
        bsa55: 0,
        bsa78: 198_783_286,
        bsa174: 0,
        bsa210: 5_733_452,
        bsb113: 2_261_489_130,
      },
    );
    expect(bank).toMatchObject({
      revenue,
      interestExpense: 31_855_603,
      pretaxIncome: 10_332_973,
      incomeTax: 2_038_057,
      netIncome: 8_146_256,
      totalAssets: 3_440_840_854,
      totalLiabilities: 3_242_057_568,
      commonEquity: 198_783_286 - 5_733_452,
      minorityInterest: 5_733_452,
      // Cash and gold alone: most of its cash is with other banks.
      cash: null,
      ebitda: null,
      capitalExpenditure: null,
    });
  });

  test("a broker has the figures that Vietcap Securities published for Q2 2024", () => {
    // Operating revenue of 915.9 billion, pretax income of 343.8, net income of 279.2; 441.9 million shares.
    const broker = itemsOf(
      {
        isa3: 915_851_554_761,
        isa4: -359_336_052_126,
        isa5: 556_515_502_635,
        isa8: 0.0,
        isa16: 343_766_121_537,
        isa19: -64_559_441_640,
        isa20: 279_206_679_897,
        isa21: 0.0,
        isa22: 279_206_679_897,
        isb38: 0.0,
        isi64: 0.0,
        iss141: 15_645_475_012,
        iss148: -189_052_038_091,
      },
      { bsa56: 12_392_104_000_000, bsa80: 4_419_000_000_000, bsb108: 310_000_000_000 },
    );
    expect(broker).toMatchObject({
      revenue: 915_851_554_761,
      grossProfit: null,
      operatingIncome: null,
      ebitda: null,
      interestExpense: 189_052_038_091,
      pretaxIncome: 343_766_121_537,
      incomeTax: 64_559_441_640,
      netIncome: 279_206_679_897,
      sharesOutstanding: 441_900_000,
      totalDebt: null,
    });
  });

  test("an insurer has its net revenue from insurance", () => {
    const insurer = itemsOf({ isa3: 0.0, isa5: 0.0, isi103: 120, isi105: 95, isi64: 99 });
    expect(insurer).toMatchObject({ revenue: 99, grossProfit: null, operatingIncome: null });
  });

  describe("earnings per share", () => {
    const EQUITY = 3_000_000;
    /** The EPS of two quarters between which capital grew from 1,000,000; net income is 23 each. */
    const epsAfter = (
      second: { capital?: number; equity?: number; proceeds?: number | null },
      splitsOf: typeof ofFpt.splitsOf = () => null,
    ) => {
      const { capital = 1_250_000, equity = EQUITY, proceeds = 0 } = second;
      const raw = answers({
        income: [income(), income({ lengthReport: 2, publicDate: "2026-07-28T00:00:00" })],
        sheet: [
          sheet({ bsa78: EQUITY }),
          sheet({
            lengthReport: 2,
            publicDate: "2026-07-28T00:00:00",
            bsa80: capital,
            bsa78: equity,
          }),
        ],
        flows: [flows(), flows({ lengthReport: 2, cfa27: proceeds })],
      });
      return transformed("statements", vietcapStatements, raw, { ...ofFpt, splitsOf }).map(
        ({ items, sharesAsOf }) => [items.epsDiluted, items.sharesOutstanding, sharesAsOf],
      );
    };
    const SHARES_OF = "2026-07-28";

    test("from before a proven share dividend are in today's shares", () => {
      // One new share for four: 1,100 / 1.25 = 880.
      expect(epsAfter({})).toEqual([
        [880, 125, SHARES_OF],
        [1_100, 125, SHARES_OF],
      ]);
      // With 500 shares for employees: 1,255,000 less 5,000 are 1.25 times the capital.
      expect(
        epsAfter({ capital: 1_255_000, equity: EQUITY + 5_023, proceeds: 5_000 })[0]?.[0],
      ).toBe(880);
    });

    test("are as reported before an issue for cash, a merger, a small issue, and an unproven one", () => {
      const paid = { equity: EQUITY + 250_000, proceeds: 250_000 };
      const merged = { equity: EQUITY + 250_000 };
      for (const issue of [paid, merged, { capital: 1_005_000 }, { proceeds: null }])
        expect(epsAfter(issue)[0]?.[0]).toBe(1_100);
      expect(statements(answers({ income: [income()] }))[0]?.items.epsDiluted).toBe(1_100);
    });

    test("of a quarter without a balance sheet are in the shares of its own publication", () => {
      const second = income({ lengthReport: 2, publicDate: "2026-07-28T00:00:00" });
      const raw = answers({ income: [income(), second], sheet: [sheet()] });
      expect(statements(raw).map(({ sharesAsOf }) => sharesAsOf)).toEqual([
        "2026-04-30",
        "2026-07-28",
      ]);
    });

    test("are as reported, in the shares of the publication, if the splits are known", () => {
      expect(epsAfter({}, () => [])).toEqual([
        [1_100, 100, "2026-04-30"],
        [1_100, 125, SHARES_OF],
      ]);
    });

    test("of years without quarters follow the capital from year to year", () => {
      const ofYear = (yearReport: number, change: Record<string, unknown>) => ({
        yearReport,
        lengthReport: 5,
        publicDate: `${yearReport + 1}-03-01T00:00:00`,
        ...change,
      });
      const years = {
        INCOME_STATEMENT: ok({ years: [2024, 2025].map((year) => income(ofYear(year, {}))) }),
        BALANCE_SHEET: ok({
          years: [
            sheet(ofYear(2024, { bsa78: EQUITY })),
            sheet(ofYear(2025, { bsa78: EQUITY, bsa80: 2_000_000 })),
          ],
        }),
        CASH_FLOW: ok({ years: [2024, 2025].map((year) => flows(ofYear(year, { cfa27: 0.0 }))) }),
      };
      expect(statements(years).map(({ items }) => items.epsDiluted)).toEqual([550, 1_100]);
    });
  });

  test("cash flows from the start of the year are not those of the quarter", () => {
    const second = { lengthReport: 2, cfa18: 90, cfa26: -20, cfa34: -10, cfa35: 60 };
    const quarters = (opening: number) =>
      statements(
        answers({ flows: [flows(), flows({ ...second, cfa36: opening, cfa38: opening + 60 })] }),
      );
    // The first quarter opened with 100 and closed with 125.
    expect(quarters(125)[1]?.items).toMatchObject({
      operatingCashFlow: 90,
      capitalExpenditure: 15,
    });
    expect(quarters(100)).toHaveLength(1);
  });

  test("cash flows that do not add up to the change in cash are unknown", () => {
    expect(itemsOf({}, {}, { cfa35: 26 })?.operatingCashFlow).toBe(40);
    expect(itemsOf({}, {}, { cfa35: 40 })).toMatchObject({
      operatingCashFlow: null,
      investingCashFlow: null,
      financingCashFlow: null,
      capitalExpenditure: null,
      depreciationAndAmortization: null,
      dividendsPaid: null,
      shareRepurchases: null,
      ebitda: null,
    });
  });

  test("years and quarters are separate statements, and a span of another length is left out", () => {
    const raw = {
      ...answers({ sheet: [sheet({ lengthReport: 4 })] }),
      INCOME_STATEMENT: ok({
        years: [income({ lengthReport: 5, publicDate: "2027-03-10T00:00:00" })],
        quarters: [
          income({ lengthReport: 4 }),
          income({ lengthReport: 6 }),
          income({ lengthReport: 9 }),
        ],
      }),
    };
    expect(statements(raw).map((s) => [s.span, s.fiscalQuarter, s.periodEnd])).toEqual([
      ["quarter", 4, "2026-12-31"],
      ["year", 4, "2026-12-31"],
    ]);
  });

  test("a publication date that is missing or before the period's end is assumed", () => {
    const filedOn = (change: Record<string, unknown>) =>
      statements(answers({ income: [income(change)] }))[0]?.filedOn;
    // 31 March and 31 December, and 30 days.
    for (const publicDate of [null, undefined, "", "soon", "2026-02-30T", "2026-03-31T00:00:00"])
      expect(filedOn({ publicDate })).toBe("2026-04-30");
    expect(filedOn({ lengthReport: 5, publicDate: null })).toBe("2027-01-30");
  });

  test("another form of one section is refused; an answer without periods is `nothing`", async () => {
    const good = answers({ income: [income()], sheet: [sheet()], flows: [flows()] });
    for (const [answer, fault] of STRANGE) {
      const raw = { ...good, CASH_FLOW: answer };
      expect(await faultOf(() => statements(raw))).toBe(fault);
    }
    for (const change of [
      { isa3: "100" },
      { yearReport: "2026" },
      { lengthReport: null },
      { publicDate: 1 },
    ]) {
      expect(await faultOf(() => statements(answers({ income: [income(change)] })))).toBe(
        "invalid_answer",
      );
    }
    expect(await faultOf(() => statements({ ...good, CASH_FLOW: ok({}) }))).toBe("invalid_answer");
    expect(await faultOf(() => statements(answers({})))).toBe("nothing");
  });

  test("the three sections of a share are requested one after the other; a fund has none", async () => {
    const client = answersFrom({ "financial-statement": JSON.stringify(ok({ quarters: [] })) });
    await vietcapStatements.fetch(ofFpt, client);
    expect(client.requests.map(({ url }) => url)).toEqual(
      ["INCOME_STATEMENT", "BALANCE_SHEET", "CASH_FLOW"].map(
        (section) => `${SERVICE}/v1/company/FPT/financial-statement?section=${section}`,
      ),
    );
    const fund = liveQuery({ today, instrument: vietnamese("E1VFVN30", { assetType: "etf" }) });
    expect(await faultOf(() => vietcapStatements.fetch(fund, client))).toBe("nothing");
    const unknown = answersFrom({ "financial-statement": { status: 404, body: "" } });
    expect(await faultOf(() => vietcapStatements.fetch(ofFpt, unknown))).toBe("nothing");
  });
});

describe("Vietcap's profile", () => {
  const period = (change: Record<string, unknown> = {}) => ({
    year: "2026",
    quarter: 2,
    yearReport: 2026,
    ratioType: "RATIO_TTM",
    numberOfSharesMktCap: 1_885_759_064,
    ...change,
  });
  const profile = (
    ratios: unknown[],
    details: unknown = ok({ enProfile: "<p>Builds &amp; runs</p>" }),
  ) => transformed("instruments", vietcapProfile, { ratios: ok(ratios), details }, ofFpt)[0];

  test("it has the shares of the newest period, from rows in any order, and the English text without tags", () => {
    const shares = profile([
      period({ quarter: 1, numberOfSharesMktCap: 1_714_326_422 }),
      period(),
      period({ quarter: 5, year: "2025", yearReport: 2025, numberOfSharesMktCap: 1_703_507_121 }),
      period({ quarter: 3, numberOfSharesMktCap: 0.0 }),
    ]);
    expect(shares).toEqual({ ...FPT, sharesOutstanding: 1_885_759_064, summary: "Builds & runs" });
  });

  test("what it does not have stays as it was", () => {
    // The store keeps the number of shares that it has, with the day of its count.
    expect(profile([], ok({ enProfile: "Sells" }))).toEqual({
      ...FPT,
      sharesOutstanding: null,
      summary: "Sells",
    });
    expect(profile([period()], null)).toEqual({ ...FPT, sharesOutstanding: 1_885_759_064 });
    expect(profile([period()], ok({ enProfile: null }))?.summary).toBe("Told by another source.");
  });

  test("another form is refused; an answer without shares and text is `nothing`", async () => {
    expect(await faultOf(() => profile([period({ numberOfSharesMktCap: "1,885" })]))).toBe(
      "invalid_answer",
    );
    expect(await faultOf(() => profile([period()], ok({ enProfile: 5 })))).toBe("invalid_answer");
    expect(await faultOf(() => profile([], ok({ enProfile: "" })))).toBe("nothing");
  });

  test("ratios and details are requested, and the details may be missing", async () => {
    const client = answersFrom({
      "statistics-financial": JSON.stringify(ok([period()])),
      details: { status: 404, body: "" },
    });
    const raw = await vietcapProfile.fetch(ofFpt, client);
    expect(raw).toEqual({ ratios: ok([period()]), details: null });
    expect(client.requests.map(({ url }) => url)).toEqual([
      `${SERVICE}/v1/company/FPT/statistics-financial`,
      `${SERVICE}/v1/company/details?ticker=FPT`,
    ]);
    expect(vietcapProfile.source.headers?.["Referer"]).toBe("https://trading.vietcap.com.vn/");
  });
});

/** Describes tests of recordings, which are read at once. Without the recordings, the tests are skipped. */
function describeRecorded(folder: string, body: () => void): void {
  const name = `recorded answers (../shared/data/${folder})`;
  if (hasRecordings) describe(name, body);
  else test.skip(name, () => {});
}

describeRecorded("vietcap", () => {
  const raw = Object.fromEntries(
    ["INCOME_STATEMENT", "BALANCE_SHEET", "CASH_FLOW"].map((section) => [
      section,
      JSON.parse(recordedText(`vietcap/financial-statement_FPT_${section}.json`)) as unknown,
    ]),
  );
  const statements = transformed("statements", vietcapStatements, raw, ofFpt);
  const find = (year: number, quarter: number, span: string) => {
    const found = statements.find(
      (s) => s.fiscalYear === year && s.fiscalQuarter === quarter && s.span === span,
    );
    if (!found) throw new Error(`no ${span} of ${year} Q${quarter}`);
    return found;
  };

  test("FPT's income of 2018 and 2019 is the published one", () => {
    // FPT's annual reports: revenue 23,214 and 27,717, pretax 3,858 and 4,665 billion dong.
    for (const [year, revenue, pretax] of [
      [2018, 23_214, 3_858],
      [2019, 27_717, 4_665],
    ] as const) {
      const { items } = find(year, 4, "year");
      expect(Math.round((items.revenue ?? 0) / 1e9)).toBe(revenue);
      expect(Math.round((items.pretaxIncome ?? 0) / 1e9)).toBe(pretax);
      // Costs are the difference of sales and gross profit; taxes and the minority's share are the rest.
      expect((items.revenue ?? 0) - (items.costOfRevenue ?? 0)).toBe(items.grossProfit ?? 0);
    }
    // isa5 8722878985489 + isa9 −2047833577540 + isa10 −3553288111032
    expect(find(2018, 4, "year").items.operatingIncome).toBe(3_121_757_296_917);
    expect(find(2018, 4, "year").items.netIncome).toBe(2_620_178_631_986);
    expect(find(2018, 4, "year").items.incomeTax).toBe(623_605_414_161);
    expect(find(2018, 4, "year").filedOn).toBe("2019-03-06");
  });

  test("FPT's balance sheets balance, with the shares of the minority and of the parent", () => {
    for (const { items } of [find(2023, 4, "year"), find(2024, 4, "quarter")]) {
      expect(
        (items.totalLiabilities ?? 0) + (items.commonEquity ?? 0) + (items.minorityInterest ?? 0),
      ).toBe(items.totalAssets ?? 0);
    }
    expect(find(2024, 4, "quarter").items).toMatchObject({
      totalAssets: 71_999_995_678_620,
      // bsa2 + bsa5
      cash: 9_315_440_438_884 + 21_785_213_686_808,
      // bsa56 + bsa71
      totalDebt: 14_446_238_451_323 + 501_115_537_075,
      minorityInterest: 5_933_309_621_004,
    });
    expect(find(2024, 4, "quarter").filedOn).toBe("2025-03-15");
  });

  test("FPT's cash flows are those of the quarter: the second one opens with the close of the first", () => {
    expect(find(2026, 1, "quarter").items).toMatchObject({
      operatingCashFlow: -2_847_813_717_192,
      investingCashFlow: -2_254_895_190_348,
      financingCashFlow: 2_586_191_593_366,
      capitalExpenditure: 589_068_929_719,
    });
    const { items, filedOn } = find(2026, 2, "quarter");
    expect(items).toMatchObject({
      operatingCashFlow: 1_702_147_711_404,
      capitalExpenditure: 747_414_308_012,
    });
    // cfa35 879600143338
    expect(
      (items.operatingCashFlow ?? 0) +
        (items.investingCashFlow ?? 0) +
        (items.financingCashFlow ?? 0),
    ).toBe(879_600_143_338);
    expect(filedOn).toBe("2026-08-22");
  });

  test("FPT's shares are those of the second quarter of 2026", () => {
    const ratios: unknown = JSON.parse(recordedText("vietcap/statistics-financial_FPT.json"));
    const [instrument] = transformed(
      "instruments",
      vietcapProfile,
      { ratios, details: null },
      ofFpt,
    );
    expect(instrument?.sharesOutstanding).toBe(1_885_759_064);
  });
});

describeRecorded("vn_listing", () => {
  const rowsOf = (file: string) =>
    [...csvRows(recordedText(file))].slice(1).map(({ cells }) => cells);
  const classes = new Map(
    rowsOf("vn_listing/symbols_by_industries.csv").map((cells) => [cells[0], cells]),
  );
  // Rows in the form of the service: codes of classes in objects.
  const rows = rowsOf("vn_listing/vn_symbols_2026.csv").map(([code, , name, floor, type]) => {
    const industry = classes.get(code ?? "");
    const isShare = type === "stock" || type === "fund";
    return {
      code,
      name,
      floor: isShare ? floor : "OTHER",
      comTypeCode: industry?.[5] ?? (type === "fund" ? "QU" : "CT"),
      isIndex: false,
      icbLv2: industry ? { code: industry[7] } : null,
      icbLv4: industry ? { code: industry[9] } : null,
    };
  });
  const instruments = transformed("instruments", vietcapInstruments, ok(rows), query);

  test("the whole market is read: 403, 302 and 839 companies and 22 funds", () => {
    const count = (exchange: string) =>
      instruments.filter((i) => i.exchange === exchange && i.assetType === "stock").length;
    expect([count("HOSE"), count("HNX"), count("UPCOM")]).toEqual([403, 302, 839]);
    expect(instruments.filter(({ assetType }) => assetType === "etf")).toHaveLength(22);
    expect(instruments.filter(({ indexMember }) => indexMember)).toHaveLength(403);
  });

  test("every company with a recorded ICB class has a sector and an industry", () => {
    const without = instruments.filter(
      ({ assetType, symbol, industry }) =>
        assetType === "stock" && classes.has(symbol) && !industry,
    );
    expect(without).toEqual([]);
    const sectorOf = (symbol: string) => instruments.find((i) => i.symbol === symbol)?.sector;
    expect(["VCB", "HPG", "VNM", "GAS", "VIC", "FPT", "MWG", "DHG"].map(sectorOf)).toEqual([
      "financial-services",
      "basic-materials",
      "consumer-defensive",
      "utilities",
      "real-estate",
      "technology",
      "consumer-cyclical",
      "healthcare",
    ]);
  });
});

describe("price targets", () => {
  const row = (code: string, targetPrice?: unknown) => ({
    code,
    targetPrice,
    currentPrice: 72_600,
  });
  const targetsIn = (...rows: unknown[]) =>
    transformed(
      "analystCoverage",
      vietcapTargets,
      { successful: true, data: rows },
      liveQuery({ today: "2026-08-21", country: "VN" }),
    );

  test("are those of the list of companies; zero means that Vietcap does not cover one", () => {
    const none = { low: null, median: null, high: null };
    expect(targetsIn(row("FPT", 90_000), row("VNM", 0), row("HPG", null), row("SSI"))).toEqual([
      {
        country: "VN",
        symbol: "FPT",
        ratings: [],
        priceTarget: { ...none, mean: 90_000, analysts: 1 },
        estimates: [],
        actions: [],
      },
    ]);
  });

  test("in another form are refused, and a list without any is `nothing`", async () => {
    expect(await faultOf(() => targetsIn(row("FPT", "90,000")))).toBe("invalid_answer");
    expect(await faultOf(() => targetsIn(row("FPT", 0)))).toBe("nothing");
  });
});

describe("prices", () => {
  const row = (code: string, currentPrice?: unknown, change: object = {}) => ({
    code,
    floor: "UPCOM",
    isIndex: false,
    currentPrice,
    ...change,
  });
  const quotesIn = (now: string, ...rows: unknown[]) =>
    transformed(
      "quotes",
      vietcapQuotes,
      { successful: true, data: rows },
      { ...liveQuery({ today: "2026-08-21", country: "VN" }), now: Date.parse(now) },
    );
  const EVENING = "2026-08-21T10:00:00Z";

  test("of the companies that trade are those of the list of companies, in dong", () => {
    expect(
      quotesIn(
        EVENING,
        row("ACV", 54_300),
        row("VNINDEX", 1_652.3, { isIndex: true }),
        row("OTC", 8_000, { floor: "OTHER" }),
        row("NEW", 0),
        row("OLD", null),
        row("NONE"),
      ),
    ).toEqual([quote("ACV", 54_300, { country: "VN", date: "2026-08-21" })]);
  });

  test.each([
    // The exchanges open at 09:00 local time, 02:00 UTC. 2026-08-21 is a Friday.
    ["before the opening", "2026-08-21T01:59:00Z", "2026-08-20"],
    ["in the session", "2026-08-21T02:00:00Z", "2026-08-21"],
    ["at the weekend", "2026-08-23T05:00:00Z", "2026-08-21"],
  ])("%s belong to the session that opened last", (_, now, date) => {
    expect(quotesIn(now, row("ACV", 54_300))[0]?.date).toBe(date);
  });

  test("of today are not taken from an answer from before the opening", async () => {
    const maxAgeAt = async (now: string) => {
      const client = answersFrom({ "search-bar": JSON.stringify(ok([row("ACV", 54_300)])) });
      const query = { ...liveQuery({ today: "2026-08-21", country: "VN" }), now: Date.parse(now) };
      await vietcapQuotes.fetch(query, client);
      return client.requests[0]?.maxAgeMs;
    };
    expect(await maxAgeAt("2026-08-21T01:59:00Z")).toBe(10 * 60_000);
    expect(await maxAgeAt("2026-08-21T02:03:00Z")).toBe(3 * 60_000);
    expect(await maxAgeAt("2026-08-21T02:30:00Z")).toBe(10 * 60_000);
  });

  test("in another form are refused, and a list without any is `nothing`", async () => {
    expect(await faultOf(() => quotesIn(EVENING, row("ACV", "54,300")))).toBe("invalid_answer");
    expect(await faultOf(() => quotesIn(EVENING, row("ACV", 0)))).toBe("nothing");
  });
});

describe("Vietcap's dividends", () => {
  type Row = Readonly<Record<string, unknown>>;
  const paid = (exrightDate: string | null, valuePerShare: number | null, more: Row = {}): Row => ({
    ticker: "FPT",
    eventCode: "DIV",
    exrightDate,
    valuePerShare,
    ...more,
  });
  const issue = (exrightDate: string, eventTitleVi: string): Row =>
    paid(exrightDate, null, { eventCode: "ISS", eventTitleVi });
  const play = async (...events: Row[]) => {
    const client = answersFrom({ "": JSON.stringify(ok({ content: events })) });
    const all = [...vietcapDividends.transform(await vietcapDividends.fetch(ofFpt, client), ofFpt)];
    const record = all.find((one) => "symbol" in one && "dividends" in one);
    return {
      urls: client.requests.map(({ url }) => url),
      left: all.flatMap((one) => ("error" in one ? one.error.message : [])),
      dividends: record && "dividends" in record ? record.dividends : null,
    };
  };

  test("are listed by ex-date, in dong, the announced ones too", async () => {
    const { urls, dividends, left } = await play(
      paid("2026-06-12T00:00:00", 1_000),
      // The same announcement without its day, and twice with it.
      paid(null, 1_000),
      paid("2025-06-12", 900),
      paid("2025-06-12", 900),
      // Announced, and one whose amount is not decided.
      paid("2026-12-01", 1_100),
      paid("2027-01-15", null),
    );
    expect(urls).toEqual([
      `${SERVICE}/v1/events?ticker=FPT&fromDate=20060101&toDate=20270521&eventCode=DIV%2CISS&page=0&size=200`,
    ]);
    expect(dividends).toEqual([
      { exDate: "2025-06-12", amount: 900 },
      { exDate: "2026-06-12", amount: 1_000 },
      { exDate: "2026-12-01", amount: 1_100 },
    ]);
    expect(left).toEqual([]);
  });

  test("end before an announced issue of shares, because later ones are of other shares", async () => {
    const { dividends, left } = await play(
      paid("2026-06-12", 1_000),
      paid("2026-12-01", 1_100),
      issue("2026-12-10", "Trả cổ tức bằng cổ phiếu tỉ lệ 15%"),
      paid("2026-12-20", 500),
    );
    expect(dividends?.map(({ exDate }) => exDate)).toEqual(["2026-06-12", "2026-12-01"]);
    expect(left).toEqual([]);
  });

  test("do not begin earlier because of an announced one of the next year", async () => {
    // The last twelve months begin in December 2025, in the year of the issue.
    const refused = () =>
      play(
        issue("2025-06-01", "Trả cổ tức bằng cổ phiếu tỉ lệ 15%"),
        paid("2025-12-12", 900),
        paid("2026-06-12", 1_000),
        paid("2027-01-15", 1_100),
      );
    expect(await faultOf(refused)).toBe("nothing");
  });

  test("begin after the last issue of shares to the owners, and the answer says so", async () => {
    const later = [paid("2025-06-12", 900), paid("2026-06-12", 1_000)];
    const { dividends, left } = await play(
      ...later,
      paid("2024-12-01", 500),
      issue("2024-06-01", "Phát hành cổ phiếu - Trả cổ tức bằng cổ phiếu tỉ lệ 15%"),
      paid("2023-06-12", 800),
    );
    expect(dividends?.map(({ exDate }) => exDate)).toEqual(["2025-06-12", "2026-06-12"]);
    expect(left).toEqual([
      "vietcap: FPT: its dividends up to 2024-06-01 are unknown: shares were issued to the owners",
    ]);
    for (const title of [
      "Thưởng cổ phiếu tỉ lệ 10%",
      "Phát hành quyền mua tỉ lệ 2:1",
      "Phát hành thêm",
    ])
      expect(await faultOf(() => play(...later, issue("2025-09-01", title)))).toBe("nothing");
  });

  test("do not depend on shares that owners had no right to", async () => {
    for (const title of [
      "Phát hành cho CBCNV tỉ lệ 0.1%",
      "Share Issue - ESOP ratio 0.1%",
      "Phát hành riêng lẻ",
    ]) {
      const { dividends } = await play(paid("2023-06-12", 800), issue("2026-06-24", title));
      expect(dividends).toHaveLength(1);
    }
  });

  test("without an amount, or with two on one day, end what is known", async () => {
    const later = [paid("2025-06-12", 900), paid("2026-06-12", 1_000)];
    for (const doubtful of [
      [paid("2024-06-12", null)],
      [paid("2024-06-12", 0.1)],
      [paid("2024-06-12", 500), paid("2024-06-12", 700)],
    ]) {
      const { dividends, left } = await play(...later, ...doubtful, paid("2023-06-12", 800));
      expect(dividends?.map(({ exDate }) => exDate)).toEqual(["2025-06-12", "2026-06-12"]);
      expect(left).toHaveLength(1);
    }
  });

  test("of another company, with another day or without an end are refused", async () => {
    expect(await faultOf(() => play(paid("2026-06-12", 1_000, { ticker: "VNM" })))).toBe(
      "invalid_answer",
    );
    expect(await faultOf(() => play(paid("12/06/2026", 1_000)))).toBe("invalid_answer");
    const full = Array.from({ length: 200 }, () => paid("2026-06-12", 1_000));
    expect(await faultOf(() => play(...full))).toBe("invalid_answer");
    expect(await faultOf(() => play())).toBe("nothing");
  });
});
