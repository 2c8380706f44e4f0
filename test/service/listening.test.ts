import { describe, expect, test } from "bun:test";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "#config.ts";
import { fetchFrom } from "#lib/unix-socket.ts";
import { listenOn } from "#service/listening.ts";
import { isStaleSocket } from "#service/stale-socket.ts";
import { openFolder } from "../support/access.ts";
import { spawnChild } from "../support/child-process.ts";
import { expectError } from "../support/error.ts";

const NEVER = new AbortController().signal;

describe("a Unix socket", () => {
  const open = (path: string, mode = "660") =>
    listenOn(
      readConfig({ socket: path, "socket-mode": mode, metrics: `unix:${path}.metrics` }, {}),
    );
  const statusOf = async (path: string) =>
    (await fetchFrom(`unix:${path}`, "/health", { signal: NEVER })).status;
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  test.each(["600", "660", "666"])(
    "has the permissions %s, and so has the socket of the metrics",
    async (mode) => {
      using folder = openFolder();
      const path = join(folder.path, "b.sock");
      const umask = process.umask();
      const listening = await open(path, mode);
      listening.serveMetrics(async () => "bourse_ready 1\n");
      expect([modeOf(path), modeOf(`${path}.metrics`), process.umask()]).toEqual([
        mode,
        mode,
        umask,
      ]);
      expect(await statusOf(path)).toBe(200);
      const metrics = await fetchFrom(`unix:${path}.metrics`, "/metrics", { signal: NEVER });
      expect(await metrics.text()).toBe("bourse_ready 1\n");
      await listening.close();
      expect([existsSync(path), existsSync(`${path}.metrics`)]).toEqual([false, false]);
    },
  );

  test("has no address of its client, and nothing listens on the port", async () => {
    using folder = openFolder();
    const path = join(folder.path, "b.sock");
    const listening = await open(path);
    const seen = Promise.withResolvers<unknown>();
    listening.serve((request, server) => {
      seen.resolve(server.requestIP(request));
      return new Response();
    });
    await fetchFrom(`unix:${path}`, "/", { signal: NEVER });
    expect(await seen.promise).toBeNull();
    await listening.close();
  });

  test("that a killed process has left is replaced", async () => {
    using folder = openFolder();
    const path = join(folder.path, "b.sock");
    const script = `Bun.serve({ unix: ${JSON.stringify(path)}, fetch: () => new Response() }); console.log("up")`;
    const child = spawnChild([process.execPath, "-e", script], {
      stdout: "pipe",
      stderr: "ignore",
    });
    await child.stdout.getReader().read();
    await expectError(() => isStaleSocket(path), "unavailable");
    child.kill("SIGKILL");
    await child.exited;
    expect(await isStaleSocket(path)).toBe(true);
    const listening = await open(path);
    expect(await statusOf(path)).toBe(200);
    await listening.close();
  });

  test("that another service uses stays, and so does a file of another kind", async () => {
    using folder = openFolder();
    const path = join(folder.path, "b.sock");
    const first = await open(path);
    expect((await expectError(() => open(path), "unavailable")).message).toBe(
      `Another process listens on ${path}; stop it, or choose another path with --socket or --metrics.`,
    );
    expect(await statusOf(path)).toBe(200);
    await first.close();
    writeFileSync(path, "notes");
    const { message } = await expectError(() => open(path), "unavailable");
    expect(message).toContain("is a file and no socket; remove it");
    expect(statSync(path).size).toBe(5);
    const missing = join(folder.path, "missing", "b.sock");
    expect((await expectError(() => open(missing), "unavailable")).message).toContain(
      `Cannot listen on ${missing} (ENOENT); create its folder`,
    );
  });
});
