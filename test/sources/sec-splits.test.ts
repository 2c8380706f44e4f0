import { describe, expect, test } from "bun:test";
import { knownStatements, ttm } from "#analytics/ttm.ts";
import type { Split } from "#domain/split.ts";
import type { Statement } from "#domain/statement.ts";
import { fakeFacts, type FakeFact, findStatement, statementsOf } from "../support/company-facts.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

/** The answer as the SEC gave it on an earlier day: without what was filed later. */
function cutAt(raw: ReturnType<typeof fakeFacts>, day: string) {
  for (const taxonomy of Object.values(raw.facts))
    for (const { units } of Object.values(taxonomy))
      for (const [unit, facts] of Object.entries(units))
        units[unit] = facts.filter(({ filed }) => filed <= day);
  return raw;
}

const epsOf = (statements: readonly Statement[], year: number, quarter?: number) =>
  quarter === undefined
    ? findStatement(statements, "year", year).items.epsDiluted
    : findStatement(statements, "quarter", year, quarter).items.epsDiluted;

const split = (exDate: string, numerator: number, denominator = 1): Split => ({
  exDate,
  numerator,
  denominator,
});

describe.skipIf(!hasRecordings)("recorded companies", () => {
  const read = (name: string, day = "9999-12-31", splits?: readonly Split[]) =>
    statementsOf(cutAt(recordedJson(`real-2/${name}.json.gz`), day), name, {
      ...(splits && { splits }),
    });

  // Alphabet's 10-K: 2022 as restated after 20 for 1 (2021: 5.61, 2020: 2.93), before it 49.16 (2019) and
  // 43.70 (2018), a twentieth of which is 2.458 and 2.185. It states shares by class only until 2022.
  test("Alphabet's earnings per share are in the shares after 20 for 1, which only retold EPS show", () => {
    const statements = read("GOOGL");
    expect(epsOf(statements, 2018)).toBeCloseTo(43.7 / 20, 4);
    expect(epsOf(statements, 2019)).toBeCloseTo(49.16 / 20, 4);
    expect(epsOf(statements, 2020)).toBe(2.93);
    expect(epsOf(statements, 2021)).toBe(5.61);
    // 26.29 and 27.26, of which the second was retold.
    expect(epsOf(statements, 2021, 1)).toBeCloseTo(26.29 / 20, 4);
    expect(epsOf(statements, 2021, 2)).toBe(1.36);
  });

  test.each([[undefined], [[split("2014-04-03", 2), split("2022-07-18", 20)]]])(
    "Alphabet as it was known in November 2022, with splits %j",
    (splits) => {
      const statements = read("GOOGL", "2022-11-15", splits);
      // 30.69 / 20 + 24.62 / 20 + 1.21 + 1.06, up to the rounding of a derived quarter.
      const { current } = ttm(knownStatements(statements, "2022-11-15"), "epsDiluted");
      expect(Math.abs((current ?? 0) - 5.03)).toBeLessThan(0.01);
      for (const { span, items } of statements)
        if (span === "quarter") expect(Math.abs(items.epsDiluted ?? 0)).toBeLessThan(2);
    },
  );

  test("Tesla's splits of 5 for 1 and 3 for 1", () => {
    const statements = read("TSLA");
    // 10-K: −4.92 in 2019, −5.72 in 2018 (restated as −1.14 after 5 for 1), 4.90 in 2021.
    expect(epsOf(statements, 2019)).toBeCloseTo(-4.92 / 15, 2);
    expect(epsOf(statements, 2018)).toBeCloseTo(-5.72 / 15, 2);
    expect(epsOf(statements, 2021)).toBeCloseTo(4.9 / 3, 4);
    expect(epsOf(statements, 2022, 3)).toBe(0.95);
    // Cover pages: 181,341,586 shares in February 2020, 3,157,752,449 in October 2022.
    const shares = (year: number) =>
      findStatement(statements, "year", year).items.sharesOutstanding;
    expect(shares(2019)).toBe(181_341_586 * 15);
    expect(findStatement(statements, "quarter", 2022, 3).items.sharesOutstanding).toBe(
      3_157_752_449,
    );
  });

  test("a split since the last filing is left to the record", () => {
    // Tesla filed on 25 July 2022 and split on 25 August.
    const statements = read("TSLA", "2022-08-01", [split("2020-08-31", 5), split("2022-08-25", 3)]);
    expect(epsOf(statements, 2021)).toBe(4.9);
    expect(new Set(statements.map(({ sharesAsOf }) => sharesAsOf))).toEqual(
      new Set(["2022-07-25"]),
    );
  });
});

