import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "#lib/compiled.ts";
import { createLog } from "#lib/log.ts";
import { exportInChild } from "#service/backup-process.ts";
import { Exports, findExportWarning, findLastExport } from "#service/exports.ts";
import { lockFile, openMarket } from "#store/index.ts";
import { putSplitShare } from "../exports/split-share.ts";
import { openFolder } from "../support/access.ts";
import { bunCommand, childEnv } from "../support/child-process.ts";
import { MAIN, runAt } from "../support/cli.ts";
import { START } from "../support/service.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Exports that only write a manifest, on a clock that only the test moves. */
function openExports({ everyMs = DAY as number | null, keep = 2 } = {}) {
  const home = openFolder();
  const time = { now: START };
  const state = { error: null as string | null, begun: 0, isReady: true };
  const lines: string[] = [];
  const folder = join(home.path, "exports");
  const clock = () => time.now;
  const config = { everyMs, keep, folder };
  const exports = new Exports({
    dataFolder: home.path,
    config,
    clock,
    log: createLog({ format: "text", write: (line) => lines.push(line), clock }),
    isReady: () => state.isReady,
    async write(target) {
      state.begun++;
      if (state.error !== null) return state.error;
      mkdirSync(target);
      // Only its name counts here.
      writeFileSync(join(target, "manifest.json"), "{}");
      return null;
    },
  });
  return {
    path: home.path,
    folder,
    time,
    state,
    lines,
    exports,
    config,
    names: () => (existsSync(folder) ? readdirSync(folder).toSorted() : []),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

describe("the schedule", () => {
  test("exports once a period, which begins at the same time on every machine", async () => {
    using home = openExports();
    home.state.isReady = false;
    await home.exports.runIfDue();
    expect(home.names()).toEqual([]);
    home.state.isReady = true;
    await home.exports.runIfDue();
    await home.exports.runIfDue();
    expect(home.names()).toEqual(["20261120T173000Z"]);
    // The day ends at midnight UTC, after six and a half hours.
    home.time.now += 6 * HOUR + 29 * MINUTE;
    await home.exports.runIfDue();
    expect(home.names()).toHaveLength(1);
    home.time.now += MINUTE;
    await home.exports.runIfDue();
    expect(home.names()).toEqual(["20261120T173000Z", "20261121T000000Z"]);
    expect(home.exports.succeededAt()).toBe(START + 6.5 * HOUR);
  });

  test("keeps the newest ones and removes what a killed export left, not what another one writes", async () => {
    using home = openExports();
    const [killed, running] = ["20261119T000000Z", "20261119T010000Z"];
    for (const name of [killed, running])
      mkdirSync(join(home.folder, name, ".bourse-export"), { recursive: true });
    const lock = lockFile(join(home.folder, running, ".bourse-export", "export.lock"));
    mkdirSync(join(home.folder, "mine"));
    for (let day = 0; day < 3; day++) {
      await home.exports.runIfDue();
      home.time.now += DAY;
    }
    lock?.release();
    expect(home.names()).toEqual([running, "20261121T173000Z", "20261122T173000Z", "mine"]);
  });

  test("is off by default", async () => {
    using home = openExports({ everyMs: null });
    await home.exports.runIfDue();
    expect([home.state.begun, home.exports.warning()]).toEqual([0, null]);
  });

  test("tries again after a minute, two, four, and warns without a path until it succeeds", async () => {
    using home = openExports();
    home.state.error = "/data/exports cannot be written (ENOSPC).";
    const begun: number[] = [];
    for (let minute = 0; minute < 9; minute++) {
      await home.exports.runIfDue();
      begun.push(home.state.begun);
      home.time.now += MINUTE;
    }
    expect(begun).toEqual([1, 2, 2, 3, 3, 3, 3, 4, 4]);
    expect(home.exports.warning()).toBe(`The last export failed; \`${PROGRAM} doctor\` says why.`);
    const times = { now: home.time.now, since: START };
    expect(findExportWarning(home.path, home.config, times)).toBe(
      "The last export failed: /data/exports cannot be written (ENOSPC).",
    );
    expect(home.lines.filter((line) => line.includes("need attention"))).toHaveLength(1);
    home.state.error = null;
    home.time.now += HOUR;
    await home.exports.runIfDue();
    expect(home.exports.warning()).toBeNull();
    expect(findLastExport(home.path)?.error).toBeNull();
  });

  test("warns when the last one is older than two periods", async () => {
    using home = openExports();
    await home.exports.runIfDue();
    home.time.now += 2 * DAY - 1;
    expect(home.exports.warning()).toBeNull();
    home.time.now += 1;
    expect(home.exports.warning()).toBe("The last export is 48 hours old.");
  });
});

test("status and doctor show the last export", async () => {
  using home = openExports();
  openMarket(home.path).close();
  await home.exports.runIfDue();
  const env = { BOURSE_DATA: home.path, BOURSE_EXPORT_EVERY: "24h" };
  const status = await runAt(() => START, env, "status");
  expect(status.stdout).toContain("Export       2026-11-20T17:30Z");
  home.state.error = "The disk is full.";
  home.time.now += DAY;
  await home.exports.runIfDue();
  const failed = await runAt(() => START, env, "status");
  expect(failed.stdout).toContain("Export       The last export failed: The disk is full.");
  const doctor = await runAt(() => START, { ...env, BOURSE_PORT: "0" }, "doctor");
  expect(doctor.stdout).toMatch(/export +warning +The last export failed: The disk is full\./);
});

describe("an export in a child process", () => {
  const options = (folder: string) => ({
    program: bunCommand(MAIN),
    dataFolder: folder,
    env: childEnv(),
    signal: new AbortController().signal,
  });

  test("writes the files, or gives the reason in one sentence", async () => {
    using home = openFolder();
    const target = join(home.path, "exports", "20261120T173000Z");
    expect(await exportInChild(target, options(join(home.path, "none")))).toContain(
      "There is no data folder",
    );
    const market = openMarket(home.path);
    putSplitShare(market);
    market.close();
    expect(await exportInChild(target, options(home.path))).toBeNull();
    expect(existsSync(join(target, "bars/US.parquet"))).toBe(true);
  });

  test("that is killed leaves nothing, and the reason is one sentence", async () => {
    using home = openFolder();
    const target = join(home.path, "exports", "20261120T173000Z");
    // It begins like an export and kills itself. Its arguments are `export`, the folder, `--data`, …
    const script = `mkdir -p "$2/.bourse-export" && echo half > "$2/.bourse-export/0.part" && kill -9 $$`;
    const error = await exportInChild(target, {
      ...options(home.path),
      program: ["sh", "-c", script, "sh"],
    });
    expect(error).toBe("The program ended with code 137.");
    expect(existsSync(target)).toBe(false);
  });
});
