import { Type } from "@sinclair/typebox";
import { lastCompletedSession } from "#analytics/sessions.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { AssetType, Instrument } from "#domain/instrument.ts";
import { DateText } from "#domain/schema.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { requestPages, codeOf, Figure, figureOf, rowsReader } from "./answer.ts";
import { JQUANTS } from "./source.ts";

const readRows = rowsReader(
  Type.Object({
    Date: DateText,
    Code: Type.String(),
    /** 0.5 on the day from which one share is two; 1 on all others. */
    AdjFactor: Figure,
    AdjO: Figure,
    AdjH: Figure,
    AdjL: Figure,
    AdjC: Figure,
    AdjVo: Figure,
  }),
);

const TRADED: ReadonlySet<AssetType> = new Set(["etf", "reit", "stock"]);

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
  // No start date: the service refuses one outside the span of the plan.
  fetch: ({ instrument }, client) =>
    requestPages(client, `/equities/bars/daily?code=${codeOf(tradedOf(instrument).symbol)}`),
  transform(pages: readonly unknown[], { instrument, now, after, holidayOverrides }) {
    const { country, symbol } = tradedOf(instrument);
    const newest = lastCompletedSession("JP", now, holidayOverrides);
    const bars = new Map<string, DailyBar>();
    let isWhole = after === null;
    for (const row of readRows(pages)) {
      if (row.Code !== codeOf(symbol))
        throw JQUANTS.error("invalid_answer", "the answer is about another code");
      const date = row.Date;
      if (date > newest) continue;
      if (after !== null && date > after && (figureOf(row.AdjFactor) ?? 1) !== 1) isWhole = true;
      const [open, high, low, close] = [row.AdjO, row.AdjH, row.AdjL, row.AdjC].map(figureOf);
      if (!isPrice(open) || !isPrice(high) || !isPrice(low) || !isPrice(close)) continue;
      const volume = figureOf(row.AdjVo);
      bars.set(date, {
        date,
        open,
        high,
        low,
        close,
        volume: volume !== null && volume >= 0 ? volume : null,
      });
    }
    if (bars.size === 0) throw JQUANTS.error("nothing", "it has no data for the request");
    const sorted = [...bars.values()].sort((a, b) => (a.date < b.date ? -1 : 1));
    return [
      { country, symbol, bars: sorted.filter(({ date }) => isWhole || date > (after ?? "")) },
    ];
  },
});

function isPrice(figure: number | null | undefined): figure is number {
  return figure !== null && figure !== undefined && figure > 0;
}

function tradedOf(instrument: Instrument | null): Instrument {
  if (!instrument || !TRADED.has(instrument.assetType))
    throw JQUANTS.error("nothing", "it has no data for the request");
  return instrument;
}
