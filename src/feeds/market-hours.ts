import { COUNTRIES, type Country } from "#domain/country.ts";
import { type AssetType, isShare } from "#domain/instrument.ts";
import { addDays, weekdayOf } from "#lib/date.ts";
import { dateIn, timeIn } from "#lib/zone.ts";
import { sessionOf } from "#operations/session-of.ts";
import type { FeedRequest } from "./layer.ts";

/** True for an instrument with the hours of its country's exchanges. Others trade around the clock, or nearly so. */
export const isOnExchange = (type: AssetType) => isShare(type) || type === "index";

/** When a session begins and ends, in UTC milliseconds. Without an exchange it is a day in UTC. */
export function timesOf(country: Country, type: AssetType, date: string) {
  if (isOnExchange(type)) return sessionOf(country, date);
  return { opensAt: Date.parse(date), closesAt: Date.parse(addDays(date, 1)) };
}

/** True while an instrument trades; null where its hours are unknown. */
export async function findOpen(
  { call, now }: Pick<FeedRequest, "call" | "now">,
  country: Country,
  type: AssetType,
): Promise<boolean | null> {
  if (type === "cryptocurrency") return true;
  if (type === "currency") return isWeekOfCurrencies(now);
  if (!isOnExchange(type)) return null;
  const { countries } = await call("get_markets", {});
  return countries.find(({ code }) => code === country)?.exchange.status === "open";
}

/** Currencies trade from Sunday to Friday, 17:00 in New York. */
function isWeekOfCurrencies(now: number): boolean {
  const { timeZone } = COUNTRIES.US;
  const day = weekdayOf(dateIn(timeZone, now));
  const isEvening = timeIn(timeZone, now) >= "17:00";
  return day === 0 ? isEvening : day === 5 ? !isEvening : day !== 6;
}
