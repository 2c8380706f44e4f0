import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { COMMAND_LINE } from "#access/audit.ts";
import { createInvitation } from "#access/invitations.ts";
import { SignIn } from "#access/sign-in.ts";
import { UserData } from "#access/user-data.ts";
import { backUpInChild } from "#service/backup-process.ts";
import { type BackupContents, readBackup, writeBackup } from "#service/backup-archive.ts";
import { findLastBackup } from "#service/backups.ts";
import { noteServer } from "#service/servers.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { lockFile, openAccess, openMarket } from "#store/index.ts";
import { listInvitations } from "#store/invitations.ts";
import { findUser, listUsers } from "#store/users.ts";
import { openFolder, openTestAccess } from "../support/access.ts";
import { bunCommand, childEnv, endChildren } from "../support/child-process.ts";
import { expectFailure, MAIN, openUsers, runAt, runOn, runProcess } from "../support/cli.ts";
import { CALLS, restPath } from "../support/contract-calls.ts";
import { appleQuarter, fillMarket, flatBars, macroSeries } from "../support/contract-market.ts";
import { atOnce, openGuard } from "../support/at-once.ts";
import { expectError } from "../support/error.ts";
import { instrument } from "../support/market.ts";
import { rowsWhere } from "../support/market-changes.ts";
import { START, startService } from "../support/service.ts";

afterAll(endChildren);

const rowsOf = (path: string) => rowsWhere(path, "sql NOT LIKE 'CREATE VIRTUAL%'");

/** Every file below a folder with its rows or its bytes, except SQLite's empty logs. */
function filesOf(folder: string): Record<string, unknown> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(folder, name)).isFile() && !/-(wal|shm)$/.test(name))
      .map((name) => {
        const path = join(folder, name);
        return [name, name.endsWith(".db") ? rowsOf(path) : readFileSync(path).toString("base64")];
      }),
  );
}

/** Puts the hand-made market into a folder, with more bars and with the other records that `CALLS` need. */
function putMarket(folder: string): void {
  const market = openMarket(folder);
  const provenance = { source: "test", storedAt: START };
  fillMarket(market);
  market.instruments.put(
    [
      instrument("US", "BTC-USD", { assetType: "cryptocurrency" }),
      instrument("JP", "JPY=X", { assetType: "currency" }),
      instrument("VN", "VND=X", { assetType: "currency" }),
    ],
    provenance,
  );
  market.put(
    "bars",
    [
      { country: "US", symbol: "BTC-USD", bars: flatBars(10_000) },
      { country: "VN", symbol: "FPT", bars: flatBars(300) },
      { country: "US", symbol: "^GSPC", bars: flatBars(300) },
      { country: "JP", symbol: "JPY=X", bars: flatBars(300) },
      { country: "VN", symbol: "VND=X", bars: flatBars(300) },
    ],
    provenance,
  );
  const statement = appleQuarter(2025, 1, 200, 1);
  market.put(
    "statements",
    [
      { ...statement, country: "JP", symbol: "7203", currency: "JPY" },
      { ...statement, country: "VN", symbol: "FPT", currency: "VND" },
    ],
    provenance,
  );
  const months = Array.from({ length: 10 }, (_, i) => i);
  market.put(
    "macroSeries",
    COUNTRY_CODES.flatMap((country) => [
      { ...macroSeries(country, "labor", "unemployment", months), name: "Unemployment rate" },
      { ...macroSeries(country, "gdp", "gdp-yoy", months), name: "GDP growth YoY" },
    ]),
    provenance,
  );
  market.close();
}

/** A data folder with users, tokens, counters and a market. */
function fillFolder(): ReturnType<typeof openTestAccess> {
  const home = openTestAccess();
  putMarket(home.folder);
  for (let i = 0; i < 30; i++) {
    const { token } = home.createToken(i % 2 === 0 ? "free" : "max");
    for (let calls = 0; calls < i; calls++)
      home.guard.charge(home.guard.authenticate(`Bearer ${token}`));
  }
  home.accounts.revokeToken(3);
  fillUserData(home);
  writeFileSync(join(home.folder, "bourse.toml"), 'contact = "ops@example.com"\n');
  return home;
}

const SEMIS = { name: "semis", items: [{ country: "JP" as const, symbol: "8035", shares: 3 }] };
const CHEAP = { name: "cheap", countries: ["VN" as const], where: "pe<9" };

