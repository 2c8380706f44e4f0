import { type SessionPart, sessionParts } from "#analytics/sessions.ts";
import { COUNTRIES, type Country, sessionOpensAt } from "#domain/country.ts";
import { instantIn } from "#lib/zone.ts";

/** A session of an exchange, by its rules of early closes. */
export interface Session {
  /** In local time, earliest first. */
  readonly parts: readonly SessionPart[];
  /** UTC milliseconds. */
  readonly opensAt: number;
  readonly closesAt: number;
}

/** The session of that local date: shorter on a half day. Meaningless for a day without a session. */
export function sessionOf(country: Country, date: string): Session {
  const parts = sessionParts(country, date);
  const closesAt = instantIn(COUNTRIES[country].timeZone, date, parts.at(-1)?.closes ?? "24:00");
  return { parts, opensAt: sessionOpensAt(country, date), closesAt };
}
