import { DAY_MS } from "#lib/date.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { AccessStore } from "#store/index.ts";
import { listHours, type UsageHour as StoredHour, windowsAt } from "#store/usage.ts";
import type { Guard } from "./guard.ts";

const HOUR_MS = 3_600_000;
/** A history of more days, with today, has days instead of hours: `UsageFolding` has folded earlier hours. */
export const MAX_DAYS_BY_HOUR = 7;
/** With fewer rows in a turn, the next turn reads twice as many days: in a busy service each turn takes long. */
const FEW_ROWS = 250;
/** The most days that one turn reads. */
const MAX_DAYS_AT_ONCE = 16;

/** The calls of a user's tokens on the last UTC days. */
export interface UsageHistory {
  /** The running windows end at these instants. */
  readonly dayEndsAt: number;
  readonly hourEndsAt: number;
  /** What an entry of `hours` covers: an hour up to 7 days, else a UTC day. */
  readonly unit: "hour" | "day";
  /** Tokens and hours with calls, oldest first, the running hour included; days if `unit` says so. */
  readonly hours: readonly UsageHour[];
}

/** The calls of one token in one UTC hour or day. */
interface UsageHour {
  readonly tokenId: number;
  /** The start of the hour or day. */
  readonly at: number;
  readonly calls: number;
  /** Calls that were refused because a window was full. */
  readonly denied: number;
}

/**
 * The calls of a user's tokens on the last `days` UTC days, today included, and when the windows at `now`
 * end. Reads a few days in each turn of the event loop, and only one if it has many rows.
 *
 * @param unused the calls that this process has counted in advance
 */
export async function readUsageHistory(
  access: AccessStore,
  user: string,
  days: number,
  now: number,
  unused: Guard["unused"],
): Promise<UsageHistory> {
  const { day, hour } = windowsAt(now);
  const unit = days > MAX_DAYS_BY_HOUR ? "day" : "hour";
  const hours: UsageHour[] = [];
  for (let first = day - days + 1, count = 1; first <= day;) {
    const last = Math.min(first + count - 1, day);
    // After a clock stepped back, calls count in windows up to a day ahead.
    const end = last === day ? hour + 24 : last * 24 + 23;
    const counted = await access.run(listHours(user, first * 24, end));
    const rows = last === day ? servedOf(counted, unused) : counted;
    hours.push(...(unit === "day" ? sumDays(rows, day) : rows.map(toEntry)));
    first = last + 1;
    count = counted.length < FEW_ROWS ? Math.min(2 * count, MAX_DAYS_AT_ONCE) : 1;
    await nextTurn();
  }
  return { dayEndsAt: (day + 1) * DAY_MS, hourEndsAt: (hour + 1) * HOUR_MS, unit, hours };
}

/** The hours without the calls that were counted in advance and not served yet. */
function servedOf(rows: readonly StoredHour[], unused: Guard["unused"]): StoredHour[] {
  return rows
    .map((row) => {
      const ahead = unused(row.tokenId);
      return ahead?.hour === row.hour
        ? { ...row, calls: Math.max(0, row.calls - ahead.calls) }
        : row;
    })
    .filter(({ calls, denied }) => calls > 0 || denied > 0);
}

const toEntry = ({ hour, ...calls }: StoredHour): UsageHour => ({ ...calls, at: hour * HOUR_MS });

/** The hours as one entry for each UTC day and token; hours after `today` count as its hours. */
function sumDays(rows: readonly StoredHour[], today: number): UsageHour[] {
  const dayOf = ({ hour }: StoredHour) => Math.min(Math.floor(hour / 24), today);
  return [...Map.groupBy(rows, dayOf)].flatMap(([day, ofDay]) =>
    [...Map.groupBy(ofDay, ({ tokenId }) => tokenId)].map(([tokenId, own]) => ({
      tokenId,
      at: day * DAY_MS,
      calls: own.reduce((sum, { calls }) => sum + calls, 0),
      denied: own.reduce((sum, { denied }) => sum + denied, 0),
    })),
  );
}
