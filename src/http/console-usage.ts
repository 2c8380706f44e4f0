import type { Accounts } from "#access/accounts.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { Table } from "#lib/table.ts";
import type { ConsoleParts } from "./console-endpoint.ts";

/** The operations that are named of a user's day. */
const MOST_OPERATIONS = 3;

type UserDay = Awaited<ReturnType<Accounts["listUserDays"]>>[number];

/** The calls of a user on a UTC day, with the operations that this process remembers. */
interface UsageOfDay extends Omit<UserDay, "tokenIds"> {
  /** The most used operations, most first; empty if this process remembers no call of the day. */
  readonly operations: readonly { readonly operation: string; readonly calls: number }[];
  /** The calls of the day that this process remembers, of all operations. Fewer than `calls` are a part. */
  readonly remembered: number;
}

/**
 * The calls of all users on the last seven UTC days, newest first. Calls and refusals are of all nodes. The operations
 * of calls are not stored: they are from the call log of this process.
 */
export async function listUsage(
  parts: Pick<ConsoleParts, "calls" | "refused" | "accountsOf">,
  actor: Parameters<ConsoleParts["accountsOf"]>[0],
): Promise<UsageOfDay[]> {
  await parts.refused.store();
  const days = await parts.accountsOf(actor).listUserDays();
  const byToken = new Map<number, ReturnType<ConsoleParts["calls"]["countOperations"]>>();
  for (const tokenId of new Set(days.flatMap(({ tokenIds }) => tokenIds))) {
    const counts = parts.calls.countOperations(tokenId);
    if (counts.size === 0) continue;
    byToken.set(tokenId, counts);
    await nextTurn();
  }
  return days.map(({ tokenIds, ...day }) => {
    const sums = new Map<string, number>();
    for (const id of tokenIds)
      for (const [operation, calls] of byToken.get(id)?.get(day.date) ?? [])
        sums.set(operation, (sums.get(operation) ?? 0) + calls);
    const operations = [...sums]
      .map(([operation, calls]) => ({ operation, calls }))
      .sort((a, b) => b.calls - a.calls || (a.operation < b.operation ? -1 : 1));
    const remembered = operations.reduce((sum, { calls }) => sum + calls, 0);
    return { ...day, operations: operations.slice(0, MOST_OPERATIONS), remembered };
  });
}

/** The usage as a table, a row for each user and day. Codes and operations have their calls behind them. */
export function tableOfUsage(days: readonly UsageOfDay[]): Table {
  return {
    columns: [
      "date",
      "user",
      "calls",
      "refused",
      "refused_is_part",
      "refused_codes",
      "operations",
      "operations_of_calls",
    ],
    rows: days.map(({ date, user, calls, refused, isPart, operations, remembered }) => [
      date,
      user,
      calls,
      refused.reduce((sum, one) => sum + one.calls, 0),
      isPart,
      refused.map((one) => `${one.code} ${one.calls}`).join("; "),
      operations.map((one) => `${one.operation} ${one.calls}`).join("; "),
      remembered,
    ]),
  };
}
