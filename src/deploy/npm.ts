import { VERSION } from "#service/program.ts";
import { packed, type PackedFile } from "./archives.ts";
import launcher from "./launcher.txt" with { type: "text" };
import { executableOf, type Target, TARGETS } from "./targets.ts";

/** The package of a target: its executable alone. */
export const packageNameOf = (target: Target) => `bourse-${target.name}`;

/** The files of the package with the executable of a target. */
export function platformPackage(
  target: Target,
  executable: PackedFile,
  licences: readonly PackedFile[],
  repository: string,
): PackedFile[] {
  const { os, cpu, libc } = target.npm ?? {};
  const manifest = {
    ...common(packageNameOf(target), repository),
    description: `The executable of bourse for ${target.name}`,
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
  };
  return [manifestFile(manifest), { ...executable, name: executableOf(target) }, ...licences];
}

/** The files of the package `bourse`: a program that starts the executable of this machine. */
export function launcherPackage(
  texts: readonly PackedFile[],
  repository: string,
  mcpName: string,
): PackedFile[] {
  const platforms = TARGETS.filter(({ npm }) => npm !== null);
  const manifest = {
    ...common("bourse", repository),
    description: "Markets data of the United States, Japan and Viet Nam over REST and MCP",
    mcpName,
    bin: { bourse: "bourse.js" },
    engines: { node: ">=20" },
    optionalDependencies: Object.fromEntries(
      platforms.map((target) => [packageNameOf(target), VERSION]),
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
