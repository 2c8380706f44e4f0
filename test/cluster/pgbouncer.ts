import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { openClusterAccess } from "#store/access-cluster.ts";
import { Postgres } from "#store/postgres.ts";
import { addTokens, POSTGRES_PARTS } from "../support/cluster-access.ts";
import { expectError } from "../support/error.ts";
import { IS_PGBOUNCER_MISSING, TestPgBouncer } from "../support/pgbouncer.ts";
import { IS_POSTGRES_MISSING, TestPostgres, until } from "../support/postgres.ts";

// Not part of the suite (no .test in its name): it needs Postgres and PgBouncer.

const CEILINGS = { daily: 10, hourly: 10 };

describe.skipIf(IS_POSTGRES_MISSING || IS_PGBOUNCER_MISSING)("PgBouncer", () => {
  let server: TestPostgres;
  const opened: { close: () => Promise<void> }[] = [];
  const poolers: TestPgBouncer[] = [];
  const startPooler = async (...settings: string[]) => {
    const pooler = await TestPgBouncer.start(server, settings);
    poolers.push(pooler);
    return pooler;
  };
  const open = async ({ port }: TestPgBouncer, database = "test_1") => {
    const postgres = await Postgres.open(server.url(database, port), POSTGRES_PARTS);
    opened.push(postgres);
    return postgres;
  };

  beforeAll(async () => {
    server = await TestPostgres.start();
    const name = await server.createDatabase();
    // Settings of the database that would lose or refuse calls.
    await server.execute(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    await server.execute(`ALTER DATABASE ${name} SET default_transaction_isolation = serializable`);
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
    for (const pooler of poolers) await pooler.kill();
    await server?.kill();
  });

  test("in session mode: settings, transactions, prepared statements and notifications work", async () => {
    const postgres = await open(await startPooler("pool_mode = session"));
    const access = await openClusterAccess(postgres);
    const [tokenId = 0] = await addTokens(access, "anna", 1);
    const charge = () => access.usage.charge([{ tokenId, calls: 1, ceilings: CEILINGS }]);
    const granted: number[] = [];
    for (let i = 0; i < 12; i++) granted.push((await charge()).granted[0]?.calls ?? -1);
    expect(granted).toEqual([...Array(10).fill(1), 0, 0]);
    expect(await settingsOf(postgres)).toEqual(SETTINGS);
    const heard: string[] = [];
    await postgres.listen("news", (payload) => heard.push(payload));
    await postgres.notify("news", ["one"]);
    await until(() => expect(heard).toEqual(["one"]));
  });

  test("that is killed and started again: the new connections have the settings again", async () => {
    const pooler = await startPooler("pool_mode = session");
    const postgres = await open(pooler);
    let timesListening = 0;
    await postgres.listen(
      "news",
      () => {},
      () => timesListening++,
    );
    await pooler.kill();
    await until(() => expect(postgres.isDown).toBe(true));
    await expectError(() => postgres.query("SELECT 1"), "unavailable");
    await pooler.start();
    await until(() => postgres.query("SELECT 1"));
    expect(await settingsOf(postgres)).toEqual(SETTINGS);
    expect([postgres.outages, timesListening]).toEqual([1, 2]);
  });

  test("that ignores the settings of a connection gets them by statements", async () => {
    const ignored =
      "search_path, default_transaction_isolation, synchronous_commit, enable_seqscan, jit, plan_cache_mode, tcp_keepalives_idle, statement_timeout, idle_in_transaction_session_timeout";
    const pooler = await startPooler(
      "pool_mode = session",
      `ignore_startup_parameters = ${ignored}`,
    );
    expect(await settingsOf(await open(pooler))).toEqual(SETTINGS);
  });

  test.each(["transaction", "statement"])(
    "in %s mode is refused with the setting to change",
    async (mode) => {
      const pooler = await startPooler(`pool_mode = ${mode}`);
      for (let round = 0; round < 3; round++) {
        const { message } = await expectError(() => open(pooler), "unavailable");
        expect(message).toContain("set pool_mode=session for the database in PgBouncer");
        // Another program that gets the same connection to the server has its own settings.
        const other = new SQL({ url: server.url("test_1", pooler.port), max: 1, prepare: false });
        const [row] = await other.unsafe<{ path: string }[]>(
          "SELECT current_setting('search_path') AS path",
        );
        expect(row?.path).toBe('"$user", public');
        await other.close();
      }
    },
  );

  test("that does not know the database is named, without the address", async () => {
    const pooler = await startPooler("pool_mode = session");
    const { message } = await expectError(() => open(pooler, "missing"), "unavailable");
    expect(message).toContain("must know the database and the user");
    expect(message).not.toContain("missing");
  });
});

const SETTINGS = {
  path: "bourse",
  commit: "on",
  isolation: "read committed",
  timeout: "900ms",
  idle: "2s",
};

/** The settings of both connections, which must be the same. */
async function settingsOf(postgres: Postgres): Promise<unknown> {
  const sql = `SELECT current_setting('search_path') AS path, current_setting('synchronous_commit') AS commit,
    current_setting('transaction_isolation') AS isolation, current_setting('statement_timeout') AS timeout,
    current_setting('idle_in_transaction_session_timeout') AS idle FROM pg_sleep(0.05)`;
  const rows = await Promise.all([postgres.query(sql), postgres.query(sql)]);
  const [first] = rows.flat();
  expect(rows.flat()).toEqual([first, first]);
  return first;
}
