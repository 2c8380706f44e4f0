import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { METRIC_NAMES } from "#analytics/metrics.ts";
import { parseMetrics, parseSort } from "#operations/reading/metric-query.ts";
import { parseScreen } from "#operations/reading/screen-language.ts";
import { BourseError } from "#domain/errors.ts";
import { expectError } from "../../support/error.ts";

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
    const [condition, ...more] = parseScreen(text).flat();
    expect(more).toEqual([]);
    if (condition?.right.kind !== "number") throw new Error(`${text} has no number`);
    const { value: limit } = condition.right;
    for (const value of accepted)
      expect([value, condition.accepts(value, limit)]).toEqual([value, true]);
    for (const value of refused)
      expect([value, condition.accepts(value, limit)]).toEqual([value, false]);
  });

  test("are never met by an unknown value, not even !=", () => {
    for (const operator of ["<", "<=", ">", ">=", "=", "!="]) {
      const [[condition] = []] = parseScreen(`pe${operator}1`);
      expect(condition?.accepts(null, 1)).toBe(false);
      expect(condition?.accepts(1, null)).toBe(false);
    }
  });

  test.each(["roe>10, pe<20,roe<50", "roe>10 and pe<20 AND roe<50", "roe>10 && pe<20,roe<50"])(
    "are separated by commas or by and, and keep their order: %s",
    (text) => {
      const [conditions = [], ...others] = parseScreen(text);
      expect(conditions.map(({ metric }) => metric)).toEqual(["roe", "pe", "roe"]);
      expect(others).toEqual([]);
    },
  );

  test.each([
    // text, what the message and the hint must name
    ["pe", "<="],
    ["", "<="],
    ["pe===20", "!="],
    ["5<pe<10", "pe>5,pe<10"],
    ["sector=technology", "give sector"],
    ["sector!=technology", "cannot leave out a sector"],
    ["NOT sector=technology", "cannot leave out a sector"],
    ["pe<20,industry != banks", "add industry to metrics"],
    ["pe<15%", "pe is no percentage"],
    ["market_cap>10 %", "market_cap"],
    ["pe~20", "<="],
    ["pe is 20", "<="],
    ["market_cap>10,000", "thousands"],
    ["pe<", "number"],
    ["pe<abc", "number"],
    ["pe<20;roe>10", "commas"],
    ["(pe<20 or pb<1),roe>10", "as pe<10,roe>15 or pb<1,roe>15"],
    ["pe<20 or", "number"],
    ["pe<20 or ", "<="],
    ["pe<pe_5y_medain", "Did you mean pe_5y_median?"],
    ["pe<market_cap", "pe is a multiple, market_cap is an amount"],
    ["roe>next_ex_date", "next_ex_date is a date"],
    ["next_ex_date<soon", "2026-12-01"],
    ["next_ex_date<2026-02-30", "2026-12-01"],
    ["fiscal_period>3", "2026-Q3"],
    ["pe<industry.pb_median", "industry.pe_median"],
    ["beta<sector.beta_median", "Medians are known of pe, pb"],
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
    const { message, details } = await expectError(() => parseScreen(text), "invalid_argument");
    expect(details.param).toBe("where");
    expect(`${message} ${details.hint}`).toContain(wanted);
  });

  test("alternatives are separated by or; commas and `and` bind tighter", () => {
    const names = (text: string) =>
      parseScreen(text).map((conditions) => conditions.map(({ text: written }) => written));
    expect(names("pe<10,roe>15 or pb<1 and roe>5 OR beta<1 || rsi<30")).toEqual([
      ["pe<10", "roe>15"],
      ["pb<1", "roe>5"],
      ["beta<1"],
      ["rsi<30"],
    ]);
  });

  test.each([
    ["pe<pe_5y_median", { kind: "metric", metric: "pe_5y_median" }],
    ["return_1y > Return 1m", { kind: "metric", metric: "return_1m" }],
    ["cash>total_debt", { kind: "metric", metric: "total_debt" }],
    ["revenue_growth>roe", { kind: "metric", metric: "roe" }],
    [
      "pe<industry.pe_median",
      { kind: "median", group: "industry", statistic: "peMedian", name: "industry.pe_median" },
    ],
    [
      "ROE>=Sector.ROE",
      { kind: "median", group: "sector", statistic: "roeMedian", name: "sector.roe_median" },
    ],
    // 20,788 days after 1970-01-01: 56 years with 14 leap days, and 334 days of 2026.
    ["next_ex_date<2026-12-01", { kind: "number", value: 56 * 365 + 14 + 334 }],
    ["fiscal_period>=2026Q3", { kind: "number", value: 10 * 2026 + 3 }],
  ])("%s compares with the right side", (text, right) => {
    expect(parseScreen(text)[0]?.[0]?.right as unknown).toEqual(right);
  });

  test.each([
    ["dividend_yield>0.03", "percent: 0.03 is 0.03 %; for 3 % write 3"],
    ["return_1y<-0.1", "percent: -0.1 is -0.1 %; for -10 % write -10"],
    ["dividend_yield>0.03%", undefined],
    ["dividend_yield>0", undefined],
    ["dividend_yield>1", undefined],
    ["debt_to_equity<0.5", undefined],
    ["dividend_yield>dividend_yield_5y_median", undefined],
  ])("%s has the note %j", (text, note) => {
    expect(parseScreen(text)[0]?.[0]?.note).toBe(note);
  });

  test("an unknown metric is answered with usual ones, and `allowed` lists all", async () => {
    const error = await expectError(() => parseScreen("xyzzy>1"), "invalid_argument");
    expect(error.details).toEqual({
      param: "where",
      allowed: METRIC_NAMES,
      hint: expect.stringMatching(/^Usual ones are price, market_cap, pe,/),
    });
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
    const { details } = await expectError(() => parseScreen(text), "invalid_argument");
    expect(details.hint).toBe(hint);
  });

  test("a message quotes at most 40 characters of what was written", async () => {
    const text = "x".repeat(300);
    const { message } = await expectError(() => parseScreen(`${text}<1`), "invalid_argument");
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
      for (const parse of [parseScreen, parseSort, parseMetrics]) {
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
    ["配当利回りが高い順", "dividend_yield", "descending"],
    ["PERの低い順", "pe", "ascending"],
    ["時価総額 降順", "market_cap", "descending"],
    ["vốn hóa giảm dần", "market_cap", "descending"],
    ["P/E từ thấp đến cao", "pe", "ascending"],
    ["Market Cap DESC", "market_cap", "descending"],
    ["pe:asc", "pe", "ascending"],
    ["pe descending", "pe", "descending"],
    ["highest dividend yield", "dividend_yield", "descending"],
    ["Lowest P/E", "pe", "ascending"],
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

test.each([
  ["Op income", "operating_income"],
  ["Op incomeTTM", "operating_income"],
  ["EPS dil growth YoY", "eps_growth"],
  ["52-week high", "high_52w"],
  ["Net Profit Margin", "net_margin"],
  ["diluted EPS", "eps"],
  ["1株当たり利益", "eps"],
  ["１株利益", "eps"],
  ["営業利益率", "operating_margin"],
  ["株価収益率", "pe"],
  ["Doanh thu thuần", "revenue"],
  ["Lợi nhuận sau thuế", "net_income"],
  ["VỐN HÓA THỊ TRƯỜNG", "market_cap"],
])("%s names %s", (written, name) => {
  expect(parseMetrics(written) as string[]).toEqual([name]);
});
