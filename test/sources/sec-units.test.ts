import { describe, expect, test } from "bun:test";
import type { StatementItem } from "#domain/statement.ts";
import { companyStatements } from "#sources/sec/company-statements.ts";
import { companiesInFrames, readFrame } from "#sources/sec/frames.ts";
import { secStatements } from "#sources/sec/statements.ts";
import { fakeFacts, type FakeFact, findStatement, secQuery } from "../support/company-facts.ts";
import { ingested } from "../support/fetcher.ts";
import { framesOf } from "../support/played-frames.ts";
import type { SecFacts } from "../support/played-statements.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

/** The usual amounts of a quarter, in dollars; one year is four times as much. */
const FLOWS = {
  Revenues: 1_000e6,
  CostOfRevenue: 600e6,
  NetIncomeLoss: 100e6,
  NetCashProvidedByUsedInOperatingActivities: 120e6,
};
const SHEET = { Assets: 5_000e6, Liabilities: 3_000e6, StockholdersEquity: 2_000e6 };
const PER_SHARE = {
  EarningsPerShareDiluted: 1,
  WeightedAverageNumberOfDilutedSharesOutstanding: 100e6,
};
type Tag = keyof typeof FLOWS | keyof typeof SHEET | keyof typeof PER_SHARE;
const SHARES: Tag = "WeightedAverageNumberOfDilutedSharesOutstanding";
const MONEY: readonly Tag[] = [...Object.keys(FLOWS), ...Object.keys(SHEET)] as Tag[];

/** A fiscal quarter by the number of its 10-Q or 10-K since the first quarter of 2023. */
const endOf = (n: number) =>
  `${2023 + Math.floor(n / 4)}-${["03-31", "06-30", "09-30", "12-31"][n % 4]}`;
const filedOf = (n: number) =>
  `${2023 + Math.floor((n + 1) / 4)}-${["05-10", "08-09", "11-09", "02-09"][n % 4]}`;

interface Change {
  /** The number of the filing. */
  readonly filing: number;
  readonly factor: number;
  readonly tags: readonly Tag[];
  /** True if only the period of the filing changes, not the year before: the business did. */
  readonly isReal?: boolean;
}

/**
 * Facts of a company whose filings state the quarter, the year to date, the balance sheet, and the same of the year
 * before. Amounts of changed filings are multiplied.
 */
function factsOf(filings: number, changes: readonly Change[]) {
  const tags: Record<string, FakeFact[]> = {};
  const state = (tag: Tag, n: number, start: string | null, end: string, value: number) => {
    const isOwn = end === endOf(n);
    const factor = changes.findLast(
      (one) => one.filing === n && one.tags.includes(tag) && (isOwn || !one.isReal),
    )?.factor;
    const form = n % 4 === 3 ? "10-K" : "10-Q";
    (tags[tag] ??= []).push([start, end, value * (factor ?? 1), filedOf(n), form]);
  };
  for (let n = 0; n < filings; n++)
    for (const of of n >= 4 ? [n - 4, n] : [n]) {
      const quarters = (of % 4) + 1;
      const [year, end] = [endOf(of).slice(0, 4), endOf(of)];
      const start = `${year}-${["01-01", "04-01", "07-01", "10-01"][of % 4]}`;
      for (const [tag, value] of Object.entries(FLOWS) as [Tag, number][]) {
        if (quarters < 4) state(tag, n, start, end, value);
        if (quarters > 1) state(tag, n, `${year}-01-01`, end, value * quarters);
      }
      for (const [tag, value] of Object.entries(PER_SHARE) as [Tag, number][]) {
        const isCount = tag.startsWith("Weighted");
        if (quarters < 4) state(tag, n, start, end, value);
        if (quarters > 1) state(tag, n, `${year}-01-01`, end, isCount ? value : value * quarters);
      }
      for (const [tag, value] of Object.entries(SHEET) as [Tag, number][])
        state(tag, n, null, end, value);
    }
  return fakeFacts(tags);
}

