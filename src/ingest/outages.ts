/** A source whose calls fail for this time, without any answer in between, has an outage. */
const OUTAGE_MS = 60_000;

/** The outages of each source that are remembered. */
const KEPT = 20;

/** After this time without any answer, all sources are considered to fail. */
const SILENCE_MS = 10 * 60_000;

/** A time without answers of a source that has ended, UTC milliseconds. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

/** True if one of the outages was at that time, UTC milliseconds. */
export function isAmong(outages: readonly Outage[], at: number): boolean {
  return outages.some(({ from, to }) => at >= from && at < to);
}

/** The outages of the sources since the start of the process. */
export class Outages {
  /** The first failure since the last answer of each source, UTC milliseconds. */
  readonly #failingSince = new Map<string, number>();
  /** The newest outages of each source that have ended, the last one first. */
  readonly #ended = new Map<string, readonly Outage[]>();
  /** The sources that were called. */
  readonly #called = new Set<string>();
  /** The first failure since any source answered, UTC milliseconds; null after an answer. */
  #silentSince: number | null = null;

  /** Notes a failure of a source at `now` (UTC milliseconds). */
  failed(source: string, now: number): void {
    this.#called.add(source);
    this.#silentSince ??= now;
    if (!this.#failingSince.has(source)) this.#failingSince.set(source, now);
  }

  /**
   * Notes an answer of a source at `now` (UTC milliseconds). Returns how long the source was failing, in
   * milliseconds, if the answer ends an outage; else null.
   */
  answered(source: string, now: number): number | null {
    this.#called.add(source);
    this.#silentSince = null;
    const from = this.#failingSince.get(source) ?? now;
    this.#failingSince.delete(source);
    if (now - from < OUTAGE_MS) return null;
    const ended = [{ from, to: now }, ...this.listEnded(source)];
    this.#ended.set(source, ended.slice(0, KEPT));
    return now - from;
  }

  /** The end of the source's last outage, UTC milliseconds; 0 if it had none. */
  endedAt(source: string): number {
    return this.listEnded(source)[0]?.to ?? 0;
  }

  /** The newest outages of the source that have ended, the last one first. */
  listEnded(source: string): readonly Outage[] {
    return this.#ended.get(source) ?? [];
  }

  /**
   * Why the sources need attention at `now` (UTC milliseconds), in one sentence: no source has answered for
   * ten minutes, and those that were called have failed. Null if they do not. A single source that fails
   * while no other is called says nothing about the others.
   */
  warning(now: number): string | null {
    const silentMs = now - (this.#silentSince ?? now);
    if (silentMs < SILENCE_MS) return null;
    if (this.#failingSince.size < Math.min(2, this.#called.size)) return null;
    const names = [...this.#failingSince.keys()].toSorted().join(", ");
    return `No source has answered for ${Math.floor(silentMs / 60_000)} minutes. Failed: ${names}.`;
  }
}
