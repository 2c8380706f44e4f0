import { sumOf } from "#analytics/portfolio.ts";
import { listOfLastYear } from "#analytics/valuation.ts";
import { type Dividend, dividendIncome } from "#domain/dividend.ts";
import { addDays, addMonths, dateOf, daysBetween } from "#lib/date.ts";
import type { Cell } from "#lib/table.ts";
import type { PriceInputs } from "./lines.ts";
import { type Item, roundValue, type Today } from "./today.ts";

/** An announced dividend within these days of the same day a year before takes the place of that one. */
const SAME_DIVIDEND_DAYS = 45;
/** The months before the one of today, and as many after it. */
export const MONTHS_BEFORE = 12;

/** A dividend of a holding in the currency of the portfolio; NaN if its rate is unknown. */
interface Payment {
  readonly month: string;
  readonly amount: number;
}

/**
 * The dividends of the holdings by month of their ex-date, from twelve months ago to twelve months ahead. Expected are
 * announced ones, and the dividends of the last 12 months a year later. Null for weights alone, or without a rate.
 */
export function incomeByMonth({ items, isKnown }: Today, inputs: PriceInputs) {
  const today = dateOf(inputs.now);
  const known = items.filter(
    ({ income, yieldPercent }) => income !== null || yieldPercent !== null,
  );
  const paid = known.flatMap((item) => paidBy(item, inputs));
  const expected = known.flatMap((item) => expectedOf(item, today));
  const sum = (payments: readonly Payment[], month: string) => {
    const amount = sumOf(payments.filter((one) => one.month === month).map((one) => one.amount));
    return isKnown && !Number.isNaN(amount) ? roundValue(amount) : null;
  };
  const months = Array.from({ length: 2 * MONTHS_BEFORE + 1 }, (_, i) =>
    addMonths(today, i - MONTHS_BEFORE).slice(0, 7),
  );
  const now = today.slice(0, 7);
  return {
    columns: ["month", "paid", "expected"],
    rows: months.map((month): Cell[] => [
      month,
      month <= now ? sum(paid, month) : null,
      month >= now ? sum(expected, month) : null,
    ]),
    without: items.flatMap((item) => (known.includes(item) ? [] : item.key)),
  };
}

function paidBy(item: Item, { rates, currency, now }: PriceInputs): Payment[] {
  return listOfLastYear(item.paid?.dividends ?? [], dateOf(now)).map((one) => {
    const rate = item.currency === currency ? 1 : rates.findOn(item.currency, currency, one.exDate);
    return { month: one.exDate.slice(0, 7), amount: amountOf(item, one, rate ?? Number.NaN) };
  });
}

/** The announced dividends, and the ones of the last year that no announced one replaces, at the newest rate. */
function expectedOf(item: Item, today: string): Payment[] {
  const { newest, paid, price } = item;
  if (!newest || !paid) return [];
  const end = addMonths(today, 12);
  const announced = paid.dividends.filter(({ exDate }) => exDate > today);
  const repeated = listOfLastYear(paid.dividends, today).flatMap((one) => {
    const exDate = addMonths(one.exDate, 12);
    const isAnnounced = announced.some(
      (other) => Math.abs(daysBetween(exDate, other.exDate)) <= SAME_DIVIDEND_DAYS,
    );
    return isAnnounced || exDate <= today ? [] : [{ ...one, exDate }];
  });
  return [...announced, ...repeated]
    .filter(({ exDate }) => exDate < addDays(end, 1))
    .map((one) => ({
      month: one.exDate.slice(0, 7),
      amount: amountOf(item, one, price / newest.close),
    }));
}

/** The dividend times the number of shares. */
const amountOf = ({ value, price }: Item, dividend: Dividend, rate: number) =>
  (dividendIncome(dividend) * rate * value) / price;
