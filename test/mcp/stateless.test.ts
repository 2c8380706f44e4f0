import { afterAll, describe, expect, test } from "bun:test";
import packages from "../../package.json";
import { expectEveryAnswer, QUOTA_HEADERS, startHandMade } from "../support/contract-exchange.ts";

// Revision 2026-07-28: https://modelcontextprotocol.io/specification/2026-07-28/basic
const REVISION = "2026-07-28";
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_KEY = "io.modelcontextprotocol/clientInfo";
const SERVER_KEY = "io.modelcontextprotocol/serverInfo";
const META = {
  [VERSION_KEY]: REVISION,
  [CLIENT_KEY]: { name: "test", version: "1" },
  [CAPABILITIES_KEY]: {},
};

const world = await startHandMade();
afterAll(() => world.service.stop());

interface Message {
  id: unknown;
  result?: Record<string, unknown> & { _meta?: Record<string, unknown> };
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

interface Sent {
  /** Replaces `_meta`; left out if null. */
  meta?: object | null;
  params?: object;
  /** Replaces headers; a header of null is not sent. */
  headers?: Record<string, string | null>;
  status?: number;
  charged?: number;
}

/** Sends a request as the revision requires it, apart from what `sent` changes. */
async function send(method: string, sent: Sent = {}): Promise<Message> {
  const { meta = META, params = {}, status = 200, charged = 0 } = sent;
  const name = (params as { name?: unknown }).name;
  const headers = Object.fromEntries(
    Object.entries({
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...sent.headers,
    }).filter((header): header is [string, string] => header[1] !== null),
  );
  const { service, token, id } = world;
  const before = await service.used(id);
  const body = {
    jsonrpc: "2.0",
    id: 7,
    method,
    params: { ...params, ...(meta !== null && { _meta: meta }) },
  };
  const response = await service.mcp(token, body, headers);
  const message = (await response.json()) as Message;
  expect({ status: response.status, message }).toMatchObject({ status });
  expect(message.id).toBe(7);
  expectEveryAnswer(response);
  expect(QUOTA_HEADERS.filter((header) => response.headers.has(header))).toEqual(QUOTA_HEADERS);
  expect((await service.used(id)) - before).toBe(charged);
  return message;
}

const call = (name: string, args: object = {}): Sent => ({
  params: { name, arguments: args },
  charged: 1,
});

describe("a request that names 2026-07-28", () => {
  test("server/discover answers revisions, capabilities, identity and instructions", async () => {
    const { result } = await send("server/discover");
    expect(result).toEqual({
      resultType: "complete",
      supportedVersions: [REVISION, "2025-06-18"],
      capabilities: { tools: {}, prompts: {}, resources: {} },
      instructions: expect.stringContaining("get_stock_overview"),
      ttlMs: 3_600_000,
      cacheScope: "public",
      _meta: {
        [SERVER_KEY]: { name: "bourse", title: expect.any(String), version: packages.version },
      },
    });
  });

  test("tools/list answers the list of 2025-06-18, with how long it may be kept", async () => {
    const { service, token } = world;
    const legacy = await service.mcp(token, { jsonrpc: "2.0", id: 7, method: "tools/list" });
    const { tools } = ((await legacy.json()) as Message).result ?? {};
    const { result } = await send("tools/list");
    expect(result).toEqual({
      resultType: "complete",
      ttlMs: 3_600_000,
      cacheScope: "public",
      tools,
      _meta: { [SERVER_KEY]: expect.any(Object) },
    });
  });

  test("tools/call answers the result of 2025-06-18, complete, with the server's identity", async () => {
    const { service, token } = world;
    const args = { country: "US", symbol: "AAPL" };
    const legacy = await service.callTool(token, "get_stock_overview", args);
    const { result } = await send("tools/call", call("get_stock_overview", args));
    expect(result).toEqual({
      ...legacy.result,
      resultType: "complete",
      _meta: {
        ...legacy.result?._meta,
        quota: expect.any(Object),
        [SERVER_KEY]: { name: "bourse", title: expect.any(String), version: packages.version },
      },
    });
  });

  test("an error of a tool is a complete result", async () => {
    const { result } = await send("tools/call", call("get_sectors", { country: "XX" }));
    expect(result).toMatchObject({ resultType: "complete", isError: true });
    expect(result?._meta).toHaveProperty([SERVER_KEY, "name"], "bourse");
  });

  test("a missing argument is an error of the tool, which the model can fix", async () => {
    const { result } = await send("tools/call", call("get_sectors"));
    expect(result).toMatchObject({ resultType: "complete", isError: true });
    expect(JSON.stringify(result?.["content"])).toMatch(
      /country .*missing\..*Fix the argument and call get_sectors again\./,
    );
    // Arguments that are no object are not written by the model.
    const params = { name: "get_sectors", arguments: 5 };
    expect((await send("tools/call", { params, charged: 1 })).error?.code).toBe(-32602);
  });

  test("keeps the contract's codes", async () => {
    expect((await send("tools/call", call("nothing"))).error?.code).toBe(-32601);
    const { service } = world;
    const { token } = service.createToken("free");
    for (let i = 0; i < 30; i++) await service.callTool(token, "get_markets", {});
    const denied = await service.mcp(
      token,
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_markets", _meta: META },
      },
      { "mcp-protocol-version": REVISION, "mcp-method": "tools/call", "mcp-name": "get_markets" },
    );
    expect(denied.status).toBe(200);
    expect(await denied.json()).toMatchObject({
      error: { code: -32001, data: { retry_after_seconds: 1_800 } },
    });
  });

  test.each([
    ..."initialize ping logging/setLevel tasks/list subscriptions/listen".split(" "),
    ..."constructor nothing".split(" "),
  ])("%s is unknown: -32601 under HTTP 404", async (method) => {
    const { error } = await send(method, { status: 404 });
    expect(error?.code).toBe(-32601);
    expect(error?.message).toContain("server/discover, tools/list, tools/call");
  });

  test("a notification is 202 without a body", async () => {
    const { service, token } = world;
    const response = await service.mcp(
      token,
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { _meta: META } },
      { "mcp-protocol-version": REVISION },
    );
    expect([response.status, await response.text()]).toEqual([202, ""]);
  });