/** A list, a screen and settings of user-1. */
function fillUserData(home: ReturnType<typeof openTestAccess>): void {
  const { access } = home;
  const data = new UserData({ access, clock: () => START, user: "user-1", actor: COMMAND_LINE });
  void data.save("list", SEMIS);
  void data.save("screen", CHEAP);
  void data.saveSettings({ language: "vi" });
}

describe("a backup with the market, restored to an empty folder", () => {
  let home: ReturnType<typeof openTestAccess>;
  const place = openFolder();
  const archive = join(place.path, "all.tar.gz");
  const target = join(place.path, "restored");

  beforeAll(async () => {
    home = fillFolder();
    // The access file is open meanwhile, as by a service.
    const written = await runAt(
      () => START,
      { BOURSE_DATA: home.folder, BOURSE_PORT: "9000" },
      "backup",
      archive,
      "--market",
    );
    expect([written.code, written.stderr]).toEqual([0, ""]);
    expect(written.stdout).toStartWith(`${archive}: access.db (30 users, 30 tokens), market.db (`);
    const restored = await runOn(target, "restore", archive);
    expect([restored.code, restored.stderr]).toEqual([0, ""]);
    expect(restored.stdout).toContain("as of 2026-11-20T17:30:00.000Z");
  }, 600_000);
  afterAll(() => {
    home[Symbol.dispose]();
    place[Symbol.dispose]();
  });

  test("has every row of every table", () => {
    for (const name of ["access.db", "market.db"]) {
      const rows = rowsOf(join(home.folder, name));
      const count = Object.values(rows).reduce((sum, table) => sum + table.length, 0);
      expect(count).toBeGreaterThan(name === "access.db" ? 80 : 10_000);
      const restored = rowsOf(join(target, name));
      expect(Object.keys(restored).toSorted()).toEqual(Object.keys(rows).toSorted());
      for (const [table, expected] of Object.entries(rows)) {
        expect([table, Bun.deepEquals(restored[table], expected)]).toEqual([table, true]);
      }
    }
  });

  test("has the lists, screens and settings of users", async () => {
    const access = openAccess(target);
    const data = new UserData({ access, clock: () => START, user: "user-1", actor: COMMAND_LINE });
    expect((await data.get("list", "semis")).value).toEqual(SEMIS);
    expect((await data.get("screen", "cheap")).value).toEqual(CHEAP);
    expect(await data.settings()).toEqual({ language: "vi" });
    access.close();
    const shown = await runOn(target, "list", "show", "semis", "--user", "user-1", "--json");
    expect(JSON.parse(shown.stdout)).toEqual({ ...SEMIS, changed: "2026-11-20T17:30Z" });
  });

  test("has the settings file, and its files are for their owner only", () => {
    expect(readdirSync(target).toSorted()).toEqual(["access.db", "bourse.toml", "market.db"]);
    expect(readFileSync(join(target, "bourse.toml"), "utf8")).toBe('contact = "ops@example.com"\n');
    const paths = [archive, ...readdirSync(target).map((name) => join(target, name))];
    expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual(paths.map(() => 0o600));
  });

  test("answers every call byte for byte alike, with the same tokens and counters", async () => {
    using copy = openFolder();
    for (const name of ["access.db", "market.db"])
      copyFileSync(join(target, name), join(copy.path, name));
    home.accounts.addUser("reader", "unlimited");
    const { token } = home.accounts.createToken("reader", "", null);
    await runOn(home.folder, "backup", join(place.path, "reader.tar.gz"));
    await runOn(copy.path, "restore", join(place.path, "reader.tar.gz"));
    const services = await Promise.all(
      [home.folder, copy.path].map((folder) => startService({ folder })),
    );
    for (const call of CALLS) {
      const [first, second] = await Promise.all(
        services.map(async (service) => {
          const response = await service.request(restPath(call), token);
          const remaining = response.headers.get("x-ratelimit-remaining");
          return [call.title, response.status, remaining, await response.text()];
        }),
      );
      expect(first?.slice(0, 2)).toEqual([call.title, 200]);
      expect(second).toEqual(first as never);
    }
    for (const service of services) await service.stop();
  }, 600_000);

  test("is opened by the system's tar, with the effective settings as text", () => {
    const tar = (...args: string[]) => Bun.spawnSync(["tar", ...args]).stdout.toString();
    expect(tar("-tzf", archive).trim().split("\n")).toEqual(
      "backup.json access.db market.db bourse.toml settings.env".split(" "),
    );
    const settings = tar("-xzOf", archive, "settings.env").split("\n");
    expect(settings).toContain("BOURSE_PORT=9000");
    expect(settings).toContain("BOURSE_MARKET=sample");
  });
});

