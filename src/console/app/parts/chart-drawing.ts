import {
  CandlestickSeries,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  PriceScaleMode,
  type SeriesType,
  TickMarkType,
  type Time,
} from "lightweight-charts";
import {
  formatDate,
  formatNumber,
  formatPercent,
  formatShort,
  localeNow,
} from "#console/app/format.ts";
import { settings } from "#console/app/user-settings.ts";
import { axisText } from "./axis-text.ts";
import type { Bar, Point } from "./chart-data.ts";

/** What a chart draws. The colour of a line is the number of a `--series-…` colour. */
export type ChartSeries =
  | { readonly kind: "candles"; readonly bars: readonly Bar[] }
  | { readonly kind: "volume"; readonly bars: readonly Bar[]; readonly pane: number }
  | {
      readonly kind: "line";
      readonly points: readonly Point[];
      readonly color: number;
      readonly isThin?: boolean;
      /** Stands at the end of the line, beside its newest value; such labels do not overlap. */
      readonly title?: string;
      /** Below the prices, from 1; each pane has its own axis. */
      readonly pane?: number;
      /** Levels that are drawn as dashed lines. */
      readonly levels?: readonly number[];
      /** If they differ from the prices'. */
      readonly decimals?: number;
    };

/** The axis of the prices, which can be percentages. */
export type Scale = "linear" | "log" | "percent";

/** A letter at a date of the first series. */
export interface Mark {
  readonly date: string;
  readonly letter: string;
  readonly color: number;
}

/** A chart with what is drawn in it. */
export interface Drawn {
  readonly chart: IChartApi;
  series: ISeriesApi<SeriesType>[];
}

type Colors = Readonly<Record<"text" | "muted" | "line" | "gain" | "loss" | "surface", string>> & {
  readonly series: (number: number) => string;
  readonly font: string;
};

/** The colours of the page's style sheet as they are now, in a form that the chart library reads. */
export function readColors(element: HTMLElement): Colors {
  const probe = document.createElement("span");
  // All colours are set before the first is read, so that the browser computes styles once.
  const add = (name: string) => {
    const swatch = document.createElement("span");
    swatch.style.color = `var(--${name})`;
    probe.append(swatch);
    return getComputedStyle(swatch);
  };
  const names = ["text", "muted", "line", "gain", "loss", "surface"];
  const [text, muted, line, gain, loss, surface] = names.map(add);
  const series = Array.from({ length: 10 }, (_, i) => add(`series-${i + 1}`));
  element.append(probe);
  const read = (style: CSSStyleDeclaration | undefined) => style?.color ?? "";
  const numbered = series.map(read);
  const colors = {
    text: read(text),
    muted: read(muted),
    line: read(line),
    gain: read(gain),
    loss: read(loss),
    surface: read(surface),
    series: (number: number) => numbered[number - 1] ?? "",
    font: getComputedStyle(element).fontFamily,
  };
  probe.remove();
  return colors;
}

/** `rgb(1, 2, 3)` with an opacity. */
const fade = (color: string, alpha: number) =>
  color.replace("rgb(", "rgba(").replace(")", `, ${alpha})`);

/** What begins at a mark of the axis; days are not listed. */
const UNITS: Readonly<Partial<Record<TickMarkType, "year" | "month">>> = {
  [TickMarkType.Year]: "year",
  [TickMarkType.Month]: "month",
};

