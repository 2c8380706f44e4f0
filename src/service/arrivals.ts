import type { Config } from "#config.ts";
import type { ArrivalInfo, ArrivalsInfo } from "#http/service-reports.ts";
import type { Progress } from "#ingest/progress.ts";
import { explainRefusal } from "#sources/refusal.ts";
import { readHosts } from "./live.ts";
import { keysFor, readProgress, type StateParts } from "./state.ts";

/** While nothing has come for this time, nothing will soon. */
const OVER_MS = 3_600_000;

/** What is still to come of a live market, and what sources refused; null once all of it has come. */
export async function readArrivals(parts: StateParts, now: number): Promise<ArrivalsInfo | null> {
  const progress = await readProgress(parts, now);
  const coming = progress.filter(isComing);
  const isOver = coming.length === 0 && now - failingSince(parts) > OVER_MS;
  const isLost = progress.some(
    ({ state, kind }) => state === "refused" || isEmptyListing(state, kind),
  );
  // A part that is missing for long is news for admins only: their page of sources has it.
  const isPart = !isOver && progress.some(({ state }) => state === "part");
  if (coming.length === 0 && !isLost && !isPart) return null;
  const refused = listRefused(parts, now);
  return {
    kinds: progress.map((one) => toInfo(one, parts.config)),
    secondsLeft: coming.reduce<number | null>(
      (most, { secondsLeft }) => (secondsLeft === null ? most : Math.max(most ?? 0, secondsLeft)),
      null,
    ),
    refused,
    faults: listFaults(parts, progress, refused),
    isOver,
  };
}

const isComing = ({ state }: Progress) => state === "waiting" || state === "fetching";

/** Other lists can be empty by nature, but no country is without companies. */
const isEmptyListing = (state: Progress["state"], kind: string) =>
  state === "empty" && kind === "instruments";

function toInfo({ kind, country, state, done, total }: Progress, config: Config): ArrivalInfo {
  const keys = state === "refused" ? keysFor({ kind, country }, config) : [];
  return { kind, country, state, done, total, keys };
}

/** When the newest of the sources that fail now began to fail, UTC milliseconds; 0 if none fails. */
function failingSince({ market }: StateParts): number {
  const times = [...market.fetches.readHealth().values()].map((one) => one.failingSince ?? 0);
  return Math.max(0, ...times);
}

function listRefused({ market }: StateParts, now: number): ArrivalsInfo["refused"] {
  return readHosts(market)
    .flatMap(({ host, refusal, refusedAt, blockedUntil }) => {
      if (refusal === null) return [];
      const retryAt = blockedUntil > now ? blockedUntil : null;
      return [{ host, ...explainRefusal({ host, cause: refusal }), retryAt, at: refusedAt ?? 0 }];
    })
    .toSorted((a, b) => b.at - a.at);
}

/** Why sources gave nothing of what is missing, where no refusal of a host says it. */
function listFaults(
  { market }: StateParts,
  progress: readonly Progress[],
  refused: ArrivalsInfo["refused"],
): string[] {
  const missing = progress.filter(({ state }) => state === "refused");
  const lacks = missing.flatMap(({ kind, country }) =>
    market.fetches.listLacks({ kind, country, symbol: null }),
  );
  const errors = lacks.flatMap(({ error }) => error ?? []);
  return [...new Set(errors)].filter((error) => !refused.some(({ host }) => error.includes(host)));
}
