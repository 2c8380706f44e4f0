import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMAND_LINE } from "#access/audit.ts";
import { UserData } from "#access/user-data.ts";
import { readBackup } from "#service/backup-archive.ts";
import { runCli } from "#cli/cli.ts";
import type { Manifest } from "#exports/manifest.ts";
import type { NodeInfo } from "#domain/cluster-node.ts";
import { openClusterAccess } from "#store/access-cluster.ts";
import { type AccessStore, openAccess, openMarket } from "#store/index.ts";
import { Postgres } from "#store/postgres.ts";
import { openFolder } from "../support/access.ts";
import { endChildren } from "../support/child-process.ts";
import { type CliResult, expectFailure } from "../support/cli.ts";
import { POSTGRES_PARTS } from "../support/cluster-access.ts";
import { rowsOf } from "../support/market-changes.ts";
import { allowedMs, timeOf } from "../support/pace.ts";
import { IS_POSTGRES_MISSING, TestPostgres, until } from "../support/postgres.ts";
import { type ServeProcess, spawnServe } from "../support/serve-process.ts";
import { startUpstream } from "../support/upstream.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

const INSTRUMENTS = `country,symbol,name,assetType,exchange,currency,primaryListing,indexMember
US,ZZA,Alpha Test Inc,stock,NASDAQ,USD,true,false
US,ZZB,Beta Test Inc,stock,NASDAQ,USD,true,false
`;

