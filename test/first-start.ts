import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openFolder } from "./support/access.ts";
import { endChildren } from "./support/child-process.ts";
import { expectFailure, runOn, runWith } from "./support/cli.ts";
import { type ServeProcess, spawnServe } from "./support/serve-process.ts";
import { copySampleMarket, START } from "./support/service.ts";

// Programs that start on an empty folder. Each generates the sample market, which takes seconds, so `.ci/run`
// runs this file and the suite does not.

afterAll(endChildren);

describe("serve on an empty folder", () => {
  test("that start at once both serve, and one shows the owner's token", async () => {
    using folder = openFolder();
    /** Starts it again if it gave up waiting for the other one, which takes minutes on a busy machine. */
    const start = async (): Promise<ServeProcess> => {
      try {
        return await spawnServe(folder.path);
      } catch (error) {
        if (!String(error).includes("is locked by another process")) throw error;
        return start();
      }
    };
    const services = await Promise.all([start(), start()]);
    const tokens = services.flatMap((service) => service.stdout().match(/^ {2}bourse_\w+$/m) ?? []);
    expect(tokens).toHaveLength(1);
    for (const service of services) {
      const path = "/data/stocks/AAPL/overview?country=US";
      expect((await service.get(path, tokens[0]?.trim() ?? "")).status).toBe(200);
    }
    for (const service of services) service.kill("SIGTERM");
    expect(await Promise.all(services.map((service) => service.exited()))).toEqual([0, 0]);
  });

  test("names the data folder, and says that it was created", async () => {
    using folder = openFolder();
    const service = await spawnServe(folder.path);
    expect(service.stdout()).toStartWith("Generating the sample market");
    expect(service.stdout()).toContain(`\nData folder: ${folder.path} (created now)\n`);
    expect(service.stdout()).toContain("SAMPLE MARKET: every figure is generated, none is real");
    expect(await service.stop()).toBe(0);
  });
});

test("mcp on an empty folder answers initialize and tools/list before it generates the sample market", async () => {
  using folder = openFolder();
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const request = (id: number, method: string, more?: object) => ({
    jsonrpc: "2.0",
    id,
    method,
    ...(more && { params: more }),
  });
  const call = (id: number) => request(id, "tools/call", { name: "get_markets", arguments: {} });
  const serve = async (path: string, ...lines: object[]) => {
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    const { code, stdout, stderr } = await runWith(
      {
        stdin: () => new Blob([text]).stream(),
        clock: () => START,
        sleep: () => Promise.reject(new Error("it must not sleep")),
      },
      { BOURSE_DATA: path },
      "mcp",
    );
    expect(code).toBe(0);
    const messages = stdout.split("\n").slice(0, -1);
    return {
      messages: messages.map(
        (line) => JSON.parse(line) as { id: number; result: Record<string, unknown> },
      ),
      stderr,
    };
  };
  const lines = [call(1), call(2), request(3, "initialize", params), request(4, "tools/list")];
  // This run on a folder with the sample market loads all modules of the command.
  using filled = openFolder();
  copySampleMarket(filled.path);
  const expected = (await serve(filled.path, ...lines)).messages.find(({ id }) => id === 1);
  const { messages, stderr } = await serve(folder.path, ...lines);
  expect(messages.map(({ id }) => id)).toEqual([3, 4, 1, 2]);
  for (const { result } of messages.slice(2))
    expect(result["structuredContent"]).toEqual(expected?.result["structuredContent"]);
  // Once, although two calls waited.
  expect(stderr).toMatch(/^[^\n]*generating the sample market[^\n]*\n$/);
  expect((await serve(folder.path, call(1))).stderr).toBe("");
});

test("an import that fails after it has generated the sample market leaves no folder", async () => {
  using folder = openFolder();
  const file = join(folder.path, "file.csv");
  writeFileSync(file, "a,b\n1,2\n");
  const data = join(folder.path, "data");
  const argv = ["import", "bars", file, "--country", "US", "--symbol", "AAPL"];
  expectFailure(await runOn(data, ...argv), "line 1: the header");
  expect(existsSync(data)).toBe(false);
});
