import { expect, test } from "bun:test";
import { afterAnswer, afterFailure, warnOfSilence } from "#ingest/outages.ts";
import type { SourceHealth } from "#store/fetches.ts";

const MINUTE = 60_000;

/** The health of several sources by what they did. */
class Outages {
  readonly #sources = new Map<string, SourceHealth>();

  failed = (source: string, at: number) => this.#note(source, afterFailure, at);
  answered = (source: string, at: number) => this.#note(source, afterAnswer, at);
  warning = (now: number) => warnOfSilence(this.#sources, now);

  #note(source: string, after: typeof afterAnswer, at: number): void {
    const untried = { answeredAt: null, failedAt: null, failingSince: null, outages: [] };
    this.#sources.set(source, after(this.#sources.get(source) ?? untried, at));
  }
}

test("that no source answers is a warning after ten minutes, until one answers", () => {
  const outages = new Outages();
  expect(outages.warning(0)).toBeNull();
  outages.answered("sec", 0);
  outages.failed("yahoo", 1 * MINUTE);
  outages.failed("nasdaq", 2 * MINUTE);
  expect(outages.warning(11 * MINUTE - 1)).toBeNull();
  expect(outages.warning(12 * MINUTE)).toBe(
    "No source has answered for 11 minutes. Failed: nasdaq, yahoo.",
  );
  outages.answered("sec", 12 * MINUTE);
  expect(outages.warning(12 * MINUTE)).toBeNull();
  // Two sources still fail, but not all do.
  outages.failed("yahoo", 13 * MINUTE);
  outages.answered("sec", 14 * MINUTE);
  expect(outages.warning(24 * MINUTE)).toBeNull();
});

test("one source of several that fails alone is no warning; the only source is", () => {
  const several = new Outages();
  several.answered("sec", 0);
  several.failed("yahoo", 0);
  expect(several.warning(60 * MINUTE)).toBeNull();
  const only = new Outages();
  only.failed("yahoo", 0);
  only.failed("yahoo", 5 * MINUTE);
  expect(only.warning(10 * MINUTE)).toBe("No source has answered for 10 minutes. Failed: yahoo.");
});
