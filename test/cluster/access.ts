import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { SQL } from "bun";
import { identityOf } from "#access/principals.ts";
import { createSecret, hashSecret } from "#access/secret.ts";
import { SignIn } from "#access/sign-in.ts";
import { createTokenSecret, fingerprintToken } from "#access/token-secret.ts";
import { UserData } from "#access/user-data.ts";
import { CLUSTER_ACCESS } from "#store/access-cluster.ts";
import { addAuditEntry, listAuditEntries } from "#store/audit.ts";
import { Postgres } from "#store/postgres.ts";
import { migratePostgres } from "#store/postgres-schema.ts";
import { addSession, type StoredSession } from "#store/sessions.ts";
import { listTokens, revokeToken } from "#store/tokens.ts";
import { addUser, findUser, listUsers, removeUser, setPlan } from "#store/users.ts";
import {
  type AccessNode,
  addTokens,
  itemOf,
  openAccessNode,
  POSTGRES_PARTS,
} from "../support/cluster-access.ts";
import { expectError } from "../support/error.ts";
import { IS_POSTGRES_MISSING, TestPostgres, until } from "../support/postgres.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

describe.skipIf(IS_POSTGRES_MISSING)("The access store of a cluster", () => {
  let server: TestPostgres;
  const opened: AccessNode[] = [];
  beforeAll(async () => void (server = await TestPostgres.start()));
  afterEach(async () => {
    for (const { access } of opened.splice(0)) await access.close();
  });
  afterAll(() => server?.kill());

  /** Three nodes of a new cluster. */
  async function openNodes(): Promise<[AccessNode, AccessNode, AccessNode]> {
    const database = await server.createDatabase();
    const open = () => openAccessNode(server, database);
    const nodes = await Promise.all([open(), open(), open()]);
    opened.push(...nodes);
    return nodes;
  }

  const anna = { name: "anna", plan: "free", role: "user", createdAt: 1_795_000_000_000 } as const;

  test("of the first release is upgraded: its rows stay, it takes lists, and a node of the release goes on", async () => {
    const database = await server.createDatabase();
    const older = await Postgres.open(server.url(database), POSTGRES_PARTS);
    try {
      const migrations = CLUSTER_ACCESS.migrations.slice(0, 1);
      await migratePostgres(older, { ...CLUSTER_ACCESS, migrations });
      await older.run(addUser(anna));
      const before = await older.query("SELECT * FROM users");
      const node = await openAccessNode(server, database);
      opened.push(node);
      const { access } = node;
      expect(await older.query("SELECT * FROM users")).toEqual(before);
      const actor = { name: "anna", address: null };
      const data = new UserData({ access, clock: () => 1, user: "anna", actor });
      expect(await data.list("list")).toEqual([]);
      await data.save("list", { name: "semis", items: [{ country: "JP", symbol: "8035" }] });
      expect(await data.list("list")).toHaveLength(1);
      // What the node of the release removes, it removes with its lists.
      expect(await older.run(removeUser("anna"))).toBe(true);
      expect(await node.postgres.query("SELECT 1 FROM user_documents")).toEqual([]);
    } finally {
      await older.close();
    }
  });

  test("keeps for feed links the lists of the upgrade, and a node of before makes links that read none", async () => {
    const database = await server.createDatabase();
    const older = await Postgres.open(server.url(database), POSTGRES_PARTS);
    try {
      const migrations = CLUSTER_ACCESS.migrations.slice(0, 4);
      await migratePostgres(older, { ...CLUSTER_ACCESS, migrations });
      await older.run(addUser(anna));
      for (const name of ["held", "semis"])
        await older.query("INSERT INTO user_documents VALUES (1, 'list', $1, 0, 1, '{}')", [name]);
      const add = (token: string) => {
        const { prefix = "", hash = null } = fingerprintToken(token) ?? {};
        return older.query(
          "INSERT INTO tokens (user_id, prefix, hash, label, created_at) VALUES (1, $1, $2, '', 1)",
          [prefix, hash],
        );
      };
      const [kept, late] = [createTokenSecret("feed"), createTokenSecret("feed")];
      await add(createTokenSecret());
      await add(kept);
      const node = await openAccessNode(server, database);
      opened.push(node);
      await add(late);
      const { access } = node;
      const tokens = await access.run(listTokens("anna"));
      expect(tokens.map(({ lists }) => lists)).toEqual([null, "held semis", null]);
      const fingerprint = fingerprintToken(late);
      if (!fingerprint) throw new Error("not a token");
      const [candidates = []] = await access.listCandidates([fingerprint.prefix]);
      expect(identityOf(fingerprint, candidates).principal).toMatchObject({ lists: [] });
    } finally {
      await older.close();
    }
  });

  describe("version", () => {
    test("changes with each change of a user or token, at once here and soon on other nodes", async () => {
      const [{ access: here }, { access: there }] = await openNodes();
      const changes = {
        "a new user": () => here.transaction(() => addUser(anna)),
        "a plan": () => here.run(setPlan("anna", "pro")),
        "new tokens": () => addTokens(here, "anna", 2),
        "a revoked token": () => here.run(revokeToken(1, 1_795_000_000_000)),
        "a removed user": () => here.transaction(() => removeUser("anna")),
      };
      for (const change of Object.values(changes)) {
        const before = [here.version(), there.version()];
        await change();
        expect(here.version()).toBeGreaterThan(before[0] ?? 0);
        await until(() => expect(there.version()).toBeGreaterThan(before[1] ?? 0));
      }
    });

    test("does not change with other work", async () => {
      const [{ access: here }, { access: there }] = await openNodes();
      const before = [here.version(), there.version()];
      const entry = { at: 1, actor: "anna", action: "signed in", subject: "", address: null };
      await here.transaction(() => addAuditEntry(entry));
      expect(await there.run(listAuditEntries({ limit: 5 }))).toEqual([{ id: 1, ...entry }]);
      await there.run(listUsers(0));
      expect([here.version(), there.version()]).toEqual(before);
    });

    test("changes within a poll if the notification is lost, also after an outage", async () => {
      const [here] = await openNodes();
      const proxy = await TcpProxy.open(server.port);
      try {
        const there = await openAccessNode(server, await databaseOf(here), proxy.port);
        opened.push(there);
        const before = there.access.version();
        proxy.silence();
        await here.access.transaction(() => addUser(anna));
        await until(() => expect(there.access.isDown).toBe(true));
        const verifiedAt = there.access.verifiedAt;
        await expectError(() => there.access.run(findUser("anna")), "unavailable");
        proxy.resume();
        await until(() => expect(there.access.version()).toBeGreaterThan(before));
        await until(() => expect(there.access.verifiedAt).toBeGreaterThan(verifiedAt));
        expect(there.access.isDown).toBe(false);
      } finally {
        await proxy.close();
      }
    });

    test("changes although another user of the database announced it before", async () => {
      const [{ access: here }, node] = await openNodes();
      const { access: there } = node;
      const database = await databaseOf(node);
      await server.execute(
        "SELECT pg_notify('bourse_access', announced::text) FROM generate_series(1, 20) AS announced",
        database,
      );
      // Both nodes have received every notification.
      await addTokens(here, "otto", 1);
      await until(() => expect(there.version()).toBeGreaterThan(0));
      await until(async () => expect(await there.run(findUser("otto"))).not.toBeNull());
      const before = there.version();
      await here.transaction(() => addUser(anna));
      await until(() => expect(there.version()).toBeGreaterThan(before));
    });

    test("shows changes that an operator makes with psql", async () => {
      const [node] = await openNodes();
      const before = node.access.version();
      await server.execute(
        `INSERT INTO bourse.users (name, plan, created_at) VALUES ('otto', 'max', 0);
         DELETE FROM bourse.users`,
        await databaseOf(node),
      );
      await until(() => expect(node.access.version()).toBeGreaterThan(before));
    });
  });

  test("changes accounts while a user without any right holds advisory locks", async () => {
    const [node] = await openNodes();
    const name = await databaseOf(node);
    await server.execute("CREATE USER stranger");
    const url = server.url(name).replace("postgres@", "stranger@");
    const stranger = new SQL({ url, max: 1 });
    try {
      // 1651471730 was the class of the locks of an earlier version.
      await stranger`SELECT pg_advisory_lock(1651471730, lock) FROM generate_series(0, 9) AS lock`;
      await node.access.transaction(() => addUser(anna));
      expect(await node.access.run(findUser("anna"))).not.toBeNull();
      const locking = stranger`SELECT FROM bourse.access_version FOR UPDATE`;
      expect(await locking.catch(String)).toContain("permission denied");
    } finally {
      await stranger.close();
    }
  });

  test("refuses tables of a newer bourse and closes the connections, so that a command ends", async () => {
    const database = await server.createDatabase();
    await (await openAccessNode(server, database)).access.close();
    await server.execute("UPDATE bourse.schema_versions SET version = 99", database);
    const open = () => openAccessNode(server, database);
    expect((await expectError(open, "unavailable")).message).toContain(
      "upgraded by a newer bourse",
    );
    await until(async () =>
      expect(
        await server.execute(
          `SELECT pid FROM pg_stat_activity WHERE application_name = 'bourse' AND datname = '${database}'`,
        ),
      ).toEqual([]),
    );
  });

  test("transactions of different nodes do not overlap: of two, only one adds the last user", async () => {
    const nodes = await openNodes();
    const addIfFirst = function* (name: string) {
      const others = yield* listUsers(0);
      return others.length === 0 && (yield* addUser({ ...anna, name }));
    };
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        itemOf(nodes, i).access.transaction(() => addIfFirst(`user ${i}`)),
      ),
    );
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await nodes[0].access.run(listUsers(0))).toHaveLength(1);
  });

  test("finds the tokens of many prefixes in one statement, in order", async () => {
    const [node] = await openNodes();
    const ids = await addTokens(node.access, "anna", 3);
    const stored = await node.postgres.query<{ id: number; prefix: string; hash: Uint8Array }>(
      "SELECT id, prefix, hash FROM tokens ORDER BY id",
    );
    const prefixes = [
      itemOf(stored, 2).prefix,
      "unknown",
      itemOf(stored, 0).prefix,
      itemOf(stored, 2).prefix,
    ];
    const found = await node.access.listCandidates(prefixes);
    expect(found.map((list) => list.map(({ id }) => id))).toEqual([
      [itemOf(ids, 2)],
      [],
      [itemOf(ids, 0)],
      [itemOf(ids, 2)],
    ]);
    expect(found[0]).toMatchObject([
      {
        id: itemOf(ids, 2),
        hash: itemOf(stored, 2).hash,
        user: "anna",
        plan: "max",
        expiresAt: null,
        revokedAt: null,
      },
    ]);
    expect(await node.access.listCandidates([])).toEqual([]);
  });

  test("replaces the character 0, which Postgres cannot store", async () => {
    const [node] = await openNodes();
    await node.access.transaction(() => addUser({ ...anna, name: "a\0b\ud800" }));
    const [user] = await node.access.run(listUsers(0));
    expect(user?.name).toBe("a\ufffdb\ufffd");
    expect(await node.access.run(findUser("a\0b"))).toBeNull();
  });

  describe("the gate", () => {
    /** Makes `cluster_now()` a value that the test sets. */
    async function setMinute(node: AccessNode, minute: number): Promise<void> {
      await node.postgres.query(
        `CREATE OR REPLACE FUNCTION cluster_now() RETURNS double precision LANGUAGE sql VOLATILE AS
           'SELECT ${minute * 60_000 + 5}::double precision'`,
      );
    }
    const chunk = (address: string) => ({ address, chunk: 20, ceiling: 50 });

    test("grants chunks up to the ceiling for all nodes together, and again in the next minute", async () => {
      const [one, two] = await openNodes();
      await setMinute(one, 1_000_000);
      const take = async (node: AccessNode, ...addresses: string[]) =>
        (await node.access.gate.takeChunks(addresses.map(chunk))).granted;
      expect(await take(one, "192.0.2.1", "192.0.2.2")).toEqual([20, 20]);
      expect(await take(two, "192.0.2.2", "192.0.2.1")).toEqual([20, 20]);
      expect(await take(one, "192.0.2.1", "192.0.2.3")).toEqual([10, 20]);
      expect(await take(two, "192.0.2.1")).toEqual([0]);
      await setMinute(one, 1_000_001);
      expect(await one.access.gate.takeChunks([chunk("192.0.2.1")])).toEqual({
        now: 60_000_060_005,
        granted: [20],
      });
      expect(await take(two)).toEqual([]);
    });

    test("removes the rows of earlier minutes, however many", async () => {
      const [node] = await openNodes();
      await node.postgres.query(
        "INSERT INTO gate_chunks SELECT 'address ' || n, 999999, 20 FROM generate_series(1, 12000) AS n",
      );
      await setMinute(node, 1_000_000);
      await node.access.gate.takeChunks([chunk("192.0.2.1")]);
      await until(async () =>
        expect(await node.postgres.query("SELECT address, minute FROM gate_chunks")).toEqual([
          { address: "192.0.2.1", minute: 1_000_000 },
        ]),
      );
    });

    test("many nodes at the same time: exact, and no deadlock", async () => {
      const nodes = await openNodes();
      await setMinute(nodes[0], 1_000_000);
      const addresses = Array.from({ length: 40 }, (_, i) => `192.0.2.${i}`);
      const granted = new Map<string, number>();
      await Promise.all(
        Array.from({ length: 16 }, async (_, i) => {
          const wanted = (i % 2 ? addresses : addresses.toReversed()).map(chunk);
          const answer = await itemOf(nodes, i).access.gate.takeChunks(wanted);
          for (const [j, { address }] of wanted.entries())
            granted.set(address, (granted.get(address) ?? 0) + itemOf(answer.granted, j));
        }),
      );
      expect([...granted.values()]).toEqual(addresses.map(() => 50));
    });
  });

  describe("sessions", () => {
    const NOW = 1_795_000_000_000;
    const MINUTE = 60_000;
    const HOUR = 60 * MINUTE;

    /** Nodes, the sign-in of the first one, and what starts sessions of anna. */
    async function openSignIn() {
      const [node, other] = await openNodes();
      await node.access.transaction(() => addUser(anna));
      const userId = (await node.access.run(findUser("anna")))?.id ?? 0;
      const time = { now: NOW };
      const start = async (now: number) => {
        const secret = createSecret();
        const hash = hashSecret(secret);
        await node.access.run(addSession({ hash, userId, address: "::1", browser: "", now }));
        return secret;
      };
      const signIn = new SignIn(node.access, () => time.now);
      const otherSignIn = new SignIn(other.access, () => time.now);
      return { node, time, signIn, otherSignIn, start };
    }

    const findAll = (signIn: SignIn, secrets: readonly string[]) =>
      Promise.all(secrets.map(async (secret) => signIn.findSession(secret)));

    /** The statements about sessions that a node sends from now on. */
    function statementsOf({ postgres }: AccessNode): () => number {
      const one = spyOn(postgres, "query");
      const work = spyOn(postgres, "run");
      const isAbout = ([sql]: Parameters<typeof postgres.query>) => sql.includes("sessions");
      return () => one.mock.calls.filter(isAbout).length + work.mock.calls.length;
    }

    test("are looked up in one statement for all requests of a turn, which notes their use", async () => {
      const { node, time, signIn, start } = await openSignIn();
      const used = await start(NOW - MINUTE + 1);
      const idle = await start(NOW - MINUTE);
      const ended = await start(NOW - 12 * HOUR);
      const expected = new Map<string, Partial<StoredSession> | null>([
        [used, { user: "anna", plan: "free", hasPassword: false, lastUsedAt: NOW - MINUTE + 1 }],
        [idle, { user: "anna", role: "user", lastUsedAt: NOW - MINUTE }],
        [ended, null],
        [createSecret(), null],
        ["no secret", null],
      ]);
      const statements = statementsOf(node);
      const asked = Array.from({ length: 30 }, () => [...expected]).flat();
      const found = await findAll(
        signIn,
        asked.map(([secret]) => secret),
      );
      expect(statements()).toBe(1);
      for (const [i, [, session]] of asked.entries())
        if (session === null) expect(found[i]).toBeNull();
        else expect(found[i]).toMatchObject(session);
      // A use is noted once a minute; the session that ended is as it was.
      time.now++;
      const usedAt = async (secret: string) => (await signIn.findSession(secret))?.lastUsedAt;
      expect(await usedAt(idle)).toBe(NOW);
      expect(await usedAt(used)).toBe(NOW - MINUTE + 1);
      expect(await usedAt(used)).toBe(NOW + 1);
      expect(await usedAt(ended)).toBeUndefined();
    });

    test("of two nodes at the same time: no deadlock", async () => {
      const { signIn, otherSignIn, start, time } = await openSignIn();
      const secrets = await Promise.all(Array.from({ length: 20 }, () => start(NOW - HOUR)));
      for (let round = 0; round < 10; round++) {
        time.now += HOUR;
        const found = await Promise.all([
          findAll(signIn, secrets),
          findAll(otherSignIn, secrets.toReversed()),
        ]);
        expect(found.flat()).not.toContain(null);
      }
    });

    test("4,000 requests with unknown cookies at the same time leave the database up", async () => {
      const { node, signIn } = await openSignIn();
      const statements = statementsOf(node);
      const secrets = Array.from({ length: 4_000 }, createSecret);
      const found = await findAll(signIn, secrets);
      expect(found.every((session) => session === null)).toBe(true);
      // At most 500 in a statement.
      expect(statements()).toBe(8);
      expect([node.access.isDown, node.access.outages]).toEqual([false, 0]);
    });
  });
});

/** The name of the database that a node is connected to. */
async function databaseOf({ postgres }: AccessNode): Promise<string> {
  const sql = "SELECT current_database()::text AS name";
  return itemOf(await postgres.query<{ name: string }>(sql), 0).name;
}
