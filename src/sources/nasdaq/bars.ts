import { Type } from "@sinclair/typebox";
import { lastCompletedSession } from "#analytics/sessions.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { AssetType, Instrument } from "#domain/instrument.ts";
import { Nullable } from "#domain/schema.ts";
import { addDays, addMonths, dateOf } from "#lib/date.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import type { SourceClient } from "#sources/source.ts";
import { NASDAQ } from "./source.ts";

const Cell = Type.Optional(Nullable(Type.String()));

const readHistory = answerReader(
  NASDAQ,
  Type.Object({
    data: Nullable(
      Type.Object({
        symbol: Cell,
        tradesTable: Nullable(
          Type.Object({
            rows: Nullable(
              Type.Array(
                Type.Object({
                  /** `08/21/2026` */
                  date: Type.String(),
                  open: Cell,
                  high: Cell,
                  low: Cell,
                  close: Cell,
                  volume: Cell,
                }),
              ),
            ),
          }),
        ),
      }),
    ),
  }),
);

/** Nasdaq's names of the asset classes with daily prices. */
const CLASSES: ReadonlyMap<AssetType, string> = new Map([
  ["stock", "stocks"],
  ["reit", "stocks"],
  ["etf", "etf"],
]);
const MONTHS_OF_HISTORY = 120;
/** Two sources of one close differ by rounding; a split makes it half or double. */
const SAME_CLOSE = 0.005;

/** An answer, and the stored bars that it continues. */
interface NasdaqHistory {
  readonly stored: readonly DailyBar[];
  readonly answer: unknown;
}

/**
 * Daily bars of US shares and funds, split-adjusted, ten years back. A stored history of any source
 * whose newest close is the same here is kept, and continued.
 */
export const nasdaqBars = defineFetcher({
  kind: "bars",
  source: NASDAQ,
  countries: ["US"],
  scope: "instrument",
  async fetch(query, client): Promise<NasdaqHistory> {
    const instrument = requestedInstrument(query);
    const today = dateOf(query.now);
    const whole = () =>
      requestHistory(client, instrument, addMonths(today, -MONTHS_OF_HISTORY), today);
    const stored = query.storedBars?.() ?? [];
    const newest = stored.at(-1);
    if (!newest) return { stored, answer: await whole() };
    // One day earlier, because a window of one day may be empty.
    const newer = await requestHistory(client, instrument, addDays(newest.date, -1), today);
    return continues(newer, newest)
      ? { stored, answer: newer }
      : { stored: [], answer: await whole() };
  },
  transform({ stored, answer }: NasdaqHistory, query) {
    const { country, symbol } = requestedInstrument(query);
    const newest = lastCompletedSession(country, query.now, query.holidayOverrides);
    const after = stored.at(-1)?.date ?? "";
    const newer = parseBars(answer).filter(({ date }) => date > after && date <= newest);
    if (stored.length + newer.length === 0)
      throw NASDAQ.error("nothing", "it has no bars of the instrument");
    return [{ country, symbol, bars: [...stored, ...newer] }];
  },
});

async function requestHistory(
  client: SourceClient,
  { symbol, assetType }: Instrument,
  from: string,
  to: string,
): Promise<unknown> {
  // A class of shares is written BRK/B, and its slash is escaped in an unusual way.
  const path = encodeURIComponent(symbol.replaceAll(".", "%sl%"));
  const query = `assetclass=${CLASSES.get(assetType)}&fromdate=${from}&todate=${to}&limit=9999`;
  const answer = await client.request(
    `https://api.nasdaq.com/api/quote/${path}/historical?${query}`,
  );
  return answer.json();
}

/** True if the answer has the bar's date with the same close. */
function continues(answer: unknown, { date, close }: DailyBar): boolean {
  const same = parseBars(answer).find((bar) => bar.date === date);
  return same !== undefined && Math.abs(same.close / close - 1) < SAME_CLOSE;
}

/** The bars of an answer, oldest first; rows without all four prices are left out. */
function parseBars(answer: unknown): DailyBar[] {
  const bars = new Map<string, DailyBar>();
  for (const row of readHistory(answer).data?.tradesTable?.rows ?? []) {
    const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(row.date) ?? [];
    if (!month || !day || !year) {
      throw NASDAQ.error("invalid_answer", "a row without a date");
    }
    const [open, high, low, close] = [row.open, row.high, row.low, row.close].map(figureOf);
    if (!open || !high || !low || !close) continue;
    const date = `${year}-${month}-${day}`;
    bars.set(date, {
      date,
      open,
      // Because of rounding, high and low may not include open and close.
      high: Math.max(open, high, low, close),
      low: Math.min(open, high, low, close),
      close,
      volume: figureOf(row.volume),
    });
  }
  return [...bars.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** `$1,412.50` or `45,647,200`; null for `N/A` and other texts that are not figures. */
function figureOf(text: string | null | undefined): number | null {
  const digits = (text ?? "").replaceAll(/[$,\s]/g, "");
  return /^\d+(\.\d+)?$/.test(digits) ? Number(digits) : null;
}

function requestedInstrument({ instrument }: LiveQuery): Instrument {
  if (!instrument || !CLASSES.has(instrument.assetType))
    throw NASDAQ.error("nothing", "it has no bars of the instrument");
  return instrument;
}
