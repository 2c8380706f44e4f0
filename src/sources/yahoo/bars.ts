import { isSession, lastCompletedSession } from "#analytics/sessions.ts";
import { repairBars } from "#analytics/split-repair.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { isShare } from "#domain/instrument.ts";
import { addDays } from "#lib/date.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { datesIn, priceOf, unitsPerCurrency } from "./answer.ts";
import { type Chart, newestSplit, parseChart, requestChart, splitsIn } from "./chart.ts";
import { eventsIn } from "./events.ts";
import { YAHOO } from "./source.ts";
import { instrumentOf, yahooSymbol } from "./symbol.ts";

/**
 * Daily bars, adjusted for splits but not for dividends: those newer than `after`, or the whole
 * history if nothing is stored or a split has made the stored prices wrong. Bars that Yahoo has not adjusted
 * for a split of the answer are divided. A bar without four
 * prices above 0 is left out, and a day without trades that was filled forward. High and low are
 * widened to include open and close.
 */
export const yahooBars = defineFetcher({
  kind: "bars",
  source: YAHOO,
  countries: ["US", "JP", "VN"],
  scope: "instrument",
  async fetch(query, client) {
    const instrument = instrumentOf(query);
    const requestFrom = (fromMs: number) =>
      requestChart(client, instrument, { fromMs, toMs: query.now, interval: "1d" });
    if (query.after === null) return { whole: true, answer: await requestFrom(0) };
    // From `after` itself: a day may begin before midnight UTC, and a window without any session
    // would be answered with an error.
    const newer = await requestFrom(Date.parse(query.after));
    return hasSplit(newer)
      ? { whole: true, answer: await requestFrom(0) }
      : { whole: false, answer: newer };
  },
  transform({ whole, answer }: { whole: boolean; answer: unknown }, query) {
    const instrument = instrumentOf(query);
    const chart = parseChart(answer, yahooSymbol(instrument));
    // If the span is too long, Yahoo answers with longer bars than requested.
    if ((chart.meta.dataGranularity ?? "1d") !== "1d") {
      throw YAHOO.error("invalid_answer", "the bars are not of one day each");
    }
    const adjusted = repairBars(completedBars(chart, query), splitsIn(chart));
    const bars = adjusted.filter(({ date }) => whole || query.after === null || date > query.after);
    if (whole && bars.length === 0) throw YAHOO.error("nothing", "it has no bar of the symbol");
    const { country, symbol } = instrument;
    const sharesAsOf = maxOf(bars.at(-1)?.date ?? "", newestSplit(chart, query.now));
    return [{ country, symbol, ...(whole && { sharesAsOf }), bars }];
  },
  others({ whole, answer }: { whole: boolean; answer: unknown }, query) {
    const instrument = instrumentOf(query);
    if (!whole || !isShare(instrument.assetType)) return [];
    return eventsIn(parseChart(answer, yahooSymbol(instrument)), instrument, query.now);
  },
});

const maxOf = (a: string, b: string) => (a > b ? a : b);

/** True if an answer has a split. `transform` refuses an answer in another form. */
function hasSplit(answer: unknown): boolean {
  const { chart } = (answer ?? {}) as {
    chart?: { result?: { events?: { splits?: object } }[] | null };
  };
  return Object.keys(chart?.result?.[0]?.events?.splits ?? {}).length > 0;
}

/** The bars of the sessions that are over, oldest first, no date twice. */
function completedBars(chart: Chart, query: LiveQuery): DailyBar[] {
  const instrument = instrumentOf(query);
  const perCurrency = unitsPerCurrency(chart.meta.currency, instrument);
  const dateAt = datesIn(chart.meta.exchangeTimezoneName);
  const hasSessions = isShare(instrument.assetType) || instrument.assetType === "index";
  const newest = hasSessions
    ? lastCompletedSession(instrument.country, query.now, query.holidayOverrides)
    : addDays(dateAt(query.now / 1000), -1);
  const times = chart.timestamp ?? [];
  const [quote] = chart.indicators.quote;
  const column = (name: "open" | "high" | "low" | "close" | "volume") => {
    const values = quote?.[name] ?? [];
    if (values.length !== times.length) {
      throw YAHOO.error("invalid_answer", `the chart does not have one ${name} for each time`);
    }
    return values;
  };
  const [opens, highs, lows, closes, volumes] = [
    column("open"),
    column("high"),
    column("low"),
    column("close"),
    column("volume"),
  ];

  const byDate = new Map<string, DailyBar>();
  let previousClose: number | null = null;
  for (const [i, time] of times.entries()) {
    const date = dateAt(time);
    if (date > newest) continue;
    const prices = [opens[i], highs[i], lows[i], closes[i]].map((price) =>
      price === null || price === undefined ? Number.NaN : priceOf(price, perCurrency),
    );
    if (!prices.every((price) => price > 0)) continue;
    const [open, , , close] = prices as [number, number, number, number];
    const [low, high] = [Math.min(...prices), Math.max(...prices)];
    const volume = volumes[i] ?? null;
    const isFilledForward =
      low === high &&
      close === previousClose &&
      !volume &&
      (isShare(instrument.assetType) ||
        (hasSessions && !isSession(instrument.country, date, query.holidayOverrides)));
    if (isFilledForward) continue;
    previousClose = close;
    // Only instruments of one exchange have a volume; for others Yahoo writes 0.
    byDate.set(date, { date, open, high, low, close, volume: volumeOf(volume, instrument) });
  }
  return [...byDate.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** The volume, or null if Yahoo gives none: 0 for currencies and for indices without a volume. */
export function volumeOf(
  volume: number | null,
  { assetType }: { assetType: string },
): number | null {
  if (volume === null || volume < 0) return null;
  return volume === 0 && (assetType === "currency" || assetType === "index") ? null : volume;
}
