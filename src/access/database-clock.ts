/**
 * The clock of the cluster's database, which decides in which windows calls count. Each answer of the
 * database shows it, so the clock of a node may be wrong by minutes.
 */
export class DatabaseClock {
  /** The clock of this node for ages, milliseconds from any start. */
  readonly local: () => number;
  #aheadMs = 0;

  constructor(local: () => number) {
    this.local = local;
  }

  /**
   * UTC milliseconds; not before the database's own clock, and ahead of it by at most the time of a
   * statement. It is known after the first answer.
   */
  now(): number {
    return this.at(this.local());
  }

  /** As `now`, at a moment of `local`. */
  at(local: number): number {
    return local + this.#aheadMs;
  }

  /** The database showed `now` in its answer to a statement that was sent at `sentAt`, by `local`. */
  observe(sentAt: number, now: number): void {
    this.#aheadMs = now - sentAt;
  }
}
