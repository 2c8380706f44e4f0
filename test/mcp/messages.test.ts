import { afterAll, describe, expect, test } from "bun:test";
import { OPERATIONS } from "#operations/index.ts";
import {
  expectEveryAnswer,
  QUOTA_HEADERS,
  sendRaw,
  startHandMade,
} from "../support/contract-exchange.ts";
import { tokensOf } from "../support/tokens.ts";

const world = await startHandMade();
afterAll(() => world.service.stop());

const used = () => world.service.used(world.id);

interface Message {
  jsonrpc: string;
  id: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** Posts a body and checks every MCP answer's HTTP status, quota headers and charge. */
async function post(
  body: object | string,
  { status = 200, charged = 0, headers = {} as Record<string, string> } = {},
): Promise<Message | null> {
  const before = await used();
  const response = await world.service.mcp(world.token, body, headers);
  const text = await response.text();
  expect({ status: response.status, text: text.slice(0, 300) }).toMatchObject({ status });
  expectEveryAnswer(response);
  expect(QUOTA_HEADERS.filter((name) => response.headers.has(name))).toEqual(QUOTA_HEADERS);
  expect((await used()) - before).toBe(charged);
  if (status === 202) {
    expect(text).toBe("");
    return null;
  }
  const message = JSON.parse(text) as Message;
  expect(message.jsonrpc).toBe("2.0");
  expect("result" in message).toBe(!("error" in message));
  if (message.error) {
    expect(Number.isInteger(message.error.code)).toBe(true);
    expect(message.error.message.length).toBeGreaterThan(10);
  }
  return message;
}

const call = (name: unknown, args?: unknown, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, ...(args !== undefined && { arguments: args }) },
});

