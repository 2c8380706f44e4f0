import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { TSchema } from "@sinclair/typebox";
import { BourseError } from "#domain/errors.ts";
import { addDays, daysBetween } from "#lib/date.ts";
import { createExecutor, decodeRequest, type Executor } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import { openFolder } from "../support/access.ts";
import { cutMarket } from "../support/cut-market.ts";
import { openCopiedMarket } from "../support/empty-files.ts";
import { EVENTFUL_NOW, EVENTFUL_SYMBOLS, fillEventful } from "../support/eventful-market.ts";
import { TESTS_ALL } from "../support/test-all.ts";

// The law of the time machine: the answer with known_on=D on the whole store is the answer on a store from which SQL
// removed everything that became known after D. Arguments are chosen at random from the declarations of operations.

/** Operations without the argument, each with the reason. */
const WITHOUT_DAY: Readonly<Record<string, string>> = {
  save_list: "changes a list",
  delete_list: "changes a list",
  get_brief: "has days of its own: since, and the last brief of its token",
};

const DATED = OPERATIONS.filter(({ notRewound }) => notRewound !== undefined);

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

/** A generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;
type Arguments = Record<string, unknown>;
const oneOf = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T;

const METRICS = [
  "price",
  "pe",
  "market_cap",
  "roe",
  "revenue_growth",
  "beta",
  "volatility",
  "return_1y",
  "dividend_yield",
  "pe_percentile_5y",
  "total_return_5y",
  "eps_surprise",
];

/** A value of an argument; undefined if nothing is known of it. */
function valueOf(name: string, schema: TSchema, day: string, random: Random): unknown {
  const countries = ["US", "JP", "VN"] as const;
  const keys = Object.entries(EVENTFUL_SYMBOLS).flatMap(([country, symbols]) =>
    symbols.map((symbol) => `${country}:${symbol}`),
  );
  const several = (count: number) =>
    Array.from({ length: count }, () => oneOf(random, keys)).join(",");
  const date = () => addDays(day, -Math.floor(random() * 900));
  const pool: Record<string, () => unknown> = {
    country: () => oneOf(random, countries),
    symbol: () => undefined,
    symbols: () => several(1 + Math.floor(random() * 4)),
    tickers: () => oneOf(random, ["AAPL,NVDA", "KO", "GONE,COIN"]),
    holdings: () =>
      oneOf(random, [
        "US:AAPL=10,JP:7203=300",
        "US:NVDA=50%,US:KO=40%,cash:USD=10%",
        "US:GONE=5,VN:FPT=100",
      ]),
    claims: () =>
      several(5)
        .split(",")
        .map((key) => {
          const figure = oneOf(random, [...METRICS, "revenue", "eps", "close", "inventory"]);
          const value = oneOf(random, ["35", "1.5B", "12%", "-3"]);
          return `${key}|${figure}|${value}|${oneOf(random, ["", date(), "2024", "Q2 2023", "TTM"])}`;
        })
        .join("\n"),
    metrics: () =>
      [oneOf(random, METRICS), oneOf(random, METRICS)]
        .filter((one, i, all) => all.indexOf(one) === i)
        .join(","),
    currency: () => oneOf(random, ["USD", "EUR", "JPY"]),
    where: () =>
      oneOf(random, ["pe<30", "return_1y>0", "market_cap>1000000", "net_margin>10,pe>5"]),
    sort: () => oneOf(random, ["-market_cap", "pe", "-return_1y"]),
    dates: () => `${date()},${date()}`,
    queries: () => oneOf(random, ["apple,gone inc", "toyota,palantir"]),
    years: () => undefined,
    series: () => oneOf(random, ["Unemployment rate", "GDP growth YoY", "Inflation rate YoY"]),
    query: () => oneOf(random, ["a", "corp", "GONE", "toyota", "nv", "inc", "coin"]),
    range: () => (schema["enum"] ? undefined : oneOf(random, ["1m", "1y", "3y"])),
  };
  const known = pool[name]?.();
  if (known !== undefined || name === "symbol") return known;
  if (Array.isArray(schema["enum"])) return oneOf(random, schema["enum"] as string[]);
  if (schema["type"] === "boolean") return random() < 0.5;
  if (schema["type"] === "integer")
    return 1 + Math.floor(random() * Math.min(Number(schema["maximum"] ?? 10), 12));
  return schema["format"] === "date" ? date() : undefined;
}

/** Arguments of a call, chosen from the declaration. */
function argumentsOf({ input }: Operation, day: string, random: Random): Arguments {
  const args: Arguments = {};
  for (const [name, schema] of Object.entries(input.properties)) {
    const isRequired = input.required?.includes(name) ?? false;
    if (name === "known_on" || (!isRequired && random() > 0.3)) continue;
    args[name] = valueOf(name, schema as TSchema, day, random);
  }
  if ("symbol" in input.properties) {
    const country = oneOf(random, ["US", "US", "JP", "VN"] as const);
    args["country"] = country;
    args["symbol"] = oneOf(random, EVENTFUL_SYMBOLS[country]);
  }
  return args;
}

/** The payload of an answer as text, or the refusal. */
async function answerOf(
  executor: Executor,
  operation: Operation,
  args: Record<string, unknown>,
): Promise<string> {
  try {
    const { body } = await executor.execute(decodeRequest(operation, args));
    return body.replace(/"as_of":"[^"]*"\}$/, '"as_of":""}');
  } catch (error) {
    if (!(error instanceof BourseError)) throw error;
    return JSON.stringify([error.code, error.message, error.details]);
  }
}

/** Operations whose answer with known_on has more labels than the answer of today. */
const MORE_LABELS = new Set(["get_stock_statements", "get_metric_history"]);

/** An answer without the fields of a past day. */
function withoutDay(answer: string): unknown {
  const parsed = JSON.parse(answer) as { data?: Record<string, unknown> };
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
