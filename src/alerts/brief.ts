import type { BriefMark } from "#domain/brief.ts";
import { addDays, dayNumberOf } from "#lib/date.ts";
import { dateIn, instantIn } from "#lib/zone.ts";
import { type AlertFacts, type MessageInstrument, MOST_ROWS } from "#operations/alerts/message.ts";
import type { BriefRule } from "#operations/alerts/rule-words.ts";
import { sortChanges } from "#operations/brief/changes.ts";
import { compareMoments } from "#operations/get-brief.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/** Moves of closes in percent that a brief names. */
const MOVE = 5;
const DAYS_OF_WEEK = 7;

/** 1 for Monday to 7 for Sunday. 1970-01-01 was a Thursday. */
const weekdayOf = (date: string) => ((dayNumberOf(date) + 3) % DAYS_OF_WEEK) + 1;

/**
 * The first time after an instant at which a brief is due, both in UTC milliseconds. A local time that is skipped in
 * spring is as long after the hour before it. A time that occurs twice in autumn counts once, the first time.
 */
export function nextBriefAt(
  { weekday, time }: Pick<BriefRule, "weekday" | "time">,
  after: number,
  timeZone: string,
): number {
  // The date at the instant can be the day before in another zone, and a time of its day can be over.
  for (let date = addDays(dateIn(timeZone, after), -1); ; date = addDays(date, 1)) {
    const at = instantIn(timeZone, date, time);
    if (at > after && (weekday === null || weekday === weekdayOf(date))) return at;
  }
}

/** What a brief is about: a list, or one instrument. */
export interface BriefSubject {
  readonly list: string | null;
  readonly of: MessageInstrument | null;
  readonly instruments: readonly StoredInstrument[];
}

/**
 * Judges a brief that is due. It covers what became known since the last one of this rule, and has no message if nothing
 * did. Without a last one, it notes what is known now.
 *
 * @param now UTC milliseconds
 */
export async function judgeBrief(
  before: BriefMark | null,
  { list, of, instruments }: BriefSubject,
  market: MarketStore,
  now: number,
): Promise<{ readonly state: BriefMark; readonly message: AlertFacts | null }> {
  const from = before ?? { at: now, seen: null };
  const { changes, seen } = await compareMoments(
    market,
    instruments,
    { from, to: null },
    { now, move: MOVE },
  );
  const state: BriefMark = { at: now, seen };
  if (before === null || changes.length === 0) return { state, message: null };
  const rows = sortChanges(changes).slice(0, MOST_ROWS);
  return { state, message: { kind: "brief", list, of, rows, total: changes.length } };
}
