import { describe, expect, test } from "bun:test";
import { repairDividends, checkDividends } from "#analytics/dividend-check.ts";
import { checkQuote } from "#analytics/quote-check.ts";
import { checkStatement } from "#analytics/statement-check.ts";
import type { Witnesses } from "#analytics/statement-units.ts";
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

  test("of the wrong sign is null, or the income is: the one that differs from the pretax income", () => {
    const signed = (eps: number, netIncome: number, pretaxIncome: number | null) =>
      faultsOf({ epsDiluted: eps, netIncome, pretaxIncome }, usual);
    expect(signed(-2, 100, 130)).toEqual(["epsDiluted"]);
    expect(signed(2, -100, 130)).toEqual(["netIncome"]);
    expect(signed(-2, 100, null)).toEqual(["netIncome", "epsDiluted"]);
    // 110 of preferred dividends: a loss of 10 for common shareholders.
    expect(signed(-0.2, 100, 130)).toEqual([]);
  });

  test("of a loss, of few cents and without shares stays", () => {
    expect(faultsOf({ netIncome: -100, epsDiluted: -2 }, usual)).toEqual([]);
    expect(faultsOf({ epsDiluted: 0.01 }, usual)).toEqual([]);
    expect(faultsOf({ epsDiluted: 40, sharesDiluted: null }, usual)).toEqual([]);
  });
});