function withoutEps(all: ReturnType<typeof factsOf>) {
  delete all.facts["us-gaap"]?.["EarningsPerShareDiluted"];
  return all;
}

const read = (facts: unknown) =>
  ingested(
    "statements",
    secStatements,
    { own: facts, predecessor: null },
    secQuery("FAKE", Date.UTC(2026, 10, 28)),
  );
/** The items of a quarter that differ from the right ones. */
const itemsOf = (
  facts: unknown,
  year: number,
  quarter: number,
  items: readonly StatementItem[],
) => {
  const { items: found } = findStatement(read(facts).records, "quarter", year, quarter);
  return items.map((item) => found[item]);
};
const MAIN = ["revenue", "netIncome", "totalAssets", "epsDiluted", "sharesDiluted"] as const;
const RIGHT = [1_000e6, 100e6, 5_000e6, 1, 100e6];

/** The statements that the frames of a company's facts give on 2025-03-01. */
function inFrames(facts: unknown) {
  const frames = [...framesOf([facts as SecFacts])].map(([path, data]) => {
    const [tag = "", unit = "", period = ""] = path.split("/");
    const frame = { tag, unit: unit.replace("-per-", "/"), period };
    return readFrame(frame, { data }, new Map([[1, 0]]));
  });
  const company = companiesInFrames(frames, 1, "2025-03-01").next().value;
  return company ? companyStatements([company], "FAKE", null) : [];
}

test("revenue in the frames is the larger of two amounts, too", () => {
  const quarters = ["03-31", "06-30", "09-30"].map((end, i) => [`0${3 * i + 1}-01`, end] as const);
  const of = (quarter: number): FakeFact[] => [
    ...quarters.map(([start, end]): FakeFact => [
      `2024-${start}`,
      `2024-${end}`,
      quarter,
      "2024-12-01",
    ]),
    ["2024-01-01", "2024-12-31", 4 * quarter, "2025-02-20"],
  ];
  const statements = inFrames(
    fakeFacts({
      Assets: [[null, "2024-12-31", 5_000, "2025-02-20"]],
      RevenueFromContractWithCustomerExcludingAssessedTax: of(450),
      RevenuesNetOfInterestExpense: of(900),
    }),
  );
  expect(
    [2, 4].map((quarter) => findStatement(statements, "quarter", 2024, quarter).items.revenue),
  ).toEqual([900, 900]);
});

