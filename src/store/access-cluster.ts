import type { AccessStore } from "./access.ts";
import accessSchema from "./access-cluster.sql" with { type: "text" };
import alertsSchema from "./access-cluster-alerts.sql" with { type: "text" };
import briefsSchema from "./access-cluster-briefs.sql" with { type: "text" };
import datedSchema from "./access-dated.sql" with { type: "text" };
import documentsSchema from "./access-cluster-documents.sql" with { type: "text" };
import identitiesSchema from "./access-cluster-identities.sql" with { type: "text" };
import invitationsSchema from "./access-cluster-invitations.sql" with { type: "text" };
import listsSchema from "./access-cluster-lists.sql" with { type: "text" };
import linkSecretSchema from "./access-cluster-link-secret.sql" with { type: "text" };
import outboxSchema from "./access-outbox.sql" with { type: "text" };
import refusalsSchema from "./access-cluster-refusals.sql" with { type: "text" };
import rightsSchema from "./access-rights.sql" with { type: "text" };
import { ClusterGate } from "./cluster-gate.ts";
import { ClusterUsage } from "./cluster-usage.ts";
import { createLinkSecret } from "./link-secret.ts";
import type { Postgres } from "./postgres.ts";
import { LOCKS } from "./postgres-transaction.ts";
import { migratePostgres, type PostgresSchema } from "./postgres-schema.ts";
import {
  isLiveSession,
  SESSION_COLUMNS,
  type SessionRow,
  type SessionUse,
  type StoredSession,
  toSession,
} from "./sessions.ts";
import { CANDIDATE_COLUMNS, type TokenCandidate } from "./tokens.ts";
import { changesTokens, type Work } from "./work.ts";

/** The tables of the access store in the Postgres of a cluster. */
export const CLUSTER_ACCESS: PostgresSchema = {
  name: "access",
  migrations: [
    accessSchema,
    documentsSchema,
    rightsSchema,
    linkSecretSchema,
    listsSchema,
    briefsSchema,
    datedSchema,
    // All are new in one release.
    alertsSchema + refusalsSchema,
    identitiesSchema + outboxSchema + invitationsSchema,
  ],
};

/** The triggers on users and tokens notify this channel of the new version. */
export const ACCESS_CHANNEL = "bourse_access";

// Without joins, as the statements of `ClusterUsage`.
const LIST_CANDIDATES = `
  SELECT wanted.prefix, ${CANDIDATE_COLUMNS} FROM unnest($1::text[]) AS wanted (prefix)
  CROSS JOIN LATERAL (SELECT * FROM tokens WHERE prefix = wanted.prefix OFFSET 0) AS tokens
  CROSS JOIN LATERAL (SELECT * FROM users WHERE id = user_id OFFSET 0) AS users`;

// A use is not noted while another statement locks the session, which notes it too.
const FIND_SESSIONS = `
  WITH wanted AS MATERIALIZED (SELECT decode(hex, 'hex') AS hash FROM unnest($1::text[]) AS one (hex)),
  noted AS (UPDATE sessions SET last_used_at = $4::double precision WHERE id = ANY(ARRAY(
    SELECT id FROM wanted CROSS JOIN LATERAL (
      SELECT id FROM sessions WHERE hash = wanted.hash AND last_used_at <= $5::double precision
        AND ${isLiveSession("$2::double precision", "$3::double precision")} FOR UPDATE SKIP LOCKED) AS old)))
  SELECT encode(wanted.hash, 'hex') AS hash, ${SESSION_COLUMNS} FROM wanted
  CROSS JOIN LATERAL (SELECT * FROM sessions WHERE hash = wanted.hash
    AND ${isLiveSession("$2::double precision", "$3::double precision")} OFFSET 0) AS sessions
  CROSS JOIN LATERAL (SELECT * FROM users WHERE id = user_id OFFSET 0) AS users`;

/**
 * Opens the access store in the Postgres of a cluster and brings its tables up to date. `close` closes the
 * connections of `postgres`, and so does an error here.
 *
 * @throws BourseError `unavailable` as `migratePostgres`
 */
