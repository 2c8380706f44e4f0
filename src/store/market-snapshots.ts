import { Database } from "bun:sqlite";
import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type BourseError, unavailable } from "#domain/errors.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { compress, decompress } from "#lib/zstd.ts";
import { inspectDatabase } from "./backup.ts";
import { createFile, openDatabase, openReader, withUserErrors } from "./database.ts";
import {
  CLUSTER_ID,
  LOG_FINGERPRINT,
  LOG_NUMBER,
  MARKET,
  type MarketStore,
  removeMarket,
} from "./market.ts";
import { type LogBounds, SNAPSHOT_IS_OF_LOG } from "./market-log.ts";
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
  /** The fingerprint of that change. */
  readonly fingerprint: string;
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
  /** The last change that it contains. */
  readonly number: number;
  readonly fingerprint: string;
}

const LIST = `SELECT id::text AS id, number::double precision AS number, fingerprint, sha256,
    (SELECT coalesce(sum(length(bytes)), 0) FROM market_snapshot_chunks WHERE snapshot = id)::double precision AS bytes,
    greatest(0, cluster_now() - completed_at) AS "ageMs"
  FROM market_snapshots WHERE completed_at IS NOT NULL AND ${SNAPSHOT_IS_OF_LOG}
  ORDER BY market_snapshots.number DESC, completed_at DESC`;

const INSERT = "INSERT INTO market_snapshots (id, number, fingerprint) VALUES ($1, $2, $3)";
const INSERT_CHUNK = "INSERT INTO market_snapshot_chunks VALUES ($1, $2, $3)";

// Only with all of its chunks: a leader that was paused may find that the next one has removed some.
const COMPLETE = `UPDATE market_snapshots SET sha256 = $2, completed_at = cluster_now()
  WHERE id = $1 AND (SELECT count(*) FROM market_snapshot_chunks WHERE snapshot = $1) = $3`;

// The chunks of every snapshot but the two newest complete ones of the log.
const REMOVE_CHUNKS = `DELETE FROM market_snapshot_chunks WHERE (snapshot, position) IN (
  SELECT snapshot, position FROM market_snapshot_chunks WHERE snapshot NOT IN (
    SELECT id FROM market_snapshots WHERE completed_at IS NOT NULL AND ${SNAPSHOT_IS_OF_LOG}
    ORDER BY number DESC, completed_at DESC LIMIT 2)
  LIMIT ${REMOVED_AT_ONCE}) RETURNING 1`;

const REMOVE_EMPTY = `DELETE FROM market_snapshots
  WHERE NOT EXISTS (SELECT 1 FROM market_snapshot_chunks WHERE snapshot = id)`;

