import type { JsonSchema } from "#domain/schema.ts";
import { V1 } from "./api-version.ts";
import { openApi } from "./openapi.ts";

/** Where the schema of the format is, by which programs know it. */
const FORMAT = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

interface Parameter {
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: string | number | boolean;
}

interface Described {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { example?: unknown }>> };
}

/**
 * A collection of requests in the format of Postman 2.1, which Bruno, Insomnia and Hoppscotch read too: a folder for each
 * area and a request for each operation. Other arguments are there and switched off, so each request succeeds as it is.
 *
 * @param address the address of the service, without a slash at the end; empty if unknown
 */
export function createCollection(address: string): JsonSchema {
  const document = openApi(V1, { address, answers: "json" });
  const { parameters: shared } = document["components"] as {
    parameters: Readonly<Record<string, Parameter>>;
  };
  const paths = document["paths"] as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  const requests = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // Messages of MCP are not requests of people.
      .filter(([, { tags }]) => tags[0] !== "mcp")
      .map(([method, described]) => ({
        area: described.tags[0],
        item: requestOf(path, method.toUpperCase(), described, shared),
      })),
  );
  const inOrder = requests.toSorted((a, b) => rankOf(a.item) - rankOf(b.item));
  const areas = Map.groupBy(inOrder, ({ area }) => area);
  return {
    info: { name: "bourse", schema: FORMAT, description: "Set the variable `token`." },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: address, type: "string" },
      { key: "token", value: "", type: "string" },
    ],
    item: [...areas].map(([name, list]) => ({ name, item: list.map(({ item }) => item) })),
  };
}

/** What is made comes before what reads it, and is deleted last. */
function rankOf({ request }: JsonSchema): number {
  return ["PUT", "GET", "DELETE"].indexOf((request as { readonly method: string }).method);
}

function requestOf(
  path: string,
  method: string,
  { summary, description, parameters = [], requestBody }: Described,
  shared: Readonly<Record<string, Parameter>>,
): JsonSchema {
  const all = parameters.flatMap((one) =>
    "$ref" in one ? (shared[one.$ref.split("/").at(-1) ?? ""] ?? []) : one,
  );
  const entryOf = ({ name, example, description: text = "" }: Parameter) => ({
    key: name,
    value: example === undefined ? "" : String(example),
    description: text,
  });
  // An operation without a required argument may need one of several: the first with an example is one.
  const first = all.some((one) => one.required) ? null : all.find((one) => one.example);
  const query = all
    .filter((one) => one.in === "query")
    .map((one) => ({ ...entryOf(one), disabled: !one.required && one !== first }));
  const asked = query.filter(({ disabled }) => !disabled);
  const named = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const search = asked.map(({ key, value }) => `${key}=${value}`).join("&");
  const body = requestBody?.content["application/json"]?.example;
  return {
    name: summary,
    request: {
      method,
      description,
      header: body === undefined ? [] : [{ key: "Content-Type", value: "application/json" }],
      url: {
        raw: `{{baseUrl}}${named}${search && `?${search}`}`,
        host: ["{{baseUrl}}"],
        path: named.slice(1).split("/"),
        query,
        variable: all.filter((one) => one.in === "path").map(entryOf),
      },
      ...(body !== undefined && { body: { mode: "raw", raw: JSON.stringify(body, null, 2) } }),
    },
  };
}
