import { t, translateTerm } from "#console/app/words.ts";
import { dateText, formatText, MISSING } from "#console/app/format.ts";
import { countryName } from "./country.tsx";
import { reader } from "#console/app/reader.ts";
import { inUnit, withoutUnit } from "./unit-text.ts";
import type { PayloadOf } from "#operations/index.ts";

/** An event of the economic calendar. */
export type MacroEvent = PayloadOf<"get_macro_calendar">["events"][number];

/** The codes of the countries in events. */
const CODES: Readonly<Record<string, string>> = {
  "united states": "US",
  japan: "JP",
  "viet nam": "VN",
};

/** The code of an event's country. */
export const codeOfEvent = ({ country }: MacroEvent): string => CODES[country] ?? country;

/** The short name of an event's country. */
export const countryOfEvent = (event: MacroEvent): string => countryName(codeOfEvent(event));

/** The title of an event in the reader's language, with its period: `CPI YoY (Oct)`. */
export function titleOfEvent({ event }: MacroEvent): string {
  const [, name = "", period = ""] = /^(.*) \(([^)]*)\)$/.exec(event) ?? [];
  const whole = translateTerm(event);
  if (whole !== event || name === "") return whole;
  const month = Date.parse(`1 ${period} 2000 UTC`);
  const shown = Number.isNaN(month) ? period : dateText(month, { month: "short", timeZone: "UTC" });
  return `${translateTerm(name)} (${shown})`;
}

/** A figure of an event in the reader's form with its unit in words: `−68.2 USD bn`, `213 thousand`; `—` for none. */
export function eventFigure(figure: string | null, { unit }: MacroEvent): string {
  if (figure === null) return MISSING;
  if (unit === undefined || ["", "%", "index"].includes(unit)) return formatText(figure);
  const number = withoutUnit(figure, unit);
  const [shown, words] = inUnit(number, unit);
  if (number === figure) return `${shown} (${words})`;
  return reader.value.language === "ja" ? shown + words : `${shown} ${words}`;
}

/** The instant of an event in UTC milliseconds. */
export function instantOf({ date, time }: MacroEvent): number {
  return Date.parse(`${date}T${time}:00Z`);
}

/** When on its day a company reports. */
type ReportSession = PayloadOf<"get_earnings_calendar">["earnings"][number]["session"];

/** `before open` or `after close`; `—` if no source says it. */
export function sessionText(session: ReportSession): string {
  if (session === "not_supplied") return MISSING;
  return t(session === "before_market_open" ? "before open" : "after close");
}

const MARKS = {
  high: ["●●●", "high importance"],
  medium: ["●●○", "medium importance"],
  low: ["●○○", "low importance"],
} as const;

/** The importance of an event, as dots with a text for screen readers. */
export function Importance({ of }: { readonly of: MacroEvent["importance"] }) {
  const [dots, text] = MARKS[of];
  return (
    <span class={`importance ${of}`} role="img" aria-label={t(text)}>
      {dots}
    </span>
  );
}
