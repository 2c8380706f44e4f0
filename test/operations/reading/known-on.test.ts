import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Statement, StatementItems, type StatementVintage } from "#domain/statement.ts";
import { openHandMade } from "../../support/contract-answers.ts";
import { expectError } from "../../support/error.ts";

const KEY = { country: "US", symbol: "AAPL" } as const;
const NONE = Object.fromEntries(
  Object.keys(StatementItems.properties).map((item) => [item, null]),
) as Statement["items"];

type World = ReturnType<typeof openHandMade>;
let world: World;
beforeEach(() => {
  world = openHandMade();
});
afterEach(() => world.close());

interface Answer {
  known_on?: { date: string; figures: string; filing_dates: string; shares: string };
  periods: Record<string, string>[];
  periods_total: number;
  figures: { columns: string[]; rows: unknown[][] };
  [label: string]: unknown;
}

const answer = (args: Record<string, unknown>) =>
  world.answer<Answer>("get_stock_statements", { ...KEY, type: "income", ...args });

/** What was filed of a year, with the number of the filing. */
const vintage = (filedOn: string, number: number, items: Partial<Statement["items"]> | null) =>
  ({
    ...KEY,
    span: "year",
    fiscalYear: 2025,
    fiscalQuarter: 4,
    periodEnd: "2025-12-31",
    filedOn,
    currency: "USD",
    sharesAsOf: filedOn,
    accession: `0000320193-26-00000${number}`,
    items: items && { ...NONE, ...items },
  }) satisfies StatementVintage;

/** A company that has only one year: 100, restated to 90 in April, and split 2:1 in March. */
function storeRestated(): void {
  const provenance = { source: "sec", storedAt: Date.parse("2026-11-01") };
  const { accession: _, ...year } = vintage("2026-01-30", 1, {
    revenue: 90e9,
    netIncome: 9e9,
    epsDiluted: 0.9,
  });
  world.market.transaction(() => {
    world.market.put(
      "statementVintages",
      [
        vintage("2026-01-30", 1, { revenue: 100e9, netIncome: 20e9, epsDiluted: 4 }),
        vintage("2026-04-29", 2, null),
      ],
      provenance,
    );
    world.market.put(
      "statements",
      [{ ...year, sharesAsOf: "2026-04-29" } as Statement],
      provenance,
    );
    const split = { exDate: "2026-03-10", numerator: 2, denominator: 1 };
    world.market.put("splits", [{ ...KEY, splits: [split] }], provenance);
  });
}

describe("get_stock_statements with known_on", () => {
  test("has what was filed by the day, with the panel of the twelve months known then", async () => {
    // The quarters from 2024 Q4 to 2025 Q4 were filed by 30 January 2026: 3 × 200 + 250 billion.
    const data = await answer({ known_on: "2026-01-30", period: "quarterly" });
    expect(data).toMatchObject({
      "Fiscal periodCurrent": "Q4 2025",
      RevenueTTM: "850.00 B USD",
      periods_total: 5,
      known_on: { date: "2026-01-30", figures: "as stored now", filing_dates: "published" },
    });
    expect(data.periods[0]).toMatchObject({
      "Fiscal period": "Q4 2025",
      "Filing date": "2026-01-30",
    });
    expect((await answer({ known_on: "2026-01-29" }))["Fiscal periodCurrent"]).toBe("Q3 2025");
    expect(await answer({})).not.toHaveProperty("known_on");
  });

  test("restated figures are as they were filed, in the shares of the day", async () => {
    storeRestated();
    const on = async (day: string) => {
      const { periods, known_on } = await answer({ known_on: day, period: "annual" });
      expect(known_on?.figures).toBe("as filed");
      const [one] = periods;
      return [one?.["Revenue"], one?.["EPS dil"], one?.["Filing date"], one?.["Accession number"]];
    };
    const [before, after] = ["0000320193-26-000001", "0000320193-26-000002"];
    expect(await on("2026-03-09")).toEqual(["100.00 B USD", "4.00 USD", "2026-01-30", before]);
    expect(await on("2026-03-10")).toEqual(["100.00 B USD", "2.00 USD", "2026-01-30", before]);
    expect(await on("2026-04-29")).toEqual(["90.00 B USD", "0.90 USD", "2026-04-29", after]);
    // Today's answer has the newest figures.
    const { periods } = await answer({ period: "annual" });
    expect(periods[0]).toEqual(
      expect.objectContaining({ Revenue: "90.00 B USD", "EPS dil": "0.90 USD" }),
    );
    expect(periods[0]).not.toHaveProperty("Filing date");
  });

  test("figures and ratios are those of the day", async () => {
    storeRestated();
    const args = { known_on: "2026-03-09", type: "ratios", figures: true };
    const { figures, "Net marginTTM": margin } = await answer(args);
    // 20 / 100
    expect(margin).toBe("20.00%");
    expect(figures.columns.slice(0, 6).join(" ")).toBe(
      "fiscal_period period_end filing_date accession_number filing_date_assumed currency",
    );
    const [row] = figures.rows;
    expect(row?.slice(2, 5)).toEqual(["2026-01-30", "0000320193-26-000001", false]);
    expect(row?.[figures.columns.indexOf("net_margin_percent")]).toBe(20);
    const plain = (await answer({ figures: true })).figures.columns;
    expect(plain).not.toContain("accession_number");
  });

  test("an assumed day of filing is named", async () => {
    const statement = {
      ...KEY,
      span: "year",
      fiscalYear: 2025,
      fiscalQuarter: 4,
      periodEnd: "2025-12-31",
      // 90 days later.
      filedOn: "2026-03-31",
      isFilingAssumed: true,
      currency: "USD",
      items: { ...NONE, revenue: 1e9 },
    } satisfies Statement;
    world.market.put("statements", [statement], { source: "other", storedAt: 1 });
    const { known_on, periods } = await answer({ known_on: "2026-05-01", period: "annual" });
    expect(known_on?.filing_dates).toBe("assumed");
    expect(periods[0]?.["Filing date"]).toBe("2026-03-31 (assumed)");
  });

  test("a day before the first filing and a day to come are refused", async () => {
    const early = await expectError(() => answer({ known_on: "2025-01-29" }), "not_found");
    expect(early.message).toBe("AAPL in US has no statement filed by 2025-01-29.");
    // On that day nothing could be known of the first filing.
    expect(early.details.hint).toBeUndefined();
    const late = await expectError(() => answer({ known_on: "2026-11-21" }), "invalid_argument");
    expect(late.message).toBe("known_on must be today, 2026-11-20, or earlier, not 2026-11-21.");
  });
});
