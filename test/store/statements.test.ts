import { describe, expect, test } from "bun:test";
import { type Statement, StatementItems, type StatementItem } from "#domain/statement.ts";
import { openTestMarket, SAMPLE } from "../support/market.ts";

type TestMarket = ReturnType<typeof openTestMarket>;

/** A statement whose items are all null but these. */
function statement(
  details: Partial<Omit<Statement, "items">>,
  items: Partial<Statement["items"]> = {},
): Statement {
  const names = Object.keys(StatementItems.properties) as StatementItem[];
  const none = Object.fromEntries(names.map((name) => [name, null])) as Statement["items"];
  return {
    country: "US",
    symbol: "AAPL",
    span: "quarter",
    fiscalYear: 2026,
    fiscalQuarter: 3,
    periodEnd: "2026-06-30",
    filedOn: "2026-07-30",
    currency: "USD",
    ...details,
    items: { ...none, ...items },
  };
}

describe("statements", () => {
  test("come back unchanged, oldest period first, with zero and null distinct", () => {
    using home = openTestMarket();
    const { market } = home;
    const third = statement({}, { revenue: 94_036_000_000, epsDiluted: 1.57, inventory: 0 });
    const second = statement({ fiscalQuarter: 2, periodEnd: "2026-03-31" }, { revenue: -1 });
    expect(market.put("statements", [third, second], SAMPLE)).toBe(2);
    expect(market.statements.list({ country: "US", symbol: "AAPL" })).toEqual([
      { ...second, ...SAMPLE },
      { ...third, ...SAMPLE },
    ]);
  });

  test("items that a record lacks are null, as in rows of a release without these items", () => {
    using home = openTestMarket();
    const { market } = home;
    const items = { revenue: 1 } as Statement["items"];
    market.put("statements", [{ ...statement({}), items }], SAMPLE);
    expect(market.statements.list({ country: "US", symbol: "AAPL" })).toEqual([
      { ...statement({}, items), ...SAMPLE },
    ]);
  });

  test("of the last fiscal years count from the company's newest one, for any span", () => {
    using home = openTestMarket();
    const { market } = home;
    const years = [2016, 2015, 2014, 2013].map((fiscalYear) =>
      statement({
        span: fiscalYear === 2016 ? "quarter" : "year",
        fiscalYear,
        periodEnd: `${fiscalYear}-06-30`,
      }),
    );
    market.put("statements", [...years, statement({ symbol: "MSFT" })], SAMPLE);
    const latest = (symbol: string, count: number) =>
      market.statements
        .listLatest({ country: "US", symbol }, count)
        .map(({ fiscalYear }) => fiscalYear);
    expect(latest("AAPL", 1)).toEqual([2016]);
    expect(latest("AAPL", 3)).toEqual([2014, 2015, 2016]);
    expect(latest("AAPL", 9)).toEqual([2013, 2014, 2015, 2016]);
    expect(latest("NONE", 9)).toEqual([]);
  });

  test("a restated period replaces the first one; another span is a separate statement", () => {
    using home = openTestMarket();
    const { market } = home;
    const year = { span: "year", fiscalQuarter: 4, periodEnd: "2026-09-30" } as const;
    market.put("statements", [statement(year, { revenue: 1 })], SAMPLE);
    market.put(
      "statements",
      [
        statement({ ...year, filedOn: "2026-12-01" }, { revenue: 2 }),
        statement({ ...year, span: "quarter" }, { revenue: 3 }),
      ],
      { source: "filing", storedAt: 2_000 },
    );
    const stored = market.statements.list({ country: "US", symbol: "AAPL" });
    expect(stored.map(({ span, items, source }) => [span, items.revenue, source])).toEqual([
      ["quarter", 3, "filing"],
      ["year", 2, "filing"],
    ]);
  });

  test("of two sources are never stored together, but imported ones stay", () => {
    using home = openTestMarket();
    const { market } = home;
    market.put("statements", [statement({ fiscalYear: 2020 })], { source: "import", storedAt: 1 });
    market.put(
      "statements",
      [statement({ symbol: "MSFT" }), statement({ fiscalYear: 2025 })],
      SAMPLE,
    );
    // The same quarter, by a source that names years by their end.
    market.put("statements", [statement({ fiscalYear: 2026 })], { source: "filing", storedAt: 2 });
    const stored = (symbol: string) =>
      market.statements
        .list({ country: "US", symbol })
        .map(({ fiscalYear, source }) => `${fiscalYear} ${source}`)
        .sort();
    expect(stored("AAPL")).toEqual(["2020 import", "2026 filing"]);
    expect(stored("MSFT")).toEqual(["2026 sample"]);
  });

  describe("of a list of all companies", () => {
    const LIST = { source: "filing", storedAt: 5 };
    const putList = ({ market }: TestMarket, ...statements: Statement[]) =>
      market.transaction(() => market.put("statements", statements, LIST, { country: "US" }));
    /** Fetches the statements of one company alone, and stores that it succeeded. */
    const putOwn = ({ market }: TestMarket, ...statements: Statement[]) =>
      market.transaction(() => {
        market.put("statements", statements, { source: "filing", storedAt: 9 });
        const key = { kind: "statements", country: "US", symbol: "AAPL" } as const;
        market.fetches.recordSuccess("filing", key, 9, statements.length);
      });
    const stored = ({ market }: TestMarket, symbol = "AAPL") =>
      market.statements
        .list({ country: "US", symbol })
        .map(({ fiscalYear, fiscalQuarter, source, storedAt }) =>
          [fiscalYear, fiscalQuarter, source, storedAt].join(" "),
        );
    const march = statement({ fiscalQuarter: 2, periodEnd: "2026-03-31" });
    const june = statement({ fiscalQuarter: 3, periodEnd: "2026-06-30" });
    const september = statement({ fiscalQuarter: 4, periodEnd: "2026-09-30" });

    test("replace those of an earlier list, whole companies at a time", () => {
      using home = openTestMarket();
      // The earlier list numbered the years in another way.
      putList(home, { ...march, fiscalYear: 2025 }, statement({ symbol: "MSFT" }));
      putList(home, march, june);
      expect(stored(home)).toEqual(["2026 2 filing 5", "2026 3 filing 5"]);
      expect(stored(home, "MSFT")).toEqual(["2026 3 filing 5"]);
    });

    test("never replace imported statements", () => {
      using home = openTestMarket();
      home.market.put("statements", [june], { source: "import", storedAt: 1 });
      putList(home, march, june);
      expect(stored(home)).toEqual(["2026 2 filing 5", "2026 3 import 1"]);
    });

    test("are replaced by those of the company alone, also if years have other numbers", () => {
      using home = openTestMarket();
      putList(home, { ...march, fiscalYear: 2027 }, { ...june, fiscalYear: 2027 });
      home.market.fetches.recordSuccess(
        "filing",
        { kind: "statements", country: "US", symbol: null },
        5,
        2,
      );
      putOwn(home, march, june);
      expect(stored(home)).toEqual(["2026 2 filing 9", "2026 3 filing 9"]);
      // A later fetch of the company adds to them.
      putOwn(home, september);
      expect(stored(home)).toHaveLength(3);
    });

    test("do not replace those of the company alone, unless these are outdated", () => {
      using home = openTestMarket();
      putOwn(home, march);
      // 92 days newer: the company's own statements are fetched again within days.
      putList(home, march, june);
      expect(stored(home)).toEqual(["2026 2 filing 9"]);
      // 184 days newer: no call has requested the company for months.
      putList(home, march, june, september);
      expect(stored(home)).toEqual(["2026 2", "2026 3", "2026 4"].map((q) => `${q} filing 5`));
      const key = { kind: "statements", country: "US", symbol: "AAPL" } as const;
      expect(home.market.fetches.findLastSuccess("filing", key)).toBeNull();
    });
  });

  test("are those of one instrument in one country", () => {
    using home = openTestMarket();
    const { market } = home;
    market.put(
      "statements",
      [statement({}), statement({ country: "VN" }), statement({ symbol: "MSFT" })],
      SAMPLE,
    );
    expect(market.statements.list({ country: "VN", symbol: "AAPL" })).toHaveLength(1);
    expect(market.statements.list({ country: "JP", symbol: "AAPL" })).toEqual([]);
  });
});
