import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer, connect } from "node:net";
import { chmodSync } from "node:fs";
import { ClusterNodes } from "#store/cluster-nodes.ts";
import { MarketLog } from "#store/market-log.ts";
import { Postgres } from "#store/postgres.ts";
import { POSTGRES_PARTS } from "../support/cluster-access.ts";
import { openFolder } from "../support/access.ts";
import { runAt } from "../support/cli.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "../support/postgres.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

describe.skipIf(IS_POSTGRES_MISSING)("doctor in a cluster", () => {
  const home = openFolder();
  let server: TestPostgres;
  let database: string;
  beforeAll(async () => {
    chmodSync(home.path, 0o700);
    server = await TestPostgres.start();
    await server.execute("CREATE ROLE operator LOGIN PASSWORD 'geheim'");
  });
  beforeEach(async () => {
    database = await server.createDatabase();
    await server.execute(`ALTER DATABASE ${database} OWNER TO operator`);
  });
  afterAll(async () => {
    await server?.kill();
    home[Symbol.dispose]();
  });

  const urlOf = (port: number) => `postgres://operator:geheim@127.0.0.1:${port}/${database}`;

  /** Runs a command of the cluster; the clock of this machine is ahead by that much. */
  async function run(aheadMs: number, port: number, ...argv: string[]) {
    const env = { BOURSE_DATA: home.path, BOURSE_PORT: "0", BOURSE_CLUSTER: urlOf(port) };
    const result = await runAt(() => Date.now() + aheadMs, env, ...argv);
    expect(result.stdout + result.stderr).not.toMatch(/geheim|operator/);
    return result;
  }

  /** What doctor finds: the level and the text by check. */
  async function diagnose({ aheadMs = 0, port = server.port } = {}) {
    const { code, stdout, stderr } = await run(aheadMs, port, "doctor", "--json");
    const findings = JSON.parse(stdout) as { check: string; level: string; text: string }[];
    const found = new Map(findings.map(({ check, level, text }) => [check, [level, text]]));
    return { code, stderr, checks: [...found.keys()], find: (check: string) => found.get(check) };
  }

  test("finds nothing to do, and does not look for access.db", async () => {
    expect((await run(0, server.port, "user", "add", "anna")).code).toBe(0);
    const { code, stderr, checks, find } = await diagnose();
    expect([code, stderr]).toEqual([0, ""]);
    expect(checks).toEqual([
      "folder",
      "disk",
      "market.db",
      "database",
      "tables",
      "database TLS",
      "database rights",
      "nodes",
      "database clock",
      "service",
      "proxy",
      "sources",
      "backup",
    ]);
    const [level, text] = find("database") ?? [];
    expect(level).toBe("ok");
    expect(text).toStartWith(
      `postgres://…@127.0.0.1:${server.port}/${database} answers (Postgres `,
    );
    expect(find("database clock")?.[0]).toBe("ok");
    expect(find("database TLS")).toEqual(["ok", "Clear text (sslmode=prefer)."]);
    expect(find("database rights")).toEqual([
      "warning",
      "Every user of the server can connect to the database, and send notifications to the nodes. Give bourse a database of its own: REVOKE CONNECT ON DATABASE … FROM PUBLIC",
    ]);
    await server.execute(`REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC`);
    expect((await diagnose()).find("database rights")?.[0]).toBe("ok");
  });

  test("warns if few places of OAuth clients are left", async () => {
    expect((await run(0, server.port, "user", "add", "anna")).code).toBe(0);
    // 450 of 500 places; a client whose token is revoked has none.
    await server.execute(
      `SET search_path = bourse;
       INSERT INTO oauth_clients SELECT 'c' || n, 'c', '[]', 0 FROM generate_series(1, 450) AS n;
       INSERT INTO tokens (id, user_id, prefix, hash, label, created_at, revoked_at)
       SELECT 1000 + n, users.id, 'p' || n, '', '', 0, CASE WHEN n = 1 THEN 1 END
       FROM users, generate_series(1, 450) AS n;
       INSERT INTO oauth_grants SELECT user_id, 'c' || (id - 1000), id FROM tokens WHERE id > 1000`,
      database,
    );
    expect((await diagnose()).find("clients")).toBeUndefined();
    await server.execute("UPDATE bourse.tokens SET revoked_at = NULL", database);
    const [level, text] = (await diagnose()).find("clients") ?? [];
    expect(level).toBe("warning");
    expect(text).toStartWith(
      "450 of 500 places of OAuth clients are taken; when all are, no new client can connect. Revoke the tokens of unused ones: ",
    );
  });

  test("names the node that is gone, and the one with other settings", async () => {
    const postgres = await Postgres.open(urlOf(server.port), POSTGRES_PARTS);
    try {
      await MarketLog.open(postgres);
      const nodes = new ClusterNodes(postgres);
      const beat = (host: string, gate: string) =>
        nodes.beat({
          id: crypto.randomUUID(),
          host,
          version: "1.0.0",
          build: "1.0.0 a",
          url: "http://10.0.0.1",
          leases: 0,
          applied: 0,
          fault: null,
          settings: { "gate-per-minute": gate },
        });
      await beat("a.example", "120");
      await beat("b.example", "120");
      await postgres.query("UPDATE nodes SET seen_at = seen_at - 5000 WHERE host = 'b.example'");
      await beat("c.example", "0");
      expect((await diagnose()).find("nodes")).toEqual([
        "warning",
        "b.example (http://10.0.0.1): gone. c.example (http://10.0.0.1): other gate-per-minute. Give all nodes the same program and settings. Start a node that is gone again; one that was removed leaves the list after a minute.",
      ]);
    } finally {
      await postgres.close();
    }
  });

  test("changes nothing in a new database", async () => {
    const { code, find } = await diagnose();
    expect([code, find("tables")]).toEqual([
      0,
      ["ok", "There are none yet; the first node creates them."],
    ]);
    const tables = "SELECT 1 FROM pg_namespace WHERE nspname = 'bourse'";
    expect(await server.execute(tables, database)).toEqual([]);
  });

  test("names tables of a newer bourse", async () => {
    await run(0, server.port, "user", "add", "anna");
    await server.execute("UPDATE bourse.schema_versions SET version = 99", database);
    const { code, stderr, find } = await diagnose();
    expect([code, stderr]).toEqual([1, "Checks failed: tables.\n"]);
    expect(find("tables")?.[1]).toMatch(
      /^A newer bourse has upgraded them \(access: schema 99, this one knows \d+\); upgrade bourse/,
    );
  });

  // The limit is 5 seconds; a busy machine may need a second between both clocks.
  test.each([
    [3_000, "ok", "It agrees with"],
    [60_000, "warning", "is 60 seconds ahead of the database's"],
    [-3_600_000, "warning", ",600 seconds behind the database's"],
  ])("compares the clocks (%d ms)", async (aheadMs, level, text) => {
    const { code, find } = await diagnose({ aheadMs });
    expect([code, find("database clock")]).toEqual([0, [level, expect.stringContaining(text)]]);
  });

  test("names a database that does not answer, refuses the user, or is read-only", async () => {
    const proxy = await TcpProxy.open(server.port);
    proxy.cut();
    const cut = await diagnose({ port: proxy.port });
    expect(cut.stderr).toBe("Checks failed: database.\n");
    expect(cut.find("database")?.[1]).toContain("leads to no server that answers");
    expect(cut.checks).toContain("backup");
    await proxy.close();

    await server.execute(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    const standby = await diagnose();
    expect(standby.find("database")).toEqual([
      "failed",
      expect.stringContaining("leads to a read-only standby; it must lead to the primary"),
    ]);
  });

  test("names a pooler that drops the settings of connections", async () => {
    // The setting has no effect at the start of a connection, and none by a statement.
    const pooler = createServer((client) => {
      const upstream = connect(server.port, "127.0.0.1");
      // The first bytes ask for TLS, which the server refuses.
      client.on("data", (bytes) => {
        const text = bytes
          .toString("latin1")
          .replace("\0search_path\0", "\0search.path\0")
          .replace("set_config('search_path'", "set_config('search.path'");
        upstream.write(Buffer.from(text, "latin1"));
      });
      upstream.pipe(client);
      for (const socket of [client, upstream]) socket.on("error", () => client.destroy());
    });
    await new Promise<void>((resolve) => pooler.listen(0, "127.0.0.1", resolve));
    const address = pooler.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const { code, find } = await diagnose({ port });
    expect([code, find("database")]).toEqual([
      1,
      [
        "failed",
        "BOURSE_CLUSTER leads to a connection pooler such as PgBouncer that refuses the connection or its settings; its log says more, and it must know the database and the user. Set it to postgres://user:password@host:5432/database of a running server.",
      ],
    ]);
    pooler.close();
  });

  test("of a node's folder names the missing setting", async () => {
    // An import from any machine creates a copy of the market in its data folder.
    const env = {
      BOURSE_DATA: home.path,
      BOURSE_CLUSTER: urlOf(server.port),
      BOURSE_MARKET: "live",
    };
    const imported = await runAt(Date.now, env, "import", "remove", "bars", "--all");
    expect(imported.code).toBe(0);
    const { code, stdout } = await runAt(
      Date.now,
      { BOURSE_DATA: home.path, BOURSE_PORT: "0" },
      "doctor",
      "--json",
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toContainEqual({
      check: "cluster",
      level: "failed",
      text: `${home.path} is the data folder of a node of a cluster. Set BOURSE_CLUSTER to the cluster's database, or delete the node's market with \`serve --reset-market\`.`,
    });
  });
});
