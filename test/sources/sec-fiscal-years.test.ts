import { describe, expect, test } from "bun:test";
import { listPeriods } from "#analytics/periods.ts";
import { knownStatements, ttm } from "#analytics/ttm.ts";
import type { Statement } from "#domain/statement.ts";
import { addDays, addMonths, daysBetween } from "#lib/date.ts";
import { fakeFacts, type FakeFact, statementsOf } from "../support/company-facts.ts";

/** A fiscal year as a company files it: its first day, its length in months and its number. */
type Filed = readonly [start: string, months: number, number: number];

const lastDay = (start: string, months: number) => addDays(addMonths(start, months), -1);

/** The revenue of some days. It grows, so that no two periods have the same, and parts add up to the whole. */
function revenueOf(start: string, end: string): number {
  const total = (days: number) => days * days + 1000 * days;
  const [first, last] = [daysBetween("2000-01-01", start), daysBetween("2000-01-01", end) + 1];
  return total(last) - total(first);
}

/** The filings of a company: reports of its quarters and years. Short years have another form. */
function filingsOf(years: readonly Filed[], shortForm: string): FakeFact[] {
  return years.flatMap(([start, months, year]) => {
    const fact = (from: string, end: string, form: string, period: string): FakeFact => [
      from,
      end,
      revenueOf(from, end),
      addDays(end, 40),
      form,
      year,
      period,
    ];
    const quarters = [1, 2, 3].filter((quarter) => 3 * quarter < months);
    const interim = quarters.flatMap((quarter) => {
      const end = lastDay(start, 3 * quarter);
      const alone = addMonths(start, 3 * quarter - 3);
      const names = ["10-Q", `Q${quarter}`] as const;
      // A report compares its figures with the same months a year earlier.
      const before = (day: string) => addMonths(day, -12);
      const compared = fact(before(start), addDays(before(addDays(end, 1)), -1), ...names);
      compared[3] = addDays(end, 40);
      return [...new Set([start, alone])]
        .map((from) => fact(from, end, ...names))
        .concat([compared]);
    });
    const form = months === 12 ? "10-K" : shortForm;
    return [...interim, fact(start, lastDay(start, months), form, "FY")];
  });
}

/** The statements of a company that has filed these years until a day. */
function reported(years: readonly Filed[], until = "9999", shortForm = "10-KT"): Statement[] {
  const filed = filingsOf(years, shortForm).filter(([, , , day]) => day <= until);
  return statementsOf(
    fakeFacts({ Assets: filed.map(([, end, , day]) => [null, end, 1000, day]), Revenues: filed }),
  );
}

/** The ends of the whole quarters of these years, oldest first, with the first day of each. */
const quartersOf = (years: readonly Filed[]) =>
  years.flatMap(([start, months]) =>
    Array.from({ length: Math.floor(months / 3) }, (_, i) => ({
      start: addMonths(start, 3 * i),
      end: lastDay(start, 3 * i + 3),
    })),
  );

const MARCH: Filed[] = [
  ["2021-04-01", 12, 2022],
  ["2022-04-01", 12, 2023],
];

const CASES: Record<string, Filed[]> = {
  ...Object.fromEntries(
    Array.from({ length: 11 }, (_, i): [string, Filed[]] => {
      const next = addMonths("2023-04-01", i + 1);
      const number = 2023 + (i < 9 ? 1 : 2);
      return [
        `moves by ${i + 1} months`,
        [
          ...MARCH,
          ["2023-04-01", i + 1, 2024],
          [next, 12, number],
          [addMonths(next, 12), 12, number + 1],
        ],
      ];
    }),
  ),
  "two changes in three years": [
    ["2020-01-01", 12, 2020],
    ["2021-01-01", 3, 2021],
    ["2021-04-01", 12, 2022],
    ["2022-04-01", 9, 2022],
    ["2023-01-01", 12, 2023],
    ["2024-01-01", 12, 2024],
  ],
  "changes again within a year": [
    ["2021-01-01", 12, 2021],
    ["2022-01-01", 3, 2022],
    ["2022-04-01", 6, 2022],
    ["2022-10-01", 12, 2023],
    ["2023-10-01", 12, 2024],
  ],
  "changes back": [
    ["2021-07-01", 12, 2022],
    ["2022-07-01", 6, 2022],
    ["2023-01-01", 12, 2023],
    ["2024-01-01", 6, 2024],
    ["2024-07-01", 12, 2025],
  ],
};