describe("a statement in another unit", () => {
  const usual = {
    revenue: 1_000e6,
    costOfRevenue: 600e6,
    netIncome: 100e6,
    epsDiluted: 1,
    sharesDiluted: 100e6,
    sharesOutstanding: 101e6,
    totalAssets: 5_000e6,
    totalLiabilities: 3_000e6,
    commonEquity: 2_000e6,
  };
  type Item = keyof typeof usual;
  const MONEY: Item[] = [
    "revenue",
    "costOfRevenue",
    "netIncome",
    "totalAssets",
    "totalLiabilities",
    "commonEquity",
  ];
  const times = (factor: number, items: readonly Item[]) =>
    Object.fromEntries(items.map((item) => [item, usual[item] * factor]));
  const sorted = (items: readonly string[]) => items.toSorted();

  // The wrong side loses: it alone is a thousand times its neighbours, a thousandth, or in cents.
  test.each<[string, number, readonly Item[]]>([
    ["all amounts in thousands", 1e-3, MONEY],
    ["all amounts in millions", 1e-6, MONEY],
    ["all amounts a thousand times too large", 1e3, MONEY],
    ["the income statement in thousands", 1e-3, ["revenue", "costOfRevenue", "netIncome"]],
    ["the income alone in thousands", 1e-3, ["netIncome"]],
    ["the income alone a thousand times too large", 1e3, ["netIncome"]],
    ["shares in thousands", 1e-3, ["sharesDiluted"]],
    ["shares in millions", 1e-6, ["sharesDiluted"]],
    ["shares a thousand times too many", 1e3, ["sharesDiluted"]],
    ["EPS in cents", 100, ["epsDiluted"]],
    ["EPS a thousand times too large", 1e3, ["epsDiluted"]],
    ["amounts and shares in thousands", 1e-3, [...MONEY, "sharesDiluted"]],
    ["amounts and both numbers of shares", 1e-3, [...MONEY, "sharesDiluted", "sharesOutstanding"]],
    ["the balance sheet alone", 1e-3, ["totalAssets", "totalLiabilities", "commonEquity"]],
    ["revenue and costs alone in thousands", 1e-3, ["revenue", "costOfRevenue"]],
    ["revenue and costs alone a thousand times too large", 1e3, ["revenue", "costOfRevenue"]],
    ["revenue alone in thousands", 1e-3, ["revenue"]],
    ["revenue alone a thousand times too large", 1e3, ["revenue"]],
    ["assets alone in thousands", 1e-3, ["totalAssets"]],
    ["liabilities alone in thousands", 1e-3, ["totalLiabilities"]],
  ])("%s", (_, factor, wrong) => {
    expect(sorted(faultsOf(times(factor, wrong), usual))).toEqual(sorted(wrong));
  });

  test("leaves no results of wrong lines: gross profit, costs, EBITDA", () => {
    const lines = { ...usual, grossProfit: 400e6, operatingIncome: 200e6, ebitda: 230e6 };
    const of = (items: Partial<StatementItems>) =>
      checkStatement(
        quarter("2025-12-31", { ...lines, depreciationAndAmortization: 30e6, ...items }),
        ENDS.map((end) => quarter(end, { ...lines, depreciationAndAmortization: 30e6 })),
      ).statement.items;
    // 1 − 600 million.
    const wrong = { revenue: 1e6, grossProfit: -599e6 };
    expect(of(wrong)).toMatchObject({ revenue: null, costOfRevenue: null, grossProfit: null });
    // The gross profit is stated: it is not 1 − 600 million.
    expect(of({ revenue: 1e6 })).toMatchObject({ costOfRevenue: 600e6, grossProfit: 400e6 });
    // 0.2 + 30 million.
    const thousands = { ...times(1e-3, MONEY), operatingIncome: 0.2e6, ebitda: 30.2e6 };
    expect(of(thousands)).toMatchObject({ depreciationAndAmortization: 30e6, ebitda: null });
  });

  test("without EPS too", () => {
    const plain = { ...usual, epsDiluted: null };
    expect(sorted(faultsOf(times(1e-3, MONEY), plain))).toEqual(sorted(MONEY));
  });

  test("of a company that reports years only", () => {
    const year = (fiscalYear: number, items: Partial<StatementItems>): Statement => ({
      ...quarter(`${fiscalYear}-12-31`, items, 4),
      span: "year",
    });
    const before = [2022, 2023, 2024].map((one) => year(one, usual));
    const { faults } = checkStatement(year(2025, { ...usual, ...times(1e-3, MONEY) }), before);
    expect(sorted(faults.map(({ item }) => item))).toEqual(sorted(MONEY));
  });

  test("in a half year beside years, as in Japan", () => {
    const of = (end: string, span: Statement["span"], factor: number): Statement => ({
      ...quarter(end, {}, span === "year" ? 4 : 2),
      span,
      // Flows of a half year are two quarters, of a year four.
      items: {
        ...NO_ITEMS,
        ...usual,
        revenue: usual.revenue * (span === "year" ? 4 : 2) * factor,
        netIncome: usual.netIncome * (span === "year" ? 4 : 2) * factor,
        epsDiluted: usual.epsDiluted * (span === "year" ? 4 : 2),
      },
    });
    const peers = [
      of("2024-03-31", "year", 1),
      of("2024-09-30", "year_to_date", 1),
      of("2025-03-31", "year", 1),
    ];
    const { faults } = checkStatement(of("2025-09-30", "year_to_date", 1e-3), peers);
    expect(sorted(faults.map(({ item }) => item))).toEqual(["netIncome", "revenue"]);
  });

  test("beside the shares of the last day, if the average is unknown", () => {
    const plain = { ...usual, sharesDiluted: null };
    expect(faultsOf({ netIncome: 100e3 }, plain)).toEqual(["netIncome"]);
    expect(faultsOf({ sharesOutstanding: 101e3 }, plain)).toEqual(["sharesOutstanding"]);
    // Three times as many since the issue of this quarter.
    expect(faultsOf({ sharesOutstanding: 303e6 }, plain)).toEqual([]);
  });

  test("beside another number of shares: the one that net income / EPS does not confirm loses", () => {
    expect(faultsOf({ sharesOutstanding: 101e3 }, usual)).toEqual(["sharesOutstanding"]);
    const plain = { ...usual, epsDiluted: null };
    expect(faultsOf({ sharesOutstanding: 101e3 }, plain)).toEqual(["sharesOutstanding"]);
    expect(faultsOf({ sharesDiluted: 100e3 }, plain)).toEqual(["sharesDiluted"]);
    const all = { ...plain, sharesOutstanding: 101e3 };
    expect(checkStatement(quarter("2025-12-31", all), []).faults.map(({ item }) => item)).toEqual([
      "sharesOutstanding",
      "sharesDiluted",
    ]);
  });

  describe("in all statements of a company", () => {
    const all = { ...usual, ...times(1e-3, MONEY) };
    const wrongOf = (witnesses: Witnesses, items: Partial<StatementItems> = all) =>
      sorted(
        checkStatement(
          quarter("2025-12-31", items),
          ENDS.map((end) => quarter(end, items)),
          witnesses,
        ).faults.map(({ item }) => item),
      );

    test("the amounts are wrong if shares and price of other sources confirm the rest", () => {
      // 4 dollars of EPS a year for 50 dollars: 8 %.
      expect(wrongOf({ sharesOutstanding: 100e6, price: 50 })).toEqual(sorted(MONEY));
    });

    test("what nothing confirms is wrong too", () => {
      // The counts of the same report confirm each other.
      expect(wrongOf({ sharesOutstanding: null, price: null })).toEqual(
        sorted([...MONEY, "epsDiluted"]),
      );
      const alone = { ...all, sharesOutstanding: null };
      expect(wrongOf({ sharesOutstanding: null, price: null }, alone)).toEqual(
        sorted([...MONEY, "epsDiluted", "sharesDiluted"]),
      );
    });

    test("amounts of a quarter without EPS are wrong too, unless they are as large as they should be", () => {
      const of = (revenue: number) =>
        checkStatement(
          quarter("2025-12-31", { revenue, epsDiluted: null }),
          ENDS.map((end) => quarter(end, all)),
          { sharesOutstanding: 100e6, price: 50 },
        ).faults.map(({ item }) => item);
      expect(of(1e6)).toEqual(["revenue"]);
      expect(of(1_000e6)).toEqual([]);
    });

    test("EPS is wrong if it is more than the price", () => {
      // 4,000 dollars of EPS a year for 50 dollars.
      const inThousandths = { ...usual, epsDiluted: 1_000 };
      expect(wrongOf({ sharesOutstanding: 100e6, price: 50 }, inThousandths)).toEqual([
        "epsDiluted",
      ]);
    });
  });

  test("stays if the company really changed, and zeros and single small amounts do", () => {
    // Everything is sold: 0.1 million for 100 million shares is 0.001, too little for a comparison.
    const loss = { ...usual, netIncome: -50e6, epsDiluted: -0.5, revenue: 1e6, costOfRevenue: 1e6 };
    expect(faultsOf(loss, usual)).toEqual([]);
    expect(faultsOf({ netIncome: 0.1e6, epsDiluted: 0 }, usual)).toEqual([]);
    expect(faultsOf({ revenue: 0, netIncome: -100e6, epsDiluted: -1 }, usual)).toEqual([]);
    // Cinemark, second quarter of 2020, in millions: 9.0 after 543.6, 788.8, 821.8 and 957.8.
    const before = [957.8, 821.8, 788.8, 543.6];
    const closed = checkStatement(
      quarter("2020-06-30", { revenue: 9e6, netIncome: -170.4e6 }),
      ["2019-06-30", "2019-09-30", "2019-12-31", "2020-03-31"].map((end, i) =>
        quarter(end, { revenue: (before[i] ?? 0) * 1e6, netIncome: 20e6 }),
      ),
    );
    expect(closed.faults).toEqual([]);
  });
});

