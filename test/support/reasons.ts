import { expect } from "bun:test";
import { REASONS } from "#domain/reasons.ts";

/** Fields of answers that are no figures: without them, nothing is missing. */
const COMPLETE_WITHOUT = new Set(
  (
    "next_cursor next_before emptied_by closest suggestions unknown without_date without_cost not_covered rates notes " +
    "upcoming_holidays upcoming_half_days removed sessions source"
  ).split(" "),
);
/** Figures of events, which are null by contract where there are none. */
const OF_EVENTS = new Set(["previous", "forecast", "consensus", "actual"]);

/** The figures of a payload that are missing, and the lists that are empty. */
function* missingIn(value: unknown, name: string): Generator<string, void, undefined> {
  if (COMPLETE_WITHOUT.has(name)) return;
  if (value === null || value === "—") yield name;
  if (typeof value !== "object" || value === null) return;
  if (Object.keys(value).length === 0) yield name;
  const { columns, rows, ...others } = value as Record<string, unknown>;
  const isTable = Array.isArray(columns) && Array.isArray(rows);
  if (isTable) {
    if (rows.length === 0) yield name;
    // A row can say in words why it has no figures.
    const note = columns.indexOf("note");
    for (const row of (rows as unknown[][]).filter((one) => !one[note]))
      for (const [i, cell] of row.entries()) yield* missingIn(cell, String(columns[i]));
  }
  for (const [key, inner] of Object.entries(isTable ? others : value))
    yield* missingIn(inner, Array.isArray(value) ? name : key);
}

/** The names of the reasons of a payload, in an object or in the text of a panel. */
function namedIn({ reasons, Reasons }: Record<string, unknown>): [string, string[]][] {
  if (typeof Reasons === "string")
    return Reasons.split("; ").map((one) => {
      const [reason = "", names = ""] = one.split(": ");
      return [reason, names.split(", ")];
    });
  return Object.entries((reasons ?? {}) as Record<string, string[]>);
}

/** Checks that each missing figure and empty list has a reason of the table, and nothing else has one. */
export function expectReasons(payload: unknown): void {
  const data = { ...(payload as Record<string, unknown>) };
  const named = namedIn(data);
  delete data["reasons"];
  delete data["Reasons"];
  // Null if the rows have several.
  delete data["currency"];
  const missing = new Set(missingIn(data, "rows"));
  const figures = named.flatMap(([reason, names]) => {
    expect(Object.keys(REASONS)).toContain(reason);
    return names;
  });
  expect(new Set(figures).size).toBe(figures.length);
  const hasRows = figures.some((name) => name.startsWith("all of "));
  const withReason = new Set(figures.map((name) => name.replace(/ of .*$/, "")));
  withReason.delete("all");
  for (const figure of withReason) expect([...missing]).toContain(figure);
  const isOfEvents = (figure: string) => "events" in data && OF_EVENTS.has(figure);
  // Figures of a fiscal year have no session.
  const isOfYear = (figure: string) => figure === "session" && data["session"] === null;
  const needed = [...missing].filter((figure) => !isOfEvents(figure) && !isOfYear(figure));
  if (!hasRows) expect(needed.filter((figure) => !withReason.has(figure))).toEqual([]);
  if (needed.length > 0) expect(named).not.toEqual([]);
}