describe("a filing in another unit", () => {
  // 1,000 / 1,000,000 dollars for one; either way.
  for (const factor of [1e-3, 1e-6, 1e3]) {
    test(`(${factor}) has no amounts; figures per share and other quarters stay`, () => {
      const facts = factsOf(7, [{ filing: 6, factor, tags: MONEY }]);
      expect(itemsOf(facts, 2024, 3, MAIN)).toEqual([null, null, null, 1, 100e6]);
      expect(itemsOf(facts, 2024, 2, MAIN)).toEqual(RIGHT);
      // It states the third quarter of 2023 too, in its unit: the value of 2023 stays.
      expect(itemsOf(facts, 2023, 3, MAIN)).toEqual(RIGHT);
      const { leftOut, reason } = read(facts);
      expect([leftOut, reason]).toEqual([
        1,
        expect.stringMatching(
          /^sec: FAKE, \w+ \S+ of 2024-09-30 in \S+ is about \S+ (of|times) its neigh/,
        ),
      ]);
    });
  }

  test("gives no fourth quarter, which would be the year less nine months in thousands", () => {
    const facts = factsOf(8, [{ filing: 6, factor: 1e-3, tags: MONEY }]);
    // 4,000 − 3 million.
    expect(itemsOf(facts, 2024, 4, ["revenue", "netIncome"])).toEqual([null, null]);
    expect(itemsOf(facts, 2024, 4, ["totalAssets"])).toEqual([5_000e6]);
    expect(findStatement(read(facts).records, "year", 2024).items.revenue).toBe(4_000e6);
    // The report of the next year states the third quarter again.
    expect(itemsOf(factsOf(12, [{ filing: 6, factor: 1e-3, tags: MONEY }]), 2024, 4, MAIN)).toEqual(
      [...RIGHT.slice(0, 4), null],
    );
  });

  test("with its numbers of shares has neither", () => {
    const tags = [...MONEY, SHARES];
    const facts = factsOf(7, [{ filing: 6, factor: 1e-3, tags }]);
    expect(itemsOf(facts, 2024, 3, MAIN)).toEqual([null, null, null, 1, null]);
  });

  test.if(hasRecordings)("of Marvell leaves right figures or none, whichever filing it is", () => {
    const usual = read(recordedJson("real-2/MRVL.json.gz")).records;
    for (const filed of ["2024-03-13", "2024-08-30", "2025-03-12", "2025-12-03"]) {
      const facts = recordedJson("real-2/MRVL.json.gz") as Pick<SecFacts, "facts">;
      for (const { units } of Object.values(facts.facts["us-gaap"] ?? {}))
        for (const fact of units["USD"] ?? [])
          if (fact.filed === filed) Object.assign(fact, { val: fact.val / 1_000 });
      const { records, leftOut } = read(facts);
      expect([filed, leftOut]).toEqual([filed, 1]);
      for (const { span, fiscalYear, fiscalQuarter, items } of records) {
        const right = findStatement(usual, span, fiscalYear, fiscalQuarter).items;
        for (const item of ["revenue", "netIncome", "totalAssets", "operatingCashFlow"] as const)
          // A figure that was restated later may have its first value.
          if (items[item] !== null)
            expect([filed, item, Math.round(items[item] / (right[item] ?? 0))]).toEqual([
              filed,
              item,
              1,
            ]);
      }
    }
  });

  test("in one tag only loses that tag", () => {
    const one = (tags: readonly Tag[], filings: number, factor = 1e-3) =>
      itemsOf(factsOf(filings, [{ filing: 5, factor, tags }]), 2024, 2, MAIN);
    expect(one(["NetIncomeLoss"], 6)).toEqual([1_000e6, null, 5_000e6, 1, 100e6]);
    // Nothing but the later reports shows it.
    expect(one(["Assets"], 8)).toEqual([1_000e6, 100e6, null, 1, 100e6]);
    expect(one(["Revenues"], 8)).toEqual([null, 100e6, 5_000e6, 1, 100e6]);
    expect(one(["Revenues"], 8, 1e3)).toEqual([null, 100e6, 5_000e6, 1, 100e6]);
  });

  test("has none in the frames either, which name no filing", () => {
    const facts = factsOf(8, [{ filing: 6, factor: 1e-3, tags: MONEY, isReal: true }]);
    const statements = inFrames(facts);
    const of = (quarter: number) => {
      const { revenue, netIncome, totalAssets } = findStatement(
        statements,
        "quarter",
        2024,
        quarter,
      ).items;
      return [revenue, netIncome, totalAssets];
    };
    expect(of(2)).toEqual([1_000e6, 100e6, 5_000e6]);
    expect(of(3)).toEqual([null, null, null]);
    // The year less three quarters.
    expect(of(4)).toEqual([null, null, 5_000e6]);
  });

  test("in its own column only has none, though it repeats the amounts of the year before", () => {
    const change = { filing: 7, factor: 1e-3, tags: MONEY, isReal: true };
    for (const facts of [factsOf(8, [change]), withoutEps(factsOf(8, [change]))]) {
      // 4 − 3,000 million without EPS: the year has less revenue than nine months.
      const last = read(facts).records.filter(({ periodEnd }) => periodEnd === "2024-12-31");
      for (const { items } of last)
        expect([items.revenue, items.netIncome, items.totalAssets]).toEqual([null, null, null]);
      expect(itemsOf(facts, 2023, 4, MAIN.slice(0, 3))).toEqual(RIGHT.slice(0, 3));
    }
  });

  test("twice in a row loses both", () => {
    const changes = [5, 6].map((filing) => ({ filing, factor: 1e-3, tags: MONEY }));
    const facts = factsOf(7, changes);
    for (const quarter of [2, 3])
      expect(itemsOf(facts, 2024, quarter, MAIN)).toEqual([null, null, null, 1, 100e6]);
    expect(itemsOf(facts, 2024, 1, MAIN)).toEqual(RIGHT);
  });
});

