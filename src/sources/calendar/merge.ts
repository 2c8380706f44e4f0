import type { CalendarEvent } from "#domain/calendar-event.ts";
import type { WeighedRelease } from "./forex-factory.ts";
import { importanceByTitle } from "./importance.ts";
import { type Release, subjectOf } from "./release.ts";

/**
 * One event for each publication that either calendar has. Importance and title come from ForexFactory
 * if it has the event. Figures come from Nasdaq, or from ForexFactory if Nasdaq has none.
 *
 * Publications of one country, minute and subject belong together. If there are several (the monthly
 * and the yearly rate under one name), two with equal previous figures are one event; then the
 * remaining ones are paired, if each calendar has exactly one.
 *
 * The id is made of country, minute, subject and place among these. It stays the same while one
 * calendar has the event, then both, then the other.
 */
export function mergeReleases(
  weighed: readonly WeighedRelease[],
  plain: readonly Release[],
): CalendarEvent[] {
  const ours = Map.groupBy(weighed, keyOf);
  const theirs = Map.groupBy(plain, keyOf);
  return [...new Set([...theirs.keys(), ...ours.keys()])]
    .flatMap((key) =>
      pair(ours.get(key) ?? [], theirs.get(key) ?? []).map(([a, b], place): CalendarEvent[] => {
        const release = a ?? b;
        if (release === undefined) return [];
        return [
          {
            id: new Bun.CryptoHasher("sha256").update(`${key}|${place}`).digest("hex").slice(0, 16),
            country: release.country,
            event: release.title,
            date: release.minute.slice(0, 10),
            time: release.minute.slice(11),
            importance: a?.importance ?? importanceByTitle(release.title),
            previous: b?.previous ?? a?.previous ?? null,
            forecast: null,
            consensus: b?.consensus ?? a?.consensus ?? null,
            actual: b?.actual ?? null,
          },
        ];
      }),
    )
    .flat();
}

function keyOf({ country, minute, title }: Release): string {
  return `${country}|${minute}|${subjectOf(title)}`;
}

type Pair = [WeighedRelease | undefined, Release | undefined];

/** The publications of one key in pairs, in the order in which `theirs` come, then `ours`. */
function pair(ours: readonly WeighedRelease[], theirs: readonly Release[]): Pair[] {
  // In reverse, so that `pop` takes the first.
  const byPrevious = Map.groupBy(ours.toReversed(), ({ previous }) => previous);
  const taken = new Set<WeighedRelease>();
  const pairs = theirs.map((release): Pair => {
    const our = release.previous === null ? undefined : byPrevious.get(release.previous)?.pop();
    if (our) taken.add(our);
    return [our, release];
  });
  const left = ours.filter((our) => !taken.has(our));
  const alone = pairs.filter(([our]) => our === undefined);
  const [only] = alone;
  if (only && alone.length === 1 && left.length === 1) only[0] = left.pop();
  return [...pairs, ...left.map((our): Pair => [our, undefined])];
}
