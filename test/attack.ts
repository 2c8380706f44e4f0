import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import type { TSchema } from "@sinclair/typebox";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { SignIn } from "#access/sign-in.ts";
import { FEED_LAYERS } from "#feeds/index.ts";
import { ENDPOINTS } from "#http/console-api.ts";
import { OPERATIONS } from "#operations/index.ts";
import { routesOf } from "#operations/operation.ts";
import { openAccess } from "#store/index.ts";
import { atOnce } from "./support/at-once.ts";
import { spawnServe } from "./support/serve-process.ts";
import { temporaryFolder } from "./support/service.ts";

// Not part of the suite (no .test in its name): it measures time.

/** The longest time for which /health may wait while the service reads one hostile request, waits for a core left out. */
const LIMIT_MS = 500;
/** Twice the turns of the machine's other work: below it, a request is not sent again. */
const NOTABLE_MS = 100;
const TRIES = 3;
/** A wait that shows that the service hangs. */
const GIVE_UP_MS = 30_000;

/** Texts that are slow for careless readers; each has a length. */
const HOSTILE: Readonly<Record<string, (length: number) => string>> = {
  blanks: (length) => `a${" ".repeat(length - 2)}b`,
  letters: (length) => "a".repeat(length),
  digits: (length) => `${"9".repeat(length - 1)}x`,
  commas: (length) => ",".repeat(length),
  symbols: (length) => fill("AAPL,", length),
  "unknown symbols": (length) => fill((i) => `Q${i.toString(36)},`, length),
  lines: (length) => fill("a\n", length),
  brackets: (length) => "(".repeat(length),
  conditions: (length) => fill("pe < 1 and ", length),
  dates: (length) => fill("2026-01-01..", length),
  "percent signs": (length) => "%".repeat(length),
  ideographs: (length) => "日".repeat(Math.floor(length / 3)),
  markup: (length) => fill("<a><", length),
};

function fill(part: string | ((i: number) => string), length: number): string {
  if (typeof part === "string")
    return part.repeat(Math.ceil(length / part.length)).slice(0, length);
  const parts: string[] = [];
  for (let i = 0, size = 0; size < length; i++) size += parts[parts.push(part(i)) - 1]?.length ?? 1;
  return parts.join("").slice(0, length);
}

/** Bun refuses longer heads by itself. */
const HEAD = 12_000;
const MEGABYTE = 2 ** 20 - 1_000;
const V1 = "/api/v1/svc";
const USERS = 40;
/** A request may be sent several times. */
const REQUESTS_PER_USER = 150;

const { folder, remove } = temporaryFolder();
// Every connection of this process is one address.
const service = await spawnServe(folder, { flags: ["--gate-per-minute", "0"] });
afterAll(async () => {
  await service.stop();
  remove();
});
await service.isReady();
const { token, link, cookies } = await makeAccess();
const json = { "content-type": "application/json" };
const page = { "sec-fetch-site": "same-origin", origin: service.url };

/** A token, a feed link, and the cookies of many sessions: a user may send 600 requests a minute. */
async function makeAccess() {
  const access = openAccess(folder);
  const accounts = atOnce(new Accounts({ access, clock: Date.now, actor: COMMAND_LINE }));
  const signIn = atOnce(new SignIn(access, Date.now));
  const sessions: string[] = [];
  for (let i = 0; i < USERS; i++) {
    accounts.addUser(`user-${i}`, "unlimited", "admin");
    const { key } = signIn.createKey(`user-${i}`, COMMAND_LINE);
    const { secret } = await signIn.byKey(key, { group: `${i}`, address: "", browser: "" });
    sessions.push(`bourse=${secret}`);
  }
  const made = {
    token: accounts.createToken("owner", "attack", null, "api", ["lists:write"]).token,
    link: accounts.createToken("owner", "attack", null, "feed").token,
    cookies: sessions,
  };
  access.close();
  return made;
}

let pages = 0;
/** The cookie of the next request of a page. */
const nextCookie = () => cookies[Math.floor(pages++ / REQUESTS_PER_USER) % USERS] ?? "";

/** The time for which the first thread of a process has waited for a core, in milliseconds; 0 on other systems than Linux. */
function waitedForCoreMs(pid: number): number {
  const path = `/proc/${pid}/task/${pid}/schedstat`;
  return existsSync(path) ? Number(readFileSync(path, "latin1").split(" ")[1]) / 1e6 : 0;
}