  test("may carry a progress token and trace context", async () => {
    const meta = { ...META, progressToken: 1, traceparent: "00-0af7651916cd43dd8448eb211c80319c" };
    expect(await send("tools/list", { meta })).toHaveProperty("result");
  });

  test("may leave out who the client is", async () => {
    const meta = { [VERSION_KEY]: REVISION, [CAPABILITIES_KEY]: {} };
    expect(await send("server/discover", { meta })).toHaveProperty("result");
  });
});

describe("a request with an incomplete _meta is -32602 under HTTP 400, uncharged", () => {
  test.each<[string, object | null, string]>([
    ["none", null, VERSION_KEY],
    ["empty", {}, VERSION_KEY],
    ["no revision", { [CAPABILITIES_KEY]: {} }, VERSION_KEY],
    ["no capabilities", { [VERSION_KEY]: REVISION }, CAPABILITIES_KEY],
    ["capabilities of a list", { ...META, [CAPABILITIES_KEY]: [] }, CAPABILITIES_KEY],
    ["a client of text", { ...META, [CLIENT_KEY]: "me" }, CLIENT_KEY],
    ["a revision of a number", { ...META, [VERSION_KEY]: 2026 }, VERSION_KEY],
  ])("%s", async (_, meta, says) => {
    for (const sent of [{}, { params: { name: "get_markets" } }]) {
      const method = "params" in sent ? "tools/call" : "server/discover";
      const { error } = await send(method, { ...sent, meta, status: 400 });
      expect(error?.code).toBe(-32602);
      expect(error?.message).toContain(says);
    }
  });

  test("a progress token of a wrong type", async () => {
    const { error } = await send("tools/list", { meta: { ...META, progressToken: {} } });
    expect(error?.code).toBe(-32602);
  });
});

