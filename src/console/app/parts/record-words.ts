import type { Sentence } from "#console/app/words.ts";
import { t } from "#console/app/words.ts";

/** The kinds of records, as people call them. */
const WORDS: Readonly<Record<string, Sentence>> = {
  instruments: "companies",
  classifications: "sectors",
  quotes: "quotes",
  foreignTrades: "trades of foreigners",
  macroSeries: "economic figures",
  macroForecasts: "economic forecasts",
  macroVintages: "earlier economic figures",
  calendarEvents: "calendar",
  indexPe: "P/E of the index",
  earningsDates: "earnings dates",
  earningsResults: "earnings results",
  analystCoverage: "analysts",
  companyForecasts: "forecasts of companies",
  filings: "lists of reports",
  statements: "statements",
  recentCloses: "newest closes",
  bars: "prices",
  dividends: "dividends",
  splits: "splits",
};

/** A kind of records in the reader's language; an unknown kind is shown as it is. */
export function recordWords(kind: string): string {
  const sentence = WORDS[kind];
  return sentence === undefined ? kind : t(sentence);
}
