import { Type } from "@sinclair/typebox";
import { sessionsBetween } from "#analytics/sessions.ts";
import { COUNTRIES, localDateOf } from "#domain/country.ts";
import type { Filing, Filings } from "#domain/filings.ts";
import { Nullable, type Static } from "#domain/schema.ts";
import { addDays, isDate } from "#lib/date.ts";
import { answerReader, checkRowCount } from "#sources/check-answer.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { readList } from "#sources/list.ts";
import { request } from "./answer.ts";
import { EDINET } from "./source.ts";

/** Days of reports that are listed at first: a year, and the time that a report takes. */
const DAYS_BACK = 400;
/** Days that are stored together, so that a stop loses few. */
const DAYS_PER_PART = 20;

/** The reports by their type: the annual report, the quarterly and the half-year's, each with its correction. */
const FORMS: ReadonlyMap<string, Filing["form"]> = new Map([
  ["120", "annual"],
  ["130", "annual"],
  ["140", "quarter"],
  ["150", "quarter"],
  ["160", "half"],
  ["170", "half"],
]);

const MaybeText = Type.Optional(Nullable(Type.String()));
const Document = Type.Object({
  docID: Type.String({ pattern: "^S[A-Z0-9]{7}$" }),
  /** The symbol and a 0; null for a filer that is not listed, and for a report that was withdrawn. */
  secCode: MaybeText,
  docTypeCode: MaybeText,
  /** In Tokyo: `2026-06-18 15:30`. */
  submitDateTime: MaybeText,
  parentDocID: MaybeText,
  /** 1: withdraws another report; 2: was withdrawn. */
  withdrawalStatus: MaybeText,
  /** 1 and 2: is not shown. */
  disclosureStatus: MaybeText,
  /** 1: has figures as CSV. */
  csvFlag: MaybeText,
});
const readDocument = answerReader(EDINET, Document);
const readDay = answerReader(
  EDINET,
  Type.Object({
    metadata: Type.Object({ status: Type.String() }),
    results: Type.Optional(Type.Array(Type.Unknown())),
  }),
);

/**
 * The reports of listed companies, day by day: EDINET finds no reports by company. At first the last 400 days
 * are listed, some 270 requests in about five minutes, then the days since the newest stored report.
 */
export const edinetFilings = defineFetcher({
  kind: "filings",
  source: EDINET,
  countries: ["JP"],
  scope: "country",
  parts(query) {
    const days = daysOf(query);
    return Array.from({ length: Math.ceil(days.length / DAYS_PER_PART) }, (_, i) => {
      const part = days.slice(i * DAYS_PER_PART, (i + 1) * DAYS_PER_PART);
      const close = Date.parse(`${part.at(-1)}T${COUNTRIES.JP.sessionCompleteUtc}Z`);
      return { ...query, after: part[0] ?? null, now: Math.min(query.now, close) };
    });
  },
  async fetch(query, client): Promise<unknown[]> {
    const days: unknown[] = [];
    // Newest first, so that a probe ends early.
    for (const date of daysOf(query).reverse()) {
      const answer = await request(client, `/documents.json?date=${date}&type=2`);
      const day = await answer.json();
      days.push(day);
      if (query.isProbe && rowsOf(day).some((row) => filingOf(readDocument(row)))) break;
    }
    return days;
  },
  *transform(days) {
    // Also of companies that the market does not have yet: a day is listed once.
    const bySymbol = new Map<string, Filing[]>();
    const results = days.flatMap(rowsOf);
    checkRowCount(EDINET, results.length);
    const found = yield* readList(results, (row) => filingOf(readDocument(row)));
    for (const one of found) {
      if (one === null) continue;
      bySymbol.set(one.symbol, [...(bySymbol.get(one.symbol) ?? []), one.filing]);
    }
    if (bySymbol.size === 0) throw EDINET.error("nothing", "no report was filed on these days");
    for (const [symbol, filings] of bySymbol)
      yield {
        country: "JP" as const,
        symbol,
        filings: filings.sort((a, b) => a.filedOn.localeCompare(b.filedOn)),
      } satisfies Filings;
  },
});

/** The rows of a day; none if nothing was filed. */
const rowsOf = (day: unknown): readonly unknown[] => readDay(day).results ?? [];

/** The days to list, oldest first, so that a stop leaves whole days. The newest stored day is listed again. */
function daysOf({ after, now, holidayOverrides }: LiveQuery): string[] {
  const today = localDateOf("JP", now);
  const first = addDays(today, -DAYS_BACK);
  return sessionsBetween(
    "JP",
    after !== null && after > first ? after : first,
    today,
    holidayOverrides,
  );
}

/** The report of a listed company that has figures; null for any other document. */
function filingOf(row: Static<typeof Document>): { symbol: string; filing: Filing } | null {
  const form = FORMS.get(row.docTypeCode ?? "");
  const symbol = /^(\d[\dA-Z]\d[\dA-Z])0$/.exec(row.secCode ?? "")?.[1];
  const filedOn = row.submitDateTime?.slice(0, 10) ?? "";
  const isShown = [row.withdrawalStatus, row.disclosureStatus].every(
    (one) => (one ?? "0") === "0" || one === "3",
  );
  if (!form || symbol === undefined || row.csvFlag !== "1" || !isShown) return null;
  if (!isDate(filedOn)) throw EDINET.error("invalid_answer", "a report has no day of filing");
  const isCorrection = /^1[357]0$/.test(row.docTypeCode ?? "");
  const corrects = isCorrection ? (row.parentDocID ?? "") : null;
  if (corrects !== null && !/^S[A-Z0-9]{7}$/.test(corrects)) return null;
  return { symbol, filing: { id: row.docID, form, filedOn, corrects } };
}
