import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { PLANS } from "#access/plans.ts";
import { openFolder } from "../support/access.ts";
import { endChildren } from "../support/child-process.ts";
import { expectFailure, runAt, runOn, runProcess } from "../support/cli.ts";
import { createSmallSample } from "../support/contract-market.ts";
import { beginMcpRequest, type ServeProcess, spawnServe } from "../support/serve-process.ts";

afterAll(endChildren);

const TOKEN = /bourse_[0-9A-Za-z]{39}/g;
const OVERVIEW = "/data/stocks/AAPL/overview?country=US";

/** The only text that the pattern's first group finds. */
function found(pattern: RegExp, text: string): string {
  const match = pattern.exec(text)?.[1];
  if (match === undefined) throw new Error(`${pattern} is not in ${text}`);
  return match;
}

/** Calls left today, as a call's answer says. */
async function remaining(service: ServeProcess, token: string): Promise<number> {
  const response = await service.get("/data/markets", token);
  expect(response.status).toBe(200);
  return Number(response.headers.get("x-ratelimit-remaining"));
}

test.each(["access.db", "market.db"])(
  "a service whose %s is replaced stops with exit code 1 and says so",
  async (name) => {
    using folder = openFolder();
    createSmallSample(folder.path, Date.now());
    const service = await spawnServe(folder.path);
    const path = join(folder.path, name);
    renameSync(path, `${path}.old`);
    copyFileSync(`${path}.old`, path);
    expect(await service.exited()).toBe(1);
    // After the line of the start.
    expect(service.stderr().replace(/^.* INFO {2}started .*\n/, "")).toBe(
      `${path} was replaced while bourse was using it. Start bourse again to use what is there now.\n`,
    );
  },
  600_000,
);

describe("the first start", () => {
  const folder = openFolder();
  let service: ServeProcess;
  let token: string;

  // On a small market: test/first-start.ts has the first start on an empty folder.
  beforeAll(async () => {
    createSmallSample(folder.path, Date.now());
    service = await spawnServe(folder.path);
    token = found(/^ {2}(bourse_\w+)$/m, service.stdout());
  }, 600_000);
  afterAll(async () => {
    service.kill("SIGKILL");
    await service.exited();
    folder[Symbol.dispose]();
  });

  test("prints one token, the operator's with plan unlimited, and none on stderr", async () => {
    expect(new Set(service.stdout().match(TOKEN))).toEqual(new Set([token]));
    const { stdout } = await runOn(folder.path, "user", "list", "--json");
    expect(JSON.parse(stdout)).toMatchObject([{ name: "owner", plan: "unlimited", liveTokens: 1 }]);
    expect(service.stderr()).not.toMatch(TOKEN);
  });

  test("says that the market is a sample and that no figure is real", () => {
    expect(service.stdout()).toContain("SAMPLE MARKET: every figure is generated, none is real");
  });

  test("a plan change and a revocation by a command apply from the next call on", async () => {
    const limit = async () => (await service.get(OVERVIEW, token)).headers.get("x-ratelimit-limit");
    expect(await limit()).toBe("999999999");
    await runOn(folder.path, "user", "plan", "owner", "free");
    expect(await limit()).toBe("100");
    await runOn(folder.path, "user", "plan", "owner", "max");
    expect(await limit()).toBe("50000");

    const second = (await runOn(folder.path, "token", "create", "owner")).stdout.trim();
    expect((await service.get(OVERVIEW, second)).status).toBe(200);
    await runOn(folder.path, "token", "revoke", "2");
    expect((await service.get(OVERVIEW, second)).status).toBe(401);
    expect((await service.get(OVERVIEW, token)).status).toBe(200);
  });

  test("the running service answers with bars that a command imports", async () => {
    const file = join(folder.path, "fpt.csv");
    writeFileSync(
      file,
      "Date,Open,High,Low,Close\n2026-01-05,100,120,90,110\n2026-01-06,110,120,100,115\n",
    );
    const argv = ["import", "bars", "--country", "VN", "--symbol", "FPT", file];
    // With the service's clock: at another moment, the command would load the sample again.
    const result = await runAt(Date.now, { BOURSE_DATA: folder.path }, ...argv);
    expect(result.code).toBe(0);
    const response = await service.get("/data/stocks/FPT/history?country=VN", token);
    expect(response.headers.get("x-data-source")).toContain("import");
    expect(await response.text()).toContain("2026-01-06");
  });

  test("a second server on the same port exits with 1 and one sentence, and the first one continues", async () => {
    using other = openFolder();
    const argv = ["serve", "--port", String(service.port), "--data", other.path];
    const result = await runProcess(argv);
    expectFailure(result, `Port ${service.port} on 127.0.0.1 is in use`, "--port");
    // It fails before the sample market is generated.
    const { stdout } = await runOn(other.path, "status", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ data: [] });
    for (let i = 0; i < 5; i++) expect((await service.get(OVERVIEW, token)).status).toBe(200);
  });
});