/** Earnings of 1,000 a quarter on these shares. */
interface Told {
  readonly filed: string;
  readonly form: "10-K" | "10-Q";
  /** Period ends with the EPS and the shares that the filing states. */
  readonly periods: readonly [start: string, end: string, income: number, shares: number][];
}

function company(filings: readonly Told[], hasCounts = true) {
  const tags: Record<string, FakeFact[]> = {
    Assets: [[null, filings[0]?.periods[0]?.[1] ?? "", 500, filings[0]?.filed ?? ""]],
    NetIncomeLoss: [],
    EarningsPerShareBasic: [],
    EarningsPerShareDiluted: [],
    ...(hasCounts && {
      WeightedAverageNumberOfSharesOutstandingBasic: [],
      WeightedAverageNumberOfDilutedSharesOutstanding: [],
    }),
  };
  for (const { filed, form, periods } of filings)
    for (const [start, end, income, shares] of periods) {
      const fact = (value: number): FakeFact => [
        start,
        end,
        value,
        filed,
        form,
        Number(filed.slice(0, 4)) - (form === "10-K" ? 1 : 0),
        form === "10-K" ? "FY" : "Q1",
      ];
      tags["NetIncomeLoss"]?.push(fact(income));
      tags["EarningsPerShareBasic"]?.push(fact(Math.round((100 * income) / shares) / 100));
      tags["EarningsPerShareDiluted"]?.push(fact(Math.round((100 * income) / shares) / 100));
      tags["WeightedAverageNumberOfSharesOutstandingBasic"]?.push(fact(shares));
      tags["WeightedAverageNumberOfDilutedSharesOutstanding"]?.push(fact(shares));
    }
  return fakeFacts(tags);
}

const YEAR = (year: number): [string, string] => [`${year}-01-01`, `${year}-12-31`];
const QUARTER = (year: number): [string, string] => [`${year}-01-01`, `${year}-03-31`];
const annual = (
  year: number,
  filed: string,
  ...told: [year: number, income: number, shares: number][]
): Told => ({
  filed: filed || `${year + 1}-02-20`,
  form: "10-K",
  periods: told.map(([of, income, shares]) => [...YEAR(of), income, shares]),
});
const quarterly = (
  filed: string,
  ...told: [year: number, income: number, shares: number][]
): Told => ({
  filed,
  form: "10-Q",
  periods: told.map(([of, income, shares]) => [...QUARTER(of), income, shares]),
});

