import { Type } from "@sinclair/typebox";
import { sessionsBetween } from "#analytics/sessions.ts";
import { localDateOf } from "#domain/country.ts";
import type { EarningsResult } from "#domain/earnings-results.ts";
import { type Instrument, isCompany } from "#domain/instrument.ts";
import { Nullable } from "#domain/schema.ts";
import { addDays } from "#lib/date.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { type CalendarDay, dollars, monthOf, reportsOf, requestDays } from "./calendar-days.ts";
import { NASDAQ_EARNINGS } from "./source.ts";

/** The results of two weeks are requested each time, because Nasdaq fills in some of them days later. */
const SESSIONS_BACK = 10;

const Cell = Type.Optional(Nullable(Type.Union([Type.String(), Type.Number()])));

const SurpriseRow = Type.Object({
  fiscalQtrEnd: Cell,
  dateReported: Cell,
  eps: Cell,
  consensusForecast: Cell,
});

const readSurprises = answerReader(
  NASDAQ_EARNINGS,
  Type.Union([
    Type.Object({
      data: Type.Object({
        earningsSurpriseTable: Nullable(Type.Object({ rows: Nullable(Type.Array(SurpriseRow)) })),
      }),
    }),
    // The answer about an unknown symbol.
    Type.Object({ data: Type.Null(), status: Type.Object({ rCode: Type.Number() }) }),
  ]),
);

/** The results of all US companies that reported in the last sessions, from the calendar. */
export const nasdaqReports = defineFetcher({
  kind: "earningsResults",
  source: NASDAQ_EARNINGS,
  countries: ["US"],
  scope: "country",
  complements: true,
  async fetch(query, client): Promise<CalendarDay[]> {
    const { now, holidayOverrides } = query;
    const today = localDateOf("US", now);
    const start = addDays(today, -2 * SESSIONS_BACK);
    const dates = sessionsBetween("US", start, addDays(today, -1), holidayOverrides);
    return await requestDays(dates.slice(-SESSIONS_BACK), client, query);
  },
  *transform(days) {
    const known = new Set<string>();
    for (const row of reportsOf(days)) {
      const quarterEnd = monthOf(row.fiscalQuarterEnding);
      const epsActual = dollars(row.eps);
      if (quarterEnd === null || epsActual === null || known.has(row.symbol)) continue;
      known.add(row.symbol);
      const epsEstimate = dollars(row.epsForecast);
      const result = { quarterEnd, reportedOn: row.date, epsActual, epsEstimate };
      yield { country: "US", symbol: row.symbol, results: [result] };
    }
    if (known.size === 0) throw NASDAQ_EARNINGS.error("nothing", "no company reported");
  },
});

/** The results of the last four quarters of one US company. */
export const nasdaqSurprises = defineFetcher({
  kind: "earningsResults",
  source: NASDAQ_EARNINGS,
  countries: ["US"],
  scope: "instrument",
  async fetch(query, client) {
    const symbol = encodeURIComponent(companyOf(query).symbol);
    const answer = await client.request(
      `https://api.nasdaq.com/api/company/${symbol}/earnings-surprise`,
    );
    return answer.json();
  },
  transform(answer: unknown, query) {
    const { country, symbol } = companyOf(query);
    const rows = readSurprises(answer).data?.earningsSurpriseTable?.rows ?? [];
    const results = rows.flatMap((row): EarningsResult[] => {
      const quarterEnd = monthOf(textOf(row.fiscalQtrEnd));
      const epsActual = dollars(textOf(row.eps));
      if (quarterEnd === null || epsActual === null) return [];
      const reportedOn = dayOf(textOf(row.dateReported));
      return [
        { quarterEnd, reportedOn, epsActual, epsEstimate: dollars(textOf(row.consensusForecast)) },
      ];
    });
    if (results.length === 0)
      throw NASDAQ_EARNINGS.error("nothing", "it has no past results of the company");
    results.sort((a, b) => a.quarterEnd.localeCompare(b.quarterEnd));
    return [{ country, symbol, results }];
  },
});

const textOf = (cell: string | number | null | undefined) => String(cell ?? "");

/** `3/18/2026` as `2026-03-18`; null for anything else. */
function dayOf(text: string): string | null {
  const [, month = "", day = "", year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text.trim()) ?? [];
  return year === undefined ? null : `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function companyOf({ instrument }: LiveQuery): Instrument {
  if (!instrument || !isCompany(instrument.assetType))
    throw NASDAQ_EARNINGS.error("nothing", "it has results of companies only");
  return instrument;
}
