import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Guard } from "#access/guard.ts";
import { BourseError } from "#domain/errors.ts";
import { V1 } from "#http/api-version.ts";
import { createApp } from "#http/app.ts";
import { BoundedAnswers } from "#http/bounded-answers.ts";
import { createClientAddress } from "#http/client-address.ts";
import { createLog } from "#lib/log.ts";
import { McpServer } from "#mcp/server.ts";
import { createExecutor, type Executor } from "#operations/execute.ts";
import { TEST_CLUSTER } from "../support/cluster-service.ts";
import {
  expectErrorEnvelope,
  expectEveryAnswer,
  QUOTA_HEADERS,
  startHandMade,
} from "../support/contract-exchange.ts";

/** Internals that no answer may contain: a path, a stack, SQL, the name of an error class. */
const INTERNALS = /\/|\\n|\bat \w|\.ts\b|SELECT|SQLITE|sqlite|[A-Z]\w+Error|JSON|stack/;

const world = await startHandMade();
afterAll(() => world.service.stop());

/** Runs SQL on the market file as another process would. */
function tamper(sql: string): void {
  const database = new Database(join(world.service.folder, "market.db"));
  database.run("PRAGMA busy_timeout = 2000");
  database.run(sql);
  database.close();
}

/** Runs `work` while every stored calendar event is broken. */
async function whileBroken(work: () => Promise<void>): Promise<void> {
  const { service } = world;
  service.time.now += 60_000;
  tamper("CREATE TABLE kept AS SELECT * FROM documents WHERE kind = 'calendarEvents'");
  tamper(
    'UPDATE documents SET body = \'{"date":"9999-12-31","importance":"high"}\' WHERE kind = \'calendarEvents\'',
  );
  try {
    await work();
  } finally {
    tamper("INSERT OR REPLACE INTO documents SELECT * FROM kept");
    tamper("DROP TABLE kept");
  }
}

const CALENDAR = "/data/macro/calendar";
const toolCall = { name: "get_macro_calendar", arguments: {} };

describe("an internal failure", () => {
  test("is 500 without internals, counts as a call, and has its id in the log", async () => {
    const { service, token, id } = world;
    const used = () => service.used(id);
    await whileBroken(async () => {
      const [before, linesBefore] = [await used(), service.logLines.length];
      const response = await service.request(CALENDAR, token);
      expect(response.status).toBe(500);
      expectEveryAnswer(response);
      expect(QUOTA_HEADERS.filter((name) => response.headers.has(name))).toEqual(QUOTA_HEADERS);
      expect(response.headers.has("etag")).toBe(false);
      expect((await used()) - before).toBe(1);
      expect(expectErrorEnvelope(await response.text(), "internal")).not.toMatch(INTERNALS);

      const lines = service.logLines.slice(linesBefore);
      expect(lines).toHaveLength(1);
      const line = JSON.parse(lines[0] ?? "") as Record<string, string>;
      expect(line["requestId"]).toBe(response.headers.get("x-request-id") ?? "none");
      expect(line["error"]).toMatch(/TypeError/);
    });
  });

  test("is -32603 on MCP without internals, under HTTP 200", async () => {
    const { service, token } = world;
    await whileBroken(async () => {
      const linesBefore = service.logLines.length;
      const response = await service.mcp(token, {
        jsonrpc: "2.0",
        id: "mine",
        method: "tools/call",
        params: toolCall,
      });
      expect(response.status).toBe(200);
      const message = (await response.json()) as { error: { data: { request_id: string } } };
      expect(message).toMatchObject({ jsonrpc: "2.0", id: "mine", error: { code: -32603 } });
      expect(JSON.stringify(message.error)).not.toMatch(INTERNALS);
      const line = JSON.parse(service.logLines[linesBefore] ?? "") as Record<string, string>;
      expect(line["requestId"]).toBe(message.error.data.request_id);
    });
  });

  test("is not cached: calls succeed as soon as its cause is gone", async () => {
    const { service, token } = world;
    await whileBroken(async () => {
      expect((await service.request(CALENDAR, token)).status).toBe(500);
      expect((await service.request("/data/markets", token)).status).toBe(200);
    });
    expect((await service.request(CALENDAR, token)).status).toBe(200);
    const tool = await service.callTool(token, toolCall.name, toolCall.arguments);
    expect(tool.result?.structuredContent).toBeDefined();
  });

  test("never writes a token to the log", () => {
    expect(world.service.logLines.length).toBeGreaterThan(0);
    for (const line of world.service.logLines) expect(line).not.toMatch(/bourse_\w{20}/);
  });
});

