import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openFolder } from "../support/access.ts";
import { endChildren } from "../support/child-process.ts";
import { runAt, runOn } from "../support/cli.ts";
import { createSmallSample } from "../support/contract-market.ts";
import { beginMcpRequest, spawnServe } from "../support/serve-process.ts";

const folder = openFolder();
let token = "";
beforeAll(async () => {
  createSmallSample(folder.path, Date.now());
  await runOn(folder.path, "user", "add", "anna", "--plan", "max");
  token = (await runOn(folder.path, "token", "create", "anna")).stdout.trim();
}, 600_000);
afterAll(async () => {
  await endChildren();
  folder[Symbol.dispose]();
});

const PING = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" });

test("the service stops while pages follow its market: their streams end", async () => {
  const service = await spawnServe(folder.path);
  // The process has the real clock.
  const { stdout } = await runAt(Date.now, { BOURSE_DATA: folder.path }, "console", "anna");
  const key = /#key=([\w-]+)/.exec(stdout)?.[1];
  const own = { "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const signedIn = await fetch(`${service.url}/console/api/session`, {
    method: "POST",
    headers: own,
    body: JSON.stringify({ key }),
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const stream = await fetch(`${service.url}/console/api/changes`, {
    headers: { ...own, cookie },
  });
  expect(stream.status).toBe(200);
  const stopped = service.stop();
  // A connection that is cut would be an error.
  expect(await stream.text()).toMatch(/^data: \{"version":"\w+"\}\n\n(:\n\n)*$/);
  expect(await stopped).toBe(0);
});

describe.skipIf(process.platform !== "linux")(
  "the service continues, and stops with exit code 0",
  () => {
    test("while its log cannot be written", async () => {
      const service = await spawnServe(folder.path, { log: Bun.file("/dev/full") });
      for (let i = 0; i < 3; i++) await (await beginMcpRequest(service, token, PING)).abort();
      expect((await service.get("/data/markets", token)).status).toBe(200);
      expect(await service.stop()).toBe(0);
    });

    test("while the reader of its log is stalled", async () => {
      const pipe = join(folder.path, "log-pipe");
      Bun.spawnSync(["mkfifo", pipe]);
      // Held open for reading, filled, and never read.
      const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
      expect(() => {
        for (;;) writeSync(reader, "x".repeat(4_096));
      }).toThrow("EAGAIN");
      const log = openSync(pipe, constants.O_WRONLY);
      const service = await spawnServe(folder.path, { log });
      expect((await service.get("/data/markets", token)).status).toBe(200);
      expect(await service.stop()).toBe(0);
      closeSync(reader);
    });
  },
);
