import type { MetricUnit } from "#analytics/metrics.ts";
import type { Why } from "#operations/reasons.ts";

/** How an amount is read that was converted at the newest rate. */
export const NEWEST_RATE = "at the newest rate";

/** A figure that the words of a claim can mean. */
export interface Reading {
  /** As it is computed; null if it is unknown. */
  readonly value: number | null;
  /** The same as answers write it: rounded, or as text. */
  readonly shown: number | string | null;
  /** The unit of its metric, or of a macro series. */
  readonly unit: MetricUnit | "series";
  /** The ISO code of its currency; null if it is no amount. */
  readonly currency: string | null;
  /** The day whose rate converts it; null for the newest rate. */
  readonly rateOn: string | null;
  /** Why it is null, if that can be found. */
  readonly why?: () => Why | undefined;
  /** What panels write instead of the number; left out without such words. */
  readonly words?: string;
  /** Its date or period: `FY 2025, to 2025-09-30`. */
  readonly on: string;
  /** How the claim is read, if its words do not say so: `as traded`; null for the usual way. */
  readonly as: string | null;
  /** False if the words of the claim exclude it. */
  readonly isOpen: boolean;
  /** True if the claim names a longer time than the figure covers: a month for the close of its last day. */
  readonly isPart?: boolean;
  /** A macro series in units of one: 1e9 for `USD bn`. */
  readonly scale?: number;
  /** Words of a series' unit that a claim can repeat. */
  readonly unitWords?: readonly string[];
}

/** The readings of a claim; without one that is open, a sentence says why there is none. */
export interface Readings {
  readonly all: readonly Reading[];
  /** Finds readings that the claim excludes, to name the one that it probably means. */
  readonly others?: () => readonly Reading[];
  readonly reason?: string;
}
