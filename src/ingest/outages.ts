/** A source whose calls fail for this time, without any answer in between, has an outage. */
const OUTAGE_MS = 60_000;

/** The outages of the sources since the start of the process. */
export class Outages {
  /** The first failure since the last answer of each source, UTC milliseconds. */
  readonly #failingSince = new Map<string, number>();
  readonly #endedAt = new Map<string, number>();

  /** Notes a failure of a source at `now` (UTC milliseconds). */
  failed(source: string, now: number): void {
    if (!this.#failingSince.has(source)) this.#failingSince.set(source, now);
  }

  /**
   * Notes an answer of a source at `now` (UTC milliseconds). Returns how long the source was failing, in
   * milliseconds, if the answer ends an outage; else null.
   */
  answered(source: string, now: number): number | null {
    const lastedMs = now - (this.#failingSince.get(source) ?? now);
    this.#failingSince.delete(source);
    if (lastedMs < OUTAGE_MS) return null;
    this.#endedAt.set(source, now);
    return lastedMs;
  }

  /** The end of the source's last outage, UTC milliseconds; 0 if it had none. */
  endedAt(source: string): number {
    return this.#endedAt.get(source) ?? 0;
  }
}
