import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ClusterNodes } from "#store/cluster-nodes.ts";
import { Leadership } from "#store/leadership.ts";
import { MarketLog } from "#store/market-log.ts";
import { Postgres } from "#store/postgres.ts";
import { POSTGRES_PARTS } from "../support/cluster-access.ts";
import { expectError } from "../support/error.ts";
import { IS_POSTGRES_MISSING, TestPostgres, until } from "../support/postgres.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const uuid = () => crypto.randomUUID();

describe.skipIf(IS_POSTGRES_MISSING)("the log of a cluster", () => {
  let server: TestPostgres;
  const opened: { close: () => Promise<void> }[] = [];
  beforeAll(async () => void (server = await TestPostgres.start()));
  afterAll(async () => {
    for (const one of opened) await one.close();
    await server?.kill();
  });

  async function connect(url: string) {
    const postgres = await Postgres.open(url, POSTGRES_PARTS);
    opened.push(postgres);
    return postgres;
  }

  /** A new cluster with two nodes. */
  async function openTwo() {
    const database = await server.createDatabase();
    const one = await connect(server.url(database));
    const other = await connect(server.url(database));
    // At the same time, because nodes may start together.
    const logs = await Promise.all([MarketLog.open(one), MarketLog.open(other)]);
    return { database, one, other, logs };
  }

  /** Lets all appends wait until it is released. */
  async function holdHead(postgres: Postgres) {
    const held = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    void postgres.transaction(async (tx) => {
      await tx.query("SELECT number FROM market_log_head FOR UPDATE");
      held.resolve(undefined);
      await released.promise;
    });
    await held.promise;
    return { release: () => released.resolve(undefined) };
  }

  /** Resolves when a statement waits for a lock. */
  const untilOneWaits = (database: string) =>
    until(async () => {
      const waiting = await server.execute(
        `SELECT 1 FROM pg_stat_activity WHERE datname = '${database}' AND wait_event_type = 'Lock'`,
      );
      expect(waiting).toHaveLength(1);
    });

  async function append(to: MarketLog, text: string, fence: number | null = null) {
    return to.append(uuid(), bytesOf(text), { fence });
  }

  async function textsOf(from: MarketLog, after = 0) {
    return (await from.list(after, 2 ** 20)).map(({ bytes }) => textOf(bytes));
  }

  test("numbers appends of several nodes without gaps, in the order in which they are seen", async () => {
    const { logs } = await openTwo();
    const seen: number[] = [];
    let isOver = false;
    const watch = (async () => {
      while (!isOver || (seen.at(-1) ?? 0) < 200)
        for (const { number } of await logs[0].list(seen.at(-1) ?? 0, 1_000)) seen.push(number);
    })();
    const writers = logs.flatMap((one) => [one, one]);
    await Promise.all(
      writers.map(async (one, writer) => {
        for (let i = 0; i < 50; i++) await append(one, `${writer}/${i}`);
      }),
    );
    isOver = true;
    await watch;
    // A change that commits after a later number was seen would be missing here.
    expect(seen).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    const texts = await textsOf(logs[1]);
    for (const writer of writers.keys()) {
      const own = texts.filter((text) => text.startsWith(`${writer}/`));
      expect(own).toEqual(Array.from({ length: 50 }, (_, i) => `${writer}/${i}`));
    }
    expect(await logs[0].bounds()).toMatchObject({ head: 200, oldest: 1 });
  });

  test("tells all nodes about each append", async () => {
    const { logs } = await openTwo();
    let heard = 0;
    let wake = Promise.withResolvers<undefined>();
    await logs[1].listen(() => {
      heard++;
      wake.resolve(undefined);
    });
    const before = heard;
    wake = Promise.withResolvers();
    await append(logs[0], "a");
    await wake.promise;
    expect(heard).toBeGreaterThan(before);
  });

  test("lists at least one change, and stops at the limit of bytes", async () => {
    const { logs } = await openTwo();
    for (const text of ["aaaa", "bbbb", "cccc"]) await append(logs[0], text);
    expect((await logs[0].list(0, 1)).map(({ number }) => number)).toEqual([1]);
    expect((await logs[0].list(0, 8)).map(({ number }) => number)).toEqual([1, 2]);
    expect((await logs[0].list(1, 100)).map(({ number }) => number)).toEqual([2, 3]);
    expect(await logs[0].list(3, 100)).toEqual([]);
    const { bytes, ageMs } = await logs[0].backlog(1);
    expect(bytes).toBe(8);
    expect(ageMs).toBeWithin(0, 60_000);
    expect(await logs[0].backlog(3)).toEqual({ bytes: 0, ageMs: 0 });
  });

  test("stores a repeated append once", async () => {
    const { logs } = await openTwo();
    const id = uuid();
    expect(await logs[0].append(id, bytesOf("a"))).toBe(1);
    expect(await append(logs[1], "b")).toBe(2);
    expect(await logs[0].append(id, bytesOf("a"))).toBe(1);
    expect(await textsOf(logs[0])).toEqual(["a", "b"]);
  });

  test("stores an append once whose answer was lost", async () => {
    const { database, one, logs } = await openTwo();
    const proxy = await TcpProxy.open(server.port);
    opened.unshift(proxy);
    const far = await MarketLog.open(await connect(server.url(database, proxy.port)));
    const head = await holdHead(one);
    const appending = append(far, "a");
    await untilOneWaits(database);
    proxy.cut();
    head.release();
    await until(async () => expect((await logs[1].bounds()).head).toBe(1));
    proxy.resume();
    expect(await appending).toBe(1);
    expect(await textsOf(logs[0])).toEqual(["a"]);
  });

  test("appends several changes together or none of them", async () => {
    const { logs } = await openTwo();
    const id = uuid();
    await logs[0].stage(id, 0, bytesOf("a"));
    await logs[0].stage(id, 0, bytesOf("a"));
    await logs[0].stage(id, 1, bytesOf("b"));
    expect(await textsOf(logs[1])).toEqual([]);
    await append(logs[1], "z");
    expect(await logs[0].append(id, bytesOf("c"), { changes: 3 })).toBe(4);
    expect(await logs[0].append(id, bytesOf("c"), { changes: 3 })).toBe(4);
    expect(await textsOf(logs[1])).toEqual(["z", "a", "b", "c"]);
    expect((await logs[1].list(1, 100)).map(({ position }) => position)).toEqual([0, 1, 2]);

    const lost = uuid();
    await logs[0].stage(lost, 0, bytesOf("a"));
    const appending = logs[0].append(lost, bytesOf("c"), { changes: 3 });
    const error = await expectError(() => appending, "unavailable");
    expect(error.message).toContain("None is stored. Run the import again.");
    await logs[0].discard(lost);
    expect(await logs[0].bounds()).toMatchObject({ head: 4, oldest: 1 });
  });

  test("refuses a change that would block the nodes", async () => {
    const { logs } = await openTwo();
    const large = new Uint8Array(8 * 2 ** 20 + 1);
    const error = await expectError(() => logs[0].append(uuid(), large), "unavailable");
    expect(error.message).toBe(
      "One change of the market has 9 MB, and a cluster stores at most 8 MB at once. Import it in smaller files.",
    );
  });

  test("has the origin of its first node", async () => {
    const { logs } = await openTwo();
    const id = await logs[0].claimOrigin("live");
    expect(await logs[1].claimOrigin("live")).toBe(id);
    const error = await expectError(() => logs[1].claimOrigin("sample"), "unavailable");
    expect(error.message).toBe(
      "The cluster has a live market, and this node was started with a sample one. Start it with --market live.",
    );
  });

  test("refuses a database that a newer bourse has changed", async () => {
    const { one } = await openTwo();
    await one.query("UPDATE schema_versions SET version = version + 1");
    const error = await expectError(() => MarketLog.open(one), "unavailable");
    expect(error.message).toContain("newer bourse");
  });

  describe("leadership", () => {
    /** Two nodes that compete, with clocks that the test moves. */
    async function compete(termMs = 60_000) {
      const cluster = await openTwo();
      const time = { now: 0 };
      const stopwatch = () => time.now;
      const [first, second] = [cluster.one, cluster.other].map(
        (postgres) => new Leadership({ postgres, holder: uuid(), stopwatch, termMs }),
      ) as [Leadership, Leadership];
      /** Lets the term end by the clock of the database. */
      const endTerm = () => cluster.one.query("UPDATE leader SET until = cluster_now() - 1");
      return { ...cluster, time, first, second, endTerm };
    }

    test("has one node at a time, and its fence stays while it renews", async () => {
      const { first, second } = await compete();
      expect(await first.claim()).toBe(1);
      expect(await second.claim()).toBeNull();
      expect(await first.claim()).toBe(1);
      expect([first.fence, second.fence]).toEqual([1, null]);
    });

    test("goes to one of two nodes that claim it together", async () => {
      const { first, second } = await compete();
      const fences = await Promise.all([first.claim(), second.claim()]);
      expect(fences.filter((fence) => fence !== null)).toEqual([1]);
    });

    test("goes to another node after the term, and the old leader can write nothing", async () => {
      const { first, second, endTerm, logs } = await compete();
      const stale = await first.claim();
      expect(await append(logs[0], "a", stale)).toBe(1);
      await endTerm();
      expect(await append(logs[0], "b", stale)).toBeNull();
      expect(await second.claim()).toBe(2);
      expect(await append(logs[0], "c", stale)).toBeNull();
      expect(await append(logs[1], "d", second.fence)).toBe(2);
      expect(await textsOf(logs[1])).toEqual(["a", "d"]);
      // The old leader learns it at its next renewal.
      expect(first.fence).toBe(1);
      expect(await first.claim()).toBeNull();
      expect(await first.claim()).toBeNull();
    });

    test("waits during an upgrade until no living node is too old for the changes of the next leader", async () => {
      const { one } = await compete();
      const upgraded = new Leadership({
        postgres: one,
        holder: uuid(),
        format: 2,
        stopwatch: () => 0,
      });
      const nodes = new ClusterNodes(one);
      const id = uuid();
      const old = {
        id,
        host: "",
        version: "",
        url: "",
        applied: 0,
        leases: 0,
        build: "",
        fault: null,
      };
      await nodes.beat({ ...old, settings: {} });
      expect(await upgraded.claim()).toBeNull();
      // Killed a term and more than a second ago.
      await one.query("UPDATE nodes SET seen_at = cluster_now() - 3100");
      expect(await upgraded.claim()).toBe(1);
      await upgraded.release();
      await nodes.beat({ ...old, settings: {} });
      await one.query("UPDATE nodes SET settings = NULL");
      expect(await upgraded.claim()).toBeNull();
      await one.query("UPDATE nodes SET fault = 'cannot apply a change'");
      expect(await upgraded.claim()).toBe(2);
      await upgraded.release();
      await nodes.remove(id);
      await nodes.beat({ ...old, id: uuid(), settings: { "change-format": "2" } });
      expect(await upgraded.claim()).toBe(3);
    });

    test("is checked when a change gets its number, not when the append was sent", async () => {
      const { database, one, first, second, logs, endTerm } = await compete();
      const fence = await first.claim();
      const head = await holdHead(one);
      const appending = append(logs[1], "late", fence);
      await untilOneWaits(database);
      await endTerm();
      expect(await second.claim()).toBe(2);
      head.release();
      expect(await appending).toBeNull();
      expect(await logs[0].bounds()).toMatchObject({ head: 0, oldest: 1 });
    });

    test("ends by the leader's own stopwatch before it ends by the database's clock", async () => {
      const { first, time } = await compete(1_000);
      await first.claim();
      time.now = 899;
      expect(first.fence).toBe(1);
      time.now = 900;
      expect(first.fence).toBeNull();
    });

    test("is handed over at once by a leader that stops", async () => {
      const { first, second } = await compete();
      await first.claim();
      await first.release();
      expect(first.fence).toBeNull();
      expect(await second.claim()).toBe(2);
      // The old leader must not end the term of the new one.
      await first.release();
      expect(await second.claim()).toBe(2);
    });

    test("is not shared after the database went back to before it, and gave the fence again", async () => {
      const { one, first, second, logs } = await compete();
      await first.claim();
      await one.query("UPDATE leader SET holder = NULL, until = 0, fence = 0");
      expect([await second.claim(), first.fence]).toEqual([1, 1]);
      const write = ({ fence, holder }: Leadership) =>
        logs[0].append(uuid(), bytesOf("a"), { fence, holder });
      expect([await write(first), await write(second)]).toEqual([null, 1]);
      expect(await first.claim()).toBeNull();
      await first.release();
      expect(await second.claim()).toBe(1);
    });

    test("is not claimed by a node that is not willing", async () => {
      const { first, second } = await compete();
      expect(await first.claim(false)).toBeNull();
      expect(await second.claim()).toBe(1);
    });

    test("does not wait for a term that a clock that was set back made endless", async () => {
      const { one, first, second } = await compete();
      await first.claim();
      await one.query("UPDATE leader SET until = cluster_now() + 3600000");
      expect(await second.claim()).toBe(2);
    });
  });

  describe("nodes", () => {
    const state = {
      host: "a.example",
      version: "1.0.0",
      url: "http://127.0.0.1:8080",
      leases: 3,
      fault: null,
    };
    const own = { build: "1.0.0", settings: { "plan-free": "a", sources: "b" } };

    test("are listed with their lag and the leader", async () => {
      const { one, logs } = await openTwo();
      const nodes = new ClusterNodes(one);
      const [first, second] = [uuid(), uuid()];
      for (const text of ["a", "b"]) await append(logs[0], text);
      await nodes.beat({ ...state, ...own, id: first, applied: 1 });
      await nodes.beat({ ...state, ...own, id: first, applied: 2, fault: "replaces its market" });
      const other = { build: "1.0.1", settings: { "plan-free": "c", sources: "b", newer: "d" } };
      await nodes.beat({ ...state, ...other, id: second, host: "b.example", applied: 0 });
      const leadership = new Leadership({ postgres: one, holder: second, stopwatch: () => 0 });
      await leadership.claim();
      const listed = await nodes.list();
      const times = { upMs: expect.any(Number) as number, seenMs: expect.any(Number) as number };
      expect(listed).toEqual([
        {
          ...state,
          ...times,
          id: first,
          applied: 2,
          lag: 0,
          isLeader: false,
          isGone: false,
          fault: "replaces its market",
          differs: ["plan-free", "build"],
        },
        {
          ...state,
          ...times,
          id: second,
          host: "b.example",
          applied: 0,
          lag: 2,
          isLeader: true,
          isGone: false,
          differs: [],
        },
      ]);
      await one.query("UPDATE nodes SET seen_at = seen_at - 3000 WHERE id = $1", [first]);
      expect((await nodes.list()).map(({ isGone }) => isGone)).toEqual([true, false]);
      for (const node of listed) expect(node.seenMs).toBeWithin(0, 60_000);
      await one.query("UPDATE nodes SET started_at = cluster_now() - 7200000");
      for (const { upMs } of await nodes.list()) expect(upMs).toBeWithin(7_200_000, 7_260_000);
      await nodes.remove(first);
      expect((await nodes.list()).map(({ id }) => id)).toEqual([second]);
    });

    test("that were not seen for a minute are forgotten", async () => {
      const { one } = await openTwo();
      const nodes = new ClusterNodes(one);
      const [gone, here] = [uuid(), uuid()];
      await nodes.beat({ ...state, ...own, id: gone, applied: 0 });
      await one.query("UPDATE nodes SET seen_at = seen_at - 60000");
      expect(await nodes.list()).toEqual([]);
      await nodes.beat({ ...state, ...own, id: here, applied: 0 });
      expect(await one.query("SELECT id FROM nodes")).toEqual([{ id: here }]);
      // A node that was cut off is listed again.
      await nodes.beat({ ...state, ...own, id: gone, applied: 0 });
      expect(await nodes.list()).toHaveLength(2);
    });
  });
});
