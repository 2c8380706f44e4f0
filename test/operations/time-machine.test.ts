import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { addDays, daysBetween } from "#lib/date.ts";
import { REASONS } from "#domain/reasons.ts";
import { ENDPOINTS } from "#http/console-api.ts";
import type { Endpoint } from "#http/console-endpoint.ts";
import { createExecutor } from "#operations/execute.ts";
import { FIRST_KNOWN } from "#operations/get-macro-forecast.ts";
import { OPERATIONS } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import { secStatements } from "#sources/sec/statements.ts";
import type { MarketStore } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { secQuery } from "../support/company-facts.ts";
import { cutMarket } from "../support/cut-market.ts";
import {
  answerOf,
  type Arguments,
  argumentsOf,
  DATED,
  oneOf,
  randomFrom,
} from "../support/dated-calls.ts";
import { openCopiedMarket } from "../support/empty-files.ts";
import { EVENTFUL_NOW, fillEventful } from "../support/eventful-market.ts";
import { transformed } from "../support/fetcher.ts";
import { openTestMarket, stock } from "../support/market.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";
import { TESTS_ALL } from "../support/test-all.ts";

// The law of the time machine: the answer with known_on=D on the whole store is the answer on a store from which SQL
// removed everything that became known after D. Arguments are chosen at random from the declarations of operations.

/** Operations without the argument, each with the reason. */
const WITHOUT_DAY: Readonly<Record<string, string>> = {
  save_list: "changes a list",
  delete_list: "changes a list",
  save_alert: "changes an alert",
  delete_alert: "changes an alert",
  get_alerts: "has the user's own alerts, and what they said",
  get_brief: "has days of its own: since, and the last brief of its token",
};

const folder = openFolder();
const whole = openCopiedMarket(folder.path, () => EVENTFUL_NOW);
fillEventful(whole);
whole.checkpoint();
afterAll(() => {
  whole.close();
  folder[Symbol.dispose]();
});

const [FIRST_DAY, LAST_DAY] = ["2021-02-01", "2026-11-19"];
const DAYS = TESTS_ALL ? 40 : 5;
const CASES_A_DAY = TESTS_ALL ? 50 : 20;

/** Operations whose answer with known_on has more labels than the answer of today. */
const MORE_LABELS = new Set(["get_stock_statements", "get_metric_history"]);

/** An answer without the fields of a past day. */
function withoutDay(answer: string): unknown {
  // check_figures says the reason in a note.
  const sentences = new Set<unknown>(Object.values(REASONS));
  const text = answer.replaceAll(` ${FIRST_KNOWN}`, "");
  const parsed = JSON.parse(text, (_, value: unknown) => (sentences.has(value) ? "" : value)) as {
    data?: Record<string, unknown>;
  };
  delete parsed.data?.["known_on"];
  delete parsed.data?.["not_rewound"];
  // A figure that is null because of the day has another reason.
  delete parsed.data?.["reasons"];
  delete parsed.data?.["Reasons"];
  return parsed;
}

