import { knownZone } from "./reader.ts";
import { nameOfZone } from "./zone-names.ts";
import { type Sentence, translate } from "./words.ts";

/** The zones of the exchanges. */
const EXCHANGES = ["America/New_York", "Asia/Tokyo", "Asia/Ho_Chi_Minh"];

/** Zones in a list, below a title. */
export interface ZoneGroup {
  readonly title: Sentence;
  readonly zones: readonly string[];
}

/**
 * All zones, each once: first the browser's, the exchanges' and the user's, then the others by city.
 *
 * @param listed the zones that the browser lists, perhaps by old names
 * @param chosen the browser's zone and the user's choice
 */
export function groupZones(listed: readonly string[], chosen: readonly string[]): ZoneGroup[] {
  const first = new Set([...chosen.map(nameOfZone), ...EXCHANGES, "UTC"]);
  // Names without a region, such as `EST`, are old.
  const others = [...new Set(listed.map(nameOfZone))].filter(
    (zone) => /^(?!Etc\/).+\//.test(zone) && !first.has(zone),
  );
  return [
    { title: "Often used", zones: [...first] },
    { title: "All others, from A to Z", zones: others.toSorted(byCity) },
  ];
}

const byCity = (a: string, b: string) => cityOf(a).localeCompare(cityOf(b), "en");

/** `Knox, Indiana` of `America/Indiana/Knox`; empty for a zone without a region. */
const cityOf = (zone: string) =>
  translate(zone.split("/").slice(1).toReversed().join(", ").replaceAll("_", " "));

/** A zone by its city and its offset: `Tokyo (UTC+9)`, `Knox, Indiana (UTC−6)`. @param at UTC milliseconds */
export function zoneText(zone: string, at: number): string {
  const [city, offset] = [cityOf(zone), offsetOf(zone, at)];
  return city === "" ? zone : offset === "" ? city : `${city} (${offset})`;
}

/** `UTC+9`, `UTC−3:30`, `UTC`; empty for a zone that the browser does not know. */
function offsetOf(zone: string, at: number): string {
  if (knownZone(zone) === undefined) return "";
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "shortOffset" });
  const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
  // Safari writes `GMT+0`.
  return name.replace(/^GMT(?:\+0$)?/, "UTC").replace("-", "−");
}