/** Milliseconds without the time for which the service and this process waited for a core. */
const stopwatch = () =>
  performance.now() - waitedForCoreMs(service.pid) - waitedForCoreMs(process.pid);

/** How many answers had each status. */
const statuses = new Map<number, number>();

/** The longest time that /health took while the service answered the request. */
async function delayOf(path: string, init: BunFetchRequestInit): Promise<number> {
  const state = { isDone: false };
  const answered = fetch(service.url + path, { redirect: "manual", ...init })
    .then((response) => {
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      return response.arrayBuffer();
    })
    .catch(() => null)
    .finally(() => (state.isDone = true));
  let longest = 0;
  do {
    const began = stopwatch();
    const signal = AbortSignal.timeout(GIVE_UP_MS);
    const status = await fetch(`${service.url}/health`, { signal }).then(
      (response) => response.status,
      String,
    );
    if (status !== 200) throw new Error(`/health answered ${status} beside ${path.slice(0, 200)}`);
    longest = Math.max(longest, stopwatch() - began);
  } while (!state.isDone);
  await answered;
  return longest;
}

/** Sends all requests, and those that were slow again: other work of the machine is slow once. */
async function attack(
  requests: Iterable<readonly [name: string, path: string, init: BunFetchRequestInit]>,
): Promise<void> {
  const slow: string[] = [];
  let [count, longest] = [0, 0];
  for (const [name, path, init] of requests) {
    count++;
    let least = Infinity;
    for (let tries = 0; tries < TRIES && least > NOTABLE_MS; tries++)
      least = Math.min(least, await delayOf(path, init));
    longest = Math.max(longest, least);
    if (least > NOTABLE_MS) process.stdout.write(`${Math.round(least)} ms: ${name}\n`);
    if (least > LIMIT_MS) slow.push(`${name}: ${Math.round(least)} ms`);
  }
  const answers = [...statuses].map(([status, times]) => `${times} × ${status}`).join(", ");
  statuses.clear();
  process.stdout.write(
    `${count} requests, /health waited at most ${Math.round(longest)} ms; ${answers}\n`,
  );
  expect(count).toBeGreaterThan(10);
  expect(slow).toEqual([]);
}

const KINDS = Object.entries(HOSTILE);
const bearer = { authorization: `Bearer ${token}` };

/** Texts as long as an argument may be, and much longer. */
function sized(schema: TSchema | undefined, longest = 4_000) {
  return [Number(schema?.["maxLength"] ?? 60), longest].flatMap((length) =>
    KINDS.map(([kind, make]) => [kind, length, make] as const),
  );
}

function* restRequests() {
  for (const operation of OPERATIONS)
    for (const { path, input, method = "GET" } of routesOf(operation))
      for (const name of [...Object.keys(input.properties), "order", "as", "format", "undeclared"])
        for (const [kind, length, make] of sized(input.properties[name])) {
          const text = encodeURIComponent(make(length)).slice(0, HEAD).replace(/%.?$/, "");
          const needed = Object.entries({
            country: "US",
            symbols: "AAPL,MSFT",
            holdings: "AAPL=1",
          });
          const others = needed
            .filter(([one]) => one !== name && Object.hasOwn(input.properties, one))
            .map(([one, value]) => `${one}=${value}&`)
            .join("");
          const own = path.replace(`{${name}}`, text).replaceAll(/\{\w+\}/g, "AAPL");
          const query = path.includes(`{${name}}`) ? "" : `${name}=${text}`;
          const body = method === "PUT" ? { body: JSON.stringify({ items: make(200_000) }) } : {};
          yield [
            `${method} ${path}, ${name}: ${length} of ${kind}`,
            `${V1}${own}?${others}${query}`,
            { method, headers: { ...bearer, ...json }, ...body },
          ] as const;
        }
}

function callOf(name: string, args: unknown): BunFetchRequestInit {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  };
  return { method: "POST", headers: { ...bearer, ...json }, body: JSON.stringify(message) };
}

