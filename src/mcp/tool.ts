import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { Type } from "@sinclair/typebox";
import { CountryCode } from "#domain/country.ts";
import { type JsonSchema, outlineSchema, publishSchema } from "#domain/schema.ts";
import type { Operation } from "#operations/operation.ts";

/**
 * The depth to which `tools/list` describes an answer: the envelope and the fields of its payload. An agent
 * reads the list in every session, and answers name their figures; OpenAPI has the complete schema.
 */
const OUTLINE_DEPTH = 2;

/** The schema without `format`, which some models refuse. Patterns express the same. */
function withoutFormats(schema: JsonSchema): unknown {
  return JSON.parse(
    JSON.stringify(schema, (keyword, value: unknown) =>
      keyword === "format" && typeof value === "string" ? undefined : value,
    ),
  );
}

/** An operation as `tools/list` shows it. */
export function toTool(operation: Operation): Tool {
  const carriesCountry = "country" in operation.input.properties && !operation.omitsCountry;
  const envelope = Type.Object({
    ...(carriesCountry && { country: Type.Optional(CountryCode) }),
    data: operation.output,
    as_of: Type.String(),
  });
  return {
    name: operation.name,
    title: operation.title,
    description: operation.description,
    inputSchema: withoutFormats(publishSchema(operation.input)) as Tool["inputSchema"],
    outputSchema: {
      ...outlineSchema(publishSchema(envelope), OUTLINE_DEPTH),
      required: envelope.required,
    } as unknown as Tool["outputSchema"],
    annotations: { readOnlyHint: true, idempotentHint: true },
  };
}
