import { afterAll, describe, expect, test } from "bun:test";
import { startHandMade, testExchanges } from "../support/contract-exchange.ts";

/** gate → method → token → quota → validation → work: of each neighbouring pair, the earlier one wins. */

const world = await startHandMade();
afterAll(() => world.service.stop());

describe("the method comes before the token, the token before validation", () => {
  testExchanges(
    () => world,
    [
      {
        name: "a wrong method without a token is 405",
        method: "POST",
        path: "/data/sectors?country=US",
        caller: "none",
        status: 405,
        refusal: "invalid",
        charged: false,
      },
      {
        name: "a wrong method with a live token is 405 and costs nothing",
        method: "DELETE",
        path: "/data/sectors?country=US",
        status: 405,
        refusal: "invalid",
        charged: false,
      },
      {
        name: "a wrong method with a bad token and a bad country is 405",
        method: "PUT",
        path: "/data/sectors?country=XX",
        caller: { authorization: "Bearer nonsense" },
        status: 405,
        refusal: "invalid",
        charged: false,
      },
      {
        name: "a bad country without a token is 401",
        path: "/data/sectors?country=XX",
        caller: "none",
        status: 401,
        refusal: "missingAuth",
        charged: false,
      },
      {
        name: "an unknown symbol with a bad token is 401",
        path: "/data/stocks/NOPE/overview?country=US",
        caller: { authorization: "Bearer nonsense" },
        status: 401,
        refusal: "invalidToken",
        charged: false,
      },
      {
        name: "a 400 of an authenticated call counts",
        path: "/data/sectors?country=XX",
        status: 400,
        refusal: "invalid",
      },
      {
        name: "a 404 of an authenticated call counts",
        path: "/data/stocks/NOPE/overview?country=US",
        status: 404,
        refusal: "notFound",
      },
      {
        name: "validation comes before the look-up: bad country and unknown symbol is 400",
        path: "/data/stocks/NOPE/overview?country=XX",
        status: 400,
        refusal: "invalid",
      },
      {
        name: "a repeated parameter of an unknown symbol is 400",
        path: "/data/stocks/NOPE/overview?country=US&country=US",
        status: 400,
        refusal: "invalid",
      },
      {
        name: "an unknown path needs no token",
        path: "/data/nothing?country=XX",
        caller: "none",
        status: 404,
        refusal: "notFound",
        charged: false,
      },
      {
        name: "an unknown path with a live token costs nothing",
        path: "/data/nothing",
        status: 404,
        refusal: "notFound",
        charged: false,
      },
      {
        name: "an unknown path is 404 for every method",
        method: "POST",
        path: "/data/nothing",
        status: 404,
        refusal: "notFound",
        charged: false,
      },
    ],
  );
});

describe("an exhausted quota", () => {
  test("comes after the token and the method, before validation and the look-up", async () => {
    const { service } = world;
    const { token } = service.createToken("free");
    for (let i = 0; i < 30; i++) await service.request("/data/markets", token);

    const status = async (path: string, caller: string | null, init?: RequestInit) =>
      (await service.request(path, caller, init)).status;
    expect(await status("/data/markets", token)).toBe(429);
    expect(await status("/data/sectors?country=XX", token)).toBe(429);
    expect(await status("/data/sectors", token)).toBe(429);
    expect(await status("/data/sectors?country=US&country=US", token)).toBe(429);
    expect(await status("/data/stocks/NOPE/overview?country=US", token)).toBe(429);
    expect(await status("/data/sectors?country=XX", null)).toBe(401);
    expect(await status("/data/markets", `${token}x`)).toBe(401);
    expect(await status("/data/markets", token, { method: "POST" })).toBe(405);
    expect(await status("/data/nothing", token)).toBe(404);
    expect(await status("/openapi.json", token)).toBe(200);
  });

  test("on MCP comes before the tool, its arguments and the look-up", async () => {
    const { service } = world;
    const { token } = service.createToken("free");
    for (let i = 0; i < 30; i++) await service.callTool(token, "get_markets", {});

    for (const [name, args] of [
      ["get_markets", {}],
      ["no_such_tool", {}],
      ["get_sectors", {}],
      ["get_sectors", { country: "XX" }],
      ["get_sectors", 5],
    ] as const) {
      expect((await service.callTool(token, name, args)).error?.code).toBe(-32001);
    }
    // A malformed message is refused before the quota.
    const broken = await service.mcp(token, { id: 1, method: "tools/call" });
    expect(broken.status).toBe(400);
  });
});

describe("an exhausted gate", () => {
  test("comes before everything, on both interfaces", async () => {
    const { service, token } = await startHandMade({ gatePerMinute: 1 });
    try {
      expect((await service.request("/openapi.json", null)).status).toBe(200);
      const statuses = await Promise.all(
        [
          service.request("/data/markets", token),
          service.request("/data/markets", null),
          service.request("/data/markets", token, { method: "POST" }),
          service.request("/data/nothing", null),
          service.request("/data/sectors?country=XX", token),
          service.mcp(token, { jsonrpc: "2.0", id: 1, method: "ping" }),
          service.mcp(null, "{"),
        ].map(async (response) => (await response).status),
      );
      expect(statuses).toEqual(statuses.map(() => 429));
      expect(await service.used(1)).toBe(0);
    } finally {
      await service.stop();
    }
  });
});

describe("on MCP", () => {
  const post = (caller: "live" | "none", body: string, contentType = "application/json") =>
    ({
      method: "POST",
      path: "/mcp",
      caller,
      body,
      headers: { "content-type": contentType },
      charged: false,
    }) as const;
  testExchanges(
    () => world,
    [
      {
        name: "the token comes before the content type",
        ...post("none", "x", "text/plain"),
        status: 401,
        refusal: "missingAuth",
      },
      {
        name: "the token comes before the body",
        ...post("none", "{"),
        status: 401,
        refusal: "missingAuth",
      },
      {
        name: "the content type comes before the body",
        ...post("live", "{", "text/plain"),
        status: 415,
        refusal: "invalid",
      },
    ],
  );
});
