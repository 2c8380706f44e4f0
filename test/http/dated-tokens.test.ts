import { afterAll, describe, expect, test } from "bun:test";
import { FEED_LAYERS } from "#feeds/index.ts";
import { addDays } from "#lib/date.ts";
import type { OPERATIONS } from "#operations/index.ts";
import { CALLS, restPath } from "../support/contract-calls.ts";
import { FEED_PATHS } from "../support/feed-paths.ts";
import { startService } from "../support/service.ts";

const DAY = "2026-03-31";
const LATER = addDays(DAY, 1);

const service = await startService();
afterAll(() => service.stop());
service.accounts.addUser("anna", "unlimited");
const { accounts } = service;
const make = (kind: "api" | "feed", day: string | null) =>
  accounts.createToken("anna", "", null, kind, [], undefined, day).token;
const [dated, today] = [make("api", DAY), make("api", null)];
const link = make("feed", DAY);

interface Body {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string; readonly param?: string };
}

/** The data of an answer without the sentence about its day. */
function dataOf({ data }: Body) {
  const { understood_as: _, ...rest } = data ?? {};
  return rest;
}

const isDatable = ({ input }: (typeof OPERATIONS)[number]) =>
  Object.hasOwn(input.properties, "known_on");

const withArgument = (path: string, name: string, value: string) =>
  `${path}${path.includes("?") ? "&" : "?"}${name}=${value}`;

async function get(path: string, token: string): Promise<readonly [number, Body, Headers]> {
  const response = await service.request(path, token);
  return [response.status, (await response.json()) as Body, response.headers];
}

/** The dates in a text that are after the day, as dates or as UTC seconds. */
function laterDates(text: string): string[] {
  const end = Date.parse(LATER) / 1000;
  const seconds = (text.match(/\b1[78]\d{8}\b/g) ?? []).filter((one) => Number(one) >= end);
  return [...(text.match(/\b20\d\d-\d\d-\d\d\b/g) ?? []).filter((one) => one > DAY), ...seconds];
}

describe.each(CALLS.map((call) => [call.title, call] as const))("%s", (_, call) => {
  const { operation } = call;
  const path = restPath(call);

  test("with a dated token is the answer of its day, or refused", async () => {
    const [status, body, headers] = await get(path, dated);
    if (!isDatable(operation)) {
      expect([status, body.error?.message]).toEqual([
        403,
        `${operation.title}: this call answers for the present only, and this token is in ${DAY}.`,
      ]);
      return;
    }
    const written = call.arguments["known_on"];
    const asked = written === undefined ? withArgument(path, "known_on", DAY) : path;
    const [expected, wanted] = await get(asked, today);
    // An argument of the call, such as its period, can be later than the day.
    if (status === 400)
      expect(body.error?.message).toMatch(/2026-03-31( \(known_on\))? or earlier/);
    else expect([status, dataOf(body)]).toEqual([expected, dataOf(wanted)]);
    // Holidays are scheduled, and a claim about a later day is answered by its own date.
    if (status !== 400 && !["get_markets", "check_figures"].includes(operation.name))
      expect(laterDates(JSON.stringify(body.data ?? body.error))).toEqual([]);
    if (status === 200 && written === undefined)
      expect(headers.get("x-understood-as")).toContain(`known_on=${DAY} (the day of this token)`);
  });
});

test("MCP, CSV and links to CSV are in the day of the token, too", async () => {
  const args = { symbols: "US:AAPL", metrics: "revenue", limit: "3" };
  const call = async (token: string, more: object) => {
    const { result } = await service.callTool(token, "get_metric_history", { ...args, ...more });
    return JSON.stringify(result?.structuredContent ?? result);
  };
  const inDay = await call(dated, {});
  expect(inDay).toContain(`known_on=${DAY} (the day of this token)`);
  expect(laterDates(inDay.replaceAll(/as_of\W+[\w:.-]+/g, ""))).toEqual([]);
  expect(await call(dated, { known_on: LATER })).toContain(
    `known_on must be ${DAY} or earlier, the day of this token, not ${LATER}.`,
  );
  const query = new URLSearchParams(args).toString();
  const csvOf = async (token: string, more = "") => {
    const answer = await service.request(`/data/stocks/metrics?${query}&format=csv${more}`, token);
    return [answer.status, await answer.text()];
  };
  const csv = await csvOf(today, `&known_on=${DAY}`);
  expect(csv[0]).toBe(200);
  expect(await csvOf(dated)).toEqual(csv);
  const { data } = (await (
    await service.request(`/data/stocks/metrics?${query}&as=csv_link`, dated)
  ).json()) as { data: { csv_link: string } };
  const { pathname, search } = new URL(data.csv_link);
  const file = await fetch(`${service.origin}${pathname}${search}`);
  expect([file.status, await file.text()]).toEqual(csv);
});

