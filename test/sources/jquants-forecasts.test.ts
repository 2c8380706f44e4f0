import { describe, expect, test } from "bun:test";
import { announcedForecasts } from "#analytics/forecast-revision.ts";
import type { Split } from "#domain/split.ts";
import { jquantsForecasts } from "#sources/jquants/company-forecasts.ts";
import { faultOf, liveQuery, transformed, vietnamese } from "../support/fetcher.ts";

const instrument = vietnamese("7203", { country: "JP", exchange: "TSE", currency: "JPY" });
const query = liveQuery({ today: "2026-11-20", instrument });

/** Fields and their texts: `OP=90 FOP=`. */
const row = (text: string) =>
  Object.fromEntries(text.split(" ").map((field) => field.split("=") as [string, string]));

/** The summary of the year to March 2026, with 1,000 shares and the forecast of the next year. */
const YEAR = row(
  "DiscDate=2026-05-08 DiscTime=14:00:00 Code=72030 DocType=FYFinancialStatements_Consolidated_JP " +
    "CurPerType=FY CurPerSt=2025-04-01 CurPerEn=2026-03-31 CurFYEn=2026-03-31 Sales=900 OP=90 NP=60 " +
    "EPS=60 DEPS= TA=2000 Eq=900 EqAR=0.45 BPS= CFO= CFI= CFF= CashEq= ShOutFY=1010 TrShFY=10 AvgSh= " +
    "FSales= FOP= FOdP= FNP= FEPS= FDivAnn= NxtFYEn=2027-03-31 NxFSales=1000 NxFOP=100 NxFOdP=105 " +
    "NxFNp=70000 NxFEPS=70.00 NxFDivAnn=20.0 FNCSales= NxFNCSales=",
);
const year = (change: Record<string, unknown> = {}) => ({ ...YEAR, ...change });
/** A disclosure of the year to March 2027 without figures. */
const LATER = row(
  "CurPerType=1Q CurPerSt=2026-04-01 CurPerEn=2026-06-30 CurFYEn=2027-03-31 NxtFYEn= NxFSales= NxFOP= " +
    "NxFOdP= NxFNp= NxFEPS= NxFDivAnn= Sales= OP= NP= EPS= TA= Eq= EqAR= ShOutFY= TrShFY=",
);
const later = (DocType: string, DiscDate: string, change: Record<string, unknown> = {}) =>
  year({ ...LATER, DocType, DiscDate, ...change });
const FULL = { FSales: "1000", FOP: "100", FOdP: "105", FNP: "70000", FEPS: "70.00" };
const RAISED = { FSales: "1100", FOP: "120", FOdP: "125", FNP: "80000", FEPS: "80.00" };

const read = (rows: readonly object[], splits: readonly Split[] = []) =>
  transformed("companyForecasts", jquantsForecasts, [{ data: rows }], {
    ...query,
    splitsOf: () => splits,
  })[0]?.forecasts ?? [];
/** Day, net income, EPS and dividend of each announcement. */
const brief = (...args: Parameters<typeof read>) =>
  read(...args).map((one) => [one.announcedOn, one.netIncome, one.eps, one.dividendPerShare]);

