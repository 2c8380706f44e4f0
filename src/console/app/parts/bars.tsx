import type { Shown } from "#console/app/words.ts";
import { formatNumber } from "#console/app/format.ts";

/** A bar of a plot. */
export interface Bar {
  readonly key: number;
  /** Under the pointer: `20 Nov: 312 calls, 4 refused`. */
  readonly title: Shown;
  readonly value: number;
  /** A second part on top of the first, in the colour of losses. */
  readonly extra: number;
}

const HEIGHT = 100;
const WIDTH = 10;

/** Bars over time, with the largest value and the ends of the time axis. The label says what they show. */
export function Bars(props: {
  readonly label: Shown;
  readonly bars: readonly Bar[];
  readonly first: string;
  readonly last: string;
}) {
  const { label, bars, first, last } = props;
  const highest = Math.max(1, ...bars.map(({ value, extra }) => value + extra));
  const heightOf = (value: number) => (value / highest) * HEIGHT;
  return (
    <div class="bars">
      <span class="bars-top">{formatNumber(highest, 0)}</span>
      <svg
        viewBox={`0 0 ${bars.length * WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {bars.map(({ key, title, value, extra }, place) => (
          <g key={key}>
            <title>{title}</title>
            <rect class="bars-space" x={place * WIDTH} y={0} width={WIDTH} height={HEIGHT} />
            <rect
              class="bars-value"
              x={place * WIDTH + 1}
              y={HEIGHT - heightOf(value)}
              width={WIDTH - 2}
              height={heightOf(value)}
            />
            {extra > 0 && (
              <rect
                class="bars-extra"
                x={place * WIDTH + 1}
                y={HEIGHT - heightOf(value + extra)}
                width={WIDTH - 2}
                height={heightOf(extra)}
              />
            )}
          </g>
        ))}
      </svg>
      <span class="bars-ends">
        <span>{first}</span>
        <span>{last}</span>
      </span>
    </div>
  );
}
