import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { METRIC_NAMES } from "#analytics/metrics.ts";
import { parseConditions, parseMetrics, parseSort } from "#operations/metric-query.ts";
import { BourseError } from "#domain/errors.ts";
import { expectError } from "../support/error.ts";

describe("conditions", () => {
  test.each([
    ["pe<20", [19.99], [20, 21]],
    ["pe<=20", [20, -5], [20.01]],
    ["pe>20", [20.01], [20]],
    ["pe>=20", [20], [19.99]],
    ["pe=20", [20], [20.01, 19.99]],
    ["pe!=20", [20.01], [20]],
    ["change_percent>-1.5", [-1.4, 0], [-1.5, -2]],
    ["pe < 20", [19], [20]],
    ["PE<20", [19], [20]],
    ["P/E<20", [19], [20]],
    ["market cap>=10B", [1e10], [9.99e9]],
    ["Mkt cap>=10b", [1e10], [9.99e9]],
    ["volume>1.5M", [1.6e6], [1.5e6]],
    ["employees<2k", [1_999], [2_000]],
    ["market_cap>1T", [1.1e12], [1e12]],
    ["market_cap>1e9", [1.1e9], [1e9]],
    ["roe>10%", [10.1], [10]],
    ["pe==20", [20], [20.01, 19.99]],
    ["pe=<20", [20, -5], [20.01]],
    ["pe≥20", [20], [19.99]],
    ["pe<>20", [20.01], [20]],
    ["marketCap>10 billion", [1.1e10], [1e10]],
    ["market_cap>2 trillion", [2.1e12], [2e12]],
    ["P/E ratio<20", [19], [20]],
  ])("%s", (text, accepted, refused) => {
    const [condition, ...more] = parseConditions(text);
    expect(more).toEqual([]);
    for (const value of accepted) expect([value, condition?.accepts(value)]).toEqual([value, true]);
    for (const value of refused) expect([value, condition?.accepts(value)]).toEqual([value, false]);
  });

  test("are never met by an unknown value, not even !=", () => {
    for (const operator of ["<", "<=", ">", ">=", "=", "!="]) {
      expect(parseConditions(`pe${operator}1`)[0]?.accepts(null)).toBe(false);
    }
  });

  test.each(["roe>10, pe<20,roe<50", "roe>10 and pe<20 AND roe<50", "roe>10 && pe<20,roe<50"])(
    "are separated by commas or by and, and keep their order: %s",
    (text) => {
      const conditions = parseConditions(text);
      expect(conditions.map(({ metric }) => metric)).toEqual(["roe", "pe", "roe"]);
    },
  );

  test.each([
    // text, what the message and the hint must name
    ["pe", "<="],
    ["", "<="],
    ["pe===20", "!="],
    ["5<pe<10", "pe>5,pe<10"],
    ["sector=technology", "give sector"],
    ["pe~20", "<="],
    ["pe is 20", "<="],
    ["market_cap>10,000", "thousands"],
    ["pe<", "number"],
    ["pe<abc", "number"],
    ["pe<20;roe>10", "commas"],
    ["pe<20 or roe>10", "one call for each alternative"],
    ["pe<1e", "number"],
    ["pe<0x10", "number"],
    ["pe<Infinity", "number"],
    ["pe<NaN", "number"],
    ["pe<20<30", "number"],
    ["<20", "market_cap"],
    ["pee<20", "Did you mean pe?"],
    ["makret_cap>1", "Did you mean market_cap?"],
    ["constructor>1", "market_cap"],
    ["__proto__>1", "market_cap"],
    ["process.exit()>1", "market_cap"],
  ])("refuses %j and names %s", async (text, wanted) => {
    const { message, details } = await expectError(() => parseConditions(text), "invalid_argument");
    expect(details.param).toBe("where");
    expect(`${message} ${details.hint}`).toContain(wanted);
  });

  test("an unknown metric is answered with the way to all metrics, which `allowed` lists", async () => {
    const error = await expectError(() => parseConditions("xyzzy>1"), "invalid_argument");
    expect(error.message).toContain("compare_stocks with metrics=all");
    expect(error.message).not.toContain("revenue_growth");
    expect(error.details).toEqual({ param: "where", allowed: METRIC_NAMES });
  });

  test.each([
    [
      "profit_margin>10",
      "Did you mean gross_margin, gross_profit, operating_margin, net_margin or fcf_margin?",
    ],
    [
      "Free Cash>1",
      "Did you mean free_cash_flow, cash, cash_to_debt, operating_cash_flow or investing_cash_flow?",
    ],
    [
      "ebitda margin>10",
      "Did you mean ev_ebitda, ebitda, gross_margin, operating_margin or net_margin?",
    ],
  ])("%s: the hint names the closest metric and those that share a word", async (text, hint) => {
    const { details } = await expectError(() => parseConditions(text), "invalid_argument");
    expect(details.hint).toBe(hint);
  });

  test("a message quotes at most 40 characters of what was written", async () => {
    const text = "x".repeat(300);
    const { message } = await expectError(() => parseConditions(`${text}<1`), "invalid_argument");
    expect(message).not.toContain("x".repeat(41));
  });
});

test("any text is parsed, or refused by an error for users", () => {
  const words = fc.constantFrom(
    "pe",
    "roe",
    "<",
    "<=",
    "!=",
    "=",
    "20",
    "-1.5",
    "B",
    ",",
    " ",
    "(",
    "🙂",
  );
  const text = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.array(words).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (written) => {
      for (const parse of [parseConditions, parseSort, parseMetrics]) {
        try {
          expect(parse(written)).toBeObject();
        } catch (error) {
          expect(error).toBeInstanceOf(BourseError);
        }
      }
    }),
  );
});

describe("a sort", () => {
  test.each([
    ["pe", "pe", "ascending"],
    ["-market_cap", "market_cap", "descending"],
    ["both:change_percent", "change_percent", "both"],
    ["Both:Chg %", "change_percent", "both"],
    ["-EV", "enterprise_value", "descending"],
    ["market_cap desc", "market_cap", "descending"],
    ["Market Cap DESC", "market_cap", "descending"],
    ["pe:asc", "pe", "ascending"],
    ["pe descending", "pe", "descending"],
  ])("%s", (text, metric, order) => {
    expect(parseSort(text) as object).toEqual({ metric, order });
  });

  test.each(["", "-", "both:", "--pe", "top:pe", "-pe desc", "both:pe desc", "desc"])(
    "refuses %j",
    async (text) => {
      const { details } = await expectError(() => parseSort(text), "invalid_argument");
      expect(details.param).toBe("sort");
    },
  );
});

test("metrics are a list without repetitions", async () => {
  expect(parseMetrics("pe, Market-Cap,pe,P/B") as string[]).toEqual(["pe", "market_cap", "pb"]);
  const { details } = await expectError(() => parseMetrics("pe,betta"), "invalid_argument");
  expect(details).toMatchObject({ param: "metrics", hint: "Did you mean beta?" });
});