function* toolRequests() {
  for (const { name: tool, input } of OPERATIONS)
    for (const name of [...Object.keys(input.properties), "order", "as", "undeclared"])
      for (const [kind, length, make] of sized(input.properties[name], MEGABYTE / 2)) {
        const others = { country: "US", symbol: "AAPL", symbols: "AAPL,MSFT", holdings: "AAPL=1" };
        const known = Object.entries(others).filter(([key]) =>
          Object.hasOwn(input.properties, key),
        );
        const args = { ...Object.fromEntries(known), [name]: make(length) };
        yield [`${tool}, ${name}: ${length} of ${kind}`, `${V1}/mcp`, callOf(tool, args)] as const;
      }
  for (const [kind, make] of KINDS) {
    yield [`a tool of ${kind}`, `${V1}/mcp`, callOf(make(MEGABYTE / 2), {})] as const;
    const named = { [make(MEGABYTE / 2)]: 1 };
    yield [`an argument named ${kind}`, `${V1}/mcp`, callOf("screen_stocks", named)] as const;
    const list = Array.from({ length: 9_000 }, (_, i) => `${make(40)}${i}`);
    for (const name of ["symbols", "where", "metrics", "holdings"])
      yield [
        `a list of ${kind} as ${name}`,
        `${V1}/mcp`,
        callOf(name === "holdings" ? "analyze_portfolio" : "screen_stocks", { [name]: list }),
      ] as const;
  }
}

/** Bodies that are no JSON, or too deep. */
const BODIES = [
  ...KINDS.map(([kind, make]) => [kind, make(MEGABYTE)] as const),
  ["nested lists", "[".repeat(MEGABYTE)] as const,
  ["nested objects", '{"a":'.repeat(MEGABYTE / 5)] as const,
  ["a list of numbers", `[${"1,".repeat(MEGABYTE / 2)}1]`] as const,
  ["many names", `{${fill((i) => `"${i}":1,`, MEGABYTE)}"a":1}`] as const,
  ["a long number", `{"jsonrpc":"2.0","id":${"9".repeat(MEGABYTE)}}`] as const,
  [
    "a long text",
    `{"jsonrpc":"2.0","id":"${"\\u0041".repeat(MEGABYTE / 6)}","method":"ping"}`,
  ] as const,
];

function* bodyRequests() {
  for (const [kind, body] of BODIES) {
    for (const type of ["application/json", "application/x-www-form-urlencoded", "text/csv"]) {
      const headers = { "content-type": type };
      for (const path of [`${V1}/mcp`, `${V1}/data/markets`, `/feed/${link}/financialdatasets/x`])
        yield [
          `POST ${path.replace(link, "LINK")}, ${type}: ${kind}`,
          path,
          { method: "POST", headers: { ...bearer, ...headers }, body },
        ] as const;
      for (const { method, path } of ENDPOINTS)
        if (method !== "GET" && !/session|sign|password|backup/.test(path))
          yield [
            `${method} ${path}, ${type}: ${kind}`,
            `/console/api/${path.replaceAll(/:\w+/g, "1")}?file=a.csv`,
            { method, headers: { ...page, ...headers, cookie: nextCookie() }, body },
          ] as const;
    }
  }
}

/** A small value that a schema of a body allows, as far as its type says. */
function smallest(schema: TSchema): unknown {
  const { type, anyOf, enum: values, const: value } = schema as Record<string, unknown>;
  if (Array.isArray(anyOf)) return smallest(anyOf[0] as TSchema);
  if (Array.isArray(values)) return values[0];
  if (type === "object") return smallestFields(schema);
  return value ?? { string: "a", array: [], boolean: true, integer: 1, number: 1 }[String(type)];
}

const fieldsOf = (schema: TSchema | null | undefined) =>
  Object.entries((schema?.["properties"] ?? {}) as Record<string, TSchema>);
const smallestFields = (schema: TSchema | null | undefined): object =>
  Object.fromEntries(fieldsOf(schema).map(([name, field]) => [name, smallest(field)]));

/** Every field of every endpoint's body, as long as it may be and longer, beside small values of the others. */
function* fieldRequests() {
  for (const { method, path, body } of ENDPOINTS)
    for (const [name, field] of fieldsOf(body))
      for (const [kind, length, make] of sized(field, 20_000)) {
        const list = Array.from({ length: 500 }, (_, i) => ({
          ...smallestFields(field["items"] as TSchema | undefined),
          symbol: `${make(20)}${i}`,
        }));
        const value = field["type"] === "array" ? list : make(length);
        yield [
          `${method} ${path}, ${name}: ${length} of ${kind}`,
          `/console/api/${path.replaceAll(/:\w+/g, "1")}`,
          {
            method,
            headers: { ...page, ...json, cookie: nextCookie() },
            body: JSON.stringify({ ...smallestFields(body), [name]: value }),
          },
        ] as const;
      }
}

