import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "#lib/log.ts";
import { openClusterAccess } from "#store/access-cluster.ts";
import { Postgres } from "#store/postgres.ts";
import { migratePostgres } from "#store/postgres-schema.ts";
import { findRow, listRows, runStatement } from "#store/work.ts";
import { openFolder } from "../support/access.ts";
import { CLIENT_CERTIFICATE, CLIENT_KEY } from "../support/certificate.ts";
import { spawnChild } from "../support/child-process.ts";
import { expectError } from "../support/error.ts";
import { allowedMs, quickestOf, timeOf } from "../support/pace.ts";
import { IS_POSTGRES_MISSING, TestPostgres, until } from "../support/postgres.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

/** How much longer than its limit a statement may take on a busy machine. */
const GRACE_MS = 700;

describe.skipIf(IS_POSTGRES_MISSING)("Postgres", () => {
  let server: TestPostgres;
  const lines: string[] = [];
  const parts = {
    clock: Date.now,
    log: createLog({ format: "text", write: (line) => lines.push(line), clock: Date.now }),
  };
  const opened: { close: () => Promise<void> }[] = [];

  async function open(port = server.port): Promise<Postgres> {
    const postgres = await Postgres.open(server.url("postgres", port), parts);
    opened.push(postgres);
    return postgres;
  }

  async function openProxy(): Promise<TcpProxy> {
    const proxy = await TcpProxy.open(server.port);
    opened.unshift(proxy);
    return proxy;
  }

  beforeAll(async () => {
    server = await TestPostgres.start();
    await server.execute("CREATE SCHEMA bourse");
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
    await server?.kill();
  });

  test("a connection that breaks while nothing is sent is an outage, because the database may be another one then", async () => {
    const postgres = await open();
    await postgres.query("SELECT 1");
    expect(postgres.outages).toBe(0);
    await server.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bourse'",
    );
    await until(() => expect(postgres.outages).toBe(1));
    await until(async () => expect(await postgres.query("SELECT 1 AS one")).toEqual([{ one: 1 }]));
  });

  describe("statements", () => {
    test("take numbers, text, bytes, null and arrays, and return the same", async () => {
      const postgres = await open();
      const rows = await postgres.query(
        `SELECT $1::integer AS whole, $2::double precision AS instant, $3::text AS name,
           $4::bytea AS hash, $5::text AS nothing,
           ARRAY(SELECT id + 1 FROM unnest($6::integer[]) AS id)::text AS more`,
        [7, 1_795_000_000_123, "Ðà\0".slice(0, 2), new Uint8Array([0, 255]), null, [1, 2]],
      );
      expect(rows).toEqual([
        {
          whole: 7,
          instant: 1_795_000_000_123,
          name: "Ðà",
          hash: Buffer.from([0, 255]),
          nothing: null,
          more: "{2,3}",
        },
      ]);
    });

    test("of work have named parameters, and return rows and the number of changes", async () => {
      const postgres = await open();
      await postgres.query("CREATE TABLE words (id integer, word text)");
      const steps = function* () {
        const values = { id: 1, word: "$id", other: 2 };
        const added = yield* runStatement(
          "INSERT INTO words (id, word) VALUES ($id, $word), ($other, $word)",
          values,
        );
        const changed = yield* runStatement("UPDATE words SET word = 'two' WHERE id = 2");
        const rows = yield* listRows("SELECT id, word FROM words ORDER BY id");
        const missing = yield* findRow("SELECT id FROM words WHERE id > $id", { id: 9 });
        return { added, changed, rows, missing };
      };
      expect(await postgres.run(steps())).toEqual({
        added: 2,
        changed: 1,
        rows: [
          { id: 1, word: "$id" },
          { id: 2, word: "two" },
        ],
        missing: null,
      });
      const lacking = function* () {
        return yield* listRows("SELECT $id", {});
      };
      expect(await thrown(postgres.run(lacking()))).toContain("no value for $id");
    });

    test("give their errors to the work, which can go on", async () => {
      const postgres = await open();
      const steps = function* () {
        try {
          yield* listRows("SELECT 1 / 0");
          return "no error";
        } catch (error) {
          return String(error);
        }
      };
      expect(await postgres.run(steps())).toContain("division by zero");
      expect(postgres.isDown).toBe(false);
    });

    test("are planned once for a connection, because planning takes longer than most of them", async () => {
      const postgres = await open();
      const lookUp = (ids: number[]) =>
        postgres.query("SELECT relname FROM pg_class WHERE oid = ANY($1::integer[])", [ids]);
      for (let i = 0; i < 10; i++) await lookUp([1, 2, 3]);
      const plans = () =>
        postgres.query(
          `SELECT generic_plans > 0 AS generic, custom_plans FROM pg_prepared_statements
           WHERE statement LIKE '%relname%ANY($1%' AND statement NOT LIKE '%generic_plans%'`,
        );
      const both = await Promise.all([plans(), plans()]);
      expect(both.flat().length).toBeWithin(1, 3);
      for (const row of both.flat()) expect(row).toEqual({ generic: true, custom_plans: "0" });
    });

    test("of two nodes that write one row both succeed, and are durable, whatever the defaults are", async () => {
      const name = await server.createDatabase();
      const defaults = { default_transaction_isolation: "serializable", synchronous_commit: "off" };
      for (const [setting, value] of Object.entries(defaults))
        await server.execute(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
      await server.execute("CREATE TABLE counter AS SELECT 0 AS calls", name);
      const nodes = [0, 1].map(() => Postgres.open(server.url(name), parts));
      opened.push(...(await Promise.all(nodes)));
      const counted = nodes.flatMap((node) =>
        Array.from({ length: 50 }, async () =>
          (await node).query("UPDATE public.counter SET calls = calls + 1"),
        ),
      );
      await Promise.all(counted);
      expect(await server.execute("SELECT calls FROM counter", name)).toEqual([{ calls: 100 }]);
      expect(await (await nodes[0])?.query("SHOW synchronous_commit")).toEqual([
        { synchronous_commit: "on" },
      ]);
    });

    test("that are too slow are ended by the server, and the connections stay", async () => {
      const postgres = await open();
      const other = postgres.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      const slow = postgres.query("SELECT pg_sleep(30)");
      expect((await expectError(() => slow, "unavailable")).details.retryAfterSeconds).toBe(1);
      expect(postgres.isDown).toBe(false);
      expect(await other).toHaveLength(1);
      const running = await server.execute(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(30)'",
      );
      expect(running).toEqual([]);
    });
  });

  describe("a table or a right that an operator takes away", () => {
    test("makes its statements unavailable, with one line in the log, until it is back", async () => {
      const postgres = await open();
      await postgres.query("CREATE SCHEMA IF NOT EXISTS bourse");
      await postgres.query("CREATE TABLE lent (id integer)");
      const read = () => postgres.query("SELECT id FROM lent");
      const refused = () => lines.filter((line) => line.includes("42P01"));
      await postgres.query("ALTER TABLE lent RENAME TO taken");
      for (let i = 0; i < 5; i++) {
        const { details } = await expectError(read, "unavailable");
        expect(details.retryAfterSeconds).toBe(1);
      }
      expect(refused()).toHaveLength(1);
      expect(postgres.isDown).toBe(false);
      await postgres.query("ALTER TABLE taken RENAME TO lent");
      expect(await read()).toEqual([]);
      await postgres.query("DROP TABLE lent");
    });

    test("so does the whole schema", async () => {
      const name = await server.createDatabase();
      const access = await openClusterAccess(await Postgres.open(server.url(name), parts));
      opened.push(access);
      const ceilings = { daily: 1, hourly: 1 };
      const charge = () => access.usage.charge([{ tokenId: 1, calls: 1, ceilings }]);
      await server.execute("ALTER SCHEMA bourse RENAME TO lent", name);
      await expectError(charge, "unavailable");
      await server.execute("ALTER SCHEMA lent RENAME TO bourse", name);
      expect((await charge()).granted).toEqual([null]);
    });
  });

  describe("a transaction", () => {
    test("is undone by an error, and by a failed statement whose error was ignored", async () => {
      const postgres = await open();
      await postgres.query("CREATE TABLE numbers (n integer)");
      const add = (n: number, fail: () => Promise<unknown>) =>
        postgres.transaction(async (transaction) => {
          await transaction.query("INSERT INTO numbers VALUES ($1)", [n]);
          await fail();
          return n;
        });
      expect(await add(1, async () => {})).toBe(1);
      expect(await thrown(add(2, () => Promise.reject(new Error("stop"))))).toBe("Error: stop");
      const ignored = postgres.transaction(async (transaction) => {
        await transaction.query("INSERT INTO numbers VALUES (3)");
        await transaction.query("SELECT 1 / 0").catch(() => {});
      });
      expect(await thrown(ignored)).toContain("failed statement");
      expect(await postgres.query("SELECT n FROM numbers")).toEqual([{ n: 1 }]);
    });

    test("does not overlap another one of the node, and leaves a connection for statements", async () => {
      const postgres = await open();
      const events: string[] = [];
      const gate = Promise.withResolvers<void>();
      const first = postgres.transaction(async (transaction) => {
        await transaction.query("SELECT 1");
        events.push("first begins");
        await gate.promise;
        events.push("first ends");
      });
      const second = postgres.transaction(async () => void events.push("second"));
      expect(await postgres.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
      gate.resolve();
      await Promise.all([first, second]);
      expect(events).toEqual(["first begins", "first ends", "second"]);
    });

    test("whose node no longer answers is ended by the server, so its locks are free", async () => {
      const [stuck, postgres] = [await open(), await open()];
      const gate = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const holder = stuck.transaction(async (transaction) => {
        await transaction.query("SELECT pg_advisory_xact_lock(7)");
        held.resolve();
        await gate.promise;
      });
      await held.promise;
      const lock = (key: number) =>
        postgres.transaction((one) => one.query(`SELECT pg_advisory_xact_lock(${key})`));
      const usualMs = await timeOf(() => lock(8));
      const tookMs = await timeOf(() => until(() => lock(7)));
      expect(tookMs).toBeLessThan(allowedMs(2_000 + 3 * GRACE_MS, usualMs));
      gate.resolve();
      await expectError(() => holder, "unavailable");
    });
  });

  describe("a migration", () => {
    const first = "CREATE TABLE notes (id integer); INSERT INTO notes VALUES (1);";
    const second = "ALTER TABLE notes ADD COLUMN text text; INSERT INTO notes VALUES (2, 'two');";
    const openEmpty = async () => {
      const name = await server.createDatabase();
      return async () => {
        const postgres = await Postgres.open(server.url(name), parts);
        opened.push(postgres);
        return postgres;
      };
    };

    test("runs each script once, also if several nodes start at the same time", async () => {
      const openNode = await openEmpty();
      const nodes = await Promise.all([openNode(), openNode(), openNode()]);
      const migrations = [first, second];
      await Promise.all(nodes.map((node) => migratePostgres(node, { name: "notes", migrations })));
      const [node] = nodes;
      expect(await node?.query("SELECT id, text FROM bourse.notes ORDER BY id")).toEqual([
        { id: 1, text: null },
        { id: 2, text: "two" },
      ]);
    });

    test("of a newer version adds to the tables; a node of the older version then refuses", async () => {
      const openNode = await openEmpty();
      const [older, newer] = [await openNode(), await openNode()];
      await migratePostgres(older, { name: "notes", migrations: [first] });
      await migratePostgres(newer, { name: "notes", migrations: [first, second] });
      // The older one goes on until it is started again.
      expect(await older.query("SELECT id FROM notes ORDER BY id")).toEqual([{ id: 1 }, { id: 2 }]);
      const { message } = await expectError(
        () => migratePostgres(older, { name: "notes", migrations: [first] }),
        "unavailable",
      );
      expect(message).toBe(
        "The cluster's database was upgraded by a newer bourse (notes: schema 2, this one knows 1); upgrade bourse on this machine.",
      );
      await migratePostgres(newer, { name: "other notes", migrations: [] });
    });

    test("that fails changes nothing, and a corrected one succeeds", async () => {
      const node = await (await openEmpty())();
      const broken = `${first} SELECT 1 / 0;`;
      const migrate = (script: string) =>
        migratePostgres(node, { name: "notes", migrations: [script] });
      expect(await thrown(migrate(broken))).toContain("division by zero");
      await migrate(first);
      expect(await node.query("SELECT id FROM notes")).toEqual([{ id: 1 }]);
    });

    test("by a user who may not create tables is refused with the remedy", async () => {
      await server.execute("CREATE USER guest");
      const name = await server.createDatabase();
      const url = server.url(name).replace("postgres@", "guest@");
      const guest = await Postgres.open(url, parts);
      opened.push(guest);
      const migrate = () => migratePostgres(guest, { name: "notes", migrations: [] });
      expect((await expectError(migrate, "unavailable")).message).toContain("own the database");
    });

    test("sets the clock of the cluster: whole milliseconds of UTC", async () => {
      const node = await (await openEmpty())();
      await migratePostgres(node, { name: "notes", migrations: [] });
      const before = Date.now();
      const [row] = await node.query<{ now: number }>("SELECT cluster_now() AS now");
      expect(row?.now).toBeWithin(before - 1, Date.now() + 1);
      expect(Number.isInteger(row?.now)).toBe(true);
    });
  });

  test("refuses statements when too many wait, and keeps its connections", async () => {
    const postgres = await open();
    const sent = Array.from({ length: 4_000 }, () => postgres.query("SELECT pg_sleep(0.01)"));
    const settled = await Promise.allSettled(sent);
    const errors = settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    // Two at once, for at most a second while the others wait, and the statements that run then.
    expect(4_000 - errors.length).toBeWithin(1, 203);
    for (const error of errors)
      expect(error).toMatchObject({ code: "unavailable", details: { retryAfterSeconds: 1 } });
    expect([postgres.isDown, postgres.outages]).toEqual([false, 0]);
    expect(await postgres.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  describe("when the server fails", () => {
    test("a frozen server: statements fail after a second, then at once; it recovers by itself", async () => {
      const postgres = await open();
      const heard: string[] = [];
      let timesListening = 0;
      await postgres.listen(
        "news",
        (payload) => heard.push(payload),
        () => timesListening++,
      );
      expect(timesListening).toBe(1);
      const usualMs = await timeOf(() => postgres.query("SELECT 1"));
      server.freeze();
      try {
        const late = await timeOf(() => postgres.query("SELECT 1"));
        expect(late).toBeGreaterThan(900);
        expect(late).toBeLessThan(allowedMs(1_000 + GRACE_MS, usualMs));
        expect(postgres.isDown).toBe(true);
        expect(await quickestOf(() => postgres.query("SELECT 1"))).toBeLessThan(50);
        const transact = () => postgres.transaction((one) => one.query("SELECT 1"));
        expect(await quickestOf(transact)).toBeLessThan(50);
      } finally {
        server.thaw();
      }
      const verifiedAt = postgres.verifiedAt;
      await until(() => postgres.query("SELECT 1"));
      await until(() => expect(postgres.verifiedAt).toBeGreaterThan(verifiedAt));
      expect(timesListening).toBe(2);
      await postgres.query("NOTIFY news, 'again'");
      await until(() => expect(heard).toEqual(["again"]));
    });

    test("kill -9 and a restart: committed data is there, and nothing has to be opened again", async () => {
      const postgres = await open();
      let timesListening = 0;
      await postgres.listen(
        "news",
        () => {},
        () => timesListening++,
      );
      await postgres.query("CREATE TABLE kept AS SELECT 1 AS n");
      await server.kill();
      await expectError(() => postgres.query("SELECT 1"), "unavailable");
      const { details } = await expectError(() => postgres.query("SELECT 1"), "unavailable");
      expect(details.retryAfterSeconds).toBeWithin(1, 6);
      await server.start();
      await until(() => postgres.query("SELECT 1"));
      expect(await postgres.query("SELECT n FROM kept")).toEqual([{ n: 1 }]);
      expect(timesListening).toBe(2);
    });

    test("a network that drops everything, and one that cuts and refuses connections", async () => {
      const proxy = await openProxy();
      const postgres = await open(proxy.port);
      for (const [fail, limitMs] of [
        [() => proxy.silence(), 1_000 + GRACE_MS],
        [() => proxy.cut(), GRACE_MS],
      ] as const) {
        const usualMs = await timeOf(() => postgres.query("SELECT 1"));
        fail();
        const failedMs = await timeOf(() => postgres.query("SELECT 1"));
        expect(failedMs).toBeLessThan(allowedMs(limitMs, usualMs));
        expect(postgres.isDown).toBe(true);
        proxy.resume();
        const backMs = await timeOf(() => until(() => postgres.query("SELECT 1")));
        expect(backMs).toBeLessThan(allowedMs(1_500 + GRACE_MS, usualMs));
      }
    });

    test("one lost connection is replaced at once, that of the listener too", async () => {
      const postgres = await open();
      const heard: string[] = [];
      let timesListening = 0;
      await postgres.listen(
        "lost",
        (payload) => heard.push(payload),
        () => timesListening++,
      );
      await server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bourse'",
      );
      await until(() => postgres.query("SELECT 1"));
      await until(() => expect(timesListening).toBeGreaterThan(1));
      await postgres.query("NOTIFY lost, 'one'");
      await until(() => expect(heard.slice(-1)).toEqual(["one"]));
    });

    test("a network that forgets idle connections: the server checks each of them every minute", async () => {
      const postgres = await open();
      // The connection that listens has the same settings.
      const [row] = await postgres.query("SHOW tcp_keepalives_idle");
      expect(row).toEqual({ tcp_keepalives_idle: "60" });
    });

    test("the poll runs its work again after an outage, and a failure of it is not verified", async () => {
      const postgres = await open();
      let polls = 0;
      let fails = false;
      postgres.addPoll(async () => {
        polls++;
        await postgres.query(fails ? "SELECT 1 / 0" : "SELECT 1");
      });
      await until(() => expect(polls).toBeGreaterThan(1));
      fails = true;
      const verifiedAt = () => postgres.verifiedAt;
      const pollsBefore = polls;
      await until(() => expect(polls).toBeGreaterThan(pollsBefore + 1));
      const failedFrom = verifiedAt();
      const more = polls;
      await until(() => expect(polls).toBeGreaterThan(more + 1));
      expect(verifiedAt()).toBe(failedFrom);
      expect(postgres.isDown).toBe(false);
      fails = false;
      await until(() => expect(verifiedAt()).toBeGreaterThan(failedFrom));
    });
  });

  test("a Unix socket, in each form of the address, and after a restart of the server", async () => {
    const folder = mkdtempSync(join(tmpdir(), "socket-"));
    chmodSync(folder, 0o777);
    const local = await TestPostgres.start([`unix_socket_directories=${folder}`]);
    opened.push({ close: () => local.kill() });
    const escaped = encodeURIComponent(folder);
    const addresses = [
      `postgres://postgres@:${local.port}/postgres?host=${folder}`,
      `postgres://postgres@localhost:${local.port}/postgres?host=${escaped}&sslmode=require`,
      `postgresql://:${local.port}/postgres?host=${folder}&user=postgres`,
      `postgres://postgres@${escaped}:${local.port}/postgres`,
    ];
    for (const address of addresses) {
      const postgres = await Postgres.open(address, parts);
      opened.unshift(postgres);
      const sql = 'SELECT inet_client_addr() IS NULL AS "isLocal", current_user AS name';
      expect(await postgres.query(sql)).toEqual([{ isLocal: true, name: "postgres" }]);
      if (address !== addresses[0]) continue;
      const heard: string[] = [];
      await postgres.listen("news", (payload) => heard.push(payload));
      await local.kill();
      await local.start();
      await until(() => postgres.query("NOTIFY news, 'one'"));
      await until(() => expect(heard).toEqual(["one"]));
    }
    const missing = `postgres://postgres@/postgres?host=${folder}/missing`;
    const { message } = await expectError(() => Postgres.open(missing, parts), "unavailable");
    expect(message).toContain("no server that answers");
    expect(message).not.toContain(folder);
  });

  describe("at the start", () => {
    const refusals = {
      "no address": ["mysql://anna:secret@db.example/bourse", "not a Postgres address"],
      "an address that cannot be read": [
        "postgres://anna:secret@[db.example/bourse",
        "not a Postgres address",
      ],
      "an unknown sslmode": [
        "postgres://anna:secret@db.example/bourse?sslmode=on",
        "none of disable",
      ],
      "nothing listens": ["postgres://anna:secret@127.0.0.1:1/bourse", "no server that answers"],
    };
    for (const [name, [url = "", problem = ""]] of Object.entries(refusals)) {
      test(`${name}: one sentence that leaks nothing`, async () => {
        const { message } = await expectError(() => Postgres.open(url, parts), "unavailable");
        expect(message).toContain(problem);
        expect(message).not.toMatch(/anna|secret|db\.example|127\.0\.0\.1/);
      });
    }

    test("an unknown database, user or a standby is named as such", async () => {
      const openDatabase = (name: string) => () => Postgres.open(server.url(name), parts);
      const missing = await expectError(openDatabase("missing"), "unavailable");
      expect(missing.message).toContain("names a database that does not exist");
      const url = server.url().replace("postgres@", "stranger:secret@");
      const stranger = await expectError(() => Postgres.open(url, parts), "unavailable");
      expect(stranger.message).toContain("a user that the server does not know");
      const prisma = await expectError(openDatabase("postgres?pgbouncer=true"), "unavailable");
      expect(prisma.message).toContain("has a parameter that Postgres does not know; after the ?");
      const name = await server.createDatabase();
      await server.execute(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      const standby = await expectError(openDatabase(name), "unavailable");
      expect(standby.message).toContain("read-only standby");
    });

    test("a database that cannot store all text is refused", async () => {
      const create = async (encoding: string) => {
        const name = `in_${encoding.toLowerCase()}`;
        const options = `ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`;
        await server.execute(`CREATE DATABASE ${name} ${options}`);
        return Postgres.open(server.url(name), parts);
      };
      const { message } = await expectError(() => create("LATIN1"), "unavailable");
      expect(message).toContain("the encoding LATIN1, but bourse needs UTF8");
      // Without a locale, initdb makes databases that store the bytes of UTF-8 as they are.
      const plain = await create("SQL_ASCII");
      opened.push(plain);
      expect(await plain.query("SELECT $1::text AS text", ["東証 é"])).toEqual([
        { text: "東証 é" },
      ]);
    });
  });

  describe("with TLS and passwords", () => {
    /** Lines of a file in the server's data folder; only the server's user can read it. */
    const write = (file: string, lines: string) =>
      server.execute(
        `COPY (SELECT unnest(string_to_array('${lines.trim()}', E'\\n')))
         TO PROGRAM 'umask 077; cat > ${file}'`,
      );

    test("the reason of each refusal is named, and a correct address connects", async () => {
      await server.execute("CREATE USER anna PASSWORD 'p@ss/w:?#'");
      await server.execute("ALTER SYSTEM SET ssl = on");
      await write("server.crt", CLIENT_CERTIFICATE);
      await write("server.key", CLIENT_KEY);
      await write(
        "pg_hba.conf",
        "hostssl all anna 127.0.0.1/32 scram-sha-256\nhost all postgres 127.0.0.1/32 trust",
      );
      await server.execute("SELECT pg_reload_conf()");
      const address = (password: string, query: string) =>
        `${server.url().replace("postgres@", `anna:${encodeURIComponent(password)}@`)}${query}`;
      const refusals = [
        ["p@ss/w:?#", "?sslmode=disable", "or not with this kind of connection (sslmode"],
        ["p@ss/w:?#", "?sslmode=verify-full&sslrootcert=/missing.crt", "does not exist"],
        ["wrong", "?sslmode=require", "a user or a password that the server refuses"],
        ["p@ss/w:?#", "?sslmode=verify-full", "certificate is not trusted"],
      ] as const;
      for (const [password, query, problem] of refusals) {
        const open = () => Postgres.open(address(password, query), parts);
        // The server needs a moment to read its new configuration.
        await until(async () =>
          expect((await expectError(open, "unavailable")).message).toContain(problem),
        );
      }
      const sql =
        "SELECT ssl, usename::text FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE pid = pg_backend_pid()";
      // TLS is used without a word in the address, because the server offers it.
      for (const query of ["", "?sslmode=require"]) {
        const postgres = await Postgres.open(address("p@ss/w:?#", query), parts);
        opened.push(postgres);
        expect(await postgres.query(sql)).toEqual([{ ssl: true, usename: "anna" }]);
      }
    });

    test.skipIf(Bun.which("openssl") === null)(
      "verify-full accepts the certificate of the given authority for the given host only",
      async () => {
        using folder = openFolder();
        const { certificate, key, authority } = await createCertificates(folder.path);
        await write("server.crt", certificate);
        await write("server.key", key);
        await server.execute("ALTER SYSTEM SET ssl = on");
        await server.execute("SELECT pg_reload_conf()");
        const query = `?sslmode=verify-full&sslrootcert=${authority}`;
        const at = (host: string) => server.url().replace("127.0.0.1", host) + query;
        const postgres = await until(() => Postgres.open(at("localhost"), parts));
        opened.push(postgres);
        const sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        expect(await postgres.query(sql)).toEqual([{ ssl: true }]);
        const { message } = await expectError(
          () => Postgres.open(at("127.0.0.1"), parts),
          "unavailable",
        );
        expect(message).toContain("whose certificate is not trusted");
      },
    );
  });

  test("errors and log lines have no address, user, password or database", () => {
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) expect(line).not.toMatch(/127\.0\.0\.1|postgres:|secret|@/);
  });
});

/** An authority, and a certificate of a server called localhost that it signed. */
async function createCertificates(folder: string) {
  const file = (name: string) => join(folder, name);
  const openssl = async (...args: string[]) => {
    const child = spawnChild(["openssl", ...args], { stdout: "ignore", stderr: "ignore" });
    expect(await child.exited).toBe(0);
  };
  const authority = file("ca.crt");
  const request = ["req", "-newkey", "rsa:2048", "-nodes", "-subj"];
  await openssl(...request, "/CN=Test", "-x509", "-keyout", file("ca.key"), "-out", authority);
  await openssl(...request, "/CN=localhost", "-keyout", file("key"), "-out", file("request"));
  await Bun.write(file("names"), "subjectAltName=DNS:localhost");
  const signer = ["-CA", authority, "-CAkey", file("ca.key"), "-CAcreateserial"];
  const names = ["-extfile", file("names")];
  const files = ["-in", file("request"), "-out", file("crt")];
  await openssl("x509", "-req", ...files, ...signer, ...names);
  const [certificate, key] = [
    await Bun.file(file("crt")).text(),
    await Bun.file(file("key")).text(),
  ];
  return { certificate, key, authority };
}

/** The text of the error that a promise is rejected with. */
const thrown = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "nothing was thrown",
    (error: unknown) => String(error),
  );