describe("an unknown revision is -32022 under HTTP 400, with the supported ones", () => {
  test.each(["2026-07-29", "1900-01-01", "v999.0.0", "", "x".repeat(10_000)])(
    "%s",
    async (revision) => {
      for (const method of ["server/discover", "tools/call", "initialize"]) {
        const { error } = await send(method, {
          meta: { ...META, [VERSION_KEY]: revision },
          headers: { "mcp-protocol-version": revision },
          status: 400,
        });
        expect(error).toMatchObject({
          code: -32022,
          data: { supported: [REVISION, "2025-06-18"], requested: revision.slice(0, 40) },
        });
        expect(error?.message.length).toBeLessThan(300);
      }
    },
  );
});

describe("headers that differ from the body are -32020 under HTTP 400, uncharged", () => {
  const params = { name: "get_markets" };
  test.each<[string, Record<string, string | null>]>([
    ["no revision", { "mcp-protocol-version": null }],
    ["another revision", { "mcp-protocol-version": "2025-06-18" }],
    ["an unknown revision", { "mcp-protocol-version": "2026-01-01" }],
    ["no method", { "mcp-method": null }],
    ["another method", { "mcp-method": "tools/list" }],
    ["the method in capitals", { "mcp-method": "TOOLS/CALL" }],
    ["no name", { "mcp-name": null }],
    ["another name", { "mcp-name": "get_sectors" }],
    ["a name that is not Base64", { "mcp-name": "=?base64?!!?=" }],
    ["another name in Base64", { "mcp-name": `=?base64?${btoa("get_sectors")}?=` }],
  ])("%s", async (_, headers) => {
    const { error } = await send("tools/call", { params, headers, status: 400 });
    expect(error?.code).toBe(-32020);
    expect(error?.message).toMatch(/MCP-Protocol-Version|Mcp-Method|Mcp-Name/);
  });

  test("a name in Base64, and spaces around a header, are the same name", async () => {
    for (const name of [`=?base64?${btoa("get_markets")}?=`, "  get_markets  "]) {
      const sent = { ...call("get_markets"), headers: { "mcp-name": name } };
      expect(await send("tools/call", sent)).toHaveProperty("result");
    }
  });

  test("a name is needed only where a tool is named", async () => {
    expect(await send("tools/list", { headers: { "mcp-name": null } })).toHaveProperty("result");
  });
});

describe("requests that do not name 2026-07-28 are answered by 2025-06-18", () => {
  test.each([
    ["its headers alone", {}, { "mcp-method": "ping" }],
    ["an older revision in _meta", { _meta: { [VERSION_KEY]: "2025-11-25" } }, {}],
  ])("%s", async (_, params, headers) => {
    const { service, token } = world;
    const ping = { jsonrpc: "2.0", id: 1, method: "ping", params };
    const response = await service.mcp(token, ping, headers);
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  test.each([
    [{}, null],
    [{ "MCP-Protocol-Version": "2025-06-18" }, null],
    [{ "MCP-Protocol-Version": "2025-11-25" }, true],
  ])(
    "%j: a missing argument is an error of the tool since 2025-11-25",
    async (headers, isError) => {
      const { service, token } = world;
      const params = {
        name: "get_stock_price_history",
        arguments: { symbol: "AAPL", interval: "5m" },
      };
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const { error, result } = (await (await service.mcp(token, call, headers)).json()) as {
        error?: { code: number; message: string };
        result?: { isError: boolean; content: { text: string }[] };
      };
      expect([error?.code ?? null, result?.isError ?? null]).toEqual([
        isError ? null : -32602,
        isError,
      ]);
      // The advice about the wrong argument beside the missing one.
      expect(error?.message ?? result?.content[0]?.text).toContain("There are no intraday bars");
    },
  );

  test("server/discover is unknown to it, under HTTP 200", async () => {
    const { service, token } = world;
    const discover = { jsonrpc: "2.0", id: 1, method: "server/discover" };
    const response = await service.mcp(token, discover);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ error: { code: -32601 } });
  });
});
