import { V1 } from "#http/api-version.ts";
import { openApi } from "#http/openapi.ts";
import { installTools } from "./npm-tools.ts";
import { temporaryFolder } from "./service.ts";

/** The generated types of the TypeScript client. */
export const CLIENT_TYPES = `${import.meta.dir}/../../src/clients/typescript/schema.ts`;

/** The packages that generate them. */
export const GENERATORS = { "openapi-typescript": "7.13.0", typescript: "5.9.3" };

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = { readonly [name: string]: Json };

/** Keys that are no types, so that other words change no types. */
const WORDS = new Set(["description", "example", "summary", "title", "headers", "default", "tags"]);
/** Parameters that the client sets itself. */
const OWN_PARAMETERS = /\/(as|decimal|format|rows|If-None-Match)$/;
/** Below these keys are names, not keywords. */
const NAMED = new Set(["properties", "schemas", "parameters"]);

/** The OpenAPI document as the client needs it: its types alone, and rows of tables as objects. */
export function clientDocument(): JsonObject {
  const whole = JSON.parse(JSON.stringify(openApi(V1))) as JsonObject;
  const { paths, components, ...rest } = whole;
  const { schemas = null, parameters = null } = components as JsonObject;
  const routes = Object.entries(paths as Record<string, JsonObject>)
    .filter(([path, { get }]) => path.includes("/data/") && get !== undefined)
    .map(([path, route]) => [path, { get: clientRoute(route["get"] as JsonObject) }]);
  const document = { ...rest, paths: Object.fromEntries(routes) };
  return withoutWords({
    ...document,
    components: componentsOf([document, ALWAYS], { schemas, parameters }),
  }) as JsonObject;
}

/** What the client reads of every error. */
const ALWAYS = { $ref: "#/components/schemas/ErrorEnvelope" };

/** The schemas and parameters that a value refers to, directly or through others. */
function componentsOf(value: Json, all: Readonly<Record<string, Json>>): JsonObject {
  const named = new Set<string>();
  const follow = (one: Json) => {
    for (const [, group = "", name = ""] of JSON.stringify(one).matchAll(REFERENCE)) {
      if (named.has(`${group} ${name}`)) continue;
      named.add(`${group} ${name}`);
      follow((all[group] as JsonObject)[name] ?? null);
    }
  };
  follow(value);
  const kept = Object.entries(all).map(([group, list]) => [
    group,
    Object.fromEntries(
      Object.entries(list as JsonObject).filter(([name]) => named.has(`${group} ${name}`)),
    ),
  ]);
  return Object.fromEntries(kept) as JsonObject;
}

const REFERENCE = /"#\/components\/(\w+)\/([^"]+)"/g;

/** A route with its answer only; `x-rows-objects` replaces the payload. */
function clientRoute({ operationId = "", parameters, responses }: JsonObject): JsonObject {
  const answer = (responses as Record<string, JsonObject>)["200"] ?? {};
  const rows = answer["x-rows-objects"];
  const properties = { data: rows ?? null, as_of: { type: "string" } };
  const schema = { type: "object", properties, required: ["data", "as_of"] };
  const content = rows ? { "application/json": { schema } } : (answer["content"] ?? null);
  const own = (parameters as { $ref?: string }[]).filter(
    ({ $ref = "" }) => !OWN_PARAMETERS.test($ref),
  );
  return { operationId, parameters: own as JsonObject[], responses: { 200: { content } } };
}

function withoutWords(value: Json, isNamed = false): Json {
  if (Array.isArray(value)) return value.map((one) => withoutWords(one));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isNamed || !WORDS.has(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutWords(one, NAMED.has(key))]));
}

/** The first line of the types, by which a test sees that they are of this document. */
export function firstLine(): string {
  const hash = Bun.hash(JSON.stringify(clientDocument())).toString(36);
  return `// Written by \`bun run docs\` from the OpenAPI document ${hash}. Do not edit it.`;
}

/** The types by openapi-typescript; null if the npm registry does not deliver it. */
export async function generateClientTypes(): Promise<string | null> {
  const { folder, remove } = temporaryFolder();
  try {
    const { isInstalled, run, write } = await installTools(folder, GENERATORS);
    if (!isInstalled) return null;
    await write("openapi.json", JSON.stringify(clientDocument()));
    await run("node_modules/.bin/openapi-typescript", "openapi.json", "-o", "schema.ts");
    const types = await Bun.file(`${folder}/schema.ts`).text();
    const tables = tablePaths().map((path) => `  ${JSON.stringify(path)},\n`);
    const list = `/** The paths whose rows can be objects. */\nexport const TABLE_PATHS: readonly string[] = [\n${tables.join("")}];\n`;
    return `${firstLine()}\n${list}${withoutNothing(types.replace(/^\/\*\*.*?\*\/\n/s, ""))}`;
  } finally {
    remove();
  }
}

/** Generated types without the methods and parameters that a path does not have, and without notes for programs. */
const withoutNothing = (types: string) =>
  types
    .replaceAll(/^ *(\w+\??: never;|\/\*\* @(enum|example) .*\*\/)\n/gm, "")
    .replaceAll(/^ *(parameters: \{\s*\};\n(?= *get:)|headers: \{\s*\[name: .*\s*\};\n)/gm, "");

/** The paths below `/data` whose rows can be objects. */
function tablePaths(): string[] {
  const { paths } = openApi(V1) as { paths: Record<string, { get?: JsonObject }> };
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const answer = (get?.["responses"] as Record<string, JsonObject> | undefined)?.["200"];
    return answer?.["x-rows-objects"] ? [path.replace(/^.*?\/data\//, "/")] : [];
  });
}