describe("a restore over an existing folder", () => {
  test("without a market in the archive keeps the market, and keeps the replaced files", async () => {
    using home = openTestAccess();
    using place = openFolder();
    const archive = join(place.path, "a.tar.gz");
    putMarket(home.folder);
    home.createToken("free");
    await runOn(home.folder, "backup", archive);
    home.createToken("free");
    home.access.close();
    const market = rowsOf(join(home.folder, "market.db"));
    const replaced = rowsOf(join(home.folder, "access.db"));

    const result = await runAt(() => START, { BOURSE_DATA: home.folder }, "restore", archive);
    const aside = join(home.folder, "before-restore-20261120T173000Z");
    expect([result.code, result.stderr]).toEqual([0, ""]);
    expect(result.stdout).toContain(`The replaced files are in ${aside}.\n`);
    expect(readdirSync(aside)).toEqual(["access.db"]);
    expect(rowsOf(join(aside, "access.db"))).toEqual(replaced);
    expect(Bun.deepEquals(rowsOf(join(home.folder, "market.db")), market)).toBe(true);
    const access = openAccess(home.folder);
    expect(access.run(listUsers(0))).toHaveLength(1);
    access.close();
  });

  test("replaces a damaged file, and never applies its log to the restored one", async () => {
    using home = openTestAccess();
    using place = openFolder();
    const archive = join(place.path, "a.tar.gz");
    const path = join(home.folder, "access.db");
    home.createToken("free");
    await runOn(home.folder, "backup", archive);
    for (let i = 0; i < 50; i++) home.createToken("free");
    const log = readFileSync(`${path}-wal`);
    expect(log.length).toBeGreaterThan(10_000);
    home.access.close();
    // A process was killed, and the disk damaged the file.
    writeFileSync(`${path}-wal`, log);
    writeFileSync(path, Buffer.alloc(8_192, 7));
    expect((await runOn(home.folder, "restore", archive)).code).toBe(0);
    const access = openAccess(home.folder);
    expect(access.run(listUsers(0))).toHaveLength(1);
    access.close();
  });

  test("signs all users out, because a stolen session may have been ended since", async () => {
    using home = openTestAccess();
    using place = openFolder();
    const archive = join(place.path, "a.tar.gz");
    home.accounts.addUser("owner", "max");
    const signIn = atOnce(new SignIn(home.access, () => START));
    const client = { address: "192.0.2.1", group: "192.0.2.1", browser: "" };
    const keyOf = () => signIn.createKey("owner", COMMAND_LINE).key;
    const stolen = await signIn.byKey(keyOf(), client);
    const link = keyOf();
    const invited = { plan: "pro", note: "" };
    home.access.run(createInvitation(invited, { name: "owner", address: null }, START));
    await runOn(home.folder, "backup", archive);
    home.access.close();
    const { stdout } = await runOn(home.folder, "restore", archive);
    expect(stdout).toContain("All users are signed out.");

    const access = openAccess(home.folder);
    const restored = atOnce(new SignIn(access, () => START));
    expect(restored.findSession(stolen.secret)).toBeNull();
    const { message } = await expectError(() => restored.byKey(link, client), "invalid_token");
    expect(message).toContain("used before or has expired");
    expect(access.run(findUser("owner"))?.role).toBe("admin");
    // It may have been used or revoked since.
    expect(access.run(listInvitations(START))).toEqual([]);
    access.close();
  });

  test("ends the links that were signed before, and no archive has their key", async () => {
    using home = openTestAccess();
    using place = openFolder();
    const archive = join(place.path, "a.tar.gz");
    const { token } = home.createToken("free");
    const secret = home.access.linkSecret();
    const path = join(home.folder, "link-secret");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const end = START / 1000 + 60;
    const header = `Bearer ${token}`;
    const link = home.guard.signLink(header, "get_markets?", end);
    expect(home.guard.authenticateLink(link, "get_markets?").plan).toBe("free");
    await runOn(home.folder, "backup", archive);
    const unpacked = join(place.path, "unpacked");
    await readBackup(archive, unpacked);
    for (const name of readdirSync(unpacked)) {
      const bytes = readFileSync(join(unpacked, name));
      expect([name, bytes.includes(secret), bytes.includes(secret.toHex())]).toEqual([
        name,
        false,
        false,
      ]);
    }
    home.access.close();
    await runOn(home.folder, "restore", archive);

    const access = openAccess(home.folder);
    const restored = openGuard({ access, clock: () => START });
    const open = () => restored.authenticateLink(link, "get_markets?");
    expect((await expectError(open, "invalid_token")).message).toContain("service was restored");
    const next = restored.signLink(header, "get_markets?", end);
    expect(restored.authenticateLink(next, "get_markets?").plan).toBe("free");
    access.close();
  });

  test("is refused while a process uses the folder, which stays as it is", async () => {
    using home = openTestAccess();
    using place = openFolder();
    const archive = join(place.path, "a.tar.gz");
    home.createToken("free");
    await runOn(home.folder, "backup", archive);
    expectFailure(
      await runOn(home.folder, "restore", archive),
      "Another process uses",
      home.folder,
    );
    home.access.close();

    const market = openMarket(home.folder);
    expectFailure(await runOn(home.folder, "restore", archive), "Another process uses");
    market.close();
    // A refused restore changes no file: both stay in the mode of the service.
    for (const name of ["access.db", "market.db"]) {
      using database = new Database(join(home.folder, name), { readonly: true });
      const mode = database.query("PRAGMA journal_mode").get();
      expect([name, mode]).toEqual([name, { journal_mode: "wal" }]);
    }

    const url = "http://127.0.0.1:8787";
    const removeNote = noteServer(home.folder, { pid: process.ppid, url, startedAt: START });
    expectFailure(await runOn(home.folder, "restore", archive), "A service uses", url);
    removeNote();
    expect(readdirSync(home.folder).filter((name) => name.includes("restore"))).toEqual([]);
    expect((await runOn(home.folder, "restore", archive)).code).toBe(0);
  });

  test("keeps the files that each of two restores in one second replaced", async () => {
    using home = openTestAccess();
    using place = openFolder();
    const archive = join(place.path, "a.tar.gz");
    await runOn(home.folder, "backup", archive);
    home.access.close();
    for (const name of ["first", "second"]) {
      await runOn(home.folder, "user", "add", name);
      const before = rowsOf(join(home.folder, "access.db"));
      const result = await runAt(() => START, { BOURSE_DATA: home.folder }, "restore", archive);
      expect([result.code, result.stderr]).toEqual([0, ""]);
      const aside = /The replaced files are in (\S+)\.\n/.exec(result.stdout)?.[1] ?? "";
      expect(rowsOf(join(aside, "access.db"))).toEqual(before);
    }
  });
});

