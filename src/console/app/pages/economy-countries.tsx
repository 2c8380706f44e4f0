import { formatNumber } from "#console/app/format.ts";
import { formatPeriod } from "./economy-figures.ts";
import { unitText } from "./economy-units.ts";
import {
  Dates,
  decimalsOf,
  HEIGHT,
  linesOf,
  type Point,
  Scale,
  ScaleLines,
  scaleOf,
  timeOf,
  WIDTH,
  xOf,
} from "./economy-plot.tsx";

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
  readonly unit: string;
}) {
  const begin = Math.max(...props.lines.map(({ points }) => timeOf(points[0]?.label ?? "0")));
  const lines = props.lines.map((line) => ({
    ...line,
    points: line.points.filter(({ label }) => timeOf(label) >= begin),
  }));
  const all = lines.flatMap(({ points }) => points);
  const end = Math.max(...all.map(({ label }) => timeOf(label)));
  const scale = linesOf(scaleOf(all.map(({ value }) => value)));
  const labels = all.map(({ label }) => label).toSorted((a, b) => timeOf(a) - timeOf(b));
  // One number of decimals, as the figures are below each other.
  const decimals = Math.max(0, ...all.map(({ value }) => decimalsOf(value)));
  return (
    <figure class="plot countries">
      <Scale of={scale} />
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <ScaleLines of={scale} />
        {lines.map(({ label, points, colour }) => (
          <polyline
            key={label}
            class={`country-${colour}`}
            points={points
              .map((one) => `${xOf(timeOf(one.label), begin, end)},${scale.y(one.value)}`)
              .join(" ")}
          />
        ))}
      </svg>
      <Dates labels={[labels[0] ?? "", labels.at(-1) ?? ""]} />
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
