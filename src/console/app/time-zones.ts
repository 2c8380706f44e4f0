import { knownZone, nameOfZone } from "./reader.ts";
import { type Sentence, translate } from "./words.ts";

/** The zones of the exchanges. */
const EXCHANGES = ["America/New_York", "Asia/Tokyo", "Asia/Ho_Chi_Minh"];

/** The regions of the IANA database. Names without one of them, such as `EST`, are old. */
const REGIONS: Readonly<Record<string, Sentence>> = {
  Africa: "Africa",
  America: "America",
  Antarctica: "Antarctica",
  Arctic: "Arctic",
  Asia: "Asia",
  Atlantic: "Atlantic Ocean",
  Australia: "Australia",
  Europe: "Europe",
  Indian: "Indian Ocean",
  Pacific: "Pacific Ocean",
};

/** Zones in a list, below a title. */
export interface ZoneGroup {
  readonly title: Sentence;
  readonly zones: readonly string[];
}

/**
 * All zones, each once: first those of the browser, the exchanges and the user, then the others by region.
 *
 * @param listed the zones that the browser lists, perhaps by old names
 * @param chosen the browser's zone and the user's choice
 */
export function groupZones(listed: readonly string[], chosen: readonly string[]): ZoneGroup[] {
  const first = new Set([...chosen.map(nameOfZone), ...EXCHANGES, "UTC"]);
  const others = [...new Set(listed.map(nameOfZone))].filter((zone) => !first.has(zone)).toSorted();
  const regions = Object.entries(REGIONS).map(([region, title]) => ({
    title,
    zones: others.filter((zone) => zone.startsWith(`${region}/`)),
  }));
  return [{ title: "Often used" as const, zones: [...first] }, ...regions].filter(
    ({ zones }) => zones.length > 0,
  );
}

/** A zone by its city and its offset: `Tokyo (UTC+9)`, `Knox, Indiana (UTC−6)`. @param at UTC milliseconds */
export function zoneText(zone: string, at: number): string {
  const [, ...parts] = zone.split("/");
  const city = parts.toReversed().join(", ").replaceAll("_", " ");
  const offset = offsetOf(zone, at);
  return city === "" ? zone : offset === "" ? city : `${translate(city)} (${offset})`;
}

/** `UTC+9`, `UTC−3:30`, `UTC`; empty for a zone that the browser does not know. */
function offsetOf(zone: string, at: number): string {
  if (knownZone(zone) === undefined) return "";
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "shortOffset" });
  const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
  // Safari writes `GMT+0`.
  return name.replace(/^GMT(?:\+0$)?/, "UTC").replace("-", "−");
}
