import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { openAccess } from "#store/access.ts";
import { copyAccessFromCluster, copyAccessToCluster } from "#store/access-copy.ts";
import { addUser } from "#store/users.ts";
import { type AccessNode, addTokens, openAccessNode } from "../support/cluster-access.ts";
import { expectError } from "../support/error.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "../support/postgres.ts";
import { temporaryFolder } from "../support/service.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

/** All tables and columns of access.db, as the scripts of `ACCESS` declare them. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  users: ["id", "name", "plan", "created_at", "role", "password"],
  tokens: "id user_id prefix hash label created_at expires_at revoked_at rights lists as_of".split(
    " ",
  ),
  usage: ["token_id", "day", "day_used", "hour", "hour_used", "last_used_at"],
  sign_in_keys: ["hash", "user_id", "expires_at"],
  sessions: ["id", "hash", "user_id", "address", "browser", "created_at", "last_used_at"],
  audit: ["id", "at", "actor", "action", "subject", "address"],
  usage_hours: ["token_id", "hour", "calls", "denied"],
  oauth_clients: ["id", "name", "redirect_uris", "created_at"],
  oauth_codes: [
    "hash",
    "user_id",
    "client_id",
    "client_name",
    "redirect_uri",
    "challenge",
    "expires_at",
    "token_id",
    "rights",
  ],
  oauth_grants: ["user_id", "client_id", "token_id"],
  user_documents: ["user_id", "kind", "name", "items", "changed_at", "value"],
  brief_marks: ["token_id", "scope", "at", "seen"],
  alert_states: ["user_id", "alert", "about", "changed_at", "state"],
  alert_messages: ["message", "user_id", "alert", "kind", "at", "facts"],
  refused_calls: "token_id minute hash at calls via operation code param message".split(" "),
  identities: ["issuer", "subject", "user_id"],
  invitations: "id hash user_id plan note created_at expires_at".split(" "),
  alert_outbox: "message channel user_id state attempts next_at tried_at error joined".split(" "),
};

const AT = 1_795_000_000_123;

type Rows = Record<string, unknown[][]>;

/** Rows as arrays in any fixed order, with bytes in hexadecimal. */
const sorted = (rows: unknown[][]): unknown[][] =>
  rows
    .map((row) => row.map((value) => (value instanceof Uint8Array ? value.toHex() : value)))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

function rowsOfFile(path: string): Rows {
  const database = new Database(path, { readonly: true });
  const rows = Object.entries(COLUMNS).map(([table, columns]) => [
    table,
    sorted(database.query(`SELECT ${columns.join(", ")} FROM ${table}`).values()),
  ]);
  database.close();
  return Object.fromEntries(rows) as Rows;
}

async function rowsOfCluster({ postgres }: AccessNode): Promise<Rows> {
  const rows: Rows = {};
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const found = await postgres.query<Record<string, unknown>>(
      `SELECT ${columns.join(", ")} FROM ${table}`,
    );
    rows[table] = sorted(found.map((row) => columns.map((column) => row[column])));
  }
  return rows;
}