/** Draws series and marks in place of the earlier ones. */
export function draw(
  drawn: Drawn,
  { series, marks, decimals, scale }: Content,
  colors: Colors,
): void {
  const { chart } = drawn;
  chart.applyOptions({
    layout: {
      // Not transparent, for the picture.
      background: { color: colors.surface },
      textColor: colors.muted,
      fontFamily: colors.font,
      fontSize: 12,
      panes: { separatorColor: colors.line, enableResize: false },
    },
    grid: {
      vertLines: { color: fade(colors.line, 0.6) },
      horzLines: { color: fade(colors.line, 0.6) },
    },
    rightPriceScale: {
      borderColor: colors.line,
      scaleMargins: { top: 0.06, bottom: 0.06 },
      entireTextOnly: true,
    },
    timeScale: {
      borderColor: colors.line,
      minBarSpacing: 0.2,
      lockVisibleTimeRangeOnResize: true,
      // All times are dates as texts.
      tickMarkFormatter: (time: Time, type: TickMarkType) =>
        axisText(time as string, UNITS[type] ?? "day"),
    },
    crosshair: { mode: 0 },
    localization: { locale: localeNow(), timeFormatter: formatDate as (time: Time) => string },
    // The wheel and vertical drags scroll the page.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  });
  for (const one of drawn.series) chart.removeSeries(one);
  drawn.series = series.map((one) => addSeries(chart, one, colors, decimals, scale));
  const [first] = drawn.series;
  if (first) addMarks(first, marks, colors);
  for (const [number, pane] of chart.panes().entries()) pane.setStretchFactor(number === 0 ? 4 : 1);
  setScales(chart, scale);
}

/** What {@link draw} draws. */
interface Content {
  readonly series: readonly ChartSeries[];
  readonly marks: readonly Mark[];
  readonly decimals: number;
  readonly scale: Scale;
}

function addMarks(to: ISeriesApi<SeriesType>, marks: readonly Mark[], colors: Colors): void {
  createSeriesMarkers(
    to,
    marks.map(({ date, letter, color }) => ({
      time: date,
      position: "belowBar",
      shape: "circle",
      size: 0.6,
      color: colors.series(color),
      text: letter,
    })),
  );
}

const percentText = (percent: number) => formatPercent(percent);

function addSeries(
  chart: IChartApi,
  one: ChartSeries,
  colors: Colors,
  decimals: number,
  scale: Scale,
): ISeriesApi<SeriesType> {
  const formatOf = (digits: number, pane = 0) => {
    const isPercent = scale === "percent" && pane === 0;
    return {
      type: "custom",
      formatter: isPercent ? percentText : (price: number) => formatNumber(price, digits),
      minMove: isPercent ? 0.01 : 10 ** -digits,
    } as const;
  };
  if (one.kind === "candles") {
    const { gain, loss } = colors;
    const added = chart.addSeries(CandlestickSeries, {
      priceFormat: formatOf(decimals),
      priceLineColor: colors.muted,
      upColor: settings.value.candles === "hollow" ? "transparent" : gain,
      borderUpColor: gain,
      wickUpColor: gain,
      downColor: loss,
      borderDownColor: loss,
      wickDownColor: loss,
    });
    added.setData(one.bars.map(({ date, ...prices }) => ({ time: date, ...prices })));
    return added;
  }
  if (one.kind === "volume") {
    const options = {
      priceFormat: { type: "custom", formatter: formatShort, minMove: 1 },
      lastValueVisible: false,
      priceLineVisible: false,
    } as const;
    const added = chart.addSeries(HistogramSeries, options, one.pane);
    const [up, down] = [fade(colors.gain, 0.4), fade(colors.loss, 0.4)];
    added.setData(
      one.bars.map(({ date, open, close, volume }) =>
        volume === null
          ? { time: date }
          : { time: date, value: volume, color: close < open ? down : up },
      ),
    );
    return added;
  }
  const added = chart.addSeries(
    LineSeries,
    {
      priceFormat: formatOf(one.decimals ?? decimals, one.pane),
      color: colors.series(one.color),
      lineWidth: one.isThin ? 1 : 2,
      priceLineVisible: false,
      lastValueVisible: !one.isThin,
      title: one.title ?? "",
      crosshairMarkerVisible: !one.isThin,
    },
    one.pane ?? 0,
  );
  for (const price of one.levels ?? []) {
    added.createPriceLine({ price, color: colors.muted, lineWidth: 1, axisLabelVisible: false });
  }
  added.setData(
    one.points.map(({ date, value }) =>
      value === undefined ? { time: date } : { time: date, value },
    ),
  );
  return added;
}

/** The scale of prices; those below stay linear. The library gives a new pane the mode of the first one. */
function setScales(chart: IChartApi, scale: Scale): void {
  const { Logarithmic, Normal } = PriceScaleMode;
  const first = scale === "log" ? Logarithmic : Normal;
  for (const [pane] of chart.panes().entries()) {
    chart.priceScale("right", pane).applyOptions({ mode: pane === 0 ? first : Normal });
  }
}

/** The bars of a chart that are visible, as places in its dates: from the left edge to the right one. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The width of the axis, and of the names at the ends of lines, in pixels. */
const AXIS_WIDTH = 60;
const NAMES_WIDTH = 60;

/** The window from the date `from` to the newest one; null without such a date. @param width of the chart, in pixels */
export function windowFrom(
  dates: readonly string[],
  from: string,
  series: readonly ChartSeries[],
  width: number,
): Window | null {
  const first = dates.findIndex((date) => date >= from);
  if (first < 0) return null;
  const hasNames = series.some((one) => one.kind === "line" && one.title !== undefined);
  const drawnWidth = Math.max(1, width - AXIS_WIDTH - NAMES_WIDTH);
  const room = hasNames ? ((dates.length - first) * NAMES_WIDTH) / drawnWidth : 0;
  return { from: first - 0.5, to: dates.length - 0.5 + room };
}

/** Marks a date of the first series with the crosshair; null removes the mark. */
export function markDate(
  drawn: Drawn | null,
  one: ChartSeries | undefined,
  date: string | null,
): void {
  const [first] = drawn?.series ?? [];
  if (!drawn || !first || !one) return;
  const value =
    one.kind === "line"
      ? one.points.find((point) => point.date === date)?.value
      : one.bars.find((bar) => bar.date === date)?.close;
  if (date === null || value === undefined) drawn.chart.clearCrosshairPosition();
  else drawn.chart.setCrosshairPosition(value, date, first);
}
