import { AnalystCoverage, EarningsDate } from "./analyst-coverage.ts";
import { CalendarEvent, HolidayOverride } from "./calendar-event.ts";
import { Classification } from "./classification.ts";
import { CompanyForecasts } from "./company-forecasts.ts";
import { BarHistory } from "./daily-bar.ts";
import { DividendHistory } from "./dividend.ts";
import { EarningsResults } from "./earnings-results.ts";
import { Filings } from "./filings.ts";
import { Instrument } from "./instrument.ts";
import { IndexPe, MacroForecast, MacroSeries } from "./macro.ts";
import { ForecastVintages, MacroVintages } from "./macro-vintages.ts";
import { ForeignTrades, Quote } from "./quote.ts";
import { RecentCloses } from "./recent-closes.ts";
import type { Static } from "./schema.ts";
import { SplitHistory } from "./split.ts";
import { Statement, StatementVintage } from "./statement.ts";

/** All kinds of records that sources and imports provide, each with its schema. */
export const RECORDS = {
  instruments: Instrument,
  classifications: Classification,
  bars: BarHistory,
  quotes: Quote,
  recentCloses: RecentCloses,
  dividends: DividendHistory,
  splits: SplitHistory,
  statements: Statement,
  statementVintages: StatementVintage,
  macroSeries: MacroSeries,
  macroForecasts: MacroForecast,
  forecastVintages: ForecastVintages,
  macroVintages: MacroVintages,
  indexPe: IndexPe,
  calendarEvents: CalendarEvent,
  holidayOverrides: HolidayOverride,
  analystCoverage: AnalystCoverage,
  earningsDates: EarningsDate,
  earningsResults: EarningsResults,
  companyForecasts: CompanyForecasts,
  filings: Filings,
  foreignTrades: ForeignTrades,
} as const;

/** A kind of record: `bars`, `statements`. */
export type RecordKind = keyof typeof RECORDS;

/** The records of a kind as people call them: `calendar events`. */
export function wordsOf(kind: RecordKind): string {
  if (kind === "indexPe") return "index P/E";
  return kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** The record type of a kind. */
export type RecordOf<K extends RecordKind> = Static<(typeof RECORDS)[K]>;

/** The origin of all records of a market file: generated, or from public sources. */
export type MarketOrigin = "sample" | "live";

/** The source of records that an operator imported. Fetched records never replace them. */
export const IMPORT = "import";

/** The source of records that were computed from other records. */
export const COMPUTED = "computed";

/** The source of a record, and when it was stored (UTC milliseconds). */
export interface Provenance {
  readonly source: string;
  readonly storedAt: number;
}

/** The position of a record in a file: `bars.csv, line` and 12. `number` is null for the whole file. */
export interface Place {
  readonly within: string;
  readonly number: number | null;
}

/** Formats a place for a message: `bars.csv, line 12`. */
export function formatPlace({ within, number }: Place): string {
  return number === null ? within : `${within} ${number}`;
}
