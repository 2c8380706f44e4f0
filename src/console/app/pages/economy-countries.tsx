import { formatNumber } from "#console/app/format.ts";
import { decimalsOf, HEIGHT, type Point, scaleOf, timeOf, WIDTH, xOf } from "./economy-plot.tsx";

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
  const { low, high } = scaleOf(all.map(({ value }) => value));
  const y = (value: number) => HEIGHT - ((value - low) / (high - low)) * HEIGHT;
  return (
    <div class="countries">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {lines.map(({ label, points, colour }) => (
          <polyline
            key={label}
            class={`country-${colour}`}
            points={points
              .map((one) => `${xOf(timeOf(one.label), begin, end)},${y(one.value)}`)
              .join(" ")}
          />
        ))}
      </svg>
      <ul>
        {lines.map(({ label, points, colour }) => {
          const last = points.at(-1);
          return (
            <li key={label}>
              <span class={`country-key country-${colour}`} aria-hidden="true" /> {label}{" "}
              <b>{formatNumber(last?.value, last ? decimalsOf(last.value) : 0)}</b>{" "}
              <span class="muted">
                {props.unit} {last?.label}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
