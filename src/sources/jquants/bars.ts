import { lastCompletedSession } from "#analytics/sessions.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { figureOf } from "./answer.ts";
import { readDays, requestDays, tradedOf } from "./days.ts";
import { JQUANTS } from "./source.ts";
import { splitsIn } from "./splits.ts";

/**
 * Daily bars in yen, adjusted for splits and rights issues (to 0.1 yen): those newer than `after`,
 * or the whole history of the plan if nothing is stored or a split has made the stored prices wrong.
 * The free plan has two years up to 12 weeks ago, so every source of fresh prices is preferred. A
 * day without trades has no bar.
 */
export const jquantsBars = defineFetcher({
  kind: "bars",
  source: JQUANTS,
  countries: ["JP"],
  scope: "instrument",
  fetch: requestDays,
  transform(pages: readonly unknown[], { instrument, now, after, holidayOverrides }) {
    const { country, symbol } = tradedOf(instrument);
    const newest = lastCompletedSession("JP", now, holidayOverrides);
    const bars = new Map<string, DailyBar>();
    let isWhole = after === null;
    for (const row of readDays(pages, symbol)) {
      const date = row.Date;
      if (date > newest) continue;
      if (after !== null && date > after && (figureOf(row.AdjFactor) ?? 1) !== 1) isWhole = true;
      const [open, high, low, close] = [row.AdjO, row.AdjH, row.AdjL, row.AdjC].map(figureOf);
      if (!isPrice(open) || !isPrice(high) || !isPrice(low) || !isPrice(close)) continue;
      const volume = figureOf(row.AdjVo) ?? -1;
      bars.set(date, { date, open, high, low, close, volume: volume >= 0 ? volume : null });
    }
    if (bars.size === 0) throw JQUANTS.error("nothing", "it has no data for the request");
    const sorted = [...bars.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
    return [
      { country, symbol, bars: sorted.filter(({ date }) => isWhole || date > (after ?? "")) },
    ];
  },
  others(pages: readonly unknown[], query) {
    const instrument = tradedOf(query.instrument);
    const splits = splitsIn(readDays(pages, instrument.symbol), instrument, query);
    return [{ kind: "splits", records: [splits] }];
  },
});

function isPrice(figure: number | null | undefined): figure is number {
  return figure !== null && figure !== undefined && figure > 0;
}
