import { describe, expect, test } from "bun:test";
import { knownStatements, ttm } from "#analytics/ttm.ts";
import type { Split } from "#domain/split.ts";
import type { StatementVintage } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";
import { companyStatements } from "#sources/sec/company-statements.ts";
import { parseFacts } from "#sources/sec/facts.ts";
import { statementVintages } from "#sources/sec/statement-vintages.ts";
import { secStatements } from "#sources/sec/statements.ts";
import { secQuery } from "../support/company-facts.ts";
import { openTestMarket } from "../support/market.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

const STORED_AT = Date.parse("2026-07-01T00:00Z");
const split = (exDate: string, numerator: number): Split => ({ exDate, numerator, denominator: 1 });

/** The recorded companies, each with its splits since 2010. */
const COMPANIES: Readonly<Record<string, { path: string; splits: readonly Split[] }>> = {
  AAPL: {
    path: "sec/companyfacts_CIK0000320193.json",
    splits: [split("2014-06-09", 7), split("2020-08-31", 4)],
  },
  GOOGL: { path: "real-2/GOOGL.json.gz", splits: [split("2022-07-18", 20)] },
  TSLA: { path: "real-2/TSLA.json.gz", splits: [split("2020-08-31", 5), split("2022-08-25", 3)] },
  MRVL: { path: "real-2/MRVL.json.gz", splits: [] },
};

interface RecordedFact {
  readonly end: string;
  readonly filed: string;
  readonly val: number;
}

/** The companyfacts with changed facts. */
function mapFacts(raw: unknown, change: (fact: RecordedFact) => RecordedFact[]): unknown {
  return JSON.parse(JSON.stringify(raw), (key, value: unknown) =>
    Array.isArray(value) && key !== "" && value.every((one) => "filed" in Object(one))
      ? value.flatMap(change)
      : value,
  );
}

/** What each period showed after each filing up to a day. */
function knownUpTo(raw: unknown, splits: readonly Split[], day: string) {
  const facts = parseFacts(raw);
  const current = companyStatements(facts, "FAKE", splits);
  const nameOf = ({
    span,
    fiscalYear,
    fiscalQuarter,
  }: Pick<StatementVintage, "span" | "fiscalYear" | "fiscalQuarter">) =>
    `${span} ${fiscalYear} ${fiscalQuarter}`;
  const items = new Map(current.map((one) => [nameOf(one), one.items]));
  return statementVintages(facts, current, splits)
    .filter(({ filedOn }) => filedOn <= day)
    .map((one) => ({ ...one, sharesAsOf: "", items: one.items ?? items.get(nameOf(one)) }));
}

