import { useState } from "preact/hooks";
import { formatNumber } from "#console/app/format.ts";
import { rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { PayloadOf } from "#operations/index.ts";
import { t } from "#console/app/words.ts";
import { formatPeriod, formatPlotPeriod } from "./economy-figures.ts";
import { unitText } from "./economy-units.ts";

/** A point of a plot. */
export interface Point {
  /** `2026-10` */
  readonly label: string;
  readonly value: number;
}

/** The figures of a series, oldest first. */
export function pointsOf(history: PayloadOf<"get_macro_history">): Point[] {
  return rowsOf(history).map((row) => ({
    label: textIn(row, "period"),
    value: Number(row["value"]),
  }));
}

export const WIDTH = 1_000;
export const HEIGHT = 240;
const LINES = 4;
/** A last published period further left would cover the first one. */
const MIN_PERCENT = 50;

/** The places of a series and its forecast, and the lines of the scale. */
function layOut(points: readonly Point[], forecast: readonly Point[]) {
  const published = points.map(({ label }) => timeOf(label));
  const later = forecast.filter(({ label }) => timeOf(label) > Math.max(...published));
  const all = [...points, ...later];
  const { low, high, step } = scaleOf(all.map(({ value }) => value));
  const times = all.map(({ label }) => timeOf(label));
  const [begin, end] = [Math.min(...times), Math.max(...times)];
  return {
    later,
    all,
    x: ({ label }: Point) => xOf(timeOf(label), begin, end),
    ...linesOf({ low, high, step }),
    ownDecimals: Math.max(...all.map(({ value }) => decimalsOf(value))),
  };
}

/** The lines of a scale: their figures with decimals, and the heights of values. */
export function linesOf({ low, high, step }: ReturnType<typeof scaleOf>) {
  return {
    ticks: Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => low + i * step),
    decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)),
    y: (value: number) => HEIGHT - ((value - low) / (high - low)) * HEIGHT,
  };
}

/** A line with a scale, its forecast as a dashed line in a band, and the figure under the pointer. */
export function LinePlot(props: {
  readonly points: readonly Point[];
  readonly unit: string;
  readonly forecast: readonly Point[];
}) {
  const { points, unit } = props;
  const [chosen, setChosen] = useState<number | null>(null);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  const { later, all, x, y, ticks, decimals, ownDecimals } = layOut(points, props.forecast);
  const shown = all[chosen ?? points.length - 1] ?? last;
  const textOf = (some: readonly Point[]) =>
    some.map((one) => `${x(one)},${y(one.value)}`).join(" ");
  const choose = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof Element)) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = ((event.clientX - left) / width) * WIDTH;
    const distances = all.map((one) => Math.abs(x(one) - at));
    setChosen(distances.indexOf(Math.min(...distances)));
  };
  return (
    <figure class="plot">
      <figcaption>
        <b>{formatNumber(shown.value, ownDecimals)}</b> {unitText(unit)}{" "}
        <span class="muted">
          {formatPeriod(shown.label)}
          {later.includes(shown) && `, ${t("forecast")}`}
        </span>
      </figcaption>
      <Scale of={{ ticks, y, decimals }} />
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={ends(first, last)}
        onPointerMove={choose}
        onPointerLeave={() => setChosen(null)}
      >
        <ScaleLines of={{ ticks, y }} />
        <polyline points={textOf(points)} />
        {later.length > 0 && (
          <>
            <rect class="plot-future" x={x(last)} y="0" width={WIDTH - x(last)} height={HEIGHT} />
            <polyline class="plot-forecast" points={textOf([last, ...later])} />
          </>
        )}
        {chosen !== null && (
          <line class="plot-cursor" x1={x(shown)} x2={x(shown)} y1="0" y2={HEIGHT} />
        )}
      </svg>
      <Dates
        labels={[first.label, later.at(-1)?.label ?? last.label]}
        // Where the forecast begins.
        published={
          later.length > 0 ? { label: last.label, percent: (100 * x(last)) / WIDTH } : null
        }
      />
    </figure>
  );
}

/** The figures at the left of a plot, at the heights of its lines. */
export function Scale(props: {
  readonly of: {
    readonly ticks: readonly number[];
    readonly y: (value: number) => number;
    readonly decimals: number;
  };
}) {
  const { ticks, y, decimals } = props.of;
  return (
    <div class="plot-scale" aria-hidden="true">
      {ticks.map((tick) => (
        <span key={tick} style={{ top: `${y(tick)}px` }}>
          {formatNumber(tick, decimals)}
        </span>
      ))}
    </div>
  );
}

/** The lines of a scale. */
export function ScaleLines(props: {
  readonly of: { readonly ticks: readonly number[]; readonly y: (value: number) => number };
}) {
  const { ticks, y } = props.of;
  return (
    <>
      {ticks.map((tick) => (
        <line key={tick} class="plot-line" x1="0" x2={WIDTH} y1={y(tick)} y2={y(tick)} />
      ))}
    </>
  );
}

/** The first and the last period below a plot, and the last published one at its place, if a forecast follows. */
export function Dates(props: {
  readonly labels: readonly [first: string, last: string];
  readonly published?: { readonly label: string; readonly percent: number } | null;
}) {
  const { labels, published } = props;
  const [first, last] = labels;
  const shown = published && published.percent > MIN_PERCENT ? published : null;
  return (
    <div class="plot-dates muted" aria-hidden="true">
      <span>{formatPlotPeriod(first)}</span>
      {shown && <span class="plot-published">{formatPlotPeriod(shown.label)}</span>}
      {/* It is as wide as the forecast: the period before it ends where the forecast begins. */}
      <span style={shown ? { minWidth: `${100 - shown.percent}%` } : {}}>
        {formatPlotPeriod(last)}
      </span>
    </div>
  );
}

/** The first and the last figure of a line in a sentence. */
const ends = (first: Point, last: Point) =>
  t("Line from {from} ({first}) to {to} ({last})", {
    from: formatPeriod(first.label),
    first: first.value,
    to: formatPeriod(last.label),
    last: last.value,
  });

/** The number of decimals of a number, as the service wrote it. */
export function decimalsOf(value: number): number {
  return String(value).split(".")[1]?.length ?? 0;
}

/** The end of a period in years: 2026.75 for `2026-Q3` and `2026-09`. */
export function timeOf(label: string): number {
  const [year = 0, part, day] = label.split("-");
  if (part === undefined) return Number(year) + 1;
  if (part.startsWith("Q")) return Number(year) + Number(part.slice(1)) / 4;
  const months = day === undefined ? Number(part) : Number(part) - 1 + Number(day) / 31;
  return Number(year) + months / 12;
}

/** The place of a time between two others. */
export function xOf(time: number, begin: number, end: number): number {
  return end === begin ? 0 : ((time - begin) / (end - begin)) * WIDTH;
}

/** Round bounds that include all values, with about four lines. */
export function scaleOf(values: readonly number[]): { low: number; high: number; step: number } {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rough = Math.max(most - least, Math.abs(most) * 1e-3, 1e-6) / LINES;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = size * ([1, 2, 5, 10].find((one) => one * size >= rough) ?? 10);
  const low = Math.floor(least / step) * step;
  return { low, high: Math.max(low + step, Math.ceil(most / step) * step), step };
}
