import { Type } from "@sinclair/typebox";
import { lastCompletedSession } from "#analytics/sessions.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { AssetType } from "#domain/instrument.ts";
import { Nullable } from "#domain/schema.ts";
import { dateOf } from "#lib/date.ts";
import { answerReader, checkRowCount } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { ENTRADE } from "./source.ts";

const Column = Type.Array(Nullable(Type.Number()));

const readAnswer = answerReader(
  ENTRADE,
  Type.Object({
    t: Nullable(Type.Array(Type.Integer({ minimum: 0, maximum: 10_000_000_000 }))),
    o: Nullable(Column),
    h: Nullable(Column),
    l: Nullable(Column),
    c: Nullable(Column),
    v: Nullable(Column),
  }),
);

/** The chart that has an asset type. Other types have no chart and are not requested. */
const CHARTS: Partial<Record<AssetType, "stock" | "index">> = {
  stock: "stock",
  etf: "stock",
  reit: "stock",
  index: "index",
};

/** 2000-01-01, before Viet Nam's first session. */
const BEGINNING_SECONDS = 946_684_800;
const VIETNAM_OFFSET_MS = 7 * 3_600_000;

/**
 * The whole history of daily bars, split-adjusted, in VND (index points for an index). Every answer
 * has all of it, because a share dividend changes every older bar.
 */
export const entradeBars = defineFetcher({
  kind: "bars",
  source: ENTRADE,
  countries: ["VN"],
  scope: "instrument",
  async fetch({ instrument, now }, client): Promise<unknown> {
    const chart = instrument && CHARTS[instrument.assetType];
    if (!chart) throw ENTRADE.error("nothing", "it has no bars of the instrument");
    const query = new URLSearchParams({
      symbol: instrument.symbol,
      resolution: "1D",
      from: String(BEGINNING_SECONDS),
      to: String(Math.floor(now / 1000)),
    });
    const answer = await client.request(
      `https://services.entrade.com.vn/chart-api/v2/ohlcs/${chart}?${query.toString()}`,
      { accept: [400, 404] },
    );
    // It answers so for an unknown symbol.
    if (answer.status !== 200) throw ENTRADE.error("nothing", "it has no bars of the instrument");
    return answer.json();
  },
  *transform(raw, { instrument, now, holidayOverrides }) {
    const { t, o, h, l, c, v } = readAnswer(raw);
    if (!instrument || !t?.length)
      throw ENTRADE.error("nothing", "it has no bars of the instrument");
    checkRowCount(ENTRADE, t.length);
    if ([o, h, l, c, v].some((column) => column?.length !== t.length)) {
      throw ENTRADE.error("invalid_answer", "its columns differ in length");
    }
    // Prices of shares are in thousand VND.
    const unit = instrument.assetType === "index" ? 1 : 1_000;
    const newest = lastCompletedSession("VN", now, holidayOverrides);
    const bars = new Map<string, DailyBar>();
    for (const [i, seconds] of t.entries()) {
      const date = dateOf(seconds * 1000 + VIETNAM_OFFSET_MS);
      const [open, high, low, close] = [o, h, l, c].map((column) => priceOf(column?.[i], unit));
      if (date > newest || !open || !high || !low || !close) continue;
      const volume = v?.[i] ?? -1;
      bars.set(date, { date, open, high, low, close, volume: volume >= 0 ? volume : null });
    }
    if (bars.size === 0) throw ENTRADE.error("nothing", "it has no bars of the instrument");
    yield {
      country: instrument.country,
      symbol: instrument.symbol,
      bars: [...bars.values()].sort((a, b) => (a.date < b.date ? -1 : 1)),
    };
  },
});

/** A price above zero without the noise of binary fractions; null if there is no price. */
function priceOf(figure: number | null | undefined, unit: number): number | null {
  if (figure === null || figure === undefined || figure <= 0) return null;
  return Math.round(figure * unit * 1000) / 1000 || null;
}
