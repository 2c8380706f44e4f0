import type { Outage, SourceHealth } from "#store/fetches.ts";

/** A source whose calls fail for this time, without any answer in between, has an outage. */
const OUTAGE_MS = 60_000;

/** The outages of each source that are remembered. */
const KEPT = 20;

/** After this time without any answer, all sources are considered to fail. */
const SILENCE_MS = 10 * 60_000;

/** True if one of the outages was at that time, UTC milliseconds. */
export function isAmong(outages: readonly Outage[], at: number): boolean {
  return outages.some(({ from, to }) => at >= from && at < to);
}

/** The health of a source after a failure at `at`, UTC milliseconds. */
export function afterFailure(health: SourceHealth, at: number): SourceHealth {
  return { ...health, failedAt: at, failingSince: health.failingSince ?? at };
}

/** The health of a source after an answer at `at`, UTC milliseconds. */
export function afterAnswer(health: SourceHealth, at: number): SourceHealth {
  const { failingSince, outages } = health;
  const ended = endsOutage(health, at)
    ? [{ from: failingSince ?? at, to: at }, ...outages]
    : outages;
  return { ...health, answeredAt: at, failingSince: null, outages: ended.slice(0, KEPT) };
}

/** True if an answer at `at`, UTC milliseconds, ends an outage of the source. */
export function endsOutage({ failingSince }: SourceHealth, at: number): boolean {
  return failingSince !== null && at - failingSince >= OUTAGE_MS;
}

/** The outages that are remembered, with one that has not ended at `now`, UTC milliseconds. */
export function outagesUntil(health: SourceHealth, now: number): readonly Outage[] {
  const { failingSince, outages } = health;
  return failingSince !== null && endsOutage(health, now)
    ? [{ from: failingSince, to: now }, ...outages]
    : outages;
}

/**
 * Why the sources need attention at `now` (UTC milliseconds), in one sentence: no source has answered for
 * ten minutes, and those that were called have failed. Null if they do not. A single source that fails
 * while no other is called says nothing about the others.
 */
export function warnOfSilence(
  sources: ReadonlyMap<string, SourceHealth>,
  now: number,
): string | null {
  const called = [...sources].filter(
    ([, { answeredAt, failedAt }]) => answeredAt !== null || failedAt !== null,
  );
  const failing = called.filter(([, { failingSince }]) => failingSince !== null);
  const answeredAt = Math.max(...called.map(([, one]) => one.answeredAt ?? 0));
  const failedAt = Math.max(...failing.map(([, one]) => one.failedAt ?? 0));
  if (failing.length < Math.max(1, Math.min(2, called.length)) || failedAt <= answeredAt)
    return null;
  const failingSince = Math.min(...failing.map(([, one]) => one.failingSince ?? now));
  const silentMs = now - Math.max(answeredAt, failingSince);
  if (silentMs < SILENCE_MS) return null;
  const names = failing.map(([name]) => name).toSorted();
  return `No source has answered for ${Math.floor(silentMs / 60_000)} minutes. Failed: ${names.join(", ")}.`;
}
