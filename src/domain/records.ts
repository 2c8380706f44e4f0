import { AnalystCoverage, EarningsDate } from "./analyst-coverage.ts";
import { CalendarEvent, HolidayOverride } from "./calendar-event.ts";
import { Classification } from "./classification.ts";
import { BarHistory } from "./daily-bar.ts";
import { DividendHistory } from "./dividend.ts";
import { Instrument } from "./instrument.ts";
import { IndexPe, MacroForecast, MacroSeries } from "./macro.ts";
import { Quote } from "./quote.ts";
import type { Static } from "./schema.ts";
import { Statement } from "./statement.ts";

/** Every kind of record that a provider can bring, with the schema that it is checked against. */
export const RECORDS = {
  instruments: Instrument,
  classifications: Classification,
  bars: BarHistory,
  quotes: Quote,
  dividends: DividendHistory,
  statements: Statement,
  macroSeries: MacroSeries,
  macroForecasts: MacroForecast,
  indexPe: IndexPe,
  calendarEvents: CalendarEvent,
  holidayOverrides: HolidayOverride,
  analystCoverage: AnalystCoverage,
  earningsDates: EarningsDate,
} as const;

/** A kind of record: `bars`, `statements`. */
export type RecordKind = keyof typeof RECORDS;
/** The record of a kind. */
export type RecordOf<K extends RecordKind> = Static<(typeof RECORDS)[K]>;

/** What a market file holds: generated records, or those of public sources. They never mix. */
export type MarketOrigin = "sample" | "live";

/** The source of what an operator imported. Nothing fetched ever takes its place. */
export const IMPORT = "import";

/** The source of what we computed from other records and keep. */
export const COMPUTED = "computed";

/** Where a record came from and when it was stored (UTC milliseconds). */
export interface Provenance {
  readonly source: string;
  readonly storedAt: number;
}

/** Where a record stands in a file: `bars.csv, line` and 12; null for the file as a whole. */
export interface Place {
  readonly within: string;
  readonly number: number | null;
}

/** A place in words: `bars.csv, line 12`. */
export function formatPlace({ within, number }: Place): string {
  return number === null ? within : `${within} ${number}`;
}