describe("a restore while another one", () => {
  const place = openFolder();
  const archive = join(place.path, "a.tar.gz");
  const folder = join(place.path, "data");

  beforeAll(async () => {
    await runOn(folder, "user", "add", "anna");
    expect((await runOn(folder, "backup", archive)).code).toBe(0);
  });
  afterAll(() => place[Symbol.dispose]());

  test("runs is refused and takes nothing from it", async () => {
    const other = join(folder, "restore.partial");
    const lock = lockFile(join(folder, "restore.lock"));
    mkdirSync(other);
    writeFileSync(join(other, "unpacked"), "a");
    const before = filesOf(folder);
    expectFailure(await runOn(folder, "restore", archive), "Another restore is writing");
    expect(filesOf(folder)).toEqual(before);
    lock?.release();
  });

  test("was interrupted removes what that one left", async () => {
    // The files of a process that was killed: no process locks this one.
    writeFileSync(join(folder, "restore.lock"), "");
    mkdirSync(join(folder, "restore.partial"), { recursive: true });
    expect((await runOn(folder, "restore", archive)).code).toBe(0);
    expect(readdirSync(folder).filter((name) => name.startsWith("restore"))).toEqual([]);
  });

  test("may run, because its lock was removed, replaces nothing", async () => {
    const before = filesOf(folder);
    const open = Bun.file.bind(Bun);
    const opened = spyOn(Bun, "file").mockImplementation(((path: string) => {
      if (path === archive) rmSync(join(folder, "restore.lock"));
      return open(path);
    }) as typeof Bun.file);
    const result = await runOn(folder, "restore", archive);
    opened.mockRestore();
    expectFailure(result, "restore.lock was removed while this restore was reading");
    expect(filesOf(folder)).toEqual(before);
  });
});

