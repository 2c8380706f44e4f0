import { zip } from "#lib/zip-writer.ts";
import { answer, type PlayedSource } from "./played-answer.ts";

/** The fields of a document in the list of a day. */
export const document = (change: object = {}) => ({
  seqNumber: 1,
  docID: "S100TY26",
  edinetCode: "E02144",
  secCode: "72030",
  filerName: "トヨタ自動車株式会社",
  docTypeCode: "120",
  periodStart: "2025-04-01",
  periodEnd: "2026-03-31",
  submitDateTime: "2026-06-18 15:30",
  parentDocID: null,
  withdrawalStatus: "0",
  disclosureStatus: "0",
  csvFlag: "1",
  legalStatus: "1",
  ...change,
});

/** The list of a day. */
export const day = (...results: unknown[]) => ({
  metadata: { title: "提出された書類を把握するためのAPI", status: "200", message: "OK" },
  results,
});

/** The columns, and the label of every row. */
const HEADER =
  "要素ID 項目名 コンテキストID 相対年度 連結・個別 期間・時点 ユニットID 単位 値".split(" ");

/** What an annual report says of itself, by element. */
export const ABOUT = {
  SecurityCode: "72030",
  AccountingStandards: "IFRS",
  WhetherConsolidatedFinancialStatementsArePrepared: "true",
  TypeOfCurrentPeriod: "FY",
  CurrentFiscalYearStartDate: "2025-04-01",
  CurrentPeriodEndDate: "2026-03-31",
  CurrentFiscalYearEndDate: "2026-03-31",
  PreviousFiscalYearStartDate: "2024-04-01",
  ComparativePeriodEndDate: "2025-03-31",
  PreviousFiscalYearEndDate: "2025-03-31",
};
/** The same of the report of the first half of the next year. */
export const ABOUT_HALF = {
  ...ABOUT,
  TypeOfCurrentPeriod: "HY",
  CurrentFiscalYearStartDate: "2026-04-01",
  CurrentPeriodEndDate: "2026-09-30",
  CurrentFiscalYearEndDate: "2027-03-31",
  PreviousFiscalYearStartDate: "2025-04-01",
  ComparativePeriodEndDate: "2025-09-30",
  PreviousFiscalYearEndDate: "2026-03-31",
};

/** Facts: `NetSales CurrentYearDuration 1000`, in yen; of an element that ends in `Share…`, in yen per share. */
export function csvOf(about: Readonly<Record<string, string>>, facts: string, unit = "円"): string {
  const rows = facts
    .trim()
    .split(/\n\s*/)
    .map((line) => {
      const [element = "", context = "", value = ""] = line.split(/\s+/);
      const isPerShare = /PerShare|EquityToAssetRatioIFRS/.test(element);
      const name = element.includes(":") ? element : `jpcrp_cor:${element}`;
      const unitId = isPerShare ? "JPYPerShares" : "JPY";
      return [
        name,
        "項目",
        context,
        "当期",
        "その他",
        "期間",
        unitId,
        isPerShare ? "円" : unit,
        value,
      ];
    });
  const own = Object.entries(about).map(([name, value]) => [
    `jpdei_cor:${name}DEI`,
    "項目",
    "FilingDateInstant",
    "提出日時点",
    "その他",
    "時点",
    "－",
    "－",
    value,
  ]);
  const lines = [HEADER, ...own, ...rows].map((cells) =>
    cells.map((cell) => `"${cell}"`).join("\t"),
  );
  return `${lines.join("\r\n")}\r\n`;
}

/** A report as EDINET sends it: a zip of UTF-16LE with a byte order mark. */
export const packed = (
  csv: string,
  name = "jpcrp030000-asr-001_E02144-000_2026-03-31_01_2026-06-18",
) =>
  zip([
    { name: "XBRL_TO_CSV/jpaud-aai-cc-001_E02144-000.csv", bytes: Buffer.from("x") },
    { name: `XBRL_TO_CSV/${name}.csv`, bytes: Buffer.from(`\uFEFF${csv}`, "utf16le") },
  ]);

/** The invented annual report of Toyota: the figures of the group, its parent's, and a part of its sales. */
export const TOYOTA_YEAR = csvOf(
  ABOUT,
  `NetSalesSummaryOfBusinessResults CurrentYearDuration_NonConsolidatedMember 18000000000000
   jppfs_cor:Assets CurrentYearInstant_NonConsolidatedMember 30000000000000
   RevenueIFRSSummaryOfBusinessResults CurrentYearDuration 45000000000000
   OperatingRevenuesIFRSKeyFinancialData CurrentYearDuration 50000000000000
   OperatingRevenuesIFRSKeyFinancialData Prior1YearDuration 48000000000000
   OperatingRevenuesIFRSKeyFinancialData Prior2YearDuration 45000000000000
   jpigp_cor:OperatingProfitLossIFRS CurrentYearDuration 5000000000000
   ProfitLossAttributableToOwnersOfParentIFRSSummaryOfBusinessResults CurrentYearDuration 3900000000000
   ProfitLossAttributableToOwnersOfParentIFRSSummaryOfBusinessResults Prior1YearDuration 4700000000000
   BasicEarningsLossPerShareIFRSSummaryOfBusinessResults CurrentYearDuration 300.00
   EquityToAssetRatioIFRSSummaryOfBusinessResults CurrentYearInstant 3000.00
   EquityAttributableToOwnersOfParentIFRSSummaryOfBusinessResults CurrentYearInstant 39000000000000
   TotalAssetsIFRSSummaryOfBusinessResults CurrentYearInstant 100000000000000
   jpigp_cor:NonControllingInterestsIFRS CurrentYearInstant 1000000000000
   jpigp_cor:PurchaseOfPropertyPlantAndEquipmentInvCFIFRS CurrentYearDuration -2000000000000`,
);

const REPORTS: Readonly<Record<string, Uint8Array>> = { S100TY26: packed(TOYOTA_YEAR) };

/** EDINET: the annual report of Toyota. */
export const edinet: PlayedSource = ({ path, query }) => {
  if (!path.startsWith("/api/v2/documents")) return null;
  if (!query.get("Subscription-Key"))
    return answer({ StatusCode: 401, message: "Access denied due to invalid subscription key." });
  if (path === "/api/v2/documents.json")
    return answer(query.get("date") === "2026-06-18" ? day(document()) : day());
  const report = REPORTS[path.slice("/api/v2/documents/".length)];
  return report ? { body: report } : answer({ metadata: { status: "404", message: "Not Found" } });
};

/** The stored reports of Toyota. */
export const TOYOTA_FILINGS = [
  { id: "S100TY26", form: "annual" as const, filedOn: "2026-06-18", corrects: null },
];
