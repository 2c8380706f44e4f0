import { Database } from "bun:sqlite";
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { BourseError } from "#domain/errors.ts";
import { compress, decompress } from "#lib/zstd.ts";
import { inspectDatabase } from "./backup.ts";
import { openReader, withUserErrors } from "./database.ts";
import { CLUSTER_ID, LOG_NUMBER, removeMarket } from "./market.ts";
import type { LogBounds } from "./market-log.ts";
import type { Postgres } from "./postgres.ts";
import { runInThread } from "./sqlite-thread.ts";

/** The part of a file that one chunk holds. Compressed it has less than half of the bytes. */
const CHUNK_BYTES = 2 * 2 ** 20;
/** Chunks that are removed by one statement. */
const REMOVED_AT_ONCE = 20;

/** A complete copy of a node's `market.db`, held in Postgres. */
export interface Snapshot {
  readonly id: string;
  /** The number of the last change that it contains. */
  readonly number: number;
  /** Of the whole file, in hexadecimal. */
  readonly sha256: string;
  /** Its compressed bytes. */
  readonly bytes: number;
  /** Milliseconds since it was completed, by the database's clock. */
  readonly ageMs: number;
}

/** A copy whose chunks are stored. */
interface Uploaded extends Pick<Snapshot, "id" | "sha256"> {
  readonly chunks: number;
}

/** What identifies the content of a `market.db` within a cluster. */
interface MarketPosition {
  readonly clusterId: string;
  /** The number of the last change that it contains. */
  readonly number: number;
}

const LIST = `SELECT id::text AS id, number::double precision AS number, sha256,
    (SELECT coalesce(sum(length(bytes)), 0) FROM market_snapshot_chunks WHERE snapshot = id)::double precision AS bytes,
    greatest(0, cluster_now() - completed_at) AS "ageMs"
  FROM market_snapshots WHERE completed_at IS NOT NULL ORDER BY market_snapshots.number DESC, completed_at DESC`;

const INSERT_CHUNK = "INSERT INTO market_snapshot_chunks VALUES ($1, $2, $3)";

// Only with all of its chunks: a leader that was paused may find that the next one has removed some.
const COMPLETE = `UPDATE market_snapshots SET sha256 = $2, completed_at = cluster_now()
  WHERE id = $1 AND (SELECT count(*) FROM market_snapshot_chunks WHERE snapshot = $1) = $3`;

// The chunks of every snapshot but the two newest complete ones.
const REMOVE_CHUNKS = `DELETE FROM market_snapshot_chunks WHERE (snapshot, position) IN (
  SELECT snapshot, position FROM market_snapshot_chunks WHERE snapshot NOT IN (
    SELECT id FROM market_snapshots WHERE completed_at IS NOT NULL
    ORDER BY number DESC, completed_at DESC LIMIT 2)
  LIMIT ${REMOVED_AT_ONCE}) RETURNING 1`;

const REMOVE_EMPTY = `DELETE FROM market_snapshots
  WHERE NOT EXISTS (SELECT 1 FROM market_snapshot_chunks WHERE snapshot = id)`;

const SEED = `UPDATE market_log_head SET number = 1 WHERE number = 0
  AND NOT EXISTS (SELECT 1 FROM market_snapshots WHERE completed_at IS NOT NULL) RETURNING number`;

/** The snapshots of a cluster's market. Every method throws BourseError `unavailable` if the database is. */
export class MarketSnapshots {
  readonly #postgres: Postgres;
  readonly #folder: string;

  /** The snapshots in that database; `folder` is the data folder of this node. */
  constructor(postgres: Postgres, folder: string) {
    this.#postgres = postgres;
    this.#folder = folder;
  }

  /** The complete snapshots, the newest first. */
  list(): Promise<Snapshot[]> {
    return this.#postgres.query<Snapshot>(LIST);
  }

