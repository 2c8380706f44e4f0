// The access control of all peers, equivalent to the service's: it finds the token by its SHA-256 and
// counts each call in a day and an hour in SQLite, durably and exactly, by one upsert.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.BENCH_FOLDER;

/** The answers of all contenders: `rest` by path and query, with status, headers and body; `mcp`. */
export const answers = JSON.parse(readFileSync(join(folder, "answers.json"), "utf8"));

const windows = () => {
  const seconds = Math.floor(Date.now() / 1000);
  return { day: Math.floor(seconds / 86_400), hour: Math.floor(seconds / 3_600), seconds };
};

/** Tokens and counters in the peer's own file; `Database` is better-sqlite3's or Bun's. */
export function openAccess(Database, file) {
  const database = new Database(join(folder, file));
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = NORMAL");
  database.exec(`
    CREATE TABLE tokens (hash BLOB PRIMARY KEY, id INTEGER, daily INTEGER, hourly INTEGER, revoked_at INTEGER) WITHOUT ROWID;
    CREATE TABLE usage (token_id INTEGER PRIMARY KEY, day INTEGER, day_used INTEGER, hour INTEGER, hour_used INTEGER);`);
  const add = database.prepare("INSERT INTO tokens VALUES (?, ?, ?, ?, NULL)");
  database.transaction(() => {
    for (const { token, id, daily, hourly } of JSON.parse(
      readFileSync(join(folder, "tokens.json"), "utf8"),
    )) {
      add.run(sha256(token), id, daily, hourly);
    }
  })();
  const find = database.prepare(
    "SELECT id, daily, hourly FROM tokens WHERE hash = ? AND revoked_at IS NULL",
  );
  const count = database.prepare(
    `INSERT INTO usage VALUES (?, ?, 1, ?, 1) ON CONFLICT (token_id) DO UPDATE SET
       day_used = iif(day = excluded.day, day_used + 1, 1), day = excluded.day,
       hour_used = iif(hour = excluded.hour, hour_used + 1, 1), hour = excluded.hour
     WHERE (day <> excluded.day OR day_used < ?) AND (hour <> excluded.hour OR hour_used < ?)
     RETURNING day_used AS dayUsed, hour_used AS hourUsed`,
  );

  return {
    /** The token of an Authorization header, or null. */
    authenticate(authorization) {
      const token = authorization?.startsWith("Bearer ") ? authorization.slice(7) : null;
      return token === null ? null : (find.get(sha256(token)) ?? null);
    },
    /** Counts a call; returns the used calls and the seconds to the end of both windows, or null if denied. */
    charge({ id, daily, hourly }) {
      const { day, hour, seconds } = windows();
      const used = count.get(id, day, hour, daily, hourly);
      return used
        ? { ...used, dayLeft: 86_400 - (seconds % 86_400), hourLeft: 3_600 - (seconds % 3_600) }
        : null;
    },
  };
}

const sha256 = (token) => createHash("sha256").update(token).digest();

/** The headers of the IETF draft for both windows. */
export function ratelimitHeaders({ daily, hourly }, { dayUsed, hourUsed, dayLeft, hourLeft }) {
  return {
    "RateLimit-Policy": `"daily";q=${daily};w=86400, "hourly";q=${hourly};w=3600`,
    RateLimit: `"daily";r=${daily - dayUsed};t=${dayLeft}, "hourly";r=${hourly - hourUsed};t=${hourLeft}`,
  };
}

/** The day's quota as `X-RateLimit-*` headers. */
export function dayHeaders({ daily }, { dayUsed, dayLeft }) {
  return {
    "X-RateLimit-Limit": String(daily),
    "X-RateLimit-Remaining": String(daily - dayUsed),
    "X-RateLimit-Reset": String(dayLeft),
  };
}
