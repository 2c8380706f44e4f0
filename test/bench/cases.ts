import { type Contender, FLOOR, type Prepared } from "./contenders.ts";
import type { ReadyAnswer } from "./floor.ts";
import { CONNECTIONS, type Load, type LoadGenerator } from "./load.ts";
import { processUsage } from "./process-usage.ts";
import type { HttpResults, Round } from "./report.ts";

/** Below the 5,000 calls that a token has in an hour. */
const CALLS_PER_TOKEN = 4_500;
/** An upper bound of the calls a second of one process. */
const MAX_CALLS_PER_SECOND = 200_000;
const KEYS = 5_000;
const TOKENS_FOR_KEYS = Math.ceil(KEYS / CALLS_PER_TOKEN);

/** The number of fresh tokens that a run of these seconds may use up. */
export const tokensFor = (seconds: number): number =>
  Math.ceil((seconds * MAX_CALLS_PER_SECOND) / CALLS_PER_TOKEN);

/** One job, the same for every contender. */
export interface Case {
  readonly name: string;
  readonly status: number;
  /** True if the floor is also measured with all of the service's headers. */
  readonly hasHeadedFloor?: boolean;
  /** The peers that run the case; null for none. */
  readonly peers: "rest" | "mcp" | null;
  readonly request: Pick<Load, "method" | "paths" | "headers" | "body">;
  /** Minimum seconds of a round, so that the 10,000 tokens are used several times. */
  readonly leastSeconds?: number;
  /** `hot` means one token until its hour is nearly used up, then the next; `busy` means as many in turn. */
  readonly tokens: "hot" | "busy" | "many" | "free" | "unknown";
}

const V1 = "/api/v1/svc";
const history = (symbol: string, query = "") =>
  `${V1}/data/stocks/${symbol}/history?country=US${query}`;
const get = (...paths: string[]): Case["request"] => ({
  method: "GET",
  paths,
  headers: {},
  body: "",
});
const post = (method: string, params: object): Case["request"] => ({
  method: "POST",
  paths: [`${V1}/mcp`],
  headers: {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
  },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
});

/** The answers of about 1.5 KB and about 40 KB. */
const SMALL = history("AAPL", "&limit=68");
const LARGE = history("BTC-USD", "&limit=1800");

export const HOT_SMALL = "hot 1.5 KB";
export const HOT_LARGE = "hot 40 KB";
export const MANY_TOKENS = "10,000 tokens in turn";
export const MANY_KEYS = "5,000 keys in turn";
export const UNAUTHENTICATED = "401";
export const RATE_LIMITED = "429";
export const TOOLS_CALL = "MCP tools/call";
/** A call with a progress token, as most clients send. */
export const TOOLS_CALL_META = "MCP tools/call with _meta";

/** All cases over HTTP. `symbols` are stocks with long histories; `etag` is the small answer's. */
export function createCases(symbols: readonly string[], etag: string): readonly Case[] {
  const keys = Array.from({ length: KEYS }, (_, i) => {
    const before = new Date(Date.UTC(2020, 0, 1 + 30 * Math.floor(i / symbols.length)));
    const symbol = symbols[i % symbols.length] ?? "";
    return history(symbol, `&limit=68&before=${before.toISOString().slice(0, 10)}`);
  });
  const small = get(SMALL);
  const technicals = { name: "get_stock_technicals", arguments: { country: "US", symbol: "AAPL" } };
  const one = (
    name: string,
    tokens: Case["tokens"],
    request: Case["request"],
    rest: Partial<Case> = {},
  ): Case => ({ name, status: 200, peers: null, tokens, request, ...rest });
  const unchanged = { ...small, headers: { "If-None-Match": etag } };
  const withMeta = { ...technicals, _meta: { progressToken: 1 } };
  return [
    one(HOT_SMALL, "hot", small, { hasHeadedFloor: true, peers: "rest" }),
    one("hot 1.5 KB of a past day", "hot", get(`${SMALL}&known_on=2025-06-16`)),
    one(HOT_LARGE, "hot", get(LARGE), { hasHeadedFloor: true, peers: "rest" }),
    one(MANY_TOKENS, "many", small, { peers: "rest", leastSeconds: 1 }),
    one(MANY_KEYS, "hot", get(...keys)),
    one("304", "hot", unchanged, { status: 304 }),
    one(UNAUTHENTICATED, "unknown", small, { status: 401, peers: "rest" }),
    one(RATE_LIMITED, "free", small, { status: 429, peers: "rest" }),
    one("MCP tools/list", "hot", post("tools/list", {}), { peers: "mcp" }),
    one(TOOLS_CALL, "hot", post("tools/call", technicals), { peers: "mcp" }),
    one(TOOLS_CALL_META, "hot", post("tools/call", withMeta)),
  ];
}

/** The same bars as a feed, about 1.1 KB. */
export const FEED_CASE: Case = {
  name: "feed, hot 1.1 KB",
  status: 200,
  peers: null,
  tokens: "hot",
  request: get("/feed/sheets/history.csv?symbol=AAPL&range=1m"),
};

