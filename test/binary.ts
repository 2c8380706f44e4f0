import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spawnChild } from "./support/child-process.ts";
import { temporaryFolder } from "./support/service.ts";
import { type StartedProgram, startProgram } from "./support/started-program.ts";

// Not part of the suite (no .test in its name): it needs `bun run build` first.

const { folder, remove } = temporaryFolder();
const binary = join(folder, "bourse");
let service: StartedProgram;
let token = "";
let base = "";

beforeAll(async () => {
  // The binary is alone in an empty folder, so it cannot read files of the repository.
  copyFileSync(join(import.meta.dir, "../dist/bourse"), binary);
  // A first backup would begin while a slow machine is still testing.
  service = await startProgram([binary], folder, { BOURSE_BACKUP_EVERY: "0" });
  ({ token, base } = service);
});

afterAll(async () => {
  await service.stop();
  remove();
});

test("the binary answers a REST call", async () => {
  const response = await fetch(`${base}/data/stocks/AAPL/technicals?country=US`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-data-source")).toBe("sample");
  expect(await response.json()).toMatchObject({ country: "US", data: { Name: "Apple Inc." } });
});

test("the binary hands out bourse.py", async () => {
  const response = await fetch(`${new URL(base).origin}/clients/bourse.py`);
  const source = Bun.file(join(import.meta.dir, "../src/clients/bourse.py"));
  expect([response.status, await response.text()]).toEqual([200, await source.text()]);
});

test("the binary has the documentation, with styles that answer", async () => {
  const { origin } = new URL(base);
  const html = await (await fetch(`${origin}/docs/security`)).text();
  expect(html).toContain('<h1 id="security">Security</h1>');
  const styles = [...html.matchAll(/rel="stylesheet" href="([^"]+)"/g)].map(([, path]) => path);
  expect(styles).toHaveLength(2);
  for (const path of styles) expect((await fetch(`${origin}${path}`)).status).toBe(200);
});

/** The binary's answer to one MCP request. */
async function ask(method: string, params: object): Promise<unknown> {
  const response = await fetch(`${base}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return response.json();
}

test("the binary answers an MCP call", async () => {
  const call = { name: "get_stock_overview", arguments: { country: "JP", symbol: "7203" } };
  expect(await ask("tools/call", call)).toMatchObject({
    id: 1,
    result: { structuredContent: { country: "JP" } },
  });
});

test("the binary contains the SDK, which is loaded on first use", async () => {
  const answer = await ask("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  expect(answer).toMatchObject({ id: 1, result: { serverInfo: { name: "bourse" } } });
});

test("the binary exports its market while it runs, in the process that its schedule starts too", () => {
  const run = Bun.spawnSync([binary, "export", "market", "--kinds", "splits,metrics", "--json"], {
    cwd: folder,
    env: {},
  });
  expect(run.exitCode).toBe(0);
  const { files } = JSON.parse(run.stdout.toString()) as { files: { path: string }[] };
  expect(files).toHaveLength(6);
  for (const { path } of files)
    expect(readFileSync(join(folder, "market", path)).toString("latin1", 0, 4)).toBe("PAR1");
});

test("commands work while the binary runs, and it stops gracefully", async () => {
  const run = Bun.spawnSync([binary, "status", "--json"], { cwd: folder, env: {} });
  expect(JSON.parse(run.stdout.toString())).toMatchObject({ market: "sample", users: 1 });
  expect(await service.stop()).toBe(0);
  // The settings stay for a backup by hand.
  const files = ["access.db", "last-settings.json", "market.db"];
  expect(readdirSync(join(folder, "bourse-data")).toSorted()).toEqual(files);
});

test("the binary fetches live data in its thread", async () => {
  const live = spawnChild([binary, "serve", "--port", "0", "--market", "live", "--data", "live"], {
    cwd: folder,
    env: { BOURSE_SOURCES: "reference" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let log = "";
  for await (const chunk of live.stderr) {
    log += new TextDecoder().decode(chunk);
    if (/refreshed kind="instruments" country="VN" source="reference" records=\d/.test(log)) break;
  }
  live.kill("SIGTERM");
  expect(await live.exited).toBe(0);
});