describe("an answer with known_on", () => {
  test("every operation has it, or its reason", () => {
    const without = OPERATIONS.filter(({ notRewound }) => notRewound === undefined);
    expect(without.map(({ name }) => name).sort()).toEqual(Object.keys(WITHOUT_DAY).sort());
  });

  const random = randomFrom(20_261_120);
  const span = daysBetween(FIRST_DAY, LAST_DAY);
  for (const day of Array.from({ length: DAYS }, () =>
    addDays(FIRST_DAY, Math.floor(random() * span)),
  )) {
    test(`on ${day} is the answer of a market without later records`, async () => {
      using cut = cutMarket(join(folder.path, "market.db"), day);
      const clock = () => EVENTFUL_NOW;
      const ofWhole = createExecutor({ market: whole, clock });
      const ofCut = createExecutor({ market: cut.market, clock });
      const answers: { name: string; operation: Operation; args: Arguments; dated: string }[] = [];
      for (let i = 0; i < CASES_A_DAY; i++) {
        const operation = oneOf(random, DATED);
        const args = argumentsOf(operation, day, random);
        const asked = { ...args, known_on: day };
        const dated = await answerOf(ofWhole, operation, asked);
        const name = `${operation.name} ${JSON.stringify(asked)}`;
        expect(`${name}\n${dated}`).toBe(`${name}\n${await answerOf(ofCut, operation, asked)}`);
        answers.push({ name, operation, args, dated });
      }
      const unlisted = cut.dropUnlisted();
      const then = createExecutor({
        market: cut.market,
        clock: () => Date.parse(day) + 86_399_999,
      });
      for (const { name, operation, args, dated } of answers) {
        const isUnlisted = unlisted.some((symbol) => JSON.stringify(args).includes(symbol));
        if (isUnlisted || MORE_LABELS.has(operation.name)) continue;
        const now = await answerOf(then, operation, args);
        expect([name, withoutDay(dated)]).toEqual([name, withoutDay(now)]);
      }
    });
  }
});

/** The query of each endpoint of the console that combines operations. */
const CONSOLE_QUERIES: Readonly<Record<string, string>> = {
  "macro-lines": "country=US",
  "indicator-lines": "country=US&symbol=NVDA&limit=30",
  distribution: "country=US&metrics=pe",
};

describe("an endpoint of the console with known_on", () => {
  const day = "2024-03-29";
  // data/:operation passes the arguments of one call on, and alert-check checks a rule for the present.
  const others = ["data/:operation", "alert-check"];
  const combining = ENDPOINTS.filter(
    ({ readsMarket, path }) => readsMarket && !others.includes(path),
  );
  test.each(combining.map((one) => [one.path, one] as const))(
    "%s is the answer of a market without later records",
    async (path, endpoint) => {
      using cut = cutMarket(join(folder.path, "market.db"), day);
      const answerIn = async (market: MarketStore, on: string | null) => {
        const executor = createExecutor({ market, clock: () => EVENTFUL_NOW });
        const query = new URLSearchParams(CONSOLE_QUERIES[path]);
        if (on !== null) query.set("known_on", on);
        const call = { visit: { query } } as unknown as Parameters<Endpoint["handle"]>[0];
        return endpoint.handle(call, async (asked) => executor.execute(asked));
      };
      const dated = await answerIn(whole, day);
      expect(dated).toEqual(await answerIn(cut.market, day));
      expect(dated).not.toEqual(await answerIn(whole, null));
    },
  );
});

