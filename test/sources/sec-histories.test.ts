import { describe, expect, test } from "bun:test";
import type { Statement } from "#domain/statement.ts";
import { secStatements } from "#sources/sec/statements.ts";
import { answersFrom } from "../support/answers.ts";
import {
  fakeFacts,
  type FakeFact,
  findStatement,
  secQuery,
  statementsOf,
} from "../support/company-facts.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

const namesOf = (statements: readonly Statement[]) =>
  statements.map(
    ({ span, fiscalYear, fiscalQuarter, periodEnd }) =>
      `${span} ${fiscalYear} Q${fiscalQuarter} ${periodEnd}`,
  );

describe("a company without an annual report", () => {
  test.skipIf(!hasRecordings)("has the quarters of its only report", () => {
    // Tesla's 10-Q for the second quarter of 2024, in millions.
    const statements = statementsOf(recordedJson("real-2/TSLA-10Q-only.json.gz"), "TSLA");
    expect(findStatement(statements, "quarter", 2024, 2)).toMatchObject({
      periodEnd: "2024-06-30",
      items: { revenue: 25_500e6, netIncome: 1_478e6, epsDiluted: 0.42, operatingCashFlow: null },
    });
    // Six months.
    expect(findStatement(statements, "year_to_date", 2024, 2).items.operatingCashFlow).toBe(
      3_854e6,
    );
    expect(findStatement(statements, "quarter", 2023, 2).items.revenue).toBe(24_927e6);
  });

  /** Flows of a quarter and of the year to date, and of the same a year before. */
  const report = (
    quarter: 1 | 2 | 3,
    [start, latest, end]: [string, string, string],
    year: number,
    filed: string,
    value: number,
  ): FakeFact[] => {
    const before = (day: string) => `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`;
    const fact = (from: string, to: string, amount: number): FakeFact => [
      from,
      to,
      amount,
      filed,
      "10-Q",
      year,
      `Q${quarter}`,
    ];
    return [
      fact(latest, end, value),
      fact(before(latest), before(end), value - 1),
      ...(quarter === 1
        ? []
        : [
            fact(start, end, value * quarter),
            fact(before(start), before(end), (value - 1) * quarter),
          ]),
    ];
  };
  const ASSETS: FakeFact[] = [[null, "2026-06-30", 500, "2026-08-01"]];

  test("counts its quarters from the start of the year to date", () => {
    const statements = statementsOf(
      fakeFacts({
        Assets: ASSETS,
        Revenues: [
          ...report(1, ["2026-02-01", "2026-02-01", "2026-05-02"], 2026, "2026-06-05", 100),
          ...report(2, ["2026-02-01", "2026-05-03", "2026-08-01"], 2026, "2026-09-04", 110),
        ],
      }),
    );
    // The year that ends in January 2027 is the company's 2026.
    expect(namesOf(statements)).toEqual([
      "quarter 2025 Q1 2025-05-02",
      "quarter 2025 Q2 2025-08-01",
      "quarter 2026 Q1 2026-05-02",
      "quarter 2026 Q2 2026-08-01",
    ]);
    expect(findStatement(statements, "quarter", 2026, 1).items.revenue).toBe(100);
  });

  test("has no year of which only a later quarter is known, if its filing does not number it", () => {
    const alone: FakeFact = ["2026-04-01", "2026-06-30", 5, "2026-08-01", "10-Q", 2026, "FY"];
    expect(() => statementsOf(fakeFacts({ Assets: ASSETS, Revenues: [alone] }))).toThrow(
      "no statements",
    );
  });

  test("after a change of its fiscal year, new quarters are not those of the old year", () => {
    const annual = (year: number): FakeFact => [
      `${year - 1}-07-01`,
      `${year}-06-30`,
      400,
      `${year}-08-20`,
      "10-K",
      year,
    ];
    const statements = statementsOf(
      fakeFacts({
        Assets: ASSETS,
        // Years end in June until 2024, then in December; a report covers July to December 2024.
        Revenues: [
          annual(2023),
          annual(2024),
          ["2024-07-01", "2024-12-31", 200, "2025-03-01", "10-KT", 2024, "FY"],
          ...report(1, ["2025-01-01", "2025-01-01", "2025-03-31"], 2025, "2025-05-01", 100),
        ],
      }),
    );
    expect(namesOf(statements)).toContain("quarter 2025 Q1 2025-03-31");
    expect(namesOf(statements).filter((name) => name.includes("2025-03-31"))).toHaveLength(1);
  });
});

