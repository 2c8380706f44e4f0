import { formatDate, formatNumber, formatPercent } from "#console/app/format.ts";
import type { Bar, Point } from "#console/app/parts/chart-data.ts";
import type { ChartSeries, Mark } from "#console/app/parts/chart-drawing.ts";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import type { PayloadOf } from "#operations/index.ts";
import type { Choice } from "./chart-choice.tsx";
import type { Extras } from "./chart-extra-lines.ts";

type History = PayloadOf<"get_stock_price_history">;
/** RSI and MACD at each date. */
export type IndicatorLines = AnswerTo<"GET indicator-lines">;

/** The bars of an answer, oldest first. */
export const barsOf = ({ bars }: History): Bar[] => (bars ? rowsOf(bars).map(toBar) : []);

function toBar(row: Row): Bar {
  return {
    date: textIn(row, "date"),
    open: Number(row["open"]),
    high: Number(row["high"]),
    low: Number(row["low"]),
    close: Number(row["close"]),
    volume: numberIn(row, "volume"),
  };
}

/** A line on the prices. */
export interface Line {
  readonly name: string;
  readonly color: number;
  readonly isThin: boolean;
  readonly points: readonly Point[];
  /** The close that is 0% in a comparison, and its date. */
  readonly base: { readonly date: string; readonly close: number };
  readonly format: (price: number | undefined) => string;
}

/** What the chart draws: prices and lines on them, volume, and a pane for each indicator. */
export function seriesOf(
  bars: readonly Bar[],
  choice: Choice,
  lines: readonly Pick<Line, "points" | "color" | "isThin">[],
  indicators: IndicatorLines | null,
  decimals: number,
  extraPanes: Extras["panes"],
): ChartSeries[] {
  const closes = bars.map(({ date, close }) => ({ date, value: close }));
  const hasVolume = bars.some(({ volume }) => volume !== null);
  const belowPrices: ((pane: number) => ChartSeries[])[] = [
    ...(hasVolume ? [(pane: number) => [{ kind: "volume", bars, pane } as const]] : []),
    ...choice.panes.map(
      (name) => (pane: number) => indicatorSeries(name, indicators, pane, decimals),
    ),
    ...extraPanes.map(({ points, color, decimals: digits }) => (pane: number) => [
      { kind: "line", pane, color, points, isThin: true, decimals: digits } as const,
    ]),
  ];
  return [
    choice.kind === "Candles"
      ? { kind: "candles", bars }
      : { kind: "line", points: closes, color: 1 },
    ...lines.map((one) => ({ ...one, kind: "line" }) as const),
    ...belowPrices.flatMap((make, i) => make(i + 1)),
  ];
}

/** The decimals of MACD, which is a small difference of prices. @param decimals of the prices */
export const macdDecimals = (decimals: number) => (decimals > 2 ? decimals + 2 : 2);

function indicatorSeries(
  name: Choice["panes"][number],
  indicators: IndicatorLines | null,
  pane: number,
  decimals: number,
): ChartSeries[] {
  const line = (key: "rsi" | "macd" | "signal", color: number, levels: readonly number[]) =>
    ({
      kind: "line",
      pane,
      color,
      levels,
      isThin: true,
      decimals: key === "rsi" ? 0 : macdDecimals(decimals),
      points: pointsOf(indicators, key),
    }) as const;
  return name === "rsi"
    ? [line("rsi", 3, [30, 70])]
    : [line("macd", 1, [0]), line("signal", 2, [])];
}

function pointsOf(lines: IndicatorLines | null, key: "rsi" | "macd" | "signal"): Point[] {
  return (lines?.dates ?? []).map((date, i) => {
    const value = lines?.[key][i] ?? null;
    return value === null ? { date } : { date, value };
  });
}

/** Something that happened to the company, at the first bar that includes its day. */
export interface ChartEvent extends Mark {
  readonly text: string;
}

/** The dividends, splits and earnings of the period of the bars. */
export function eventsOf(
  bars: readonly Bar[],
  { dividends, splits }: Pick<History, "dividends" | "splits">,
  surprises: PayloadOf<"get_stock_forecast">["surprises"] = [],
): ChartEvent[] {
  const paid = (dividends ? rowsOf(dividends) : []).map((row) => ({
    day: textIn(row, "ex_date"),
    letter: "D",
    color: 1,
    text: t("Dividend {amount}", { amount: formatNumber(numberIn(row, "amount"), 4) }),
  }));
  const split = (splits ? rowsOf(splits) : []).map((row) => ({
    day: textIn(row, "ex_date"),
    letter: "S",
    color: 2,
    text: t("Split {ratio}", { ratio: `${row["numerator"]}:${row["denominator"]}` }),
  }));
  const reported = surprises.map((one) => ({
    day: one.reported_on ?? "",
    letter: "E",
    color: 3,
    text: t("Earnings per share {amount}, {percent} against the estimate", {
      amount: formatNumber(one.eps_actual),
      percent: formatPercent(one.surprise_percent),
    }),
  }));
  const first = bars[0]?.date ?? "";
  return [...paid, ...split, ...reported]
    .filter(({ day }) => day >= first)
    .flatMap(({ day, ...event }) => {
      const bar = bars.find(({ date }) => date >= day);
      return bar ? [{ ...event, date: bar.date, text: `${formatDate(day)}: ${event.text}` }] : [];
    })
    .sort((a, b) => a.date.localeCompare(b.date));
}
