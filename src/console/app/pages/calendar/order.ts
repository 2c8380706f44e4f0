import { type Holiday, instantIn } from "./holidays.ts";

/** When an entry of the calendar happens. */
export interface Placed {
  /** The day of the reader for a publication, else of the exchange. */
  readonly date: string;
  /** UTC milliseconds; null for what has no time of day. */
  readonly at: number | null;
}

/** What of a day has no time of day comes first, in this order. */
const ORDER = ["holidays", "splits", "dividends", "earnings", "releases"];

/** The entries in the order of their days and times. */
export const inOrder = <T extends Placed & { readonly kind: string }>(entries: readonly T[]): T[] =>
  entries.toSorted(
    (a, b) =>
      a.date.localeCompare(b.date) ||
      (a.at ?? 0) - (b.at ?? 0) ||
      ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind),
  );

/** Where and when US shares are traded. */
const NEW_YORK = "America/New_York";
const [OPENS, CLOSES] = ["09:30", "16:00"];

/**
 * The instant of the open or close that a report precedes or follows; null if its time of day is not known.
 *
 * @param closed the holidays, with early closes
 */
export function instantOfReport(
  { date, session }: { readonly date: string; readonly session: string },
  closed: readonly Holiday[],
): number | null {
  if (session === "before_market_open") return instantIn(NEW_YORK, date, OPENS);
  if (session !== "after_market_close") return null;
  const early = closed.find((day) => day.country === "US" && day.date === date)?.closesAt;
  return instantIn(NEW_YORK, date, early ?? CLOSES);
}
