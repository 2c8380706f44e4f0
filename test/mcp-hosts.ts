import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { fillRecipe } from "#console/app/client-lines.ts";
import { listRecipes } from "#feeds/recipes/recipes.ts";
import { toTool } from "#mcp/tool.ts";
import { OPERATIONS } from "#operations/index.ts";
import { endChildren } from "./support/child-process.ts";
import { installTools } from "./support/npm-tools.ts";
import { startService, temporaryFolder, type TestService } from "./support/service.ts";

// Not part of the suite (no .test in its name): it installs libraries of MCP hosts from the npm registry.

const LIBRARIES = {
  "@ai-sdk/google": "4.0.121",
  "@ai-sdk/mcp": "2.0.99",
  "@ai-sdk/openai": "4.0.118",
  "@anthropic-ai/sdk": "1.14.0",
  "@google/genai": "3.3.0",
  "@langchain/core": "1.4.0",
  "@langchain/google-genai": "2.3.2",
  "@langchain/mcp-adapters": "1.1.4",
  "@langchain/openai": "1.6.0",
  "@llamaindex/tools": "0.2.1",
  "@mastra/mcp": "2.0.0",
  "@modelcontextprotocol/sdk": "1.32.2",
  "@openai/agents": "0.20.0",
  "@strands-agents/sdk": "1.19.0",
  ai: "7.0.173",
  "mcp-remote": "0.15.1",
  mcporter: "0.12.3",
  openai: "7.59.0",
  zod: "4.6.7",
};

interface Schema {
  readonly type?: unknown;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[] | null;
  readonly additionalProperties?: boolean;
}

/** The tools that a model gets, by name. */
type Sent = Readonly<Record<string, { readonly description: string; readonly schema?: Schema }>>;

/** What a host sends to its model, and what it says. A text in place of tools is the library's error. */
interface HostResult {
  readonly failed?: string;
  readonly tools: Sent | string;
  readonly features: Readonly<Record<string, string>>;
  readonly answer: string;
  readonly mistake: string;
  readonly usedUp: string;
  readonly wrong: string;
}

const HOSTS = [
  "OpenAI Agents",
  "AI SDK, OpenAI",
  "AI SDK, Gemini",
  "LangChain, OpenAI",
  "LangChain, Gemini",
  "Mastra",
  "Google GenAI",
  "Anthropic SDK",
  "LlamaIndex",
  "Strands",
] as const;

/** An input schema with an argument that has more keywords. */
const withArgument = (x: object) => ({ type: "object", properties: { x }, required: ["x"] });
const DEEP = 12;
const LONG_NAME = "n".repeat(70);
const deepSchema = (depth: number): object =>
  depth === 0 ? { type: "string" } : withArgument(deepSchema(depth - 1));

/** Features of input schemas. Each is a tool of its own. */
const FEATURES: Readonly<Record<string, object>> = {
  description: withArgument({ type: "string", description: "A word." }),
  enum: withArgument({ type: "string", enum: ["a", "b"] }),
  "enum of numbers": withArgument({ type: "integer", enum: [1, 2] }),
  const: withArgument({ type: "string", const: "a" }),
  "anyOf with null": withArgument({ anyOf: [{ type: "string" }, { type: "null" }] }),
  "list of types": withArgument({ type: ["string", "null"] }),
  format: withArgument({ type: "string", format: "date" }),
  pattern: withArgument({ type: "string", pattern: "^a+$" }),
  default: withArgument({ type: "string", default: "a" }),
  minimum: withArgument({ type: "integer", minimum: 1 }),
  maxLength: withArgument({ type: "string", maxLength: 9 }),
  "twelve levels": deepSchema(DEEP),
  "additionalProperties: false": {
    ...withArgument({ type: "string" }),
    additionalProperties: false,
  },
  "no properties": { type: "object" },
  "empty properties": { type: "object", properties: {} },
  "name of 70 characters": withArgument({ type: "string" }),
};
const featureName = (feature: string) =>
  feature === "name of 70 characters" ? LONG_NAME : feature.replaceAll(/\W+/g, "_");

