import { firstAtOrAfter } from "./adjusted-prices.ts";
import { changePercent } from "./performance.ts";
import type { Closes } from "./price-statistics.ts";

/** The number of sessions before the newest one whose changes are metrics. */
const EARLIER_SESSIONS = 4;

/** The number of newest sessions that `earlierChanges` needs. */
export const NEWEST_SESSIONS = EARLIER_SESSIONS + 2;

/** The newest session of an instrument. */
export interface NewestChange {
  readonly date: string;
  /** The date of the close before; null if it is unknown. */
  readonly previousDate: string | null;
  /** From the close before, in percent. */
  readonly changePercent: number | null;
}

/**
 * The change of each of the sessions before the newest one, in percent, the last one first. Null if the instrument
 * has no close of that session, or its close before is not of the session before.
 *
 * @param sessions the `NEWEST_SESSIONS` of the country's index, newest first; empty if unknown
 * @param closes in the same shares
 * @param newest of the closes, or of a newer quote
 */
export function earlierChanges(
  sessions: readonly string[],
  { dates, close }: Closes,
  newest: NewestChange,
): (number | null)[] {
  return Array.from({ length: EARLIER_SESSIONS }, (_, i) => {
    const [session, before] = sessions.slice(i + 1, i + 3);
    if (session === undefined || before === undefined) return null;
    if (session === newest.date)
      return newest.previousDate === before ? newest.changePercent : null;
    const at = firstAtOrAfter(dates, session);
    const isKnown = dates[at] === session && dates[at - 1] === before;
    return isKnown ? changePercent(close[at]!, close[at - 1]!) : null;
  });
}
