import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PLAN_NAMES, PLANS } from "#access/plans.ts";
import { CALLS } from "../support/contract-calls.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

/** What real clients send beside the declared fields, and what one with bad intentions could. */
const EXTRA = {
  _meta: { progressToken: 1, "io.modelcontextprotocol/related-task": { taskId: "x" } },
  task: { ttl: 60_000 },
  more: ["anything"],
};

/** Sends a `tools/call`, with further fields or without. */
async function send(token: string, params: object, fields: "declared" | "further") {
  const message = {
    jsonrpc: "2.0",
    id: "one",
    method: "tools/call",
    params: { ...params, ...(fields === "further" && EXTRA) },
  };
  const response = await service.mcp(token, message);
  const { status, headers } = response;
  const told = Object.fromEntries(
    [...headers].filter(([name]) => !["content-length", "date"].includes(name)),
  );
  return { status, told, message: (await response.json()) as unknown };
}

/** Two tokens in the same state send the same call, one of them with further fields. */
async function expectSame(plan: keyof typeof PLANS, params: object, calls = 1) {
  const [plain, laden] = [service.createToken(plan).token, service.createToken(plan).token];
  let last: unknown;
  for (let i = 0; i < calls; i++) {
    last = await send(plain, params, "declared");
    expect(last).toEqual(await send(laden, params, "further"));
  }
  return last;
}

describe("a tools/call with further fields is answered as one without", () => {
  test.each(CALLS.map((call) => [call.title, call] as const))("%s", async (_, call) => {
    await expectSame("max", { name: call.operation.name, arguments: call.arguments }, 2);
  });

  test.each<[string, object]>([
    ["an unknown tool", { name: "get_nothing", arguments: {} }],
    ["a missing argument", { name: "get_sectors", arguments: {} }],
    ["no arguments at all", { name: "get_sectors" }],
    ["a wrong country", { name: "get_sectors", arguments: { country: "XX" } }],
    ["a nested argument", { name: "get_sectors", arguments: { country: { code: "US" } } }],
    [
      "an unknown symbol",
      { name: "get_stock_overview", arguments: { country: "US", symbol: "NO" } },
    ],
    ["arguments that nobody declared", { name: "get_markets", arguments: { a: [1], b: null } }],
  ])("%s", async (_, params) => {
    for (const plan of PLAN_NAMES) await expectSame(plan, params, 2);
  });

  test("a call that its quota denies", async () => {
    const params = { name: "get_markets", arguments: {} };
    const denied = await expectSame("free", params, PLANS.free.hourly + 1);
    expect(denied).toMatchObject({ status: 200, message: { error: { code: -32001 } } });
  });
});

describe("a body of nearly 1 MiB in fields that no method declares is ignored", () => {
  const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`field ${i}`, i]));
  const initialize = { protocolVersion: "2025-06-18", capabilities: {} };
  const clientInfo = { name: "test", version: "1" };
  test.each<[string, string, object]>([
    ["ping", "ping", keys],
    ["ping, in _meta", "ping", { _meta: keys }],
    ["tools/list", "tools/list", keys],
    ["tools/list, in _meta", "tools/list", { _meta: keys }],
    ["initialize", "initialize", { ...initialize, clientInfo, ...keys }],
    [
      "initialize, in capabilities",
      "initialize",
      { ...initialize, clientInfo, capabilities: keys },
    ],
    [
      "initialize, in clientInfo",
      "initialize",
      { ...initialize, clientInfo: { ...clientInfo, ...keys } },
    ],
    ["tools/call", "tools/call", { name: "get_markets", ...keys }],
    ["tools/call, in _meta", "tools/call", { name: "get_markets", _meta: keys }],
    ["tools/call, in arguments", "tools/call", { name: "get_markets", arguments: keys }],
  ])("%s", async (_, method, params) => {
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    expect(message.length).toBeGreaterThan(900_000);
    expect(message.length).toBeLessThan(2 ** 20);
    const response = await service.mcp(service.createToken().token, message);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id: 1, result: expect.any(Object) });
  });

  test.each(["ping", "tools/list", "initialize", "tools/call"])(
    "%s, nested deeper than any stack",
    async (method) => {
      const deep = "[".repeat(250_000) + "]".repeat(250_000);
      const declared = JSON.stringify({ ...initialize, clientInfo, name: "get_markets" }).slice(1);
      const response = await service.mcp(
        service.createToken().token,
        `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"deep":${deep},"_meta":{"deep":${deep}},${declared}}`,
      );
      expect(await response.json()).toMatchObject({ id: 1, result: expect.any(Object) });
    },
  );
});

describe("a progress token", () => {
  test.each([1, "abc", 0])("of %j is accepted", async (progressToken) => {
    const params = { name: "get_markets", _meta: { progressToken } };
    const response = await service.mcp(service.createToken().token, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params,
    });
    expect(await response.json()).toHaveProperty("result");
  });

  test.each<[unknown]>([[{ progressToken: {} }], [{ progressToken: 1.5 }], [5], [[]], [null]])(
    "in a _meta of %j is -32602",
    async (_meta) => {
      for (const method of ["ping", "tools/list", "tools/call"]) {
        const response = await service.mcp(service.createToken().token, {
          jsonrpc: "2.0",
          id: 1,
          method,
          params: { name: "get_markets", _meta },
        });
        expect(await response.json()).toMatchObject({ error: { code: -32602 } });
      }
    },
  );
});