describe("amounts that really change stay", () => {
  test("if net income / (EPS × shares) is 1: a company that shrinks to a thousandth", () => {
    // 0.1 million for a million shares after a reverse split are 0.1 a share.
    const facts = factsOf(7, [
      { filing: 6, factor: 1e-3, tags: MONEY, isReal: true },
      { filing: 6, factor: 0.1, tags: ["EarningsPerShareDiluted"], isReal: true },
      { filing: 6, factor: 1e-2, tags: [SHARES], isReal: true },
    ]);
    expect(itemsOf(facts, 2024, 3, ["revenue", "netIncome", "totalAssets"])).toEqual([
      1e6, 0.1e6, 5e6,
    ]);
  });

  test("if EPS of 0.00 shows no income in thousands: 1.00 a share", () => {
    const facts = factsOf(7, [
      { filing: 6, factor: 1e-3, tags: MONEY, isReal: true },
      { filing: 6, factor: 0, tags: ["EarningsPerShareDiluted"], isReal: true },
    ]);
    expect(itemsOf(facts, 2024, 3, MAIN)).toEqual([1e6, 0.1e6, 5e6, 0, 100e6]);
  });

  // A shell company that takes over a business, one that sells it, and a shell company before it sells its shares.
  test.each([1e3, 1e-3])(
    "(%p) if the filing repeats the amounts of before, without EPS",
    (factor) => {
      const facts = withoutEps(factsOf(5, [{ filing: 4, factor, tags: MONEY, isReal: true }]));
      expect(itemsOf(facts, 2024, 1, MAIN.slice(0, 3))).toEqual(
        RIGHT.slice(0, 3).map((right) => right * factor),
      );
    },
  );

  test("in the frames if two quarters next to it are as large: a shell company that takes over a business", () => {
    const changes = [4, 5, 6].map((filing) => ({ filing, factor: 1e3, tags: MONEY, isReal: true }));
    const statements = inFrames(withoutEps(factsOf(7, changes)));
    const revenues = [1, 2, 3].map(
      (quarter) => findStatement(statements, "quarter", 2024, quarter).items.revenue,
    );
    expect(revenues).toEqual([1e12, 1e12, 1e12]);
    const { revenue } = findStatement(statements, "quarter", 2023, 2).items;
    expect(revenue).toBe(1_000e6);
  });

  test("if income follows a quarter without revenue", () => {
    // A loss of 300 million beside a thousandth of the revenue: it fell by 400 of 999 million.
    const facts = factsOf(8, [
      { filing: 5, factor: 1e-3, tags: ["Revenues"], isReal: true },
      { filing: 5, factor: -3, tags: ["NetIncomeLoss", "EarningsPerShareDiluted"], isReal: true },
    ]);
    expect(itemsOf(facts, 2024, 2, ["revenue", "netIncome"])).toEqual([1e6, -300e6]);
  });

  test.if(hasRecordings)("of Apple, Alphabet, Marvell and Tesla all do", () => {
    for (const path of [
      "sec/companyfacts_CIK0000320193.json",
      "real-2/GOOGL.json.gz",
      "real-2/MRVL.json.gz",
      "real-2/TSLA.json.gz",
    ])
      expect([path, read(recordedJson(path)).leftOut]).toEqual([path, 0]);
  });
});