describe("an archive is refused in one sentence, and the data folder stays as it is", () => {
  const place = openFolder();
  const sound = join(place.path, "sound.tar.gz");
  const broken = join(place.path, "broken.tar.gz");
  const folder = join(place.path, "data");

  beforeAll(async () => {
    await runOn(folder, "user", "add", "anna");
    expect((await runOn(folder, "backup", sound)).code).toBe(0);
  });
  afterAll(() => place[Symbol.dispose]());

  async function expectRefused(...words: string[]): Promise<void> {
    const before = filesOf(folder);
    const result = await runOn(folder, "restore", broken);
    expectFailure(result, ...words);
    expect(result.stderr).not.toContain("Unexpected");
    expect(filesOf(folder)).toEqual(before);
  }

  test("if it is cut off, at any place", async () => {
    const bytes = readFileSync(sound);
    for (const length of [
      0,
      1,
      9,
      10,
      11,
      300,
      bytes.length >> 1,
      bytes.length - 9,
      bytes.length - 1,
    ]) {
      writeFileSync(broken, bytes.subarray(0, length));
      await expectRefused(broken, "not a complete backup");
    }
  });

  test("if a bit of it changed", async () => {
    const bytes = readFileSync(sound);
    const whole = gunzipSync(bytes);
    let refused = 0;
    for (let i = 0; i < 20; i++) {
      const changed = Buffer.from(bytes);
      const at = 10 + Math.floor(((changed.length - 10) * i) / 20);
      changed[at] = (changed[at] ?? 0) ^ 16;
      // Deflate has bits without a meaning, before a stored block.
      if (unpack(changed)?.equals(whole)) continue;
      writeFileSync(broken, changed);
      await expectRefused("broken.tar.gz");
      refused++;
    }
    expect(refused).toBeGreaterThan(15);
  });

  function unpack(packed: Buffer): Buffer | null {
    try {
      return gunzipSync(packed);
    } catch {
      return null;
    }
  }

  /** The contents of the sound archive after `change`, as an archive of the system's tar. */
  async function repack(change: (folder: string) => void | Promise<void>, ...names: string[]) {
    using work = openFolder();
    Bun.spawnSync(["tar", "-xzf", sound, "-C", work.path]);
    await change(work.path);
    Bun.spawnSync(["tar", "-P", "--format=ustar", "-czf", broken, "-C", work.path, ...names]);
  }
  const editContents = (path: string, edit: (contents: BackupContents) => void) => {
    const file = join(path, "backup.json");
    const contents = JSON.parse(readFileSync(file, "utf8"));
    edit(contents);
    writeFileSync(file, JSON.stringify(contents));
  };
  const ALL = ["backup.json", "access.db", "settings.env"];

  test("but a sound one that the system's tar wrote is restored", async () => {
    await repack(() => {}, ...ALL);
    expect((await runOn(join(place.path, "other"), "restore", broken)).code).toBe(0);
  });

  test("if it is another file, or another archive", async () => {
    writeFileSync(broken, "id,name\n1,anna\n");
    await expectRefused("not a complete backup");
    copyFileSync(join(folder, "access.db"), broken);
    await expectRefused("not a complete backup");
    await repack((path) => writeFileSync(join(path, "a.txt"), "a"), "a.txt");
    await expectRefused("not a complete backup");
    await repack(() => {}, "access.db", "backup.json");
    await expectRefused("not a complete backup");
  });

  test("if a file is missing, unexpected or there twice", async () => {
    await repack(() => {}, "backup.json", "access.db");
    await expectRefused("not a complete backup");
    await repack((path) => writeFileSync(join(path, "more"), "a"), ...ALL, "more");
    await expectRefused("not a complete backup");
    await repack(() => {}, ...ALL, "access.db");
    await expectRefused("not a complete backup");
  });

  test("if a name leads out of the folder, even if the list of contents has it", async () => {
    for (const name of ["../evil", "/tmp/bourse-evil", "a/b", "..", "access.db/../../evil"]) {
      await repack(
        (path) => {
          mkdirSync(join(path, "a"));
          writeFileSync(join(path, "a/b"), "evil");
          editContents(path, ({ files }) => {
            files[name] = {
              bytes: 4,
              sha256: new Bun.CryptoHasher("sha256").update("evil").digest("hex"),
            };
          });
        },
        "backup.json",
        `--transform=s,^a/b$,${name},`,
        "a/b",
        "access.db",
        "settings.env",
      );
      await expectRefused("not a complete backup");
    }
    expect(existsSync(join(place.path, "evil"))).toBe(false);
    expect(existsSync("/tmp/bourse-evil")).toBe(false);
  });

  test("if a newer version wrote the archive or a file in it", async () => {
    await repack((path) => editContents(path, (contents) => (contents.format = 2)), ...ALL);
    await expectRefused("was written by a newer bourse", "upgrade bourse");
    await repack(
      (path) =>
        editContents(path, ({ files }) =>
          Object.assign(files["access.db"] ?? {}, { schema: 1_000 }),
        ),
      ...ALL,
    );
    await expectRefused("was written by a newer bourse");
  });

  test("if a file is not what the list of contents says", async () => {
    await repack(
      (path) =>
        editContents(path, ({ files }) =>
          Object.assign(files["access.db"]?.rows ?? {}, { users: 2 }),
        ),
      ...ALL,
    );
    await expectRefused("access.db differs");
    await repack((path) => truncateSync(join(path, "settings.env"), 1), ...ALL);
    await expectRefused("settings.env differs");
  });

  test("if its list of contents would control the terminal", async () => {
    for (const name of ["bourse", "createdAt"] as const) {
      await repack(
        (path) => editContents(path, (contents) => (contents[name] = "\u001b[2J")),
        ...ALL,
      );
      await expectRefused("not a complete backup");
    }
  });

  test("before a file is written that is larger than its list of contents says", async () => {
    const size = 2 ** 20;
    await repack(
      (path) => {
        writeFileSync(join(path, "bourse.toml"), Buffer.alloc(size, "#"));
        editContents(path, ({ files }) => {
          files["bourse.toml"] = { bytes: 3, sha256: "" };
        });
      },
      ...ALL,
      "bourse.toml",
    );
    const into = join(place.path, "unpacked");
    const { message } = await expectError(() => readBackup(broken, into), "unavailable");
    expect(message).toContain("bourse.toml differs");
    expect(existsSync(join(into, "bourse.toml"))).toBe(false);
  });

  test("if there is none", async () => {
    expectFailure(await runOn(folder, "restore", join(place.path, "none")), "There is no file");
    expectFailure(await runOn(folder, "restore", place.path), "There is no file");
  });

  test("and a folder that did not exist still does not", async () => {
    writeFileSync(broken, "no archive");
    const before = readdirSync(place.path);
    for (const missing of ["new", join("new", "nested")]) {
      expectFailure(
        await runOn(join(place.path, missing), "restore", broken),
        "not a complete backup",
      );
      expect(readdirSync(place.path)).toEqual(before);
    }
  });
});

