import { describe, expect, test } from "bun:test";
import type { BarHistory } from "#domain/daily-bar.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";
import { csvRows } from "#lib/csv.ts";
import { checkFact } from "#sources/check-facts.ts";
import { type ClosesFact, type PublishedFact, FACTS } from "#sources/facts.ts";
import { statementsOf } from "../support/company-facts.ts";
import { hasRecordings, recordedJson, recordedText } from "../support/recordings.ts";
import { flatBar } from "../support/market.ts";

/** The fact about that figure. */
function findFact(kind: PublishedFact["kind"], symbol: string, words = ""): PublishedFact {
  const found = FACTS.find(
    (one) => one.kind === kind && one.symbol === symbol && JSON.stringify(one).includes(words),
  );
  if (!found) throw new Error(`no fact ${kind} ${symbol}`);
  return found;
}

const history = (symbol: string, closes: Readonly<Record<string, number>>): BarHistory => ({
  country: "US",
  symbol,
  bars: Object.entries(closes).map(([date, close]) => flatBar(date, close)),
});

const year = (change: Partial<Statement>, items: Partial<Statement["items"]>): Statement => ({
  country: "US",
  symbol: "AAPL",
  span: "year",
  fiscalYear: 2019,
  fiscalQuarter: 4,
  periodEnd: "2019-09-28",
  filedOn: "2019-10-31",
  currency: "USD",
  ...change,
  items: { ...NO_ITEMS, ...items },
});

const verdict = (fact: PublishedFact, records: readonly unknown[]) => {
  const { found, adjustment, fault } = checkFact(fact, records);
  return { found, adjustment, fault };
};

test("every fact names where it was published, and is of a closed time", () => {
  for (const fact of FACTS) {
    expect(fact.origin).toMatch(/^[A-Z].{20,}$/);
    const dates =
      fact.kind === "bars"
        ? fact.closes.map(({ date }) => date)
        : [fact.kind === "statements" ? fact.periodEnd : fact.exDate];
    expect(dates).toEqual(dates.toSorted());
    for (const date of dates) expect(date < "2026-01-01").toBe(true);
  }
  expect(new Set(FACTS.map(({ country }) => country))).toEqual(new Set(["US", "JP", "VN"]));
});

describe("closes before Apple's split of 4 for 1 (2020-08-31) are", () => {
  const fact = findFact("bars", "AAPL");
  const check = (first: number, second: number) =>
    verdict(fact, [history("AAPL", { "2020-08-28": first, "2020-11-06": second })]);

  test("right if they are adjusted for the split: 499.23 / 4 = 124.8075", () => {
    expect(check(124.81, 118.69)).toEqual({ found: 124.81, adjustment: "split", fault: null });
  });

  test("unadjusted", () => {
    expect(check(499.23, 118.69)).toEqual({
      found: 499.23,
      adjustment: "none",
      fault: "it is not adjusted for the split",
    });
  });

  test("adjusted for the dividend of 0.205 after a close of 119.03 too, and for later ones", () => {
    // After the first dividend alone, and after more that took 5 %.
    for (const later of [1, 0.95]) {
      const first = 124.8075 * later * (1 - 0.205 / 119.03);
      expect(check(first, 118.69 * later)).toMatchObject({
        adjustment: "total",
        fault: "it is adjusted for cash dividends too",
      });
    }
  });

  test("wrong otherwise, which is not taken for dividends", () => {
    // 1 % lower on the first day alone; 99.5 on both days; ten times as high.
    expect(check(123.56, 118.69)).toMatchObject({
      adjustment: null,
      fault: "it is 0.2475 times the published figure and 0.99 times the adjusted",
    });
    expect(check(124.8075, 115).fault).toStartWith("it is 0.25 times the published");
    expect(check(1248.1, 1186.9).fault).toStartWith("it is 2.5 times the published");
  });

  test("recognised if a newer split divided both days", () => {
    expect(check(62.40375, 59.345).fault).toEndWith(
      "and so is the close of 2020-11-06: is there a newer split?",
    );
  });

  test("no proof if the answer does not have both days", () => {
    const nothing = { found: null, adjustment: null, fault: null };
    expect(verdict(fact, [history("AAPL", { "2020-11-06": 118.69 })])).toEqual(nothing);
    expect(verdict(fact, [])).toEqual(nothing);
  });
});