describe("a company that really changed", () => {
  const usual = { revenue: 1_000e6, costOfRevenue: 600e6, netIncome: 100e6, totalAssets: 5_000e6 };
  const sold = { revenue: 1e6, costOfRevenue: 0.6e6, netIncome: 0.1e6, totalAssets: 5e6 };

  test("keeps its amounts if EPS of 0.00 shows no income in thousands", () => {
    // 0.1 million for 100 million shares are 0.001; 100 million would be 1.00.
    const items = { sharesDiluted: 100e6, epsDiluted: 0 };
    expect(
      faultsOf({ ...sold, ...items }, { ...usual, sharesDiluted: 100e6, epsDiluted: 1 }),
    ).toEqual([]);
  });

  test("keeps the income beside EPS in the shares before a split of 100 for 1", () => {
    const usual = {
      netIncome: 100e6,
      epsDiluted: 1,
      sharesDiluted: 100e6,
      sharesOutstanding: 100e6,
    };
    expect(faultsOf({ sharesDiluted: 1e6, sharesOutstanding: 1e6 }, usual)).toEqual([
      "epsDiluted",
      "sharesDiluted",
    ]);
  });

  test("keeps the revenue and costs of land that it sells: its income grows with them", () => {
    const shares = { sharesDiluted: 10e6, epsDiluted: 0.2 };
    const small = {
      revenue: 0.1e6,
      costOfRevenue: 0.06e6,
      netIncome: 2e6,
      operatingIncome: 1e6,
      ...shares,
    };
    const sale = { revenue: 100e6, costOfRevenue: 95e6, netIncome: 5e6, epsDiluted: 0.5 };
    expect(faultsOf(sale, { ...small, operatingIncome: 0.04e6 })).toEqual([]);
  });

  test("keeps its amounts if the two periods before are as small, without EPS", () => {
    const before = ["2024-03-31", "2024-06-30", "2024-09-30", ...ENDS.slice(0, -2)].map((end) =>
      quarter(end, usual),
    );
    const of = (small: number) =>
      checkStatement(quarter("2025-12-31", sold), [
        ...before,
        ...ENDS.slice(-2).map((end, i) => quarter(end, i < small ? sold : usual)),
      ]).faults.map(({ item }) => item);
    expect(of(0)).toHaveLength(4);
    expect(of(2)).toEqual([]);
  });

  test("keeps assets beside equity that may be redeemed, unless liabilities and equity are more", () => {
    // A shell company: 200 million for its shareholders. They take back all but 0.2 million.
    const trust = { totalAssets: 200e6, totalLiabilities: 8e6, commonEquity: -6e6 };
    const rest = { totalAssets: 0.2e6, totalLiabilities: 0.5e6, commonEquity: -0.4e6 };
    expect(faultsOf(rest, trust)).toEqual([]);
    expect(faultsOf({ totalAssets: 0.2e6 }, trust)).toEqual(["totalAssets"]);
  });
});