describe("a holding company", () => {
  const year = (of: number, filed: string): FakeFact[] => [
    [`${of}-01-01`, `${of}-12-31`, 100 + of, filed, "10-K", of],
    [`${of - 1}-01-01`, `${of - 1}-12-31`, 99 + of, filed, "10-K", of],
  ];
  const quarter = (of: number, filed: string): FakeFact => [
    `${of}-01-01`,
    `${of}-03-31`,
    20 + of,
    filed,
    "10-Q",
    filed < "2026" ? 2025 : 2026,
    "Q1",
  ];
  const sheet = (day: string, value: number, filed: string): FakeFact => [null, day, value, filed];

  const OLD = fakeFacts(
    {
      Assets: [sheet("2024-12-31", 900, "2025-02-20"), sheet("2025-12-31", 950, "2026-02-20")],
      StockholdersEquity: [sheet("2025-12-31", 400, "2026-02-20")],
      Revenues: [...year(2025, "2026-02-20"), quarter(2025, "2025-05-01")],
      NetIncomeLoss: [...year(2025, "2026-02-20"), quarter(2025, "2025-05-01")],
    },
    { filer: "0000034088" },
  );
  const owned = (change: number) =>
    fakeFacts(
      {
        Assets: [
          sheet("2025-12-31", 950 + change, "2026-08-01"),
          sheet("2026-03-31", 960, "2026-08-01"),
        ],
        StockholdersEquity: [sheet("2025-12-31", 400 + change, "2026-08-01")],
        Revenues: [quarter(2026, "2026-08-01"), quarter(2025, "2026-08-01")],
        NetIncomeLoss: [quarter(2026, "2026-08-01"), quarter(2025, "2026-08-01")],
      },
      { filer: "0000034088" },
    );

  test("has the statements of its predecessor, if figures of earlier periods are the same", () => {
    const joined = statementsOf(owned(0), "XOM", { predecessor: OLD });
    expect(namesOf(joined)).toEqual([
      "year 2024 Q4 2024-12-31",
      "quarter 2025 Q1 2025-03-31",
      "year 2025 Q4 2025-12-31",
      "quarter 2026 Q1 2026-03-31",
    ]);
    expect(findStatement(joined, "year", 2025).items.totalAssets).toBe(950);
  });

  test("has its own only if the other company is a stranger", () => {
    expect(namesOf(statementsOf(owned(7), "XOM", { predecessor: OLD }))).toEqual([
      "quarter 2025 Q1 2025-03-31",
      "quarter 2026 Q1 2026-03-31",
    ]);
  });

  const TICKERS = JSON.stringify({
    fields: ["cik", "name", "ticker", "exchange"],
    data: [[2115436, "Exxon Mobil Corp", "XOM", "NYSE"]],
  });
  const requested = async (now: number, filer: string, other: object | null) => {
    const client = answersFrom({
      "company_tickers_exchange.json": TICKERS,
      "CIK0002115436.json": JSON.stringify({ ...owned(0), facts: factsOf(filer) }),
      ...(filer !== "0002115436" && {
        [`CIK${filer}.json`]: other ? JSON.stringify(other) : { status: 404, body: "<html>" },
      }),
    });
    const answers = await secStatements.fetch(secQuery("XOM", now), client);
    return { urls: client.requests.map(({ url }) => url.slice(-19)), answers };
  };
  const factsOf = (filer: string) =>
    JSON.parse(JSON.stringify(owned(0)).replaceAll("0000034088-", `${filer}-`)).facts;

  test("is asked for at the filer of its first report", async () => {
    const now = Date.UTC(2026, 8, 1);
    const { urls, answers } = await requested(now, "0000034088", OLD);
    expect(urls.slice(1)).toEqual(["/CIK0002115436.json", "/CIK0000034088.json"]);
    expect(answers).toMatchObject({ predecessor: { cik: 1 } });
    // An agent that files for others has no facts.
    const agent = await requested(now, "0001193125", null);
    expect(agent.urls).toHaveLength(3);
    expect(agent.answers).toMatchObject({ predecessor: null });
    // A company that files itself, and one with a history of five years.
    expect((await requested(now, "0002115436", null)).urls).toHaveLength(2);
    expect((await requested(Date.UTC(2032, 0, 1), "0000034088", OLD)).urls).toHaveLength(2);
  });
});
