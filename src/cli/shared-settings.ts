import type { Config } from "#config.ts";
import { IS_COMPILED } from "./command.ts";
import { VERSION } from "./version.ts";

/** A short hash, which nodes compare. It does not show the setting. */
function hash(value: unknown): string {
  const text = JSON.stringify(value);
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16);
}

/** A hash of each setting that all nodes of a cluster must share, by the name of the setting. */
export function hashSharedSettings({
  plans,
  gatePerMinute,
  sources,
  publicUrl,
}: Pick<Config, "plans" | "gatePerMinute" | "sources" | "publicUrl">): Record<string, string> {
  const { free, pro, max } = plans;
  return {
    "plan-free": hash(free),
    "plan-pro": hash(pro),
    "plan-max": hash(max),
    "gate-per-minute": hash(gatePerMinute),
    sources: hash(sources?.toSorted() ?? null),
    "public-url": hash(publicUrl),
  };
}

/** The version and a hash of the program, which is the same on all machines: of the executable or the source. */
export async function hashProgram(): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  if (IS_COMPILED) {
    for await (const part of Bun.file(process.execPath).stream()) hasher.update(part);
  } else {
    const cwd = new URL("..", import.meta.url).pathname;
    const files = [...new Bun.Glob("**/*").scanSync({ cwd })].toSorted();
    for (const file of files) hasher.update(`${file} ${Bun.file(`${cwd}${file}`).size}\n`);
  }
  return `${VERSION} ${hasher.digest("hex").slice(0, 16)}`;
}
