import { VERSION } from "#domain/program.ts";
import { packed, type PackedFile } from "./archives.ts";
import launcher from "./launcher.txt" with { type: "text" };
import { npmNameOf, type Publisher } from "./publisher.ts";
import { executableOf, type Target, TARGETS } from "./targets.ts";

/** The package of a target in a scope: its executable alone. */
const packageNameOf = (target: Target, scope: string) => `${npmNameOf(scope)}-${target.name}`;

/** The publisher of npm packages. */
export interface NpmPublisher extends Pick<Publisher, "repository"> {
  readonly scope: string;
}

/** The files of the package with the executable of a target. */
export function platformPackage(
  target: Target,
  executable: PackedFile,
  licences: readonly PackedFile[],
  { scope, repository }: NpmPublisher,
): PackedFile[] {
  const { os, cpu, libc } = target.npm ?? {};
  const manifest = {
    ...common(packageNameOf(target, scope), repository),
    description: `The executable of bourse for ${target.name}`,
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
  };
  return [manifestFile(manifest), { ...executable, name: executableOf(target) }, ...licences];
}

/** The files of the package of bourse: a program that starts the executable of this machine. */
export function launcherPackage(
  texts: readonly PackedFile[],
  { scope, repository }: NpmPublisher,
  mcpName: string,
): PackedFile[] {
  const platforms = TARGETS.filter(({ npm }) => npm !== null);
  const manifest = {
    ...common(npmNameOf(scope), repository),
    description: "Markets data of the United States, Japan and Viet Nam over REST and MCP",
    mcpName,
    bin: { bourse: "bourse.js" },
    engines: { node: ">=20" },
    optionalDependencies: Object.fromEntries(
      platforms.map((target) => [packageNameOf(target, scope), VERSION]),
    ),
  };
  return [manifestFile(manifest), packed("bourse.js", launcher, 0o755), ...texts];
}

const common = (name: string, repository: string) => ({
  name,
  version: VERSION,
  license: "MIT",
  repository: { type: "git", url: `git+https://github.com/${repository}.git` },
});

const manifestFile = (manifest: object) =>
  packed("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
