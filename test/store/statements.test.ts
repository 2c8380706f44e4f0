import { describe, expect, test } from "bun:test";
import { type Statement, StatementItems, type StatementItem } from "#domain/statement.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
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

  // NVIDIA: 10 new shares for one on 2024-06-10, between the filings of 29 May and 28 August.
  const NVIDIA = { exDate: "2024-06-10", numerator: 10, denominator: 1 };
  const filed = (filedOn: string, items: Partial<Statement["items"]>, sharesAsOf?: string) =>
    statement({ filedOn, ...(sharesAsOf !== undefined && { sharesAsOf }) }, items);

  test("are in today's shares: a split counts from its ex-date on, whatever was stored first", () => {
    using home = openFolder();
    const time = { now: Date.parse("2024-06-09T23:59:59Z") };
    const market = openMarket(home.path, () => time.now);
    const before = { epsDiluted: 5.98, sharesDiluted: 2_489e6, sharesOutstanding: 2_460e6 };
    market.put(
      "statements",
      [filed("2024-05-29", { ...before, revenue: 26_044e6 }, "2024-05-29")],
      SAMPLE,
    );
    market.put("splits", [{ country: "US", symbol: "AAPL", splits: [NVIDIA] }], SAMPLE);
    const itemsOf = () => market.statements.list({ country: "US", symbol: "AAPL" })[0]?.items;
    expect(itemsOf()).toMatchObject(before);
    time.now += 1_000;
    // 5.98 / 10, 2,489 · 10, 2,460 · 10; money stays.
    const after = { epsDiluted: 0.598, sharesDiluted: 24_890e6, sharesOutstanding: 24_600e6 };
    expect(itemsOf()).toMatchObject({ ...after, revenue: 26_044e6 });
    expect(
      market.statements.listLatest({ country: "US", symbol: "AAPL" }, 1)[0]?.items,
    ).toMatchObject(after);
    // The next filing states the period in new shares.
    market.put("statements", [filed("2024-05-29", after, "2024-08-28")], SAMPLE);
    expect(itemsOf()).toMatchObject(after);
    market.close();
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

describe("a company that moves its fiscal year", () => {
  const of = (fiscalYear: number, fiscalQuarter: number, periodEnd: string, revenue: number) =>
    statement({ fiscalYear, fiscalQuarter, periodEnd, filedOn: "2026-02-10" }, { revenue });
  const KEY = { country: "US", symbol: "AAPL" } as const;
  const shown = (all: readonly Statement[]) =>
    all.map((one) => [one.fiscalYear, one.fiscalQuarter, one.periodEnd, one.items.revenue]);
  /** What is stored after each of some answers of one source. */
  const afterEach = (...answers: readonly Statement[][]) => {
    using home = openTestMarket();
    return answers.map((records) => {
      home.market.put("statements", records, { source: "yahoo", storedAt: SAMPLE.storedAt });
      return shown(home.market.statements.list(KEY));
    });
  };
  // Years end in March; 2025 is then short, and July to September 2024 its second quarter no more.
  const before = [of(2025, 1, "2024-06-30", 1), of(2025, 2, "2024-09-30", 2)];

  test("has each quarter once, with its new label", () => {
    const after = [
      of(2024, 5, "2024-06-30", 1),
      of(2024, 6, "2024-09-30", 2),
      of(2025, 1, "2025-03-31", 4),
    ];
    const expected = [
      [2024, 5, "2024-06-30", 1],
      [2024, 6, "2024-09-30", 2],
      [2025, 1, "2025-03-31", 4],
    ];
    // In any order.
    expect(afterEach(before, after)[1]).toEqual(expected);
    expect(afterEach(before, after.toReversed())[1]).toEqual(expected);
  });

  test("keeps a quarter that its source gives no more beside the one that has its label now", () => {
    const [, stored] = afterEach(before, [
      of(2025, 1, "2025-03-31", 4),
      of(2025, 2, "2025-06-30", 5),
    ]);
    expect(stored?.map(([, , end, revenue]) => [end, revenue])).toEqual([
      ["2024-06-30", 1],
      ["2024-09-30", 2],
      ["2025-03-31", 4],
      ["2025-06-30", 5],
    ]);
  });

  test("a displaced year to date covers as many quarters as before", () => {
    const toDate = (year: number, end: string) => ({
      ...of(year, 3, end, 1),
      span: "year_to_date" as const,
    });
    const [, stored] = afterEach([toDate(2025, "2024-12-31")], [toDate(2025, "2025-09-30")]);
    expect(stored?.map(([, quarter, end]) => [quarter, end])).toEqual([
      [7, "2024-12-31"],
      [3, "2025-09-30"],
    ]);
  });

  test("keeps a fetched quarter beside an imported one that has its label, also when it is fetched again", () => {
    using home = openTestMarket();
    const fetched = [of(2025, 1, "2025-03-31", 4), of(2025, 2, "2025-06-30", 5)];
    const put = (source: string, ...records: Statement[]) =>
      home.market.put("statements", records, { source, storedAt: SAMPLE.storedAt });
    put("import", of(2025, 1, "2024-06-30", 1));
    for (let i = 0; i < 2; i++) {
      put("yahoo", ...fetched);
      expect(shown(home.market.statements.list(KEY))).toEqual([
        [2025, 1, "2024-06-30", 1],
        [2024, 5, "2025-03-31", 4],
        [2025, 2, "2025-06-30", 5],
      ]);
    }
  });

  test("has a quarter once that is imported under another label than its source gives", () => {
    using home = openTestMarket();
    const put = (source: string, ...records: Statement[]) =>
      home.market.put("statements", records, { source, storedAt: SAMPLE.storedAt });
    // Labels of the calendar; the company's own year ends in September.
    put("import", of(2024, 4, "2024-12-31", 124), of(2025, 1, "2025-03-31", 95));
    put("yahoo", of(2025, 1, "2024-12-28", 124), of(2025, 2, "2025-03-29", 95));
    expect(shown(home.market.statements.list(KEY))).toEqual([
      [2024, 4, "2024-12-31", 124],
      [2025, 2, "2025-03-29", 95],
      [2025, 1, "2025-03-31", 95],
    ]);
  });

  test("has one imported statement of a label whose date the operator corrects", () => {
    using home = openTestMarket();
    const put = (...records: Statement[]) =>
      home.market.put("statements", records, { source: "import", storedAt: SAMPLE.storedAt });
    put(of(2024, 1, "2023-03-31", 1), of(2024, 2, "2024-06-30", 2));
    put(of(2024, 1, "2024-03-31", 1), of(2024, 2, "2024-06-30", 2));
    expect(shown(home.market.statements.list(KEY))).toEqual([
      [2024, 1, "2024-03-31", 1],
      [2024, 2, "2024-06-30", 2],
    ]);
  });

  test("has one statement of a period whose last day is corrected by days", () => {
    expect(afterEach([of(2025, 1, "2024-06-30", 1)], [of(2025, 1, "2024-06-29", 1)])[1]).toEqual([
      [2025, 1, "2024-06-29", 1],
    ]);
  });

  test("keeps the figures that a period had before, with its new label", () => {
    using home = openTestMarket();
    const put = (day: string, ...records: Statement[]) =>
      home.market.put("statements", records, { source: "yahoo", storedAt: Date.parse(day) });
    put("2026-03-01", of(2025, 1, "2024-06-30", 1));
    put("2026-04-01", of(2025, 1, "2024-06-30", 10));
    put("2026-05-01", of(2025, 1, "2025-03-31", 4));
    put("2026-05-01", of(2024, 5, "2024-06-30", 10));
    expect(shown(home.market.statements.listFiled(KEY))).toEqual([
      [2024, 5, "2024-06-30", 1],
      [2024, 5, "2024-06-30", 10],
      [2025, 1, "2025-03-31", 4],
    ]);
  });
});

describe("restated statements", () => {
  const AAPL = { country: "US", symbol: "AAPL" } as const;
  const year = {
    span: "year",
    fiscalQuarter: 4,
    periodEnd: "2025-09-27",
    fiscalYear: 2025,
  } as const;
  const on = (day: string, source = "feed") => ({ source, storedAt: Date.parse(`${day}T12:00Z`) });
  const first = statement({ ...year, filedOn: "2025-10-30" }, { revenue: 100, netIncome: 20 });
  const filings = ({ market }: TestMarket) =>
    market.statements
      .listFiled(AAPL)
      .map(({ filedOn, accession, items }) => [filedOn, accession, items.revenue, items.netIncome]);

  test("keep the figures that they had; a screen has the newest ones", () => {
    using home = openTestMarket();
    const { market } = home;
    market.put("statements", [first], on("2025-11-01"));
    expect(filings(home)).toEqual([["2025-10-30", null, 100, 20]]);
    // The source does not say when it was restated: on the day when we learn of it at the latest.
    const restated = { ...first, items: { ...first.items, revenue: 90 } };
    market.put("statements", [restated], on("2026-02-10"));
    market.put("statements", [restated], on("2026-02-11"));
    // A source that dates the restatement.
    const again = { ...restated, filedOn: "2026-05-02", items: { ...first.items, revenue: 80 } };
    market.put("statements", [again], on("2026-06-01"));
    expect(filings(home)).toEqual([
      ["2025-10-30", null, 100, 20],
      ["2026-02-10", null, 90, 20],
      ["2026-05-02", null, 80, 20],
    ]);
    const [stored, ...others] = market.statements.list(AAPL);
    expect([others, stored?.filedOn, stored?.items.revenue]).toEqual([[], "2026-05-02", 80]);
  });

  test("are not those with more items, other shares, or of another source or generator", () => {
    using home = openTestMarket();
    const { market } = home;
    const changed = (items: Partial<Statement["items"]>) => ({
      ...first,
      items: { ...first.items, ...items },
    });
    market.put("statements", [first], on("2025-11-01"));
    market.put("statements", [changed({ inventory: 5, epsDiluted: 2 })], on("2025-12-01"));
    market.put("statements", [changed({ epsDiluted: 1 })], on("2025-12-02"));
    market.put("statements", [changed({ revenue: 7 })], on("2025-12-03", "other"));
    market.put("statements", [changed({ revenue: 8 })], on("2025-12-04", "other"), {
      country: null,
    });
    expect(filings(home)).toEqual([["2025-10-30", null, 8, 20]]);
  });

  test("of a source with filings replace all that it gave; imported ones go with their import", () => {
    using home = openTestMarket();
    const { market } = home;
    const { items: _, ...period } = first;
    const vintage = (filedOn: string, revenue: number | null) => ({
      ...period,
      filedOn,
      accession: `0000320193-25-${filedOn.slice(8)}`,
      items: revenue === null ? null : { ...first.items, revenue },
    });
    market.put("statementVintages", [vintage("2025-10-01", 1)], on("2025-11-01"));
    const given = [vintage("2025-10-30", 120), vintage("2026-01-20", null)];
    market.put("statementVintages", given, on("2026-02-01"));
    market.put("statements", [first], on("2026-02-01"));
    // The source says itself what it restated.
    market.put(
      "statements",
      [{ ...first, items: { ...first.items, netIncome: 21 } }],
      on("2026-02-02"),
    );
    expect(filings(home)).toEqual([
      ["2025-10-30", "0000320193-25-30", 120, 20],
      ["2026-01-20", "0000320193-25-20", 100, 21],
    ]);
    const own = { ...first, symbol: "OWN" };
    market.put("statements", [own], on("2025-11-01", "import"));
    market.put(
      "statements",
      [{ ...own, items: { ...own.items, revenue: 9 } }],
      on("2025-11-02", "import"),
    );
    const key = { kind: "statements", country: "US", key: "OWN" } as const;
    expect(market.statements.listFiled(own)).toHaveLength(2);
    market.transaction(() => market.imported.remove([key]));
    market.put("statements", [own], on("2025-11-03", "import"));
    expect(market.statements.listFiled(own)).toHaveLength(1);
  });

  test("go with the statements that a list or another source replaces", () => {
    const { items: _, ...period } = first;
    const current = { ...period, accession: "0000320193-25-30", items: null };
    const restated = { ...first, filedOn: "2026-10-30", items: { ...first.items, revenue: 70 } };
    const putOwn = ({ market }: TestMarket) =>
      market.transaction(() => {
        market.put("statements", [first], on("2025-11-01"));
        market.put("statementVintages", [current], on("2025-11-01"));
        const key = { kind: "statements", country: "US", symbol: "AAPL" } as const;
        market.fetches.recordSuccess("feed", key, on("2025-11-01").storedAt, 1);
      });
    using listed = openTestMarket();
    putOwn(listed);
    // A list with a newer year replaces the outdated statements of the company.
    const newer = { ...restated, fiscalYear: 2026, periodEnd: "2026-09-26" };
    listed.market.transaction(() =>
      listed.market.put("statements", [restated, newer], on("2026-11-01"), { country: "US" }),
    );
    // The figures of 2026 were not in the filing of 2025.
    expect(filings(listed)).toEqual([
      ["2026-10-30", null, 70, 20],
      ["2026-10-30", null, 70, 20],
    ]);
    using changed = openTestMarket();
    putOwn(changed);
    changed.market.put("statements", [first], on("2026-01-01", "other"));
    changed.market.put("statements", [restated], on("2026-11-01"));
    expect(filings(changed)).toEqual([["2026-10-30", null, 70, 20]]);
  });

  test("are in the shares of the day that is asked for", () => {
    using home = openTestMarket();
    const { market } = home;
    const before = statement(
      { ...year, filedOn: "2025-10-30", sharesAsOf: "2025-10-30" },
      { epsDiluted: 6, netIncome: 60 },
    );
    const after = statement(
      { ...year, filedOn: "2025-10-30", sharesAsOf: "2026-03-01" },
      { epsDiluted: 0.5, netIncome: 50 },
    );
    market.put("statements", [before], on("2025-11-01"));
    market.put("statements", [after], on("2026-03-01"));
    const split = { exDate: "2026-01-05", numerator: 10, denominator: 1 };
    market.put("splits", [{ ...AAPL, splits: [split] }], on("2026-03-01"));
    const eps = (day?: string) =>
      market.statements.listFiled(AAPL, day).map(({ items }) => items.epsDiluted);
    // 6 / 10, and 0.5 · 10 before the split.
    expect(eps()).toEqual([0.6, 0.5]);
    expect(eps("2026-01-04")).toEqual([6, 5]);
    expect(eps("2026-01-05")).toEqual([0.6, 0.5]);
  });
});
