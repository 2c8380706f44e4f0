import {
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  PriceScaleMode,
  type SeriesType,
  type Time,
} from "lightweight-charts";
import { formatDate, formatNumber, formatShort, localeNow } from "#console/app/format.ts";
import { settings } from "#console/app/settings.ts";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** A session, week or month. `date` is `YYYY-MM-DD`; volume is null if it is unknown. */
export interface Bar {
  readonly date: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number | null;
}

/** A value of a line; without a value the line has a gap. */
export interface Point {
  readonly date: string;
  readonly value?: number;
}

/** What a chart draws. The colour of a line is the number of a `--series-…` colour. */
export type ChartSeries =
  | { readonly kind: "candles"; readonly bars: readonly Bar[] }
  | { readonly kind: "volume"; readonly bars: readonly Bar[] }
  | {
      readonly kind: "line";
      readonly points: readonly Point[];
      readonly color: number;
      readonly isThin?: boolean;
    };

export interface ChartProps {
  /** What the chart shows, for screen readers. */
  readonly label: string;
  /** The first series is the one that the keyboard walks along. */
  readonly series: readonly ChartSeries[];
  /** The dates of all series, oldest first. */
  readonly dates: readonly string[];
  /** The first visible date. */
  readonly from: string;
  readonly decimals: number;
  /** Equal distances are equal percentages. */
  readonly isLogarithmic: boolean;
  /** The date under the pointer or the keyboard's mark; null without one. */
  readonly onDate: (date: string | null) => void;
  /** The figures at a date, for screen readers. */
  readonly textOf: (date: string) => string;
}

/** Volume has its own axis below the prices. */
const VOLUME_PANE = 1;

/** Draws candles, lines and volume. The arrow keys move a mark along the dates. */
export function Chart(props: ChartProps) {
  const { label, series, dates, from, decimals, isLogarithmic, onDate, textOf } = props;
  const frame = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn | null>(null);
  const scheme = useScheme();
  const [marked, setMarked] = useState<number | null>(null);

  // Before the browser paints, so that the chart is in the first frame.
  useLayoutEffect(() => {
    if (!frame.current) return;
    const chart = createChart(frame.current, {
      autoSize: true,
      // The logo would need markup that the policy forbids; the page's foot names the library.
      layout: { attributionLogo: false },
    });
    drawn.current = { chart, series: [] };
    chart.subscribeCrosshairMove(({ time }) => onDate(typeof time === "string" ? time : null));
    return () => chart.remove();
  }, []);
  useLayoutEffect(() => {
    if (!frame.current || !drawn.current) return;
    draw(drawn.current, series, readColors(frame.current), decimals);
    setScales(drawn.current.chart, isLogarithmic);
    showFrom(drawn.current.chart, dates, from);
    // The browser paints after the next frame begins.
    requestAnimationFrame(() => setTimeout(() => performance.mark("chart drawn")));
  }, [series, dates, decimals, isLogarithmic, scheme, from]);

  const mark = (index: number | null) => {
    setMarked(index);
    markDate(drawn.current, series[0], index === null ? null : (dates[index] ?? null));
    onDate(index === null ? null : (dates[index] ?? null));
  };
  const last = dates.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const index = nextIndex(event.key, marked ?? last, last);
    if (index === null) return;
    event.preventDefault();
    mark(index);
  };
  return (
    <div
      class="chart"
      ref={frame}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={Math.max(0, marked ?? last)}
      aria-valuetext={textOf(dates[marked ?? last] ?? "")}
      onKeyDown={onKeyDown}
      onBlur={() => marked !== null && mark(null)}
    />
  );
}

interface Drawn {
  readonly chart: IChartApi;
  series: ISeriesApi<SeriesType>[];
}

/** Changes when the colours of the page or the form of candles change. */
function useScheme(): string {
  const query = "(prefers-color-scheme: dark)";
  const [isDark, setDark] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const onChange = () => setDark(list.matches);
    list.addEventListener("change", onChange);
    return () => list.removeEventListener("change", onChange);
  }, []);
  const { theme, colors, candles } = settings.value;
  return JSON.stringify([isDark, theme, colors, candles, localeNow()]);
}

type Colors = Readonly<Record<"text" | "muted" | "line" | "gain" | "loss", string>> & {
  readonly series: (number: number) => string;
  readonly font: string;
};

