import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { findLogPlace } from "#ingest/changes.ts";
import {
  CLUSTER_ID,
  copyDatabase,
  LOG_NUMBER,
  type MarketStore,
  openMarket,
} from "#store/index.ts";
import { MarketLog } from "#store/market-log.ts";
import { MarketSnapshots } from "#store/market-snapshots.ts";
import { Postgres } from "#store/postgres.ts";
import type { PostgresValue } from "#store/postgres-statement.ts";
import { openFolder } from "../support/access.ts";
import { POSTGRES_PARTS } from "../support/cluster-access.ts";
import { expectError } from "../support/error.ts";
import { SAMPLE, stock, listInstruments } from "../support/market.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "../support/postgres.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

describe.skipIf(IS_POSTGRES_MISSING)("a snapshot of the market", () => {
  let server: TestPostgres;
  const opened: { close: () => Promise<void> }[] = [];
  beforeAll(async () => void (server = await TestPostgres.start()));
  afterAll(async () => {
    for (const one of opened) await one.close();
    await server?.kill();
  });

  async function openCluster() {
    const postgres = await Postgres.open(server.url(await server.createDatabase()), POSTGRES_PARTS);
    opened.push(postgres);
    const log = await MarketLog.open(postgres);
    const id = await log.claimOrigin("live");
    /** Appends that many changes without content. */
    const append = async (count: number) => {
      for (let i = 0; i < count; i++) await log.append(crypto.randomUUID(), new Uint8Array(10));
    };
    return { postgres, log, id, append };
  }

  /** A data folder whose market has companies of those symbols. */
  function openNode(postgres: Postgres, symbols: readonly string[] = []) {
    const folder = openFolder();
    const market = openMarket(folder.path);
    for (const symbol of symbols) market.put("instruments", [stock("US", symbol)], SAMPLE);
    return {
      path: folder.path,
      market,
      snapshots: new MarketSnapshots(postgres, folder.path),
      [Symbol.dispose]() {
        market.close();
        folder[Symbol.dispose]();
      },
    };
  }

  function setPosition(market: MarketStore, clusterId: string, number: number): void {
    market.setSetting(CLUSTER_ID, clusterId);
    market.setSetting(LOG_NUMBER, String(number));
  }

  const symbolsOf = (market: MarketStore) =>
    listInstruments(market, "US").map(({ symbol }) => symbol);

  test("is the market of a new node", async () => {
    const { postgres, id, log, append } = await openCluster();
    await append(3);
    using node = openNode(postgres, ["AAPL", "MSFT"]);
    setPosition(node.market, id, 3);
    await node.snapshots.save();
    const [stored] = await node.snapshots.list();
    expect(stored).toMatchObject({ number: 3 });
    // The file has fewer than 2 MB, so one chunk holds it.
    const chunks = await postgres.query<{ bytes: number }>(
      "SELECT length(bytes) AS bytes FROM market_snapshot_chunks",
    );
    expect(chunks.map(({ bytes }) => bytes)).toEqual([stored?.bytes ?? 0]);
    expect(existsSync(join(node.path, "market.db.snapshot"))).toBe(false);

    using folder = openFolder();
    const restored = await new MarketSnapshots(postgres, folder.path).restore(
      id,
      await log.bounds(),
    );
    expect(restored).toBe(3);
    expect(statSync(join(folder.path, "market.db")).mode & 0o777).toBe(0o600);
    const market = openMarket(folder.path);
    expect(symbolsOf(market)).toEqual(["AAPL", "MSFT"]);
    expect([market.findSetting(CLUSTER_ID), market.findSetting(LOG_NUMBER)]).toEqual([id, "3"]);
    market.close();
  });

  test("of more than a chunk is the same file, byte for byte", async () => {
    const { postgres, id, log } = await openCluster();
    using node = openNode(postgres);
    setPosition(node.market, id, 0);
    // 16 MB of random hexadecimal digits; compressed, they have at least half the size.
    for (let i = 0; i < 128; i++) {
      const random = crypto.getRandomValues(new Uint8Array(65_536));
      node.market.setSetting(`random${i}`, Buffer.from(random).toString("hex"));
    }
    await node.snapshots.save();
    const chunks = await postgres.query("SELECT 1 FROM market_snapshot_chunks");
    expect(chunks.length).toBeGreaterThan(2);
    using folder = openFolder();
    await new MarketSnapshots(postgres, folder.path).restore(id, await log.bounds());
    const market = openMarket(folder.path);
    for (const name of ["random0", "random127"])
      expect(market.findSetting(name)).toBe(node.market.findSetting(name));
    market.close();
  });

  test("is kept until there are two newer ones, and what a killed leader left is removed", async () => {
    const { postgres, id, append } = await openCluster();
    using node = openNode(postgres, ["AAPL"]);
    await postgres.query("INSERT INTO market_snapshots VALUES (gen_random_uuid(), 1)");
    await postgres.query(
      "INSERT INTO market_snapshot_chunks SELECT id, 0, '' FROM market_snapshots",
    );
    for (const number of [1, 2, 3]) {
      await append(1);
      setPosition(node.market, id, number);
      await node.snapshots.save();
    }
    expect((await node.snapshots.list()).map((one) => one.number)).toEqual([3, 2]);
    expect(await postgres.query("SELECT count(*)::integer AS rows FROM market_snapshots")).toEqual([
      { rows: 2 },
    ]);
    expect(
      await postgres.query("SELECT count(*)::integer AS rows FROM market_snapshot_chunks"),
    ).toEqual([{ rows: 2 }]);
  });

  test("is not completed without all of its chunks", async () => {
    const { postgres, id } = await openCluster();
    using node = openNode(postgres);
    setPosition(node.market, id, 0);
    // More than the 2 MB of one chunk.
    node.market.setSetting("zeros", "0".repeat(5_000_000));
    const paused: Pick<Postgres, "query"> = {
      async query<Row>(sql: string, values: readonly PostgresValue[] = []) {
        // Meanwhile another node leads, and removes what it takes for the chunks of a killed leader.
        if (sql.startsWith("INSERT INTO market_snapshot_chunks") && values[1] === 1)
          await postgres.query("DELETE FROM market_snapshot_chunks");
        return postgres.query<Row>(sql, values);
      },
    };
    await new MarketSnapshots(paused as Postgres, node.path).save();
    expect(await node.snapshots.list()).toEqual([]);
    await node.snapshots.save();
    expect(await node.snapshots.list()).toMatchObject([{ number: 0 }]);
  });

  test("that is damaged is not used: the one before is, else the start fails", async () => {
    const { postgres, id, log, append } = await openCluster();
    using node = openNode(postgres, ["AAPL"]);
    for (const number of [1, 2]) {
      await append(1);
      setPosition(node.market, id, number);
      await node.snapshots.save();
    }
    const damage = (number: number) =>
      postgres.query(
        `UPDATE market_snapshot_chunks SET bytes = set_byte(bytes, 1000, get_byte(bytes, 1000) # 1)
         WHERE snapshot = (SELECT id FROM market_snapshots WHERE number = $1)`,
        [number],
      );
    await damage(2);
    using folder = openFolder();
    const snapshots = new MarketSnapshots(postgres, folder.path);
    expect(await snapshots.restore(id, await log.bounds())).toBe(1);
    await damage(1);
    const error = await expectError(
      async () => snapshots.restore(id, await log.bounds()),
      "unavailable",
    );
    expect(error.message).toContain("The snapshot of the market at change 1 in the cluster's");
    // The market from before stays, and no part of the damaged one.
    const market = openMarket(folder.path);
    expect(market.findSetting(LOG_NUMBER)).toBe("1");
    market.close();
    expect(existsSync(join(folder.path, "market.db.partial"))).toBe(false);
  });

  test("with a missing chunk, or of another cluster, is damaged", async () => {
    const { postgres, id, log } = await openCluster();
    using node = openNode(postgres, ["AAPL"]);
    setPosition(node.market, crypto.randomUUID(), 0);
    await node.snapshots.save();
    using folder = openFolder();
    const snapshots = new MarketSnapshots(postgres, folder.path);
    const bounds = await log.bounds();
    await expectError(() => snapshots.restore(id, bounds), "unavailable");
    await postgres.query("DELETE FROM market_snapshot_chunks");
    await expectError(() => snapshots.restore(id, bounds), "unavailable");
    expect(existsSync(join(folder.path, "market.db"))).toBe(false);
  });

  test("does not replace a market that is open", async () => {
    const { postgres, id, log } = await openCluster();
    using node = openNode(postgres, ["AAPL"]);
    setPosition(node.market, id, 0);
    await node.snapshots.save();
    const bounds = await log.bounds();
    const error = await expectError(() => node.snapshots.restore(id, bounds), "unavailable");
    expect(error.message).toContain("Another process uses the market");
    expect(symbolsOf(node.market)).toEqual(["AAPL"]);
  });

  test("lets the log forget what it contains", async () => {
    const { postgres, id, log, append } = await openCluster();
    await append(5);
    await postgres.query(
      "UPDATE market_log SET appended_at = appended_at - 86400000 WHERE number < 5",
    );
    await log.prune(3_600_000);
    // Without a snapshot, nothing is removed.
    expect(await log.bounds()).toMatchObject({ head: 5, oldest: 1 });
    using node = openNode(postgres);
    setPosition(node.market, id, 3);
    await node.snapshots.save();
    await log.prune(3_600_000);
    expect(await log.bounds()).toMatchObject({ head: 5, oldest: 4 });
    setPosition(node.market, id, 5);
    await node.snapshots.save();
    await log.prune(3_600_000);
    // The last one is young enough.
    expect(await log.bounds()).toMatchObject({ head: 5, oldest: 5 });
    await log.prune(-1_000);
    expect(await log.bounds()).toMatchObject({ head: 5, oldest: 6 });
  });

  test("of a market before the cluster is its first state, once", async () => {
    const { postgres, id, log, append } = await openCluster();
    using node = openNode(postgres, ["AAPL"]);
    const seed = async (one: typeof node) => {
      using copy = openFolder();
      copyDatabase(join(one.path, "market.db"), join(copy.path, "market.db"), "market.db");
      await new MarketSnapshots(postgres, copy.path).seed(id);
    };
    await seed(node);
    // A node that joined before, at 0, is older than the oldest change and begins again.
    expect(await log.bounds()).toMatchObject({ head: 1, oldest: 2 });
    using folder = openFolder();
    const snapshots = new MarketSnapshots(postgres, folder.path);
    expect(await snapshots.restore(id, await log.bounds())).toBe(1);
    const market = openMarket(folder.path);
    expect(findLogPlace(market)).toEqual({
      number: 1,
      fingerprint: (await log.bounds()).fingerprint,
    });
    market.close();
    await append(1);
    expect(await log.bounds()).toMatchObject({ head: 2, oldest: 2 });
    using second = openNode(postgres, ["MSFT"]);
    const error = await expectError(() => seed(second), "unavailable");
    expect(error.message).toContain("The cluster has a market already");
    expect(await snapshots.list()).toHaveLength(1);
  });
});