describe("a body that is not JSON is -32700 under HTTP 400, id null", () => {
  test.each([
    ["nothing", ""],
    ["spaces", "   "],
    ["half an object", '{"jsonrpc":"2.0","id":1,"method":"ping"'],
    ["two objects", '{"jsonrpc":"2.0","id":1,"method":"ping"}{}'],
    ["single quotes", "{'jsonrpc':'2.0'}"],
    ["a trailing comma", '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
    ["a bare word", "ping"],
    ["NaN", '{"jsonrpc":"2.0","id":NaN,"method":"ping"}'],
    ["a form", "jsonrpc=2.0&method=ping"],
    ["100,000 open brackets", "[".repeat(100_000)],
    ["100,000 open objects", '{"a":'.repeat(100_000)],
    ["a raw control character in a string", '{"jsonrpc":"2.0","id":"\u0001","method":"ping"}'],
  ])("%s", async (_, body) => {
    expect(await post(body, { status: 400 })).toMatchObject({ id: null, error: { code: -32700 } });
  });

  test("bytes that are not UTF-8", async () => {
    const { service, token } = world;
    const response = await fetch(`${service.base}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: new Uint8Array([0x22, 0xff, 0xfe, 0x22]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32700 } });
  });
});

describe("a broken envelope is -32600 under HTTP 400", () => {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  test.each([
    ["no jsonrpc", { id: 1, method: "ping" }, 1],
    ["another jsonrpc", { ...ping, jsonrpc: "1.0" }, 1],
    ["jsonrpc as a number", { ...ping, jsonrpc: 2 }, 1],
    ["no method", { jsonrpc: "2.0", id: 1 }, 1],
    ["a method that is not a string", { ...ping, method: 5 }, 1],
    ["a method of null", { ...ping, method: null }, 1],
    ["an id of null", { ...ping, id: null }, null],
    ["an object for id", { ...ping, id: {} }, null],
    ["an array for id", { ...ping, id: [1] }, null],
    ["true for id", { ...ping, id: true }, null],
    ["an empty object", {}, null],
    ["an empty batch", [], null],
    ["a batch of one", [ping], null],
    ["a batch of calls", [call("get_markets", {}), call("get_markets", {}, 2)], null],
    ["a batch of notifications", [{ jsonrpc: "2.0", method: "notifications/initialized" }], null],
    ["a string", '"ping"', null],
    ["a number", "42", null],
    ["null", "null", null],
    ["true", "true", null],
  ] as const)("%s", async (_, body, id) => {
    expect(await post(body as object | string, { status: 400 })).toMatchObject({
      id,
      error: { code: -32600 },
    });
  });
});

describe("a body of more than 10,000 values is not parsed", () => {
  const many = (end: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":[${"1,".repeat(10_001)}1${end}`;
  const deep = (end: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":${"[".repeat(20_000)}${end}`;
  test.each([
    ["many values, complete", many("]}"), -32600],
    ["many values, a bracket open", many("]"), -32700],
    ["many values, a string open", many(',"]}'), -32700],
    ["deep, complete", deep(`${"]".repeat(20_000)}}`), -32600],
    ["deep, a bracket open", deep("]".repeat(20_000)), -32700],
  ])("%s", async (_, body, code) => {
    expect(await post(body, { status: 400 })).toMatchObject({ id: null, error: { code } });
  });
});

describe("an id is returned as it was sent", () => {
  test.each([
    0,
    1,
    -1,
    -2_147_483_649,
    9_007_199_254_740_991,
    "",
    "a",
    "0",
    "ключ 😀",
    "x".repeat(10_000),
    1.5,
    -0.001,
    1e300,
  ])("%j", async (id) => {
    expect((await post({ jsonrpc: "2.0", id, method: "ping" }))?.id).toBe(id);
    expect((await post({ jsonrpc: "2.0", id, method: "nothing" }))?.id).toBe(id);
    expect((await post(call("get_markets", {}, id), { charged: 1 }))?.id).toBe(id);
  });

  // Numbers that JavaScript cannot hold.
  test.each([
    "9007199254740993",
    "12345678901234567890",
    "1e400",
    "0.12345678901234567890",
    "1.50",
  ])("%s", async (id) => {
    const { service, token } = world;
    for (const body of [
      `{"jsonrpc":"2.0","id":${id},"method":"ping","params":{"id":2.5}}`,
      `{"id":7.5,"params":{"a":[{"id":3.5}],"":{"id":8.5}},"method":"nothing","jsonrpc":"2.0","id":${id}}`,
    ]) {
      expect(await (await service.mcp(token, body)).text()).toContain(`"id":${id},`);
    }
  });

  test("each of 50 calls with one id at the same time gets its own answer", async () => {
    const { service, token } = world;
    const symbols = ["AAPL", "YOUNG", "BRK-B", "^GSPC", "NOPE"];
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const symbol = symbols[i % symbols.length] ?? "";
        const response = await service.mcp(
          token,
          call("get_stock_overview", { country: "US", symbol }, 7),
        );
        return { symbol, message: (await response.json()) as Message };
      }),
    );
    const names: Record<string, string> = {
      AAPL: "Apple Inc.",
      YOUNG: "Young Corp",
      "BRK-B": "Berkshire Hathaway Inc.",
      "^GSPC": "S&P 500",
    };
    for (const { symbol, message } of answers) {
      expect(message.id).toBe(7);
      const result = message.result as {
        isError?: boolean;
        structuredContent?: { data: { overview: { Name: string } } };
      };
      if (symbol === "NOPE") expect(result.isError).toBe(true);
      else expect(result.structuredContent?.data.overview.Name).toBe(names[symbol] ?? "");
    }
  });
});

describe("a message without an answer is 202 without a body, uncharged", () => {
  test.each([
    ["notifications/initialized", { jsonrpc: "2.0", method: "notifications/initialized" }],
    [
      "notifications/cancelled",
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    ],
    ["an unknown notification", { jsonrpc: "2.0", method: "notifications/whatever", params: 5 }],
    ["a method without an id", { jsonrpc: "2.0", method: "ping" }],
    [
      "a call without an id",
      { jsonrpc: "2.0", method: "tools/call", params: { name: "get_markets" } },
    ],
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }],
    ["an error response", { jsonrpc: "2.0", id: "a", error: { code: -1, message: "no" } }],
  ])("%s", async (_, body) => {
    await post(body, { status: 202 });
  });

  test("a cancellation that names another client's request has no effect", async () => {
    const { service, token } = world;
    const stranger = service.createToken().token;
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        if (i % 2) {
          const cancel = {
            jsonrpc: "2.0",
            method: "notifications/cancelled",
            // Ids of the callers, and ids as a server might count inside.
            params: { requestId: i % 4 === 1 ? 7 : i, reason: "mine now" },
          };
          return (await service.mcp(stranger, cancel)).status;
        }
        const response = await service.mcp(token, call("get_sectors", { country: "US" }, 7));
        return ((await response.json()) as Message).result ? "answered" : "lost";
      }),
    );
    expect(answers.filter((answer) => answer === 202)).toHaveLength(20);
    expect(answers.filter((answer) => answer === "answered")).toHaveLength(20);
  });
});

describe("an unknown method is -32601", () => {
  test.each([
    "nothing",
    "",
    "Ping",
    "tools/Call",
    "tools",
    "tasks/list",
    "logging/setLevel",
    "completion/complete",
    "tasks/get",
    "notifications/initialized",
    "constructor",
    "__proto__",
    "toString",
    "x".repeat(100_000),
  ])("%s", async (method) => {
    for (const params of [undefined, {}, { _meta: { progressToken: 1 } }, [1], 5, null, "x"]) {
      const message = await post({ jsonrpc: "2.0", id: 1, method, params });
      expect(message).toMatchObject({ id: 1, error: { code: -32601 } });
      expect(message?.error?.message.length).toBeLessThan(1_000);
    }
  });
});

describe("params of the wrong type are -32602", () => {
  test.each([
    ["ping", 5],
    ["ping", []],
    ["ping", null],
    ["tools/list", "x"],
    ["tools/list", { cursor: 5 }],
    ["initialize", undefined],
    ["initialize", {}],
    ["initialize", []],
  ])("%s with %j", async (method, params) => {
    expect(await post({ jsonrpc: "2.0", id: 1, method, params })).toMatchObject({
      error: { code: -32602 },
    });
  });
});