describe("a company that moves its fiscal year", () => {
  const onForms = Object.entries(CASES).flatMap(([name, years]) =>
    ["10-KT", "10-K", "10-QT"].map((form) => [name, form, years] as const),
  );

  test.each(onForms)("%s, filed on %s", (_, form, years) => {
    const statements = reported(years, "9999", form);
    // Comparisons give quarters of the year before the first one too.
    const quarters = listPeriods(statements, "9999-01-01", "quarterly").filter(
      ({ periodEnd }) => periodEnd > (years[0]?.[0] ?? ""),
    );
    // Every quarter under its own dates, once.
    expect(quarters.map(({ periodEnd, items }) => [periodEnd, items.revenue]).reverse()).toEqual(
      quartersOf(years).map(({ start, end }) => [end, revenueOf(start, end)]),
    );
    const labels = statements.map((one) => `${one.span} ${one.fiscalYear} ${one.fiscalQuarter}`);
    expect(new Set(labels).size).toBe(labels.length);
    // Only years of twelve months are years.
    expect(
      listPeriods(statements, "9999-01-01", "annual")
        .map(({ periodEnd }) => periodEnd)
        .reverse(),
    ).toEqual(years.filter(([, months]) => months === 12).map(([start]) => lastDay(start, 12)));
  });

  test.each(Object.entries(CASES))("%s: after each report", (_, years) => {
    for (const { end } of quartersOf(years).slice(3)) {
      const day = addDays(end, 40);
      const { current } = ttm(knownStatements(reported(years, day), day), "revenue");
      const months = quartersOf(years)
        .filter((one) => one.end <= end)
        .slice(-4);
      const start = months[0]?.start ?? "";
      // Four quarters that follow each other are twelve months. Otherwise the last whole year is shown, or nothing.
      if (addMonths(start, 12) === addDays(end, 1)) expect(current).toBe(revenueOf(start, end));
      else {
        const full = years.filter(([first, length]) => length === 12 && lastDay(first, 12) <= end);
        const [last = ""] = full.at(-1) ?? [];
        expect([null, revenueOf(last, lastDay(last, 12))]).toContain(current);
      }
    }
  });
});

describe("years of 52 and 53 weeks", () => {
  /** The statements of a company whose years have quarters of so many weeks. */
  function ofWeeks(start: string, years: readonly number[][]): Statement[] {
    const facts: FakeFact[] = [];
    let first = start;
    for (const [i, weeks] of years.entries()) {
      let day = first;
      for (const [quarter, count] of weeks.entries()) {
        const end = addDays(day, 7 * count - 1);
        const add = (from: string, form: string, period: string) =>
          facts.push([from, end, revenueOf(from, end), addDays(end, 40), form, 2021 + i, period]);
        if (quarter === 3) add(first, "10-K", "FY");
        else for (const from of new Set([first, day])) add(from, "10-Q", `Q${quarter + 1}`);
        day = addDays(end, 1);
      }
      first = day;
    }
    const sheets = facts.map(([, end, , filed]): FakeFact => [null, end, 1000, filed]);
    return statementsOf(fakeFacts({ Assets: sheets, Revenues: facts }));
  }

  test.each([
    // Ends on 1 January 2022, 31 December 2022, 30 December 2023, 28 December 2024 and 3 January 2026.
    ["over the end of the year", "2021-01-03", [13, 13, 13, 13], [13, 13, 13, 14]],
    // Ends on 31 July 2021, 30 July 2022, 29 July 2023, 27 July 2024 and 2 August 2025.
    ["over the end of a month", "2020-08-02", [13, 13, 13, 13], [13, 13, 13, 14]],
    ["with a long fourth quarter", "2020-08-30", [12, 12, 12, 16], [12, 12, 12, 17]],
    ["with a long first quarter", "2021-01-31", [16, 12, 12, 12], [16, 12, 12, 13]],
  ])("%s", (_, start, usual, long) => {
    const years = [usual, usual, usual, usual, long];
    const statements = ofWeeks(start, years);
    const names = statements.map((one) => `${one.span} ${one.fiscalYear} Q${one.fiscalQuarter}`);
    expect(names).toEqual(
      years.flatMap((_weeks, i) => [
        ...[1, 2, 3, 4].map((quarter) => `quarter ${2021 + i} Q${quarter}`),
        `year ${2021 + i} Q4`,
      ]),
    );
    const quarters = statements.filter(({ span }) => span === "quarter");
    for (const [i, { periodEnd, filedOn }] of quarters.entries()) {
      const before = quarters[i - 4]?.periodEnd;
      if (before === undefined) continue;
      const { current } = ttm(knownStatements(statements, filedOn), "revenue");
      expect(current).toBe(revenueOf(addDays(before, 1), periodEnd));
    }
  });
});

