import { useState } from "preact/hooks";
import { formatNumber } from "#console/app/format.ts";
import { rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { PayloadOf } from "#operations/index.ts";

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

const WIDTH = 1_000;
const HEIGHT = 240;
const LINES = 4;

/** A line with a scale, and the figure under the pointer. */
export function LinePlot({
  points,
  unit,
}: {
  readonly points: readonly Point[];
  readonly unit: string;
}) {
  const [chosen, setChosen] = useState<number | null>(null);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  const { low, high, step } = scaleOf(points.map(({ value }) => value));
  const x = (i: number) => (points.length < 2 ? 0 : (i / (points.length - 1)) * WIDTH);
  const y = (value: number) => HEIGHT - ((value - low) / (high - low)) * HEIGHT;
  const ticks = Array.from(
    { length: Math.round((high - low) / step) + 1 },
    (_, i) => low + i * step,
  );
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ownDecimals = Math.max(...points.map(({ value }) => decimalsOf(value)));
  const shown = points[chosen ?? points.length - 1] ?? last;
  const choose = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof Element)) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = Math.round(((event.clientX - left) / width) * (points.length - 1));
    setChosen(Math.max(0, Math.min(points.length - 1, at)));
  };
  return (
    <figure class="plot">
      <figcaption>
        <b>{formatNumber(shown.value, ownDecimals)}</b> {unit}{" "}
        <span class="muted">{shown.label}</span>
      </figcaption>
      <div class="plot-scale" aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick} style={{ top: `${y(tick)}px` }}>
            {formatNumber(tick, decimals)}
          </span>
        ))}
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Line from ${first.label} (${first.value}) to ${last.label} (${last.value})`}
        onPointerMove={choose}
        onPointerLeave={() => setChosen(null)}
      >
        {ticks.map((tick) => (
          <line key={tick} class="plot-line" x1="0" x2={WIDTH} y1={y(tick)} y2={y(tick)} />
        ))}
        <polyline points={points.map(({ value }, i) => `${x(i)},${y(value)}`).join(" ")} />
        {chosen !== null && (
          <line class="plot-cursor" x1={x(chosen)} x2={x(chosen)} y1="0" y2={HEIGHT} />
        )}
      </svg>
      <div class="plot-dates muted" aria-hidden="true">
        <span>{first.label}</span>
        <span>{points[Math.floor((points.length - 1) / 2)]?.label}</span>
        <span>{last.label}</span>
      </div>
    </figure>
  );
}

/** The number of decimals of a number, as the service wrote it. */
export function decimalsOf(value: number): number {
  return String(value).split(".")[1]?.length ?? 0;
}

/** Round bounds that include all values, with about four lines. */
function scaleOf(values: readonly number[]): { low: number; high: number; step: number } {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rough = Math.max(most - least, Math.abs(most) * 1e-3, 1e-6) / LINES;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = size * ([1, 2, 5, 10].find((one) => one * size >= rough) ?? 10);
  const low = Math.floor(least / step) * step;
  return { low, high: Math.max(low + step, Math.ceil(most / step) * step), step };
}
