import { formatNumber } from "#console/app/format.ts";
import { lineThrough } from "#console/app/parts/line-through.ts";
import { isPolicyRate } from "./policy-rate.ts";
import { unitText } from "#console/app/parts/unit-text.ts";
import { formatPeriod } from "./figures.ts";
import { Dates, Scale, ScaleLines } from "./plot.tsx";
import {
  decimalsOf,
  HEIGHT,
  linesOf,
  type Point,
  scaleOf,
  timeOf,
  WIDTH,
  xOf,
  yearsOf,
} from "./scale.ts";

/** The line of a country. */
interface CountryLine {
  readonly label: string;
  readonly points: readonly Point[];
  /** From 1. */
  readonly colour: number;
}

/** The lines of several countries on one scale, with their newest figures, in the time that all of them have. */
export function CountryPlot(props: {
  readonly lines: readonly CountryLine[];
  readonly name: string;
  readonly unit: string;
}) {
  const begin = Math.max(...props.lines.map(({ points }) => timeOf(points[0]?.label ?? "0")));
  const lines = props.lines.map((line) => ({
    ...line,
    points: line.points.filter(({ label }) => timeOf(label) >= begin),
  }));
  const all = lines.flatMap(({ points }) => points);
  const end = Math.max(...all.map(({ label }) => timeOf(label)));
  const years = yearsOf(begin, end);
  const scale = linesOf(scaleOf(all.map(({ value }) => value)));
  const labels = all.map(({ label }) => label).toSorted((a, b) => timeOf(a) - timeOf(b));
  // One number of decimals, as the figures are below each other.
  const decimals = Math.max(0, ...all.map(({ value }) => decimalsOf(value)));
  return (
    <figure class="plot countries">
      <Scale of={scale} />
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <ScaleLines {...scale} years={years} />
        {lines.map(({ label, points, colour }) => (
          <polyline
            key={label}
            class={`country-${colour}`}
            points={lineThrough(
              points.map((one) => [xOf(timeOf(one.label), begin, end), scale.y(one.value)]),
              isPolicyRate(props.name),
            )}
          />
        ))}
      </svg>
      <Dates years={years} labels={[labels[0] ?? "", labels.at(-1) ?? ""]} />
      <ul>
        {lines.map(({ label, points, colour }) => {
          const last = points.at(-1);
          return (
            <li key={label}>
              <span class={`country-key country-${colour}`} aria-hidden="true" /> {label}{" "}
              <b>{formatNumber(last?.value, decimals)}</b>{" "}
              <span class="muted">
                {unitText(props.unit)} {last && formatPeriod(last.label)}
              </span>
            </li>
          );
        })}
      </ul>
    </figure>
  );
}