describe("backup", () => {
  test("refuses an existing file, a missing folder and a missing data folder, and leaves nothing behind", async () => {
    using home = openFolder();
    using place = openFolder();
    await runOn(home.path, "user", "add", "anna");
    const file = join(place.path, "a.tar.gz");
    writeFileSync(file, "mine");
    expectFailure(await runOn(home.path, "backup", file), file, "exists already");
    expect(readFileSync(file, "utf8")).toBe("mine");
    expectFailure(
      await runOn(home.path, "backup", join(place.path, "no", "a.tar.gz")),
      "cannot be written (ENOENT)",
    );
    expectFailure(
      await runOn(join(place.path, "no"), "backup", join(place.path, "b.tar.gz")),
      "There is no data folder",
    );
    expectFailure(
      await runOn(home.path, "backup", join(place.path, "b.tar.gz"), "--market"),
      "market.db",
    );
    expect(readdirSync(place.path)).toEqual(["a.tar.gz"]);
  });

  test("refuses a damaged file and notes the failure, which `status` shows", async () => {
    using home = await openUsers("anna");
    const path = join(home.path, "access.db");
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.from(bytes).fill(255, 3_072));
    expectFailure(await home.run("backup", join(home.path, "a.tar.gz")), "damaged");
    expect(findLastBackup(home.path)?.error).toContain("damaged");
    writeFileSync(path, bytes);
    const { stdout } = await home.run("status");
    expect(stdout).toMatch(/^Backup {7}The last backup failed: .*damaged/m);
  });

  test("while another process writes has one consistent state", async () => {
    using home = openTestAccess();
    using place = openFolder();
    const { token } = home.createToken("max");
    const charge = () => home.guard.charge(home.guard.authenticate(`Bearer ${token}`));
    const file = join(place.path, "a.tar.gz");
    let isOver = false;
    const child = runProcess(["backup", file, "--data", home.folder]).finally(
      () => (isOver = true),
    );
    let rounds = 0;
    while (!isOver) {
      // The user is written before its token: a copy of one moment has at most one user more.
      home.createToken("free");
      charge();
      rounds++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await child).toMatchObject({ code: 0, stderr: "" });
    const contents = await readBackup(file, join(place.path, "out"));
    const rows = contents.files["access.db"]?.rows ?? {};
    expect(rows["users"]).toBeGreaterThanOrEqual(1);
    expect(rows["users"]).toBeLessThanOrEqual(rounds + 1);
    expect((rows["users"] ?? 0) - (rows["tokens"] ?? 0)).toBeOneOf([0, 1]);
    // Calls that were counted in advance are in the copy, so that it never has fewer than were served.
    const copy = openAccess(join(place.path, "out"));
    const counted = copy.usage.get(1, home.time.now).dayUsed;
    expect(counted).toBeLessThanOrEqual(rounds + 50);
    copy.close();
  }, 600_000);

  test("in a child process reports success and the child's error", async () => {
    using home = await openUsers("anna");
    const options = {
      program: bunCommand(MAIN),
      dataFolder: home.path,
      env: childEnv({ BOURSE_PORT: "9000" }),
      signal: new AbortController().signal,
    };
    const file = join(home.path, "a.tar.gz");
    expect(await backUpInChild(file, options)).toBeNull();
    expect(findLastBackup(home.path)?.error).toBeNull();
    expect(await backUpInChild(file, options)).toBe(`${file} exists already; name another file.`);
  }, 600_000);

  test("that is ended midway, or takes too long, leaves no archive and no partial one", async () => {
    using home = await openUsers("anna");
    const stopping = new AbortController();
    const file = join(home.path, "a.tar.gz");
    const options = {
      program: bunCommand(MAIN),
      dataFolder: home.path,
      env: childEnv(),
      signal: stopping.signal,
    };
    expect(await backUpInChild(file, { ...options, limitMs: 0 })).toBe(
      "The backup did not end within 0 minutes.",
    );
    const running = backUpInChild(file, options);
    stopping.abort();
    expect(await running).toContain("ended");
    expect(readdirSync(home.path).toSorted()).toEqual(["access.db"]);
  }, 600_000);

  test("of a leased counter never has fewer calls than were served", async () => {
    using home = openTestAccess();
    using place = openFolder();
    const { token, id } = home.createToken("max");
    let served = 0;
    const serve = (calls: number) => {
      for (let i = 0; i < calls; i++, served++)
        home.guard.charge(home.guard.authenticate(`Bearer ${token}`));
    };
    for (let second = 0; second < 5; second++) {
      serve(100);
      home.time.now += 100;
    }
    const file = join(place.path, "a.tar.gz");
    await writeBackup({
      dataFolder: home.folder,
      file,
      withMarket: false,
      settings: {},
      now: START,
    });
    await readBackup(file, join(place.path, "out"));
    const copy = openAccess(join(place.path, "out"));
    const { dayUsed } = copy.usage.get(id, home.time.now);
    copy.close();
    expect(dayUsed).toBeGreaterThanOrEqual(served);
    // At most one lease of plan max more.
    expect(dayUsed).toBeLessThanOrEqual(served + 50);
  });
});

test("a copy of another kind of file is refused", async () => {
  using home = openFolder();
  openMarket(home.path).close();
  copyFileSync(join(home.path, "market.db"), join(home.path, "access.db"));
  const request = {
    dataFolder: home.path,
    file: join(home.path, "a"),
    withMarket: false,
    settings: {},
    now: START,
  };
  const { message } = await expectError(() => writeBackup(request), "unavailable");
  expect(message).toContain("not a bourse access file");
});
