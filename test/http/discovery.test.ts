import { afterAll, describe, expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const PUBLIC_URL = "https://data.example.com";
const env = { BOURSE_PUBLIC_URL: PUBLIC_URL };
const service = await startService({ sample: false, env });
const local = await startService({ sample: false });
const closed = await startService({ sample: false, env: { ...env, BOURSE_DISCOVERY: "off" } });
afterAll(() => Promise.all([service, local, closed].map((one) => one.stop())));

const CARD = "/.well-known/mcp/server-card.json";
const CATALOG = "/.well-known/ai-catalog.json";
const get = (path: string, { origin } = service) => fetch(origin + path);

describe("discovery", () => {
  // The fields and their limits are of version 1 of the card's schema, in the repository of the extension.
  test("has a card of the MCP server at both of its places", async () => {
    const response = await get(CARD);
    expect(response.headers.get("content-type")).toBe("application/mcp-server-card+json");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const card = (await response.json()) as Record<string, string>;
    expect(card).toMatchObject({
      $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
      name: "com.example.data/bourse",
      remotes: [
        {
          type: "streamable-http",
          url: `${PUBLIC_URL}/api/v1/svc/mcp`,
          supportedProtocolVersions: ["2026-07-28", "2025-06-18"],
          headers: [{ name: "Authorization", isSecret: true, isRequired: false }],
        },
      ],
    });
    expect(card["description"]?.length).toBeLessThanOrEqual(100);
    expect(await (await get("/api/v1/svc/mcp/server-card")).json()).toEqual(card);
  });

  test("says the name and the version that the server says itself", async () => {
    const { token } = service.createToken("pro");
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    const opened = await service.mcp(token, {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params,
    });
    const { result } = (await opened.json()) as {
      result: { serverInfo: { name: string; title: string; version: string } };
    };
    const { name, title, version } = result.serverInfo;
    const card = (await (await get(CARD)).json()) as Record<string, string>;
    expect(card).toMatchObject({ title, version });
    expect(card["name"]).toEndWith(`/${name}`);
  });

  test("has a catalog whose address answers with the card", async () => {
    expect(await (await get(CATALOG)).json()).toEqual({
      specVersion: "1.0",
      entries: [
        {
          identifier: "urn:air:data.example.com:bourse",
          displayName: "bourse markets data",
          type: "application/mcp-server-card+json",
          url: PUBLIC_URL + CARD,
        },
      ],
    });
  });

  test("names the caller's own address without a public one, and asks for a token without OAuth", async () => {
    const response = await get(CARD, local);
    expect(response.headers.get("cache-control")).toStartWith("private");
    expect(await response.json()).toMatchObject({
      name: "localhost/bourse",
      remotes: [{ url: `${local.origin}/api/v1/svc/mcp`, headers: [{ isRequired: true }] }],
    });
  });

  test.each([CARD, CATALOG, "/api/v1/svc/mcp/server-card"])(
    "has no %s if it is off",
    async (path) => {
      expect((await get(path, closed)).status).toBe(404);
    },
  );

  test("answers HEAD without a body, and no other method", async () => {
    const head = await fetch(service.origin + CARD, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await fetch(service.origin + CARD, { method: "POST" })).status).toBe(404);
  });

  test("says where to report a vulnerability, in the form of RFC 9116", async () => {
    const response = await get("/.well-known/security.txt", closed);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    // 180 days after the service's day, 20 November 2026.
    expect(await response.text()).toBe(
      `Contact: ${PUBLIC_URL}/docs/security\nExpires: 2027-05-19T00:00:00Z\nPreferred-Languages: en\nCanonical: ${PUBLIC_URL}/.well-known/security.txt\n`,
    );
    expect((await get("/docs/security", closed)).status).toBe(200);
  });
});
