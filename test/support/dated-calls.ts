import type { TSchema } from "@sinclair/typebox";
import { BourseError } from "#domain/errors.ts";
import { addDays } from "#lib/date.ts";
import { decodeRequest, type Executor } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import { EVENTFUL_SYMBOLS } from "./eventful-market.ts";

// Random calls in a past day of the eventful market.

/** The operations that can answer as known on a past day. */
export const DATED = OPERATIONS.filter(({ notRewound }) => notRewound !== undefined);

/** A generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Numbers from 0 to 1. */
export type Random = () => number;
/** The arguments of a call. */
export type Arguments = Record<string, unknown>;
/** One of a list. */
export const oneOf = <T>(random: Random, list: readonly T[]): T =>
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
  "employees",
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

/** Arguments of a call, chosen at random from the declaration, as a client in a past day could ask. */
export function argumentsOf({ input }: Operation, day: string, random: Random): Arguments {
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
export async function answerOf(
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
