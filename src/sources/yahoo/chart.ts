import { type Static, Type } from "@sinclair/typebox";
import type { Instrument } from "#domain/instrument.ts";
import { Nullable } from "#domain/schema.ts";
import type { Split } from "#domain/split.ts";
import { answerReader, checkRowCount } from "#sources/check-answer.ts";
import type { SourceClient } from "#sources/source.ts";
import { checkSymbol, datesIn, Epoch, resultsOf, Text } from "./answer.ts";
import { YAHOO, YAHOO_API } from "./source.ts";
import { yahooSymbol } from "./symbol.ts";

const Shares = Type.Optional(Nullable(Type.Number()));
const Column = Type.Optional(Type.Array(Nullable(Type.Number())));

const Payment = Type.Object({
  date: Epoch,
  amount: Type.Number(),
  /** Missing or empty if it is the currency of the prices. */
  currency: Text,
});

const ListedSplit = Type.Object({ date: Epoch, numerator: Shares, denominator: Shares });

const Chart = Type.Object({
  meta: Type.Object({
    symbol: Type.String(),
    currency: Text,
    exchangeTimezoneName: Type.String(),
    dataGranularity: Text,
  }),
  timestamp: Type.Optional(Type.Array(Epoch)),
  events: Type.Optional(
    Type.Object({
      dividends: Type.Optional(Type.Record(Type.String(), Payment)),
      /** Capital gains of funds. A dividend of the same day contains them. */
      capitalGains: Type.Optional(Type.Record(Type.String(), Payment)),
      splits: Type.Optional(Type.Record(Type.String(), ListedSplit)),
    }),
  ),
  indicators: Type.Object({
    quote: Type.Array(
      Type.Object({ open: Column, high: Column, low: Column, close: Column, volume: Column }),
      { minItems: 1 },
    ),
  }),
});
const readChart = answerReader(YAHOO, Chart);

/** Prices over time with the dividends and splits among them. */
export type Chart = Static<typeof Chart>;

/**
 * Requests the prices of an instrument from `fromMs` to `toMs` (UTC milliseconds), or reuses an answer of at
 * most `maxAgeMs`; no session needed.
 */
export async function requestChart(
  client: SourceClient,
  instrument: Pick<Instrument, "country" | "symbol" | "assetType">,
  {
    fromMs,
    toMs,
    interval,
    maxAgeMs,
  }: { fromMs: number; toMs: number; interval: "1d" | "1mo"; maxAgeMs?: number },
): Promise<unknown> {
  const symbol = yahooSymbol(instrument);
  const events = instrument.assetType === "etf" ? "div%7Csplit%7CcapitalGains" : "div%7Csplit";
  const seconds = (ms: number) => Math.floor(ms / 1000);
  const answer = await client.request(
    `${YAHOO_API}/v8/finance/chart/${encodeURIComponent(symbol)}?period1=${seconds(fromMs)}&period2=${seconds(toMs)}&interval=${interval}&events=${events}`,
    { accept: [400, 404], ...(maxAgeMs !== undefined && { maxAgeMs }) },
  );
  return answer.json();
}

/** The one chart in an answer. @throws SourceError */
export function parseChart(raw: unknown, symbol: string): Chart {
  const results = resultsOf(raw, "chart");
  if (results.length !== 1) throw YAHOO.error("invalid_answer", "the answer is not one chart");
  const chart = readChart(results[0]);
  checkSymbol(chart.meta.symbol, symbol);
  checkRowCount(YAHOO, chart.timestamp?.length ?? 0);
  return chart;
}

/** The splits of a chart whose ratios are known, oldest first. */
export function splitsIn({ events, meta }: Chart): Split[] {
  const dateAt = datesIn(meta.exchangeTimezoneName);
  return Object.values(events?.splits ?? {})
    .filter(hasRatio)
    .filter(({ numerator, denominator }) => numerator !== denominator)
    .map(({ date, numerator, denominator }) => ({ exDate: dateAt(date), numerator, denominator }))
    .sort((a, b) => a.exDate.localeCompare(b.exDate));
}

/** False if a split of the chart has no ratio, such as 0 for 0. */
export const knowsAllSplits = ({ events }: Chart): boolean =>
  Object.values(events?.splits ?? {}).every(hasRatio);

type ListedSplit = Static<typeof ListedSplit>;

const hasRatio = (split: ListedSplit): split is { [K in keyof ListedSplit]-?: number } =>
  (split.numerator ?? 0) > 0 && (split.denominator ?? 0) > 0;

/** The ex-date of the newest split up to today: Yahoo's prices and dividends before it are adjusted, also before the opening. */
export function newestSplit(chart: Chart, now: number): string {
  const today = datesIn(chart.meta.exchangeTimezoneName)(now / 1000);
  const past = splitsIn(chart).filter(({ exDate }) => exDate <= today);
  return past.at(-1)?.exDate ?? "";
}
