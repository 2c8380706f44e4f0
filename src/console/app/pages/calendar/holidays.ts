import { dateOf } from "#console/app/days.ts";
import { dateText, formatTime } from "#console/app/format.ts";
import { t, translate, translateTerm } from "#console/app/words.ts";

/** A day on which an exchange is closed, or closes early. */
export interface Holiday {
  readonly date: string;
  readonly country: string;
  readonly name: string;
  /** `13:00` there; null if it is closed all day. */
  readonly closesAt: string | null;
  /** Of the exchange: `America/New_York`. */
  readonly timeZone: string;
}

/** The name of a holiday in the reader's language, if it is known: `Thanksgiving Day`, `感謝祭`. */
export function holidayName(name: string): string {
  const [, base = "", kind] = /^(.+) \((observed|swap day)\)$/.exec(name) ?? [];
  if (kind === "observed") return t("{name} (observed)", { name: translateTerm(base) });
  if (kind === "swap day") return t("{name} (swap day)", { name: translateTerm(base) });
  return translateTerm(name);
}

/** The instant of a local time in a zone, in UTC milliseconds. @param date `2026-11-27` @param time `13:00` */
export function instantIn(timeZone: string, date: string, time: string): number {
  const at = Date.parse(`${date}T${time}:00Z`);
  // Swedish times have the format of ISO 8601.
  const there = new Date(at).toLocaleString("sv-SE", { timeZone });
  return 2 * at - Date.parse(`${there.replace(" ", "T")}Z`);
}

/** `US exchange closed: Thanksgiving Day`; `US exchange closes at 13:00 in New York (19:00 yours): Christmas Eve`. @param country its name */
export function closureText(country: string, day: Holiday): string {
  const { date, closesAt: time, timeZone } = day;
  const name = holidayName(day.name);
  if (time === null) return t("{country} exchange closed: {name}", { country, name });
  const at = instantIn(timeZone, date, time);
  // A time on another day of the reader names it.
  const weekday = dateOf(at) === date ? "" : `${dateText(at, { weekday: "short" })} `;
  const own = weekday + formatTime(at);
  if (own === time)
    return t("{country} exchange closes at {time}: {name}", { country, name, time });
  const city = translate(timeZone.replace(/^.*\//, "").replaceAll("_", " "));
  return t("{country} exchange closes at {time} in {city} ({own} yours): {name}", {
    country,
    name,
    time,
    city,
    own,
  });
}
