import { Type } from "@sinclair/typebox";
import { dateOf, daysBetween, isDate, isWeekend } from "#lib/date.ts";
import { answerReader, checkRowCount, parseAnswer } from "#sources/check-answer.ts";
import type { SourceClient } from "#sources/source.ts";
import { FRANKFURTER } from "./source.ts";

/** The currencies of the European Central Bank's list, besides the euro. It has no VND, TWD or ARS. */
const LISTED: ReadonlySet<string> = new Set(
  "AUD BRL CAD CHF CNY CZK DKK GBP HKD HUF IDR ILS INR JPY KRW MXN MYR NOK NZD PHP PLN RON SEK SGD THB TRY USD ZAR".split(
    " ",
  ),
);

/** The first day of the euro. */
export const FIRST_RATES = "1999-01-04";

/** A list with fewer of its weekdays was sampled: older versions of the service give weeks or months for long periods. */
const LEAST_WEEKDAYS = 0.85;

/** True if the bank has a rate of the currency. */
export const isListed = (currency: string): boolean => currency === "EUR" || LISTED.has(currency);

/** Requests the rates of currencies against the euro from a day on. */
export async function requestRates(
  client: SourceClient,
  currencies: readonly string[],
  from: string,
): Promise<string> {
  const symbols = [...new Set(["USD", ...currencies])].filter((one) => one !== "EUR").sort();
  const answer = await client.request(
    `https://api.frankfurter.dev/v1/${from}..?base=EUR&symbols=${symbols.join(",")}`,
  );
  return answer.text();
}

const readAnswer = answerReader(
  FRANKFURTER,
  Type.Object({
    base: Type.Literal("EUR"),
    amount: Type.Optional(Type.Literal(1)),
    rates: Type.Record(
      Type.String(),
      Type.Record(Type.String(), Type.Number({ exclusiveMinimum: 0 })),
    ),
  }),
);

/** The rates of one day: units of a currency for one euro. */
type DayRates = Readonly<Record<string, number>>;

/**
 * The rates of each day before today, oldest first. A day on which the bank has none, such as a holiday, is absent.
 *
 * @throws SourceError `invalid_answer` for another form and if the days are a sample
 */
export function parseRates(text: string, now: number): [date: string, rates: DayRates][] {
  const { rates } = readAnswer(parseAnswer(FRANKFURTER, new TextEncoder().encode(text)));
  checkRowCount(FRANKFURTER, Object.keys(rates).length);
  const days = Object.entries(rates).sort(([a], [b]) => a.localeCompare(b));
  for (const [date] of days)
    if (!isDate(date) || isWeekend(date))
      throw FRANKFURTER.error("invalid_answer", "a day is no weekday");
  const [first, last] = [days[0]?.[0], days.at(-1)?.[0]];
  if (first === undefined || last === undefined) return [];
  const weekdays = (daysBetween(first, last) * 5) / 7;
  if (days.length < Math.floor(weekdays * LEAST_WEEKDAYS))
    throw FRANKFURTER.error("invalid_answer", "it has a sample of the days, not all of them");
  const today = dateOf(now);
  return days.filter(([date]) => date < today);
}

/** The units of `quote` for one `base`; null if one of them has no rate on the day. Six digits, as the bank's rates. */
export function crossRate(rates: DayRates, base: string, quote: string): number | null {
  const [from, to] = [base, quote].map((one) => (one === "EUR" ? 1 : rates[one]));
  return from === undefined || to === undefined ? null : Number((to / from).toPrecision(6));
}
