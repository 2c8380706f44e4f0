import { addDays, addMonths, daysBetween } from "#lib/date.ts";
import type { PlayedFact, SecFacts } from "./played-statements.ts";

/** A row of a frame of the SEC. */
export interface FrameRow {
  readonly accn: string;
  readonly cik: number;
  readonly entityName: string;
  readonly loc: string;
  readonly start?: string;
  readonly end: string;
  readonly val: number;
}

/** The rows of frames by their path below `us-gaap`: `Assets/USD/CY2026Q2I`. */
export type Frames = ReadonlyMap<string, FrameRow[]>;

const quarterOf = (date: string) =>
  `CY${date.slice(0, 4)}Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`;

/** A frame, and the number of days by which a fact differs from its period. */
interface Fit {
  readonly frame: string;
  readonly days: number;
}

/**
 * The frame that a fact fits best, by the SEC's rule: years of 365 ± 30 days and quarters of 91 ± 30
 * days, by their middle; balances by the nearest end of a quarter. Null if it fits none.
 */
function fitOf({ start, end }: Pick<PlayedFact, "start" | "end">): Fit | null {
  if (start === undefined) {
    // 45 days before and after the end of a quarter are nearest to it.
    const frame = quarterOf(addDays(end, -45));
    return { frame: `${frame}I`, days: Math.abs(daysBetween(lastDayOf(frame), end)) };
  }
  const days = daysBetween(start, end) + 1;
  const middle = addDays(start, Math.floor(days / 2));
  const frame = Math.abs(days - 365) <= 30 ? `CY${middle.slice(0, 4)}` : quarterOf(middle);
  if (Math.abs(days - 365) > 30 && Math.abs(days - 91) > 30) return null;
  return { frame, days: Math.abs(daysBetween(lastDayOf(frame), end)) };
}

function lastDayOf(frame: string): string {
  const [year, quarter = "4"] = [frame.slice(2, 6), frame[7]];
  return addDays(addMonths(`${year}-01-01`, 3 * Number(quarter)), -1);
}

/** The frames of companies' facts: of each company the fact that fits best, as it was filed last. */
export function framesOf(
  companies: readonly SecFacts[],
  fit: (fact: PlayedFact) => Fit | null = fitOf,
): Frames {
  const frames = new Map<string, FrameRow[]>();
  for (const { cik, entityName, facts } of companies) {
    const chosen = new Map<string, { fact: PlayedFact; days: number }>();
    for (const [tag, { units }] of Object.entries(facts["us-gaap"] ?? {})) {
      for (const [unit, all] of Object.entries(units)) {
        for (const fact of all) {
          const found = fit(fact);
          if (found === null) continue;
          const path = `${tag}/${unit.replace("/", "-per-")}/${found.frame}`;
          const known = chosen.get(path);
          const isBetter =
            !known ||
            found.days < known.days ||
            (found.days === known.days && known.fact.filed <= fact.filed);
          if (isBetter) chosen.set(path, { fact, days: found.days });
        }
      }
    }
    for (const [path, { fact }] of chosen) {
      const { accn, start, end, val } = fact;
      const row = { accn, cik, entityName, loc: "US-CA", ...(start && { start }), end, val };
      const rows = frames.get(path) ?? [];
      rows.push(row);
      frames.set(path, rows);
    }
  }
  return frames;
}

/** The body of a frame, or null if no company is in it. */
export function frameBody(frames: Frames, path: string) {
  const [tag = "", uom = "", ccp = ""] = path.split("/");
  const data = frames.get(path);
  return data ? { taxonomy: "us-gaap", tag, ccp, uom, pts: data.length, data } : null;
}
