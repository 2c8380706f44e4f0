import { lazy } from "#lib/lazy.ts";

/** A third of the program's start would go into it. */
const eastern = lazy(
  () =>
    new Intl.DateTimeFormat("en-CA", {
      timeZone: "America/New_York",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    }),
);

/** The date and the time in New York of an instant in UTC milliseconds, as if they were UTC. */
function easternClockMs(utcMs: number): number {
  const parts = Object.fromEntries(
    eastern()
      .formatToParts(utcMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute);
}

/** When the regular session of the US exchanges opens, by New York's clocks. */
const SESSION_OPENS = "09:30";

/** The instant, in UTC milliseconds, at which the session of that date in New York opens. */
export function sessionOpensAt(date: string): number {
  return easternInstant(date, SESSION_OPENS);
}

/** The date in New York at an instant in UTC milliseconds. */
export function easternDate(utcMs: number): string {
  return new Date(easternClockMs(utcMs)).toISOString().slice(0, 10);
}

/** The instant, in UTC milliseconds, at which New York's clocks show a date and a time (`08:30`). */
export function easternInstant(date: string, time: string): number {
  const clockMs = Date.parse(`${date}T${time}Z`);
  // The offset at a first guess, then that at the guess made with it: right but for the hour that
  // clocks skip in spring, when nothing is published.
  const guess = clockMs + (clockMs - easternClockMs(clockMs));
  return guess + (clockMs - easternClockMs(guess));
}