const SEED = `UPDATE market_log_head SET number = 1, fingerprint = $1 WHERE number = 0
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

  /** The complete snapshots of the log, the newest first. */
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
      await this.#removeOld();
      const uploaded = await this.#upload(copy, readPosition(copy), stopped);
      if (uploaded) await this.#postgres.query(COMPLETE, valuesOf(uploaded));
      await this.#removeOld();
    });
  }

  /**
   * Makes the market of this folder, which changes and must not be open, the first state of a cluster whose
   * log and snapshots are empty. Nodes that joined before begin again with it.
   *
   * @throws BourseError if the cluster has a market already
   */
  async seed(clusterId: string): Promise<void> {
    const path = join(this.#folder, "market.db");
    const fingerprint = crypto.randomUUID();
    const position = { clusterId, number: 1, fingerprint };
    writePosition(path, position);
    const uploaded = await this.#upload(path, position, () => false);
    if (!uploaded) return;
    await this.#postgres.transaction(async (tx) => {
      const isFirst = (await tx.query(SEED, [fingerprint])).length > 0;
      if (!isFirst) {
        throw unavailable(
          `The cluster has a market already, so no other one can be imported. Import single files with \`${PROGRAM} import\`.`,
        );
      }
      await tx.query(COMPLETE, valuesOf(uploaded));
    });
  }

  /**
   * Replaces `market.db` of this folder, which must not be open, by the newest snapshot that is undamaged
   * and from which the log continues. Returns its number; null if there is no snapshot.
   *
   * @throws BourseError if every snapshot is damaged, or if the file is in use or cannot be written
   */
  restore(clusterId: string, bounds: LogBounds): Promise<number | null> {
    const path = join(this.#folder, "market.db");
    return this.#withSnapshot(clusterId, bounds, async (number, file) => {
      if (number === null) return null;
      removeMarket(this.#folder);
      withUserErrors(path, () => renameSync(file, path));
      return number;
    });
  }

  /**
   * Replaces the content of this folder's market, which stays open, as `restore` does; by an empty market if
   * there is no snapshot and the log has all changes. Returns the number of the last change that it has.
   *
   * @throws BourseError if every snapshot is damaged or missing; Error if the file cannot be written
   */
  replace(market: MarketStore, clusterId: string, bounds: LogBounds): Promise<number> {
    return this.#withSnapshot(clusterId, bounds, async (number, file) => {
      if (number === null) {
        if (bounds.oldest > 1) throw withoutSnapshot(bounds);
        openDatabase(file, MARKET).close();
        writePosition(file, { clusterId, number: 0, fingerprint: "" });
      }
      await market.replaceContent(file);
      return number ?? 0;
    });
  }

  /** Runs work with a file of the newest usable snapshot and its number; null and no file if there is none. */
  async #withSnapshot<T>(
    clusterId: string,
    { oldest }: LogBounds,
    work: (number: number | null, file: string) => Promise<T>,
  ): Promise<T> {
    const partial = join(this.#folder, "market.db.partial");
    let fault: BourseError | null = null;
    const remove = () => {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(partial + suffix, { force: true });
    };
    try {
      for (const snapshot of await this.list()) {
        if (snapshot.number < oldest - 1) continue;
        remove();
        fault = await this.#download(snapshot, clusterId, partial);
        if (fault === null) return await work(snapshot.number, partial);
      }
      remove();
      if (fault !== null) throw fault;
      return await work(null, partial);
    } finally {
      remove();
    }
  }

  async #withCopy(work: (copy: string) => Promise<void>): Promise<void> {
    const copy = join(this.#folder, "market.db.snapshot");
    rmSync(copy, { force: true });
    try {
      // SQLite would create the copy with the permissions that the umask allows.
      withUserErrors(copy, () => createFile(copy, "ax"));
      const statement = `VACUUM INTO '${copy.replaceAll("'", "''")}'`;
      const failure = await runInThread(join(this.#folder, "market.db"), [statement]);
      if (failure !== null) throw new Error(`The market could not be copied: ${failure}`);
      await work(copy);
    } finally {
      rmSync(copy, { force: true });
    }
  }

  /** Returns null if it was stopped. */
  async #upload(
    path: string,
    { number, fingerprint }: MarketPosition,
    stopped: () => boolean,
  ): Promise<Uploaded | null> {
    const id = crypto.randomUUID();
    const hash = new Bun.CryptoHasher("sha256");
    const file = Bun.file(path);
    await this.#postgres.query(INSERT, [id, number, fingerprint]);
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
    { id, number, fingerprint, sha256 }: Snapshot,
    clusterId: string,
    path: string,
  ): Promise<BourseError | null> {
    const hash = new Bun.CryptoHasher("sha256");
    withUserErrors(path, () => createFile(path, "ax"));
    const file = openSync(path, "a");
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
    if (found.number !== number || found.clusterId !== clusterId) return damaged(number);
    // A snapshot of an earlier version has no fingerprint.
    if (found.fingerprint !== fingerprint) writePosition(path, { clusterId, number, fingerprint });
    return null;
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
  return unavailable(
    `The snapshot of the market at change ${number} in the cluster's database is damaged. The leader stores a new one every day; restore the database from a backup if no node has the market.`,
  );
}

function withoutSnapshot({ oldest }: LogBounds): BourseError {
  return unavailable(
    `The cluster's log begins with change ${oldest}, and there is no snapshot of the market from before. Restore the cluster's database from a backup.`,
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
      fingerprint: find.get(LOG_FINGERPRINT)?.value ?? "",
    };
  } finally {
    database.close();
  }
}

function writePosition(path: string, { clusterId, number, fingerprint }: MarketPosition): void {
  withUserErrors(path, () => {
    const database = new Database(path, { readwrite: true, create: false });
    try {
      const put = database.query<unknown, [string, string]>(
        "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)",
      );
      database.transaction(() => {
        put.run(CLUSTER_ID, clusterId);
        // A market without a change has no place, as on a new node.
        if (number === 0) return;
        put.run(LOG_NUMBER, String(number));
        put.run(LOG_FINGERPRINT, fingerprint);
      })();
    } finally {
      database.close();
    }
  });
}
