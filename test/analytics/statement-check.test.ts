import { describe, expect, test } from "bun:test";
import { repairDividends, checkDividends } from "#analytics/dividend-check.ts";
import { checkQuote } from "#analytics/quote-check.ts";
import { checkStatement } from "#analytics/statement-check.ts";
import { NO_ITEMS, type Statement, type StatementItems } from "#domain/statement.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";
import { stock } from "../support/market.ts";
import { quote } from "../support/refresher.ts";

/** A quarter of an invented company that ends on a date. */
const quarter = (
  periodEnd: string,
  items: Partial<StatementItems>,
  fiscalQuarter = 1,
): Statement => ({
  country: "US",
  symbol: "AAPL",
  span: "quarter",
  fiscalYear: Number(periodEnd.slice(0, 4)),
  fiscalQuarter,
  periodEnd,
  filedOn: "2026-12-31",
  sharesAsOf: "2026-12-31",
  currency: "USD",
  items: { ...NO_ITEMS, ...items },
});
const ENDS = ["2024-12-31", "2025-03-31", "2025-06-30", "2025-09-30"];
const faultsOf = (
  last: Partial<StatementItems>,
  others: Partial<StatementItems>,
  fiscalQuarter = 1,
) =>
  checkStatement(
    quarter("2025-12-31", { ...others, ...last }, fiscalQuarter),
    ENDS.map((end) => quarter(end, others)),
  ).faults.map(({ item }) => item);

describe("total debt", () => {
  // Liabilities of 100 with debt of 40: the others are 60.
  const usual = { totalDebt: 40, totalLiabilities: 100 };

  test("that is doubled is null: the other liabilities cannot fall from 60 to 20", () => {
    expect(faultsOf({ totalDebt: 80 }, usual)).toEqual(["totalDebt"]);
    const { statement } = checkStatement(quarter("2025-12-31", { ...usual, totalDebt: 80 }), [
      quarter("2025-09-30", usual),
    ]);
    expect(statement.items.totalDebt).toBeNull();
    expect(statement.items.totalLiabilities).toBe(100);
  });

  test("above all liabilities is null, also in the first statement", () => {
    expect(
      checkStatement(quarter("2025-12-31", { totalDebt: 103, totalLiabilities: 100 }), []).faults,
    ).toHaveLength(1);
    expect(
      checkStatement(quarter("2025-12-31", { totalDebt: 101, totalLiabilities: 100 }), []).faults,
    ).toEqual([]);
  });

  test("that doubles for an acquisition stays, because the liabilities grow with it", () => {
    expect(faultsOf({ totalDebt: 80, totalLiabilities: 140 }, usual)).toEqual([]);
  });

  test("of a bank that replaces deposits stays", () => {
    // SVB in millions, 2021 and 2022: borrowings 2,592 and 18,935; liabilities 194,894 and 195,498.
    const before = { totalDebt: 2_592, totalLiabilities: 194_894 };
    expect(faultsOf({ totalDebt: 18_935, totalLiabilities: 195_498 }, before)).toEqual([]);
  });
});

describe("EPS", () => {
  // 100 / 50 = 2
  const usual = { netIncome: 100, sharesDiluted: 50, epsDiluted: 2 };

  test("that a split changed and the shares not is null", () => {
    for (const eps of [2 * 20, 2 / 2])
      expect(faultsOf({ epsDiluted: eps }, usual)).toEqual(["epsDiluted"]);
  });

  test("of ADRs, in another number of shares in all periods, stays", () => {
    expect(faultsOf({}, { ...usual, epsDiluted: 10 })).toEqual([]);
    expect(faultsOf({ epsDiluted: 2 }, { ...usual, epsDiluted: 10 })).toEqual([]);
  });

  test("stays beside shares in thousands or millions, which are null, in one period or in all", () => {
    const inUnits = { netIncome: 100e6, sharesDiluted: 50e6, epsDiluted: 2 };
    for (const sharesDiluted of [50_000, 50]) {
      expect(faultsOf({ sharesDiluted }, inUnits)).toEqual(["sharesDiluted"]);
      expect(faultsOf({}, { ...inUnits, sharesDiluted })).toEqual(["sharesDiluted"]);
    }
  });

  test("of a loss, of few cents and without shares stays", () => {
    expect(faultsOf({ netIncome: -100, epsDiluted: -2 }, usual)).toEqual([]);
    expect(faultsOf({ epsDiluted: 0.01 }, usual)).toEqual([]);
    expect(faultsOf({ epsDiluted: 40, sharesDiluted: null }, usual)).toEqual([]);
  });
});

