import { statSync } from "node:fs";
import { join } from "node:path";
import { lazy } from "#lib/lazy.ts";
import manifest from "../../package.json" with { type: "json" };
import { IS_COMPILED } from "./command.ts";

/** The program's version, as its package declares it. */
export const VERSION: string = manifest.version;

/** Identifies this program more exactly than its version: by the executable, or the newest of the source files. */
export const findBuild: () => string = lazy(() => {
  const source = join(import.meta.dir, "..");
  const files = IS_COMPILED
    ? [process.execPath]
    : [...new Bun.Glob("**/*").scanSync({ cwd: source, absolute: true })];
  const stats = files.map((file) => statSync(file));
  const bytes = stats.reduce((sum, { size }) => sum + size, 0);
  const newest = stats.reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), 0);
  return `${VERSION} ${bytes} ${newest}`;
});
