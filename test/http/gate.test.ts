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

  test("refuses MCP with the error envelope, not with JSON-RPC", async () => {
    const { service, token } = world;
    await exhaust();
    const denied = await service.mcp(token, { jsonrpc: "2.0", id: 1, method: "ping" });
    expect(denied.status).toBe(429);
    expectEveryAnswer(denied);
    expectErrorEnvelope(await denied.text(), "rateLimited");
  });

  test("counts refused tokens, unknown paths, wrong methods and preflights", async () => {
    const { service } = world;
    const { token, id } = service.createToken("free");
    await Promise.all(
      Array.from({ length: 30 }, () => [
        service.request("/data/markets", "bourse_wrong"),
        service.request("/nothing", null),
        service.request("/data/markets", null, { method: "POST" }),
        service.request("/data/markets", null, { method: "OPTIONS" }),
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
