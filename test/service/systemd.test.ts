import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { runCli } from "#cli/cli.ts";
import type { ProcessEvents } from "#service/world.ts";
import { notifySystemd } from "#service/systemd.ts";
import type { Log } from "#lib/log.ts";
import { openFolder } from "../support/access.ts";
import { gather, spawnChild } from "../support/child-process.ts";
import { cliClock, expectFailure, run, runWith } from "../support/cli.ts";
import { createSmallSample } from "../support/contract-market.ts";
import { type ServeProcess, spawnServe } from "../support/serve-process.ts";
import { START } from "../support/service.ts";

/** Prints each datagram that arrives at a Unix socket, as systemd receives them. */
const RECEIVER = `import socket, sys
path = sys.argv[1]
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind("\\0" + path[1:] if path.startswith("@") else path)
print("bound", flush=True)
while True: print(receiver.recv(4096).decode(), flush=True)`;

const folder = openFolder();
afterAll(() => folder[Symbol.dispose]());
beforeAll(() => createSmallSample(folder.path, Date.now()));

describe.skipIf(process.platform !== "linux" || Bun.which("python3") === null)("systemd", () => {
  const PATHS = [join(folder.path, "notify"), `@bourse-test-${process.pid}`];
  test.each(PATHS)("hears at %s of the start, of the life and of the end", async (path) => {
    const receiver = spawnChild(["python3", "-c", RECEIVER, path], { stdout: "pipe" });
    const heard = gather(receiver.stdout);
    await heard.until(/bound\n/);
    const env = { NOTIFY_SOCKET: path, WATCHDOG_USEC: "100000" };
    const service = await spawnServe(folder.path, { env });
    await heard.until(/READY=1\n(WATCHDOG=1\n){2}/);
    expect(await service.stop()).toBe(0);
    await heard.until(/STOPPING=1\n/);
    expect(heard.text()).toMatch(/^bound\nREADY=1\n(WATCHDOG=1\n)+STOPPING=1\n(WATCHDOG=1\n)*$/);
    receiver.kill();
    await receiver.exited;
  });

  test("that does not listen does not end the service", async () => {
    const service = await spawnServe(folder.path, { env: { NOTIFY_SOCKET: "/nowhere/notify" } });
    await service.stderrHolds(/WARN {2}systemd could not be notified state="READY=1"/);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  test("without the C library of that name is not notified, with one warning", async () => {
    const warnings: string[] = [];
    const log: Log = { info() {}, warn: (message) => void warnings.push(message), error() {} };
    const systemd = await notifySystemd({ NOTIFY_SOCKET: "/nowhere" }, log, "libmissing.so");
    systemd.stopping();
    await systemd.stop();
    expect(warnings).toEqual(["systemd cannot be notified"]);
  });
});

describe("a service with a JSON log", () => {
  let service: ServeProcess;
  beforeAll(async () => {
    const env = { BOURSE_LOG: "json", BOURSE_PRT: "1" };
    service = await spawnServe(folder.path, { env });
  }, 600_000);
  const linesOf = (text: string) =>
    text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as object]));

  test("writes one line with what it serves", async () => {
    await service.stderrHolds(/"started"/);
    expect(linesOf(service.stderr())).toMatchObject([
      { level: "warn", reason: expect.stringContaining("BOURSE_PRT") as unknown },
      {
        level: "info",
        message: "started",
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as unknown,
        market: "sample",
        address: service.url,
        folder: folder.path,
        countries: "US,JP,VN",
      },
    ]);
  });

  test("survives SIGHUP, and names the settings that a restart would change", async () => {
    process.kill(service.pid, "SIGHUP");
    await service.stderrHolds(/no setting has changed/);
    await Bun.write(join(folder.path, "bourse.toml"), 'plan-pro = "1/1/1"\ngate-per-minute = 9\n');
    process.kill(service.pid, "SIGHUP");
    await service.stderrHolds(/"changed":"BOURSE_GATE_PER_MINUTE,BOURSE_PLAN_PRO"/);
    await Bun.write(join(folder.path, "bourse.toml"), "plan-pro =");
    process.kill(service.pid, "SIGHUP");
    await service.stderrHolds(/the settings cannot be read","error":"\S*bourse.toml /);
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(linesOf(service.stderr()).at(-1)).toMatchObject({ level: "info" });
  });
});

describe("an error that ends a command", () => {
  const FAULT = "BOURSE_PLAN_FREE (--plan-free) must be";
  test.each([
    ["is a line of a JSON log", { BOURSE_LOG: "json" }, ["serve"]],
    ["is a line of a JSON log by a flag", {}, ["serve", "--log=json"]],
    ["is a line of a JSON log of the local MCP server", { BOURSE_LOG: "json" }, ["mcp"]],
  ])("%s", async (_, env, argv) => {
    const result = await run({ ...env, BOURSE_PLAN_FREE: "many" }, ...argv);
    expectFailure(result);
    expect(JSON.parse(result.stderr)).toMatchObject({
      level: "error",
      message: "ended with an error",
      reason: expect.stringContaining(FAULT) as unknown,
    });
  });

  test("is a sentence elsewhere", async () => {
    const env = { BOURSE_PLAN_FREE: "many" };
    expect((await run(env, "serve")).stderr).toStartWith(FAULT);
    expect((await run({ ...env, BOURSE_LOG: "json" }, "user", "list")).stderr).toStartWith(FAULT);
  });

  test("has its priority in the journal", async () => {
    const { stderr } = await runWith({ isJournal: true }, { BOURSE_PLAN_FREE: "many" }, "serve");
    expect(stderr).toStartWith(`<3>${FAULT}`);
  });
});

test("a service writes its start, warnings of Bun and an uncaught error to the journal", async () => {
  using own = openFolder();
  createSmallSample(own.path, START);
  const [started, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let stderr = "";
  let events: ProcessEvents | undefined;
  const ended = runCli({
    argv: ["serve", "--port", "0", "--log", "json"],
    env: { BOURSE_DATA: own.path },
    stdout: () => {},
    stderr(text) {
      stderr += text;
      if (text.includes("started")) started.resolve();
    },
    clock: cliClock,
    isJournal: true,
    onStop: (listener) => void stopped.promise.then(listener),
    watch: (given) => (events = given),
  });
  await started.promise;
  events?.warned('bun:sql LISTEN "market" failed, retrying: Failed to connect');
  events?.crashed(new Error("an uncaught one"));
  stopped.resolve();
  expect(await ended).toBe(0);
  const lines = stderr.split("\n").filter(Boolean);
  expect(
    lines.map((line) => [line.slice(0, 3), JSON.parse(line.slice(3)) as unknown]),
  ).toMatchObject([
    ["<6>", { message: "started" }],
    ["<4>", { text: 'bun:sql LISTEN "market" failed, retrying: Failed to connect' }],
    [
      "<3>",
      {
        error: "Error: an uncaught one",
        stack: expect.stringContaining("systemd.test") as unknown,
      },
    ],
    ["<6>", { message: "stopping after the requests in flight" }],
  ]);
});
