import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { indexPe, indexValuation } from "#analytics/index-valuation.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const member = (
  marketCap: number | null,
  netIncomeTtm: number | null,
  statementCurrency = "USD",
) => ({
  marketCap,
  netIncomeTtm,
  currency: "USD",
  statementCurrency,
});

describe("the P/E of an index", () => {
  test("is the sum of caps / the sum of earnings, losses included: (900 + 100) / (60 − 10) = 20", () => {
    expect(indexPe([member(900, 60), member(100, -10)])).toBe(20);
  });

  test("is null if the members' earnings are not positive in total, or without members", () => {
    expect(indexPe([member(900, 10), member(100, -10)])).toBeNull();
    expect(indexPe([member(900, 10), member(100, -50)])).toBeNull();
    expect(indexPe([])).toBeNull();
  });

  test("leaves a member out of both sums if one figure is unknown", () => {
    expect(indexPe([member(900, 45), member(1e6, null), member(null, 1e6)])).toBe(20);
  });

  test("leaves out a member whose statements are in another currency", () => {
    expect(indexPe([member(900, 45), member(100, 1e6, "JPY")])).toBe(20);
  });

  test("is between the lowest and the highest P/E of profitable members", () => {
    const amount = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(amount, amount), { minLength: 1 }), (found) => {
        const pe = indexPe(found.map(([cap, income]) => member(cap, income))) ?? NaN;
        const each = found.map(([cap, income]) => cap / income);
        expect(pe).toBeGreaterThanOrEqual(Math.min(...each) * (1 - 1e-12));
        expect(pe).toBeLessThanOrEqual(Math.max(...each) * (1 + 1e-12));
      }),
    );
  });
});

/** Month-ends from December 2021 on. */
const monthly = (values: readonly number[]) =>
  values.map((pe, i) => {
    const month = 2021 * 12 + 11 + i;
    return { month: `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`, pe };
  });

const repeat = (count: number, ...values: number[]) =>
  Array.from({ length: count }, () => values).flat();

/**
 * Five years with six outliers at each end, which are the trimmed 10 %. The other 48 month-ends alternate
 * between 18 and 22: μ = 20, σ = 2.
 */
const FIVE_YEARS = monthly([...repeat(6, 1), ...repeat(24, 18, 22), ...repeat(6, 900)]);

describe("the five-year average", () => {
  test("excludes the 6 lowest and the 6 highest of 60 month-ends", () => {
    expect(indexValuation(20, FIVE_YEARS).fiveYearAverage).toBe(20);
  });

  test("ignores month-ends older than five years", () => {
    const older = { month: "2021-11", pe: 500 };
    expect(indexValuation(20, [older, ...FIVE_YEARS]).fiveYearAverage).toBe(20);
  });

  test("uses the available month-ends if some are missing", () => {
    // 10 values lose one at each end: 2, ..., 9 have the mean 5.5.
    const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000];
    expect(indexValuation(20, monthly(values)).fiveYearAverage).toBe(5.5);
    // 9 values lose none.
    expect(indexValuation(20, monthly(values.slice(0, 9))).fiveYearAverage).toBe(5);
    expect(indexValuation(20, []).fiveYearAverage).toBeNull();
  });

  test("is within the values, in any order", () => {
    const values = fc.array(fc.double({ min: 0.1, max: 1_000, noNaN: true }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(values, (found) => {
        const { fiveYearAverage } = indexValuation(20, monthly(found));
        expect(fiveYearAverage ?? NaN).toBeGreaterThanOrEqual(Math.min(...found) - 1e-9);
        expect(fiveYearAverage ?? NaN).toBeLessThanOrEqual(Math.max(...found) + 1e-9);
        expect(indexValuation(20, monthly(found).toReversed()).fiveYearAverage).toBe(
          fiveYearAverage,
        );
      }),
    );
  });
});

describe("the status", () => {
  const statusAt = (pe: number | null) => indexValuation(pe, FIVE_YEARS).status;

  test("changes at μ ± σ/2 and μ ± σ, here 18, 19, 21 and 22; a limit belongs to the milder status", () => {
    expect([24.01, 22.01, 22, 21.01, 21, 20, 19, 18.99, 18, 17.99, 15.99].map(statusAt)).toEqual([
      "Very expensive",
      "Very expensive",
      "Expensive",
      "Expensive",
      "Fair",
      "Fair",
      "Fair",
      "Cheap",
      "Cheap",
      "Very cheap",
      "Very cheap",
    ]);
  });

  test("is insufficient_history below 12 month-ends, but the average is known", () => {
    expect(indexValuation(99, monthly(repeat(11, 20)))).toEqual({
      fiveYearAverage: 20,
      status: "insufficient_history",
    });
    expect(indexValuation(99, monthly(repeat(12, 20))).status).toBe("Very expensive");
  });

  test("is insufficient_history without a P/E", () => {
    expect(statusAt(null)).toBe("insufficient_history");
  });

  test("is fair if the P/E never changed", () => {
    expect(indexValuation(20.1, monthly(repeat(60, 20.1))).status).toBe("Fair");
  });
});

test.skipIf(!hasRecordings)(
  "the S&P 500 at 39.26 times earnings was very expensive at the end of 2020 (Shiller)",
  () => {
    const history = recordedText("pe_history/sp500_shiller_monthly.csv")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => {
        const [date = "", price, , earnings] = line.split(",");
        return { month: date.slice(0, 7), pe: Number(price) / Number(earnings) };
      })
      .filter(({ month }) => month <= "2020-12");
    const pe = history.at(-1)?.pe ?? NaN;
    expect(pe).toBeCloseTo(39.26, 2);
    expect(indexValuation(pe, history).status).toBe("Very expensive");
  },
);
