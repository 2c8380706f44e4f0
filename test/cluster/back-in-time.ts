import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { cpSync } from "node:fs";
import fc from "fast-check";
import type { MarketChange } from "#ingest/changes.ts";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { createClusterGuard } from "#access/cluster-guard.ts";
import { DatabaseClock } from "#access/database-clock.ts";
import { createPlan, PLANS } from "#access/plans.ts";
import { createLog } from "#lib/log.ts";
import { MarketSnapshots } from "#store/market-snapshots.ts";
import { Postgres } from "#store/postgres.ts";
import { openFolder } from "../support/access.ts";
import { openAccessNode } from "../support/cluster-access.ts";
import { type NodeOptions, type TestNode, TestNodes } from "../support/cluster-node.ts";
import { expectError } from "../support/error.ts";
import { anyChange, marketOf } from "../support/market-changes.ts";
import { stock, listInstruments } from "../support/market.ts";
import { IS_POSTGRES_MISSING, TestPostgres, until } from "../support/postgres.ts";
import { EVENING } from "../support/refresher.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

/** The import of companies of those symbols. */
const imported = (...symbols: string[]): MarketChange => importedAt(EVENING, ...symbols);

const importedAt = (at: number, ...symbols: string[]): MarketChange => ({
  type: "import",
  kind: "instruments",
  at,
  keepsOthers: false,
  records: symbols.map((symbol) => stock("US", symbol)),
});

const openPostgres = (url: string) => {
  const log = createLog({ format: "text", write: () => {}, clock: Date.now });
  return Postgres.open(url, { clock: Date.now, log });
};

const symbolsOf = ({ market }: TestNode) =>
  listInstruments(market, "US").map(({ symbol }) => symbol);

