import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PLANS } from "#access/plans.ts";
import { listServers, noteServer } from "#service/servers.ts";
import { VERSION } from "#domain/program.ts";
import { openAccess, openMarket } from "#store/index.ts";
import { migrationsOf, openFolder } from "../support/access.ts";
import { bunCommand, endChildren, gather, spawnChild } from "../support/child-process.ts";
import { expectFailure, openUsers, runAt, runOn } from "../support/cli.ts";
import { expectError } from "../support/error.ts";
import { stock } from "../support/market.ts";
import { START } from "../support/service.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const folder = openFolder();
afterAll(endChildren);
afterAll(() => folder[Symbol.dispose]());

/** The versions of the two files, read by the store. */
const schema = { access: 0, market: 0 };

beforeAll(async () => {
  const now = START;
  const market = openMarket(folder.path);
  const bar = { date: "2026-11-19", open: 1, high: 1, low: 1, close: 1, volume: null };
  market.transaction(() => {
    market.setSetting("origin", "sample");
    market.put("instruments", [stock("US", "AAPL"), stock("JP", "7203")], {
      source: "sample",
      storedAt: now - 3 * DAY,
    });
    market.put("bars", [{ country: "US", symbol: "AAPL", bars: [bar] }], {
      source: "import",
      storedAt: now - 5 * HOUR,
    });
    market.put("indexPe", [{ country: "US", month: "2026-10", pe: 28 }], {
      source: "sample",
      storedAt: now - 90_000,
    });
  });
  market.close();
  openAccess(folder.path).close();
  schema.market = migrationsOf(folder.path, "market.db");
  schema.access = migrationsOf(folder.path, "access.db");
  await runOn(folder.path, "user", "add", "anna", "--plan", "pro");
  await runOn(folder.path, "user", "add", "ben");
  for (const user of ["anna", "anna", "ben"]) await runOn(folder.path, "token", "create", user);
  await runOn(folder.path, "token", "revoke", "2");
});

