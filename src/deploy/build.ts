import { join } from "node:path";
import { type BuildInfo, VERSION } from "#domain/program.ts";
import { formatLicences, listPackages, type Package } from "./packages.ts";

/** The repository. */
export const ROOT = join(import.meta.dir, "../..");

const ENTRYPOINTS = [join(ROOT, "src/main.ts"), join(ROOT, "src/worker.ts")];

/** What all executables of one release have in common. */
export interface Source {
  readonly commit: string | null;
  readonly date: string | null;
  readonly packages: readonly Package[];
}

/** Reads the commit, and which packages the bundle has. */
export async function readSource(): Promise<Source> {
  const [commit = null, date] = git("log", "-1", "--format=%H%n%ct")?.split("\n") ?? [];
  const isModified = git("status", "--porcelain") !== "";
  const bundle = await Bun.build({ entrypoints: ENTRYPOINTS, target: "bun", metafile: true });
  return {
    commit: commit && isModified ? `${commit}-modified` : commit,
    date: date ? new Date(Number(date) * 1000).toISOString() : null,
    packages: await listPackages(ROOT, Object.keys(bundle.metafile?.inputs ?? {})),
  };
}

/** The output of git; null if there is no repository, as in an image. */
function git(...args: string[]): string | null {
  if (Bun.which("git") === null) return null;
  const { exitCode, stdout } = Bun.spawnSync(["git", "-C", ROOT, ...args], { stderr: "ignore" });
  return exitCode === 0 ? stdout.toString().trim() : null;
}

/** How every executable is built. */
export const BUILD = { minify: true, bytecode: true, format: "esm", splitting: true } as const;
export const COMPILE = {
  // The service raises it after the start: see compileAsUsual.
  jitPolicy: 10,
  autoloadDotenv: false,
  autoloadBunfig: false,
} as const;

/** Writes the executable for a target, `linux-x64-musl`, or for this machine. */
export async function buildExecutable(
  outfile: string,
  source: Source,
  target?: string,
): Promise<void> {
  const info: BuildInfo = {
    commit: source.commit,
    date: source.date,
    target: target ?? `${process.platform}-${process.arch}`,
  };
  await Bun.build({
    entrypoints: ENTRYPOINTS,
    ...BUILD,
    define: {
      BUILD_INFO: JSON.stringify(JSON.stringify(info)),
      THIRD_PARTY: JSON.stringify(formatLicences(source.packages)),
    },
    compile: {
      outfile,
      ...(target && { target: `bun-${target}` as Bun.Build.CompileTarget }),
      ...COMPILE,
    },
  });
}

if (import.meta.main) {
  await buildExecutable(join(ROOT, "dist/bourse"), await readSource());
  process.stdout.write(`dist/bourse ${VERSION}\n`);
}
