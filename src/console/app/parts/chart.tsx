import type { Shown } from "#console/app/words.ts";
import type { ComponentType } from "preact";
import { createChart, type IChartApi } from "lightweight-charts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useMedia } from "./media.ts";
import { localeNow } from "#console/app/format.ts";
import { colorsNow, settings } from "#console/app/user-settings.ts";
import {
  type ChartSeries,
  draw,
  type Drawn,
  type Mark,
  markDate,
  readColors,
  type Scale,
  type Window,
  windowFrom,
} from "./chart-drawing.ts";

/** What buttons over a chart act on. */
export interface ChartToolProps {
  readonly frame: { readonly current: HTMLElement | null };
  readonly chart: () => IChartApi | undefined;
}

export interface ChartProps {
  /** What the chart shows, for screen readers. */
  readonly label: Shown;
  /** The first series is the one that the keyboard walks along. */
  readonly series: readonly ChartSeries[];
  /** The dates of all series, oldest first. */
  readonly dates: readonly string[];
  /** The first visible date. */
  readonly from: string;
  readonly decimals: number;
  readonly scale: Scale;
  readonly marks?: readonly Mark[];
  /** While it stays the same, the window stays where the user has dragged it. */
  readonly view?: string;
  /** The user wants to see bars before the oldest one. */
  readonly onOldest?: () => void;
  /** Gets the visible places in the dates when the user moves the chart. */
  readonly onMove?: (window: Window | null) => void;
  /** Gets the function that makes a picture of the chart. */
  readonly picture?: { current: (() => HTMLCanvasElement) | null };
  /** The date under the pointer or the keyboard's mark; null without one. */
  readonly onDate: (date: string | null) => void;
  /** The figures at a date, for screen readers. */
  readonly textOf: (date: string) => string;
  /** Buttons over the chart. */
  readonly tools?: ComponentType<ChartToolProps>;
  /** What happened at a date with a mark; the tip at the mark. */
  readonly tipsOf?: (date: string) => readonly string[];
}

const NO_MARKS: readonly Mark[] = [];

/** How close to the oldest bar the window comes before older ones are asked for. */
const NEAR_OLDEST = 5;

/** Draws series in panes. The arrow keys move a mark along the dates. */
export function Chart(props: ChartProps) {
  const { label, series, dates, tools: Tools } = props;
  const { onDate, textOf } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [marked, setMarked] = useState<number | null>(null);
  const [crossed, setCrossed] = useState<Crossed | null>(null);
  const drawn = useDrawn(frame, props, setCrossed);

  const mark = (index: number | null) => {
    const date = index === null ? null : (dates[index] ?? null);
    setMarked(index);
    markDate(drawn.current, series[0], date);
    // The library reports the pointer alone.
    setCrossed(drawn.current && crossedAt(drawn.current.chart, date));
    onDate(date);
  };
  const last = dates.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const index = nextIndex(event.key, marked ?? last, last);
    if (index === null) return;
    event.preventDefault();
    mark(index);
  };
  return (
    <div class="chart-frame">
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
      {Tools && <Tools frame={frame} chart={() => drawn.current?.chart} />}
      {crossed && <Tip share={crossed.share} texts={props.tipsOf?.(crossed.date) ?? []} />}
    </div>
  );
}

/** The date of the crosshair, and where it is: from 0 at the left edge to 1. */
interface Crossed {
  readonly date: string;
  readonly share: number;
}

function crossedAt(chart: IChartApi, date: string | null): Crossed | null {
  const x = date === null ? null : chart.timeScale().timeToCoordinate(date);
  return date === null || x === null ? null : { date, share: x / chart.chartElement().clientWidth };
}

/** What happened where the crosshair is, within the chart. The legend and the slider say it to screen readers. */
function Tip({ share, texts }: { readonly share: number; readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  const percent = `${100 * share}%`;
  return (
    <div
      class="chart-tip"
      aria-hidden="true"
      style={{ left: percent, transform: `translateX(-${percent})` }}
    >
      {texts.map((text) => (
        <div key={text}>{text}</div>
      ))}
    </div>
  );
}

/** A chart in that element, which shows what the properties say. */
function useDrawn(
  frame: { readonly current: HTMLDivElement | null },
  props: ChartProps,
  onCross: (crossed: Crossed | null) => void,
) {
  const { series, marks = NO_MARKS, dates, from, view = from, decimals, scale } = props;
  const drawn = useRef<Drawn | null>(null);
  const shown = useRef<View>({ view: "", first: "", window: null, isNew: false });
  const scheme = useScheme();
  // The chart calls what the newest properties say.
  const latest = useRef(props);
  latest.current = props;

  // Before the browser paints, so that the chart is in the first frame.
  useLayoutEffect(() => {
    if (!frame.current) return;
    const chart = createChart(frame.current, {
      autoSize: true,
      // The logo would need markup that the policy forbids; the page's foot names the library.
      layout: { attributionLogo: false },
    });
    drawn.current = { chart, series: [] };
    chart.subscribeCrosshairMove(({ time }) => {
      const date = typeof time === "string" ? time : null;
      onCross(crossedAt(chart, date));
      latest.current.onDate(date);
    });
    chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (!shown.current.isNew) {
        shown.current.window = range;
        latest.current.onMove?.(range);
      }
      if (range && range.from < NEAR_OLDEST) latest.current.onOldest?.();
    });
    if (props.picture) props.picture.current = () => chart.takeScreenshot();
    return () => chart.remove();
  }, []);
  useLayoutEffect(() => {
    if (!frame.current || !drawn.current) return;
    const { chart } = drawn.current;
    // What the user has dragged to stays while bars are added.
    const { window: kept } = shown.current;
    const added = dates.indexOf(shown.current.first);
    // Without its series, the library has other windows.
    shown.current.isNew = true;
    draw(drawn.current, { series, marks, decimals, scale }, readColors(frame.current));
    const window =
      shown.current.view === view && kept && added >= 0
        ? { from: kept.from + added, to: kept.to + added }
        : windowFrom(dates, from, series, frame.current.clientWidth);
    if (window) chart.timeScale().setVisibleLogicalRange(window);
    const now = { view, first: dates[0] ?? "", window, isNew: true };
    shown.current = now;
    // The browser paints after the next frame begins.
    requestAnimationFrame(() =>
      setTimeout(() => {
        now.isNew = false;
        performance.mark("chart drawn");
      }),
    );
  }, [series, marks, dates, decimals, scale, scheme, from, view]);
  return drawn;
}

/** What a chart shows. */
interface View {
  readonly view: string;
  /** The oldest date. */
  readonly first: string;
  window: Window | null;
  /** True until the window is drawn: until then, the library has another one. */
  isNew: boolean;
}

/** Changes when the colours of the page or the form of candles change. */
function useScheme(): string {
  const isDark = useMedia("(prefers-color-scheme: dark)");
  const { theme, candles } = settings.value;
  return JSON.stringify([isDark, theme, colorsNow(), candles, localeNow()]);
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
