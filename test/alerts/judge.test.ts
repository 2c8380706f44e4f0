import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type ConditionState,
  type EventState,
  type InstrumentFacts,
  judgeCondition,
  judgeEvent,
  judgeRelease,
  judgeThesis,
  type RuleTerms,
  type ThesisState,
} from "#alerts/judge.ts";
import type { MetricName } from "#analytics/metrics.ts";
import { type ConditionRule, parseRule, parseThesis } from "#operations/alerts/rule.ts";
import type { InstrumentEventRule } from "#operations/alerts/rule-words.ts";

type Known = Partial<Record<MetricName, number | null>>;

/** Facts of an instrument. Figures that are left out are unknown. */
const factsOf = (figures: Known, others: Partial<InstrumentFacts> = {}): InstrumentFacts => ({
  of: { country: "US", symbol: "AAPL", name: "Apple Inc.", assetType: "stock" },
  read: (name) => figures[name] ?? null,
  medianOf: () => null,
  currencyOf: (name) => (name === "price" ? "USD" : null),
  currency: "USD",
  price: null,
  splits: [],
  day: "2026-06-10",
  today: "2026-06-10",
  filing: null,
  statementsAfter: () => [],
  report: null,
  dividends: [],
  ratingLabel: null,
  ...others,
});

const AGAIN: RuleTerms = { repeat: "again", since: "2026-06-01" };
const ONCE: RuleTerms = { ...AGAIN, repeat: "once" };
const conditionOf = (text: string) => parseRule(text) as ConditionRule;
const eventOf = (text: string) => parseRule(text) as InstrumentEventRule;

/** What a state is after it was stored and read. */
const restart = <T>(state: T): T => JSON.parse(JSON.stringify(state)) as T;

/** The places of the messages that a condition gives over figures; the first judgement has place 0. */
function fired(text: string, history: readonly Known[], terms = AGAIN, restartsAt = -1): number[] {
  let state: ConditionState | null = null;
  return history.flatMap((figures, at) => {
    const judged = judgeCondition(conditionOf(text), state, factsOf(figures), terms);
    state = at === restartsAt ? restart(judged.state) : judged.state;
    return judged.message ? [at] : [];
  });
}

/** The same for events, with the facts of each day. */
function told(text: string, days: readonly Partial<InstrumentFacts>[], terms = AGAIN) {
  let state: EventState | null = null;
  return days.flatMap((facts) => {
    const judged = judgeEvent(eventOf(text), state, factsOf({}, facts), terms);
    state = restart(judged.state);
    return judged.message ? [judged.message] : [];
  });
}

const prices = (...list: (number | null)[]) => list.map((price): Known => ({ price }));

