import { timeNow } from "#console/app/clock.ts";
import {
  asApiError,
  type Call,
  callOperation,
  dataKey,
  isSettled,
  type Resource,
  useResource,
} from "#console/app/api.ts";
import { addDays, dateOf } from "#console/app/days.ts";
import { useLater } from "#console/app/parts/later.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { readItems } from "#console/app/user-lists.ts";
import type { PayloadOf } from "#operations/index.ts";

/** The most companies of a list that are asked for their past ex-dates and splits, a call each. */
export const MAX_ASKED = 20;
/** How long the page waits for them; live sources can take seconds. */
const PATIENCE_MS = 1_000;
const NOT_FOUND = 404;
/** A range of a year begins at the newest session, which can be some days ago. */
const RANGE_DAYS = 350;

/** The history of a company; null if it has no prices. */
interface History {
  readonly company: Subject;
  readonly data: PayloadOf<"get_stock_price_history"> | null;
}

/** What is known of the companies of a list. */
interface Payments {
  readonly histories: readonly History[];
  /** How many the list has, in the chosen country. */
  readonly total: number;
  readonly calls: readonly Call<"get_stock_price_history">[];
}

/** The ex-dates and splits of a list. Nothing is loaded without a list. */
export interface PaymentsAnswer extends Resource<Payments> {
  /** True while the page waits for them. */
  readonly isAwaited: boolean;
}

/** The call for the ex-dates and splits of a company, with those that are announced. @param from null for a year */
const paymentsCall = (
  { country, symbol }: Subject,
  from: string | null,
): Call<"get_stock_price_history"> => ({
  operation: "get_stock_price_history",
  args: {
    country,
    symbol,
    ...(from === null ? { range: "1y" } : { from }),
    limit: 1,
    dividends: true,
    splits: true,
  },
});

/**
 * Loads the ex-dates and splits of a list.
 *
 * @param list null loads nothing
 * @param country a code; null for all
 * @param first the first day that is shown
 */
export function usePayments(
  list: string | null,
  country: string | null,
  first: string,
): PaymentsAnswer {
  // A first date after the newest session would be an error, and most weeks need the same year.
  const from = first > addDays(dateOf(timeNow(), true), -RANGE_DAYS) ? null : first;
  const key = list === null ? null : dataKey(`payments ${list} ${country} ${from}`);
  const loaded = useResource(key, list === null ? null : () => loadPayments(list, country, from));
  const isLate = useLater(key, PATIENCE_MS, null) === key;
  // Payments of another list are not shown.
  const value = loaded.isCurrent ? loaded.value : null;
  const isAwaited = key !== null && !isLate && !isSettled({ ...loaded, value });
  return { ...loaded, value, isAwaited };
}

async function loadPayments(
  list: string,
  country: string | null,
  from: string | null,
): Promise<Payments> {
  const items = (await readItems(list)).filter(
    (one) => country === null || one.country === country,
  );
  const asked = items.slice(0, MAX_ASKED).map((item) => ({ item, call: paymentsCall(item, from) }));
  const histories = asked.map(async ({ item, call }): Promise<History> => {
    const { country, symbol } = item;
    const answer = await callOperation(call).catch((error: unknown) => {
      if (asApiError(error).status !== NOT_FOUND) throw error;
      return null;
    });
    return { company: { country, symbol }, data: answer && answer.data };
  });
  return {
    histories: await Promise.all(histories),
    total: items.length,
    calls: asked.map(({ call }) => call),
  };
}
