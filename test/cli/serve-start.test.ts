import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findOrigin } from "#ingest/ingest.ts";
import { runCli } from "#cli/cli.ts";
import { openAccess, openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { cliClock, expectFailure, run, runOn } from "../support/cli.ts";
import { copySampleMarket } from "../support/service.ts";

describe("a start that fails makes nothing", () => {
  let other: Bun.Server<undefined>;
  beforeAll(() => {
    other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  });
  afterAll(() => other.stop(true));

  const FAULTS: [string, () => { env?: Record<string, string>; flags?: string[] }][] = [
    ["a port in use", () => ({ flags: ["--port", String(other.port)] })],
    ["a port of the metrics in use", () => ({ flags: ["--metrics", `127.0.0.1:${other.port}`] })],
    ["a host that is not of this machine", () => ({ flags: ["--host", "192.0.2.1"] })],
    ["a setting that is not allowed", () => ({ env: { BOURSE_PLAN_FREE: "many" } })],
    ["an unknown source", () => ({ flags: ["--market", "live", "--sources", "nothing"] })],
    [
      "the address of a mirror that is not allowed",
      () => ({ flags: ["--market", "live"], env: { BOURSE_SOURCE_URL_SEC: "ftp://x" } }),
    ],
  ];
  test.each(FAULTS)("because of %s", async (_, fault) => {
    using folder = openFolder();
    const data = join(folder.path, "data");
    const { env = {}, flags = [] } = fault();
    const port = flags.includes("--port") ? [] : ["--port", "0"];
    const result = await run({ BOURSE_DATA: data, ...env }, "serve", ...port, ...flags);
    expectFailure(result);
    expect(existsSync(data)).toBe(false);
  });

  test("and deletes no market", async () => {
    using folder = openFolder();
    copySampleMarket(folder.path);
    const flags = ["--reset-market", "--port", String(other.port)];
    expectFailure(await runOn(folder.path, "serve", ...flags), "is in use");
    using market = openMarketOf(folder.path);
    expect(market.instruments.hasListing("US")).toBe(true);
  });

  test("and leaves no market of another origin, if the first user cannot be written", async () => {
    using folder = openFolder();
    openAccess(folder.path).close();
    using locked = new Database(join(folder.path, "access.db"));
    locked.run("BEGIN IMMEDIATE");
    const flags = ["--port", "0", "--market", "live", "--sources", "worldbank"];
    expectFailure(await runOn(folder.path, "serve", ...flags), "access.db is locked");
    using market = openMarketOf(folder.path);
    expect(findOrigin(market)).toBeNull();
  });
});

function openMarketOf(folder: string) {
  const market = openMarket(folder);
  return Object.assign(market, { [Symbol.dispose]: () => market.close() });
}

describe("the first token", () => {
  async function startOnce(folder: string, isOutputTerminal: boolean) {
    copySampleMarket(folder);
    let stdout = "";
    let stop = () => {};
    const code = await runCli({
      argv: ["serve", "--port", "0"],
      env: { BOURSE_DATA: folder },
      stdout(text) {
        stdout += text;
        setImmediate(() => stop());
      },
      stderr() {},
      clock: cliClock,
      isOutputTerminal,
      onStop: (listener) => (stop = listener),
    });
    expect(code).toBe(0);
    const { stdout: list } = await runOn(folder, "token", "list", "--json");
    return { stdout, tokens: JSON.parse(list) as { created: string; expires: string | null }[] };
  }

  test("on a terminal has no end", async () => {
    using folder = openFolder();
    const { stdout, tokens } = await startOnce(folder.path, true);
    expect(stdout).toMatch(/^ {2}bourse_\w+$/m);
    expect(stdout).not.toContain("no terminal");
    expect(tokens).toMatchObject([{ expires: null }]);
  }, 60_000);

  test("in the file of a log ends after a day, and the log says how to create another", async () => {
    using folder = openFolder();
    const { stdout, tokens } = await startOnce(folder.path, false);
    const [{ created, expires } = { created: "", expires: "" }] = tokens;
    expect(Date.parse(expires ?? "") - Date.parse(created)).toBe(86_400_000);
    expect(stdout).toContain(`It ends at ${expires}; `);
    expect(stdout).toContain(`token create owner --data ${folder.path}\` creates another.`);
  }, 60_000);
});