describe("seen from before and after", () => {
  const executor = createExecutor({ market: whole, clock: () => EVENTFUL_NOW });
  const ask = async (name: string, args: Arguments) => {
    const operation = OPERATIONS.find((one) => one.name === name);
    if (!operation) throw new Error(name);
    return JSON.parse(await answerOf(executor, operation, args)) as {
      readonly data: Record<string, unknown>;
    };
  };
  const closeOf = async (symbol: string, date: string, known_on: string) => {
    const args = { country: "US", symbol, from: date, to: date, known_on };
    const { data } = await ask("get_stock_price_history", args);
    return (data["closes"] as number[])[0];
  };

  test("a split of ten for one divides the closes before it", async () => {
    const before = await closeOf("NVDA", "2024-06-07", "2024-06-07");
    const after = await closeOf("NVDA", "2024-06-07", "2024-06-10");
    expect(before).toBeCloseTo(10 * (after ?? 0), 6);
    expect(after).toBe(await closeOf("NVDA", "2024-06-07", "2026-11-19"));
  });

  test("a spin-off of 1281 for 1000 divides the closes before it", async () => {
    const before = await closeOf("SPUN", "2023-09-01", "2023-09-04");
    const after = await closeOf("SPUN", "2023-09-01", "2023-09-05");
    expect(before).toBeCloseTo(1.281 * (after ?? 0), 6);
  });

  test("a market cap is the close times the filed shares, in the shares of the day, in every answer", async () => {
    const capOn = async (day: string) => {
      const asked = { symbols: "US:NVDA", metrics: "market_cap", known_on: day };
      const compared = (await ask("compare_stocks", asked)).data["rows"] as number[][];
      const listed = (await ask("list_symbols", { query: "NVDA", known_on: day })).data["symbols"];
      const sectors = (await ask("get_sector_overview", { country: "US", known_on: day })).data;
      const rows = sectors["rows"] as { slug: string; market_cap: number }[];
      const technology = rows.find(({ slug }) => slug === "technology")?.market_cap ?? 0;
      const [row] = listed as { market_cap: number }[];
      const cap = row?.market_cap ?? Number.NaN;
      expect(compared[0]?.at(-1)).toBe(cap);
      expect(technology).toBeGreaterThan(cap);
      return cap;
    };
    const filed = whole.statements
      .list({ country: "US", symbol: "NVDA" })
      .findLast(({ filedOn }) => filedOn <= "2024-06-07")?.items.sharesOutstanding;
    // Today's shares are ten for one before the split, and closes too.
    for (const day of ["2024-06-07", "2024-06-10"]) {
      const close = (await closeOf("NVDA", day, "2026-11-19")) ?? Number.NaN;
      expect(Math.abs((await capOn(day)) / (close * (filed ?? Number.NaN)) - 1)).toBeLessThan(1e-4);
    }
  });

  test("a restatement counts from the day of its filing", async () => {
    const [first, again] = whole.statements
      .listFiled({ country: "US", symbol: "KO" })
      .filter(({ accession }) => accession !== null);
    if (!first || !again) throw new Error("KO has no restatement.");
    const revenueOn = (day: string) =>
      whole
        .asKnownOn(day)
        .statements.list(first)
        .find(({ periodEnd, span }) => periodEnd === first.periodEnd && span === first.span)?.items
        .revenue;
    expect(again.periodEnd).toBe(first.periodEnd);
    expect(revenueOn(addDays(first.filedOn, -1))).toBeUndefined();
    expect(revenueOn(addDays(again.filedOn, -1))).toBe(first.items.revenue);
    expect(revenueOn(again.filedOn)).toBe(again.items.revenue);
    // A day of filing can be an assumed one.
    expect(
      await ask("get_stock_overview", { country: "VN", symbol: "FPT", known_on: FIRST_DAY }),
    ).toMatchObject({
      data: { not_rewound: expect.arrayContaining(["assumed days of filing"]) },
    });
    // 90 % of the figure.
    expect(first.items.revenue).toBe(Math.round((again.items.revenue ?? 0) * 0.9));
  });

  test("a delisted share is listed until then", async () => {
    const symbolsOn = async (known_on: string) => {
      const { data } = await ask("screen_stocks", { country: "US", limit: 100, known_on });
      return (data["rows"] as string[][]).map(([symbol]) => symbol);
    };
    expect(await symbolsOn("2024-06-28")).toContain("GONE");
    expect(await symbolsOn("2024-07-02")).not.toContain("GONE");
    const overview = { country: "US", symbol: "GONE" };
    expect((await ask("get_stock_overview", overview)).data["delisted"]).toBeString();
    const then = await ask("get_stock_overview", { ...overview, known_on: "2024-06-28" });
    expect(then.data["delisted"]).toBeUndefined();
    const { data } = await ask("list_symbols", { query: "GONE", known_on: "2024-06-28" });
    expect(data["symbols"]).toEqual([expect.objectContaining({ symbol: "GONE" })]);
    expect((await ask("list_symbols", { query: "GONE Inc" })).data["total"]).toBe(0);
  });

  test("a share that was listed later is in no list, and a renamed one has today's name", async () => {
    const listed = async (known_on: string) =>
      (await ask("list_symbols", { query: "QUOT", known_on })).data["total"];
    expect(await listed("2025-06-01")).toBe(0);
    expect(await listed("2025-06-02")).toBe(1);
    const { data } = await ask("get_stock_overview", {
      country: "US",
      symbol: "KO",
      known_on: "2022-03-01",
    });
    expect(data["not_rewound"]).toContain("names and symbols");
  });

  test("a quote stored after its session has only the price on the day of the session", async () => {
    const quoteOn = async (known_on: string) => {
      const metrics = "price,pe,dividend_yield";
      const { data } = await ask("compare_stocks", { symbols: "US:QUOT", metrics, known_on });
      return (data["rows"] as unknown[][])[0]?.slice(-3);
    };
    // Of 2025-06-06, stored on the next day: 12 dollars at earnings of 0.5.
    expect(await quoteOn("2025-06-06")).toEqual([12, null, null]);
    expect(await quoteOn("2025-06-07")).toEqual([12, 24, 1]);
  });

  test("a profile is known from the day on which it was stored", async () => {
    const { employees, summary } = whole.instruments.find({ country: "US", symbol: "KO" }) ?? {};
    expect(employees).toBeNumber();
    const profileOn = async (known_on: string) => {
      const { data } = await ask("get_stock_overview", { country: "US", symbol: "KO", known_on });
      const { business_summary, employees } = data["business_model"] as Record<string, unknown>;
      return [business_summary, employees];
    };
    // The market was stored on 2026-11-20.
    expect(await profileOn("2026-11-19")).toEqual(["—", undefined]);
    expect(await profileOn("2026-11-20")).toEqual([summary, employees]);
    const args = { symbols: "US:KO", metrics: "employees", known_on: "2026-11-19" };
    const { data } = await ask("compare_stocks", args);
    expect((data["rows"] as unknown[][])[0]?.at(-1)).toBeNull();
    expect(data["reasons"]).toEqual({ not_stored: ["employees"] });
  });

  test("a day of mourning is no holiday before it was known", async () => {
    const holidaysOn = async (known_on: string) => {
      const { data } = await ask("get_markets", { country: "US", known_on });
      const [market] = data["countries"] as { upcoming_holidays: { date: string }[] }[];
      return market?.upcoming_holidays.map(({ date }) => date).slice(0, 3);
    };
    // President Carter died on 2024-12-29. The exchanges said the day after that they would close.
    const before = ["2025-01-01", "2025-01-20", "2025-02-17"];
    expect(await holidaysOn("2024-12-29")).toEqual(before);
    expect(await holidaysOn("2024-12-30")).toEqual(["2025-01-01", "2025-01-09", "2025-01-20"]);
    expect(await holidaysOn("2025-01-09")).toEqual(["2025-01-09", "2025-01-20", "2025-02-17"]);
  });

  test("no error names a share that was listed later", async () => {
    const overviewOf = async (country: string, symbol: string, known_on: string) =>
      JSON.stringify(await ask("get_stock_overview", { country, symbol, known_on }));
    for (const [country, symbol] of [
      ["US", "QUOT.XX"],
      ["US", "QUOTE"],
      ["JP", "QUOT"],
    ] as const) {
      const text = await overviewOf(country, symbol, "2025-06-01");
      expect(text.replaceAll(symbol, "")).not.toMatch(/QUOT|exists in/);
      expect(await overviewOf(country, symbol, "2025-06-02")).toMatch(/mean QUOT|exists in US/);
    }
    const unknownOn = async (known_on: string) =>
      JSON.stringify((await ask("compare_stocks", { symbols: "JP:QUOT,KO", known_on })).data);
    expect(await unknownOn("2025-06-01")).not.toContain("US:QUOT");
    expect(await unknownOn("2025-06-02")).toContain("Not in JP, but in US.");
    const suggestionsOn = async (known_on: string) =>
      (await ask("list_symbols", { query: "QUOT.XX", known_on })).data["suggestions"];
    expect(await suggestionsOn("2025-06-01")).toEqual([]);
    expect(await suggestionsOn("2025-06-02")).toEqual(["US:QUOT QUOT Inc"]);
  });

  test("later dates, and days that have not begun, are refused", async () => {
    const args = { country: "US", symbol: "KO", known_on: "2023-03-31" };
    expect(await ask("get_stock_price_history", { ...args, to: "2023-04-03" })).toMatchObject([
      "invalid_argument",
      "to must be 2023-03-31 (known_on) or earlier, not 2023-04-03.",
      { param: "to" },
    ]);
    expect(await ask("get_stock_overview", { ...args, known_on: "2026-11-21" })).toMatchObject([
      "invalid_argument",
      "known_on must be today, 2026-11-20, or earlier, not 2026-11-21.",
      { param: "known_on" },
    ]);
  });
});