function* addressRequests() {
  const paths = [
    ...FEED_LAYERS.flatMap(({ name, routes, posts = {} }) =>
      [...Object.keys(routes), ...Object.keys(posts)].map((path) => `/feed/${link}/${name}${path}`),
    ),
    ...ENDPOINTS.filter(({ method, path }) => method === "GET" && path !== "changes").map(
      ({ path }) => `/console/api/${path.replace(":operation", "screen_stocks")}`,
    ),
    "/docs",
    "/clients",
    "/csv/screen_stocks.csv",
    "/oauth/authorize",
    `${V1}/files`,
    "/console",
    "/.well-known",
    "/health",
    `${V1}/openapi.json`,
  ];
  const names = ["symbols", "symbol", "q", "query", "where", "metrics", "list", "fields", "link"];
  for (const path of paths)
    for (const [kind, make] of KINDS) {
      const text = encodeURIComponent(make(1_300)).slice(0, 1_300).replace(/%.?$/, "");
      const query = names.map((name) => `${name}=${text}`).join("&");
      const headers = path.startsWith("/console") ? { ...page, cookie: nextCookie() } : bearer;
      const fixed = path.replaceAll(/[:{]\w+\}?/g, "AAPL");
      const shown = path.replace(link, "LINK");
      yield [`${shown}?: ${kind}`, `${fixed}?country=US&${query}`, { headers }] as const;
      yield [`${shown}/: ${kind}`, `${fixed}/${text.repeat(9)}`, { headers }] as const;
      yield [`${shown}, a parameter: ${kind}`, `${fixed}?${text.repeat(9)}`, { headers }] as const;
    }
}

const HEADERS = [
  "authorization",
  "accept",
  "accept-encoding",
  "accept-language",
  "if-none-match",
  "range",
  "if-range",
  "cookie",
  "content-type",
  "x-forwarded-for",
  "forwarded",
  "x-forwarded-host",
  "x-forwarded-proto",
  "origin",
  "referer",
  "user-agent",
  "mcp-protocol-version",
  "traceparent",
  "mcp-session-id",
  "mcp-method",
  "mcp-name",
  "sec-fetch-site",
  "x-api-key",
  "te",
];

function* headerRequests() {
  for (const path of [
    `${V1}/data/stocks/AAPL/history?country=US`,
    `${V1}/mcp`,
    `${V1}/openapi.json`,
    "/docs",
    "/console",
    "/console/api/me",
    `/feed/${link}/sheets/quotes.csv?symbols=AAPL`,
    "/health",
    `${V1}/files/manifest.json`,
    "/oauth/token",
    "/",
  ])
    for (const name of HEADERS)
      for (const [kind, make] of KINDS) {
        const text = make(HEAD)
          .replaceAll(/[^\x20-\x7e]/g, "é")
          .slice(0, HEAD);
        const headers = { ...bearer, cookie: nextCookie(), [name]: text };
        const method = path.endsWith("/mcp") || path.endsWith("token") ? "POST" : "GET";
        const body = method === "POST" ? { body: "{}" } : {};
        yield [
          `${path.replace(link, "LINK")}, ${name}: ${kind}`,
          path,
          { method, headers, ...body },
        ] as const;
      }
}

describe("/health does not wait half a second for", () => {
  test.each([
    ["arguments of REST", restRequests],
    ["arguments of tools", toolRequests],
    ["bodies", bodyRequests],
    ["fields of the console", fieldRequests],
    ["addresses", addressRequests],
    ["headers", headerRequests],
  ] as const)(
    "%s",
    async (_, requests) => {
      await attack(requests());
    },
    1_200_000,
  );
});

/** The memory that a service promises to stay below. */
const MOST_MB = 512;

/** Resolves when the connection has been answered or closed. */
function sendOnce(bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(service.port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve());
  });
}

test("bodies whose bytes are chunks of their own take no more memory than others", async () => {
  const head = `POST ${V1}/mcp HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const body = `${"1\r\n \r\n".repeat(60_000)}0\r\n\r\n`;
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      for (let i = 0; i < 3; i++) await sendOnce(head + body);
    }),
  );
  const path = `/proc/${service.pid}/status`;
  if (!existsSync(path)) return;
  const peakMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(path, "utf8"))?.[1]) / 1_024;
  process.stdout.write(`at most ${Math.round(peakMb)} MB\n`);
  expect(peakMb).toBeLessThan(MOST_MB);
});
