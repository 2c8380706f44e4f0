import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openAccess } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { runOn } from "../support/cli.ts";
import { type ServeProcess, spawnServe, spawnServeWith } from "../support/spawn-serve.ts";
import { putTodaysMarket } from "../support/todays-market.ts";

const folder = openFolder();
let token = "";
let id = 0;
beforeAll(async () => {
  putTodaysMarket(folder.path);
  await runOn(folder.path, "user", "add", "anna", "--plan", "max");
  token = (await runOn(folder.path, "token", "create", "anna")).stdout.trim();
  id = 1;
}, 60_000);
afterAll(() => folder[Symbol.dispose]());

/** The processes that serve beside one. */
async function workersOf({ pid }: ServeProcess): Promise<number[]> {
  const children = await Bun.file(`/proc/${pid}/task/${pid}/children`).text();
  return children.split(" ").filter(Boolean).map(Number);
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(20);
}

/** Requests on connections of their own, which the system spreads over the workers. */
async function ask({ url }: ServeProcess, times: number): Promise<number[]> {
  const one = async () => {
    const response = await fetch(`${url}/api/v1/svc/data/markets`, {
      headers: { authorization: `Bearer ${token}`, connection: "close" },
      keepalive: false,
    });
    await response.arrayBuffer();
    return response.status;
  };
  return Promise.all(Array.from({ length: times }, one));
}

/** How many calls of the token the file has counted. */
function counted(): number {
  const access = openAccess(folder.path);
  try {
    return access.usage.get(id, Date.now()).dayUsed;
  } finally {
    access.close();
  }
}

describe.skipIf(process.platform !== "linux")("serve --workers 3", () => {
  test("answers, counts one quota, and leaves nothing behind", async () => {
    const before = counted();
    const serve = await spawnServe(folder.path, "--workers", "3", "--gate-per-minute", "0");
    await until(async () => (await workersOf(serve)).length === 2);
    const workers = await workersOf(serve);
    const statuses = await ask(serve, 300);
    expect(statuses.filter((status) => status === 200)).toHaveLength(300);
    serve.kill("SIGTERM");
    expect(await serve.exited()).toBe(0);
    expect(workers.filter(isRunning)).toEqual([]);
    expect(counted() - before).toBe(300);
    expect(serve.stderr()).not.toContain("a worker ended");
  });

  test("has one gate: 120 of an address pass in a minute, whoever answers", async () => {
    const serve = await spawnServe(folder.path, "--workers", "3");
    await until(async () => (await workersOf(serve)).length === 2);
    const minute = () => Math.floor(Date.now() / 60_000);
    let passed = 0;
    for (let began = -1; began !== minute();) {
      // A minute that ended meanwhile would let more pass.
      began = minute();
      passed = (await ask(serve, 400)).filter((status) => status === 200).length;
    }
    expect(passed).toBe(120);
    serve.kill("SIGTERM");
    await serve.exited();
  });

  test("starts a worker again that was killed, and goes on meanwhile", async () => {
    const serve = await spawnServe(folder.path, "--workers", "3", "--gate-per-minute", "0");
    await until(async () => (await workersOf(serve)).length === 2);
    const [killed = 0] = await workersOf(serve);
    process.kill(killed, "SIGKILL");
    await serve.stderrHolds(/a worker ended and is started again/);
    await until(async () => (await workersOf(serve)).length === 2);
    expect(await workersOf(serve)).not.toContain(killed);
    expect(new Set(await ask(serve, 50))).toEqual(new Set([200]));
    serve.kill("SIGTERM");
    expect(await serve.exited()).toBe(0);
  });

  test("ends with the first process, also where that was killed", async () => {
    const serve = await spawnServe(folder.path, "--workers", "3", "--gate-per-minute", "0");
    await until(async () => (await workersOf(serve)).length === 2);
    const workers = await workersOf(serve);
    serve.kill("SIGKILL");
    await until(() => !workers.some(isRunning));
    expect(workers.filter(isRunning)).toEqual([]);
  });

  test("is not taken for a worker for what stands in its environment", async () => {
    const serve = await spawnServeWith({ BOURSE_WORKER: "2" }, folder.path);
    expect((await serve.get("/data/markets", token)).status).toBe(200);
    serve.kill("SIGTERM");
    expect(await serve.exited()).toBe(0);
  });

  test("refuses a port on which something listens", async () => {
    const serve = await spawnServe(folder.path, "--workers", "2");
    const other = await runOn(folder.path, "serve", "--workers", "2", "--port", String(serve.port));
    expect(other.code).toBe(1);
    expect(other.stderr).toContain(`Port ${serve.port}`);
    serve.kill("SIGTERM");
    await serve.exited();
  });
});