describe("a split that filings retell", () => {
  test.each([
    ["10 for 1", 1_000, 10],
    ["3 for 2", 1_000, 1.5],
    ["1 for 10", 1_000, 0.1],
    ["1 for 25", 1_000, 0.04],
    ["a stock dividend of 10 %", 100_000, 1.1],
  ])("%s adjusts older figures that were never retold", (_, income, ratio) => {
    const [before, after] = [1_000, 1_000 * ratio];
    const statements = statementsOf(
      company([
        annual(2021, "", [2021, income, before]),
        annual(2022, "", [2022, income, before]),
        quarterly("2023-05-01", [2023, income / 4, before], [2022, income / 4, before]),
        annual(2023, "", [2023, income, after], [2022, income, after]),
      ]),
    );
    expect(epsOf(statements, 2021)).toBeCloseTo(income / after, 2);
    expect(epsOf(statements, 2022)).toBeCloseTo(income / after, 2);
    expect(epsOf(statements, 2023, 1)).toBeCloseTo(income / 4 / after, 2);
    expect(findStatement(statements, "year", 2021).items.sharesDiluted).toBeCloseTo(after, 6);
  });

  test("without share counts, earnings per share of two tags and unchanged net income prove it", () => {
    const statements = statementsOf(
      company(
        [
          annual(2022, "", [2022, 58_610, 1_000]),
          annual(2023, "", [2023, 60_000, 20_000], [2022, 58_610, 20_000]),
          annual(2021, "2022-02-20", [2021, 49_160, 1_000]),
        ],
        false,
      ),
    );
    expect(epsOf(statements, 2021)).toBeCloseTo(2.458, 4);
  });

  test("a restatement of earnings is none, small or large", () => {
    for (const retold of [2_950, 1_465, 5_860]) {
      const statements = statementsOf(
        company([
          annual(2021, "", [2021, 2_000, 1_000]),
          annual(2022, "", [2022, 2_930, 1_000]),
          annual(2023, "", [2023, 3_000, 1_000], [2022, retold, 1_000]),
        ]),
      );
      expect(epsOf(statements, 2021)).toBe(2);
      expect(epsOf(statements, 2022)).toBe(Math.round(retold / 10) / 100);
    }
  });

  test("two periods that are repeated unchanged refute it", () => {
    const statements = statementsOf(
      company([
        annual(2020, "", [2020, 2_000, 1_000]),
        annual(2021, "", [2021, 2_000, 1_000], [2020, 2_000, 1_000]),
        // A mistake in one column: 2,000 shares instead of 1,000.
        annual(2022, "", [2022, 2_000, 1_000], [2021, 2_000, 2_000], [2020, 2_000, 1_000]),
      ]),
    );
    expect(epsOf(statements, 2020)).toBe(2);
  });

  test("a recapitalisation without a simple ratio leaves out what was not retold", () => {
    // Logistic Properties of the Americas: 0.048 and 0.019 became 0.28 and 0.11, 2021 was not retold.
    const eps = (value: number, year: number, filed: string): FakeFact => [
      ...YEAR(year),
      value,
      filed,
      "10-K",
      2023,
    ];
    const income = [2021, 2022, 2023].flatMap((year): FakeFact[] => [
      [...YEAR(year), 5_000, "2024-04-26"],
      [...YEAR(year), 5_000, "2025-04-02"],
    ]);
    const statements = statementsOf(
      fakeFacts({
        Assets: [[null, "2024-12-31", 500, "2025-04-02"]],
        NetIncomeLoss: income,
        EarningsPerShareDiluted: [
          eps(0.025, 2021, "2024-04-26"),
          eps(0.048, 2022, "2024-04-26"),
          eps(0.28, 2022, "2025-04-02"),
          eps(0.019, 2023, "2024-04-26"),
          eps(0.11, 2023, "2025-04-02"),
        ],
      }),
    );
    expect([2021, 2022, 2023].map((year) => epsOf(statements, year))).toEqual([null, 0.28, 0.11]);
  });
});

describe("a recorded split", () => {
  const filings = [
    annual(2022, "", [2022, 10_000, 1_000]),
    annual(2023, "", [2023, 12_000, 1_000], [2022, 10_000, 1_000]),
  ];
  const asOf = (statements: readonly Statement[]) =>
    [...new Set(statements.map(({ sharesAsOf }) => sharesAsOf))].join();

  test("that no filing retells is applied to the filings before its ex-date", () => {
    const [first] = filings;
    const later = annual(2023, "", [2023, 12_000, 10_000]);
    const known = { splits: [split("2023-06-10", 10)] };
    const statements = statementsOf(company([first as Told, later]), "FAKE", known);
    expect([epsOf(statements, 2022), epsOf(statements, 2023)]).toEqual([1, 1.2]);
    expect(asOf(statements)).toBe("2024-02-20");
  });

  test("after the last filing is not applied here", () => {
    const known = { splits: [split("2024-06-10", 10)] };
    const statements = statementsOf(company(filings), "FAKE", known);
    expect(epsOf(statements, 2023)).toBe(12);
    expect(asOf(statements)).toBe("2024-02-20");
  });

  test("that a filing retells before its ex-date is not applied again (SAB Topic 4.C)", () => {
    const announced = annual(2023, "", [2023, 12_000, 10_000], [2022, 10_000, 10_000]);
    const raw = company([filings[0] as Told, announced]);
    const statements = statementsOf(raw, "FAKE", { splits: [split("2024-03-05", 10)] });
    expect([epsOf(statements, 2022), epsOf(statements, 2023)]).toEqual([1, 1.2]);
    expect(asOf(statements)).toBe("2024-03-05");
    // Before the split is recorded, the date leaves room for its ex-date.
    expect(asOf(statementsOf(raw)) > "2024-03-05").toBe(true);
  });

  test("that a filing soon after it does not use yet is left for later", () => {
    const known = { splits: [split("2024-02-15", 10)] };
    const statements = statementsOf(company(filings), "FAKE", known);
    expect(epsOf(statements, 2023)).toBe(12);
    expect(asOf(statements)).toBe("2024-02-14");
  });

  test.each([
    // General Electric on 4 January 2023, GE HealthCare: price histories list spin-offs as splits.
    ["the odd ratio of a spin-off", split("2023-04-04", 1_281, 1_000)],
    ["the odd ratio of a spin-off, soon after it", split("2024-02-15", 1_281, 1_000)],
    ["a simple ratio that filings of later quarters refute", split("2023-04-04", 2)],
  ])("is ignored: %s", (_, record) => {
    const statements = statementsOf(company(filings), "FAKE", { splits: [record] });
    expect([epsOf(statements, 2022), epsOf(statements, 2023)]).toEqual([10, 12]);
    expect(asOf(statements)).toBe("2024-02-20");
  });

  test("dates a retelling whose ratio is not clear from small figures", () => {
    // 0.04 became 0.01: between 2.3 and 9 for 1.
    const raw = company(
      [
        annual(2021, "", [2021, 4_000, 1_000]),
        annual(2022, "", [2022, 40, 1_000]),
        annual(2023, "", [2023, 50, 4_000], [2022, 40, 4_000]),
      ],
      false,
    );
    const statements = statementsOf(raw, "FAKE", { splits: [split("2023-06-10", 4)] });
    expect(epsOf(statements, 2021)).toBe(1);
  });
});

