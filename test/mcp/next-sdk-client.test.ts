import { afterAll, describe, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { METRIC_NAMES } from "#analytics/metrics.ts";
import { OPERATIONS } from "#operations/index.ts";
import { TOOL_SETS } from "#operations/operation.ts";
import { CALLS, isLongerOverRest, restPath } from "../support/contract-calls.ts";
import { startService } from "../support/service.ts";

// Version 2 of the official client speaks both revisions: https://ts.sdk.modelcontextprotocol.io
const service = await startService();
const { token, id } = service.createToken();
afterAll(() => service.stop());

type Mode = "legacy" | "auto" | { pin: string };

async function withClient<T>(
  mode: Mode,
  work: (client: Client) => Promise<T>,
  query = "",
): Promise<T> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${service.base}/mcp${query}`), { requestInit }),
  );
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no error",
    (error: unknown) => (error as { code?: unknown }).code,
  );

describe.each<[string, Mode, string]>([
  ["legacy", "legacy", "2025-06-18"],
  ["auto", "auto", "2026-07-28"],
  ["modern", { pin: "2026-07-28" }, "2026-07-28"],
])("the official client, version 2, in mode %s", (_, mode, revision) => {
  test("connects, lists and calls", async () => {
    await withClient(mode, async (client) => {
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      expect(client.getServerVersion()).toMatchObject({ name: "bourse" });
      expect(client.getInstructions()).toContain("get_stock_overview");
      const { tools } = await client.listTools();
      expect(new Set(tools.map(({ name }) => name))).toEqual(
        new Set(OPERATIONS.map(({ name }) => name)),
      );
      // It checks every structuredContent against the output schema.
      for (const call of CALLS.filter(({ isDefault }) => isDefault)) {
        const { name } = call.operation;
        const result = await client.callTool({ name, arguments: { ...call.arguments } });
        if (isLongerOverRest(call)) continue;
        const rest = await service.request(restPath(call), token);
        expect(result.structuredContent).toEqual(await rest.json());
      }
    });
  });

  test("has the tools of the sets that its address names", async () => {
    await withClient(mode, async (client) => {
      for (const set of TOOL_SETS) expect(client.getInstructions()).toContain(set);
    });
    const use = async (client: Client) => {
      expect(client.getInstructions()).toContain("get_markets");
      expect(client.getInstructions()).not.toContain("screen_stocks");
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(
        OPERATIONS.filter(({ set }) => set === "market" || set === "lists").map((one) => one.name),
      );
      const inside = await client.callTool({ name: "get_markets", arguments: {} });
      expect(inside.structuredContent).toHaveProperty("data");
      const outside = await client.callTool({
        name: "compare_stocks",
        arguments: { symbols: "AAPL" },
      });
      expect(outside.isError).toBe(true);
      for (const words of ["tool set company", "tools=market,company,lists"])
        expect(JSON.stringify(outside.content)).toContain(words);
    };
    await withClient(mode, use, "?tools=lists,market");
    await withClient(mode, use, "?client=x&tools=Market%2C%20lists&tools=market");
    await withClient(mode, use, "?Tools=market&TOOL_SETS=lists");
  });

  test("lists and uses prompts and resources, which are free", async () => {
    const before = await service.used(id);
    await withClient(mode, async (client) => {
      expect(client.getServerCapabilities()).toEqual({ tools: {}, prompts: {}, resources: {} });
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual([
        "company",
        "week_ahead",
        "brief",
        "portfolio",
      ]);
      const texts = await Promise.all(
        prompts.map(async ({ name, arguments: args = [] }) => {
          const given = args.flatMap((one) => (one.required ? [[one.name, "US:AAPL=10"]] : []));
          const prompt = await client.getPrompt({ name, arguments: Object.fromEntries(given) });
          return JSON.stringify(prompt.messages);
        }),
      );
      const tools: string[] = [...OPERATIONS.map(({ name }) => name), "analyze_portfolio"];
      for (const text of texts) {
        expect(text).not.toContain("undefined");
        for (const [tool] of text.matchAll(/(?:get|list|screen|compare|analyze)_\w+/g)) {
          expect(tools).toContain(tool);
        }
      }
      expect(texts[0]).toContain("US:AAPL=10");
      expect(await codeOf(client.getPrompt({ name: "company", arguments: {} }))).toBe(-32602);
      expect(await codeOf(client.getPrompt({ name: "nothing" }))).toBe(-32602);

      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(["bourse://metrics"]);
      const { contents } = await client.readResource({ uri: "bourse://metrics" });
      const text = JSON.stringify(contents);
      for (const name of METRIC_NAMES) expect(text).toContain(`| ${name} |`);
      expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
      expect(await codeOf(client.readResource({ uri: "bourse://nothing" }))).not.toBe("no error");
    });
    expect(await service.used(id)).toBe(before);
  });

  test("sees the contract's codes", async () => {
    await withClient(mode, async (client) => {
      expect(await codeOf(client.callTool({ name: "nothing", arguments: {} }))).toBe(-32601);
      const incomplete = client.callTool({ name: "get_sectors", arguments: {} });
      if (revision === "2025-06-18") expect(await codeOf(incomplete)).toBe(-32602);
      else expect((await incomplete).isError).toBe(true);
      const wrong = await client.callTool({ name: "get_sectors", arguments: { country: "XX" } });
      expect(wrong.isError).toBe(true);
    });
  });
});

// With a pinned revision, this client hides the words of the server.
describe.each<Mode>(["legacy", "auto"])("in mode %s, a wrong tool set", (mode) => {
  test.each([["market,stocks", 'no tool set "stocks". The tool sets are market, company,']])(
    "%s refuses the connection with the sets that there are",
    async (sets, words) => {
      const connect = withClient(mode, () => Promise.resolve(), `?tools=${sets}`);
      const refused: unknown = await connect.catch((thrown: unknown) => thrown);
      expect(String(refused)).toContain(words);
    },
  );
});
