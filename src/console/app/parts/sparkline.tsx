import { lineThrough } from "./line-through.ts";
import type { Shown } from "#console/app/words.ts";

/** The height of the drawing in its own units; the width is one unit for each step. */
const HEIGHT = 32;

/**
 * A small line without axes, from the lowest to the highest value. Beside the figures it needs no text
 * of its own; `label` describes it where there are none.
 *
 * @param values oldest first
 */
export function Sparkline(props: {
  readonly values: readonly number[];
  readonly label?: Shown;
  /** True if each value holds until the next one. */
  readonly isStepped?: boolean;
  /** The change that it shows, which colours it. */
  readonly change?: number | null | undefined;
}) {
  const { values, label, isStepped = false, change = 0 } = props;
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined || values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const y = (value: number) =>
    high === low ? HEIGHT / 2 : HEIGHT - ((value - low) / (high - low)) * HEIGHT;
  const corners = values.map((value, x) => [x, Number(y(value).toFixed(2))] as const);
  const line = lineThrough(corners, isStepped);
  const end = values.length - 1;
  const direction = change ? (change > 0 ? "gain" : "loss") : "";
  return (
    <svg
      class={`sparkline ${direction}`}
      viewBox={`0 -1 ${end} ${HEIGHT + 2}`}
      preserveAspectRatio="none"
      {...(label === undefined ? { "aria-hidden": "true" } : { role: "img", "aria-label": label })}
    >
      <polygon points={`0,${HEIGHT + 1} ${line} ${end},${HEIGHT + 1}`} />
      <polyline points={line} />
    </svg>
  );
}
