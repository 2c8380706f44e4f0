import { describe, expect, test } from "bun:test";
import { toTool } from "#mcp/tool.ts";
import { OPERATIONS } from "#operations/index.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
}

/** The rules of a host of models for the input schema of a tool. */
interface Rules {
  readonly docs: string;
  readonly toolName: RegExp;
  readonly argumentName: RegExp;
  /** Characters of a tool's description. */
  readonly maxDescription: number;
  readonly keywords: readonly string[];
  /** Keywords that the host's SDKs drop or move to the description. */
  readonly dropped: readonly string[];
  readonly maxDepth: number;
  readonly maxEnumValues: number;
  /** True if an object must list at least one property. */
  readonly refusesEmptyProperties: boolean;
  /** True if every property is required; optional ones are made nullable. */
  readonly isStrict: boolean;
}

const STRUCTURE = "type description enum properties required items additionalProperties".split(" ");
const BOUNDS = ["minimum", "maximum", "minLength", "maxLength"];

const RULES: Readonly<Record<string, Rules>> = {
  Anthropic: {
    docs: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools",
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    argumentName: /^[a-zA-Z0-9_.-]{1,64}$/,
    maxDescription: Number.POSITIVE_INFINITY,
    keywords: [...STRUCTURE, ...BOUNDS, "default", "pattern", "format"],
    dropped: [],
    maxDepth: Number.POSITIVE_INFINITY,
    maxEnumValues: Number.POSITIVE_INFINITY,
    refusesEmptyProperties: false,
    isStrict: false,
  },
  "Anthropic, strict": {
    docs: "https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations",
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    argumentName: /^[a-zA-Z0-9_.-]{1,64}$/,
    maxDescription: Number.POSITIVE_INFINITY,
    keywords: [...STRUCTURE, "default", "format"],
    dropped: BOUNDS,
    maxDepth: Number.POSITIVE_INFINITY,
    maxEnumValues: Number.POSITIVE_INFINITY,
    refusesEmptyProperties: false,
    // Optional arguments are allowed.
    isStrict: false,
  },
  OpenAI: {
    docs: "https://platform.openai.com/docs/guides/function-calling",
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    argumentName: /^[a-zA-Z0-9_-]{1,64}$/,
    maxDescription: 1_024,
    keywords: [...STRUCTURE, ...BOUNDS, "default", "pattern", "format"],
    dropped: [],
    maxDepth: 10,
    maxEnumValues: 1_000,
    refusesEmptyProperties: false,
    isStrict: false,
  },
  "OpenAI, strict": {
    docs: "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas",
    toolName: /^[a-zA-Z0-9_-]{1,64}$/,
    argumentName: /^[a-zA-Z0-9_-]{1,64}$/,
    maxDescription: 1_024,
    keywords: [...STRUCTURE, "minimum", "maximum", "pattern", "format"],
    dropped: ["minLength", "maxLength", "default"],
    maxDepth: 10,
    maxEnumValues: 1_000,
    refusesEmptyProperties: false,
    isStrict: true,
  },
  Gemini: {
    docs: "https://ai.google.dev/api/caching#Schema",
    toolName: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
    argumentName: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
    maxDescription: Number.POSITIVE_INFINITY,
    keywords: [...STRUCTURE.slice(0, -1), ...BOUNDS, "default", "pattern"],
    // `parametersJsonSchema` allows it; for `parameters` the SDKs drop it.
    dropped: ["additionalProperties"],
    maxDepth: Number.POSITIVE_INFINITY,
    maxEnumValues: Number.POSITIVE_INFINITY,
    refusesEmptyProperties: true,
    isStrict: false,
  },
};

const TYPES = new Set(["string", "number", "integer", "boolean", "array", "object"]);
const tools = OPERATIONS.map(toTool);

/** The schema and every schema inside it, with its depth. */
function schemasOf(schema: Schema, depth = 1): { schema: Schema; depth: number }[] {
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
  ];
  return [{ schema, depth }, ...inner.flatMap((one) => schemasOf(one, depth + 1))];
}

/** What a client sends to the host: without dropped keywords and, if strict, with every property required. */
function asSent(schema: Schema, rules: Rules): Schema {
  const kept = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !rules.dropped.includes(keyword)),
  ) as Schema;
  const { properties, items } = kept;
  const nullable = (one: Schema): Schema => ({ ...one, type: [one.type ?? [], "null"].flat() });
  const sent = (name: string, one: Schema): Schema =>
    rules.isStrict && !schema.required?.includes(name)
      ? nullable(asSent(one, rules))
      : asSent(one, rules);
  return {
    ...kept,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, sent(name, one)]),
      ),
      ...(rules.isStrict && { required: Object.keys(properties) }),
    }),
    ...(items && { items: asSent(items, rules) }),
  };
}

describe.each(Object.entries(RULES))("%s accepts", (_, rules) => {
  test.each(tools.map((tool) => [tool.name, tool] as const))("%s", (name, tool) => {
    expect(name).toMatch(rules.toolName);
    expect(tool.description?.length ?? 0).toBeLessThanOrEqual(rules.maxDescription);
    const input = asSent(tool.inputSchema as Schema, rules);
    expect(input.type).toBe("object");
    const all = schemasOf(input);
    expect(Math.max(...all.map(({ depth }) => depth))).toBeLessThanOrEqual(rules.maxDepth);
    for (const { schema } of all) {
      expect(Object.keys(schema).filter((keyword) => !rules.keywords.includes(keyword))).toEqual(
        [],
      );
      const types = [schema.type].flat();
      expect(types.filter((type) => type !== "null" && !TYPES.has(type ?? ""))).toEqual([]);
      // Gemini, and strict decoders, know enums of text only.
      if (schema.enum)
        expect(new Set(schema.enum.map((value) => typeof value))).toEqual(new Set(["string"]));
      if (types.includes("array")) expect(schema.items).toBeDefined();
      for (const argument of Object.keys(schema.properties ?? {})) {
        expect(argument).toMatch(rules.argumentName);
      }
      if (types.includes("object") && !rules.dropped.includes("additionalProperties")) {
        expect(schema.additionalProperties).toBe(false);
      }
      if (rules.refusesEmptyProperties && schema.properties) {
        expect(Object.keys(schema.properties).length).toBeGreaterThan(0);
      }
      const declared = Object.keys(schema.properties ?? {});
      expect(declared).toEqual(expect.arrayContaining([...(schema.required ?? [])]));
    }
    const values = all.flatMap(({ schema }) => schema.enum ?? []);
    expect(values.length).toBeLessThanOrEqual(rules.maxEnumValues);
  });
});

describe("output schemas, from which hosts generate code", () => {
  test.each(tools.map((tool) => [tool.name, tool] as const))("%s", (_, tool) => {
    for (const { schema, depth } of schemasOf(tool.outputSchema as Schema)) {
      expect(schema.type).toBeDefined();
      if (schema.properties) expect(Object.keys(schema.properties).length).toBeGreaterThan(0);
      expect(Object.keys(schema.properties ?? {})).toEqual(
        expect.arrayContaining([...(schema.required ?? [])]),
      );
      const isObject = [schema.type].flat().includes("object");
      const isDescribed =
        schema.properties ??
        schema.additionalProperties ??
        (schema as { description?: string }).description;
      // The envelope, the payload, its rows: no object is opaque.
      if (isObject)
        expect({ depth, described: isDescribed !== undefined }).toEqual({ depth, described: true });
    }
  });
});