test("a report that calls its second quarter the first begins no year", () => {
  const years: Filed[] = [
    ["2024-01-01", 12, 2024],
    ["2025-01-01", 12, 2025],
  ];
  const facts = filingsOf(years, "10-K").map((fact): FakeFact => {
    const [start, end, value, filed, form = "10-K", year = 0, period = "FY"] = fact;
    const isWrong = end === "2025-06-30" && start === "2025-04-01";
    return [start, end, value, filed, form, year, isWrong ? "Q1" : period];
  });
  const known = facts.filter(([, , , filed]) => filed <= "2025-08-31");
  const statements = statementsOf(
    fakeFacts({ Assets: [[null, "2025-06-30", 1, "2025-08-09"]], Revenues: known }),
  );
  expect(
    statements.slice(-2).map((one) => [one.fiscalYear, one.fiscalQuarter, one.periodEnd]),
  ).toEqual([
    [2025, 1, "2025-03-31"],
    [2025, 2, "2025-06-30"],
  ]);
});

test("the first year of a new company, which began in it, has no number of another year", () => {
  // Founded on 15 March 2022; the report of the year covers the days since.
  const began: FakeFact[] = [
    ["2022-03-15", "2022-12-31", 290, "2023-03-01", "10-K", 2022, "FY"],
    ["2022-07-01", "2022-09-30", 92, "2022-11-10", "10-Q", 2022, "Q3"],
    ["2022-03-15", "2022-09-30", 200, "2022-11-10", "10-Q", 2022, "Q3"],
  ];
  const later = filingsOf([["2023-01-01", 12, 2023]], "10-K").filter(([, end]) => end > "2023");
  const statements = statementsOf(
    fakeFacts({ Assets: [[null, "2023-12-31", 1, "2024-02-09"]], Revenues: [...began, ...later] }),
  );
  const years = statements.filter(({ span }) => span === "year");
  expect(years.map(({ fiscalYear, periodEnd }) => [fiscalYear, periodEnd])).toEqual([
    [2023, "2023-12-31"],
  ]);
});

test("frames, which name no forms, have the quarters after a change before the next year is over", () => {
  // Frames have quarters and years, not the nine months to December 2024.
  const facts = [...MARCH.slice(1), ["2023-04-01", 12, 2024] as const].flatMap(([start]) => [
    ...[0, 3, 6].map((months) => [addMonths(start, months), 3] as const),
    [start, 12] as const,
  ]);
  const later = [
    ["2024-04-01", 3],
    ["2024-07-01", 3],
    ["2025-01-01", 3],
    ["2025-04-01", 3],
  ] as const;
  const stated = [...facts, ...later].map(([start, months]): FakeFact => {
    const end = lastDay(start, months);
    return [start, end, revenueOf(start, end), addDays(end, 40), "", 0, ""];
  });
  const statements = statementsOf(
    fakeFacts({ Assets: [[null, "2025-06-30", 1, "2025-08-09", ""]], Revenues: stated }),
  );
  expect(statements.slice(-4).map(({ periodEnd }) => periodEnd)).toEqual(
    later.map(([start]) => lastDay(start, 3)),
  );
});

test("twelve months that a report only compares with are no fiscal year", () => {
  // As in a change from December to June: the report of July 2014 to June 2015 restates July 2013 to June 2014.
  const years: Filed[] = [
    ["2012-01-01", 12, 2012],
    ["2013-01-01", 12, 2013],
    ["2014-01-01", 6, 2014],
    ["2014-07-01", 12, 2015],
  ];
  const compared = Array.from({ length: 9 }, (): FakeFact => {
    const [start, end] = ["2013-07-01", "2014-06-30"];
    return [start, end, revenueOf(start, end), addDays("2015-06-30", 40), "10-K", 2015, "FY"];
  });
  const statements = statementsOf(
    fakeFacts({
      Assets: [[null, "2015-06-30", 1, "2015-08-20"]],
      Revenues: [...filingsOf(years, "10-KT"), ...compared],
    }),
  );
  const ends = listPeriods(statements, "9999-01-01", "annual").map(({ periodEnd }) => periodEnd);
  expect(ends).toEqual(["2015-06-30", "2013-12-31", "2012-12-31"]);
  const quarters = listPeriods(statements, "9999-01-01", "quarterly");
  expect(quarters.map(({ periodEnd }) => periodEnd)).toContain("2014-06-30");
});

test("figures of a proxy statement are not the figures of a report", () => {
  const annual = (form: string, filed: string, value: number): FakeFact => [
    "2025-01-01",
    "2025-12-31",
    value,
    filed,
    form,
    2025,
    "FY",
  ];
  const statements = statementsOf(
    fakeFacts({
      Assets: [[null, "2025-12-31", 1e9, "2026-02-25"]],
      NetIncomeLoss: [
        annual("10-K", "2026-02-25", 319_066_000),
        annual("DEF 14A", "2026-04-07", 319_065),
      ],
    }),
  );
  expect(statements.find(({ span }) => span === "year")?.items.netIncome).toBe(319_066_000);
});
