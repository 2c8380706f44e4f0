import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  expectErrorEnvelope,
  expectEveryAnswer,
  startHandMade,
} from "../support/contract-exchange.ts";
import { START } from "../support/service.ts";

const world = await startHandMade({ gatePerMinute: 120 });
/** Every test begins in a new minute, at its 20th second. */
let minute = 0;
beforeEach(() => {
  world.service.time.now = START + ++minute * 60_000 + 20_000;
});
afterAll(() => world.service.stop());

async function exhaust(): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 120 }, () => world.service.request("/openapi.json", null)),
  );
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    await answer.text();
  }
}

describe("the gate of 120 requests a minute", () => {
  test("refuses the 121st with its own numbers", async () => {
    const { service, token } = world;
    await exhaust();
    const denied = await service.request("/data/markets", token);
    expect(denied.status).toBe(429);
    expectEveryAnswer(denied);
    expect(denied.headers.get("retry-after")).toBe("40");
    expect(denied.headers.get("x-ratelimit-limit")).toBe("120");
    expect(denied.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(denied.headers.get("x-ratelimit-reset")).toBe(String(service.time.now / 1000 + 40));
    expect(denied.headers.has("ratelimit")).toBe(false);
    expect(denied.headers.has("ratelimit-policy")).toBe(false);
    expect(denied.headers.get("access-control-expose-headers")).toMatch(/retry-after/i);
    expectErrorEnvelope(await denied.text(), "rateLimited");
  });

  test("counts requests of other sites' pages apart on this machine, so that they stop no program", async () => {
    const { service, token } = world;
    const { origin } = new URL(service.base);
    const ask = async (path: string, site: string) =>
      (await fetch(origin + path, { headers: { "sec-fetch-site": site } })).status;
    const sites = ["cross-site", "same-site"];
    for (let i = 0; i < 118; i++) await ask("/api/v1/svc/data/markets", sites[i % 2] ?? "");
    // The console refuses such a page, which counts too.
    expect(await ask("/console/api/service", "cross-site")).toBe(403);
    expect(await ask("/api/v1/svc/data/markets", "cross-site")).toBe(401);
    expect(await ask("/api/v1/svc/data/markets", "cross-site")).toBe(429);
    expect(await ask("/console/api/service", "same-site")).toBe(429);
    expect(await ask("/console/api/service", "same-origin")).toBe(200);
    expect((await service.request("/data/markets", token)).status).toBe(200);
  });

  test("refuses a JSON-RPC request with -32001 under HTTP 429", async () => {
    const { service, token } = world;
    await exhaust();
    for (const bearer of [token, "bourse_wrong"]) {
      const denied = await service.mcp(bearer, { jsonrpc: "2.0", id: 1.5, method: "ping" });
      expect(denied.status).toBe(429);
      expectEveryAnswer(denied);
      expect(denied.headers.get("retry-after")).toBe("40");
      expect(denied.headers.get("x-ratelimit-limit")).toBe("120");
      expect(await denied.json()).toEqual({
        jsonrpc: "2.0",
        id: 1.5,
        error: {
          code: -32001,
          message: expect.stringMatching(/^Rate limit exceeded: 120 .*Retry after 40 s\.$/),
          data: { retry_after_seconds: 40 },
        },
      });
    }
  });

  test.each([
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["no JSON-RPC", { hello: 1 }],
    ["no JSON", "{"],
    [
      "a message of 64 KiB",
      { jsonrpc: "2.0", id: 1, method: "ping", params: { x: "x".repeat(65_536) } },
    ],
  ])("refuses %s on MCP with the error envelope", async (_, body) => {
    const { service, token } = world;
    await exhaust();
    const denied = await service.mcp(token, body);
    expect(denied.status).toBe(429);
    expectEveryAnswer(denied);
    expectErrorEnvelope(await denied.text(), "rateLimited");
  });

  test("answers preflights without counting them", async () => {
    const { service, token } = world;
    const preflight = () =>
      service.request("/data/markets", null, {
        method: "OPTIONS",
        headers: { Origin: "https://a.example", "Access-Control-Request-Method": "GET" },
      });
    for (let i = 0; i < 120; i++) expect((await preflight()).status).toBe(204);
    expect((await service.request("/data/markets", token)).status).toBe(200);
    await exhaust().catch(() => undefined);
    expect((await service.request("/data/markets", token)).status).toBe(429);
    expect((await preflight()).status).toBe(204);
  });

  test("counts refused tokens, unknown paths and wrong methods", async () => {
    const { service } = world;
    const { token, id } = service.createToken("free");
    await Promise.all(
      Array.from({ length: 40 }, () => [
        service.request("/data/markets", "bourse_wrong"),
        service.request("/nothing", null),
        service.request("/data/markets", null, { method: "POST" }),
      ]).flat(),
    );
    expect((await service.request("/data/markets", token)).status).toBe(429);
    expect(await service.used(id)).toBe(0);
  });

  test("passes requests again in the next minute of the clock", async () => {
    const { service, token } = world;
    await exhaust();
    service.time.now += 39_999;
    const denied = await service.request("/data/markets", token);
    expect([denied.status, denied.headers.get("retry-after")]).toEqual([429, "1"]);
    service.time.now += 1;
    expect((await service.request("/data/markets", token)).status).toBe(200);
  });
});