describe.skipIf(!hasRecordings)("statements as they were filed", () => {
  const record = (symbol: string) => {
    const { path, splits } = COMPANIES[symbol] ?? { path: "", splits: [] };
    const query = { ...secQuery(symbol), splitsOf: () => splits };
    const answers = { own: recordedJson(path), predecessor: null };
    const home = openTestMarket();
    const { market } = home;
    const provenance = { source: "sec", storedAt: STORED_AT };
    const key = { country: "US", symbol } as const;
    market.transaction(() => {
      market.put("splits", [{ ...key, splits: [...splits] }], { source: "x", storedAt: 0 });
      for (const { kind, records } of secStatements.others?.(answers, query) ?? [])
        market.put(kind, records as never, provenance);
      const statements = secStatements.transform(answers, query) as never;
      market.put("statements", statements, provenance);
    });
    const on = (day: string, sharesOn = day) =>
      market.statements.listFiled(key, sharesOn).filter(({ filedOn }) => filedOn <= day);
    const year = (day: string, fiscalYear: number, sharesOn = day) =>
      on(day, sharesOn).findLast((one) => one.span === "year" && one.fiscalYear === fiscalYear);
    return { ...home, on, year, list: () => market.statements.list(key) };
  };

  test("Apple restated fiscal 2008 and 2009 in January 2010, and split its shares in 2020", () => {
    using apple = record("AAPL");
    // 10-K of 27 October 2009, and 10-K/A of 25 January 2010, which adopted the new rules of revenue.
    expect(apple.year("2010-01-24", 2008)).toMatchObject({
      filedOn: "2009-10-27",
      items: { revenue: 32_479e6 },
    });
    expect(apple.year("2010-01-25", 2008)).toMatchObject({
      filedOn: "2010-01-25",
      accession: "0001193125-10-012091",
      items: { revenue: 37_491e6 },
    });
    expect(apple.year("2010-01-24", 2009)?.items).toMatchObject({ revenue: 36_537e6 });
    expect(apple.year("2010-01-25", 2009)?.items).toMatchObject({ revenue: 42_905e6 });
    // 10-K of 31 October 2019: 11.89 per share before the split of 4 for 1. The next one says 2.97.
    const eps = (day: string, sharesOn = day) => apple.year(day, 2019, sharesOn)?.items.epsDiluted;
    expect(eps("2019-12-31")).toBe(11.89);
    expect(eps("2020-08-30")).toBe(11.89);
    expect(eps("2020-09-01")).toBeCloseTo(11.89 / 4, 4);
    expect(eps("2020-12-31")).toBe(2.97);
    expect(eps("2019-12-31", "2026-07-01")).toBeCloseTo(11.89 / 4, 4);
    // Twelve months to March 2020 on 1 May 2020: 268,011 million (58,313 + 91,819 + 64,040 + 53,809 = 267,981).
    const known = knownStatements(apple.on("2020-05-01"), "2020-05-01");
    expect(ttm(known, "revenue").current).toBe(267_981e6);
    // The newest filings say what the service shows today. Its earnings per share have four decimals.
    const today = apple.on("2026-07-01");
    const newest = new Map(today.map((one) => [`${one.span} ${one.periodEnd}`, one.items]));
    for (const one of apple.list()) {
      const { epsDiluted, ...items } = newest.get(`${one.span} ${one.periodEnd}`) ?? one.items;
      expect({ ...items, epsDiluted: one.items.epsDiluted }).toEqual(one.items);
      expect(epsDiluted ?? 0).toBeCloseTo(one.items.epsDiluted ?? 0, 3);
    }
  });

  test("the accession number is that of a filing of the day", () => {
    using marvell = record("MRVL");
    const filings = new Map<string, Set<string>>();
    mapFacts(recordedJson("real-2/MRVL.json.gz"), (fact) => {
      const { filed, accn } = fact as RecordedFact & { accn: string };
      filings.set(filed, (filings.get(filed) ?? new Set()).add(accn));
      return [fact];
    });
    const all = marvell.on("2026-07-01");
    expect(all.length).toBeGreaterThan(30);
    for (const { filedOn, accession } of all)
      expect(filings.get(filedOn)?.has(String(accession))).toBe(true);
  });

  // Facts that were filed after a day have another value: nothing that was known on the day may change.
  test.each([
    ["AAPL", "2014-06-30", "2015-12-31"],
    ["GOOGL", "2020-03-01", "9999"],
    ["TSLA", "2020-10-01", "9999"],
    ["MRVL", "2023-05-01", "9999"],
  ])("of %s use no fact filed after %s", (symbol, day, end) => {
    const { path, splits } = COMPANIES[symbol] ?? { path: "", splits: [] };
    const known = mapFacts(recordedJson(path), (fact) => (fact.filed <= end ? [fact] : []));
    const blind = mapFacts(known, (fact) => [
      fact.filed > day ? { ...fact, val: 7 * fact.val + 1 } : fact,
    ]);
    const before = knownUpTo(known, splits, day);
    expect(before.length).toBeGreaterThan(10);
    expect(before.every(({ periodEnd }) => periodEnd <= addDays(day, -1))).toBe(true);
    expect(knownUpTo(blind, splits, day)).toEqual(before);
  });
});
