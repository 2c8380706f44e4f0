import { useState } from "preact/hooks";
import { formatNumber } from "#console/app/format.ts";
import { lineThrough } from "#console/app/parts/line-through.ts";
import { unitText } from "#console/app/parts/unit-text.ts";
import { t } from "#console/app/words.ts";
import { formatPeriod, formatPlotPeriod } from "./figures.ts";
import {
  decimalsOf,
  HEIGHT,
  laterOf,
  linesOf,
  type Point,
  scaleOf,
  timeOf,
  WIDTH,
  xOf,
  yearsOf,
} from "./scale.ts";

/** A last published period further left would cover the first one. */
const MIN_PERCENT = 50;

/** The places of a series and its forecast, and the lines of the scale. */
function layOut(points: readonly Point[], forecast: readonly Point[]) {
  const later = laterOf(points, forecast);
  const all = [...points, ...later];
  const { low, high, step } = scaleOf(all.map(({ value }) => value));
  const times = all.map(({ label }) => timeOf(label));
  const [begin, end] = [Math.min(...times), Math.max(...times)];
  return {
    later,
    all,
    x: ({ label }: Point) => xOf(timeOf(label), begin, end),
    years: yearsOf(begin, end),
    ...linesOf({ low, high, step }),
    ownDecimals: Math.max(...all.map(({ value }) => decimalsOf(value))),
  };
}

/** A line with a scale, its forecast as a dashed line in a band, and the figure under the pointer. */
export function LinePlot(props: {
  readonly points: readonly Point[];
  readonly unit: string;
  readonly forecast: readonly Point[];
  /** True if each figure holds until the next one. */
  readonly isStepped: boolean;
  /** Of the country, from 1. */
  readonly colour: number;
}) {
  const { points, unit } = props;
  const [chosen, setChosen] = useState<number | null>(null);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  const { later, all, x, y, years, ...scale } = layOut(points, props.forecast);
  const shown = all[chosen ?? points.length - 1] ?? last;
  const textOf = (some: readonly Point[]) =>
    lineThrough(
      some.map((one) => [x(one), y(one.value)]),
      props.isStepped,
    );
  const choose = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof Element)) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = ((event.clientX - left) / width) * WIDTH;
    const distances = all.map((one) => Math.abs(x(one) - at));
    setChosen(distances.indexOf(Math.min(...distances)));
  };
  return (
    <figure class={`plot country-${props.colour}`}>
      <figcaption>
        <b>{formatNumber(shown.value, scale.ownDecimals)}</b> {unitText(unit)}{" "}
        <span class="muted">
          {formatPeriod(shown.label)}
          {later.includes(shown) && `, ${t("forecast")}`}
        </span>
      </figcaption>
      <Scale of={{ ...scale, y }} />
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={ends(first, last)}
        onPointerMove={choose}
        onPointerLeave={() => setChosen(null)}
      >
        <ScaleLines ticks={scale.ticks} y={y} years={years} />
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
        years={years}
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

type Years = ReturnType<typeof yearsOf>;

/** The lines of a scale and of the years. */
export function ScaleLines(props: {
  readonly ticks: readonly number[];
  readonly y: (value: number) => number;
  readonly years: Years;
}) {
  const { ticks, y, years } = props;
  return (
    <>
      {years.map(({ year, x }) => (
        <line key={year} class="plot-year" x1={x} x2={x} y1="0" y2={HEIGHT} />
      ))}
      {ticks.map((tick) => (
        <line key={tick} class="plot-line" x1="0" x2={WIDTH} y1={y(tick)} y2={y(tick)} />
      ))}
    </>
  );
}

/** Years below a plot; then its first and last period, and the last published one at its place, if a forecast follows. */
export function Dates(props: {
  readonly years: Years;
  readonly labels: readonly [first: string, last: string];
  readonly published?: { readonly label: string; readonly percent: number } | null;
}) {
  const { labels, published } = props;
  const [first, last] = labels;
  const shown = published && published.percent > MIN_PERCENT ? published : null;
  return (
    <>
      <div class="plot-years muted" aria-hidden="true">
        {props.years.map(({ year, x }) => (
          <span key={year} style={{ left: `${(100 * x) / WIDTH}%` }}>
            {year}
          </span>
        ))}
      </div>
      <div class="plot-dates muted" aria-hidden="true">
        <span>{formatPlotPeriod(first)}</span>
        {shown && <span class="plot-published">{formatPlotPeriod(shown.label)}</span>}
        {/* It is as wide as the forecast: the period before it ends where the forecast begins. */}
        <span style={shown ? { minWidth: `${100 - shown.percent}%` } : {}}>
          {formatPlotPeriod(last)}
        </span>
      </div>
    </>
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