describe("revenue below net income", () => {
  // A broker whose fees are 80 of 200, and whose income is 100.
  test("is a part of the revenue, unless another line explains the income", () => {
    const fees = { revenue: 80, netIncome: 100, pretaxIncome: 130 };
    expect(faultsOf({}, fees)).toEqual(["revenue"]);
    // A gain of 70 beside an operating income of 40.
    expect(faultsOf({}, { ...fees, operatingIncome: 40 })).toEqual([]);
    expect(faultsOf({}, { ...fees, operatingIncome: 130 })).toEqual(["revenue"]);
    expect(checkStatement(quarter("2025-12-31", fees), []).faults).toHaveLength(1);
  });

  test("of the wrong sign is no figure beside a profit, unlike a true loss of an investor", () => {
    const usual = { revenue: 200, netIncome: 20, operatingIncome: 30 };
    expect(faultsOf({ revenue: -200 }, usual)).toEqual(["revenue"]);
    expect(
      faultsOf({ revenue: -200, netIncome: -240, operatingIncome: -250 }, { revenue: 200 }),
    ).toEqual([]);
  });

  test("stays if it is as large as before and the income is not", () => {
    const usual = { revenue: 80, netIncome: 10 };
    expect(faultsOf({ netIncome: 100 }, usual)).toEqual([]);
    // The fees alone, 30 of 80, with a usual income of 40.
    expect(faultsOf({ revenue: 30 }, { revenue: 80, netIncome: 40 })).toEqual(["revenue"]);
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

  test("has no market cap in another unit if only statements show the shares, which may confirm it too", () => {
    const cap = (marketCap: number, sharesOutstanding: number | null) =>
      checkQuote(quote("AAPL", 100, { marketCap }), {
        ...known,
        instrument: { ...stock("US", "AAPL"), sharesOutstanding },
        findStatedShares: () => 1e9,
      }).record?.marketCap;
    expect(cap(1e8, null)).toBeNull();
    // 400 ADRs for a share, or the reverse.
    for (const adrs of [1e11 / 400, 1e11 * 50]) expect(cap(adrs, null)).toBe(adrs);
    // The list of companies has its shares in thousands.
    expect(cap(1e11, 1e6)).toBe(1e11);
    expect(cap(1e8, 1e9)).toBeNull();
  });

  test("in cents, with the close before, is refused; after a split that is not known the market cap is as before", () => {
    const stored = quote("AAPL", 100, { date: "2026-11-19", marketCap: 1e11 });
    const of = (marketCap: number | null, change = {}) =>
      checkQuote(
        quote("AAPL", 10_000, { previousClose: 10_100, marketCap }),
        // Without a number of shares, so that only the stored quote is evidence.
        { instrument: stock("US", "AAPL"), stored: { ...stored, ...change }, splits: null },
      );
    expect(of(1e13)).toEqual({ record: null, faults: ["price 10000 after 100, in another unit"] });
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