describe("a condition", () => {
  test.each([
    ["fires when it begins to hold", prices(400, 370), [1]],
    ["does not fire while it goes on to hold", prices(400, 370, 360, 379), [1]],
    ["fires again after it was false", prices(400, 370, 390, 370), [1, 3]],
    ["does not fire if it held when it was made", prices(370, 360), []],
    ["fires then after it was false", prices(370, 390, 360), [2]],
    ["is not armed again by an unknown figure", prices(400, 370, null, 370), [1]],
    ["fires after an unknown figure if it was false before", prices(400, null, 370), [2]],
    ["fires if its first truth was unknown", prices(null, 370), [1]],
    ["never fires on the limit itself", prices(400, 380, 380), []],
  ])("%s", (_, history, expected) => {
    expect(fired("price<380", history)).toEqual(expected);
  });

  test("fires once if it is to fire once", () => {
    expect(fired("price<380", prices(400, 370, 390, 370), ONCE)).toEqual([1]);
  });

  test("is false by one known figure, and true only by all", () => {
    const history: Known[] = [
      { pe: 20, roe: 30 },
      { pe: 14, roe: null },
      { pe: 14, roe: 30 },
      { pe: null, roe: 10 },
      { pe: 14, roe: 30 },
    ];
    expect(fired("pe<15,roe>25", history)).toEqual([2, 4]);
  });

  test("of alternatives holds if one of them does", () => {
    const history: Known[] = [
      { pe: 20, rsi: 50 },
      { pe: null, rsi: 25 },
      { pe: 14, rsi: 50 },
    ];
    expect(fired("pe<15 or rsi<30", history)).toEqual([1]);
  });

  test("says its figures and limits", () => {
    const state = { is: false };
    const facts = factsOf({ pe: 14.2, pe_5y_median: 20.1 });
    const { message } = judgeCondition(conditionOf("pe<pe_5y_median"), state, facts, AGAIN);
    const figure = {
      metric: "pe",
      operator: "<",
      value: 14.2,
      limit: 20.1,
      limitOf: "pe_5y_median",
    };
    expect(message).toMatchObject({ kind: "condition", figures: [figure] });
  });

  // 2 new shares for one: a limit of 380 is 190, earnings of 8 a share are 4, and 10 million shares are 20 million.
  const split = [{ exDate: "2026-06-09", numerator: 2, denominator: 1 }];
  test.each([
    ["price<380", { price: 200 }, false],
    ["price<380", { price: 189.9 }, true],
    ["eps>8", { eps: 4.1 }, true],
    ["eps>8", { eps: 4 }, false],
    ["volume>10M", { volume: 20e6 }, false],
    ["volume>10M", { volume: 20e6 + 1 }, true],
    ["foreign_room<10M", { foreign_room: 20e6 - 1 }, true],
    ["foreign_room<10M", { foreign_room: 20e6 }, false],
    ["market_cap<380", { market_cap: 200 }, true],
  ] as const)("%s after a split of 2 for 1 with %o is %p", (text, figures, is) => {
    const facts = factsOf(figures, { splits: split });
    expect(judgeCondition(conditionOf(text), { is: false }, facts, AGAIN).is).toBe(is);
  });

  test("that is written after a split is in new shares", () => {
    const facts = factsOf({ price: 200 }, { splits: split });
    const terms: RuleTerms = { repeat: "again", since: "2026-06-09" };
    expect(judgeCondition(conditionOf("price<380"), { is: false }, facts, terms).is).toBe(true);
  });

  // A spin-off of 1281 for 1000 changes prices, and no number of shares.
  test("of a price follows a spin-off, of shares it does not", () => {
    const splits = [{ exDate: "2026-06-09", numerator: 1281, denominator: 1000 }];
    const at = (text: string, figures: Known) =>
      judgeCondition(conditionOf(text), { is: false }, factsOf(figures, { splits }), AGAIN).is;
    expect(at("price<128.1", { price: 100.5 })).toBe(false);
    expect(at("price<128.1", { price: 99.5 })).toBe(true);
    expect(at("eps>8", { eps: 7 })).toBe(false);
  });
});

/** Prices around the limit, some unknown. */
const history = fc.array(fc.option(fc.integer({ min: 370, max: 390 })), { maxLength: 40 });

describe("laws of a condition", () => {
  test("each crossing fires exactly once, and unknown figures change nothing", () => {
    fc.assert(
      fc.property(history, (list) => {
        const known = list.flatMap((price, at) => (price === null ? [] : [{ price, at }]));
        const startsUnknown = list[0] === null;
        // A crossing: the truth of two known prices in a row differs, or the first truth came later.
        const crossings = known.flatMap(({ price, at }, i) => {
          const before = known[i - 1]?.price;
          const isNew = before === undefined ? startsUnknown : before >= 380;
          return price < 380 && isNew ? [at] : [];
        });
        expect(fired("price<380", prices(...list))).toEqual(crossings);
      }),
    );
  });

  test("a restart at any point changes nothing", () => {
    fc.assert(
      fc.property(history, fc.nat(40), (list, at) => {
        expect(fired("price<380", prices(...list), AGAIN, at)).toEqual(
          fired("price<380", prices(...list)),
        );
      }),
    );
  });

  test("once is the first of again", () => {
    fc.assert(
      fc.property(history, (list) => {
        const all = fired("price<380", prices(...list));
        expect(fired("price<380", prices(...list), ONCE)).toEqual(all.slice(0, 1));
      }),
    );
  });

  test("equal facts fire once", () => {
    fc.assert(
      fc.property(history, (list) => {
        const twice = list.flatMap((price) => [price, price]);
        expect(fired("price<380", prices(...twice)).length).toBe(
          fired("price<380", prices(...list)).length,
        );
      }),
    );
  });

  test("the order of records of two instruments does not matter", () => {
    fc.assert(
      fc.property(history, history, fc.infiniteStream(fc.boolean()), (one, other, order) => {
        const states = new Map<string, ConditionState>();
        const messages: Record<string, number[]> = { one: [], other: [] };
        const queues = { one: [...one.entries()], other: [...other.entries()] };
        while (queues.one.length + queues.other.length > 0) {
          const first = order.next().value ? "one" : "other";
          const name = queues[first].length > 0 ? first : first === "one" ? "other" : "one";
          const [at, price] = queues[name].shift() ?? [0, null];
          const before = states.get(name) ?? null;
          const judged = judgeCondition(
            conditionOf("price<380"),
            before,
            factsOf({ price }),
            AGAIN,
          );
          states.set(name, judged.state);
          if (judged.message) messages[name]?.push(at);
        }
        expect(messages).toEqual({
          one: fired("price<380", prices(...one)),
          other: fired("price<380", prices(...other)),
        });
      }),
    );
  });
});

