import { translate } from "#console/app/words.ts";
import { dateOf } from "#console/app/days.ts";
import type { PayloadOf } from "#operations/index.ts";

/** An event of the economic calendar. */
export type MacroEvent = PayloadOf<"get_macro_calendar">["events"][number];

/** The short names of the countries in events. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  "united states": "US",
  japan: "Japan",
  "viet nam": "Viet Nam",
};

/** The short name of an event's country. */
export function countryOfEvent({ country }: MacroEvent): string {
  return translate(SHORT_NAMES[country] ?? country);
}

/** The instant of an event in UTC milliseconds. */
export function instantOf({ date, time }: MacroEvent): number {
  return Date.parse(`${date}T${time}:00Z`);
}

/** The date and time of an event in its country. */
export function localTimeOf(event: MacroEvent): { readonly date: string; readonly time: string } {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(event.local_time) ?? [];
  const offset = Number(`${sign}1`) * (60 * Number(hours) + Number(minutes)) * 60_000;
  return { date: dateOf(instantOf(event) + offset, true), time: event.local_time.slice(0, 5) };
}

const LEVELS = { high: "●●●", medium: "●●○", low: "●○○" } as const;

/** The importance of an event, as dots with a text for screen readers. */
export function Importance({ of }: { readonly of: MacroEvent["importance"] }) {
  return (
    <span class={`importance ${of}`} role="img" aria-label={translate(`${of} importance`)}>
      {LEVELS[of]}
    </span>
  );
}
