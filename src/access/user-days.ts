import type { ErrorCode } from "#domain/errors.ts";
import { dateOfDay } from "#lib/date.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { AccessStore } from "#store/index.ts";
import { listRefusalSums, REFUSALS_A_DAY } from "#store/refused-calls.ts";
import { listHoursOfAll, windowsAt } from "#store/usage.ts";
import type { Work } from "#store/work.ts";
import type { Guard } from "./guard.ts";
import { servedOf } from "./usage-history.ts";

/** The UTC days, today included. Usage of as many days is stored by hour. */
export const USER_DAYS = 7;
const DAY_HOURS = 24;
/** After a read of fewer rows, the next one reads twice as many hours: in a busy service each takes long. */
const FEW_ROWS = 250;

/** Calls that were refused with one code. */
export interface RefusedWith {
  readonly code: ErrorCode;
  readonly calls: number;
}

/** The calls of a user on a UTC day. */
export interface UserDay {
  readonly user: string;
  readonly date: string;
  /** Calls that count against the quota, also those that were refused for another reason. */
  readonly calls: number;
  /** By code, most first. */
  readonly refused: readonly RefusedWith[];
  /** True if a token had so many reasons that the oldest of the day are not stored. */
  readonly isPart: boolean;
  readonly tokenIds: readonly number[];
}

/** What is added up for a user on a day. */
interface Sums {
  calls: number;
  denied: number;
  readonly refused: Map<ErrorCode, number>;
  /** The stored rows of refused calls by token; 0 for a token without one. */
  readonly rows: Map<number, number>;
}

/**
 * The calls of all users on the last UTC days, newest day first and in it most calls first. Users and days without a
 * call are left out. In a cluster they are the calls of all nodes. Reads a few hours in each turn of the event loop.
 *
 * @param unused the calls that this process has counted in advance
 */
export async function readUserDays(
  access: AccessStore,
  now: number,
  unused: Guard["unused"],
): Promise<UserDay[]> {
  const { day: today } = windowsAt(now);
  const found: UserDay[] = [];
  for (let day = today; day > today - USER_DAYS; day--) {
    const users = new Map<string, Sums>();
    const sumsOf = (user: string) => {
      const sums = users.get(user) ?? { calls: 0, denied: 0, refused: new Map(), rows: new Map() };
      users.set(user, sums);
      return sums;
    };
    // After a clock stepped back, calls count in windows up to a day ahead.
    const hours = day === today ? 2 * DAY_HOURS : DAY_HOURS;
    await readHours(access, day * DAY_HOURS, hours, listHoursOfAll, (rows) => {
      for (const { user, tokenId, calls, denied } of servedOf(rows, unused)) {
        const sums = sumsOf(user);
        sums.calls += calls;
        sums.denied += denied;
        addTo(sums.rows, tokenId, 0);
      }
    });
    await readHours(access, day * DAY_HOURS, hours, listRefusalSums, (list) => {
      for (const { user, tokenId, code, calls, rows } of list) {
        const { refused, rows: byToken } = sumsOf(user);
        addTo(refused, code, calls);
        addTo(byToken, tokenId, rows);
      }
    });
    const date = dateOfDay(day);
    const ofDay = [...users].map(([user, sums]) => toUserDay(user, date, sums));
    found.push(...ofDay.sort((a, b) => b.calls - a.calls || (a.user < b.user ? -1 : 1)));
  }
  return found;
}

function toUserDay(user: string, date: string, { calls, denied, refused, rows }: Sums): UserDay {
  // The counter has every call above a limit, also those without a stored reason.
  const limited = Math.max(denied, refused.get("rate_limited") ?? 0);
  if (limited > 0) refused.set("rate_limited", limited);
  return {
    user,
    date,
    calls,
    refused: [...refused]
      .map(([code, count]) => ({ code, calls: count }))
      .sort((a, b) => b.calls - a.calls || (a.code < b.code ? -1 : 1)),
    isPart: [...rows.values()].some((count) => count >= REFUSALS_A_DAY),
    tokenIds: [...rows.keys()],
  };
}

function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Reads that many hours, first one of them, then more at once while they have few rows. */
async function readHours<Row>(
  access: AccessStore,
  first: number,
  hours: number,
  read: (from: number, to: number) => Work<Row[]>,
  use: (rows: Row[]) => void,
): Promise<void> {
  for (let from = first, count = 1; from < first + hours;) {
    const end = Math.min(from + count, first + hours);
    const rows = await access.run(read(from, end - 1));
    use(rows);
    from = end;
    count = rows.length < FEW_ROWS ? 2 * count : 1;
    await nextTurn();
  }
}
