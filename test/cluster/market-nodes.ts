import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { BourseError } from "#domain/errors.ts";
import { encodeChange } from "#ingest/change-encoding.ts";
import type { MarketChange } from "#ingest/changes.ts";
import { ClusterMember } from "#ingest/cluster.ts";
import { seedCluster } from "#ingest/cluster-market.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { compress } from "#lib/zstd.ts";
import { openMarket } from "#store/index.ts";
import { MarketLog } from "#store/market-log.ts";
import { MarketSnapshots } from "#store/market-snapshots.ts";
import { Postgres } from "#store/postgres.ts";
import { openFolder } from "../support/access.ts";
import { POSTGRES_PARTS } from "../support/cluster-access.ts";
import { type NodeOptions, startNode, type TestNode, TestNodes } from "../support/cluster-node.ts";
import { expectError } from "../support/error.ts";
import { anyChange, marketOf, rowsOf } from "../support/market-changes.ts";
import { SAMPLE, stock, listInstruments } from "../support/market.ts";
import { IS_POSTGRES_MISSING, TestPostgres, until } from "../support/postgres.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";
import { EVENING, failing, fakeFetcher, keyOf, quote } from "../support/refresher.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

/** The random changes of the law of equal markets. Each restart takes about a second. */
const STEPS = Number(process.env["TEST_STEPS"] ?? 250);

/** The import of companies of those symbols. */
const imported = (...symbols: string[]): MarketChange => ({
  type: "import",
  kind: "instruments",
  at: EVENING,
  keepsOthers: false,
  records: symbols.map((symbol) => stock("US", symbol)),
});

const symbolsOf = ({ market }: TestNode) =>
  listInstruments(market, "US").map(({ symbol }) => symbol);