describe("a thesis", () => {
  const thesis = {
    list: "core",
    text: "I hold it while it earns well.",
    rule: parseThesis("roe>25,revenue_growth>0"),
  };
  const filed = (periodEnd: string, filedOn: string) => ({ periodEnd, quarter: 20261, filedOn });
  const judgeAll = (list: readonly InstrumentFacts[], of = thesis) => {
    let state: ThesisState | null = null;
    return list.map((facts) => {
      const judged = judgeThesis(of, state, facts);
      state = restart(judged.state);
      return judged.message;
    });
  };
  const first = factsOf(
    { roe: 27, revenue_growth: 4 },
    { filing: filed("2025-12-31", "2026-02-01") },
  );

  test("that new records break says the figures before and after, and the filing", () => {
    const filing = filed("2026-03-31", "2026-05-01");
    const after = factsOf({ roe: 23, revenue_growth: 5 }, { filing });
    const [, message, again] = judgeAll([first, after, after]);
    expect(message).toMatchObject({
      kind: "thesis",
      list: "core",
      text: thesis.text,
      broken: 1,
      figures: [
        { metric: "roe", before: 27, value: 23, limit: 25 },
        { metric: "revenue_growth", before: 4, value: 5, limit: 0 },
      ],
      filing: { ...filing, isRestated: false },
      move: null,
    });
    expect(again).toBeNull();
  });

  test("that a restatement breaks says that it is one", () => {
    const filing = filed("2025-12-31", "2026-05-01");
    const [, message] = judgeAll([first, factsOf({ roe: 20, revenue_growth: 4 }, { filing })]);
    expect(message).toMatchObject({ filing: { isRestated: true } });
  });

  test("that a correction of the same filing day breaks names the filing, not the price", () => {
    const { filing } = first;
    const price = { before: 300, after: 301, currency: "USD", date: "2026-06-10" };
    for (const [condition, before, after, of] of [
      ["roe>25", { roe: 27 }, { roe: 20 }, "roe"],
      // P/E 30 = 300 / 10. The earnings of a million shares were corrected to 9.
      ["pe<32", { pe: 30, net_income: 10e6 }, { pe: 301 / 9, net_income: 9e6 }, "pe"],
    ] as const) {
      const rule = { ...thesis, rule: parseThesis(condition) };
      const [, message] = judgeAll(
        [factsOf(before, { filing, price }), factsOf(after, { filing, price })],
        rule,
      );
      expect(message).toMatchObject({
        figures: [{ metric: of, before: before[of as never], value: after[of as never] }],
        filing: { ...filing, isRestated: true },
        move: null,
      });
    }
    // At another rate it is no correction.
    const rule = { ...thesis, rule: parseThesis("revenue>100 USD") };
    const [, message] = judgeAll(
      [factsOf({ revenue: 101 }, { filing, price }), factsOf({ revenue: 99 }, { filing, price })],
      rule,
    );
    expect(message).toMatchObject({ filing: null });
  });

  test("that a move of the price breaks names the move", () => {
    const rule = { ...thesis, rule: parseThesis("pe<30,roe>25") };
    const { filing } = first;
    const move = { before: 300, after: 340, currency: "USD", date: "2026-06-10" };
    const [, message] = judgeAll(
      [
        factsOf({ pe: 28, roe: 27 }, { filing }),
        factsOf({ pe: 31.7, roe: 27 }, { filing, price: move }),
      ],
      rule,
    );
    expect(message).toMatchObject({
      broken: 1,
      filing: null,
      move,
      figures: [{ metric: "pe" }, {}],
    });
  });

  test("names the filing if that broke a ratio to the price", () => {
    const rule = { ...thesis, rule: parseThesis("pe<30") };
    const filing = filed("2026-03-31", "2026-05-01");
    const price = { before: 300, after: 301, currency: "USD", date: "2026-06-10" };
    const [, message] = judgeAll(
      [factsOf({ pe: 28 }, { filing: first.filing }), factsOf({ pe: 40 }, { filing, price })],
      rule,
    );
    expect(message).toMatchObject({ filing, move: null });
  });

  test("says nothing at first, for unknown figures, and while it is broken", () => {
    const broken = factsOf({ roe: 20, revenue_growth: 4 });
    const unknown = factsOf({ roe: null, revenue_growth: 4 });
    expect(judgeAll([broken, unknown, broken])).toEqual([null, null, null]);
    expect(judgeAll([first, unknown, first])).toEqual([null, null, null]);
    // It was never known to hold.
    expect(judgeAll([unknown, broken])).toEqual([null, null]);
    expect(judgeAll([unknown, first, unknown, broken]).map(Boolean).at(-1)).toBe(true);
  });

  test("can break again after it held again", () => {
    const broken = factsOf({ roe: 20, revenue_growth: 4 });
    const said = judgeAll([first, broken, first, broken]).map((message) => message !== null);
    expect(said).toEqual([false, true, false, true]);
  });

  test("is told once for each time it broke, also over restarts and unknown figures", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.constantFrom(20, 30)), { maxLength: 30 }), (roes) => {
        const known = roes.flatMap((roe, at) => (roe === null ? [] : [{ roe, at }]));
        const breaks = known.flatMap(({ roe, at }, i) =>
          roe === 20 && known[i - 1]?.roe === 30 ? [at] : [],
        );
        const said = judgeAll(roes.map((roe) => factsOf({ roe, revenue_growth: 4 })));
        expect(said.flatMap((message, at) => (message ? [at] : []))).toEqual(breaks);
      }),
    );
  });

  test("with another condition begins anew", () => {
    const { state } = judgeThesis(thesis, null, first);
    const other = { ...thesis, rule: parseThesis("roe>50") };
    expect(judgeThesis(other, state, first).message).toBeNull();
  });

  test("changes its state once a session, not with every quote", () => {
    const priced = (after: number) =>
      factsOf(
        { roe: 27, revenue_growth: 4 },
        {
          price: { before: null, after, currency: "USD", date: "2026-06-10" },
        },
      );
    const { state } = judgeThesis(thesis, null, priced(300));
    expect(judgeThesis(thesis, state, priced(301)).state).toBe(state);
  });
});

