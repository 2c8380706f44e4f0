import { afterAll } from "bun:test";
import { endChildren } from "./child-process.ts";
import { startService, temporaryFolder } from "./service.ts";

/** A service, and an empty folder for programs that the test file starts. All of them end with the file. */
export async function startForPrograms() {
  const { folder, remove } = temporaryFolder();
  const service = await startService();
  afterAll(async () => {
    await endChildren();
    await service.stop();
    remove();
  });
  return { service, folder };
}