describe("initialize", () => {
  const initialize = (protocolVersion: string) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } },
  });

  test.each(["2025-06-18", "2025-11-25", "2025-03-26", "2024-11-05", "2099-01-01", "nonsense", ""])(
    "offered %j answers 2025-06-18",
    async (offered) => {
      const message = await post(initialize(offered));
      expect(message?.result).toMatchObject({
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "bourse", version: expect.any(String) },
      });
      expect(Object.keys(message?.result?.["capabilities"] as object)).toEqual([
        "tools",
        "prompts",
        "resources",
      ]);
    },
  );

  test("instructs in under 200 tokens: what to use when, the form of symbols, the cost of a call", async () => {
    const instructions = String((await post(initialize("2025-06-18")))?.result?.["instructions"]);
    expect(tokensOf(instructions)).toBeLessThan(200);
    for (const words of [
      "AAPL",
      "7203",
      "FPT",
      "quota",
      "30 seconds",
      "no other call first",
      "get_macro_history",
    ]) {
      expect(instructions).toContain(words);
    }
    expect(instructions).toMatch(/`source` is "sample", say that the figures are invented/);
    expect(instructions).not.toMatch(/start here/i);
    const names: string[] = OPERATIONS.map(({ name }) => name);
    const mentioned = instructions.match(/\b[a-z]+_[a-z_]+\b/g) ?? [];
    expect(mentioned.filter((name) => !names.includes(name))).toEqual([]);
    expect(mentioned).toEqual(
      expect.arrayContaining([
        "get_stock_overview",
        "compare_stocks",
        "screen_stocks",
        "get_price_statistics",
        "list_symbols",
        "get_macro_indicators",
      ]),
    );
  });

  test("opens no session: it returns no id, and requires none", async () => {
    const { service, token } = world;
    const response = await service.mcp(token, initialize("2025-06-18"));
    expect(response.headers.has("mcp-session-id")).toBe(false);
    expect(await post(call("get_markets", {}), { charged: 1 })).toHaveProperty("result");
  });

  test("may carry unknown fields of a later revision", async () => {
    const message = await post({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: { sampling: {}, elicitation: {}, tasks: { list: {} }, extra: { a: 1 } },
        clientInfo: { name: "test", version: "1", title: "Test", icons: [] },
        _meta: { anything: true },
      },
    });
    expect(message?.result).toMatchObject({ protocolVersion: "2025-06-18" });
  });
});

describe("ping, tools/list and tools/call work without initialize", () => {
  test("ping", async () => {
    expect((await post({ jsonrpc: "2.0", id: 1, method: "ping" }))?.result).toEqual({});
    expect((await post({ jsonrpc: "2.0", id: 1, method: "ping", params: {} }))?.result).toEqual({});
  });

  test("tools/list", async () => {
    const message = await post({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(message?.result?.["tools"]).toHaveLength(OPERATIONS.length);
    expect(message?.result).not.toHaveProperty("nextCursor");
  });

  test("tools/call", async () => {
    expect(await post(call("get_markets"), { charged: 1 })).toHaveProperty("result");
  });

  test("fields unknown to JSON-RPC are ignored", async () => {
    const message = await post({
      jsonrpc: "2.0",
      id: 1,
      method: "ping",
      extra: true,
      params: { a: 1 },
    });
    expect(message?.result).toEqual({});
  });
});

describe("headers", () => {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

  test.each([
    ["*/*"],
    ["application/json"],
    ["text/event-stream"],
    ["application/json, text/event-stream"],
    ["text/html"],
    [""],
  ])("Accept: %s is answered with plain JSON", async (accept) => {
    await post(ping, { headers: { accept } });
  });

  test("no Accept header at all is fine", async () => {
    const { service, token } = world;
    const body = JSON.stringify(ping);
    const answer = await sendRaw(
      service,
      `POST /api/v1/svc/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer?.status).toBe(200);
    expect(answer?.headers.get("content-type")).toMatch(/^application\/json/);
  });

  test.each(["2025-06-18", "2025-03-26", "2024-11-05", "2025-11-25"])(
    "MCP-Protocol-Version: %s is fine",
    async (version) => {
      await post(ping, { headers: { "mcp-protocol-version": version } });
    },
  );

  test.each(["2025-06-19", "1.0", "latest", "2099-01-01"])(
    "MCP-Protocol-Version: %s is HTTP 400, and a call with it is not charged",
    async (version) => {
      for (const body of [ping, call("get_markets")]) {
        const message = await post(body, {
          status: 400,
          headers: { "mcp-protocol-version": version },
        });
        expect(message?.error?.message).toContain("2025-06-18");
      }
    },
  );

  test("a session id from elsewhere is ignored", async () => {
    await post(ping, { headers: { "mcp-session-id": "anything", "last-event-id": "5" } });
  });
});