/** Fills every table of a file: more rows than one statement copies, and every kind of value. */
function fill(path: string): void {
  const database = new Database(path);
  const hash = (n: number) => new Bun.CryptoHasher("sha256").update(String(n)).digest();
  const bytes = (n: number) => `x'${hash(n).toHex()}'`;
  database.run(`
    INSERT INTO users (id, name, plan, created_at, role, password) VALUES
      (1, 'anna', 'max', ${AT}, 'admin', '$argon2id$'), (7, 'Đỗ "b"', 'free', 0, 'user', NULL);
    INSERT INTO sign_in_keys VALUES (${bytes(1)}, 1, ${AT});
    INSERT INTO sessions VALUES (3, ${bytes(2)}, 7, '2001:db8::1', 'a, {b} \\ "c"', ${AT}, ${AT + 1});
    INSERT INTO oauth_clients VALUES ('client', 'A client', '["https://client.example/"]', ${AT});`);
  const addToken = database.query("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const addUsage = database.query("INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?)");
  database.run("BEGIN");
  for (let id = 1; id <= 1_201; id++) {
    const ends = id % 3 === 0 ? [AT, null] : [null, AT];
    addToken.run(
      id,
      id % 2 ? 1 : 7,
      `bourse_${id}`,
      hash(id),
      `label ${id}`,
      AT,
      ...ends,
      id % 2 ? "" : "lists:write",
      id % 3 ? null : "semis watch",
      id % 4 ? null : "2023-03-31",
    );
    if (id % 5 === 0) addUsage.run(id, 20_775, id, 498_611, id % 4, AT);
  }
  // The ids of removed rows are not given again.
  database.run(`
    DELETE FROM tokens WHERE id = 1201;
    INSERT INTO usage_hours SELECT id, 498000 + id, id, id % 2 FROM tokens WHERE id < 1001;
    INSERT INTO audit SELECT id, ${AT}, 'anna', 'did', 'it', CASE WHEN id % 2 THEN '192.0.2.1' END
      FROM tokens WHERE id < 500;
    DELETE FROM audit WHERE id > 490;
    INSERT INTO oauth_codes VALUES
      (${bytes(4)}, 1, 'client', 'A client', 'https://client.example/', 'c', ${AT}, NULL, ''),
      (${bytes(5)}, 7, 'client', 'A client', 'https://client.example/', 'c', ${AT}, 10, 'lists:write');
    INSERT INTO oauth_grants VALUES (7, 'client', 10);
    INSERT INTO user_documents SELECT 7, 'list', 'list-' || id, id, ${AT},
      '{"name":"list-' || id || '","note":"' || hex(zeroblob(20000)) || '{株} \\ x''c 👩‍👩‍👧"}'
      FROM tokens WHERE id < 101;
    INSERT INTO brief_marks SELECT id, 'list:semis', ${AT} + id, '{"releases":{"JP":["株"]}}'
      FROM tokens WHERE id < 60;
    INSERT INTO alert_states SELECT 7, 'low', 'JP:' || id, ${AT} + id, '{"is":true,"株":[]}'
      FROM tokens WHERE id < 60;
    INSERT INTO alert_messages SELECT 'msg_' || id, 7, 'low', 'condition', ${AT} + id, '{"name":"株"}'
      FROM tokens WHERE id < 60;
    INSERT INTO alert_outbox SELECT 'msg_' || id, 'phone', 7, 'due', id, ${AT} + id,
      CASE WHEN id % 2 THEN ${AT} END, CASE WHEN id % 2 THEN 'no answer' END,
      CASE WHEN id % 3 THEN 'msg_1' END FROM tokens WHERE id < 60;
    INSERT INTO identities VALUES ('https://auth.example', '株 1', 7), ('https://auth.example', '2', 1);
    INSERT INTO invitations VALUES (4, ${bytes(6)}, 1, 'pro', 'für Đỗ', ${AT}, ${AT + 1});
    INSERT INTO refused_calls SELECT id, 29000000, 'h' || id, ${AT} + id, 2, 'mcp', 'get_markets',
      'not_found', '', '株 is unknown.' FROM tokens WHERE id < 60;
    INSERT INTO user_documents VALUES (1, 'settings', 'settings', 0, ${AT}, '{"theme":"dark"}');
    COMMIT;`);
  database.close();
}

