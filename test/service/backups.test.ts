import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAfterBackup } from "#service/backup-process.ts";
import { Backups, findBackupWarning, findLastBackup, noteBackup } from "#service/backups.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { createLog } from "#lib/log.ts";
import { lockFile } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { START } from "../support/service.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DAILY = { everyMs: DAY, keep: 3, command: null };

/** Backups whose archives are empty files, on a clock that only the test moves. */
function openBackups({
  everyMs = DAY as number | null,
  keep = 3,
  now = START,
  command = null as string | null,
  PATH = process.env["PATH"],
} = {}) {
  const folder = openFolder();
  const time = { now };
  const clock = () => time.now;
  const lines: string[] = [];
  const state = { error: null as string | null, begun: 0 };
  const target = join(folder.path, "backups");
  const backups = new Backups({
    dataFolder: folder.path,
    config: { everyMs, keep, folder: target, command },
    clock,
    log: createLog({ format: "text", write: (line) => lines.push(line), clock }),
    async write(file) {
      state.begun++;
      if (state.error === null) writeFileSync(file, "");
      return state.error;
    },
    runCommand: (line, file) =>
      runAfterBackup(line, file, {
        env: { PATH, BOURSE_CLUSTER: "postgres://user:secret@host/db" },
        signal: new AbortController().signal,
      }),
  });
  return {
    folder: folder.path,
    target,
    time,
    lines,
    state,
    backups,
    archives: () => readdirSync(target).toSorted(),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe("the schedule", () => {
  test("writes the first backup at once, and the next ones a day later", async () => {
    using home = openBackups();
    await home.backups.runIfDue();
    expect(home.archives()).toEqual(["bourse-20261120T173000Z.tar.gz"]);
    expect(statSync(home.target).mode & 0o777).toBe(0o700);
    expect(home.backups.last()).toEqual({ at: START, error: null });
    home.time.now += DAY - 1;
    await home.backups.runIfDue();
    expect(home.state.begun).toBe(1);
    home.time.now += 1;
    await home.backups.runIfDue();
    expect(home.archives()).toHaveLength(2);
  });

  test("keeps the newest ones and all other files", async () => {
    using home = openBackups();
    mkdirSync(home.target);
    for (const name of ["bourse-mine.tar.gz", "notes.txt"])
      writeFileSync(join(home.target, name), "");
    for (let day = 0; day < 5; day++, home.time.now += DAY) await home.backups.runIfDue();
    expect(home.archives()).toEqual([
      "bourse-20261122T173000Z.tar.gz",
      "bourse-20261123T173000Z.tar.gz",
      "bourse-20261124T173000Z.tar.gz",
      "bourse-mine.tar.gz",
      "notes.txt",
    ]);
  });

  test("also continues after a clock that was years ahead", async () => {
    using home = openBackups({ now: START + 1_000 * DAY });
    await home.backups.runIfDue();
    home.time.now = START;
    await home.backups.runIfDue();
    expect(home.state.begun).toBe(2);
  });

  test("retries a failure after a minute, logs it and warns until a success", async () => {
    using home = openBackups();
    home.state.error = "The disk is full.";
    await home.backups.runIfDue();
    expect(home.backups.last()).toEqual({ at: START, error: "The disk is full." });
    // Anyone may read the warning, so it has no reason, which can name a path.
    expect(home.backups.warning()).toBe(`The last backup failed; \`${PROGRAM} doctor\` says why.`);
    expect(home.lines.join("\n")).toContain('ERROR the backup failed reason="The disk is full."');
    home.time.now += MINUTE - 1;
    await home.backups.runIfDue();
    expect(home.state.begun).toBe(1);
    home.time.now += 1;
    home.state.error = null;
    await home.backups.runIfDue();
    expect([home.state.begun, home.backups.warning()]).toEqual([2, null]);
    expect(home.archives()).toHaveLength(1);
  });

  test("retries a lasting failure after 1, 2, 4, … minutes, and at least every hour", async () => {
    using home = openBackups();
    home.state.error = "The database is down.";
    const attempts: number[] = [];
    for (let minute = 0; minute <= 250; minute++, home.time.now += MINUTE) {
      const { begun } = home.state;
      await home.backups.runIfDue();
      if (home.state.begun > begun) attempts.push(minute);
    }
    // 1 + 2 + 4 + 8 + 16 + 32 minutes, then 60 each.
    expect(attempts).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
  });

  test("ends the warning of a backup by hand that failed, although none is due", async () => {
    using home = openBackups();
    await home.backups.runIfDue();
    home.time.now += HOUR;
    noteBackup(home.folder, home.time.now, "The cluster's database does not answer.");
    expect(home.backups.warning()).not.toBeNull();
    home.time.now += MINUTE;
    await home.backups.runIfDue();
    expect([home.state.begun, home.backups.warning()]).toEqual([2, null]);
  });

  test("logs a warning once, and again when it changes", async () => {
    using home = openBackups({ everyMs: HOUR });
    const warnings = () => home.lines.filter((line) => line.includes("backups need attention"));
    home.state.error = "The disk is full.";
    for (let minute = 0; minute < 5; minute++, home.time.now += 60_000)
      await home.backups.runIfDue();
    expect(warnings()).toHaveLength(1);
    home.state.error = null;
    home.time.now += HOUR;
    await home.backups.runIfDue();
    home.state.error = "The disk is full.";
    home.time.now += HOUR;
    await home.backups.runIfDue();
    expect(warnings()).toHaveLength(2);
  });

  test("keeps older archives after failures", async () => {
    using home = openBackups({ keep: 1 });
    await home.backups.runIfDue();
    home.state.error = "no";
    for (let day = 0; day < 3; day++) {
      home.time.now += DAY;
      await home.backups.runIfDue();
    }
    expect(home.archives()).toHaveLength(1);
  });

  test("removes what a killed process left, and nothing that is being written", async () => {
    using home = openBackups();
    const [killed, running] = ["bourse-20261118T173000Z", "bourse-20261120T172900Z"].map((name) => {
      const folder = join(home.target, `${name}.tar.gz.partial`);
      mkdirSync(folder, { recursive: true });
      return folder;
    }) as [string, string];
    writeFileSync(join(killed, "backup.lock"), "");
    const lock = lockFile(join(running, "backup.lock"));
    await home.backups.runIfDue();
    expect([existsSync(killed), existsSync(running)]).toEqual([false, true]);
    lock?.release();
  });

  test("that is off writes nothing and does not warn, but a request writes one", async () => {
    using home = openBackups({ everyMs: null });
    home.time.now += 100 * DAY;
    await home.backups.runIfDue();
    expect([home.state.begun, home.backups.warning(), home.backups.last()]).toEqual([
      0,
      null,
      null,
    ]);
    expect(await home.backups.run()).toEqual({ at: home.time.now, error: null });
    expect(home.state.begun).toBe(1);
  });

  test("writes one at a time: a second request gets the result of the running one", async () => {
    using home = openBackups();
    const results = await Promise.all([home.backups.run(), home.backups.run()]);
    expect([home.state.begun, results[0]]).toEqual([1, results[1] ?? null]);
  });

  test("reports its result although the data folder cannot be written", async () => {
    using home = openBackups();
    // The note is first written under this name.
    mkdirSync(join(home.folder, "last-backup.json.new"));
    expect(await home.backups.run()).toEqual({ at: START, error: null });
    home.state.error = "The disk is full.";
    expect(await home.backups.run()).toEqual({ at: START, error: "The disk is full." });
  });

  test("reports a folder that cannot be listed", async () => {
    using home = openBackups();
    writeFileSync(home.target, "a file in its place");
    await home.backups.runIfDue();
    expect(home.backups.last()?.error).toMatch(/ENOTDIR|EEXIST/);
    expect(home.backups.warning()).toContain("The last backup failed");
  });

  test("reports a folder that cannot be created", async () => {
    using home = openBackups();
    writeFileSync(home.target, "a file");
    expect((await home.backups.run())?.error).toContain("EEXIST");
  });
});

describe("a warning", () => {
  const warningOf = (path: string, now: number, since = now) =>
    findBackupWarning(path, { ...DAILY, folder: "" }, { now, since });

  test("appears once the last success is two periods old", () => {
    using folder = openFolder();
    noteBackup(folder.path, START, null);
    expect(warningOf(folder.path, START + 2 * DAY - 1)).toBeNull();
    expect(warningOf(folder.path, START + 2 * DAY)).toBe("The last backup is 48 hours old.");
  });

  test("appears two periods after the start if none ever succeeded", () => {
    using folder = openFolder();
    expect(warningOf(folder.path, START)).toBeNull();
    expect(warningOf(folder.path, START + 3 * DAY, START)).toBe("No backup succeeded in 72 hours.");
  });

  test("does not appear for a damaged note", () => {
    using folder = openFolder();
    writeFileSync(join(folder.path, "last-backup.json"), "{");
    expect(findLastBackup(folder.path)).toBeNull();
    expect(warningOf(folder.path, START)).toBeNull();
  });
});

describe("the command after a backup", () => {
  test("gets the path of the archive, and no setting of the service", async () => {
    using home = openBackups({ command: `sh -c 'env > "$1.env"; echo "$1" > "$1.path"' sh` });
    await home.backups.runIfDue();
    const archive = join(home.target, "bourse-20261120T173000Z.tar.gz");
    expect(readFileSync(`${archive}.path`, "utf8")).toBe(`${archive}\n`);
    const env = readFileSync(`${archive}.env`, "utf8");
    expect(env).toContain("PATH=");
    expect(env).not.toMatch(/BOURSE|secret/);
    expect(home.backups.warning()).toBeNull();
  });

  test("that fails is a warning until one succeeds; the backup is kept", async () => {
    using home = openBackups({ command: "echo 'no route to host' >&2; false" });
    await home.backups.runIfDue();
    expect(home.backups.last()).toEqual({ at: START, error: null });
    expect(home.archives()).toHaveLength(1);
    const now = { now: START, since: START };
    const warned = { ...DAILY, folder: home.target };
    expect(findBackupWarning(home.folder, warned, now)).toBe(
      "The command after the last backup failed: no route to host",
    );
    expect(home.backups.warning()).toBe(
      `The command after the last backup failed; \`${PROGRAM} doctor\` says why.`,
    );
    expect(home.lines.join("\n")).toMatch(
      /WARN {2}the command after a backup failed reason="no route/,
    );
    // A backup by hand, which runs no command.
    noteBackup(home.folder, START, null);
    expect(home.backups.warning()).not.toBeNull();
    noteBackup(home.folder, START, null, null);
    expect(home.backups.warning()).toBeNull();
  });

  test("that fails with a long line of errors has its end as the reason", async () => {
    using home = openBackups({ command: "{ seq -s + 30000; echo; } >&2; false" });
    await home.backups.runIfDue();
    const reason = findBackupWarning(
      home.folder,
      { ...DAILY, folder: home.target },
      { now: START, since: START },
    );
    expect(reason).toHaveLength("The command after the last backup failed: ".length + 1_000);
    expect(reason).toEndWith("+29999+30000");
  });

  test("that cannot start, because there is no shell, is a warning too", async () => {
    using home = openBackups({ command: "true", PATH: "/nowhere" });
    await home.backups.runIfDue();
    expect(home.backups.last()).toEqual({ at: START, error: null });
    expect(home.backups.warning()).toContain("The command after the last backup failed");
  });

  test.each([
    ["", "and so do the programs that it has started"],
    ["trap '' TERM; ", "also if they ignore the request to end"],
  ])("ends with the service: %s%s", async (before) => {
    using home = openFolder();
    const stopping = new AbortController();
    const begun = join(home.path, "begun");
    const { PATH } = process.env;
    const parts = { env: { PATH }, signal: stopping.signal, graceMs: before === "" ? 60_000 : 0 };
    const ended = runAfterBackup(`${before}touch ${begun}; sleep 1000; true`, "x.tar.gz", parts);
    while (!existsSync(begun)) await Bun.sleep(5);
    stopping.abort();
    expect(await ended).toMatch(/ended with code/);
  });
});