/** Each feature that a host does not send to its model as the server wrote it. */
const CHANGED: Readonly<Record<(typeof HOSTS)[number], Readonly<Record<string, string>>>> = {
  "OpenAI Agents": { "additionalProperties: false": "changed", "no properties": "changed" },
  "AI SDK, OpenAI": { "no properties": "changed" },
  "AI SDK, Gemini": { "no properties": "changed" },
  "LangChain, OpenAI": { "anyOf with null": "dropped", "no properties": "changed" },
  "LangChain, Gemini": {
    "additionalProperties: false": "dropped",
    "anyOf with null": "dropped",
    "empty properties": "dropped",
  },
  Mastra: {
    format: "in words",
    maxLength: "in words",
    minimum: "in words",
    "name of 70 characters": "cut",
    pattern: "in words",
    "twelve levels": "changed",
  },
  "Google GenAI": {},
  "Anthropic SDK": { "no properties": "changed" },
  LlamaIndex: {},
  Strands: {},
};

/** A server of MCP with a tool for each feature. A path has one tool only, because some libraries refuse all for one. */
function startFeatures() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const feature = decodeURIComponent(new URL(request.url).pathname.slice(1));
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      const serverInfo = { name: "features", version: "1" };
      const results: Readonly<Record<string, object>> = {
        initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo },
        "tools/list": {
          tools: [{ name: featureName(feature), description: "x", inputSchema: FEATURES[feature] }],
        },
      };
      const error = { code: -32601, message: "unknown method" };
      const result = results[method];
      return Response.json({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) });
    },
  });
}

const { folder, remove } = temporaryFolder();
const features = startFeatures();
let service: TestService;
let results: Readonly<Record<string, HostResult>> = {};
const secrets = { token: "", ended: "", wrong: "bourse_wrong" };

const { isInstalled, run, write } = await installTools(folder, LIBRARIES);

beforeAll(async () => {
  service = await startService();
  secrets.token = service.createToken("max").token;
  secrets.ended = service.createToken("free").token;
  while ((await service.request("/data/markets", secrets.ended)).status === 200);
  if (!isInstalled) return;
  const probes = Object.fromEntries(
    Object.keys(FEATURES).map((name) => [name, `${features.url.href}${encodeURIComponent(name)}`]),
  );
  const program = "mcp-hosts.js";
  await Bun.write(join(folder, program), Bun.file(join(import.meta.dir, "support", program)));
  const options = JSON.stringify({ url: `${service.base}/mcp`, ...secrets, probes });
  const { output } = await run(process.execPath, program, options);
  const line = output.split("\n").findLast((one) => one.startsWith('{"'));
  if (line === undefined) throw new Error(output.slice(-2_000));
  results = JSON.parse(line) as typeof results;
}, 600_000);
afterAll(async () => {
  await features.stop(true);
  await endChildren();
  await service.stop();
  remove();
});

/** What became of a feature: `kept`, `dropped`, `in words`, `cut`, `changed`, or the library's error. */
function fateOf(feature: string, sent: string): string {
  if (!sent.startsWith("{")) return sent.split("\n")[0] ?? "";
  const { [featureName(feature)]: tool, ...others } = JSON.parse(sent) as Sent;
  if (!tool) return Object.keys(others).length > 0 ? "cut" : "dropped";
  const { schema = {} } = tool;
  const { x, ...wanted } = argumentIn(FEATURES[feature] as Schema);
  const { x: got, ...rest } = argumentIn(schema);
  if (x === undefined || "additionalProperties" in wanted) {
    const keyword = x === undefined ? "properties" : "additionalProperties";
    if (Bun.deepEquals(rest[keyword], wanted[keyword])) return "kept";
    return rest[keyword] === undefined ? "dropped" : "changed";
  }
  if (Bun.deepEquals(got, x)) return "kept";
  if (got?.description !== undefined && x.description === undefined) return "in words";
  const isBare = Object.keys(got ?? {}).every((keyword) => keyword === "type");
  return isBare ? "dropped" : "changed";
}