describe.skipIf(IS_POSTGRES_MISSING)("after the database went back in time", () => {
  let server: TestPostgres;
  const nodes = new TestNodes();
  beforeAll(async () => void (server = await TestPostgres.start()));
  afterEach(() => nodes.endAll());
  afterAll(() => server?.kill());

  const start = (database: string, options?: NodeOptions) =>
    nodes.start(server.url(database), options);
  const end = (node: TestNode, how?: "stop" | "crash") => nodes.end(node, how);

  /** Waits until all nodes have the same market as the log, and expects it to be that of a new node. */
  async function expectEqual(database: string, ...some: TestNode[]): Promise<void> {
    for (const node of some) {
      await until(async () => {
        const { replica } = node.member;
        await replica.catchUp();
        const { head } = await node.marketLog.bounds();
        expect([replica.beginsAgain, replica.applied, replica.hasCaughtUp]).toEqual([
          false,
          head,
          true,
        ]);
      });
    }
    const fresh = await start(database);
    await until(() => fresh.member.replica.catchUp());
    for (const node of some) expect(marketOf(node.folder)).toEqual(marketOf(fresh.folder));
    await end(fresh);
  }

  const write = (node: TestNode, change: MarketChange) => until(() => node.imports.write(change));

  test("nodes have its market again, and the log names the imports that are lost", async () => {
    const database = await server.createDatabase();
    const [one, other] = [await start(database), await start(database)];
    await write(one, imported("AAPL"));
    const copy = await server.saveData();
    await write(one, imported("LOST"));
    await until(() => expect(symbolsOf(other)).toEqual(["AAPL", "LOST"]));
    await end(other);
    // A request for a number that the log does not reach any more ends.
    const waiting = expectError(() => one.member.replica.reach(3), "unavailable");
    await server.restoreData(copy);
    expect((await waiting).message).toContain("went back in time");
    await until(() => expect(symbolsOf(one)).toEqual(["AAPL"]));
    await until(() => expect(one.lines.join("\n")).toContain("lostImports=1"));
    const text = one.lines.join("\n");
    expect(text).toContain("the cluster's database went back in time; the market begins again");
    expect(text).toContain('importAgain="instruments US:LOST"');
    // The log grows to the number that the stopped node has, with another change.
    await write(one, imported("MSFT"));
    const again = await start(database, { folder: other.folder });
    await expectEqual(database, one, again);
    expect(symbolsOf(again)).toEqual(["AAPL", "MSFT"]);
    expect(again.lines.join("\n")).toContain('importAgain="instruments US:LOST"');
  });

  test("an import that replaced an earlier one of the same key is named as lost, if it is not there again", async () => {
    const database = await server.createDatabase();
    const one = await start(database);
    await write(one, importedAt(EVENING, "AAPL", "MSFT"));
    const copy = await server.saveData();
    await write(one, importedAt(EVENING + 1_000, "AAPL"));
    await until(() =>
      expect(one.market.imported.list("instruments")[0]?.storedAt).toBe(EVENING + 1_000),
    );
    await server.restoreData(copy);
    await until(() => expect(one.lines.join("\n")).toContain('importAgain="instruments US:AAPL"'));
    expect(one.lines.join("\n")).toContain("lostImports=1");
  });

  test("a market that begins again with an empty log is that of a new node", async () => {
    const database = await server.createDatabase();
    const one = await start(database);
    const copy = await server.saveData();
    await write(one, imported("LOST"));
    await server.restoreData(copy);
    await until(() => expect(symbolsOf(one)).toEqual([]));
    await expectEqual(database, one);
  });

  test("a removal of an import is named as lost, an import of another node since is not", async () => {
    const database = await server.createDatabase();
    const one = await start(database);
    await write(one, imported("AAPL", "MSFT"));
    const copy = await server.saveData();
    const removed = { kind: "instruments", country: "US", key: "AAPL" } as const;
    await write(one, { type: "removal", records: [removed] });
    await server.restoreData(copy);
    await write(one, importedAt(EVENING + 1_000, "NVDA"));
    await expectEqual(database, one);
    const text = one.lines.join("\n");
    expect(text).toContain('lostImports=0 lostRemovals=1 removeAgain="instruments US:AAPL"');
    expect(symbolsOf(one)).toEqual(["AAPL", "MSFT", "NVDA"]);
  });

  test("an import ends when this market has it, not a lost change with its number", async () => {
    const database = await server.createDatabase();
    const one = await start(database);
    await write(one, imported("AAPL"));
    const copy = await server.saveData();
    await write(one, imported("LOST"));
    // The node does not read the log until the import is in it.
    const appended = Promise.withResolvers<void>();
    const bounds = one.marketLog.bounds.bind(one.marketLog);
    spyOn(one.marketLog, "bounds").mockImplementation(() => appended.promise.then(bounds));
    await server.restoreData(copy);
    const append = one.marketLog.append.bind(one.marketLog);
    spyOn(one.marketLog, "append").mockImplementation((...change) =>
      append(...change).finally(() => setImmediate(appended.resolve)),
    );
    await write(one, imported("NVDA"));
    expect(symbolsOf(one)).toEqual(["AAPL", "NVDA"]);
  });

  test("a node begins with the snapshot if the log has removed what it contains", async () => {
    const database = await server.createDatabase();
    const one = await start(database);
    await write(one, imported("AAPL"));
    await write(one, imported("MSFT"));
    await until(() => one.snapshots.save());
    await until(() => one.marketLog.prune(-1_000));
    const copy = await server.saveData();
    await write(one, imported("LOST"));
    await server.restoreData(copy);
    await write(one, imported("NVDA"));
    await expectEqual(database, one);
    expect(symbolsOf(one)).toEqual(["AAPL", "MSFT", "NVDA"]);
    // The search index is that of the new content.
    expect(one.market.instruments.find({ country: "US", symbol: "LOST" })).toBeNull();
  });

  test("an old folder catches up, and one of the lost changes begins again", async () => {
    const database = await server.createDatabase();
    const one = await start(database);
    await write(one, imported("AAPL"));
    await end(one);
    const old = openFolder().path;
    cpSync(one.folder, old, { recursive: true });
    const copy = await server.saveData();
    const other = await start(database, { folder: one.folder });
    for (const symbol of ["B", "C", "D"]) await write(other, imported(symbol));
    await end(other);
    await server.restoreData(copy);
    const next = await start(database, { folder: old });
    // More changes than the folder of the lost ones has.
    for (const symbol of ["E", "F", "G", "H"]) await write(next, imported(symbol));
    const late = await start(database, { folder: one.folder });
    await expectEqual(database, next, late);
    expect(symbolsOf(late)).toEqual(["AAPL", "E", "F", "G", "H"]);
    expect(next.lines.join("\n")).not.toContain("went back in time");
  });

  test("a node whose next changes are removed while it reads begins with the snapshot", async () => {
    const database = await server.createDatabase();
    const [one, other] = [await start(database), await start(database)];
    await write(one, imported("AAPL"));
    await until(() => expect(symbolsOf(other)).toEqual(["AAPL"]));
    const list = one.marketLog.list.bind(one.marketLog);
    const writing = Promise.withResolvers<unknown>();
    spyOn(one.marketLog, "list").mockImplementationOnce(async (...after) => {
      await writing.promise;
      await until(() => other.snapshots.save());
      await until(() => other.marketLog.prune(-1_000));
      await write(other, imported("NVDA"));
      return list(...after);
    });
    writing.resolve(write(other, imported("MSFT")));
    await writing.promise;
    await until(() => expect(symbolsOf(one)).toEqual(["AAPL", "MSFT", "NVDA"]));
    await expectEqual(database, one, other);
  });

  test("by a failover to an asynchronous standby, nodes have the market of the standby", async () => {
    const primary = await TestPostgres.start();
    const standby = await primary.startStandby({ isSynchronous: false });
    const proxy = await TcpProxy.open(primary.port);
    try {
      const database = await primary.createDatabase();
      const open = () => nodes.start(primary.url(database, proxy.port));
      const [one, other] = [await open(), await open()];
      await write(one, imported("AAPL"));
      await until(async () =>
        expect(
          await standby.execute("SELECT number::integer FROM bourse.market_log_head", database),
        ).toEqual([{ number: 1 }]),
      );
      await standby.execute("ALTER SYSTEM SET primary_conninfo = ''");
      await standby.execute("SELECT pg_reload_conf()");
      const receiver = "SELECT 1 FROM pg_stat_wal_receiver";
      await until(async () => expect(await standby.execute(receiver)).toEqual([]));
      await write(one, imported("LOST"));
      await until(() => expect(symbolsOf(other)).toEqual(["AAPL", "LOST"]));
      proxy.cut();
      await primary.kill();
      await standby.promote();
      proxy.target = standby.port;
      proxy.resume();
      await write(other, imported("MSFT"));
      for (const node of [one, other])
        await until(async () => {
          // An import that is repeated is in the log twice.
          await node.member.replica.catchUp();
          expect(symbolsOf(node)).toEqual(["AAPL", "MSFT"]);
        });
      expect(marketOf(one.folder)).toEqual(marketOf(other.folder));
      for (const node of [one, other]) await end(node);
    } finally {
      await proxy.close();
      await primary.kill();
      await standby.kill();
    }
  });

  describe("users and counters", () => {
    const HOUR = 3_600_000;
    const PLANS_OF_TEST = { ...PLANS, pro: createPlan(1_000, 20, 5) };

    /** Two nodes on a database whose clock begins at half past an hour, and a user. */
    async function openNodes() {
      const database = await server.createDatabase();
      const opened = [
        await openAccessNode(server, database),
        await openAccessNode(server, database),
      ];
      await server.execute(
        `CREATE OR REPLACE FUNCTION bourse.cluster_now() RETURNS double precision LANGUAGE sql VOLATILE AS
           'SELECT extract(epoch FROM clock_timestamp()) * 1000 + ${HOUR / 2 - (Date.now() % HOUR)}'`,
        database,
      );
      const sentAt = Date.now();
      const { now } = (await opened[0]?.access.usage.list([])) ?? { now: 0 };
      const nodes = opened.map(({ access }) => {
        const clock = new DatabaseClock(Date.now);
        clock.observe(sentAt, now);
        const guard = createClusterGuard({ access, plans: PLANS_OF_TEST, clock });
        const accounts = new Accounts({ access, clock: () => clock.now(), actor: COMMAND_LINE });
        /** The number of served calls among that many. */
        const call = async (token: string, calls: number) => {
          let served = 0;
          for (let i = 0; i < calls; i++) {
            const principal = await until(() => guard.authenticate(`Bearer ${token}`));
            if ((await until(async () => guard.charge(principal))).denied === null) served++;
          }
          return served;
        };
        return { access, guard, accounts, call };
      });
      const [one, other] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
      await one.accounts.addUser("anna", "pro");
      const close = () => Promise.all(opened.map(({ access }) => access.close()));
      return { one, other, close };
    }

    test("a node counts again what it served, and a token that the database lost ends", async () => {
      const { one, other, close } = await openNodes();
      const { token } = await one.accounts.createToken("anna", "", null);
      expect(await one.call(token, 6)).toBe(6);
      const copy = await server.saveData();
      expect(await one.call(token, 8)).toBe(8);
      const lost = await until(() => one.accounts.createToken("anna", "lost", null));
      expect(await one.call(lost.token, 3)).toBe(3);
      await server.restoreData(copy);
      // Now the version of users and tokens is again the one that the first node has seen.
      const made = await until(() => other.accounts.createToken("anna", "made", null));
      await until(async () => {
        const error = await Promise.resolve(one.guard.authenticate(`Bearer ${lost.token}`)).catch(
          (thrown: unknown) => thrown,
        );
        expect(error).toMatchObject({ code: "invalid_token" });
      });
      // 14 of 20 were served. The new token may have the id of the lost one, but not its calls.
      expect((await one.call(token, 20)) + (await other.call(token, 20))).toBe(6);
      expect((await one.call(made.token, 20)) + (await other.call(made.token, 20))).toBe(20);
      await close();
    });
  });

  test("a snapshot from before, which a node stores afterwards, is never used", async () => {
    const database = await server.createDatabase();
    const [one, other] = [await start(database), await start(database)];
    await write(one, imported("AAPL"));
    const copy = await server.saveData();
    await write(one, imported("LOST"));
    // Its market, with the lost change, is copied before the node notices, and stored afterwards.
    const stale = one.folder + "-stale";
    await end(one);
    cpSync(one.folder, stale, { recursive: true });
    await server.restoreData(copy);
    const postgres = await until(() => openPostgres(server.url(database)));
    await until(() => new MarketSnapshots(postgres, stale).save());
    await postgres.close();
    await until(() => expect(other.market.imported.list("instruments")).toHaveLength(1));
    await until(async () => expect(await other.snapshots.list()).toEqual([]));
    const fresh = await start(database);
    await write(fresh, imported("MSFT"));
    await expectEqual(database, other, fresh);
    expect(symbolsOf(fresh)).toEqual(["AAPL", "MSFT"]);
  });

  test("and again, in any order with restarts, snapshots and imports, all nodes are equal", async () => {
    const step = fc.record({
      change: anyChange,
      writer: fc.nat(2),
      event: fc.nat(14),
      victim: fc.nat(2),
    });
    const steps = fc.array(step, { minLength: 25, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const database = await server.createDatabase();
        const some = [await start(database), await start(database), await start(database)];
        let copy = await server.saveData();
        for (const { change, writer, event, victim } of all) {
          await write(some[writer] as TestNode, change);
          const node = some[victim] as TestNode;
          if (event === 0) copy = await server.saveData();
          if (event === 1) await server.restoreData(copy);
          if (event === 2) await until(() => node.snapshots.save());
          if (event === 3) await until(() => node.marketLog.prune(-1_000));
          if (event < 4 || event > 6) continue;
          await end(node, event === 4 ? "crash" : "stop");
          some[victim] = await start(database, event === 6 ? {} : { folder: node.folder });
        }
        await expectEqual(database, ...some);
        for (const node of some) await end(node);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  }, 600_000);
});
