import { nextTurn } from "#lib/next-turn.ts";
import type { AccessStore } from "#store/index.ts";
import { listHours, type UsageHour as StoredHour, windowsAt } from "#store/usage.ts";
import type { Guard } from "./guard.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A longer history has days instead of hours: `UsageFolding` has folded the hours of earlier days. */
const MAX_DAYS_BY_HOUR = 7;

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
 * end. Reads one day in each turn of the event loop.
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
  for (let one = day - days + 1; one <= day; one++) {
    // After a clock stepped back, calls count in windows up to a day ahead.
    const last = one === day ? hour + 24 : one * 24 + 23;
    const counted = await access.run(listHours(user, one * 24, last));
    const rows = one === day ? servedOf(counted, unused) : counted;
    hours.push(...(unit === "day" ? sumOfDay(rows, one) : rows.map(toEntry)));
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

/** The hours of a UTC day as one entry for each token. */
function sumOfDay(rows: readonly StoredHour[], day: number): UsageHour[] {
  return [...Map.groupBy(rows, ({ tokenId }) => tokenId)].map(([tokenId, own]) => ({
    tokenId,
    at: day * DAY_MS,
    calls: own.reduce((sum, { calls }) => sum + calls, 0),
    denied: own.reduce((sum, { denied }) => sum + denied, 0),
  }));
}