export async function openClusterAccess(postgres: Postgres): Promise<ClusterAccess> {
  try {
    await migratePostgres(postgres, CLUSTER_ACCESS);
    const access = new ClusterAccess(postgres);
    await access.watch();
    return access;
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

/** The store of users, tokens, sessions and clients in the Postgres of a cluster. */
export class ClusterAccess implements AccessStore {
  /** The counters of calls. */
  readonly usage: ClusterUsage;
  /** The counters of requests of addresses. */
  readonly gate: ClusterGate;
  readonly #postgres: Postgres;
  /** The version that the database showed last. */
  #seen = 0;
  /** Rises with each change that was seen, and never goes back. */
  #changes = 0;
  #readSoon: (() => void) | null = null;
  #observe: ((sentAt: number, now: number) => void) | null = null;

  /** Use `openClusterAccess`. */
  constructor(postgres: Postgres) {
    this.#postgres = postgres;
    this.usage = new ClusterUsage(postgres);
    this.gate = new ClusterGate(postgres);
  }

  /**
   * Begins to follow the version, by each poll. A notification only causes a reading, because any user of the
   * database can send one.
   */
  async watch(): Promise<void> {
    const read = async () => {
      const sentAt = this.#postgres.now();
      const rows = await this.#postgres.query<{ version: number; now: number }>(
        "SELECT version, cluster_now() AS now FROM access_version",
      );
      const [{ version, now } = { version: 0, now: null }] = rows;
      if (version !== this.#seen) this.#changes++;
      this.#seen = version;
      if (now !== null) this.#observe?.(sentAt, now);
    };
    this.#readSoon = createCoalesced(read);
    await read();
    this.#postgres.addPoll(read);
  }

  /** Reads the version soon, because a notification of `ACCESS_CHANNEL` was heard. */
  heard(): void {
    this.#readSoon?.();
  }

  /** Calls `observe` with the time of the database, as each poll shows it. `sentAt` is by this node's clock. */
  watchClock(observe: (sentAt: number, now: number) => void): void {
    this.#observe = observe;
  }

  /** The number of outages of the database so far. */
  get outages(): number {
    return this.#postgres.outages;
  }

  run<T>(work: Work<T>): Promise<T> {
    return this.#countChange((before) => this.#postgres.run(work, before));
  }

  transaction<T>(work: () => Work<T>): Promise<T> {
    return this.#countChange((before) =>
      this.#postgres.transaction((transaction) => transaction.run(work(), before), {
        lock: LOCKS.access,
      }),
    );
  }

  foldHour(hour: number, limit: number): Promise<number> {
    return this.usage.foldHour(hour, limit);
  }

  /**
   * As in `AccessStore`. A change by another node shows within a poll (500 ms) of the database, or at once if
   * `heard` is called; `verifiedAt` is when the number was last known to be the newest.
   */
  version(): number {
    // After an outage, users and tokens may be as at an earlier moment, with a version that was seen before.
    return this.#changes + this.#postgres.recoveries;
  }

  /** The beginning of the last poll that read the version, by the clock of `PostgresParts`. */
  get verifiedAt(): number {
    return this.#postgres.verifiedAt;
  }

  /** True while the database cannot be used; then every statement fails at once. */
  get isDown(): boolean {
    return this.#postgres.isDown;
  }

  /**
   * As `listCandidates`, for many prefixes in one statement: one list for each prefix, in order.
   *
   * @throws BourseError `unavailable` if the database cannot be used
   */
  async listCandidates(prefixes: readonly string[]): Promise<TokenCandidate[][]> {
    const rows = await this.#postgres.query<TokenCandidate & { prefix: string }>(LIST_CANDIDATES, [
      [...new Set(prefixes)],
    ]);
    const lists = Map.groupBy(rows, ({ prefix }) => prefix);
    return prefixes.map((prefix) => lists.get(prefix) ?? []);
  }

  /** @throws BourseError `unavailable` if the database cannot be used */
  async findSessions(
    hashes: readonly Uint8Array[],
    { createdBefore, usedBefore, now, notedBefore }: SessionUse,
  ): Promise<(StoredSession | null)[]> {
    const wanted = hashes.map((hash) => hash.toHex());
    const rows = await this.#postgres.query<SessionRow & { hash: string }>(FIND_SESSIONS, [
      [...new Set(wanted)],
      createdBefore,
      usedBefore,
      now,
      notedBefore,
    ]);
    const found = new Map(rows.map(({ hash, ...row }) => [hash, toSession(row)]));
    return wanted.map((hash) => found.get(hash) ?? null);
  }

  /** @throws BourseError `unavailable` if the database cannot be used */
  async linkSecret(): Promise<Uint8Array> {
    const find = async () => {
      const rows = await this.#postgres.query<{ secret: Uint8Array }>(
        "SELECT secret FROM link_secret",
      );
      return rows[0]?.secret;
    };
    const found = await find();
    if (found) return found;
    const secret = createLinkSecret();
    // The first of several nodes wins.
    await this.#postgres.query(
      "INSERT INTO link_secret (secret) VALUES ($1) ON CONFLICT DO NOTHING",
      [secret],
    );
    return (await find()) ?? secret;
  }

  /** The error itself, because the engine throws BourseErrors. */
  toUserError(error: unknown): unknown {
    return error;
  }

  close(): Promise<void> {
    return this.#postgres.close();
  }

  /** Changes the version if work changes users or tokens: also after an error, because it may have been committed. */
  async #countChange<T>(perform: (before: (sql: string) => void) => Promise<T>): Promise<T> {
    let isChange = false;
    try {
      return await perform((sql) => void (isChange ||= changesTokens(sql)));
    } finally {
      if (isChange) this.#changes++;
    }
  }
}

/** A flood of notifications causes one reading in this time. */
const PAUSE_MS = 10;

/** Runs work after each call, but never twice at a time, and not often. Its errors are ignored. */
function createCoalesced(work: () => Promise<void>): () => void {
  let isWanted = false;
  let running: Promise<void> | null = null;
  const run = async () => {
    while (isWanted) {
      isWanted = false;
      await work().catch(() => {});
      await Bun.sleep(PAUSE_MS);
    }
  };
  return () => {
    isWanted = true;
    running ??= run().finally(() => (running = null));
  };
}
