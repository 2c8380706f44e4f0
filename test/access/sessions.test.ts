import { describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { type Client, Sessions } from "#access/sessions.ts";
import { type AccessFile, openAccess } from "#store/index.ts";
import { findUser } from "#store/users.ts";
import { openTestAccess } from "../support/access.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const CLIENT = { address: "203.0.113.7", browser: "test" };

/** The sessions of an access file. */
function sessionsOf(access: AccessFile, clock: () => number) {
  const sessions = new Sessions(clock);
  return {
    createKey: (userId: number) => access.run(sessions.createKey(userId)),
    takeKey: (key: string) => access.run(sessions.takeKey(key)),
    start: (userId: number, client: Client) => access.run(sessions.start(userId, client)),
    find: (secret: string) => access.run(sessions.find(secret)),
    list: (userId: number) => access.run(sessions.list(userId)),
  };
}

/** An access file with the user `anna`, her sessions, and a connection that reads the file as it is. */
function openSessions() {
  const home = openTestAccess();
  home.accounts.addUser("anna", "free");
  const userId = home.access.run(findUser("anna"))?.id ?? 0;
  const file = new Database(join(home.folder, "access.db"));
  return {
    ...home,
    userId,
    file,
    sessions: sessionsOf(home.access, () => home.time.now),
    count: (table: "sessions" | "sign_in_keys") =>
      Number(file.query(`SELECT count(*) FROM ${table}`).values()[0]?.[0]),
    [Symbol.dispose]() {
      file.close();
      home[Symbol.dispose]();
    },
  };
}

describe("sessions", () => {
  test("note their use at most once a minute", () => {
    using home = openSessions();
    const secret = home.sessions.start(home.userId, CLIENT);
    const startedAt = home.time.now;
    const lastUsedAt = () =>
      home.file.query<{ at: number }, []>("SELECT last_used_at AS at FROM sessions").get()?.at;
    home.time.now += MINUTE - 1;
    home.sessions.find(secret);
    expect(lastUsedAt()).toBe(startedAt);
    home.time.now += 1;
    home.sessions.find(secret);
    expect(lastUsedAt()).toBe(startedAt + MINUTE);
  });

  test("are found while another process keeps the file locked", () => {
    using home = openSessions();
    const secret = home.sessions.start(home.userId, CLIENT);
    home.time.now += MINUTE;
    const access = openAccess(home.folder, { busyTimeoutMs: 0 });
    home.file.run("BEGIN IMMEDIATE");
    const found = sessionsOf(access, () => home.time.now).find(secret);
    home.file.run("ROLLBACK");
    access.close();
    expect(found).toMatchObject({ user: "anna", role: "admin", plan: "free" });
  });

  test("and keys are stored as SHA-256 only", () => {
    using home = openSessions();
    const { key } = home.sessions.createKey(home.userId);
    const secret = home.sessions.start(home.userId, CLIENT);
    const rows = JSON.stringify(
      ["sessions", "sign_in_keys"].map((table) =>
        home.file.query(`SELECT *, hex(hash) AS hex FROM ${table}`).all(),
      ),
    );
    for (const text of [key, secret]) {
      const sha256 = new Bun.CryptoHasher("sha256").update(text).digest("hex").toUpperCase();
      expect(rows).toContain(sha256);
      expect(rows).not.toContain(text);
    }
  });

  test("and keys that have ended are removed with the next sign-in", () => {
    using home = openSessions();
    for (let i = 0; i < 3; i++) {
      home.sessions.createKey(home.userId);
      home.sessions.start(home.userId, CLIENT);
    }
    expect([home.count("sessions"), home.count("sign_in_keys")]).toEqual([3, 3]);
    home.time.now += 7 * DAY;
    home.sessions.start(home.userId, CLIENT);
    expect([home.count("sessions"), home.count("sign_in_keys")]).toEqual([1, 0]);
  });

  test("keep a part of a long User-Agent only", () => {
    using home = openSessions();
    home.sessions.start(home.userId, { ...CLIENT, browser: "x".repeat(10_000) });
    expect(home.sessions.list(home.userId)[0]?.browser).toBe("x".repeat(256));
  });
});
