import type { Postgres } from "./postgres.ts";

/** How long a leader may write without renewing its term. */
export const TERM_MS = 2_000;
/** The share of its term by which a leader stops before the term ends. */
const MARGIN = 0.1;

// A term that ends later than a whole term from now is that of a clock that was set back.
const ACQUIRE = `UPDATE leader SET holder = $1, until = cluster_now() + $2, fence = fence + 1
  WHERE until NOT BETWEEN cluster_now() AND cluster_now() + $2 RETURNING fence`;
// A database that went back in time gives a fence again, so the holder counts too.
const RENEW = `UPDATE leader SET until = cluster_now() + $2
  WHERE fence = $3 AND holder = $1 AND until > cluster_now() RETURNING fence`;
const RELEASE = `WITH released AS (
    UPDATE leader SET until = 0 WHERE fence = $1 AND holder = $2 RETURNING fence)
  SELECT pg_notify('bourse_leader', '') FROM released`;

/** The dependencies of `Leadership`. */
export interface LeadershipParts {
  readonly postgres: Pick<Postgres, "query">;
  /** The id of this node. */
  readonly holder: string;
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
   * Renews the term, or begins one if no node leads and `isWilling`. Returns the fence as `fence` does.
   *
   * @throws BourseError `unavailable` if the database is; a term goes on until its end
   */
  async claim(isWilling = true): Promise<number | null> {
    const { postgres, holder, stopwatch } = this.#parts;
    const sentAt = stopwatch();
    const { fence } = this;
    if (fence === null && !isWilling) return null;
    const rows =
      fence === null
        ? await postgres.query<{ fence: number }>(ACQUIRE, [holder, this.#termMs])
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