describe("a derived fourth quarter", () => {
  const quarters = (eps: number[], income: number[], shares: number[] = []) => {
    const ends = ["03-31", "06-30", "09-30", "12-31"];
    const starts = ["01-01", "04-01", "07-01", "01-01"];
    const facts = (values: number[]) =>
      values.map((value, i): FakeFact => [
        `2024-${starts[i]}`,
        `2024-${ends[i]}`,
        value,
        ["2024-05-01", "2024-08-01", "2024-11-01", "2025-02-20"][i] ?? "",
        i === 3 ? "10-K" : "10-Q",
        2024,
        i === 3 ? "FY" : `Q${i + 1}`,
      ]);
    return statementsOf(
      fakeFacts({
        Assets: [[null, "2024-12-31", 500, "2025-02-20"]],
        Revenues: facts([1, 1, 1, 4]),
        EarningsPerShareDiluted: facts(eps),
        ...(income.length > 0 && { NetIncomeLoss: facts(income) }),
        ...(shares.length > 0 && {
          WeightedAverageNumberOfDilutedSharesOutstanding: facts(shares),
        }),
      }),
    );
  };

  // Alphabet, 2024, in millions.
  const eps = [1.89, 1.89, 2.12, 8.04];
  const income = [23_662, 23_619, 26_301, 100_118];
  const shares = [12_527, 12_495, 12_419, 12_447];

  test("is its net income by its shares, as Alphabet published it: 26,536 / 12,347 = 2.15", () => {
    expect(epsOf(quarters(eps, income, shares), 2024, 4)).toBe(2.15);
  });

  test("is the year less the other quarters if shares are unknown, or income / shares is not the stated figure", () => {
    // 8.04 − 1.89 − 1.89 − 2.12.
    expect(epsOf(quarters(eps, income), 2024, 4)).toBeCloseTo(2.14, 10);
    // Vertiv states its earnings with the changed value of warrants. A loss has other shares.
    const [first = 0, ...others] = income;
    expect(epsOf(quarters(eps, [first + 200, ...others], shares), 2024, 4)).toBeCloseTo(2.14, 10);
    const loss = quarters([-0.1, 1.89, 2.12, 6.05], [-1_252, 23_619, 26_301, 75_304], shares);
    expect(epsOf(loss, 2024, 4)).toBeCloseTo(2.14, 10);
  });

  test("is unknown if it disagrees with the quarter's net income, as after a listing", () => {
    // Snowflake, fiscal 2021: a year of −3.81, quarters of −1.77, −1.39 and −1.01 on few shares. The
    // rest, 0.36, would be a gain in a quarter with a loss of 199 million.
    const statements = quarters([-1.77, -1.39, -1.01, -3.81], [-93, -77, -169, -539]);
    expect(epsOf(statements, 2024, 4)).toBeNull();
  });

  test("may be many times the others if net income is", () => {
    const statements = quarters([0.2, 0.2, 0.2, -9.4], [20, 20, 20, -940]);
    expect(epsOf(statements, 2024, 4)).toBeCloseTo(-10, 10);
  });

  test("without net income is unknown from ten times the largest quarter on", () => {
    // 112.20 for a year, retold quarters of 1.31, 1.36 and 1.40.
    expect(epsOf(quarters([1.31, 1.36, 1.4, 112.2], []), 2024, 4)).toBeNull();
    expect(epsOf(quarters([1.31, 1.36, 1.4, 10.07], []), 2024, 4)).toBeCloseTo(6, 10);
  });
});