test.each(FEED_LAYERS.map((layer) => [layer.name, layer] as const))(
  "the feed %s is in the day of the link, or refuses",
  async (name, layer) => {
    const own = FEED_PATHS[name] ?? "";
    const paths = Object.keys(layer.routes).map((route) =>
      route
        .slice(1)
        .replace(/:(symbol|ticker|code|id)s?\b/g, "AAPL")
        .replaceAll(/:\w+/g, "x"),
    );
    // Holidays follow rules, so a day knows the ones of the next months.
    const [, markets] = await get(`/data/markets?known_on=${DAY}`, today);
    const holidays = new Set(laterDates(JSON.stringify(dataOf(markets))));
    for (const path of [
      own,
      ...paths.map((one) => `${one}?symbols=AAPL&symbol=AAPL&ticker=AAPL`),
    ]) {
      const response = await fetch(`${service.origin}/feed/${link}/${name}/${path}`);
      const text = await response.text();
      const later = laterDates(text).filter((date) => !holidays.has(date));
      expect([path, later]).toEqual([path, []]);
    }
  },
);

test("known_on in the URL of a feed is its day, until the day of the link", async () => {
  const undated = make("feed", null);
  const priceOf = async (secret: string, query = "") => {
    const path = `sheets/quotes.csv?symbols=US:AAPL${query}`;
    const answer = await fetch(`${service.origin}/feed/${secret}/${path}`);
    return [answer.status, await answer.text()] as const;
  };
  const [, then] = await priceOf(link);
  expect(await priceOf(undated, `&known_on=${DAY}`)).toEqual([200, then]);
  expect((await priceOf(undated))[1]).not.toBe(then);
  const [, before] = await priceOf(undated, "&known_on=2025-03-31");
  expect(await priceOf(link, "&known_on=2025-03-31")).toEqual([200, before]);
  expect(before).not.toBe(then);
  for (const [secret, known] of [
    [link, LATER],
    [undated, "2999-01-01"],
    [undated, "2025-02-30"],
    [undated, "soon"],
  ] as const) {
    const [status, text] = await priceOf(secret, `&known_on=${known}`);
    expect([known, status]).toEqual([known, 400]);
    expect(text).toContain("known_on must be a date until ");
  }
  expect(await priceOf(undated, "&known_on=")).toEqual(await priceOf(undated));
});

describe("lists and files", () => {
  test("are not read with a dated token or link", async () => {
    for (const path of ["/data/lists", "/data/stocks/compare?symbols=list:mine"]) {
      const [status, body] = await get(path, dated);
      expect([path, status]).toEqual([path, 403]);
      expect(body.error?.message).toContain(DAY);
    }
    const feed = await fetch(`${service.origin}/feed/${link}/sheets/quotes.csv?list=mine`);
    expect(await feed.text()).toContain(`This token is in ${DAY} and reads no lists`);
  });
});

test("words of days are days of the token", async () => {
  const path = "/data/stocks/metrics?symbols=US:AAPL&metrics=revenue&known_on=";
  const [, yesterday] = await get(`${path}yesterday`, dated);
  const [, expected] = await get(`${path}${addDays(DAY, -1)}`, today);
  expect(dataOf(yesterday)).toEqual(dataOf(expected));
  expect((await get(`${path}tomorrow`, dated))[0]).toBe(400);
});

test("the instructions say the day, and only of a dated token", async () => {
  const instructions = async (token: string) => {
    const answer = await service.mcp(token, {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      },
    });
    const { result } = (await answer.json()) as { result: { instructions: string } };
    return result.instructions;
  };
  expect(await instructions(dated)).toStartWith(`This token is in ${DAY}:`);
  expect(await instructions(today)).toStartWith("Markets:");
});

test("lists of an index have the members on the day of the token", async () => {
  const [status, body] = await get("/data/stocks/metrics?symbols=list:vn30&metrics=revenue", dated);
  expect(status).toBe(404);
  expect(body.error?.message).toContain(`not on ${DAY}`);
});
