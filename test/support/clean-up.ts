import { afterAll } from "bun:test";
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning } from "#cli/servers.ts";
import { endChildren } from "./child-process.ts";
import { RUN_FOLDER, RUN_FOLDER_PREFIX, SAMPLES_FOLDER } from "./service.ts";

// Preloaded by bunfig.toml: it runs before and after each test file, or before and after all of them.
for (const name of readdirSync(tmpdir())) {
  const pid = name.startsWith(RUN_FOLDER_PREFIX) ? Number(name.slice(RUN_FOLDER_PREFIX.length)) : 0;
  // Killed runs leave their folders.
  if (pid > 0 && !isRunning(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}
afterAll(async () => {
  await endChildren();
  if (!existsSync(RUN_FOLDER)) return;
  for (const name of readdirSync(RUN_FOLDER)) {
    const path = join(RUN_FOLDER, name);
    if (path !== SAMPLES_FOLDER) rmSync(path, { recursive: true, force: true });
  }
  if (!existsSync(SAMPLES_FOLDER)) rmdirSync(RUN_FOLDER);
});