describe.skipIf(!hasRecordings)("a recorded company, cut by the days of its filings", () => {
  const SPLITS = [
    { exDate: "2014-06-09", numerator: 7, denominator: 1 },
    { exDate: "2020-08-31", numerator: 4, denominator: 1 },
  ];
  const key = { country: "US", symbol: "AAPL" } as const;
  const own = hasRecordings ? recordedJson("sec/companyfacts_CIK0000320193.json") : null;

  /** A market with the company by the facts and splits that were known on a day. */
  function openFacts(day: string) {
    const known = JSON.parse(
      JSON.stringify(own, (_, value: unknown) =>
        Array.isArray(value) ? value.filter(({ filed = "" }) => filed <= day) : value,
      ),
    );
    const splits = SPLITS.filter(({ exDate }) => exDate <= day);
    const query = { ...secQuery("AAPL", EVENTFUL_NOW), splitsOf: () => splits };
    const answers = { own: known, predecessor: null };
    const stored = { source: "sec", storedAt: EVENTFUL_NOW };
    const world = openTestMarket();
    world.market.transaction(() => {
      world.market.put("instruments", [stock("US", "AAPL", { sharesOutstanding: null })], stored);
      world.market.put("splits", [{ ...key, splits }], stored);
      const statements = transformed("statements", secStatements, answers, query);
      world.market.put("statements", statements, stored);
      for (const { kind, records } of secStatements.others?.(answers, query) ?? [])
        world.market.put(kind, records, stored);
    });
    return world;
  }

  const random = randomFrom(320_193);
  const days = Array.from({ length: TESTS_ALL ? 41 : 1 }, () =>
    addDays("2010-06-01", Math.floor(random() * daysBetween("2010-06-01", "2025-10-01"))),
  );
  /** Random arguments of a call that asks for the company. */
  function argumentsOfKey(operation: Operation, day: string): Arguments {
    const args = argumentsOf(operation, day, random);
    for (const [name, value] of Object.entries({ ...key, symbols: "US:AAPL", tickers: "AAPL" }))
      if (args[name] !== undefined) args[name] = value;
    return { ...args, known_on: day };
  }

  test("has the same statements and answers on a day as without later filings", async () => {
    using all = openFacts("9999-12-31");
    const executorOf = ({ market }: typeof all) =>
      createExecutor({ market, clock: () => EVENTFUL_NOW });
    const ofAll = executorOf(all);
    for (const day of days) {
      using cut = openFacts(day);
      const [known, expected] = [all.market.asKnownOn(day), cut.market.asKnownOn(day)];
      const then = cut.market.statements.list(key);
      expect([day, known.statements.list(key)]).toEqual([day, expected.statements.list(key)]);
      expect([day, known.statements.listFiled(key)]).toEqual([
        day,
        expected.statements.listFiled(key),
      ]);
      expect(then.length).toBeGreaterThan(3);
      const ofCut = executorOf(cut);
      for (let i = 0; i < CASES_A_DAY; i++) {
        const operation = oneOf(random, DATED);
        const args = argumentsOfKey(operation, day);
        const name = `${operation.name} ${JSON.stringify(args)}\n`;
        const dated = await answerOf(ofAll, operation, args);
        expect(`${name}${dated}`).toBe(`${name}${await answerOf(ofCut, operation, args)}`);
      }
    }
  });
});