describe.skipIf(IS_POSTGRES_MISSING)("commands of a cluster", () => {
  const home = openFolder();
  // No command may call a source, and the leader's calls fail at once.
  const source = startUpstream();
  let server: TestPostgres;
  let cluster: string;
  let nodes: [ServeProcess, ServeProcess];
  /** Everything that was printed or logged. */
  let said = "";

  const [one, two] = [join(home.path, "one"), join(home.path, "two")];
  const file = (name: string) => join(home.path, name);
  const settings = (more: Record<string, string> = {}) => ({
    BOURSE_CLUSTER: cluster,
    BOURSE_MARKET: "live",
    BOURSE_SOURCES: "entrade",
    BOURSE_SOURCE_URL_ENTRADE: source.url,
    ...more,
  });

  beforeAll(async () => {
    server = await TestPostgres.start();
    await server.execute("CREATE ROLE operator LOGIN PASSWORD 'geheim'");
    cluster = await createDatabase();
    const env = settings({ BOURSE_SOURCE_URL_ENTRADE: "http://127.0.0.1:1" });
    nodes = [await spawnServe(one, { env }), await spawnServe(two, { env })];
    writeFileSync(file("instruments.csv"), INSTRUMENTS);
  }, 600_000);
  afterAll(async () => {
    // Before the other children, of which it is one.
    await server?.kill();
    await endChildren();
    source[Symbol.dispose]();
    home[Symbol.dispose]();
  });

  async function createDatabase(): Promise<string> {
    const database = await server.createDatabase();
    await server.execute(`ALTER DATABASE ${database} OWNER TO operator`);
    return `postgres://operator:geheim@127.0.0.1:${server.port}/${database}`;
  }

  /** Runs a command on a data folder, with text on stdin. */
  async function runWith(
    env: Record<string, string>,
    input: string,
    ...argv: string[]
  ): Promise<CliResult> {
    let [stdout, stderr] = ["", ""];
    const code = await runCli({
      argv,
      env,
      stdin: () => new Blob([input]).stream(),
      stdout: (text) => (stdout += text),
      stderr: (text) => (stderr += text),
      clock: Date.now,
      onStop: () => {},
    });
    said += stdout + stderr;
    return { code, stdout, stderr };
  }

  /** Runs a command of the cluster on a folder, which must succeed; returns stdout. */
  async function command(folder: string, ...argv: string[]): Promise<string> {
    const result = await runWith(settings({ BOURSE_DATA: folder }), "", ...argv);
    const complaints = result.stderr.split("\n").filter((line) => /WARN|ERROR/.test(line));
    expect([argv, result.code === 0 ? "succeeded" : result.stderr, complaints]).toEqual([
      argv,
      "succeeded",
      [],
    ]);
    return result.stdout;
  }
  const json = async <T>(folder: string, ...argv: string[]) =>
    JSON.parse(await command(folder, ...argv, "--json")) as T;

  /** Runs a command of one machine: without the setting. */
  const alone = (folder: string, ...argv: string[]) => {
    const { BOURSE_CLUSTER: _, ...env } = settings({ BOURSE_DATA: folder });
    return runWith(env, "", ...argv);
  };

  const statusesOf = (token: string) =>
    Promise.all(nodes.map(async (node) => (await node.get("/data/markets", token)).status));

  test("manage users and tokens, which all nodes know", async () => {
    await command(one, "user", "add", "anna", "--plan", "pro");
    await command(two, "user", "plan", "anna", "max");
    await command(one, "user", "role", "anna", "admin");
    const users = await json<{ name: string; plan: string; role: string }[]>(two, "user", "list");
    expect(users.map(({ name, plan, role }) => [name, plan, role])).toEqual([
      ["anna", "max", "admin"],
      ["owner", "unlimited", "admin"],
    ]);
    const token = (await command(one, "token", "create", "anna", "--name", "laptop")).trim();
    expect(await statusesOf(token)).toEqual([200, 200]);
    const tokens = await json<{ id: number; label: string }[]>(two, "token", "list", "anna");
    expect(tokens.map(({ label }) => label)).toEqual(["laptop"]);
    await command(two, "token", "revoke", String(tokens[0]?.id));
    await until(async () => expect(await statusesOf(token)).toEqual([401, 401]));
    const actions = (await json<{ action: string }[]>(one, "audit")).map(({ action }) => action);
    expect(actions.slice(0, 5).toSorted()).toEqual(
      ["user added", "plan changed", "role changed", "token created", "token revoked"].toSorted(),
    );
    await command(two, "user", "remove", "anna");
    expect(await json(one, "user", "list")).toHaveLength(1);
  });

  test("set passwords and make links, which every node takes", async () => {
    const signIn = async (node: ServeProcess, body: unknown) => {
      const headers = {
        "content-type": "application/json",
        "sec-fetch-site": "same-origin",
        origin: node.url,
      };
      const request = { method: "POST", headers, body: JSON.stringify(body) };
      return (await fetch(`${node.url}/console/api/session`, request)).status;
    };
    const password = "a long password of the owner";
    const env = settings({ BOURSE_DATA: one });
    expect((await runWith(env, `${password}\n`, "user", "password", "owner")).code).toBe(0);
    expect(await signIn(nodes[1], { user: "owner", password })).toBe(200);

    const link = new URL((await command(one, "console")).trim());
    expect(link.origin).toBe(nodes[0].url);
    const key = new URLSearchParams(link.hash.slice(1)).get("key");
    expect(await signIn(nodes[1], { key })).toBe(200);
    // Once, on any node.
    expect(await signIn(nodes[0], { key })).toBe(401);
  });

  test("status shows the nodes, their lag and the leader, from any folder", async () => {
    const readNodes = async (folder: string) =>
      (await json<{ cluster: { nodes: NodeInfo[] } }>(folder, "status")).cluster.nodes;
    // Nodes report once a second what they have applied.
    await until(async () => expect((await readNodes(one)).map(({ lag }) => lag)).toEqual([0, 0]));
    for (const folder of [one, two, file("nothing")]) {
      const { cluster: found } = await json<{ cluster: { database: string; nodes: NodeInfo[] } }>(
        folder,
        "status",
      );
      expect(found.database).toStartWith(`postgres://…@127.0.0.1:${server.port}/test_`);
      expect(found.nodes.map(({ url }) => url).toSorted()).toEqual(
        nodes.map(({ url }) => url).toSorted(),
      );
      expect(found.nodes.filter(({ isLeader }) => isLeader)).toHaveLength(1);
      expect(found.nodes.map(({ lag }) => lag)).toEqual([0, 0]);
    }
    const text = await command(one, "status");
    expect(text).toMatch(/^NODE +URL +VERSION +UP +SEEN +BEHIND +LEASES +STATE$/m);
    expect(text).toMatch(/^\S+ +http\S+ +\S+ +\d+ \w+ +\d+ s +0 +\d+ +leader$/m);
  });

  const importedOn = async (folder: string) =>
    (await json<{ key: string }[]>(folder, "import", "list")).map(({ key }) => key);

  test("a removed instrument leaves the screens of all running nodes at once", async () => {
    const token = (await command(one, "token", "create", "owner", "--name", "screens")).trim();
    // Answers are cached for half a minute by their arguments.
    let limit = 0;
    const companiesOf = () =>
      Promise.all(
        nodes.map(async (node) => {
          const path = `/data/stocks/screen?country=US&limit=${++limit}`;
          return ((await (await node.get(path, token)).json()) as { data: { of: number } }).data.of;
        }),
      );
    await command(one, "import", "instruments", file("instruments.csv"));
    await until(async () => expect(await companiesOf()).toEqual([2, 2]));
    await command(two, "import", "remove", "instruments", "ZZB");
    await until(async () => expect(await companiesOf()).toEqual([1, 1]));
    await command(one, "import", "remove", "instruments", "ZZA");
    await until(async () => expect(await companiesOf()).toEqual([0, 0]));
  });

  test("import and remove imports on all nodes", async () => {
    await command(one, "import", "instruments", file("instruments.csv"));
    expect(await importedOn(one)).toEqual(["ZZA", "ZZB"]);
    await until(async () => expect(await importedOn(two)).toEqual(["ZZA", "ZZB"]));
    await command(two, "import", "remove", "instruments", "ZZB");
    await until(async () => expect(await importedOn(one)).toEqual(["ZZA"]));
    // On a machine without a node, the command gets a copy of the market first.
    const third = file("third");
    await command(third, "import", "instruments", file("instruments.csv"));
    await until(async () => expect(await importedOn(two)).toEqual(["ZZA", "ZZB"]));
  });

  test("call and mcp read the node's copy and fetch nothing", async () => {
    const found = await command(two, "call", "list_symbols", "Beta", "--country", "US");
    expect(found).toContain("ZZB");
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call" };
    const params = { name: "get_stock_overview", arguments: { country: "VN", symbol: "VNM" } };
    const input = `${JSON.stringify({ ...message, params })}\n`;
    const { code, stdout } = await runWith(settings({ BOURSE_DATA: one }), input, "mcp");
    expect([code, stdout]).toEqual([0, expect.stringContaining("VNM")]);
    expect(source.requests).toEqual([]);
    for (const argv of [["call", "get_markets"], ["mcp"], ["import", "list"]]) {
      const missing = await runWith(settings({ BOURSE_DATA: file("nothing") }), "", ...argv);
      expectFailure(missing, "has no copy of the cluster's market. `serve` creates one");
    }
  });

  test("export the node's copy: equal markets give equal files", async () => {
    const filesOf = async (folder: string) => {
      const into = file(`export-of-${folder === one ? "one" : "two"}`);
      const { files } = JSON.parse(
        await command(folder, "export", into, "--kinds", "instruments,bars,splits", "--json"),
      ) as Manifest;
      return files.map(({ path, rows, sha256 }) => ({ path, rows, sha256 }));
    };
    const exported = await filesOf(one);
    expect(exported[0]?.path).toBe("instruments.parquet");
    expect(exported[0]?.rows).toBeGreaterThan(0);
    expect(await filesOf(two)).toEqual(exported);
    const missing = await runWith(
      settings({ BOURSE_DATA: file("nothing") }),
      "",
      "export",
      file("none"),
    );
    expectFailure(missing, "There is no data folder");
  });

  /** A list and settings of a user. */
  async function fillUserData(access: AccessStore, user: string): Promise<void> {
    const data = new UserData({ access, clock: Date.now, user, actor: COMMAND_LINE });
    await data.save("list", {
      name: "semis",
      items: [{ country: "US", symbol: "ZZA", shares: 2 }],
    });
    await data.saveSettings({ theme: "dark" });
  }

  test("show and delete the lists of a user from any folder", async () => {
    const postgres = await Postgres.open(cluster, POSTGRES_PARTS);
    const access = await openClusterAccess(postgres);
    await fillUserData(access, "owner");
    await access.close();
    expect(await json(two, "list", "show", "semis", "--user", "owner")).toMatchObject({
      name: "semis",
      items: [{ country: "US", symbol: "ZZA", shares: 2 }],
    });
    expect(await json(file("nowhere"), "list", "show")).toMatchObject([{ name: "semis" }]);
    await command(one, "list", "delete", "semis");
    expect(await json(two, "list", "show")).toEqual([]);
    const entries = await json<{ action: string; subject: string }[]>(one, "audit");
    expect(entries[0]).toMatchObject({
      actor: "command line",
      action: "list deleted",
      subject: "list semis of owner",
    });
  });

  test("back up the cluster, which one machine restores", async () => {
    const archive = file("backup.tar.gz");
    const postgres = await Postgres.open(cluster, POSTGRES_PARTS);
    const access = await openClusterAccess(postgres);
    await fillUserData(access, "owner");
    await access.close();
    expect(await command(one, "backup", archive, "--market")).toContain("access.db (1 user, ");
    const unpacked = file("unpacked");
    await readBackup(archive, unpacked);
    const env = readFileSync(join(unpacked, "settings.env"), "utf8");
    expect(env).toMatch(/^BOURSE_CLUSTER=postgres:\/\/…@127\.0\.0\.1:\d+\/test_\d+$/m);
    said += env;
    const restored = file("restored");
    expect((await alone(restored, "restore", archive)).code).toBe(0);
    for (const argv of [
      ["user", "list", "--json"],
      ["token", "list", "--json"],
      ["list", "show", "semis", "--user", "owner", "--json"],
      ["import", "list", "--json"],
      ["call", "list_symbols", "--country", "US"],
    ]) {
      const { code, stdout } = await alone(restored, ...argv);
      expect([argv, code, withoutTime(stdout)]).toEqual([
        argv,
        0,
        withoutTime(await command(one, ...argv)),
      ]);
    }
    const toml = `port = 0\ncluster = "${cluster}"\nmarket = "live"\n`;
    mkdirSync(file("with-file"));
    writeFileSync(join(file("with-file"), "bourse.toml"), toml);
    const other = file("with-file.tar.gz");
    expect((await alone(file("with-file"), "backup", other)).code).toBe(0);
    await readBackup(other, file("unpacked-file"));
    const kept = readFileSync(join(file("unpacked-file"), "bourse.toml"), "utf8");
    expect(kept).toBe('port = 0\nmarket = "live"\n');
    // From a machine without a node, too.
    await command(file("nowhere"), "backup", file("other.tar.gz"));
  });

  test("cluster import copies a folder row for row, once", async () => {
    const folder = file("moved");
    for (const argv of [
      ["user", "add", "carl", "--plan", "pro"],
      ["token", "create", "carl"],
      ["import", "instruments", file("instruments.csv")],
    ])
      expect([argv, (await alone(folder, ...argv)).code]).toEqual([argv, 0]);
    const access = openAccess(folder);
    await fillUserData(access, "carl");
    access.close();
    const lists = async (run: (...argv: string[]) => Promise<CliResult>) => [
      (await run("user", "list", "--json")).stdout,
      (await run("token", "list", "--json")).stdout,
      (await run("list", "show", "semis", "--user", "carl", "--json")).stdout,
    ];
    const before = await lists((...argv) => alone(folder, ...argv));
    expect(before[0]).toContain("carl");
    expect(before[2]).toContain('"symbol":"ZZA","shares":2');
    const database = await createDatabase();
    const fresh = (path: string, ...argv: string[]) =>
      runWith(settings({ BOURSE_CLUSTER: database, BOURSE_DATA: path }), "", ...argv);
    const result = await fresh(one, "cluster", "import", folder);
    expect([result.code, result.stderr]).toEqual([0, ""]);
    expect(result.stdout).toStartWith("Copied 1 user and 1 token");

    const copy = file("node-of-moved");
    // Removing no import opens a node's copy, as `serve` does.
    expect((await fresh(copy, "import", "remove", "bars", "--all")).code).toBe(0);
    expect(await lists((...argv) => fresh(copy, ...argv))).toEqual(before);
    const rows = rowsOf(folder);
    expect(rows["instruments"]).toHaveLength(2);
    expect({ ...rowsOf(copy), settings: null }).toEqual({ ...rows, settings: null });
    // The folder is as it was: it still serves alone, and can be copied again.
    expect(rowsOf(folder)).toEqual(rows);
    expect(await lists((...argv) => alone(folder, ...argv))).toEqual(before);
    expectFailure(await fresh(one, "cluster", "import", folder), "The cluster has users already");
    expectFailure(await fresh(one, "cluster", "import", copy), "There is no data folder");
  });

  test("cluster import refuses what it cannot copy", async () => {
    const folder = file("other");
    expect((await alone(folder, "user", "add", "emil")).code).toBe(0);
    const imported = (of: string) =>
      runWith(settings({ BOURSE_DATA: one }), "", "cluster", "import", of);
    expectFailure(await alone(folder, "cluster", "import", folder), "Set BOURSE_CLUSTER");
    expectFailure(await imported(file("missing")), "There is no data folder");
    expectFailure(await imported(one), "There is no data folder", "with users");
    expectFailure(
      await imported(folder),
      "The cluster has users already. Copy into a new database",
    );
    const market = openMarket(folder);
    expectFailure(await imported(folder), "A process uses", "Stop it");
    market.close();
    expect(await json(one, "user", "list")).toHaveLength(1);
  });

  test("refuse what a node cannot do, each with one sentence", async () => {
    const archive = file("backup.tar.gz");
    const small = file("small.tar.gz");
    await command(one, "backup", small);
    const settingMissing = "is the data folder of a node of a cluster. Set BOURSE_CLUSTER";
    for (const argv of [
      ["user", "list"],
      ["user", "add", "dora"],
      ["token", "create", "owner"],
      ["status"],
      ["backup", file("never.tar.gz")],
      ["serve", "--port", "0"],
    ]) {
      expectFailure(await alone(file("third"), ...argv), settingMissing);
    }
    expectFailure(await alone(file("third"), "restore", small), settingMissing);
    expectFailure(await alone(file("third"), "sync"), "belongs to a cluster");
    expect(() => readFileSync(join(file("third"), "access.db"))).toThrow("ENOENT");

    const clustered = (...argv: string[]) => runWith(settings({ BOURSE_DATA: one }), "", ...argv);
    expectFailure(
      await clustered("sync"),
      "The leader of the cluster fetches all data that is due",
    );
    expectFailure(await clustered("restore", archive), "The data of a cluster are in Postgres");
    const serveOn = (folder: string, env: Record<string, string> = {}) =>
      runWith(settings({ BOURSE_DATA: folder, ...env }), "", "serve", "--port", "0");
    expectFailure(
      await serveOn(file("restored")),
      "belongs to no cluster. Start with --reset-market",
    );
    expectFailure(
      await serveOn(file("node-of-moved")),
      "belongs to another cluster. Start with --reset-market",
    );
    const sample = serveOn(file("new"), { BOURSE_MARKET: "sample" });
    expectFailure(await sample, "The cluster has a live market");
  });

  test("answer fast while the database is frozen", async () => {
    const ask = async () => ({
      result: await runWith(settings({ BOURSE_DATA: one }), "", "status", "--json"),
      health: await Promise.all(
        ["/health", "/health/ready"].map((path) => fetch(nodes[0].url + path)),
      ),
    });
    const usualMs = await timeOf(ask);
    server.freeze();
    const startedAt = performance.now();
    const {
      result,
      health: [alive, ready],
    } = await ask();
    const tookMs = performance.now() - startedAt;
    server.thaw();
    // One attempt at a statement takes at most a second.
    expect(tookMs).toBeLessThan(allowedMs(3_000, usualMs));
    expect([alive?.status, ready?.status]).toEqual([200, 200]);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/^BOURSE_CLUSTER leads to no server that answers [^\n]+\n$/);
    expect(JSON.parse(result.stdout)).toMatchObject({
      services: [{ url: nodes[0].url }],
      users: null,
      cluster: { nodes: null },
      data: [{ kind: "instruments", source: "import" }],
    });
  });

  test("show the user and the password of the database nowhere", async () => {
    await command(one, "config");
    for (const node of nodes) {
      expect(node.stdout()).toMatch(/^Cluster: postgres:\/\/…@127\.0\.0\.1:\d+\/test_\d+$/m);
      said += node.stdout() + node.stderr();
    }
    expect(said).not.toMatch(/geheim|operator:|operator@/);
  });
});

/** An answer without the time of the call. */
const withoutTime = (text: string) =>
  // Only a service with sources can say that it has not asked them.
  text.replace(/"as_of": "[^"]+"/, "").replace(/"reasons": \{[^}]*\}/, "");
