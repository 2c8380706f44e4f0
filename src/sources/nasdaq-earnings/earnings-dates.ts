import { Type } from "@sinclair/typebox";
import { sessionsBetween } from "#analytics/sessions.ts";
import type { EarningsDate } from "#domain/analyst-coverage.ts";
import { localDateOf } from "#domain/country.ts";
import { SYMBOL_PATTERN } from "#domain/instrument.ts";
import { Nullable } from "#domain/schema.ts";
import { addDays } from "#lib/date.ts";
import { lookup } from "#lib/lookup.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { NASDAQ_EARNINGS } from "./source.ts";

const Cell = Type.Optional(Nullable(Type.String()));

const readDay = answerReader(
  NASDAQ_EARNINGS,
  Type.Object({
    data: Type.Object({
      rows: Nullable(
        Type.Array(
          Type.Object({
            symbol: Type.String(),
            time: Cell,
            fiscalQuarterEnding: Cell,
            epsForecast: Cell,
            noOfEsts: Cell,
          }),
        ),
      ),
    }),
  }),
);

const SESSIONS_AHEAD = 20;
const SYMBOL = new RegExp(SYMBOL_PATTERN);
const SESSIONS: Readonly<Record<string, EarningsDate["session"]>> = {
  "time-pre-market": "before_market_open",
  "time-after-hours": "after_market_close",
};

/** The next report of every US company that reports from today to 20 sessions ahead. */
export const nasdaqEarnings = defineFetcher({
  kind: "earningsDates",
  source: NASDAQ_EARNINGS,
  countries: ["US"],
  scope: "country",
  async fetch({ now, holidayOverrides }, client): Promise<{ date: string; answer: unknown }[]> {
    const today = localDateOf("US", now);
    const dates = sessionsBetween(
      "US",
      today,
      addDays(today, 2 * SESSIONS_AHEAD),
      holidayOverrides,
    );
    const days: { date: string; answer: unknown }[] = [];
    for (const date of dates.slice(0, SESSIONS_AHEAD + 1)) {
      const answer = await client.request(
        `https://api.nasdaq.com/api/calendar/earnings?date=${date}`,
        { accept: [404] },
      );
      days.push({ date, answer: answer.status === 404 ? null : await answer.json() });
    }
    return days;
  },
  *transform(days) {
    const known = new Set<string>();
    for (const { date, answer } of [...days].sort((a, b) => (a.date < b.date ? -1 : 1))) {
      if (answer === null) continue;
      for (const row of readDay(answer).data.rows ?? []) {
        // Classes of shares are written BRK.B or BRK/B here, BRK.B in the catalog.
        const symbol = row.symbol.trim().toUpperCase().replaceAll("/", ".");
        if (!SYMBOL.test(symbol) || known.has(symbol)) continue;
        known.add(symbol);
        const analysts = /^\d{1,4}$/.test(row.noOfEsts ?? "") ? Number(row.noOfEsts) : null;
        yield {
          country: "US",
          symbol,
          date,
          session: lookup(SESSIONS, row.time ?? "") ?? "not_supplied",
          fiscalPeriod: fiscalPeriod(row.fiscalQuarterEnding ?? ""),
          epsEstimate: dollars(row.epsForecast ?? ""),
          revenueEstimate: null,
          analysts,
        };
      }
    }
    if (known.size === 0) throw NASDAQ_EARNINGS.error("nothing", "no report is announced");
  },
});

/** `$1,234.50`, `($0.29)` or `(0.29)` for a loss; null for anything else. */
function dollars(text: string): number | null {
  const match = /^(-|\()?\$?(\d[\d,]*(?:\.\d+)?|\.\d+)\)?$/.exec(text.trim());
  if (!match) return null;
  const amount = Number((match[2] ?? "").replaceAll(",", ""));
  return match[1] === undefined || amount === 0 ? amount : -amount;
}

/** `May/2024`, the month in which the fiscal quarter ends, as `May 2024`; null for anything else. */
function fiscalPeriod(text: string): string | null {
  const match = /^([A-Z][a-z]{2})\/(\d{4})$/.exec(text.trim());
  return match ? `${match[1]} ${match[2]}` : null;
}
