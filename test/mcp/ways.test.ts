import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PLAN_NAMES, PLANS } from "#access/plans.ts";
import { CALLS } from "../support/contract-calls.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

/** Sends a `tools/call`; with `_meta` it goes through the SDK, without it past it. */
async function send(token: string, params: object, way: "past" | "through") {
  const message = {
    jsonrpc: "2.0",
    id: "one",
    method: "tools/call",
    params: { ...params, ...(way === "through" && { _meta: {} }) },
  };
  const response = await service.mcp(token, message);
  const { status, headers } = response;
  const told = Object.fromEntries(
    [...headers].filter(([name]) => !["content-length", "date"].includes(name)),
  );
  return { status, told, message: (await response.json()) as unknown };
}

/** Two tokens in the same state send the same call, each its own way. */
async function expectSame(plan: keyof typeof PLANS, params: object, calls = 1) {
  const [past, through] = [service.createToken(plan).token, service.createToken(plan).token];
  let last: unknown;
  for (let i = 0; i < calls; i++) {
    last = await send(past, params, "past");
    expect(last).toEqual(await send(through, params, "through"));
  }
  return last;
}

describe("a tools/call past the SDK and one through it are answered alike", () => {
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
