import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { createFileStores, type NodeHealth } from "#service/stores.ts";
import { ReadinessCheck } from "#service/readiness.ts";
import { readConfig } from "#config.ts";
import { openAccess, openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { stock } from "../support/market.ts";
import { playNode, START, startService, type TestService } from "../support/service.ts";

const READY = { status: "ready", reasons: [], warnings: [] };

describe("health checks over HTTP", () => {
  let service: TestService;
  let root: string;
  beforeAll(async () => {
    service = await startService({ gatePerMinute: 5 });
    root = new URL(service.base).origin;
  });
  afterAll(() => service.stop());

  test("answer GET without a token", async () => {
    const alive = await fetch(`${root}/health`);
    expect([alive.status, await alive.json()]).toEqual([200, { status: "ok" }]);
    expect(alive.headers.get("content-type")).toStartWith("application/json");
    expect(alive.headers.get("cache-control")).toBe("no-store");
    const ready = await fetch(`${root}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([200, READY]);
  });

  test("answer HEAD with the same status and headers, without a body", async () => {
    for (const path of ["/health", "/health/ready"]) {
      const [get, head] = await Promise.all([
        fetch(root + path),
        fetch(root + path, { method: "HEAD" }),
      ]);
      expect([head.status, await head.text()]).toEqual([200, ""]);
      for (const name of ["content-type", "content-length", "cache-control"])
        expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });

  test("answer other methods with 405 and name the allowed ones", async () => {
    for (const path of ["/health", "/health/ready"]) {
      const response = await fetch(root + path, { method: "POST" });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
      expect(await response.json()).toMatchObject({ error: { code: "INVALID_REQUEST" } });
    }
  });

  test("are not counted by the gate, and are answered after it is full", async () => {
    // The gate allows 5 requests a minute.
    for (let i = 0; i < 100; i++) expect((await fetch(`${root}/health`)).status).toBe(200);
    const { token } = service.createToken();
    const statuses = [];
    for (let i = 0; i < 6; i++)
      statuses.push((await service.request("/data/markets", token)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await fetch(`${root}/health/ready`)).status).toBe(200);
  });

  test("do not answer for other paths", async () => {
    service.time.now += 60_000;
    for (const path of ["/healthy", "/health/live", "/api/health"])
      expect((await fetch(root + path)).status).toBe(404);
    service.time.now -= 60_000;
  });
});

test("a service without a market is alive, but answers 503 with the reason", async () => {
  const service = await startService({ sample: false });
  const root = new URL(service.base).origin;
  expect((await fetch(`${root}/health`)).status).toBe(200);
  const response = await fetch(`${root}/health/ready`);
  expect([response.status, await response.json()]).toEqual([
    503,
    {
      status: "not ready",
      reasons: ["The market is empty: no list of instruments is stored yet."],
      warnings: [],
    },
  ]);
  const head = await fetch(`${root}/health/ready`, { method: "HEAD" });
  expect(head.status).toBe(503);
  await service.stop();
});

describe("readiness", () => {
  /** A check of a live service on a folder with one listed instrument, or without any. */
  function openCheck({
    isListed = true,
    health,
  }: { isListed?: boolean; health?: Partial<NodeHealth> } = {}) {
    const folder = openFolder();
    const access = openAccess(folder.path);
    const market = openMarket(folder.path);
    const provenance = { source: "nasdaq", storedAt: START };
    if (isListed) market.put("instruments", [stock("US", "AAPL")], provenance, { country: "US" });
    const state = { now: START, watch: 0, refreshedAt: 0, warning: null as string | null };
    const config = readConfig({ data: folder.path, market: "live" }, {});
    const clock = () => state.now;
    const check = new ReadinessCheck({
      ...createFileStores({ access, market, config, clock }),
      node: health ? playNode({ list: () => [], health }) : null,
      config,
      clock,
      idleMs: () => state.watch - state.refreshedAt,
      backups: { warning: () => state.warning },
    });
    return {
      folder: folder.path,
      state,
      /** The state after the second in which it is reused. */
      check: () => {
        state.now += 1_000;
        state.watch += 1_000;
        return check.check();
      },
      reuse: () => check.check(),
      [Symbol.dispose]() {
        market.close();
        access.close();
        folder[Symbol.dispose]();
      },
    };
  }

  test("of a live market needs the list of one country", () => {
    using empty = openCheck({ isListed: false });
    expect(empty.check().reasons).toEqual([
      "The market is empty: no list of instruments is stored yet.",
    ]);
    using filled = openCheck();
    expect(filled.check()).toEqual({ reasons: [], warnings: [] });
  });

  test("ends when a file is removed, and names no path", () => {
    using home = openCheck();
    const path = join(home.folder, "access.db");
    renameSync(path, `${path}.old`);
    expect(home.check().reasons).toEqual(["A database file was removed, replaced or emptied."]);
    renameSync(`${path}.old`, path);
    expect(home.check().reasons).toEqual([]);
  });

  test("ends when the refresh begins nothing for half an hour", () => {
    using home = openCheck();
    home.state.watch = 30 * 60_000 - 1_001;
    expect(home.check().reasons).toEqual([]);
    expect(home.check().reasons).toEqual([
      "The refresh of the market has been stuck for 30 minutes.",
    ]);
    home.state.refreshedAt = home.state.watch;
    expect(home.check().reasons).toEqual([]);
    // A clock that was set forward makes nothing late.
    home.state.now += 86_400_000;
    expect(home.check().reasons).toEqual([]);
  });

  test("does not end without backups, which are a warning", () => {
    using home = openCheck();
    home.state.warning = "The last backup is 48 hours old.";
    expect(home.check()).toEqual({ reasons: [], warnings: ["The last backup is 48 hours old."] });
  });

  test("of a node needs the cluster's database within ten seconds", () => {
    const health = { isDatabaseUp: false, downMs: 9_999 };
    using home = openCheck({ health });
    expect(home.check().reasons).toEqual([]);
    health.downMs = 12_345;
    expect(home.check().reasons).toEqual([
      "The cluster's database has not answered for 12 seconds.",
    ]);
  });

  test("of a node begins when it has the changes that it missed", () => {
    const health = { hasCaughtUp: false, changesBehind: 0 };
    using home = openCheck({ health });
    expect(home.check().reasons).toEqual([
      "This node has not read the changes of the cluster's market yet.",
    ]);
    health.changesBehind = 1_234;
    expect(home.check().reasons).toEqual([
      "This node still applies 1,234 changes of the market that it missed.",
    ]);
    Object.assign(health, { fault: "replaces its market" });
    expect(home.check().reasons).toEqual([
      "This node replaces its market. Meanwhile it answers from the market that it has.",
    ]);
    // Later changes do not end it.
    Object.assign(health, { hasCaughtUp: true, fault: null, changesBehind: 3 });
    expect(home.check().reasons).toEqual([]);
  });

  test("is reused for a second", () => {
    using home = openCheck();
    const first = home.check();
    home.state.now += 999;
    expect(home.reuse()).toBe(first);
    home.state.now += 1;
    expect(home.reuse()).not.toBe(first);
  });
});
