import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findOrigin } from "#ingest/ingest.ts";
import { runCli } from "#cli/cli.ts";
import { openCommand } from "#service/desktop.ts";
import { openAccess, openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { cliClock, expectFailure, run, runOn } from "../support/cli.ts";
import { createSmallSample } from "../support/contract-market.ts";
import { START } from "../support/service.ts";

describe("a start that fails makes nothing", () => {
  let other: Bun.Server<undefined>;
  beforeAll(() => {
    other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  });
  afterAll(() => other.stop(true));

  const FAULTS: [string, () => { env?: Record<string, string>; flags?: string[] }, RegExp][] = [
    [
      "a port in use",
      () => ({ flags: ["--port", String(other.port)] }),
      /^Port \d+ on 127\.0\.0\.1 is in use.*--port/,
    ],
    [
      "a port of the metrics in use",
      () => ({ flags: ["--metrics", `127.0.0.1:${other.port}`] }),
      /^The metrics cannot be served on 127\.0\.0\.1, port \d+ \(EADDRINUSE\); choose another address with --metrics\.$/,
    ],
    [
      "a host that is not of this machine",
      () => ({ flags: ["--host", "192.0.2.1"] }),
      /^Cannot listen on 192\.0\.2\.1: it is not an address of/,
    ],
    [
      // The top-level domain "invalid" never exists (RFC 2606).
      "a host name that does not exist",
      () => ({ flags: ["--host", "bourse.invalid"] }),
      /^Cannot listen on bourse\.invalid: the host name cannot be resolved.*--host/,
    ],
    [
      "a setting that is not allowed",
      () => ({ env: { BOURSE_PLAN_FREE: "many" } }),
      /^BOURSE_PLAN_FREE/,
    ],
    [
      "an unknown source",
      () => ({ flags: ["--market", "live", "--sources", "nothing"] }),
      /^There is no source nothing/,
    ],
    [
      "the address of a mirror that is not allowed",
      () => ({ flags: ["--market", "live"], env: { BOURSE_SOURCE_URL_SEC: "http://sec.test" } }),
      /^The address set for the source sec/,
    ],
    [
      "the mirror of an unknown source",
      () => ({ flags: ["--market", "live"], env: { BOURSE_SOURCE_URL_SECC: "https://sec.test" } }),
      /^BOURSE_SOURCE_URL_SECC names no source/,
    ],
  ];
  test.each(FAULTS)("because of %s", async (_, fault, words) => {
    using folder = openFolder();
    const data = join(folder.path, "data");
    const { env = {}, flags = [] } = fault();
    const port = flags.includes("--port") ? [] : ["--port", "0"];
    const result = await run({ BOURSE_DATA: data, ...env }, "serve", ...port, ...flags);
    expectFailure(result);
    expect(result.stderr.trimEnd()).toMatch(words);
    expect(existsSync(data)).toBe(false);
  });

  test("and deletes no market", async () => {
    using folder = openFolder();
    createSmallSample(folder.path, START);
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
    expectFailure(
      await runOn(folder.path, "serve", ...flags),
      "access.db is locked by another process",
    );
    using market = openMarketOf(folder.path);
    expect(findOrigin(market)).toBeNull();
  });
});

function openMarketOf(folder: string) {
  const market = openMarket(folder);
  return Object.assign(market, { [Symbol.dispose]: () => market.close() });
}

/** Starts the service in this process and stops it once it listens; the terminal is one of its outputs. */
async function startOnce(
  folder: string,
  terminal: "stdout" | "stderr" | "both",
  ...flags: readonly string[]
) {
  createSmallSample(folder, START);
  let [stdout, stderr] = ["", ""];
  const opened: string[] = [];
  let stop = () => {};
  const code = await runCli({
    argv: ["serve", "--port", "0", ...flags],
    env: { BOURSE_DATA: folder },
    openFile: (path) => void opened.push(path),
    stdout(text) {
      stdout += text;
      // The banner is printed after the service began to listen.
      setImmediate(() => stop());
    },
    stderr: (text) => (stderr += text),
    clock: cliClock,
    isTerminal: terminal !== "stdout",
    isOutputTerminal: terminal !== "stderr",
    onStop: (listener) => (stop = listener),
  });
  expect(code).toBe(0);
  const { stdout: list } = await runOn(folder, "token", "list", "--json");
  return {
    stdout,
    stderr,
    opened,
    tokens: JSON.parse(list) as { created: string; expires: string | null }[],
  };
}

test("a first token on a terminal has no end; a log gets no sign-in link, because it would keep it", async () => {
  using folder = openFolder();
  const { stdout, stderr, tokens } = await startOnce(folder.path, "stdout");
  expect(stdout).toMatch(/^ {2}bourse_\w+$/m);
  expect(stdout).not.toContain("no terminal");
  expect(tokens).toMatchObject([{ expires: null }]);
  expect(stdout + stderr).not.toContain("#key=");
  expect(stdout).toContain(`console --data ${folder.path}\` prints a sign-in link.`);
}, 600_000);

test("a first token in the file of a log ends after a day; a terminal gets a sign-in link", async () => {
  using folder = openFolder();
  const { stdout, stderr, tokens } = await startOnce(folder.path, "stderr");
  const [{ created, expires } = { created: "", expires: "" }] = tokens;
  expect(Date.parse(expires ?? "") - Date.parse(created)).toBe(86_400_000);
  expect(stdout).toContain(`It ends at ${expires}; `);
  expect(stdout).toContain(`token create owner --data ${folder.path}\` creates another.`);
  const url = /listens on (\S+)/.exec(stdout)?.[1];
  expect(stdout).not.toContain("Console:");
  expect(stderr).toMatch(/^Open the console as owner \(once, within 15 minutes\):\n/m);
  expect(/^ {2}(\S+)\/console#key=[\w-]{43}$/m.exec(stderr)?.[1]).toBe(url);
  expect(stdout).not.toContain("#key=");
}, 600_000);

test("the first start of a desktop opens the console, with the link in a file that only its user can read", async () => {
  using folder = openFolder();
  const page = join(folder.path, "console.html");
  // Another user of the machine made it, in a folder that was there before.
  const readable = join(folder.path, "readable.html");
  writeFileSync(readable, "", { mode: 0o644 });
  symlinkSync(readable, page);
  const first = await startOnce(folder.path, "both");
  expect(readFileSync(readable, "utf8")).toBe("");
  expect(first.opened).toEqual([page]);
  const link = /^ {2}(\S+#key=\S+)$/m.exec(first.stderr)?.[1] ?? "no link";
  expect(readFileSync(page, "utf8")).toContain(`url=${link}"`);
  expect(statSync(page).mode & 0o777).toBe(0o600);
  // The link, the token and the addresses together.
  const lines = (first.stderr.split(/^\d{4}-/m)[0] ?? "") + first.stdout;
  expect(lines.trimEnd().split("\n").length).toBeLessThanOrEqual(12);
  expect(lines.match(/bourse_\w+/g)).toHaveLength(1);
  expect((await startOnce(folder.path, "both")).opened).toEqual([]);
  using other = openFolder();
  expect((await startOnce(other.path, "both", "--no-open")).opened).toEqual([]);
}, 600_000);

test("a socket gets no link that no browser opens; with the address of its proxy it does", async () => {
  using folder = openFolder();
  const socket = join(folder.path, "s");
  const { stdout, stderr } = await startOnce(folder.path, "both", "--socket", socket);
  expect(stdout + stderr).not.toContain("localhost");
  expect(stderr).not.toContain("#key=");
  expect(stdout).toMatch(/^Console: only a proxy reaches a socket\. .* BOURSE_PUBLIC_URL, /m);
  const { code, stderr: refusal } = await runOn(folder.path, "console", "--socket", socket);
  expect([code, refusal]).toEqual([1, expect.stringContaining("Set BOURSE_PUBLIC_URL")]);
  const proxy = "https://bourse.example";
  const url = ["--socket", socket, "--public-url", proxy];
  expect((await startOnce(folder.path, "both", ...url)).stderr).toContain(`${proxy}/console#key=`);
  const { stdout: link } = await runOn(folder.path, "console", ...url);
  expect(link).toStartWith(`${proxy}/console#key=`);
}, 600_000);

test.each([
  ["linux", { DISPLAY: ":0" }, ["xdg-open"]],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open"]],
  ["linux", {}, null],
  ["darwin", {}, ["open"]],
  ["darwin", { SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" }, null],
  ["win32", {}, ["cmd", "/c", "start", ""]],
] as const)("a desktop of %s with %p opens a file with %p", (platform, env, command) => {
  expect(openCommand(platform, env)).toEqual(command === null ? null : [...command]);
});
