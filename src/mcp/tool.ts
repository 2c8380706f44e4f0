import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { Type } from "@sinclair/typebox";
import { type JsonSchema, publishSchema } from "#domain/schema.ts";
import type { Operation } from "#operations/operation.ts";

/** Levels of the payload whose fields are described: its own fields, and those of its rows. */
const DESCRIBED_DEPTH = 3;

/** Keywords that some models refuse or that a model cannot use. Errors explain what they express. */
const HIDDEN = new Set(["format", "pattern"]);

function withoutHidden(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (keyword, value: unknown) =>
      HIDDEN.has(keyword) && typeof value === "string" ? undefined : value,
    ),
  ) as JsonSchema;
}

/** The schema of the arguments. It has no empty `properties`, which Gemini refuses. */
function inputSchema({ input }: Operation): JsonSchema {
  const { properties, ...schema } = withoutHidden(publishSchema(input));
  const hasArguments = Object.keys(input.properties).length > 0;
  return { ...schema, ...(hasArguments && { properties }), additionalProperties: false };
}

/** The schema of the result: the envelope of the REST body. */
function outputSchema(operation: Operation): JsonSchema {
  const carriesCountry = "country" in operation.input.properties && !operation.omitsCountry;
  const envelope = Type.Object({
    ...(carriesCountry && { country: Type.Optional(Type.String()) }),
    data: operation.output,
    as_of: Type.String(),
  });
  return briefSchema(publishSchema(envelope), DESCRIBED_DEPTH);
}

/**
 * The published schema of an answer, shortened: every field with its type, the labels of a panel as a
 * list, and one sentence for each field down to `depth` levels. It accepts what the full schema accepts.
 */
function briefSchema(schema: JsonSchema, depth: number): JsonSchema {
  const { type, enum: values, required, items, additionalProperties } = schema;
  const inner = (value: unknown) => briefSchema(value as JsonSchema, depth);
  const entries = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  const labels = entries.filter(([name]) => isLabel(name)).map(([label]) => label);
  const fields = entries
    .filter(([name]) => !isLabel(name))
    .map(([name, field]) => [name, briefField(name, field, depth - 1)] as const);
  const description =
    labels.length > 0 ? `Text by label: ${labels.join(", ")}.` : briefText(schema);
  // Below the payload's own fields only numbers are described, because they have units.
  const isDescribed = depth > 0 || labels.length > 0 || (depth === 0 && isNumber(type));
  return {
    type,
    ...(description !== "" && isDescribed && { description }),
    ...(values !== undefined && { enum: values }),
    ...(fields.length > 0 && { properties: Object.fromEntries(fields), required }),
    ...(items !== undefined && { items: inner(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: inner(additionalProperties),
    }),
  };
}

function isNumber(type: unknown): boolean {
  return [type].flat().some((one) => one === "number" || one === "integer");
}

/** Every payload has `source`, which the instructions explain. */
function briefField(name: string, field: JsonSchema, depth: number): JsonSchema {
  return name === "source" ? { type: field["type"] } : briefSchema(field, depth);
}

/** The first sentence of a description. What follows it says when a value is null. */
function briefText({ description = "" }: JsonSchema): string {
  const [sentence = ""] = String(description).split(/(?:\.|;) (?=[A-Za-z—])/);
  return sentence.endsWith(".") || sentence === "" ? sentence : `${sentence}.`;
}

/** True for the label of a panel, such as `P/E`. The names of other fields are in snake case. */
const isLabel = (name: string) => /[^a-z0-9_]/.test(name);

/** An operation as `tools/list` shows it. */
export function toTool(operation: Operation): Tool {
  return {
    name: operation.name,
    title: operation.title,
    description: operation.description,
    inputSchema: inputSchema(operation) as Tool["inputSchema"],
    outputSchema: outputSchema(operation) as Tool["outputSchema"],
    annotations: { readOnlyHint: true, idempotentHint: true },
  };
}