describe("revenue of a fourth quarter", () => {
  const usual = { revenue: 100, netIncome: 10, costOfRevenue: 60 };

  test("of ten times its neighbours is null if neither income nor costs show it, and below 0", () => {
    expect(faultsOf({ revenue: 1_100 }, usual, 4)).toEqual(["revenue"]);
    expect(faultsOf({ revenue: -50 }, usual, 4)).toEqual(["revenue"]);
  });

  test("stays if income grew with it, and in other quarters", () => {
    expect(faultsOf({ revenue: 1_100, netIncome: 900 }, usual, 4)).toEqual([]);
    expect(faultsOf({ revenue: 1_100 }, usual, 3)).toEqual([]);
  });

  test("Kraft Heinz, fourth quarter of 2018: a loss of 12.6 billion is true", () => {
    const around = { revenue: 6_400e6, netIncome: 800e6, epsDiluted: 0.65, sharesDiluted: 1_227e6 };
    const loss = {
      revenue: 6_891e6,
      netIncome: -12_608e6,
      epsDiluted: -10.34,
      sharesDiluted: 1_220e6,
    };
    expect(faultsOf(loss, around, 4)).toEqual([]);
  });
});

describe("a quote", () => {
  const known = {
    instrument: { ...stock("US", "AAPL"), sharesOutstanding: 1e9 },
    stored: null,
    splits: null,
  };

  test("has no market cap if that is another number of shares than the known ones", () => {
    const cap = (marketCap: number, stored = known.stored as ReturnType<typeof quote> | null) =>
      checkQuote(quote("AAPL", 100, { marketCap }), { ...known, stored }).record?.marketCap;
    expect(cap(1e11)).toBe(1e11);
    expect(cap(1e13)).toBeNull();
    expect(cap(1e9)).toBeNull();
    // The price of Berkshire's B shares and the number of A shares: its cap is the same every day.
    expect(cap(1.5e14, quote("AAPL", 99, { marketCap: 1.49e14 }))).toBe(1.5e14);
  });

  test("in cents, with the close before, is refused; after a split that is not known the market cap is as before", () => {
    const stored = quote("AAPL", 100, { date: "2026-11-19", marketCap: 1e11 });
    const of = (marketCap: number | null, change = {}) =>
      checkQuote(
        quote("AAPL", 10_000, { previousClose: 10_100, marketCap }),
        // Without a number of shares, so that only the stored quote is evidence.
        { instrument: stock("US", "AAPL"), stored: { ...stored, ...change }, splits: null },
      );
    expect(of(1e13)).toEqual({
      record: null,
      faults: ["price 10000 after 100, in another unit"],
    });
    // 1 for 100.
    expect(of(1e11).record?.price).toBe(10_000);
    // The stored price is from six weeks before.
    expect(of(1e13, { date: "2026-10-09" }).record?.price).toBe(10_000);
  });

  test("of a hundred times the close before is refused, and divided by a split of that day", () => {
    const of = (price: number, previousClose: number, splits: typeof SPLIT | null) =>
      checkQuote(quote("AAPL", price, { previousClose }), { ...known, splits }).record;
    const SPLIT = [{ exDate: "2026-11-20", numerator: 20, denominator: 1 }];
    expect(of(100, 1, null)).toBeNull();
    expect(of(20, 100, null)?.previousClose).toBe(100);
    expect(of(5, 101, SPLIT)?.previousClose).toBe(101 / 20);
  });
});

describe("dividends", () => {
  const history = (...amounts: (readonly [string, number])[]) => ({
    country: "US" as const,
    symbol: "AAPL",
    dividends: amounts.map(([exDate, amount]) => ({ exDate, amount })),
  });

  test("of a hundred times both neighbours are left out, a special one of fifty times is not", () => {
    const of = (amount: number) =>
      checkDividends(
        history(["2025-02-01", 0.2], ["2025-05-01", amount], ["2025-08-01", 0.21]),
        [],
        () => null,
      ).faults;
    expect(of(21)).toHaveLength(1);
    expect(of(10)).toEqual([]);
  });

  test("as large as the close before the ex-date are left out", () => {
    const paid = history(["2025-02-01", 9.99], ["2025-05-01", 10]);
    expect(checkDividends(paid, [], () => 10)).toEqual({
      record: history(["2025-02-01", 9.99]),
      faults: [
        {
          exDate: "2025-05-01",
          reason: "dividend 10 on 2025-05-01 is as large as the close 10 before it",
        },
      ],
    });
  });

  test.if(hasRecordings)("of Shin-Etsu: 275 yen of before the split of 2023 are 55 yen", () => {
    const rows = recordedText("real-2/prices/4063-T-1d-bad-div.csv").trim().split("\n");
    const cells = rows.slice(1).map((row) => row.split(","));
    const of = (column: number) =>
      cells.flatMap((row) =>
        Number(row[column]) > 0 ? [[row[0]?.slice(0, 10) ?? "", Number(row[column])] as const] : [],
      );
    const splits = of(8).map(([exDate, numerator]) => ({ exDate, numerator, denominator: 1 }));
    // Shin-Etsu paid 275 yen in March 2023, which is 55 after the split of 5 for 1.
    expect(
      repairDividends(history(...of(7)), splits).dividends.map(({ amount }) => amount),
    ).toEqual([50, 45, 55, 50, 50]);
    expect(repairDividends(history(...of(7)), []).dividends.map(({ amount }) => amount)).toEqual([
      50, 45, 275, 50, 50,
    ]);
  });
});