  /**
   * Stores a snapshot of this node's market and removes all but the two newest ones. The market is copied in
   * a thread, and read and sent in chunks, so that the event loop stays free. Only one node may do this at a
   * time. It ends early, without a snapshot, once `stopped` returns true.
   */
  async save(stopped: () => boolean = () => false): Promise<void> {
    await this.#withCopy(async (copy) => {
      const { number } = readPosition(copy);
      await this.#removeOld();
      const uploaded = await this.#upload(copy, number, stopped);
      if (uploaded) await this.#postgres.query(COMPLETE, valuesOf(uploaded));
      await this.#removeOld();
    });
  }

  /**
   * Makes the market of this folder the first state of a cluster whose log and snapshots are empty. Nodes
   * that joined before start again from it.
   *
   * @throws BourseError if the cluster has a market already
   */
  async seed(clusterId: string): Promise<void> {
    await this.#withCopy(async (copy) => {
      writePosition(copy, { clusterId, number: 1 });
      const uploaded = await this.#upload(copy, 1, () => false);
      if (!uploaded) return;
      await this.#postgres.transaction(async (tx) => {
        const isFirst = (await tx.query(SEED)).length > 0;
        if (!isFirst) {
          throw new BourseError(
            "unavailable",
            "The cluster has a market already, so no other one can be imported. Import single files with `bourse import`.",
          );
        }
        await tx.query(COMPLETE, valuesOf(uploaded));
      });
    });
    writePosition(join(this.#folder, "market.db"), { clusterId, number: 1 });
  }

  /**
   * Replaces `market.db` of this folder, which must not be open, by the newest snapshot that is undamaged
   * and from which the log continues. Returns its number; null if there is no snapshot.
   *
   * @throws BourseError if every snapshot is damaged, or if the file is in use or cannot be written
   */
  async restore(clusterId: string, { oldest }: LogBounds): Promise<number | null> {
    const path = join(this.#folder, "market.db");
    const partial = `${path}.partial`;
    let fault: BourseError | null = null;
    try {
      for (const snapshot of await this.list()) {
        if (snapshot.number < oldest - 1) continue;
        rmSync(partial, { force: true });
        fault = await this.#download(snapshot, clusterId, partial);
        if (fault !== null) continue;
        removeMarket(this.#folder);
        withUserErrors(path, () => renameSync(partial, path));
        return snapshot.number;
      }
    } finally {
      rmSync(partial, { force: true });
    }
    if (fault !== null) throw fault;
    return null;
  }

  async #withCopy(work: (copy: string) => Promise<void>): Promise<void> {
    const copy = join(this.#folder, "market.db.snapshot");
    rmSync(copy, { force: true });
    try {
      // SQLite would create the copy with the permissions that the umask allows.
      withUserErrors(copy, () => closeSync(openSync(copy, "ax", 0o600)));
      const statement = `VACUUM INTO '${copy.replaceAll("'", "''")}'`;
      const failure = await runInThread(join(this.#folder, "market.db"), [statement]);
      if (failure !== null) throw new Error(`The market could not be copied: ${failure}`);
      await work(copy);
    } finally {
      rmSync(copy, { force: true });
    }
  }

  /** Returns null if it was stopped. */
  async #upload(path: string, number: number, stopped: () => boolean): Promise<Uploaded | null> {
    const id = crypto.randomUUID();
    const hash = new Bun.CryptoHasher("sha256");
    const file = Bun.file(path);
    await this.#postgres.query("INSERT INTO market_snapshots VALUES ($1, $2)", [id, number]);
    let chunks = 0;
    for (; chunks * CHUNK_BYTES < file.size; chunks++) {
      if (stopped()) return null;
      const from = chunks * CHUNK_BYTES;
      const part = await file.slice(from, from + CHUNK_BYTES).bytes();
      hash.update(part);
      await this.#postgres.query(INSERT_CHUNK, [id, chunks, await compress(part)]);
    }
    return { id, sha256: hash.digest("hex"), chunks };
  }

  /** Writes a snapshot to a new file; returns what is wrong with it, or null. */
  async #download(
    { id, number, sha256 }: Snapshot,
    clusterId: string,
    path: string,
  ): Promise<BourseError | null> {
    const hash = new Bun.CryptoHasher("sha256");
    const file = withUserErrors(path, () => openSync(path, "ax", 0o600));
    try {
      for (let position = 0; ; position++) {
        const [chunk] = await this.#postgres.query<{ bytes: Uint8Array }>(
          "SELECT bytes FROM market_snapshot_chunks WHERE snapshot = $1 AND position = $2",
          [id, position],
        );
        if (!chunk) break;
        const part = await decompress(chunk.bytes, CHUNK_BYTES).catch(() => null);
        if (part === null) return damaged(number);
        hash.update(part);
        withUserErrors(path, () => writeSync(file, part));
      }
    } finally {
      closeSync(file);
    }
    if (hash.digest("hex") !== sha256) return damaged(number);
    inspectDatabase(path, "market.db");
    const found = readPosition(path);
    return found.number === number && found.clusterId === clusterId ? null : damaged(number);
  }

  async #removeOld(): Promise<void> {
    let removed: number;
    do removed = (await this.#postgres.query(REMOVE_CHUNKS)).length;
    while (removed === REMOVED_AT_ONCE);
    await this.#postgres.query(REMOVE_EMPTY);
  }
}

const valuesOf = ({ id, sha256, chunks }: Uploaded) => [id, sha256, chunks];

function damaged(number: number): BourseError {
  return new BourseError(
    "unavailable",
    `The snapshot of the market at change ${number} in the cluster's database is damaged. The leader stores a new one every day; restore the database from a backup if no node has the market.`,
  );
}

function readPosition(path: string): MarketPosition {
  const database = openReader(path);
  try {
    const find = database.query<{ value: string }, [string]>(
      "SELECT value FROM settings WHERE name = ?",
    );
    return {
      clusterId: find.get(CLUSTER_ID)?.value ?? "",
      number: Number(find.get(LOG_NUMBER)?.value ?? 0),
    };
  } finally {
    database.close();
  }
}

function writePosition(path: string, { clusterId, number }: MarketPosition): void {
  withUserErrors(path, () => {
    const database = new Database(path, { readwrite: true, create: false });
    try {
      const put = database.query<unknown, [string, string]>(
        "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)",
      );
      database.transaction(() => {
        put.run(CLUSTER_ID, clusterId);
        put.run(LOG_NUMBER, String(number));
      })();
    } finally {
      database.close();
    }
  });
}
