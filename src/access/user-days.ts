import type { ErrorCode } from "#domain/errors.ts";
import { dateOfDay } from "#lib/date.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { AccessStore } from "#store/index.ts";
import { listRefusalSums, REFUSALS_A_DAY, type RefusalSum } from "#store/refused-calls.ts";
import { findLastTokenId } from "#store/tokens.ts";
import { listUsageDays, type UsageDay, windowsAt } from "#store/usage.ts";
import type { Guard } from "./guard.ts";

/** The UTC days, today included. Usage of as many days is stored by hour. */
const USER_DAYS = 7;
/** The tokens whose days one turn reads. Of each, 30 days of refused calls and 400 days of usage are stored. */
const TOKENS = 10;

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
  readonly user: string;
  readonly day: number;
  calls: number;
  denied: number;
  isPart: boolean;
  readonly refused: Map<ErrorCode, number>;
  readonly tokenIds: Set<number>;
}

/**
 * The calls of all users on the last UTC days, newest day first and in it most calls first. Users and days without a
 * call are left out. In a cluster they are the calls of all nodes. Reads a few tokens in each turn of the event loop.
 *
 * @param unused the calls that this process has counted in advance
 */
export async function readUserDays(
  access: AccessStore,
  now: number,
  unused: Guard["unused"],
): Promise<UserDay[]> {
  const today = windowsAt(now).day;
  const from = today - USER_DAYS + 1;
  const found = new Map<string, Sums>();
  const lastId = await access.run(findLastTokenId());
  for (let first = 1; first <= lastId; first += TOKENS) {
    const last = first + TOKENS - 1;
    // After a clock stepped back, calls count in windows up to a day ahead.
    const usage = await access.run(listUsageDays(first, last, from * 24, (today + 2) * 24 - 1));
    addUsage(found, usage, today, unused);
    addRefusals(found, await access.run(listRefusalSums(first, last, from, today)));
    await nextTurn();
  }
  return [...found.values()]
    .filter(({ calls, denied, refused }) => calls + denied + refused.size > 0)
    .sort((a, b) => b.day - a.day || b.calls - a.calls || (a.user < b.user ? -1 : 1))
    .map(toUserDay);
}

function addUsage(
  found: Map<string, Sums>,
  rows: readonly UsageDay[],
  today: number,
  unused: Guard["unused"],
): void {
  for (const { user, tokenId, day, calls, denied } of rows) {
    const sums = sumsOf(found, user, Math.min(day, today));
    const ahead = unused(tokenId);
    const unserved = ahead?.day === day ? ahead.calls : 0;
    sums.calls += Math.max(0, calls - unserved);
    sums.denied += denied;
    sums.tokenIds.add(tokenId);
  }
}

function addRefusals(found: Map<string, Sums>, list: readonly RefusalSum[]): void {
  const stored = new Map<string, number>();
  for (const { user, tokenId, day, code, calls, rows } of list) {
    const sums = sumsOf(found, user, day);
    addTo(sums.refused, code, calls);
    sums.tokenIds.add(tokenId);
    if (addTo(stored, `${tokenId} ${day}`, rows) >= REFUSALS_A_DAY) sums.isPart = true;
  }
}

function sumsOf(found: Map<string, Sums>, user: string, day: number): Sums {
  const key = `${day} ${user}`;
  const known = found.get(key);
  if (known) return known;
  const counts = { calls: 0, denied: 0, isPart: false };
  const sums = { user, day, ...counts, refused: new Map(), tokenIds: new Set<number>() };
  found.set(key, sums);
  return sums;
}

function toUserDay({ user, day, calls, denied, isPart, refused, tokenIds }: Sums): UserDay {
  // The counter has every call above a limit, also those without a stored reason.
  const limited = Math.max(denied, refused.get("rate_limited") ?? 0);
  if (limited > 0) refused.set("rate_limited", limited);
  return {
    user,
    date: dateOfDay(day),
    calls,
    refused: [...refused]
      .map(([code, count]) => ({ code, calls: count }))
      .sort((a, b) => b.calls - a.calls || (a.code < b.code ? -1 : 1)),
    isPart,
    tokenIds: [...tokenIds],
  };
}

/** Adds to a count and returns it. */
function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): number {
  const sum = (counts.get(key) ?? 0) + count;
  counts.set(key, sum);
  return sum;
}
