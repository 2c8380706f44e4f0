import type { Awaitable } from "#lib/awaitable.ts";

/** Up to where an instrument is known at one moment. */
export interface Seen {
  /** The end of the newest published fiscal period; null without statements. */
  readonly period: string | null;
  /** The newest completed session, or a later day that is over. */
  readonly session: string;
  /** The latest ex-date up to the horizon of briefs, or a later day. */
  readonly exDate: string;
  /** The date of the next report, if it is within the horizon of briefs. */
  readonly report: string | null;
  /** The newest announcement of a company's own forecast; null without one, left out in marks of earlier versions. */
  readonly forecast?: string | null;
}

/** What is known of the instruments and the economies of a brief at one moment. */
export interface SeenMarket {
  /** By instrument: `US:AAPL`. */
  readonly instruments: Readonly<Record<string, Seen>>;
  /** The ids of published releases by country. */
  readonly releases: Readonly<Record<string, readonly string[]>>;
}

/** A brief that a token got: its time in UTC milliseconds, and what was known then. */
export interface BriefMark {
  readonly at: number;
  readonly seen: SeenMarket;
}

/** The marks of one token. A scope is what a brief is about: `list:semis`; empty for all lists. */
export interface BriefMarks {
  /** The marks of a scope, newest first: at most `KEPT_MARKS`. */
  list(scope: string): Awaitable<readonly BriefMark[]>;
  /** Stores a mark, in place of one of the same time. */
  put(scope: string, mark: BriefMark): Awaitable<void>;
}

/** The marks that are kept of a scope, so that a brief that got lost can be asked for again. */
export const KEPT_MARKS = 3;

/** The scope of the briefs about one list. */
export const scopeOfList = (name: string): string => `list:${name}`;
