import type { BriefMark, BriefMarks, SeenMarket } from "#domain/brief.ts";
import { invalidArgument } from "#domain/errors.ts";
import { DAY_MS, dateOf } from "#lib/date.ts";
import { dayOf, isDayWord } from "#operations/reading/written-dates.ts";

/** A brief repeats the last one if it is asked for again within this time, because an answer can get lost. */
const AGAIN_MS = 30_000;
/** A first brief begins this long before it. */
const FIRST_MS = 7 * DAY_MS;
/** A brief goes back at most this far. */
const MAX_DAYS = 366;

/** A moment of a brief: by what was seen then, or by the days of records. */
export interface Moment {
  /** UTC milliseconds. */
  readonly at: number;
  /** Null if nothing was noted then. */
  readonly seen: SeenMarket | null;
}

/** What a brief covers, and where it is noted. */
export interface BriefWindow {
  readonly from: Moment;
  /** Null for now. */
  readonly to: BriefMark | null;
  /** The time under which what is known now is noted, UTC milliseconds; null if it is not. */
  readonly noteAt: number | null;
  /** The beginning of the brief before, UTC milliseconds; null if none is known. */
  readonly previous: number | null;
}

const toSecond = (ms: number) => Math.floor(ms / 1000) * 1000;
const byDays = (at: number): Moment => ({ at, seen: null });

/**
 * Finds what a call covers. Without arguments it continues after the last brief of its scope, or repeats that one for
 * 30 seconds. A cursor reads on in the last brief. With `since`, nothing is noted.
 *
 * @param since UTC milliseconds
 */
export async function findWindow(
  marks: BriefMarks | null,
  scope: string,
  { since, isPage, now }: { since: number | null; isPage: boolean; now: number },
): Promise<BriefWindow> {
  const [last, ...earlier] = (await marks?.list(scope)) ?? [];
  const noNote = { to: null, noteAt: null, previous: null };
  if (since !== null) {
    const known = [last, ...earlier].find((mark) => mark?.at === since);
    return { ...noNote, from: known ?? byDays(since) };
  }
  if (!last) {
    const noteAt = marks && !isPage ? toSecond(now) : null;
    return { ...noNote, from: byDays(toSecond(now) - FIRST_MS), noteAt };
  }
  const [before, secondBefore] = earlier;
  const ofLast = before ?? byDays(last.at - FIRST_MS);
  const isAgain = isPage || now - last.at < AGAIN_MS;
  if (!isAgain) return { from: last, to: null, noteAt: toSecond(now), previous: ofLast.at };
  const previous = before ? (secondBefore?.at ?? before.at - FIRST_MS) : null;
  return { from: ofLast, to: isPage ? last : null, noteAt: isPage ? null : last.at, previous };
}

const DAY = /^\d{4}-\d\d-\d\d$/;
/** In a query, a plus that is not coded is a space. */
const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?:Z|([ +-])(\d\d:\d\d))$/i;

/** The instant in UTC milliseconds of a date, its first moment in UTC, or of a time with its offset; NaN for another text. */
function parseSince(text: string): number {
  if (DAY.test(text)) return Date.parse(`${text}T00:00Z`);
  const [, time = "", sign = "", offset = ""] = INSTANT.exec(text) ?? [];
  return Date.parse(offset ? time + (sign === "-" ? sign : "+") + offset : `${time}Z`);
}

/** True for a day, a day word or an instant with its offset. */
export const isSince = (text: string): boolean =>
  isDayWord(text) || !Number.isNaN(parseSince(text));

/** The instant that `since` means at `now`, UTC milliseconds. @throws BourseError `invalid_argument` if it is too early or to come */
export function instantOf(since: string, now: number): number {
  const at = parseSince(dayOf(since, dateOf(now)) ?? since);
  if (at <= now && at >= now - MAX_DAYS * DAY_MS) return at;
  const first = dateOf(now - MAX_DAYS * DAY_MS + DAY_MS);
  throw invalidArgument(
    `since must be between ${first} and now, ${formatInstant(now)}, not ${since}.`,
    {
      param: "since",
      hint: "For older figures call get_metric_history or get_stock_price_history.",
    },
  );
}

/** An instant to the second, as answers name it: `2026-11-28T07:00:00Z`. */
export const formatInstant = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