describe("a later start", () => {
  const folder = openFolder();
  let token: string;
  let first: ServeProcess;
  const start = (...flags: string[]) => spawnServe(folder.path, { flags });

  beforeAll(async () => {
    createSmallSample(folder.path, Date.now());
    await runOn(folder.path, "user", "add", "anna", "--plan", "pro");
    await runOn(folder.path, "user", "add", "aaron");
    token = (await runOn(folder.path, "token", "create", "anna")).stdout.trim();
    first = await start();
  }, 600_000);
  afterAll(() => folder[Symbol.dispose]());

  test("prints no token and says how to sign in", () => {
    expect(first.stdout()).not.toMatch(TOKEN);
    expect(first.stdout()).toContain(`\nData folder: ${folder.path}\n`);
    expect(first.stdout()).toContain(`console --data ${folder.path}\` prints a sign-in link.`);
    expect(first.stdout()).not.toContain("Generating");
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s finishes the request in flight, closes the databases and exits with 0",
    async (signal) => {
      const service = signal === "SIGTERM" ? first : await start();
      // A client that keeps its connection open without a request does not delay the stop.
      const idle = connect(service.port, "127.0.0.1");
      await remaining(service, token);

      const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" });
      const request = await beginMcpRequest(service, token, body);
      service.kill(signal);
      await service.stderrHolds(/stopping/);
      const refused = await service.get(OVERVIEW, token).then(
        () => "answered",
        () => "refused",
      );
      expect(refused).toBe("refused");
      // A supervisor that signals the whole group sends more.
      service.kill(signal);
      const answer = await request.finish();
      idle.destroy();

      expect(answer).toStartWith("HTTP/1.1 200 ");
      expect(answer).toContain('"id":7');
      expect(await service.exited()).toBe(0);
      expect(readdirSync(folder.path).toSorted()).toEqual([
        "access.db",
        "last-settings.json",
        "market.db",
      ]);
    },
  );

  test("serves again after kill -9, and every counted call is still counted", async () => {
    const first = await start();
    const before = await remaining(first, token);
    await Promise.all(Array.from({ length: 20 }, () => remaining(first, token)));
    first.kill("SIGKILL");
    await first.exited();

    const second = await start();
    const left = await remaining(second, token);
    expect(left).toBeLessThanOrEqual(before - 21);
    expect(left).toBeGreaterThanOrEqual(before - 21 - PLANS.max.lease);
    second.kill("SIGTERM");
    expect(await second.exited()).toBe(0);
  });

  test("two servers on one data folder count one quota", async () => {
    const servers = await Promise.all([start(), start()]);
    const left: number[] = [];
    for (let i = 0; i < 6; i++) {
      const server = servers[i % 2];
      if (server) left.push(await remaining(server, token));
    }
    for (const server of servers) server.kill("SIGTERM");
    expect(await Promise.all(servers.map((server) => server.exited()))).toEqual([0, 0]);
    // While both run, each may include calls that it counted in advance. At the end all of these are given back.
    const third = await start();
    expect(await remaining(third, token)).toBe((left[0] ?? 0) - 6);
    third.kill("SIGTERM");
    expect(await third.exited()).toBe(0);
  });

  test.each(["json", "text"])("its log in %s never holds a token, live or not", async (format) => {
    const service = await start("--log", format, "--gate-per-minute", "30");
    const unknown = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
    for (const sent of [token, unknown]) {
      for (const path of [OVERVIEW, "/data/stocks/%00/overview?country=US", "/nowhere", "/mcp"]) {
        await service.get(path, sent);
      }
      await service.get(`/data/markets?access_token=${sent}`, sent);
      await fetch(`${service.url}/api/v1/svc/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${sent}`, "content-type": "application/json" },
        body: "{broken",
      });
    }
    for (let i = 0; i < 30; i++) await service.get(OVERVIEW, token);
    service.kill("SIGTERM");
    expect(await service.exited()).toBe(0);
    const written = service.stdout() + service.stderr();
    expect(written).not.toContain(token.slice("bourse_".length, -1));
    const lines = service.stderr().trim().split("\n");
    expect(lines.at(-1)).toContain("stopping");
    for (const line of lines) {
      if (format === "json") expect(JSON.parse(line)).toHaveProperty("level");
      else expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+Z (INFO |WARN |ERROR) /);
    }
  });
});

describe("a start that fails says why in one sentence, exits with 1 and leaves nothing running", () => {
  const serve = (folder: string) =>
    runProcess(["serve", "--port", "0", "--data", folder, "--log", "json"]);

  test("on a damaged access file, which stays unchanged", async () => {
    using folder = openFolder();
    const path = join(folder.path, "access.db");
    writeFileSync(path, "not a database ".repeat(1_000));
    const before = readFileSync(path);
    expectFailure(await serve(folder.path), path, "damaged");
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("on a damaged market file, which stays unchanged", async () => {
    using folder = openFolder();
    const path = join(folder.path, "market.db");
    writeFileSync(path, "not a database ".repeat(1_000));
    const before = readFileSync(path);
    expectFailure(await serve(folder.path), path, "damaged");
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("on a market of another origin", async () => {
    using folder = openFolder();
    await runOn(folder.path, "status");
    const database = new Database(join(folder.path, "market.db"));
    database.run("INSERT INTO settings VALUES ('origin', 'files')");
    database.close();
    expectFailure(await serve(folder.path), "holds the files market; name another folder");
  });

  test("on a data folder that cannot be created", async () => {
    // No file can be created there: /dev/null is not a folder.
    expectFailure(await serve("/dev/null/data"), "/dev/null/data/access.db cannot be written");
    if (existsSync("/proc/self")) {
      expectFailure(
        await serve("/proc/bourse"),
        "/proc/bourse/access.db cannot be written (ENOENT)",
      );
    }
  });
});