describe("status", () => {
  const statusAt = (...flags: string[]) =>
    runAt(() => START, { BOURSE_DATA: folder.path }, "status", ...flags);

  test("prints as JSON the version, folder, files, services, users, calls, and each kind of data with its age", async () => {
    const access = openAccess(folder.path);
    access.usage.charge(1, 3, PLANS.pro, START - HOUR);
    access.usage.charge(1, 4, PLANS.pro, START);
    access.close();
    const { code, stdout, stderr } = await statusAt("--json");
    expect([code, stderr]).toEqual([0, ""]);
    const report = JSON.parse(stdout) as Record<string, unknown>;
    expect(report).toEqual({
      version: VERSION,
      dataFolder: folder.path,
      progress: [],
      pausedSources: [],
      doors: { live: [], old: [], empty: [], refused: [], missing: [] },
      refresher: null,
      services: [],
      files: (["access", "market"] as const).map((name) => ({
        name: `${name}.db`,
        bytes: statSync(join(folder.path, `${name}.db`)).size,
        schema: schema[name],
      })),
      market: "sample",
      cluster: null,
      users: 2,
      liveTokens: 2,
      tokens: 3,
      callsToday: 7,
      callsThisHour: 4,
      lastBackup: null,
      backupWarning: null,
      lastExport: null,
      exportWarning: null,
      updates: null,
      data: [
        { kind: "instruments", source: "sample", count: 2, ageSeconds: 3 * 86_400 },
        { kind: "bars", source: "import", count: 1, ageSeconds: 5 * 3_600 },
        { kind: "indexPe", source: "sample", count: 1, ageSeconds: 90 },
      ],
    });
  });

  test("prints the same as text, one line each, and says that the figures are generated", async () => {
    const { code, stdout, stderr } = await statusAt();
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      `Version      ${VERSION}`,
      `Data folder  ${folder.path}`,
      expect.stringMatching(
        new RegExp(
          String.raw`^Files {8}access\.db \d+ KB \(schema ${schema.access}\), market\.db \d+ KB \(schema ${schema.market}\)$`,
        ),
      ) as unknown as string,
      "Listens on   — (no service runs on this folder)",
      "Market       sample (generated figures, none is real)",
      "Backup       — (none yet)",
      "Users        2",
      "Tokens       2 live of 3",
      "Calls        7 calls today, 4 this hour (UTC)",
      "",
      "KIND         SOURCE  COUNT  AGE",
      "instruments  sample      2  3 d",
      "bars         import      1  5 h",
      "indexPe      sample      1  1 min",
      "",
    ]);
  });

  test("names the services that run on the folder, and forgets one that was killed", async () => {
    using home = await openUsers("anna");
    const path = home.path;
    writeNote(path, "gone", process.ppid);
    const url = "http://127.0.0.1:8787";
    const remove = noteServer(path, { pid: process.ppid, url, startedAt: START });
    const { stdout } = await runOn(path, "status", "--json");
    expect((JSON.parse(stdout) as { services: unknown[] }).services).toEqual([
      { pid: process.ppid, url, started: "2026-11-20T17:30Z" },
    ]);
    expect(existsSync(join(path, "serve-gone.json"))).toBe(false);
    // Whatever is removed by hand comes back.
    for (const suffix of [".lock", ".json"]) {
      const removed = readdirSync(path).find(
        (name) => name.startsWith("serve-") && name.endsWith(suffix),
      );
      rmSync(join(path, removed ?? ""));
      expect(listServers(path)).toEqual([]);
      while (listServers(path).length === 0) await Bun.sleep(20);
    }
    remove();
    expect(listServers(path)).toEqual([]);
    expect(readdirSync(path).filter((name) => name.startsWith("serve-"))).toEqual([]);
  });

  test("forgets a damaged note, and one whose process id another program has now", () => {
    using home = openFolder();
    // A disk was full.
    writeFileSync(join(home.path, "serve-damaged.json"), "");
    // The parent of this process runs, and is no service.
    writeNote(home.path, "reused", process.ppid);
    // An earlier version named its notes by process id and locked no file.
    writeNote(home.path, String(process.ppid), process.ppid);
    expect(listServers(home.path)).toEqual([]);
    expect(readdirSync(home.path)).toEqual([]);
  });

  test("keeps the note of a service in another container, and forgets it after kill -9", async () => {
    using home = openFolder();
    // In a container, the service and the command can have the same process id.
    const program = join(import.meta.dir, "../support/noting-service.ts");
    const service = spawnChild([...bunCommand(program), home.path, String(process.pid)]);
    await gather(service.stdout).until(/noted/);
    const noted = [{ pid: process.pid, url: "http://127.0.0.1:8787", startedAt: 0 }];
    // Twice, because the first one must not remove it.
    expect([listServers(home.path), listServers(home.path)]).toEqual([noted, noted]);
    service.kill("SIGKILL");
    await service.exited;
    expect(listServers(home.path)).toEqual([]);
    expect(readdirSync(home.path)).toEqual([]);
  });

  test("says which file a service cannot write that notes where it listens", async () => {
    using home = openFolder();
    const note = { pid: 1, url: "http://127.0.0.1:8787", startedAt: START };
    const { message } = await expectError(
      () => noteServer(join(home.path, "none"), note),
      "unavailable",
    );
    expect(message).toMatch(/serve-[\da-f-]+\.lock cannot be written/);
  });

  /** A note as a killed service leaves it: with an unlocked file, or none. */
  function writeNote(path: string, id: string, pid: number) {
    const note = { pid, url: "http://127.0.0.1:1", startedAt: START };
    writeFileSync(join(path, `serve-${id}.json`), JSON.stringify(note));
    if (id !== String(pid)) writeFileSync(join(path, `serve-${id}.lock`), "");
  }

  test("prints for a new folder no data, no user and no token", async () => {
    using empty = openFolder();
    const json = await runOn(empty.path, "status", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      market: null,
      data: [],
      users: 0,
      liveTokens: 0,
      tokens: 0,
    });
    const text = await runOn(empty.path, "status");
    expect(text.code).toBe(0);
    expect(text.stdout).toContain("Market       empty\n");
  });

  test("names a file with a damaged page in one sentence and leaves it unchanged", async () => {
    using broken = openFolder();
    const market = openMarket(broken.path);
    const symbols = Array.from({ length: 1_000 }, (_, i) => stock("US", `S${i}`));
    market.put("instruments", symbols, { source: "sample", storedAt: 0 });
    market.close();
    const path = join(broken.path, "market.db");
    const bytes = readFileSync(path);
    // The second half of the file. SQLite decides where in it the pages of tables and indexes are.
    bytes.fill(255, Math.floor(bytes.length / 8_192) * 4_096);
    writeFileSync(path, bytes);
    expectFailure(await runOn(broken.path, "status"), path, "damaged");
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });
});