/** The colours of the page's style sheet as they are now, in a form that the chart library reads. */
function readColors(element: HTMLElement): Colors {
  const probe = document.createElement("span");
  // All colours are set before the first is read, so that the browser computes styles once.
  const add = (name: string) => {
    const swatch = document.createElement("span");
    swatch.style.color = `var(--${name})`;
    probe.append(swatch);
    return getComputedStyle(swatch);
  };
  const [text, muted, line, gain, loss] = ["text", "muted", "line", "gain", "loss"].map(add);
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
    series: (number: number) => numbered[number - 1] ?? "",
    font: getComputedStyle(element).fontFamily,
  };
  probe.remove();
  return colors;
}

/** `rgb(1, 2, 3)` with an opacity. */
const fade = (color: string, alpha: number) =>
  color.replace("rgb(", "rgba(").replace(")", `, ${alpha})`);

function draw(
  drawn: Drawn,
  series: readonly ChartSeries[],
  colors: Colors,
  decimals: number,
): void {
  const { chart } = drawn;
  chart.applyOptions({
    layout: {
      background: { color: "transparent" },
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
    timeScale: { borderColor: colors.line, minBarSpacing: 0.2, lockVisibleTimeRangeOnResize: true },
    crosshair: { mode: 0 },
    localization: { locale: localeNow(), timeFormatter: formatDate as (time: Time) => string },
    // The wheel and vertical drags scroll the page.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  });
  for (const one of drawn.series) chart.removeSeries(one);
  drawn.series = series.map((one) => addSeries(chart, one, colors, decimals));
  const [prices, volume] = chart.panes();
  prices?.setStretchFactor(4);
  volume?.setStretchFactor(1);
}

function addSeries(
  chart: IChartApi,
  one: ChartSeries,
  colors: Colors,
  decimals: number,
): ISeriesApi<SeriesType> {
  const priceFormat = {
    type: "custom",
    formatter: (price: number) => formatNumber(price, decimals),
    minMove: 10 ** -decimals,
  } as const;
  if (one.kind === "candles") {
    const { gain, loss } = colors;
    const added = chart.addSeries(CandlestickSeries, {
      priceFormat,
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
    const added = chart.addSeries(HistogramSeries, options, VOLUME_PANE);
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
  const added = chart.addSeries(LineSeries, {
    priceFormat,
    color: colors.series(one.color),
    lineWidth: one.isThin ? 1 : 2,
    priceLineVisible: false,
    lastValueVisible: !one.isThin,
    crosshairMarkerVisible: !one.isThin,
  });
  added.setData(
    one.points.map(({ date, value }) =>
      value === undefined ? { time: date } : { time: date, value },
    ),
  );
  return added;
}

/** The scale of prices; that of volume stays linear. The library gives a new pane the mode of the first one. */
function setScales(chart: IChartApi, isLogarithmic: boolean): void {
  const { Logarithmic, Normal } = PriceScaleMode;
  for (const [pane] of chart.panes().entries()) {
    const mode = isLogarithmic && pane !== VOLUME_PANE ? Logarithmic : Normal;
    chart.priceScale("right", pane).applyOptions({ mode });
  }
}

/** Shows the dates from `from` to the newest one. */
function showFrom(chart: IChartApi, dates: readonly string[], from: string): void {
  const first = dates.findIndex((date) => date >= from);
  if (first < 0) return;
  chart.timeScale().setVisibleLogicalRange({ from: first - 0.5, to: dates.length - 0.5 });
}

/** Marks a date of the first series with the crosshair; null removes the mark. */
function markDate(drawn: Drawn | null, one: ChartSeries | undefined, date: string | null): void {
  const [first] = drawn?.series ?? [];
  if (!drawn || !first || !one) return;
  const value =
    one.kind === "line"
      ? one.points.find((point) => point.date === date)?.value
      : one.bars.find((bar) => bar.date === date)?.close;
  if (date === null || value === undefined) drawn.chart.clearCrosshairPosition();
  else drawn.chart.setCrosshairPosition(value, date, first);
}

/** The next marked index for a key; null for other keys. */
function nextIndex(key: string, index: number, last: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -20,
    PageUp: 20,
    Home: -Infinity,
    End: Infinity,
  };
  const step = steps[key];
  return step === undefined ? null : Math.max(0, Math.min(last, index + step));
}
