import type { Postgres } from "./postgres.ts";

/** How long a leader may write without renewing its term. */
export const TERM_MS = 2_000;
/** The share of its term by which a leader stops before the term ends. */
const MARGIN = 0.1;
/** A node that was not seen for this time has been killed or cut off: a term, and the second of a report. */
export const GONE_MS = TERM_MS + 1_000;
/** The name under which a node reports the newest format of changes that it reads; without it, the format is 1. */
export const CHANGE_FORMAT_NAME = "change-format";

// A clock that was set back made a term that ends later than a whole term from now.
// During an upgrade, the leader is a node that writes what all nodes read.
const ACQUIRE = `UPDATE leader SET holder = $1, until = cluster_now() + $2, fence = fence + 1
  WHERE until NOT BETWEEN cluster_now() AND cluster_now() + $2 AND NOT EXISTS (
    SELECT FROM nodes WHERE id <> $1 AND fault IS NULL
      AND seen_at BETWEEN cluster_now() - ${GONE_MS} AND cluster_now() + ${GONE_MS}
      AND coalesce((settings::json ->> '${CHANGE_FORMAT_NAME}')::integer, 1) < $3)
  RETURNING fence`;
// A database that went back in time gives a fence again, so the holder counts too.
const RENEW = `UPDATE leader SET until = cluster_now() + $2
  WHERE fence = $3 AND holder = $1 AND until > cluster_now() RETURNING fence`;
const RELEASE = `WITH released AS (
    UPDATE leader SET until = 0 WHERE fence = $1 AND holder = $2 RETURNING fence)
  SELECT pg_notify('bourse_leader', '') FROM released`;

/** The term of a node that leads the cluster. */
export interface LeaderTerm {
  readonly fence: number;
  /** The id of the node. */
  readonly holder: string;
}

/** The dependencies of `Leadership`. */
export interface LeadershipParts {
  readonly postgres: Pick<Postgres, "query">;
  /** The id of this node. */
  readonly holder: string;
  /** The format of the changes that this node writes; 1 if absent. */
  readonly format?: number;
  /** Milliseconds from any start, which never go back. */
  readonly stopwatch: () => number;
  readonly termMs?: number;
}

/**
 * This node's claim to be the one that refreshes the market of the cluster. Terms are measured by the
 * database's clock. The log refuses a write with the fence of an earlier term, so a leader that was paused
 * can write nothing.
 */
export class Leadership {
  readonly #parts: LeadershipParts;
  readonly #termMs: number;
  #held: { readonly fence: number; until: number } | null = null;

  /** A node that does not lead. */
  constructor(parts: LeadershipParts) {
    this.#parts = parts;
    this.#termMs = parts.termMs ?? TERM_MS;
  }

  /** The fence of the present term; null if this node does not lead, or if its term may have ended. */
  get fence(): number | null {
    const held = this.#held;
    return held !== null && this.#parts.stopwatch() < held.until ? held.fence : null;
  }

  /** The id of this node. */
  get holder(): string {
    return this.#parts.holder;
  }

  /**
   * Renews the term, or begins one if no node leads, every node reads what this one writes, and `isWilling`.
   * Returns the fence as `fence` does.
   *
   * @throws BourseError `unavailable` if the database is; a term goes on until its end
   */
  async claim(isWilling = true): Promise<number | null> {
    const { postgres, holder, format = 1, stopwatch } = this.#parts;
    const sentAt = stopwatch();
    const { fence } = this;
    if (fence === null && !isWilling) return null;
    const rows =
      fence === null
        ? await postgres.query<{ fence: number }>(ACQUIRE, [holder, this.#termMs, format])
        : await postgres.query<{ fence: number }>(RENEW, [holder, this.#termMs, fence]);
    // The term began after the statement was sent.
    const until = sentAt + this.#termMs * (1 - MARGIN);
    this.#held = rows[0] ? { fence: rows[0].fence, until } : null;
    return this.fence;
  }

  /** Stops believing in the term with that fence, because the log has refused it. */
  lose(fence: number): void {
    if (this.#held?.fence === fence) this.#held = null;
  }

  /** Ends the term, so that another node can lead at once. @throws BourseError as `claim` */
  async release(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    const { postgres, holder } = this.#parts;
    if (held !== null) await postgres.query(RELEASE, [held.fence, holder]);
  }
}