describe("a market that is gone", () => {
  test("is 500 or 503 on every data route; the service itself stays up", async () => {
    const { service, token } = await startHandMade();
    service.market.close();
    for (const path of ["/data/markets", "/data/sectors?country=US", CALENDAR]) {
      const response = await service.request(path, token);
      expect([500, 503]).toContain(response.status);
      expectEveryAnswer(response);
      expect(expectErrorEnvelope(await response.text(), "internal")).not.toMatch(INTERNALS);
    }
    const tool = await service.callTool(token, "get_markets", {});
    expect([-32603, -32002]).toContain(tool.error?.code ?? 0);
    expect((await service.request("/openapi.json", null)).status).toBe(200);
    expect((await service.mcp(token, { jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(
      200,
    );
    await service.stop();
  });
});

/** The HTTP application on the market of `world`, with one part replaced by a failing one. */
async function start(failing: { executor?: Executor; guard?: Guard }) {
  const { market, time } = world.service;
  const clock = () => time.now;
  const log = createLog({ format: "json", write: () => {}, clock });
  const { guard = world.service.guard, executor = createExecutor({ market, clock }) } = failing;
  const mcp = new McpServer({ executor, guard, clock, log, version: "0" });
  const clientAddress = createClientAddress([]);
  const bounded = new BoundedAnswers(executor, clock);
  const parts = { executor, bounded, guard, mcp, gate: null, clientAddress, clock, log };
  const app = createApp(parts, [V1]);
  return (path: string, token: string, init: RequestInit = {}) =>
    app(
      new Request(`http://localhost/api/v1/svc${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      }),
      { requestIP: () => null },
    );
}

describe("data that is unavailable for now", () => {
  const executor: Executor = {
    counts: { executed: 0, computed: 0 },
    execute: () => {
      throw new BourseError("unavailable", "The source is down.", { retryAfterSeconds: 17 });
    },
  };

  test("is 503 with Retry-After and the quota, in the error envelope", async () => {
    const request = await start({ executor });
    const response = await request("/data/markets", world.token);
    expect(response.status).toBe(503);
    expectEveryAnswer(response);
    expect(response.headers.get("retry-after")).toBe("17");
    expect(QUOTA_HEADERS.filter((name) => response.headers.has(name))).toEqual(QUOTA_HEADERS);
    expectErrorEnvelope(await response.text(), "internal");
  });

  test("is -32002 on MCP, under HTTP 200", async () => {
    const request = await start({ executor });
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_markets" } };
    const response = await request("/mcp", world.token, {
      method: "POST",
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    expect(response.headers.has("retry-after")).toBe(false);
    expect(await response.json()).toMatchObject({
      id: 1,
      error: { code: -32002, message: "The source is down.", data: { retry_after_seconds: 17 } },
    });
  });
});

describe("a counter that cannot be reached", () => {
  test("is 503 over REST and -32002 on MCP, and the work is not done", async () => {
    const { service, token } = world;
    const guard = {
      ...service.guard,
      charge: (): never => {
        throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
      },
    };
    const request = await start({ guard });
    const response = await request("/data/markets", token);
    expect(response.status).toBe(503);
    expect(expectErrorEnvelope(await response.text(), "internal")).not.toMatch(INTERNALS);

    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_markets" } };
    const tool = await request("/mcp", token, { method: "POST", body: JSON.stringify(body) });
    expect(tool.status).toBe(200);
    const message = (await tool.json()) as { error: { code: number; message: string } };
    expect(message).toMatchObject({ id: 1, error: { code: -32002 } });
    expect(message.error.message).not.toMatch(INTERNALS);
  });
});

describe("a counter of a cluster that cannot be reached", () => {
  const unavailable = new BourseError("unavailable", "Retry shortly.", { retryAfterSeconds: 3 });

  test("is 503 with Retry-After over REST and -32002 on MCP, for a known token too", async () => {
    const { service, token } = world;
    const guard = { ...service.guard, charge: () => Promise.reject(unavailable) };
    const request = await start({ guard });
    const response = await request("/data/markets", token);
    expect(response.status).toBe(503);
    expectEveryAnswer(response);
    expect(response.headers.get("retry-after")).toBe("3");
    expectErrorEnvelope(await response.text(), "internal");

    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_markets" } };
    const tool = await request("/mcp", token, { method: "POST", body: JSON.stringify(body) });
    expect(tool.status).toBe(200);
    expect(await tool.json()).toMatchObject({ id: 1, error: { code: -32002 } });
  });

  test("is 503 also if the token cannot be looked up or the quota cannot be read", async () => {
    const { service, token } = world;
    const reject = () => Promise.reject(unavailable);
    const calls = [
      ["tools/call", { name: "get_markets" }],
      ["tools/list", {}],
    ] as const;
    for (const failing of [{ authenticate: reject }, { charge: reject, quota: reject }]) {
      const request = await start({ guard: { ...service.guard, ...failing } });
      expect((await request("/data/markets", token)).status).toBe(503);
      for (const [method, params] of calls) {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
        const response = await request("/mcp", token, { method: "POST", body });
        expect(response.status).toBe(503);
        expect(response.headers.get("retry-after")).toBe("3");
      }
    }
  });
});

// A cluster has no such file.
describe.skipIf(TEST_CLUSTER !== undefined)(
  "an access file that another process keeps locked",
  () => {
    test("delays a call while it is locked for a moment, over REST and MCP", async () => {
      const { service } = world;
      const { token } = service.createToken("free");
      const lock = new Database(join(service.folder, "access.db"));
      lock.run("BEGIN IMMEDIATE");
      const calls = [
        service.request("/data/markets", token),
        service.callTool(token, "get_markets", {}).then(() => null),
      ];
      // A call without a write is answered meanwhile, so the thread does not wait.
      expect((await service.request("/data/markets", null)).status).toBe(401);
      lock.run("ROLLBACK");
      lock.close();
      expect((await Promise.all(calls))[0]?.status).toBe(200);
    });

    test("is 503 with the quota if it stays locked, and works again afterwards", async () => {
      const { service } = world;
      const { token } = service.createToken();
      const lock = new Database(join(service.folder, "access.db"));
      lock.run("BEGIN IMMEDIATE");
      try {
        const response = await service.request("/data/markets", token);
        expect(response.status).toBe(503);
        expectEveryAnswer(response);
        expect(QUOTA_HEADERS.filter((name) => response.headers.has(name))).toEqual(QUOTA_HEADERS);
        expect(response.headers.get("retry-after")).toBe("1");
        expect(expectErrorEnvelope(await response.text(), "internal")).not.toMatch(INTERNALS);
      } finally {
        lock.run("ROLLBACK");
        lock.close();
      }
      expect((await service.request("/data/markets", token)).status).toBe(200);
    });
  },
);
