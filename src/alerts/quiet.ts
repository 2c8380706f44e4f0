import { addDays } from "#lib/date.ts";
import { dateIn, instantIn, timeIn } from "#lib/zone.ts";

/**
 * The end of the quiet hours in which a time is, UTC milliseconds; null outside of them.
 *
 * @param quiet `22:00-07:00`: the first minute is quiet, the last one is not
 */
export function endOfQuiet(quiet: string, timeZone: string, now: number): number | null {
  const [from = "", to = ""] = quiet.split("-");
  const time = timeIn(timeZone, now);
  const isOverNight = from > to;
  const isQuiet = isOverNight ? time >= from || time < to : time >= from && time < to;
  if (!isQuiet) return null;
  const today = dateIn(timeZone, now);
  const end = instantIn(timeZone, isOverNight && time >= from ? addDays(today, 1) : today, to);
  // An hour that comes twice in autumn.
  return end > now ? end : null;
}
