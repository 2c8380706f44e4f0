import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { Type } from "@sinclair/typebox";
import { type JsonSchema, publishSchema } from "#domain/schema.ts";
import { CSV_LINK } from "#operations/csv-link.ts";
import { carriesCountry, type Operation } from "#operations/operation.ts";

/** Levels of the payload whose fields are described: its own fields, and its rows' fields. */
const DESCRIBED_DEPTH = 3;

/** Longer limits of a text protect the service. A model does not need them. */
const MAX_PUBLISHED_LENGTH = 20;

/**
 * The schema of an argument for a model, without what it cannot use or some models refuse: formats,
 * patterns, great lengths. Errors explain them.
 */
function argumentSchema(name: string, schema: JsonSchema): JsonSchema {
  const isShort = Number(schema["maxLength"]) <= MAX_PUBLISHED_LENGTH;
  const hidden = new Set([
    "format",
    "pattern",
    ...(isShort ? [] : ["minLength", "maxLength"]),
    // Its values explain it.
    ...(name === "country" ? ["description"] : []),
    // A model knows the codes.
    ...(name === "currency" ? ["enum"] : []),
  ]);
  // One date shows how all are written.
  const shown =
    name === "to" ? { ...schema, description: dropNotation(schema["description"]) } : schema;
  return Object.fromEntries(Object.entries(shown).filter(([keyword]) => !hidden.has(keyword)));
}

const dropNotation = (description: unknown) => String(description).replace(", YYYY-MM-DD", "");

/** The argument that asks for a link to all rows as CSV. */
const AS: JsonSchema = { type: "string", enum: [CSV_LINK] };

/** The schema of the arguments. It has no empty `properties`, which Gemini refuses. */
function inputSchema({ input }: Operation): JsonSchema {
  const { type, required } = publishSchema(input);
  const shown = Object.entries(input.properties).filter(([, schema]) => !schema["isSynonym"]);
  const properties = shown.map(
    ([name, schema]) => [name, argumentSchema(name, publishSchema(schema))] as const,
  );
  // Other tools answer all rows already; they understand it, too.
  if (Object.hasOwn(input.properties, "limit")) properties.push(["as", AS]);
  return {
    type,
    ...(required !== undefined && { required }),
    // A tool without arguments ignores what it gets: some clients send a dummy.
    ...(properties.length > 0 && {
      properties: Object.fromEntries(properties),
      additionalProperties: false,
    }),
  };
}

/** The schema of the result: the envelope of the REST body. */
function outputSchema(operation: Operation): JsonSchema {
  const envelope = Type.Object({
    ...(carriesCountry(operation) && { country: Type.Optional(Type.String()) }),
    data: operation.output,
    as_of: Type.String(),
  });
  return briefSchema(publishSchema(envelope), DESCRIBED_DEPTH);
}

/**
 * The published schema of an answer, shortened: one sentence for each field down to `depth` levels. The labels
 * of a panel, and the fields of an inner object whose names say all, are a list of names. It accepts what the full
 * schema accepts.
 */
function briefSchema(schema: JsonSchema, depth: number): JsonSchema {
  const { type, enum: values, required, items, additionalProperties } = schema;
  const inner = (value: unknown) => briefSchema(value as JsonSchema, depth);
  const all = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  const entries = all.filter(([name]) => !OPTIONAL_FIELDS.has(name));
  const labels = entries.filter(([name]) => isLabel(name)).map(([label]) => label);
  const fields = entries
    .filter(([name]) => !isLabel(name))
    .map(([name, field]) => [name, briefField(name, field, depth - 1)] as const);
  const isTable = depth < 2 && fields.some(([name]) => name === "rows");
  const isNamed = isTable || fields.every(([, field]) => isScalar(field));
  const isPlain = depth < 2 && fields.length > 0 && isNamed;
  const description =
    labels.length > 0
      ? `Text by label: ${labels.join(", ")}.`
      : `${briefText(schema)}${isPlain ? ` Fields: ${fields.map(([name]) => name).join(", ")}.` : ""}`.trim();
  // Below the payload's own fields, names explain all but units.
  const isDescribed =
    depth > 0 || labels.length > 0 || isPlain || (depth === 0 && UNIT.test(description));
  return {
    type,
    ...(description !== "" && isDescribed && { description }),
    ...(values !== undefined && { enum: values }),
    ...(fields.length > 0 && !isPlain && { properties: Object.fromEntries(fields) }),
    // The payload's own is in OpenAPI.
    ...(fields.length > 0 && depth === DESCRIBED_DEPTH && { required }),
    ...(items !== undefined && !isCell(items as JsonSchema) && { items: inner(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: inner(additionalProperties),
    }),
  };
}

/** A unit in a description. */
const UNIT = /percent|dollars|TTM|UTC|New York/;

/** Fields that mean the same in every payload. */
const COMMON_FIELDS = new Set(["source", "columns", "rows", "next_cursor", "known_to", "total"]);

/** True for a field whose name says all that is published of it. */
const isScalar = (field: JsonSchema) => Object.keys(field).every((keyword) => keyword === "type");

/** Fields that any payload can have. */
const OPTIONAL_FIELDS = new Set(["understood_as", "delisted"]);

/** True for a cell of a table, which can be anything. */
const isCell = ({ type }: JsonSchema) => Array.isArray(type) && type.length > 2;

function briefField(name: string, field: JsonSchema, depth: number): JsonSchema {
  return briefSchema(COMMON_FIELDS.has(name) ? { ...field, description: "" } : field, depth);
}

/** The first sentence of a description without its example. What follows it says when a value is null. */
function briefText({ description = "" }: JsonSchema): string {
  const [sentence = ""] = String(description).split(/(?:\.|;) (?=[A-Za-z—])/);
  const brief = sentence.replace(/\.$/, "").replace(/: (?:-?[\d.]+%?|[A-Z]{3}|Apple Inc)$/, "");
  return brief === "" ? "" : `${brief}.`;
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
    annotations: {
      readOnlyHint: operation.right === undefined,
      idempotentHint: true,
      destructiveHint: operation.deletes === true,
      openWorldHint: false,
    },
  };
}
