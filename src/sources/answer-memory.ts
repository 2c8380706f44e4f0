import type { SourceAnswer } from "./source.ts";

/** The maximum number and total size of remembered answers; beyond it, the oldest are dropped. */
const MAX_ANSWERS = 64;
const MAX_BYTES = 32 * 1024 * 1024;

interface Remembered {
  readonly answer: SourceAnswer;
  /** UTC milliseconds. */
  readonly receivedAt: number;
  /** The time until which it is reused without a request, UTC milliseconds. */
  readonly freshUntil: number;
}

/**
 * The newest answers of one source: those that may be reused for a while, and those with a
 * version (`ETag`, `Last-Modified`) that the source can confirm. If there are too many, answers
 * that are no longer fresh are dropped first.
 */
export class AnswerMemory {
  readonly #remembered = new Map<string, Remembered>();

  /** The answer to that request, of any age; undefined if it is not remembered. */
  find(key: string): SourceAnswer | undefined {
    return this.#remembered.get(key)?.answer;
  }

  /** The answer to that request, if it was received at most `maxAgeMs` before `now`. */
  findFresh(key: string, maxAgeMs: number, now: number): SourceAnswer | undefined {
    const known = this.#remembered.get(key);
    const ageMs = known ? now - known.receivedAt : Number.NaN;
    // An answer from the future was dated before the clock was set back.
    return ageMs >= 0 && ageMs < maxAgeMs ? known?.answer : undefined;
  }

  /** Remembers an answer that may be reused for `maxAgeMs`, or that the source can confirm. */
  remember(key: string, answer: SourceAnswer, maxAgeMs: number, now: number): void {
    this.#remembered.delete(key);
    if (maxAgeMs <= 0 && conditionsOf(answer.headers) === undefined) return;
    this.#remembered.set(key, { answer, receivedAt: now, freshUntil: now + maxAgeMs });
    this.#evict((one) => now >= one.freshUntil);
    this.#evict(() => true);
  }

  /** Forgets every answer. */
  clear(): void {
    this.#remembered.clear();
  }

  #evict(isSpare: (one: Remembered) => boolean): void {
    let bytes = 0;
    for (const { answer } of this.#remembered.values()) bytes += answer.bytes.length;
    for (const [key, one] of this.#remembered) {
      if (this.#remembered.size <= MAX_ANSWERS && bytes <= MAX_BYTES) return;
      if (!isSpare(one)) continue;
      this.#remembered.delete(key);
      bytes -= one.answer.bytes.length;
    }
  }
}

/** The headers of a conditional request; undefined if the answer has no version. */
export function conditionsOf(headers: Headers): Record<string, string> | undefined {
  const etag = headers.get("etag");
  const lastModified = headers.get("last-modified");
  if (etag === null && lastModified === null) return undefined;
  return {
    ...(etag !== null && { "If-None-Match": etag }),
    ...(lastModified !== null && { "If-Modified-Since": lastModified }),
  };
}
