import { afterAll } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endChildren } from "./child-process.ts";
import { RUN_FOLDER, RUN_FOLDER_PREFIX } from "./service.ts";

// Preloaded by bunfig.toml: it begins before the first test and ends after the last one.
for (const name of readdirSync(tmpdir())) {
  const pid = name.startsWith(RUN_FOLDER_PREFIX) ? Number(name.slice(RUN_FOLDER_PREFIX.length)) : 0;
  // A run that was killed has left its folder behind.
  if (pid > 0 && !isRunning(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}
afterAll(async () => {
  await endChildren();
  rmSync(RUN_FOLDER, { recursive: true, force: true });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
