import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PackedFile } from "./archives.ts";

/** Writes the files of a package to an empty folder, from which a packager reads them. */
export function stageFiles(folder: string, files: readonly PackedFile[], modifiedAt: number): void {
  rmSync(folder, { recursive: true, force: true });
  for (const { name, bytes, mode } of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    writeFileSync(path, bytes);
    chmodSync(path, mode);
    utimesSync(path, modifiedAt / 1000, modifiedAt / 1000);
  }
}

/** Runs a packager, whose output has the time of `modifiedAt`. @throws Error with what it said */
export function runPackager(command: readonly string[], modifiedAt: number): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], {
    env: { PATH: "/usr/bin:/bin", SOURCE_DATE_EPOCH: String(modifiedAt / 1000), TZ: "UTC" },
  });
  if (exitCode !== 0) throw new Error(`${command[0]}: ${stdout.toString()}${stderr.toString()}`);
}
