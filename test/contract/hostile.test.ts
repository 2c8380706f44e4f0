import { afterAll, describe, expect, test } from "bun:test";
import { OPERATIONS } from "#operations/index.ts";
import { expectEveryAnswer, sendRaw, startHandMade } from "../support/contract-exchange.ts";
import { LEAK, NASTY, seeded } from "../support/hostile.ts";

const world = await startHandMade();
afterAll(() => world.service.stop());

test("200 mutated REST requests give no 5xx, no hang and no leak", async () => {
  const { service, token } = world;
  const random = seeded(20_261_120);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const paths = [
    "/data/markets",
    "/data/macro/indicators",
    "/data/macro/forecast",
    "/data/macro/calendar",
    "/data/sectors",
    "/data/stocks/:s/overview",
    "/data/stocks/:s/statements",
    "/data/stocks/:s/technicals",
    "/data/stocks/:s/forecast",
    "/data/stocks/:s/history",
    "/data/symbols",
    "/data/sectors/overview",
    "/data/earnings/calendar",
    "/openapi.json",
    "/:s",
  ];
  const names = [
    "country",
    "symbol",
    "type",
    "category",
    "importance",
    "limit",
    "query",
    "cursor",
    "before",
    "range",
    "tickers",
    "level",
    "sector",
    "period",
    "__proto__",
    "",
  ];
  const statuses = new Set<number>();
  for (let i = 0; i < 200; i++) {
    const path = pick(paths).replace(":s", pick(NASTY).replaceAll(/[?#\s]/g, ""));
    const query = Array.from(
      { length: Math.floor(random() * 5) },
      () => `${pick(names)}=${pick(NASTY)}`,
    );
    // Half of them have a valid country, so that they reach the handler.
    if (random() < 0.5) query.push("country=US");
    const target = `${path}?${query.join("&")}`;
    const method = pick(["GET", "GET", "GET", "GET", "GET", "POST", "DELETE", "HEAD"]);
    const caller = pick([token, token, token, token, null, "nonsense"]);
    const response = await service.request(target, caller, {
      method,
      signal: AbortSignal.timeout(300_000),
      headers: {
        "if-none-match": pick(["*", '"x"', "W/", ",,,"]),
        "x-forwarded-for": pick(["1.2.3.4", "::", "nonsense,,"]),
      },
    });
    const body = await response.text();
    statuses.add(response.status);
    if (response.status >= 500) throw new Error(`${method} ${target}: ${response.status} ${body}`);
    expectEveryAnswer(response);
    expect(response.headers.has("x-injected")).toBe(false);
    expect(body).not.toMatch(LEAK);
  }
  // The requests reached every stage: success, validation, token, look-up, method.
  for (const status of [200, 400, 401, 404, 405]) expect(statuses).toContain(status);
});

test("200 mutated MCP messages give no 5xx, no hang and no leak", async () => {
  const { service, token } = world;
  const random = seeded(7_203);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const values = (): unknown =>
    pick<unknown>([
      pick(NASTY),
      null,
      0,
      -1,
      1.5,
      1e308,
      true,
      [],
      {},
      [[]],
      { length: 1 },
      { toJSON: 1 },
      JSON.parse('{"__proto__":{"country":"US"}}'),
      "US",
      "AAPL",
      undefined,
    ]);
  const tools = [...OPERATIONS.map(({ name }) => name), "__proto__", ""];
  const names = OPERATIONS.flatMap(({ input }) => Object.keys(input.properties));
  const keys = [...new Set(names), "__proto__", "toString"];
  const outcomes = new Set<string>();
  for (let i = 0; i < 200; i++) {
    const args = Object.fromEntries(
      Array.from({ length: Math.floor(random() * 5) }, () => [pick(keys), values()]),
    );
    const params: unknown =
      random() < 0.8
        ? {
            name: random() < 0.95 ? pick(tools) : values(),
            arguments: random() < 0.9 ? args : values(),
            _meta: random() < 0.1 ? values() : undefined,
          }
        : values();
    const message: Record<string, unknown> = {
      jsonrpc: random() < 0.97 ? "2.0" : values(),
      id: random() < 0.9 ? i : values(),
      method:
        random() < 0.9
          ? "tools/call"
          : pick(["ping", "tools/list", "initialize", "x", "__proto__", ...NASTY]),
      params,
    };
    let body = JSON.stringify(message);
    // One in ten is cut or has a byte changed.
    if (random() < 0.05) body = body.slice(0, Math.floor(random() * body.length));
    if (random() < 0.05)
      body = body.replace(pick(['"', "{", ":", "}"]), pick(["", "\u0000", "'", "[["]));
    const response = await fetch(`${service.base}/mcp`, {
      method: "POST",
      body,
      signal: AbortSignal.timeout(300_000),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
    const text = await response.text();
    if (response.status >= 500 || text.includes("-32603"))
      throw new Error(`${body}: ${response.status} ${text}`);
    expectEveryAnswer(response);
    expect(text).not.toMatch(LEAK);
    if (text === "") outcomes.add("silent");
    else {
      const answer = JSON.parse(text) as {
        error?: { code: number };
        result?: { isError?: boolean };
      };
      outcomes.add(
        answer.error ? String(answer.error.code) : answer.result?.isError ? "isError" : "result",
      );
    }
  }
  for (const outcome of ["result", "isError", "-32600", "-32601", "-32602", "-32700"]) {
    expect(outcomes).toContain(outcome);
  }
});

describe("malformed HTTP requests", () => {
  const raw = (lines: string[]) => sendRaw(world.service, `${lines.join("\r\n")}\r\n\r\n`);
  const PATH = "/api/v1/svc/data/sectors?country=US";

  test.each([
    ["no Host", [`GET ${PATH} HTTP/1.1`]],
    ["two Hosts", [`GET ${PATH} HTTP/1.1`, "Host: a", "Host: b"]],
    ["HTTP/1.0", [`GET ${PATH} HTTP/1.0`]],
    ["HTTP/9.9", [`GET ${PATH} HTTP/9.9`, "Host: localhost"]],
    ["a method of our own", [`FOO ${PATH} HTTP/1.1`, "Host: localhost"]],
    ["a method in lower case", [`get ${PATH} HTTP/1.1`, "Host: localhost"]],
    ["an absolute target", [`GET http://elsewhere.example${PATH} HTTP/1.1`, "Host: localhost"]],
    ["a target of *", ["OPTIONS * HTTP/1.1", "Host: localhost"]],
    ["a target without a slash", ["GET api HTTP/1.1", "Host: localhost"]],
    ["a fragment", [`GET ${PATH}#x HTTP/1.1`, "Host: localhost"]],
    ["backslashes", ["GET /api\\v1\\svc\\data\\markets HTTP/1.1", "Host: localhost"]],
    ["double slashes", ["GET //api//v1//svc//data//markets HTTP/1.1", "Host: localhost"]],
    [
      "bytes above ASCII",
      ["GET /api/v1/svc/data/stocks/Ä/overview?country=Ü HTTP/1.1", "Host: localhost"],
    ],
    [
      "a huge header",
      [`GET ${PATH} HTTP/1.1`, "Host: localhost", `X-Huge: ${"x".repeat(100_000)}`],
    ],
    [
      "many headers",
      [
        `GET ${PATH} HTTP/1.1`,
        "Host: localhost",
        ...Array.from({ length: 500 }, (_, i) => `X-${i}: 1`),
      ],
    ],
    ["a huge target", [`GET ${PATH}&x=${"y".repeat(100_000)} HTTP/1.1`, "Host: localhost"]],
    [
      "both lengths",
      [
        `POST /api/v1/svc/mcp HTTP/1.1`,
        "Host: localhost",
        "Content-Length: 5",
        "Transfer-Encoding: chunked",
      ],
    ],
    [
      "a negative length",
      [`POST /api/v1/svc/mcp HTTP/1.1`, "Host: localhost", "Content-Length: -5"],
    ],
    [
      "a length that is not a number",
      [`POST /api/v1/svc/mcp HTTP/1.1`, "Host: localhost", "Content-Length: x"],
    ],
    [
      "two tokens",
      [
        `GET ${PATH} HTTP/1.1`,
        "Host: localhost",
        "Authorization: Bearer a",
        "Authorization: Bearer b",
      ],
    ],
  ])("%s", async (_, lines) => {
    const answer = await raw(lines);
    // Closed without an answer, refused or answered, but never an internal failure or a leak.
    if (answer) {
      expect(answer.status === 505 || answer.status < 500).toBe(true);
      expect(answer.body).not.toMatch(LEAK);
    }
    expect((await world.service.request("/openapi.json", null)).status).toBe(200);
  });
});

test("these requests logged no failure and no token", () => {
  expect(world.service.logLines).toEqual([]);
});