describe("an event", () => {
  const report = (date: string) => ({
    report: {
      date,
      session: "after_market_close" as const,
      fiscalPeriod: "Q2 2026",
      epsEstimate: 1.4,
    },
  });

  test("is told once, from the days before it on", () => {
    const days = ["2026-06-10", "2026-06-11", "2026-06-12", "2026-06-13"];
    const messages = told(
      "earnings in 1d",
      days.map((today) => ({ today, ...report("2026-06-12") })),
    );
    expect(messages).toMatchObject([
      { date: "2026-06-12", days: 1, movedFrom: null, epsEstimate: 1.4 },
    ]);
  });

  test("that moved is told again, with the day that was named", () => {
    const messages = told("earnings in 1d", [
      { today: "2026-06-11", ...report("2026-06-12") },
      { today: "2026-06-11", ...report("2026-06-18") },
      { today: "2026-06-12", ...report("2026-06-18") },
      { today: "2026-06-17", ...report("2026-06-18") },
    ]);
    expect(messages).toMatchObject([
      { date: "2026-06-12", movedFrom: null },
      { date: "2026-06-18", movedFrom: "2026-06-12" },
      { date: "2026-06-18", movedFrom: null, days: 1 },
    ]);
  });

  test("of the next quarter is not the moved one of this quarter", () => {
    const messages = told("earnings in 1d", [
      { today: "2026-06-11", ...report("2026-06-12") },
      { today: "2026-06-12", ...report("2026-09-11") },
    ]);
    expect(messages).toMatchObject([{ date: "2026-06-12" }]);
  });

  test("that flips between two days is told once for each", () => {
    const days = [12, 13, 12, 13, 12].map((day) => ({
      today: "2026-06-12",
      ...report(`2026-06-${day}`),
    }));
    expect(told("earnings in 1d", days).length).toBe(2);
  });

  test("whose day is unknown for a while is told once", () => {
    const messages = told("earnings in 1d", [
      { today: "2026-06-11", ...report("2026-06-12") },
      { today: "2026-06-11", report: null },
      { today: "2026-06-11", ...report("2026-06-12") },
    ]);
    expect(messages.length).toBe(1);
  });

  test("of a dividend has the amount of its day", () => {
    const dividends = [
      { exDate: "2026-03-12", amount: 0.2 },
      { exDate: "2026-06-12", amount: 0.25 },
      { exDate: "2026-06-12", amount: 0.5 },
    ];
    const messages = told("ex_date in 2d", [{ dividends }, { dividends, today: "2026-06-11" }]);
    expect(messages).toMatchObject([
      { event: "ex_date", date: "2026-06-12", amount: 0.75, days: 2 },
    ]);
  });

  test("that is to be told once is told once", () => {
    const messages = told(
      "earnings in 1d",
      [
        { today: "2026-06-11", ...report("2026-06-12") },
        { today: "2026-09-10", ...report("2026-09-11") },
      ],
      ONCE,
    );
    expect(messages.length).toBe(1);
  });

  const filing = (periodEnd: string, filedOn: string) => ({
    filing: { periodEnd, quarter: null, filedOn },
  });
  test("of a statement is a later period, not a restatement", () => {
    const messages = told("statement", [
      filing("2025-12-31", "2026-02-01"),
      filing("2025-12-31", "2026-05-20"),
      filing("2026-03-31", "2026-06-09"),
      { filing: null },
      filing("2026-03-31", "2026-06-09"),
    ]);
    expect(messages).toMatchObject([{ event: "statement", filing: { periodEnd: "2026-03-31" } }]);
  });

  test("is no statement that was filed before the rule and arrives late", () => {
    expect(told("statement", [{ filing: null }, filing("2025-12-31", "2026-02-01")])).toEqual([]);
    expect(told("statement", [{ filing: null }, filing("2026-03-31", "2026-06-05")]).length).toBe(
      1,
    );
  });

  test("of a rating is another label", () => {
    const labels = [null, "Buy", "Buy", null, "Neutral"];
    const messages = told(
      "rating_change",
      labels.map((ratingLabel) => ({ ratingLabel })),
    );
    expect(messages).toMatchObject([{ before: "Buy", after: "Neutral" }]);
  });

  test("of a series is a publication whose figure became known", () => {
    const known = ["a", "b", "c"].map((id) => ({
      id,
      date: "2026-06-10",
      time: "12:30",
      previous: "2.0%",
      expected: "2.2%",
      actual: "2.1%",
    }));
    let state: EventState | null = null;
    const said = [known.slice(0, 1), known.slice(0, 1), known, known.slice(1)].map((list) => {
      const facts = { country: "JP" as const, name: "CPI inflation YoY", known: list };
      const judged = judgeRelease(state, facts, AGAIN);
      state = restart(judged.state);
      return judged.message;
    });
    const [, , message] = said;
    expect(said.map((one) => one !== null)).toEqual([false, false, true, false]);
    expect(message).toMatchObject({ event: "release", name: "CPI inflation YoY", actual: "2.1%" });
  });
});
