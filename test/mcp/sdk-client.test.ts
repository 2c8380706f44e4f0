import { afterAll, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { OPERATIONS } from "#operations/index.ts";
import { CALLS, isLongerOverRest, restPath } from "../support/contract-calls.ts";
import { startService } from "../support/service.ts";

const service = await startService();
const token = service.createToken().token;
const client = await connect(token);
// The client keeps the output schemas of the list and checks every structuredContent against them.
await client.listTools();
afterAll(async () => {
  await client.close();
  await service.stop();
});

async function connect(bearer: string): Promise<Client> {
  const one = new Client({ name: "contract-test", version: "1.0.0" });
  const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
  await one.connect(
    new StreamableHTTPClientTransport(new URL(`${service.base}/mcp`), { requestInit }),
  );
  return one;
}

async function errorOf(work: Promise<unknown>): Promise<McpError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof McpError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("the official client", () => {
  test("connects and reads the server's name", () => {
    expect(client.getServerVersion()).toMatchObject({ name: "bourse" });
    expect(client.getServerCapabilities()).toEqual({ tools: {}, prompts: {}, resources: {} });
    expect(client.getInstructions()).toContain("get_markets");
    expect((client.transport as StreamableHTTPClientTransport).protocolVersion).toBe("2025-06-18");
    expect(client.transport?.sessionId).toBeUndefined();
  });

  test("pings", async () => {
    expect(await client.ping()).toEqual({});
  });

  test("lists a tool for every operation", async () => {
    const { tools, nextCursor } = await client.listTools();
    expect(tools).toHaveLength(OPERATIONS.length);
    expect(nextCursor).toBeUndefined();
    for (const { outputSchema } of tools) expect(outputSchema).toBeDefined();
  });

  test.each(CALLS.map((call) => [call.title, call] as const))("calls %s", async (_, call) => {
    const { operation, arguments: args } = call;
    const ask = (more: object) =>
      client.callTool({ name: operation.name, arguments: { ...args, ...more } });
    const result = await ask({});
    expect(result.isError ?? false).toBe(false);
    if (isLongerOverRest(call)) return;
    const rest = await service.request(restPath(call), token);
    const { data } = result.structuredContent as { data: object };
    const { structuredContent } = "left_out" in data ? await ask({ as: "rows" }) : result;
    expect(structuredContent).toEqual(await rest.json());
  });

  test("uses prompts and resources", async () => {
    expect(client.getServerCapabilities()).toEqual({ tools: {}, prompts: {}, resources: {} });
    const prompt = await client.getPrompt({ name: "portfolio", arguments: { holdings: "FPT=5" } });
    expect(JSON.stringify(prompt.messages)).toContain("in USD: FPT=5.");
    const { contents } = await client.readResource({ uri: "bourse://metrics" });
    expect(contents).toMatchObject([{ uri: "bourse://metrics", mimeType: "text/markdown" }]);
  });

  test("sees -32601 for an unknown tool and an unknown method", async () => {
    expect(await errorOf(client.callTool({ name: "nothing", arguments: {} }))).toMatchObject({
      code: -32601,
    });
    expect(await errorOf(client.callTool({ name: "constructor" }))).toMatchObject({ code: -32601 });
  });

  test("sees -32602 for a missing argument", async () => {
    const error = await errorOf(client.callTool({ name: "get_sectors", arguments: {} }));
    expect(error).toMatchObject({ code: -32602, data: { param: "country" } });
  });

  test("sees isError for an invalid argument", async () => {
    for (const args of [
      { country: "XX", symbol: "AAPL" },
      { country: "US", symbol: "NOPE" },
    ]) {
      const result = await client.callTool({ name: "get_stock_overview", arguments: args });
      expect(result.isError).toBe(true);
    }
  });

  test("sees -32001 with the wait when the quota is exhausted", async () => {
    const free = await connect(service.createToken("free").token);
    for (let i = 0; i < 30; i++) await free.callTool({ name: "get_markets" });
    const error = await errorOf(free.callTool({ name: "get_markets" }));
    expect(error).toMatchObject({ code: -32001, data: { retry_after_seconds: 1_800 } });
    expect(error.message).toContain("Rate limit exceeded (hourly): retry after 1800 s");
    expect((await free.listTools()).tools).toHaveLength(OPERATIONS.length);
    await free.close();
  });

  test("is refused without a live token", async () => {
    const outcome = await connect("bourse_wrong").then(
      () => "connected",
      (error: unknown) => String(error),
    );
    expect(outcome).toContain("INVALID_TOKEN");
  });

  test("gets its own answers while another client calls", async () => {
    const other = await connect(service.createToken().token);
    const [mine, theirs] = await Promise.all(
      [[client, "US", "AAPL"] as const, [other, "JP", "7203"] as const].map(
        async ([one, country, symbol]) =>
          Promise.all(
            Array.from({ length: 10 }, async () => {
              const result = await one.callTool({
                name: "get_stock_overview",
                arguments: { country, symbol },
              });
              return (result.structuredContent as { country: string }).country;
            }),
          ),
      ),
    );
    expect(new Set(mine)).toEqual(new Set(["US"]));
    expect(new Set(theirs)).toEqual(new Set(["JP"]));
    await other.close();
  });
});
