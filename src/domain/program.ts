import { statSync } from "node:fs";
import { join } from "node:path";
import { IS_COMPILED } from "#lib/compiled.ts";
import { lazy } from "#lib/lazy.ts";
import manifest from "../../package.json" with { type: "json" };

/** The program's version, as its package declares it. */
export const VERSION: string = manifest.version;

/**
 * The folder of the newest release and the public key that signs it, as the package declares them. Empty where
 * the maintainer has declared none.
 */
export const RELEASES: { readonly url: string; readonly publicKey: string } = manifest.releases;

/** How an executable was built. */
export interface BuildInfo {
  /** The commit, with `-modified` if files differed from it; null if the build knew none. */
  readonly commit: string | null;
  /** The time of that commit, UTC: equal sources give equal bytes. */
  readonly date: string | null;
  /** `linux-x64`, `darwin-arm64`. */
  readonly target: string;
}

/** JSON of `BuildInfo`, which `deploy/build.ts` writes into an executable. */
declare const BUILD_INFO: string | undefined;

/** How this executable was built; null if Bun runs the source. */
export const BUILD: BuildInfo | null =
  typeof BUILD_INFO === "undefined" ? null : (JSON.parse(BUILD_INFO) as BuildInfo);

/** The version and the build, as `--version --json` prints them. */
export const describeVersion = () => ({
  version: VERSION,
  commit: BUILD?.commit ?? null,
  target: BUILD?.target ?? null,
  date: BUILD?.date ?? null,
  bun: Bun.version,
});

/**
 * Makes the JIT compile as early as usual. The executable starts with a tenth of that (the build's
 * `--compile-jit-policy`), because start-up code runs once.
 */
export function compileAsUsual(): void {
  Bun.unsafe.setJITPolicy(1);
}

/** The executable that runs. Linux knows it also after an upgrade has put another one at its path. */
export const EXECUTABLE = process.platform === "linux" ? "/proc/self/exe" : process.execPath;

/** The command that starts this program again, in the version that runs. */
export const SELF: readonly string[] = IS_COMPILED ? [EXECUTABLE] : [EXECUTABLE, Bun.main];

/** The executable, or the source files in order. */
function listFiles(): string[] {
  if (IS_COMPILED) return [EXECUTABLE];
  const source = join(import.meta.dir, "..");
  return [...new Bun.Glob("**/*").scanSync({ cwd: source, absolute: true })].toSorted();
}

/** Identifies this program more exactly than its version: by the executable, or the newest of the source files. */
export const findBuild: () => string = lazy(() => {
  const stats = listFiles().map((file) => statSync(file));
  const bytes = stats.reduce((sum, { size }) => sum + size, 0);
  const newest = stats.reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), 0);
  return `${VERSION} ${bytes} ${newest}`;
});

/** The version and a hash of the program, which is the same on all machines. */
export async function hashProgram(): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const file of listFiles())
    for await (const part of Bun.file(file).stream()) hasher.update(part);
  return `${VERSION} ${hasher.digest("hex").slice(0, 16)}`;
}