describe.skipIf(IS_POSTGRES_MISSING)("Copies of the access store", () => {
  let server: TestPostgres;
  const { folder, remove } = temporaryFolder();
  const opened: AccessNode[] = [];
  beforeAll(async () => void (server = await TestPostgres.start()));
  afterAll(async () => {
    for (const { access } of opened) await access.close();
    await server?.kill();
    remove();
  });

  async function openNode(): Promise<AccessNode> {
    const node = await openAccessNode(server, await server.createDatabase());
    opened.push(node);
    return node;
  }

  function createFile(name: string): string {
    openAccess(join(folder, name)).close();
    return join(folder, name, "access.db");
  }

  test("the tables of both engines have the same columns, and the list of this test has all", async () => {
    const node = await openNode();
    const found = await node.postgres.query<{ table: string; columns: string }>(
      `SELECT table_name::text AS "table", string_agg(column_name, ' ' ORDER BY ordinal_position) AS columns
       FROM information_schema.columns WHERE table_schema = 'bourse'
         AND table_name NOT IN ('schema_versions', 'access_version', 'gate_chunks', 'link_secret') GROUP BY table_name`,
    );
    const inCluster = Object.fromEntries(found.map(({ table, columns }) => [table, columns]));
    const declared = Object.entries(COLUMNS).map(([table, columns]) => [table, columns.join(" ")]);
    expect(inCluster).toEqual(Object.fromEntries(declared));
    const database = new Database(createFile("columns"), { readonly: true });
    const inFile = database
      .query(
        `SELECT name, (SELECT group_concat(name, ' ') FROM pragma_table_info(tables.name))
         FROM sqlite_schema AS tables WHERE type = 'table' AND name NOT LIKE 'sqlite%'`,
      )
      .values();
    database.close();
    expect(Object.fromEntries(inFile)).toEqual(Object.fromEntries(declared));
  });

  test("from a file to a cluster and back: every row is the same, and no id is given again", async () => {
    const path = createFile("filled");
    fill(path);
    const before = rowsOfFile(path);
    expect(Object.values(before).every((rows) => rows.length > 0)).toBe(true);
    const node = await openNode();
    const version = node.access.version();
    const copied = await copyAccessToCluster(path, node.postgres);
    expect(copied).toEqual(
      Object.fromEntries(Object.entries(before).map(([table, rows]) => [table, rows.length])),
    );
    expect(await rowsOfCluster(node)).toEqual(before);
    expect(rowsOfFile(path)).toEqual(before);

    const back = join(folder, "back.db");
    expect(await copyAccessFromCluster(node.postgres, back)).toEqual(copied);
    expect(rowsOfFile(back)).toEqual(before);
    expect(statSync(back).mode & 0o777).toBe(0o600);
    const ids = new Database(back, { readonly: true })
      .query("SELECT name, seq FROM sqlite_sequence ORDER BY name")
      .values();
    // 1201 tokens and 499 audit entries were given ids, and the removed ones had the last.
    expect(ids).toEqual([
      ["audit", 499],
      ["invitations", 4],
      ["sessions", 3],
      ["tokens", 1_201],
    ]);

    expect(await addTokens(node.access, "berta", 1)).toEqual([1_202]);
    const users = await node.postgres.query("SELECT id FROM users WHERE name = 'berta'");
    expect(users).toEqual([{ id: 8 }]);
    expect(node.access.version()).toBeGreaterThan(version);
  });

  test("an empty store, and what strangers left in a cluster without users", async () => {
    const node = await openNode();
    const empty = join(folder, "empty.db");
    await copyAccessFromCluster(node.postgres, empty);
    expect(Object.values(rowsOfFile(empty)).flat()).toEqual([]);
    await node.postgres.query(
      "INSERT INTO audit (at, actor, action, subject) VALUES (1, '', 'sign-in refused', '')",
    );
    const path = createFile("small");
    const file = openAccess(join(folder, "small"));
    file.run(addUser({ name: "anna", plan: "pro", role: "admin", createdAt: AT }));
    file.close();
    await copyAccessToCluster(path, node.postgres);
    expect(await rowsOfCluster(node)).toEqual(rowsOfFile(path));
  });

  test("refuses a cluster with users, a missing file and an existing copy, and changes nothing", async () => {
    const node = await openNode();
    await addTokens(node.access, "anna", 1);
    const before = await rowsOfCluster(node);
    const path = createFile("other");
    const toCluster = (from: string) => () => copyAccessToCluster(from, node.postgres);
    const taken = await expectError(toCluster(path), "unavailable");
    expect(taken.message).toContain("The cluster has users already.");
    const missing = await expectError(toCluster(join(folder, "none.db")), "unavailable");
    expect(missing.message).toContain("does not exist");
    expect(await rowsOfCluster(node)).toEqual(before);
    const existing = await expectError(
      () => copyAccessFromCluster(node.postgres, path),
      "unavailable",
    );
    expect(existing.message).toContain("exists already");
  });

  test("a copy that fails in the middle leaves nothing, in both directions", async () => {
    const path = createFile("failing");
    fill(path);
    const node = await openNode();
    await node.postgres.query("ALTER TABLE oauth_grants ADD CHECK (token_id > 1000)");
    await copyAccessToCluster(path, node.postgres).then(
      () => expect.unreachable(),
      () => {},
    );
    expect(Object.values(await rowsOfCluster(node)).flat()).toEqual([]);
    await node.postgres.query("ALTER TABLE oauth_grants DROP COLUMN client_id");
    const copy = join(folder, "broken.db");
    await copyAccessFromCluster(node.postgres, copy).then(
      () => expect.unreachable(),
      () => {},
    );
    expect(existsSync(copy)).toBe(false);
  });

  test("a copy from a cluster has one moment of all tables, while calls are counted", async () => {
    const node = await openNode();
    const ids = await addTokens(node.access, "anna", 40);
    let isOver = false;
    let hour = 500_000;
    const counting = (async () => {
      while (!isOver) {
        hour++;
        await node.postgres.query("INSERT INTO usage_hours SELECT id, $1, $1, $1 FROM tokens", [
          hour,
        ]);
        await node.postgres.query(
          `INSERT INTO usage SELECT id, 1, $1, 1, $1, $1 FROM tokens
           ON CONFLICT (token_id) DO UPDATE SET hour_used = excluded.hour_used`,
          [hour],
        );
      }
    })();
    for (let i = 0; i < 5; i++) {
      const copy = join(folder, `moment-${i}.db`);
      await copyAccessFromCluster(node.postgres, copy);
      const rows = rowsOfFile(copy);
      const newest = Math.max(...(rows["usage_hours"] ?? []).map((row) => Number(row[1])));
      const inUsage = new Set((rows["usage"] ?? []).map((row) => row[4]));
      if (newest === Number.NEGATIVE_INFINITY) continue;
      // All tokens of one moment: that of the newest hour, or the one before it.
      expect(inUsage.size).toBeLessThanOrEqual(1);
      for (const used of inUsage) expect([newest, newest - 1]).toContain(used as number);
      expect(rows["usage_hours"]?.filter((row) => row[1] === newest)).toHaveLength(ids.length);
    }
    isOver = true;
    await counting;
  });
});