describe("a figure of a statement is", () => {
  const revenue = findFact("statements", "AAPL", "260174000000");
  const eps = findFact("statements", "AAPL", "11.89");

  test("right as published", () => {
    expect(verdict(revenue, [year({}, { revenue: 260_174_000_000 })])).toEqual({
      found: 260_174_000_000,
      adjustment: null,
      fault: null,
    });
    // Yahoo names the last day of the month.
    const atMonthEnd = year({ periodEnd: "2019-09-30" }, { revenue: 260_174_000_000 });
    expect(verdict(revenue, [atMonthEnd]).fault).toBeNull();
  });

  test("right in the shares of the filing or of today, if the record says which", () => {
    // 11.89 / 4 = 2.9725; the next Form 10-K has 2.97.
    expect(verdict(eps, [year({ sharesAsOf: "2019-10-31" }, { epsDiluted: 11.89 })])).toEqual({
      found: 11.89,
      adjustment: "none",
      fault: null,
    });
    expect(verdict(eps, [year({ sharesAsOf: "2020-10-30" }, { epsDiluted: 2.97 })])).toEqual({
      found: 2.97,
      adjustment: "split",
      fault: null,
    });
    expect(verdict(eps, [year({}, { epsDiluted: 2.97 })]).fault).toBeNull();
  });

  test("wrong if the record names the wrong shares", () => {
    expect(verdict(eps, [year({}, { epsDiluted: 11.89 })])).toEqual({
      found: 11.89,
      adjustment: "none",
      fault: "the record names the shares of today, so it would be served as 11.89",
    });
    // 2.97 / 4 = 0.7425
    expect(verdict(eps, [year({ sharesAsOf: "2019-10-31" }, { epsDiluted: 2.97 })]).fault).toBe(
      "the record names the shares of 2019-10-31, so it would be served as 0.7425",
    );
  });

  test("wrong if it differs, and no proof if the year is missing", () => {
    expect(verdict(revenue, [year({}, { revenue: 260_174_000 })]).fault).toBe(
      "it is 0.001 times the published figure",
    );
    expect(verdict(eps, [year({}, { epsDiluted: 58.61 })]).fault).not.toBeNull();
    expect(verdict(eps, [year({ span: "quarter" }, { epsDiluted: 11.89 })]).found).toBeNull();
    expect(verdict(eps, [year({ periodEnd: "2020-09-26" }, {})]).fault).toBeNull();
  });
});

test("a dividend must be in today's shares: 0.82 / 4 = 0.205", () => {
  const fact = findFact("dividends", "AAPL");
  const check = (amount: number) =>
    verdict(fact, [
      { country: "US", symbol: "AAPL", dividends: [{ exDate: "2020-08-07", amount }] },
    ]);
  expect(check(0.205)).toEqual({ found: 0.205, adjustment: "split", fault: null });
  expect(check(0.82)).toEqual({
    found: 0.82,
    adjustment: "none",
    fault: "it is not adjusted for the split",
  });
  expect(check(0.2).fault).toStartWith("it is 0.2439 times");
  expect(verdict(fact, [{ country: "US", symbol: "AAPL", dividends: [] }]).fault).toBeNull();
});