/** The load of a case, with enough tokens for these seconds. */
export function loadOf({ request, tokens }: Case, prepared: Prepared, seconds: number): Load {
  const load = { ...request, callsPerToken: 1 };
  switch (tokens) {
    case "hot":
      return {
        ...load,
        tokens: prepared.takeFresh(tokensFor(seconds)),
        callsPerToken: CALLS_PER_TOKEN,
      };
    case "busy":
      return { ...load, tokens: prepared.takeFresh(tokensFor(seconds)) };
    case "many":
      return { ...load, tokens: prepared.many };
    case "free":
      return { ...load, tokens: [prepared.free] };
    case "unknown":
      return { ...load, tokens: [prepared.unknown] };
  }
}

/** The hot load for minutes: each of the 10,000 tokens until its hour is nearly used up. */
export const enduringLoad = ({ request }: Case, { many }: Prepared): Load => ({
  ...request,
  tokens: many,
  callsPerToken: CALLS_PER_TOKEN,
});

/** The answer of a contender to a case, once its status is the expected one. */
export async function readyAnswer(
  contender: Contender,
  caseNumber: number,
  { request, status }: Case,
  token: string,
): Promise<ReadyAnswer> {
  let answer = { status: 0, headers: {}, body: "" };
  // The limit must be reached first: 30 calls of plan free.
  for (let tries = 0; tries < 40 && answer.status !== status; tries++) {
    const response = await fetch(contender.originOf(caseNumber) + request.paths[0], {
      method: request.method,
      // fetch would ask for compression by default, wrk does not.
      headers: {
        ...request.headers,
        authorization: `Bearer ${token}`,
        "accept-encoding": "identity",
      },
      ...(request.body !== "" && { body: request.body }),
    });
    answer = {
      status: response.status,
      headers: Object.fromEntries(
        [...response.headers].filter(([name]) => !["date", "content-length"].includes(name)),
      ),
      body: await response.text(),
    };
  }
  if (answer.status !== status) {
    throw new Error(`${contender.name} answers ${answer.status} ${answer.body.slice(0, 200)}`);
  }
  return answer;
}

/** Duration and number of the rounds. */
export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** The number of fresh tokens that all cases use up. */
export const tokensForCases = (effort: Effort): number =>
  createCases([""], "").filter(({ tokens }) => tokens === "hot").length * tokensForHot(effort) +
  (effort.rounds + 1) * TOKENS_FOR_KEYS;

/** The number of fresh tokens that a hot case uses up. */
export const tokensForHot = ({ rounds, seconds, warmUpSeconds }: Effort): number =>
  rounds * tokensFor(seconds) + tokensFor(warmUpSeconds);

/** Runs a case: in every round, each contender once in turn. */
export async function runCase(
  one: Case,
  caseNumber: number,
  contenders: readonly Contender[],
  prepared: Prepared,
  generator: LoadGenerator,
  { rounds, seconds, warmUpSeconds }: Effort,
): Promise<HttpResults> {
  const results: HttpResults = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    const time = Math.max(round < 0 ? warmUpSeconds : seconds, one.leastSeconds ?? 0);
    const load = loadOf(one, prepared, time);
    // Answers are cached for 30 seconds, and two rounds take less.
    const asksForAll = one.request.paths.length > 1 && round % 2 !== 0;
    const keyTokens = asksForAll ? prepared.takeFresh(TOKENS_FOR_KEYS) : [];
    for (const contender of contenders) {
      if (asksForAll && contender.name !== FLOOR) {
        await askForAll(contender.originOf(caseNumber), one, keyTokens);
      }
      const measured = await measure(contender, caseNumber, one, load, generator, time);
      if (round >= 0) results.get(contender.name)?.push(measured);
    }
  }
  return results;
}

/** Calls every key once, so that all answers are cached. */
async function askForAll(
  origin: string,
  { request }: Case,
  tokens: readonly string[],
): Promise<void> {
  let next = 0;
  const ask = async () => {
    for (let i = next++; i < request.paths.length; i = next++) {
      const authorization = `Bearer ${tokens[Math.floor(i / CALLS_PER_TOKEN)]}`;
      await (await fetch(origin + request.paths[i], { headers: { authorization } })).bytes();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
}

/** One round of a contender. */
export async function measure(
  contender: Contender,
  caseNumber: number,
  { name, status }: Case,
  load: Load,
  generator: LoadGenerator,
  seconds: number,
): Promise<Round> {
  const before = processUsage(contender.pid);
  const result = await generator.run(contender.originOf(caseNumber), load, seconds);
  const after = processUsage(contender.pid);
  const wrong = status < 400 ? result.refused : result.requests - result.refused;
  // The 30 calls of plan free start again at the full hour.
  if (wrong > (status === 429 ? 40 : 0) || result.broken > 0) {
    throw new Error(
      `${name}: of ${result.requests} calls to ${contender.name}, ${wrong} were not answered with ${status} and ${result.broken} not at all`,
    );
  }
  return {
    rps: result.requests / result.seconds,
    cpuMs: before && after ? (after.cpuMs - before.cpuMs) / result.requests : null,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    residentMb: after?.residentMb ?? null,
  };
}
