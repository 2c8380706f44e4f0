import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findRefresher, RefreshLease } from "#service/refresh-lease.ts";
import type { Log } from "#lib/log.ts";
import { isLocked } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { runOn } from "../support/cli.ts";
import { spawnServe } from "../support/serve-process.ts";

const [FIRST, SECOND] = [
  { pid: 1, url: "http://127.0.0.1:8787" },
  { pid: 2, url: "http://127.0.0.1:8788" },
] as const;

/** A log that keeps its messages. */
function openLog() {
  const messages: string[] = [];
  const keep = (message: string) => void messages.push(message);
  const log: Log = { info: keep, warn: keep, error: keep };
  return { log, messages };
}

describe("the lease of the refresh", () => {
  test("is held by one service on a folder, and passes on when that one stops", async () => {
    using folder = openFolder();
    const { log, messages } = openLog();
    const [first, second] = [
      new RefreshLease(folder.path, log),
      new RefreshLease(folder.path, log),
    ];
    expect(findRefresher(folder.path)).toBeNull();
    const taken: string[] = [];
    first.start(FIRST, () => taken.push("first"));
    const passedOn = Promise.withResolvers<void>();
    second.start(SECOND, () => {
      taken.push("second");
      passedOn.resolve();
    });
    expect([first.isHeld, second.isHeld, taken]).toEqual([true, false, ["first"]]);
    expect(findRefresher(folder.path)).toEqual(FIRST);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain("this one only answers");
    first.stop();
    await passedOn.promise;
    expect([first.isHeld, second.isHeld, taken]).toEqual([false, true, ["first", "second"]]);
    expect(findRefresher(folder.path)).toEqual(SECOND);
    second.stop();
    expect(findRefresher(folder.path)).toBeNull();
  });

  test("is taken later if its note cannot be written at first, for example on a full disk", async () => {
    using folder = openFolder();
    const failed = Promise.withResolvers<string>();
    const log: Log = { info() {}, warn() {}, error: failed.resolve };
    const [first, second] = [
      new RefreshLease(folder.path, log),
      new RefreshLease(folder.path, log),
    ];
    first.start(FIRST, () => {});
    const passedOn = Promise.withResolvers<void>();
    second.start(SECOND, passedOn.resolve);
    const obstacle = join(folder.path, "refresh.json");
    rmSync(obstacle);
    mkdirSync(obstacle);
    first.stop();
    expect(await failed.promise).toBe("no service refreshes the market");
    expect(readdirSync(folder.path)).toEqual(["refresh.json"]);
    expect([second.isHeld, isLocked(join(folder.path, "refresh.lock"))]).toEqual([false, false]);
    rmdirSync(obstacle);
    await passedOn.promise;
    expect([second.isHeld, findRefresher(folder.path)]).toEqual([true, SECOND]);
    second.stop();
  });

  test("ends when its locked file is removed by hand, and is taken by one service again", async () => {
    using folder = openFolder();
    const { log, messages } = openLog();
    const both = [new RefreshLease(folder.path, log), new RefreshLease(folder.path, log)];
    const taken: number[] = [];
    const again = Promise.withResolvers<void>();
    for (const [i, lease] of both.entries())
      lease.start(i === 0 ? FIRST : SECOND, () => {
        taken.push(i);
        if (taken.length === 2) again.resolve();
      });
    rmSync(join(folder.path, "refresh.lock"));
    expect(both.map(({ isHeld }) => isHeld)).toEqual([false, false]);
    await again.promise;
    expect(both.filter(({ isHeld }) => isHeld)).toHaveLength(1);
    expect(messages.join()).toContain("this one refreshes the market now");
    for (const lease of both) lease.stop();
    expect(findRefresher(folder.path)).toBeNull();
  });

  test("of a killed live service is taken by the other, which called no source before", async () => {
    using folder = openFolder();
    const callers: string[] = [];
    const upstream = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch(request) {
        callers.push(new URL(request.url).pathname.split("/")[1] ?? "");
        return new Response(null, { status: 404 });
      },
    });
    const start = (name: string) =>
      spawnServe(folder.path, {
        flags: ["--market", "live", "--sources", "worldbank"],
        env: { BOURSE_SOURCE_URL_WORLDBANK: `http://127.0.0.1:${upstream.port}/${name}` },
      });
    const first = await start("first");
    const second = await start("second");
    await second.stderrHolds(/this one only answers[^\n]*url="http/);
    while (callers.length === 0) await Bun.sleep(20);
    const { stdout } = await runOn(folder.path, "status");
    expect(stdout).toContain(`Refresh      by ${first.url} alone; the other services only answer`);
    await second.get("/data/macro/indicators?country=US", "none");
    expect(new Set(callers)).toEqual(new Set(["first"]));
    first.kill("SIGKILL");
    await second.stderrHolds(/this one refreshes the market now/);
    expect(await second.stop()).toBe(0);
    await upstream.stop(true);
  }, 600_000);
});
