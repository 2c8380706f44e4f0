import { afterAll, describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { OPERATIONS } from "#operations/index.ts";
import { CONTRACT_OPERATIONS } from "../support/contract-calls.ts";
import { CATEGORIES, startHandMade } from "../support/contract-exchange.ts";
import { tokensOf } from "../support/tokens.ts";

interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: {
    type: string;
    properties: Record<string, Record<string, unknown>>;
    required?: string[];
    additionalProperties?: boolean;
  };
  outputSchema: { type: string; properties: Record<string, object>; required: string[] };
  annotations: Record<string, boolean>;
}

const world = await startHandMade();
const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const response = await world.service.mcp(world.token, list);
const text = await response.text();
const { tools } = (JSON.parse(text) as { result: { tools: Tool[] } }).result;
afterAll(() => world.service.stop());

const argumentsOf = (name: string) => tool(name).inputSchema.properties;
const tool = (name: string): Tool => {
  const found = tools.find((one) => one.name === name);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
};

/** Every value of one keyword, at any depth. */
function collect(node: unknown, keyword: string): unknown[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [
    ...(key === keyword ? [value] : []),
    ...collect(value, keyword),
  ]);
}

describe("tools/list", () => {
  test("lists every operation once, and the contract's tools top-down", () => {
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(OPERATIONS.map(({ name }) => name));
    const ofContract: string[] = CONTRACT_OPERATIONS.map(([name]) => name);
    expect(names.filter((name) => ofContract.includes(name))).toEqual(ofContract);
  });

  test("is the same bytes every time", async () => {
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect(await (await world.service.mcp(world.token, list)).text()).toBe(text);
  });

  // Hosts that show every tool to their model pay for all of them in each conversation.
  test("stays within its budget of tokens: 6,000 for what a model sees, 9,000 as a whole", () => {
    const seen = tools.map(({ name, description, inputSchema }) =>
      tokensOf({ name, description, input_schema: inputSchema }),
    );
    const sizes = tools.map((one) => [one.name, tokensOf(one)] as const);
    const largest = sizes.toSorted(([, a], [, b]) => b - a).slice(0, 5);
    const advice = `Shorten what the largest tools describe, or give one of them an argument instead of a new tool: ${largest.join("; ")}`;
    expect(tools.length).toBeLessThanOrEqual(32);
    expect(
      seen.reduce((sum, tokens) => sum + tokens, 0),
      advice,
    ).toBeLessThan(6_000);
    expect(tokensOf(text), advice).toBeLessThan(9_000);
  });

  test("has no prose in output schemas", () => {
    for (const { outputSchema } of tools) expect(collect(outputSchema, "description")).toEqual([]);
  });

  test("gives every tool a title, a description and the four hints", () => {
    const writing: Readonly<Record<string, object>> = {
      save_list: { readOnlyHint: false },
      delete_list: { readOnlyHint: false, destructiveHint: true },
      save_alert: { readOnlyHint: false },
      delete_alert: { readOnlyHint: false, destructiveHint: true },
    };
    for (const { name, title, description, annotations } of tools) {
      expect(title).toMatch(/^[A-Z].{4,60}$/);
      expect(description.length).toBeGreaterThan(60);
      expect(annotations).toEqual({
        readOnlyHint: true,
        idempotentHint: true,
        destructiveHint: false,
        openWorldHint: false,
        ...writing[name],
      });
    }
    expect(new Set(tools.map(({ title }) => title)).size).toBe(tools.length);
  });

  test("publishes self-contained schemas that an independent validator compiles", () => {
    expect(text).not.toContain("$ref");
    expect(text).not.toContain("$defs");
    for (const { inputSchema, outputSchema } of tools) {
      expect([inputSchema.type, outputSchema.type]).toEqual(["object", "object"]);
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
      ajv.compile(inputSchema);
      ajv.compile(outputSchema);
    }
  });

  test("publishes closed lists as real enums", () => {
    expect(text).not.toMatch(/"(anyOf|oneOf|const)"/);
    expect(argumentsOf("get_macro_indicators")["category"]?.["enum"]).toEqual(CATEGORIES);
    expect(argumentsOf("get_stock_statements")["type"]?.["enum"]).toEqual([
      "income",
      "balance",
      "cashflow",
      "ratios",
    ]);
    expect(argumentsOf("get_stock_statements")["period"]?.["enum"]).toEqual([
      "annual",
      "quarterly",
    ]);
    for (const { name, inputSchema } of tools) {
      const { country } = inputSchema.properties;
      // A screen takes several countries, or all.
      if (country && name !== "screen_stocks") expect(country["enum"]).toEqual(["US", "JP", "VN"]);
    }
  });

  // Some hosts refuse all tools if one has no `properties`, others if they are empty.
  test("gives every tool an argument, and allows no further ones", () => {
    for (const { inputSchema } of tools) {
      expect(Object.keys(inputSchema.properties).length).toBeGreaterThan(0);
      expect(inputSchema.additionalProperties).toBe(false);
    }
  });

  test("allows further fields in every answer", () => {
    for (const { outputSchema } of tools) {
      expect(collect(outputSchema, "additionalProperties")).not.toContain(false);
    }
  });

  test("describes every answer as the envelope", () => {
    for (const { outputSchema } of tools) {
      expect(Object.keys(outputSchema.properties)).toEqual(
        expect.arrayContaining(["data", "as_of"]),
      );
      expect([...outputSchema.required].sort()).toEqual(["as_of", "data"]);
    }
    expect(tool("get_markets").outputSchema.properties).not.toHaveProperty("country");
    expect(tool("get_macro_calendar").outputSchema.properties).not.toHaveProperty("country");
    expect(tool("get_sectors").outputSchema.properties).toHaveProperty("country");
  });

  test.each([
    ["get_markets", [], ["country"]],
    ["list_symbols", [], ["country", "type", "sector", "query", "limit", "cursor"]],
    ["get_macro_indicators", ["country"], ["category"]],
    ["get_macro_forecast", ["country"], []],
    ["get_macro_calendar", [], ["country", "importance", "limit"]],
    ["get_sectors", ["country"], []],
    ["get_sector_overview", [], []],
    ["get_stock_overview", ["country", "symbol"], []],
    ["get_stock_statements", ["country", "symbol", "type"], ["period", "limit"]],
    ["get_stock_technicals", ["country", "symbol"], []],
    ["get_stock_forecast", ["country", "symbol"], []],
    ["get_stock_price_history", ["country", "symbol"], ["range", "limit"]],
    ["get_earnings_calendar", [], ["tickers", "from", "to", "limit"]],
  ])("%s requires %j and takes %j", (name, required, optional) => {
    const { inputSchema } = tool(name);
    expect([...(inputSchema.required ?? [])].sort()).toEqual([...required].sort());
    expect(Object.keys(argumentsOf(name))).toEqual(
      expect.arrayContaining([...required, ...optional]),
    );
  });

  test("says the contract's bounds in words, because hosts refuse or hide their keywords", () => {
    expect(argumentsOf("get_macro_calendar")["limit"]).toEqual({
      type: "integer",
      description: "Maximum rows, 1 to 200, 20 by default.",
    });
    expect(argumentsOf("list_symbols")["limit"]).toMatchObject({
      description: "Maximum rows, 1 to 100, 25 by default.",
    });
    const keywords = new Set(
      tools.flatMap(({ name }) => Object.values(argumentsOf(name)).flatMap(Object.keys)),
    );
    expect([...keywords].toSorted()).toEqual(["description", "enum", "type"]);
  });

  test("names the arguments as REST names its parameters", () => {
    for (const { name, input } of OPERATIONS) {
      // `adjust` includes `adjusted`. Answers that a limit cuts can be a link to all rows.
      const names = Object.keys(input.properties).filter((one) => one !== "adjusted");
      expect(Object.keys(argumentsOf(name))).toEqual([
        ...names,
        ...(names.includes("limit") ? ["as"] : []),
      ]);
    }
  });

  test("is one page: a cursor does not bring a second", async () => {
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: "x" } };
    const message = (await (await world.service.mcp(world.token, list)).json()) as object;
    expect(message).not.toHaveProperty("result.nextCursor");
  });
});
