import { Type } from "@sinclair/typebox";
import { SYMBOL_PATTERN } from "#domain/instrument.ts";
import { Nullable, type Static } from "#domain/schema.ts";
import { MONTH_NAMES } from "#lib/date.ts";
import { answerReader } from "#sources/check-answer.ts";
import type { LiveQuery } from "#sources/fetcher.ts";
import type { SourceClient } from "#sources/source.ts";
import { NASDAQ_EARNINGS } from "./source.ts";

const Cell = Type.Optional(Nullable(Type.String()));

const Row = Type.Object({
  symbol: Type.String(),
  time: Cell,
  fiscalQuarterEnding: Cell,
  epsForecast: Cell,
  noOfEsts: Cell,
  /** Only on days that are over. */
  eps: Cell,
});

const readDay = answerReader(
  NASDAQ_EARNINGS,
  Type.Object({ data: Type.Object({ rows: Nullable(Type.Array(Row)) }) }),
);

const SYMBOL = new RegExp(SYMBOL_PATTERN);

/** The answer about the reports of a day; null if the page has no reports for it. */
export interface CalendarDay {
  readonly date: string;
  readonly answer: unknown;
}

/** Requests the reports of each day; of a probe until a day has some. */
export async function requestDays(
  dates: readonly string[],
  client: SourceClient,
  { isProbe }: LiveQuery,
): Promise<CalendarDay[]> {
  const days: CalendarDay[] = [];
  for (const date of dates) {
    const answer = await client.request(
      `https://api.nasdaq.com/api/calendar/earnings?date=${date}`,
      { accept: [404] },
    );
    days.push({ date, answer: answer.status === 404 ? null : await answer.json() });
    if (isProbe && !reportsOf(days).next().done) break;
  }
  return days;
}

/** The reports of these days, the earliest day first, with the symbols of the catalog. @throws SourceError */
export function* reportsOf(
  days: readonly CalendarDay[],
): Generator<Static<typeof Row> & { date: string }> {
  for (const { date, answer } of days.toSorted((a, b) => a.date.localeCompare(b.date))) {
    if (answer === null) continue;
    for (const row of readDay(answer).data.rows ?? []) {
      // Classes of shares are written BRK.B or BRK/B here, BRK.B in the catalog.
      const symbol = row.symbol.trim().toUpperCase().replaceAll("/", ".");
      if (SYMBOL.test(symbol)) yield { ...row, symbol, date };
    }
  }
}

/** `$1,234.50`, `($0.29)` or `(0.29)` for a loss; null for anything else. */
export function dollars(text: string | null | undefined): number | null {
  const match = /^(-|\()?\$?(\d[\d,]*(?:\.\d+)?|\.\d+)\)?$/.exec((text ?? "").trim());
  if (!match) return null;
  const amount = Number((match[2] ?? "").replaceAll(",", ""));
  return match[1] === undefined || amount === 0 ? amount : -amount;
}

/** The month in which a fiscal quarter ends, written `May/2024` or `May 2024`, as `2024-05`; null for anything else. */
export function monthOf(text: string | null | undefined): string | null {
  const [, name = "", year = ""] = /^([A-Z][a-z]{2})[/ ](\d{4})$/.exec((text ?? "").trim()) ?? [];
  const month = MONTH_NAMES.indexOf(name) + 1;
  return month === 0 ? null : `${year}-${String(month).padStart(2, "0")}`;
}
