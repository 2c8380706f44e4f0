import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { type JsonSchema, publishSchema } from "#domain/schema.ts";
import { CSV_LINK } from "#operations/csv-link.ts";
import { carriesCountry, type Operation } from "#operations/operation.ts";

/**
 * The schema of an argument for a model: type, description and values. Some hosts refuse keywords of limits and forms,
 * others do not show them to the model. The description has the limits and the default in words.
 */
function argumentSchema(name: string, schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  // Its values explain a country.
  const description = name === "country" ? "" : describe(name, schema);
  return {
    type,
    ...(description !== "" && { description }),
    // A model knows the codes of currencies.
    ...(values !== undefined && name !== "currency" && { enum: values }),
  };
}

/** The description of an argument, with its limits and its default: `Maximum rows, 1 to 100, 25 by default.` */
function describe(name: string, schema: JsonSchema): string {
  const {
    description = "",
    minimum,
    maximum,
    default: usual,
  } = schema as {
    readonly [keyword in "description" | "minimum" | "maximum" | "default"]?: string | number;
  };
  // One date shows how all are written.
  const text = name === "to" ? dropNotation(description) : String(description);
  const limits = [
    ...(minimum === undefined || maximum === undefined ? [] : [`${minimum} to ${maximum}`]),
    ...(usual === undefined ? [] : [`${usual} by default`]),
  ];
  if (limits.length === 0) return text;
  return `${[text.replace(/\.$/, ""), ...limits].filter(Boolean).join(", ")}.`;
}

const dropNotation = (description: unknown) => String(description).replace(", YYYY-MM-DD", "");

/** The argument that asks for a link to all rows as CSV. */
const AS: JsonSchema = {
  type: "string",
  enum: [CSV_LINK],
  description: "A link to all rows.",
};

/** The schema of the arguments. */
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
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

/** Fields that mean the same in every payload. A host that shows the schemas would pay for them in each tool. */
const COMMON_FIELDS = new Set([
  "source",
  "understood_as",
  "reasons",
  "known_on",
  "not_rewound",
  "delisted",
  "rates",
  "adjustment",
  "notes",
  "begins",
  "known_to",
  "total",
  "more",
  "next_cursor",
  "columns",
  "rows",
  "name",
  "currency",
  "session",
  "unknown",
  "without",
  "note",
]);

/** True for the label of a panel, such as `P/E`. The names of other fields are in snake case. */
const isLabel = (name: string) => /[^a-z0-9_]/.test(name);

/** The type of a field. An object is open, because some hosts make a type without fields of one that says nothing. */
function fieldSchema({ type }: JsonSchema): JsonSchema {
  const isObject = [type].flat().includes("object");
  return { type, ...(isObject && { additionalProperties: true }) };
}

/**
 * The schema of the result: the envelope of the REST body, with the names and types of the payload's own fields.
 * Words and inner fields are in OpenAPI.
 */
function outputSchema(operation: Operation): JsonSchema {
  const payload = publishSchema(operation.output);
  const fields = Object.entries((payload["properties"] ?? {}) as Record<string, JsonSchema>)
    .filter(([name]) => !COMMON_FIELDS.has(name) && !isLabel(name))
    .map(([name, field]) => [name, fieldSchema(field)] as const);
  const data =
    fields.length > 0
      ? { type: payload["type"], properties: Object.fromEntries(fields) }
      : fieldSchema(payload);
  return {
    type: "object",
    properties: {
      ...(carriesCountry(operation) && { country: { type: "string" } }),
      data,
      as_of: { type: "string" },
    },
    required: ["data", "as_of"],
  };
}

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
