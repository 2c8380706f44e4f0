import type { MetricName } from "#analytics/metrics.ts";
import type { EARNINGS_SESSIONS } from "#domain/analyst-coverage.ts";
import type { Country } from "#domain/country.ts";
import type { AssetType } from "#domain/instrument.ts";
import type { Change } from "#operations/brief/changes.ts";

// What messages of alerts say, as facts. `message-text.ts` writes them in the language of the user.

/** The instrument of a message. */
export interface MessageInstrument {
  readonly country: Country;
  readonly symbol: string;
  readonly name: string;
  readonly assetType: AssetType;
}

/** A figure of a condition, and what it was compared with. */
export interface MessageFigure {
  readonly metric: MetricName;
  readonly operator: string;
  readonly value: number | null;
  /** The figure before, in a message about a thesis; null if it was unknown. */
  readonly before?: number | null;
  readonly limit: number | null;
  /** `pe_5y_median` or `industry.pe_median`; null for a number. */
  readonly limitOf: string | null;
  /** ISO code of an amount; null for other figures. */
  readonly currency: string | null;
}

/** The statement behind a figure. */
export interface MessageFiling {
  readonly periodEnd: string;
  /** The fiscal quarter as a number: see `fiscalQuarterNumber`; null if it is unknown. */
  readonly quarter: number | null;
  readonly filedOn: string;
  /** True if its period was known before, with other figures. */
  readonly isRestated: boolean;
}

/** A move of a price. */
export interface MessageMove {
  readonly before: number | null;
  readonly after: number;
  readonly currency: string;
  /** The session, `YYYY-MM-DD`. */
  readonly date: string;
}

/** A condition of a rule that holds. */
export interface ConditionMessage {
  readonly kind: "condition";
  readonly of: MessageInstrument;
  readonly figures: readonly MessageFigure[];
  /** The session of the price, `YYYY-MM-DD`; null without one. */
  readonly session: string | null;
  /** New shares for one old share since the rule was written, by which its limits are converted; left out if none split. */
  readonly split?: number;
}

/** A thesis that does not hold any more. */
export interface ThesisMessage {
  readonly kind: "thesis";
  readonly of: MessageInstrument;
  readonly list: string;
  /** The sentence of the user. */
  readonly text: string;
  /** The figures of all conditions, the broken ones first. */
  readonly figures: readonly MessageFigure[];
  /** The number of broken conditions, which `figures` begins with. */
  readonly broken: number;
  readonly filing: MessageFiling | null;
  readonly move: MessageMove | null;
}

/** An event of an instrument, or a release. */
export type EventMessage = { readonly kind: "event" } & (
  | {
      readonly event: "earnings";
      readonly of: MessageInstrument;
      readonly date: string;
      readonly days: number;
      /** The day that an earlier message named, if the report was moved. */
      readonly movedFrom: string | null;
      readonly session: (typeof EARNINGS_SESSIONS)[number];
      readonly period: string | null;
      readonly epsEstimate: number | null;
      readonly currency: string;
    }
  | {
      readonly event: "ex_date";
      readonly of: MessageInstrument;
      readonly date: string;
      readonly days: number;
      readonly movedFrom: string | null;
      readonly amount: number;
      readonly currency: string;
    }
  | {
      readonly event: "statement";
      readonly of: MessageInstrument;
      readonly filing: MessageFiling;
      readonly rows: readonly Change[];
    }
  | {
      readonly event: "rating_change";
      readonly of: MessageInstrument;
      /** Labels of the mean rating: `Buy`. */
      readonly before: string;
      readonly after: string;
    }
  | {
      readonly event: "release";
      readonly country: Country;
      readonly name: string;
      readonly date: string;
      /** UTC, `12:30`. */
      readonly time: string;
      readonly previous: string | null;
      readonly expected: string | null;
      readonly actual: string;
    }
);

/** What changed for a list. */
export interface BriefMessage {
  readonly kind: "brief";
  /** The name of the list; null for one instrument. */
  readonly list: string | null;
  readonly of: MessageInstrument | null;
  /** The most important changes, at most `MOST_ROWS`. */
  readonly rows: readonly Change[];
  readonly total: number;
}

/** A rule that fired too often is paused now. */
export interface PausedMessage {
  readonly kind: "paused";
  readonly fired: number;
}

/** A test of a channel, or the news that a channel gets no more messages, because its receiver said so. */
export interface ChannelMessage {
  readonly kind: "test" | "stopped";
  readonly channel: string;
}

/** What a message says, as JSON. `title` is the user's own title of the alert. */
export type AlertFacts = { readonly title?: string | undefined } & (
  ConditionMessage | ThesisMessage | EventMessage | BriefMessage | PausedMessage | ChannelMessage
);

/** The rows of a brief in a message, which a phone shows. */
export const MOST_ROWS = 12;