describe("a company's forecast", () => {
  test("is the next year of its annual summary, then what revises it", () => {
    const rows = [
      year(),
      later("1QFinancialStatements_Consolidated_JP", "2026-08-06", { ...FULL, FDivAnn: "20.0" }),
      later("EarnForecastRevision", "2026-10-20", RAISED),
      later("DividendForecastRevision", "2026-10-20", { DiscTime: "15:00:00", FDivAnn: "25.0" }),
      later("EarnForecastRevision", "2026-11-10", FULL),
    ];
    expect(read(rows)[0]).toEqual({
      yearEnd: "2027-03-31",
      announcedOn: "2026-05-08",
      revenue: 1_000,
      operatingIncome: 100,
      ordinaryIncome: 105,
      netIncome: 70_000,
      eps: 70,
      dividendPerShare: 20,
      sharesAsOf: "2026-05-08",
    });
    // The summary of August repeats it. A revision of earnings keeps the dividend, and the other way round.
    expect(brief(rows)).toEqual([
      ["2026-05-08", 70_000, 70, 20],
      ["2026-10-20", 80_000, 80, 20],
      ["2026-10-20", 80_000, 80, 25],
      ["2026-11-10", 70_000, 70, 25],
    ]);
    expect(announcedForecasts(read(rows)).map(({ revision }) => revision)).toEqual([
      "lowered",
      "raised",
      null,
      null,
    ]);
  });

  test("is withdrawn by a revision without figures, but not by one of other figures", () => {
    const revised = (change: object) =>
      brief([year(), later("EarnForecastRevision", "2026-10-20", { ...change })]).at(-1);
    expect(revised({})).toEqual(["2026-10-20", null, null, 20]);
    const unchanged = ["2026-05-08", 70_000, 70, 20];
    expect(revised({ FSales2Q: "500", FNP2Q: "30" })).toEqual(unchanged);
    expect(revised({ FNCSales: "400" })).toEqual(unchanged);
    expect(brief([year(), later("DividendForecastRevision", "2026-10-20")])).toEqual([unchanged]);
    const quarter = later("1QFinancialStatements_Consolidated_JP", "2026-08-06");
    expect(brief([year(), quarter]).at(-1)).toEqual(["2026-08-06", null, null, null]);
  });

  test("a correction of an earlier summary does not bring its forecast back", () => {
    const summary = "FinancialStatements_Consolidated_JP";
    const half = { CurPerType: "2Q", CurPerEn: "2026-09-30" };
    const rows = [
      later(`2Q${summary}`, "2026-11-05", { ...half, ...RAISED }),
      later(`1Q${summary}`, "2026-11-12", FULL),
    ];
    expect(brief([year(), ...rows]).at(-1)).toEqual(["2026-11-05", 80_000, 80, null]);
  });

  test("figures of the parent alone count only without a group", () => {
    const alone = { FNCSales: "500", FNCNP: "30000", FNCEPS: "30.00" };
    const single = year({ DocType: "FYFinancialStatements_NonConsolidated_JP" });
    const revision = later("EarnForecastRevision", "2026-10-20", alone);
    expect(brief([single, revision]).at(-1)).toEqual(["2026-10-20", 30_000, 30, 20]);
  });

  test("the reported year, another kind of issuer and unlabelled years have none", async () => {
    const next = later("EarnForecastRevision", "2026-10-20", RAISED);
    const reported = year({
      DiscDate: "2027-05-07",
      CurPerEn: "2027-03-31",
      CurFYEn: "2027-03-31",
    });
    for (const rows of [
      [next],
      [year({ NxtFYEn: "" })],
      [year({ DocType: "FYFinancialStatements_Consolidated_Foreign" })],
      [year({ DocType: "FYFinancialStatements_Consolidated_REIT" }), next],
      [next, { ...reported, NxtFYEn: "" }],
    ])
      expect(await faultOf(() => read(rows))).toBe("nothing");
    expect(await faultOf(() => read([year({ Code: "67580" })]))).toBe("invalid_answer");
    expect(await faultOf(() => read([year({ NxFNp: "7万" })]))).toBe("invalid_answer");
    const fund = liveQuery({
      today: "2026-11-20",
      instrument: { ...instrument, assetType: "etf" },
    });
    const fetching = () =>
      jquantsForecasts.fetch(fund, { key: "k", request: () => expect.unreachable() });
    expect(await faultOf(fetching)).toBe("nothing");
  });

  describe("with a split of 5 for 1 on 1 October", () => {
    const splits = [{ exDate: "2026-10-01", numerator: 5, denominator: 1 }];
    const asOf = (rows: readonly object[], known: readonly Split[] = splits) =>
      read(rows, known).map((one) => [one.eps, one.dividendPerShare, one.sharesAsOf]);

    test("per-share figures of before it are in old shares, or in new ones if earnings show it", () => {
      // 70,000 / 1,000 shares are 70; 70,000 / 5,000 shares are 14.
      expect(asOf([year()])).toEqual([[70, 20, "2026-05-08"]]);
      expect(asOf([year({ NxFEPS: "14.00", NxFDivAnn: "" })])).toEqual([[14, null, "2026-10-01"]]);
    });

    test("a dividend of both kinds of shares, and figures in unknown shares are left out", () => {
      expect(asOf([year({ NxFEPS: "14.00" })])).toEqual([[14, null, "2026-10-01"]]);
      // The split is not known yet.
      expect(asOf([year({ NxFEPS: "14.00" })], [])).toEqual([[null, null, undefined]]);
      expect(asOf([year({ NxFEPS: "" })])).toEqual([[null, null, undefined]]);
      expect(asOf([year({ NxFEPS: "" })], [])).toEqual([[null, 20, "2026-05-08"]]);
    });
  });
});
