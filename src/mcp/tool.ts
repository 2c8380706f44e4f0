import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { Type } from "@sinclair/typebox";
import { CountryCode } from "#domain/country.ts";
import { publishSchema } from "#domain/schema.ts";
import type { Operation } from "#operations/operation.ts";

/** An operation as `tools/list` shows it. */
export function toTool(operation: Operation): Tool {
  const carriesCountry = "country" in operation.input.properties && !operation.omitsCountry;
  return {
    name: operation.name,
    title: operation.title,
    description: operation.description,
    inputSchema: publishSchema(operation.input) as Tool["inputSchema"],
    // Terse: an agent reads the list in every session, and the answers name their own figures.
    outputSchema: publishSchema(
      Type.Object({
        ...(carriesCountry && { country: Type.Optional(CountryCode) }),
        data: operation.output,
        as_of: Type.String(),
      }),
      { terse: true },
    ) as Tool["outputSchema"],
    annotations: { readOnlyHint: true, idempotentHint: true },
  };
}