describe.skipIf(IS_POSTGRES_MISSING)("the nodes of a cluster", () => {
  let server: TestPostgres;
  const nodes = new TestNodes();
  beforeAll(async () => void (server = await TestPostgres.start()));
  afterEach(() => nodes.endAll());
  afterAll(() => server?.kill());

  const start = (database: string, options?: NodeOptions) =>
    nodes.start(server.url(database), options);
  const end = (node: TestNode, how?: "stop" | "crash") => nodes.end(node, how);

  /** What a node of a new cluster consists of. */
  async function openParts() {
    const postgres = await Postgres.open(server.url(await server.createDatabase()), POSTGRES_PARTS);
    const marketLog = await MarketLog.open(postgres);
    const { path } = openFolder();
    return {
      postgres,
      marketLog,
      snapshots: new MarketSnapshots(postgres, path),
      market: openMarket(path),
    };
  }

  const leaderOf = async (...some: TestNode[]): Promise<TestNode> => {
    await until(() => expect(some.filter(({ member }) => member.isLeading)).toHaveLength(1));
    return some.find(({ member }) => member.isLeading) as TestNode;
  };

  async function settle(...some: TestNode[]): Promise<number> {
    const { head } = await (some[0] as TestNode).marketLog.bounds();
    await Promise.all(some.map(({ member }) => member.replica.reach(head)));
    return head;
  }

  test("all have what one of them imports", async () => {
    const database = await server.createDatabase();
    const [one, other] = [await start(database), await start(database)];
    const result = await one.imports.write(imported("AAPL", "MSFT"));
    expect(result).toEqual({ records: 2, delisted: 0, warnings: [] });
    // The writer has applied it, because its next read must have it.
    expect(symbolsOf(one)).toEqual(["AAPL", "MSFT"]);
    await settle(other);
    expect(symbolsOf(other)).toEqual(["AAPL", "MSFT"]);
    const late = await start(database);
    await settle(late);
    expect(rowsOf(late.folder)).toEqual(rowsOf(one.folder));
  });

  test("have caught up when they have the changes that they missed", async () => {
    const database = await server.createDatabase();
    const one = await start(database);
    await one.imports.write(imported("AAPL"));
    const { path } = openFolder();
    const late = await start(database, { folder: path });
    await until(() => late.member.replica.catchUp());
    await end(late);
    await one.imports.write(imported("AAPL", "MSFT"));
    // Another process keeps the file locked, so the second change waits.
    const other = new Database(join(path, "market.db"));
    other.run("BEGIN IMMEDIATE");
    const { replica } = (await start(database, { folder: path })).member;
    await until(() => expect(replica.behind).toBe(1));
    expect(replica.hasCaughtUp).toBe(false);
    other.run("COMMIT");
    other.close();
    await until(() => expect(replica.hasCaughtUp).toBe(true));
    expect([replica.applied, replica.behind]).toEqual([2, 0]);
  });

  test("store all changes of an import or none", async () => {
    const database = await server.createDatabase();
    const node = await start(database);
    const imports = function* (breaks: boolean) {
      yield imported("A") as never;
      yield imported("B", "C") as never;
      if (breaks) throw new Error("line 7 is wrong");
    };
    const broken = node.imports.writeAll(imports(true)).catch(String);
    expect(await broken).toBe("Error: line 7 is wrong");
    expect(await node.marketLog.bounds()).toMatchObject({ head: 0, oldest: 1 });
    expect(await node.imports.writeAll(imports(false))).toBe(3);
    expect(await node.imports.writeAll([])).toBe(0);
    expect(symbolsOf(node)).toEqual(["A", "B", "C"]);
    expect(await node.marketLog.bounds()).toMatchObject({ head: 2, oldest: 1 });
  });

  test("share their market file with commands, which import on the same machine", async () => {
    const database = await server.createDatabase();
    const node = await start(database);
    const command = await start(database, { folder: node.folder, isCommand: true });
    for (let i = 0; i < 30; i++) {
      // Either process may apply it, and the other one must not repeat it.
      const written = await command.imports.write(imported(`S${i}`, `T${i}`));
      expect(written).toEqual({ records: 2, delisted: 0, warnings: [] });
      expect(symbolsOf(command)).toHaveLength(2 * (i + 1));
    }
    await settle(node);
    expect(symbolsOf(node)).toHaveLength(60);
    expect(await node.listNodes()).toHaveLength(1);
    const other = await start(database);
    await settle(other);
    expect(symbolsOf(other)).toEqual(symbolsOf(node));
  });

  test("have equal markets after random changes and restarts", async () => {
    const step = fc.record({
      change: anyChange,
      writer: fc.nat(2),
      event: fc.nat(60),
      victim: fc.nat(2),
    });
    const steps = fc.array(step, { minLength: STEPS, maxLength: STEPS });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const database = await server.createDatabase();
        const some = [await start(database), await start(database), await start(database)];
        let writes: Promise<unknown>[] = [];
        for (const { change, writer, event, victim } of all) {
          writes.push((some[writer] as TestNode).imports.write(change));
          // Up to ten writes of several nodes overlap.
          if (writes.length < 10 && event > 4) continue;
          await Promise.all(writes);
          writes = [];
          const node = some[victim] as TestNode;
          if (event === 0) await node.snapshots.save();
          if (event < 1 || event > 3) continue;
          await end(node, event === 1 ? "crash" : "stop");
          // A node with a new folder begins with a snapshot or with the whole log.
          some[victim] = await start(database, event === 3 ? {} : { folder: node.folder });
        }
        await Promise.all(writes);
        expect(await settle(...some)).toBe(STEPS);
        const [first = {}, ...others] = some.map(({ folder }) => rowsOf(folder));
        for (const rows of others) expect(rows).toEqual(first);
        // The law would be empty if the changes stored nothing.
        for (const table of ["instruments", "scaled_bars", "statements", "documents", "fetches"])
          expect(first[table]).not.toEqual([]);
        for (const node of some) await end(node);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  }, 600_000);

  test("continue after a crash while a change is written", async () => {
    const database = await server.createDatabase();
    const [one, other] = [await start(database), await start(database)];
    const symbols = Array.from({ length: 5_000 }, (_, i) => `S${String(i).padStart(4, "0")}`);
    await one.imports.write(imported("AAPL"));
    await settle(other);
    const writing = one.imports.write(imported(...symbols));
    await end(other, "crash");
    await writing;
    const again = await start(database, { folder: other.folder });
    await settle(again);
    expect(symbolsOf(again)).toHaveLength(5_001);
    expect(rowsOf(again.folder)).toEqual(rowsOf(one.folder));
  });

  test("do nothing after a start that failed halfway", async () => {
    const { postgres, market, marketLog, snapshots } = await openParts();
    const listen = postgres.listen.bind(postgres);
    postgres.listen = (channel, ...handlers) =>
      channel === "bourse_leader"
        ? Promise.reject(new BourseError("unavailable", "gone"))
        : listen(channel, ...handlers);
    const member = new ClusterMember({
      postgres,
      market,
      marketLog,
      snapshots,
      log: POSTGRES_PARTS.log,
      host: "test.example",
      version: "1.0.0",
      build: "1.0.0",
      settings: {},
      leases: () => 0,
      stopwatch: () => performance.now(),
      clock: Date.now,
    });
    const url = "http://127.0.0.1:8080";
    await expectError(() => member.start({ url, tasks: null }), "unavailable");
    // Its replica has stopped: it does not wait for a change that never comes.
    await expectError(() => member.replica.reach(99), "unavailable");
    market.close();
    await postgres.close();
  });

  test("stop within seconds while the database is down and a fetch is not stored", async () => {
    for (const when of ["before", "after"] as const) {
      const database = await server.createDatabase();
      const proxy = await TcpProxy.open(server.port);
      try {
        const fetchers = [fakeFetcher("pricer", "quotes", () => [quote("AAPL", 9)])];
        const node = await nodes.start(server.url(database, proxy.port), { fetchers });
        await leaderOf(node);
        await until(() => node.imports.write(imported("AAPL")));
        // Otherwise a node that is notified at once could apply the change before the database is down.
        node.marketLog.list = () => Promise.reject(new BourseError("unavailable", "gone"));
        const append = node.marketLog.append.bind(node.marketLog);
        const cut = Promise.withResolvers<void>();
        node.marketLog.append = async (...change) => {
          const number = when === "after" ? await append(...change) : null;
          proxy.cut();
          cut.resolve();
          return number ?? append(...change);
        };
        const fetched = node.refresher.refresh(keyOf("quotes", "AAPL"));
        await cut.promise;
        const pauses = spyOn(Bun, "sleep");
        await end(node);
        expect((await fetched).records).toBe(0);
        // An append without a stop is tried 120 times, with a quarter of a second in between.
        expect(pauses.mock.calls.filter(([ms]) => ms === 250).length).toBeLessThan(119);
        pauses.mockRestore();
      } finally {
        await proxy.close();
      }
    }
  });

  describe("with a change that they cannot apply", () => {
    const damaged = new Uint8Array([1, 2, 3]);
    const DAMAGED = "cannot apply change 2 of the market (it is damaged)";

    const replaceChange = (database: string, number: number, bytes: Uint8Array) =>
      server.execute(
        `UPDATE bourse.market_log SET bytes = '\\x${Buffer.from(bytes).toString("hex")}' WHERE number = ${number}`,
        database,
      );

    /** A node that has two changes, and one that read the log before the second was damaged. */
    async function openTwo(damage: (database: string, one: TestNode) => Promise<unknown>) {
      const database = await server.createDatabase();
      const [one, early] = [await start(database), await start(database)];
      await one.imports.write(imported("AAPL"));
      await settle(early);
      await end(early);
      await one.imports.write(imported("MSFT"));
      await damage(database, one);
      const open = () => start(database, { folder: early.folder });
      return { database, one, late: await open() };
    }

    test("go on with their market, write nothing, and need no restart when the log is repaired", async () => {
      const database = await server.createDatabase();
      const some = [await start(database), await start(database)];
      const [one] = some as [TestNode];
      await one.imports.write(imported("AAPL"));
      await one.marketLog.append(crypto.randomUUID(), damaged);
      for (const { member, ...node } of some) {
        await until(() => expect(member.replica.fault).toBe(DAMAGED));
        expect(symbolsOf({ member, ...node })).toEqual(["AAPL"]);
        const error = await expectError(() => node.imports.write(imported("NVDA")), "unavailable");
        expect(error.message).toBe(
          `This node ${DAMAGED}, so it does not follow the log of the cluster and writes nothing. Retry shortly.`,
        );
      }
      // Nothing was appended, and neither leads: a leader that cannot read the log does not know the market.
      expect((await one.marketLog.bounds()).head).toBe(2);
      const leader = "SELECT 1 FROM bourse.leader WHERE until > bourse.cluster_now()";
      await until(async () => expect(await server.execute(leader, database)).toEqual([]));
      await until(async () =>
        expect((await one.listNodes()).map(({ fault }) => fault)).toEqual([DAMAGED, DAMAGED]),
      );
      await replaceChange(database, 2, await encodeChange(imported("MSFT")));
      for (const node of some) {
        await until(() => expect(symbolsOf(node)).toEqual(["AAPL", "MSFT"]));
        expect(node.member.replica.fault).toBeNull();
        expect(node.lines.filter((line) => line.includes("cannot follow"))).toHaveLength(1);
      }
      await leaderOf(...some);
    });

    test("begin again with a snapshot that contains it, which the next leader stores", async () => {
      const { database, one, late } = await openTwo((name) => replaceChange(name, 2, damaged));
      await until(() => expect(late.member.replica.fault).toBe(DAMAGED));
      await until(async () =>
        expect((await one.listNodes()).map(({ fault }) => fault)).toContain(DAMAGED),
      );
      // The leader looks once a minute, and when its term begins.
      await end(one);
      const again = await start(database, { folder: one.folder });
      await until(() => expect(symbolsOf(late)).toEqual(["AAPL", "MSFT"]));
      expect(late.lines.join("\n")).toContain("a snapshot has the change that cannot be applied");
      await again.imports.write(imported("NVDA"));
      await settle(late);
      expect(marketOf(late.folder)).toEqual(marketOf(again.folder));
      expect(late.member.replica.fault).toBeNull();
    });

    test("do not take a snapshot from before it, if the newest is damaged too", async () => {
      const { database, one, late } = await openTwo(async (name, holder) => {
        await holder.snapshots.save();
        await server.execute(
          `UPDATE bourse.market_snapshot_chunks SET bytes = '\\x00'; UPDATE bourse.market_log SET bytes = '\\x00' WHERE number = 2`,
          name,
        );
      });
      await until(() => expect(late.lines.join("\n")).toContain("cannot begin again yet"));
      expect(symbolsOf(late)).toEqual(["AAPL"]);
      await replaceChange(database, 2, await encodeChange(imported("MSFT")));
      await until(() => expect(late.member.replica.fault).toBeNull());
      expect(marketOf(late.folder)).toEqual(marketOf(one.folder));
    });

    test("of a newer bourse wait for the upgrade, also if a snapshot contains it", async () => {
      const newer = await compress(Buffer.from('{"format":99,"records":0}\n'));
      const { one, late } = await openTwo((name) => replaceChange(name, 2, newer));
      await one.snapshots.save();
      await until(() => expect(late.member.replica.fault).toContain("upgrade bourse"));
      await late.member.replica.catchUp().catch(() => {});
      expect(late.lines.join("\n")).not.toContain("begins again");
      expect(symbolsOf(late)).toEqual(["AAPL"]);
    });

    test("that is missing begin again with a snapshot", async () => {
      const { one, late } = await openTwo(async (name, holder) => {
        await holder.imports.write(imported("NVDA"));
        await server.execute("DELETE FROM bourse.market_log WHERE number = 2", name);
      });
      await until(() => expect(late.member.replica.fault).toContain("change 2"));
      await one.snapshots.save();
      await until(() => expect(marketOf(late.folder)).toEqual(marketOf(one.folder)));
    });
  });

  test("go on after an outage of the database, and store once what was written meanwhile", async () => {
    const database = await server.createDatabase();
    const [one, other] = [await start(database), await start(database)];
    await leaderOf(one, other);
    await server.kill();
    const writing = one.imports.write(imported("AAPL"));
    await until(() => expect(one.member.isLeading || other.member.isLeading).toBe(false));
    await server.start();
    expect(await writing).toMatchObject({ records: 1 });
    await leaderOf(one, other);
    expect(await settle(one, other)).toBe(1);
    expect(symbolsOf(other)).toEqual(["AAPL"]);
    // The list of nodes is not kept, and each node writes itself again.
    await until(async () => expect(await other.listNodes()).toHaveLength(2));
  });

  test("begin with a snapshot if the log no longer has their next change", async () => {
    const database = await server.createDatabase();
    const [one, other] = [await start(database), await start(database)];
    await one.imports.write(imported("AAPL"));
    await settle(other);
    await end(other);
    await one.imports.write(imported("MSFT"));
    await one.snapshots.save();
    await one.imports.write(imported("NVDA"));
    await one.marketLog.prune(-1_000);
    expect(await one.marketLog.bounds()).toMatchObject({ head: 3, oldest: 3 });
    const again = await start(database, { folder: other.folder });
    // While the node replaces its market, waiting for a change is refused.
    await until(() => settle(again));
    expect(marketOf(again.folder)).toEqual(marketOf(one.folder));
    expect(again.lines.join("\n")).toContain("begins with a snapshot");
  });

  /** A fetcher whose price of 1 waits for the gate, and one whose price is 2. */
  function createPricers() {
    const gate = Promise.withResolvers<undefined>();
    const slow = fakeFetcher("pricer", "quotes", async () => {
      await gate.promise;
      return [quote("AAPL", 1)];
    });
    return { gate, slow, quick: fakeFetcher("pricer", "quotes", () => [quote("AAPL", 2)]) };
  }

  describe("the leader", () => {
    /** Work that counts the runs that go on. */
    function countRuns() {
      const runs = { begun: 0, running: 0, most: 0 };
      const schedule: NodeOptions["schedule"] = {
        async run({ stopped }) {
          runs.begun++;
          runs.most = Math.max(runs.most, ++runs.running);
          while (!stopped()) await Bun.sleep(5);
          runs.running--;
        },
      };
      return { runs, schedule };
    }

    test("is one node, and hands over at once when it stops", async () => {
      const database = await server.createDatabase();
      const { runs, schedule } = countRuns();
      // The term is longer than the test, so only a handover can end it.
      const options = { schedule, termMs: 600_000 };
      const [one, other] = [await start(database, options), await start(database, options)];
      const first = await leaderOf(one, other);
      const second = first === one ? other : one;
      const listed = await first.listNodes();
      expect(listed.filter(({ isLeader }) => isLeader)).toHaveLength(1);
      await until(() => expect(runs.running).toBe(1));
      await end(first);
      await leaderOf(second);
      await until(() => expect(runs).toEqual({ begun: 2, running: 1, most: 1 }));
    });

    test("is another node after its term if it crashed", async () => {
      const database = await server.createDatabase();
      const { runs, schedule } = countRuns();
      const options = { schedule, termMs: 1_000 };
      const one = await start(database, options);
      await leaderOf(one);
      const other = await start(database, options);
      await end(one, "crash");
      await leaderOf(other);
      await until(() => expect(runs.begun).toBe(2));
    });

    test("stores nothing after its term, and the next leader fetches the key instead", async () => {
      const database = await server.createDatabase();
      const { gate, slow, quick } = createPricers();
      const one = await start(database, { fetchers: [slow] });
      await one.imports.write(imported("AAPL"));
      await leaderOf(one);
      const refreshing = one.refresher.refresh(keyOf("quotes", "AAPL"));
      await until(() => expect(slow.queries).toHaveLength(1));
      const other = await start(database, { fetchers: [quick] });
      await settle(other);
      // The first node does not lead again while a fetch of its last term goes on.
      await server.execute("UPDATE bourse.leader SET until = 0", database);
      await leaderOf(other);
      gate.resolve(undefined);
      expect(await refreshing).toMatchObject({ source: "pricer", records: 1, error: null });
      expect(quick.queries).toHaveLength(1);
      expect(one.market.documents.find("quotes", "US", "AAPL")?.price).toBe(2);
      // The import and the quote.
      expect(await settle(one, other)).toBe(2);
    });

    test("hands over if its market file cannot be written, and follows the log again when it can", async () => {
      const database = await server.createDatabase();
      const [one, other] = [await start(database), await start(database)];
      const leader = await leaderOf(one, other);
      const second = leader === one ? other : one;
      const full = new BourseError("unavailable", "market.db cannot be written (SQLITE_FULL).");
      const spy = spyOn(leader.market, "queueTransaction").mockRejectedValue(full);
      const own = leader.imports.write(imported("MSFT"));
      expect(await own.catch((error: unknown) => error)).toBe(full);
      await leaderOf(second);
      expect(leader.member.isLeading).toBe(false);
      await second.imports.write(imported("AAPL"));
      spy.mockRestore();
      await settle(leader, second);
      // In the order of the log: the first change was in it, although its writer could not apply it.
      expect(symbolsOf(leader)).toEqual(["MSFT", "AAPL"]);
      expect(symbolsOf(second)).toEqual(["MSFT", "AAPL"]);
    });

    test("stores a snapshot when the oldest change without one is a day old", async () => {
      const database = await server.createDatabase();
      const one = await start(database);
      await one.imports.write(imported("AAPL"));
      expect(await one.snapshots.list()).toEqual([]);
      await end(one);
      await server.execute(
        "UPDATE bourse.market_log SET appended_at = appended_at - 86400000",
        database,
      );
      const other = await start(database);
      await until(async () => expect(await other.snapshots.list()).toMatchObject([{ number: 1 }]));
    });
  });

  describe("a record that a request needs", () => {
    test("is fetched once, by the leader, and arrives on the node of the request", async () => {
      const database = await server.createDatabase();
      const pricers = [0, 1, 2].map(() =>
        fakeFetcher("pricer", "quotes", () => [quote("AAPL", 9)]),
      );
      const some: TestNode[] = [];
      for (const pricer of pricers) some.push(await start(database, { fetchers: [pricer] }));
      const leader = await leaderOf(...some);
      await leader.imports.write(imported("AAPL"));
      await settle(...some);
      await Promise.all(some.map(async (node) => node.onRequest([keyOf("quotes", "AAPL")])));
      for (const node of some) {
        expect(node.market.documents.find("quotes", "US", "AAPL")?.price).toBe(9);
        expect(node.onRequest([keyOf("quotes", "AAPL")])).toBeUndefined();
      }
      const queries = pricers.map((pricer) => pricer.queries.length);
      expect(queries.reduce((sum, count) => sum + count)).toBe(1);
      expect(pricers[some.indexOf(leader)]?.queries).toHaveLength(1);
    });

    test("is fetched although another program sends notifications that mean nothing", async () => {
      const database = await server.createDatabase();
      const fetchers = () => [fakeFetcher("pricer", "quotes", () => [quote("AAPL", 9)])];
      const some = [
        await start(database, { fetchers: fetchers() }),
        await start(database, { fetchers: fetchers() }),
      ] as const;
      const leader = await leaderOf(...some);
      await leader.imports.write(imported("AAPL"));
      await settle(...some);
      const key = { kind: "quotes", country: "US", symbol: "AAPL" };
      const payloads = [
        "",
        "not JSON",
        ...[null, 5, {}, { ...key, kind: "toString" }, { ...key, country: "XX" }].map((one) =>
          JSON.stringify(one),
        ),
        ...[{ outcome: null }, { outcome: key, number: 1 }].map((one) => JSON.stringify(one)),
      ];
      for (const channel of ["wanted", "fetching", "fetched", "access", "log", "leader"]) {
        for (const payload of payloads)
          await server.execute(`SELECT pg_notify('bourse_${channel}', '${payload}')`, database);
      }
      const follower = some[0] === leader ? some[1] : some[0];
      await follower.onRequest([keyOf("quotes", "AAPL")]);
      expect(follower.market.documents.find("quotes", "US", "AAPL")?.price).toBe(9);
      expect(some.flatMap(({ lines }) => lines).join("")).not.toContain("error");
    });

    test("that the leader cannot fetch is unavailable, for the same reason on every node", async () => {
      const database = await server.createDatabase();
      const broken = () => fakeFetcher("pricer", "quotes", failing("pricer", "unreachable"));
      const [one, other] = [
        await start(database, { fetchers: [broken()] }),
        await start(database, { fetchers: [broken()] }),
      ];
      await one.imports.write(imported("AAPL"));
      await settle(one, other);
      const leader = await leaderOf(one, other);
      const follower = leader === one ? other : one;
      const failed = async () => follower.onRequest([keyOf("quotes", "AAPL")]);
      expect((await expectError(failed, "unavailable")).message).toBe(
        "The sources of quotes for AAPL cannot be reached and nothing is stored yet: HTTP 500. Retry in 60 seconds.",
      );
      // The failure is in the market of both, as if each had fetched.
      await settle(one, other);
      for (const { market } of [one, other])
        expect(market.fetches.listLast("quotes", "US")).toMatchObject([{ symbol: "AAPL" }]);
    });

    test("is fetched by the next leader if the first one crashes", async () => {
      const database = await server.createDatabase();
      const { gate, slow, quick } = createPricers();
      const one = await start(database, { fetchers: [slow], termMs: 1_000 });
      await one.imports.write(imported("AAPL"));
      await leaderOf(one);
      const other = await start(database, { fetchers: [quick], termMs: 1_000 });
      await settle(other);
      const refreshing = other.refresher.refresh(keyOf("quotes", "AAPL"));
      await until(() => expect(slow.queries).toHaveLength(1));
      const crashing = end(one, "crash");
      expect(await refreshing).toMatchObject({ error: null });
      expect(quick.queries).toHaveLength(1);
      gate.resolve(undefined);
      await crashing;
    });
  });

  describe("a market that belongs to no cluster", () => {
    function openOld() {
      const folder = openFolder();
      const market = openMarket(folder.path);
      market.put("instruments", [stock("US", "AAPL")], SAMPLE);
      market.setSetting("origin", "live");
      return { folder: folder.path, market };
    }

    test("is refused, as is that of another cluster", async () => {
      const { folder, market } = openOld();
      market.close();
      const database = await server.createDatabase();
      // Without the attempts of `start`, which would wait for another error.
      const refusal = (name: string, of: string) =>
        until(async () => {
          const begun = () => startNode(server.url(name), { folder: of });
          const { message } = await expectError(begun, "unavailable");
          expect(message).toStartWith("The market in ");
          return message;
        });
      expect(await refusal(database, folder)).toBe(
        `The market in ${folder} belongs to no cluster. Start with --reset-market to delete it and use the market of the cluster, or make it the first market of the cluster with \`${PROGRAM} cluster import ${folder}\`.`,
      );
      const node = await start(database);
      await end(node);
      const other = await server.createDatabase();
      expect(await refusal(other, node.folder)).toContain("belongs to another cluster");
    });

    test("can be the first market of a cluster", async () => {
      const { folder, market } = openOld();
      const database = await server.createDatabase();
      const early = await start(database);
      const postgres = await Postgres.open(server.url(database), POSTGRES_PARTS);
      const snapshots = new MarketSnapshots(postgres, folder);
      const parts = { marketLog: await MarketLog.open(postgres), snapshots };
      market.close();
      await seedCluster({ ...parts, dataFolder: folder, origin: "live" });
      await postgres.close();
      const [first, second] = [await start(database, { folder }), early];
      await until(() => expect(symbolsOf(early)).toEqual(["AAPL"]));
      await first.imports.write(imported("MSFT"));
      await settle(second);
      expect(symbolsOf(second)).toEqual(["AAPL", "MSFT"]);
      expect(marketOf(second.folder)).toEqual(marketOf(first.folder));
    });
  });
});
