import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { childEnv, endChildren, resultOf, spawnChild } from "./support/child-process.ts";
import { startService, temporaryFolder } from "./support/service.ts";

// Not part of the suite (no .test in its name): it runs the protocol's official programs from the npm registry.

const CONFORMANCE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";

/** The scenarios of each revision that apply to a server with tools only. */
const SCENARIOS: readonly [revision: string, scenario: string][] = [
  ["2025-06-18", "server-initialize"],
  ["2025-06-18", "ping"],
  ["2025-06-18", "tools-list"],
  ["2025-06-18", "server-session-lifecycle"],
  ["2026-07-28", "server-stateless"],
  ["2026-07-28", "tools-list"],
  ["2026-07-28", "caching"],
  ["2026-07-28", "http-header-validation"],
  ["2026-07-28", "input-required-result-unsupported-methods"],
  ["2026-07-28", "server-sse-multiple-streams"],
];

/** Why a check of these scenarios cannot succeed on this server: it needs a test tool, prompts or resources. */
const NOT_APPLICABLE =
  /^Not testable: server does not list the diagnostic tool|^(prompts|resources)\/\S+ returned JSON-RPC error -32601/;

const { folder, remove } = temporaryFolder();
const service = await startService();
const { token } = service.createToken();
// The conformance program cannot send a token.
const proxy = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${token}`);
    const { method, body } = request;
    return fetch(`${service.base}/mcp`, { method, headers, body });
  },
});
afterAll(async () => {
  await proxy.stop(true);
  await service.stop();
  await endChildren();
  remove();
});

/** Runs a program of the registry with this Bun; its output and exit code. */
async function runPackage(name: string, args: readonly string[]) {
  const child = spawnChild([process.execPath, "x", "--bun", name, ...args], {
    cwd: folder,
    env: childEnv({ HOME: folder }),
    stdout: "pipe",
    stderr: "pipe",
  });
  return resultOf(child);
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** The checks that a scenario wrote to its folder. */
function readChecks(output: string): Check[] {
  const files = readdirSync(output, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith("checks.json"))
    .flatMap((file) => JSON.parse(readFileSync(join(output, file), "utf8")) as Check[]);
}

const isReachable = (await runPackage(CONFORMANCE, ["--version"])).code === 0;
if (!isReachable) process.stdout.write("SKIPPED: the npm registry is not reachable\n");

describe.skipIf(!isReachable)("the official conformance suite", () => {
  test.each(SCENARIOS)(
    "%s: %s",
    async (revision, scenario) => {
      const output = join(folder, `${revision}-${scenario}`);
      const run = `server --scenario ${scenario} --spec-version ${revision}`.split(" ");
      await runPackage(CONFORMANCE, [...run, "--url", proxy.url.href, "--output-dir", output]);
      const checks = readChecks(output);
      expect(checks).not.toEqual([]);
      const failed = checks.filter(
        ({ status }) => !["SUCCESS", "SKIPPED", "INFO"].includes(status),
      );
      expect(failed.filter(({ errorMessage = "" }) => !NOT_APPLICABLE.test(errorMessage))).toEqual(
        [],
      );
    },
    600_000,
  );
});

describe.skipIf(!isReachable)("the official inspector", () => {
  test.each(["modern", "auto", "legacy"])(
    "connects in mode %s",
    async (era) => {
      const connect = `--cli ${proxy.url.href} --transport http --protocol-era ${era}`;
      const list = await runPackage(INSPECTOR, `${connect} --method tools/list`.split(" "));
      expect(JSON.parse(list.stdout)).toMatchObject({
        tools: expect.arrayContaining([expect.objectContaining({ name: "get_stock_overview" })]),
      });
      const call = `${connect} --method tools/call --tool-name get_stock_overview`;
      const args = `${call} --tool-arg country=US --tool-arg symbol=AAPL`.split(" ");
      const called = await runPackage(INSPECTOR, args);
      expect(JSON.parse(called.stdout)).toMatchObject({
        structuredContent: { data: { overview: { Name: "Apple Inc." } } },
      });
    },
    600_000,
  );
});
