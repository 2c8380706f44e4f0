/** A node of the cluster that was seen in the last minute. */
export interface NodeInfo {
  /** A UUID; a new one at each start. */
  readonly id: string;
  /** The name of its machine. */
  readonly host: string;
  readonly url: string;
  readonly version: string;
  /** Milliseconds since its first report, by the database's clock as all times here. */
  readonly upMs: number;
  /** Milliseconds since its last report, which is due every second. */
  readonly seenMs: number;
  /** The number of the last change of the market that it applied. */
  readonly applied: number;
  /** Changes that it did not apply yet. */
  readonly lag: number;
  /** The tokens whose calls it has counted in advance. */
  readonly leases: number;
  /** True for the node that refreshes the market. */
  readonly isLeader: boolean;
  /** True if it has not reported for longer than the term of a leader. */
  readonly isGone: boolean;
  /** What keeps it from following the log, such as `replaces its market`; null if nothing does. */
  readonly fault: string | null;
  /** The settings that all nodes share and that are other ones than the leader's; `build` for its program. */
  readonly differs: readonly string[];
}