describe.skipIf(!hasRecordings)("recorded answers agree with the facts:", () => {
  const closesIn = (path: string, date: number, close: number, isoDate = (text: string) => text) =>
    Object.fromEntries(
      [...csvRows(recordedText(path).replace(/^\uFEFF/, ""))]
        .slice(1)
        .map(({ cells }) => [
          isoDate(cells[date] ?? ""),
          Number(cells[close]?.replaceAll(",", "")),
        ]),
    ) as Record<string, number>;
  const check = (symbol: string, closes: Record<string, number>) =>
    checkFact(findFact("bars", symbol), [history(symbol, closes)]);

  test.each([
    ["AAPL", "sec/companyfacts_CIK0000320193.json"],
    ["GOOGL", "real-2/GOOGL.json.gz"],
  ])("SEC's statements of %s", (symbol, path) => {
    const statements = statementsOf(recordedJson(path), symbol);
    const facts = FACTS.filter((one) => one.kind === "statements" && one.symbol === symbol);
    for (const fact of facts) {
      const { found, fault } = checkFact(fact, statements);
      expect([fault, found !== null]).toEqual([null, true]);
    }
  });

  test("the EPS of Alphabet's filing of 2020", () => {
    const raw = recordedJson("real-2/GOOGL.json.gz");
    const reported = raw.facts["us-gaap"].EarningsPerShareDiluted.units["USD/shares"] as {
      start: string;
      end: string;
      accn: string;
      val: number;
    }[];
    const filed = reported.find(
      ({ start, end, accn }) =>
        start === "2019-01-01" && end === "2019-12-31" && accn === "0001652044-20-000008",
    );
    expect(findFact("statements", "GOOGL")).toMatchObject({ filed: filed?.val });
    expect(filed?.val).toBe(49.16);
  });

  test("Yahoo's chart of Apple: closes are adjusted for splits, adjusted closes for dividends too", () => {
    const raw = recordedJson("yahoo/chart_2022_AAPL_ee55.json");
    const chart = raw.response?.body ?? raw;
    const [result] = (typeof chart === "string" ? JSON.parse(chart) : chart).chart.result;
    const { timestamp, indicators } = result;
    const byDate = (values: number[]) =>
      Object.fromEntries(
        (timestamp as number[]).map((seconds, i) => [
          new Date(seconds * 1000).toISOString().slice(0, 10),
          values[i] ?? Number.NaN,
        ]),
      );
    expect(check("AAPL", byDate(indicators.quote[0].close))).toMatchObject({
      adjustment: "split",
      fault: null,
    });
    expect(check("AAPL", byDate(indicators.adjclose[0].adjclose)).adjustment).toBe("total");
    const dividends = Object.values(result.events.dividends as object) as {
      amount: number;
      date: number;
    }[];
    const paid = dividends.map(({ amount, date }) => ({
      exDate: new Date(date * 1000).toISOString().slice(0, 10),
      amount,
    }));
    const record = { country: "US", symbol: "AAPL", dividends: paid };
    expect(checkFact(findFact("dividends", "AAPL"), [record])).toMatchObject({
      found: 0.205,
      fault: null,
    });
  });

  test("FPT's closes by investing.com are adjusted for bonus shares, those of VCI for dividends too", () => {
    const investing = closesIn("prices/FPT_investing.csv", 0, 1, (text) =>
      text.split("/").reverse().join("-"),
    );
    expect(check("FPT", investing)).toMatchObject({ adjustment: "split", fault: null });
    const vci = closesIn("prices/FPT_vci.csv", 0, 4, (text) => text.slice(0, 10));
    const inVnd = Object.fromEntries(Object.entries(vci).map(([date, k]) => [date, k * 1_000]));
    expect(check("FPT", inVnd).adjustment).toBe("total");
    // In thousand VND: 109.565 × 0.9767 / 126,000.
    expect(check("FPT", vci).fault).toMatch(/^it is 0\.00084\d+ times the published figure/);
  });

  test("Toyota's closes of a file that is adjusted for dividends", () => {
    expect(check("7203", closesIn("prices/7203.csv", 0, 4)).adjustment).toBe("total");
    const { closes } = findFact("bars", "7203") as ClosesFact;
    // 8,523 / 5 = 1,704.6
    const split = { [closes[0].date]: 1_704.6, [closes[1].date]: 2_673 };
    expect(check("7203", split)).toMatchObject({ adjustment: "split", fault: null });
  });
});
