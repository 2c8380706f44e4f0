import { type Static, Type } from "@sinclair/typebox";
import { FILING_DAYS } from "#analytics/filing-day.ts";
import { PERFORMANCE_WINDOWS, type Performance } from "#analytics/performance.ts";
import { notFound } from "#domain/errors.ts";
import type { Panel } from "#domain/schema.ts";
import type { Statement } from "#domain/statement.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { FiledStatement } from "#store/statements.ts";

/** The rule of `assumedFilingDate` in words. */
const ASSUMED = `period end + ${FILING_DAYS.US.quarter} days in the US (${FILING_DAYS.US.year} for a year and its fourth quarter), ${FILING_DAYS.JP.year} in Japan, ${FILING_DAYS.VN.year} in Viet Nam.`;

/** What an answer says about the filings behind its figures. */
export const FilingsOutput = {
  figures: Type.String({
    description:
      "As filed, or as stored now. Stored now: of some periods only the newest figures are known, restatements included.",
  }),
  filing_dates: Type.String({
    description: `Published, or assumed if some day of filing is unknown. Assumed is ${ASSUMED}`,
  }),
};

/** What an answer says about the filings behind these statements. */
export function filingsOf(statements: readonly FiledStatement[]) {
  const isFiled = statements.every(({ accession }) => accession !== null);
  const isAssumed = statements.some((one) => one.isFilingAssumed);
  return {
    figures: isFiled ? "as filed" : "as stored now",
    filing_dates: isAssumed ? "assumed" : "published",
  };
}

/** The part of an answer about a past day: `date`, `figures`, `filing_dates` and `shares`. */
export const KnownOnOutput = Type.Record(Type.String(), Type.String(), {
  description: `Only with known_on: its date; figures: as filed, or as stored now if of some periods only the newest figures are known; filing_dates: published, or assumed (${ASSUMED.slice(0, -1)}); the shares of figures per share and share counts.`,
});

/** The metrics of statements need no returns. */
export const NO_PERFORMANCE = {
  changePercent: null,
  performance: Object.fromEntries(
    PERFORMANCE_WINDOWS.map((window) => [window, null]),
  ) as Performance,
};

/**
 * The statements of a company that were filed by the day of the market, and what the answer says about them.
 *
 * @throws BourseError if no statement was filed by the day
 */
export function getFiled(market: MarketStore, instrument: StoredInstrument, day: string) {
  const statements = market.statements.listFiled(instrument);
  const { country, symbol } = instrument;
  if (statements.length === 0) {
    throw notFound(`${symbol} in ${country} has no statement filed by ${day}.`, {
      param: "known_on",
    });
  }
  const known: Static<typeof KnownOnOutput> = {
    date: day,
    ...filingsOf(statements),
    shares: `in the shares of ${day}: later splits are not applied`,
  };
  return { statements, known };
}

/** A statement of `listPeriods`, which keeps the accession number of its filing. */
export type Filed = Statement & { readonly accession?: string | null };

/** The labels of a period's filing. */
export function filingPanel(statement: Filed): Panel {
  const { filedOn, isFilingAssumed, accession } = statement;
  return {
    "Filing date": isFilingAssumed ? `${filedOn} (assumed)` : filedOn,
    ...(accession && { "Accession number": accession }),
  };
}
