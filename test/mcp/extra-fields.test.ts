import { afterAll, describe, expect, test } from "bun:test";
import { PLAN_NAMES, PLANS } from "#access/plans.ts";
import { CALLS } from "../support/contract-calls.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());

// Clients send more than the declared fields: progress tokens, or a megabyte to block the service.

/** Fields that no method declares. */
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
  return {
    status,
    headers: [...headers].filter(([name]) => name !== "content-length" && name !== "date"),
    // The link to a long answer's file is of the token.
    message: JSON.parse((await response.text()).replaceAll(/bourse_[\w.-]+/g, "LINK")) as unknown,
  };
}

/** Two tokens in the same state send the same call, one of them with further fields. */
async function expectSame(plan: keyof typeof PLANS, params: object, calls = 1) {
  const [plain, other] = [service.createToken(plan).token, service.createToken(plan).token];
  let last: unknown;
  for (let i = 0; i < calls; i++) {
    last = await send(plain, params, "declared");
    expect(last).toEqual(await send(other, params, "further"));
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
    ["undeclared arguments", { name: "get_markets", arguments: { a: [1], b: null } }],
  ])("%s", async (_, params) => {
    for (const plan of PLAN_NAMES) await expectSame(plan, params, 2);
  });

  test("a call that its quota denies", async () => {
    const params = { name: "get_markets", arguments: {} };
    const denied = await expectSame("free", params, PLANS.free.hourly + 1);
    expect(denied).toMatchObject({ status: 200, message: { error: { code: -32001 } } });
  });
});

describe("fields that no method declares", () => {
  const initialize = { protocolVersion: "2025-06-18", capabilities: {} };
  const clientInfo = { name: "test", version: "1" };
  const CASES: [string, string, (extra: object) => object][] = [
    ["ping", "ping", (extra) => extra],
    ["ping, in _meta", "ping", (extra) => ({ _meta: extra })],
    ["tools/list", "tools/list", (extra) => extra],
    ["tools/list, in _meta", "tools/list", (extra) => ({ _meta: extra })],
    ["initialize", "initialize", (extra) => ({ ...initialize, clientInfo, ...extra })],
    [
      "initialize, in capabilities",
      "initialize",
      (extra) => ({ ...initialize, clientInfo, capabilities: extra }),
    ],
    [
      "initialize, in clientInfo",
      "initialize",
      (extra) => ({ ...initialize, clientInfo: { ...clientInfo, ...extra } }),
    ],
    ["tools/call", "tools/call", (extra) => ({ name: "get_markets", ...extra })],
    ["tools/call, in _meta", "tools/call", (extra) => ({ name: "get_markets", _meta: extra })],
    [
      "tools/call, in arguments",
      "tools/call",
      (extra) => ({ name: "get_markets", arguments: extra }),
    ],
  ];

  /** Nearly 1 MiB in that many fields; the text of each holds what separates fields. */
  function fields(count: number): object {
    const text = '",{['.repeat(Math.floor(900_000 / count / 5));
    return Object.fromEntries(Array.from({ length: count }, (_, i) => [`field ${i}`, text]));
  }

  test.each(CASES)("are ignored up to 9,900 in nearly 1 MiB: %s", async (_, method, paramsWith) => {
    const params = paramsWith(fields(9_900));
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    expect(message.length).toBeGreaterThan(900_000);
    expect(message.length).toBeLessThan(2 ** 20);
    const response = await service.mcp(service.createToken().token, message);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id: 1, result: expect.any(Object) });
  });

  test.each(CASES)("are refused beyond 10,000, uncharged: %s", async (_, method, paramsWith) => {
    const { token, id } = service.createToken();
    const params = paramsWith(fields(10_001));
    const response = await service.mcp(token, { jsonrpc: "2.0", id: 1, method, params });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } });
    expect(await service.used(id)).toBe(0);
  });

  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  test.each([
    [`[${"[],".repeat(300_000)}0]`],
    [`[${'{"a":1},'.repeat(100_000)}0]`],
    [`[${"1,".repeat(400_000)}0]`],
    [nested(400_000)],
  ])("are refused beyond 10,000 values: %.12s…", async (values) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"extra":${values}}}`;
    const response = await service.mcp(service.createToken().token, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } });
  });

  test.each(["ping", "tools/list", "initialize", "tools/call"])(
    "are ignored when nested 4,900 deep: %s",
    async (method) => {
      const declared = JSON.stringify({ ...initialize, clientInfo, name: "get_markets" }).slice(1);
      const response = await service.mcp(
        service.createToken().token,
        `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"deep":${nested(4_900)},"_meta":{"deep":${nested(4_900)}},${declared}}`,
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
