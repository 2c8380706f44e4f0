import { afterAll } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endChildren, removeLater } from "./child-process.ts";
import { RUN_FOLDER, RUN_FOLDER_PREFIX } from "./service.ts";

/** True if a process with that id runs on this machine, also one of another user. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

// Preloaded by bunfig.toml: it runs before and after each test file, or before and after all of them.
for (const name of readdirSync(tmpdir())) {
  if (!name.startsWith(RUN_FOLDER_PREFIX)) continue;
  const pid = Number.parseInt(name.slice(RUN_FOLDER_PREFIX.length), 10);
  // Killed runs leave their folders.
  if (pid > 0 && !isRunning(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}
afterAll(async () => {
  await endChildren();
  if (!existsSync(RUN_FOLDER)) return;
  // The data of many Postgres servers takes minutes on a busy disk, and a hook may not take so long.
  const ended = mkdtempSync(`${RUN_FOLDER}-ended-`);
  renameSync(RUN_FOLDER, ended);
  removeLater(ended);
});
