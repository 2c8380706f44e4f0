import { OPERATIONS } from "#operations/index.ts";
import { VERSION } from "#domain/program.ts";
import { below, packed, type PackedFile } from "./archives.ts";
import { npmNameOf, type Publisher } from "./publisher.ts";
import skill from "./skill.md" with { type: "text" };
import { executableOf, type Target } from "./targets.ts";

const DESCRIPTION = "Markets data of the United States, Japan and Viet Nam, on your own machine";

/** The settings that a client of MCP asks its user for. */
const SETTINGS = {
  BOURSE_DATA: {
    title: "Data folder",
    description: "Where bourse keeps its data. Sample and live data need separate folders.",
    type: "directory",
    default: "${HOME}/bourse-data",
  },
  BOURSE_MARKET: {
    title: "Market",
    description: "sample (every figure is generated) or live (public sources)",
    type: "string",
    default: "sample",
  },
  BOURSE_CONTACT: {
    title: "Contact",
    description: "Your email address, sent to sources; live data of the SEC requires it",
    type: "string",
    default: "",
  },
} as const;

const json = (name: string, value: object) => packed(name, `${JSON.stringify(value, null, 2)}\n`);

/** A bundle (MCPB) with the executable of a target, which desktop clients install by opening it. */
export function bundleFiles(
  target: Target,
  executable: PackedFile,
  licences: readonly PackedFile[],
  owner: string,
): PackedFile[] {
  const entry = `server/${executableOf(target)}`;
  const variables = Object.keys(SETTINGS);
  const manifest = {
    manifest_version: "0.3",
    name: "bourse",
    display_name: "bourse",
    version: VERSION,
    description: DESCRIPTION,
    author: { name: owner },
    license: "MIT",
    server: {
      type: "binary",
      entry_point: entry,
      mcp_config: {
        command: `\${__dirname}/${entry}`,
        args: ["mcp"],
        env: Object.fromEntries(variables.map((name) => [name, `\${user_config.${name}}`])),
      },
    },
    // Without --write-lists, the server has no tools that write.
    tools: OPERATIONS.filter(({ right }) => !right).map(({ name, description }) => ({
      name,
      description,
    })),
    compatibility: { platforms: [target.npm?.os] },
    user_config: Object.fromEntries(
      Object.entries(SETTINGS).map(([name, setting]) => [name, { ...setting, required: false }]),
    ),
  };
  return [json("manifest.json", manifest), { ...executable, name: entry }, ...licences];
}

/** A bundle of this release: its file, and the SHA-256 of its bytes. */
export interface Bundle {
  readonly file: string;
  readonly sha256: string;
}

/** The entry of the MCP Registry, schema of 2025-12-11: the npm package if there is one, the image and the bundles. */
export function registryEntry(
  name: string,
  { repository, npmScope }: Publisher,
  bundles: readonly Bundle[],
  image: string | null,
) {
  const url = `https://github.com/${repository}`;
  const transport = { type: "stdio" };
  const packageArguments = [{ type: "positional", value: "mcp" }];
  return json("server.json", {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name,
    title: "bourse",
    description: DESCRIPTION,
    version: VERSION,
    repository: { url, source: "github" },
    packages: [
      ...(npmScope === null
        ? []
        : [
            {
              registryType: "npm",
              identifier: npmNameOf(npmScope),
              version: VERSION,
              transport,
              packageArguments,
              environmentVariables: Object.entries(SETTINGS).map(([variable, { description }]) => ({
                name: variable,
                description,
              })),
            },
          ]),
      ...(image === null
        ? []
        : [{ registryType: "oci", identifier: image, transport, packageArguments }]),
      ...bundles.map(({ file, sha256 }) => ({
        registryType: "mcpb",
        identifier: `${url}/releases/download/v${VERSION}/${file}`,
        fileSha256: sha256,
        transport,
      })),
    ],
  });
}

/** A plugin of Claude Code: one skill, and the server by its npm package, or the installed executable without one. */
export function pluginFiles({ owner, npmScope }: Publisher): PackedFile[] {
  const server =
    npmScope === null
      ? { command: "bourse", args: ["mcp"] }
      : { command: "npx", args: ["-y", `${npmNameOf(npmScope)}@${VERSION}`, "mcp"] };
  const manifest = {
    name: "bourse",
    version: VERSION,
    description: DESCRIPTION,
    author: { name: owner },
    license: "MIT",
    mcpServers: { bourse: server },
  };
  return [
    ...below(".claude-plugin", [json("plugin.json", manifest)]),
    packed("skills/market-research/SKILL.md", skill),
  ];
}
