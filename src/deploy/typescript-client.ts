import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { V1 } from "#http/api-version.ts";
import { openApi } from "#http/openapi.ts";
import { packed, type PackedFile } from "./archives.ts";
import { ROOT } from "./build.ts";

const PACKAGE = join(ROOT, "src/clients/typescript");
/** Where the package is built, with packages of its own. */
const FOLDER = join(ROOT, "dist/build/typescript-client");
/** Parameters that the client sets itself. */
const OWN_PARAMETERS = /\/(as|decimal|format|rows|If-None-Match)$/;

interface Route {
  readonly parameters: readonly { readonly $ref?: string }[];
  readonly responses: {
    readonly 200: { readonly content: unknown; readonly "x-rows-objects"?: unknown };
  };
}

/**
 * The files of the npm package `bourse-client`: the compiled client with the types that openapi-typescript makes
 * from the OpenAPI document.
 *
 * @throws Error if the npm registry does not deliver the compiler and the generator
 */
export async function typescriptClient(): Promise<PackedFile[]> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  cpSync(PACKAGE, FOLDER, { recursive: true });
  const { document, tables } = clientDocument();
  await Bun.write(join(FOLDER, "openapi.json"), JSON.stringify(document));
  await Bun.write(
    join(FOLDER, "tables.ts"),
    `export const TABLE_PATHS: readonly string[] = ${JSON.stringify(tables)};\n`,
  );
  run("install", "--silent");
  run("run", "build");
  const names = ["LICENSE", "README.md", "package.json"];
  for (const name of readdirSync(join(FOLDER, "dist")).toSorted()) names.push(`dist/${name}`);
  return Promise.all(
    names.map(async (name) => packed(name, await Bun.file(join(FOLDER, name)).bytes())),
  );
}

/** The paths with data of the OpenAPI document, whose rows are objects where they can be, and the short paths of those. */
function clientDocument() {
  const { paths, ...rest } = openApi(V1) as { paths: Record<string, { get?: Route }> };
  const kept: Record<string, unknown> = {};
  const tables: string[] = [];
  for (const [path, { get }] of Object.entries(paths)) {
    const [, short] = path.split("/data");
    if (!short || !get) continue;
    const { content, "x-rows-objects": rows } = get.responses[200];
    if (rows) tables.push(short);
    const properties = { data: rows, as_of: { type: "string" } };
    const schema = { type: "object", properties, required: ["data", "as_of"] };
    const parameters = get.parameters.filter(({ $ref = "" }) => !OWN_PARAMETERS.test($ref));
    const responses = { 200: { content: rows ? { "application/json": { schema } } : content } };
    kept[path] = { get: { ...get, parameters, responses } };
  }
  return { document: { ...rest, paths: kept }, tables };
}

function run(...args: string[]): void {
  const options = { cwd: FOLDER, stdout: "pipe", stderr: "pipe" } as const;
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, ...args], options);
  if (exitCode !== 0) throw new Error(`bun ${args.join(" ")}: ${String(stdout)}${String(stderr)}`);
}