/** A schema with its argument `x` apart. */
const argumentIn = (schema: Schema): Schema & { readonly x?: Schema | undefined } => ({
  ...schema,
  x: schema.properties?.["x"],
});

/** What is shown where a library hides the service's sentence about a wrong token. */
const OWN_WORDS: Readonly<Record<string, RegExp>> = {
  mcporter: /Authorization required/,
  "OpenAI Agents": /requires authorization \(HTTP 401\)/,
  // The agent has no tools, and only the log says why.
  Mastra: /^no tools$/,
};

describe.skipIf(!isInstalled).each([...HOSTS, "mcporter", "mcp-remote"])("%s shows", (host) => {
  test("an answer", () => {
    expect(results[host]?.failed).toBeUndefined();
    expect(results[host]?.answer).toContain("Apple Inc.");
  });

  test("a mistake with what to do", () => {
    expect(results[host]?.mistake).toContain("Symbol APPL not found in US. Did you mean AAPL?");
  });

  test("a used-up quota with the seconds to wait", () => {
    expect(results[host]?.usedUp).toMatch(/Rate limit exceeded \(hourly\): retry after \d+ s\./);
  });

  test("that a token is wrong", () => {
    expect(results[host]?.wrong).toMatch(
      OWN_WORDS[host] ??
        /Invalid or revoked token: it is not a bourse token|There is no OAuth here/,
    );
  });
});

describe.skipIf(!isInstalled).each(HOSTS)("%s", (host) => {
  test("sends every tool to its model with all words, arguments and values", () => {
    const sent = results[host]?.tools;
    if (typeof sent !== "object") throw new Error(sent ?? "no tools were sent");
    const tools = OPERATIONS.map(toTool).filter(({ name }) => name in sent);
    expect(tools.length).toBe(Object.keys(sent).length);
    for (const { name, description, inputSchema } of tools) {
      const got = sent[name];
      expect([name, got?.description]).toEqual([name, description ?? ""]);
      for (const [argument, wanted] of Object.entries(inputSchema.properties ?? {})) {
        const { enum: values, description: words } = wanted as Schema;
        const schema = got?.schema?.properties?.[argument] ?? {};
        // Mastra makes optional arguments nullable.
        const all = [schema, ...(schema.anyOf ?? [])];
        expect([name, argument, all.find((one) => one.enum)?.enum]).toEqual([
          name,
          argument,
          values,
        ]);
        expect([name, argument, all.find((one) => one.description)?.description]).toEqual([
          name,
          argument,
          words,
        ]);
      }
    }
  });

  test("treats features of schemas as before", () => {
    const fates = Object.keys(FEATURES).map(
      (feature) => [feature, fateOf(feature, results[host]?.features[feature] ?? "")] as const,
    );
    expect(Object.fromEntries(fates.filter(([, fate]) => fate !== "kept"))).toEqual(CHANGED[host]);
  });
});

describe.skipIf(!isInstalled)("the recipe", () => {
  test.each(["AI SDK", "LangChain", "Mastra"])("of %s lists all tools", async (program) => {
    const recipe = listRecipes().find((one) => one.program === program);
    const text = fillRecipe(recipe?.texts[0]?.text ?? "", {
      URL: service.origin,
      TOKEN: secrets.token,
    });
    const end = "process.stdout.write(`${Object.keys(tools).length}\\n`, () => process.exit(0));";
    await write("recipe.mjs", `${text}\n${end}\n`);
    const { output } = await run(process.execPath, "recipe.mjs");
    const [count] = output.split("\n");
    expect(Number(count)).toBe(Object.keys(results["Strands"]?.tools ?? {}).length);
  });
});
