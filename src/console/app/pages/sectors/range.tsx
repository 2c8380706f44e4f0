import { formatNumber, MISSING } from "#console/app/format.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

/** The figures of the companies of a sector. */
type Stats = PayloadOf<"get_sectors">["sectors"][string]["stats"];

/** A scale from 0 to `end` with a line at each multiple of `step`. */
export interface Scale {
  readonly end: number;
  readonly step: number;
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const MAX_LINES = 6;

/** A scale that includes all values. */
export function scaleOf(values: readonly (number | null)[]): Scale {
  const highest = Math.max(1, ...values.map((value) => value ?? 0));
  const step = STEPS.find((one) => highest / one <= MAX_LINES) ?? 1_000;
  return { step, end: Math.ceil(highest / step) * step };
}

const WIDTH = 200;
const HEIGHT = 20;

/** A bar from the lower to the upper quartile with a mark at the median, and a dashed line to compare with. */
export function RangePlot(props: {
  /** The quartiles are null with too few companies. */
  readonly of: Pick<Stats, "pe_p25" | "pe_median" | "pe_p75">;
  readonly scale: Scale;
  readonly compared: number | null;
}) {
  const { pe_p25: p25, pe_median: median, pe_p75: p75 } = props.of;
  const { end, step } = props.scale;
  if (median === null) return <span class="muted">{MISSING}</span>;
  const x = (value: number) => (Math.min(value, end) / end) * WIDTH;
  const lines = Array.from({ length: end / step + 1 }, (_, i) => x(i * step));
  const range = p25 === null || p75 === null ? null : { from: p25, to: p75 };
  const text = range
    ? t("Half of the companies from {from} to {to}, median {median}", {
        from: formatNumber(range.from),
        to: formatNumber(range.to),
        median: formatNumber(median),
      })
    : `${t("Median")} ${formatNumber(median)}`;
  return (
    <svg class="range" viewBox={`-1 0 ${WIDTH + 2} ${HEIGHT}`} role="img" aria-label={text}>
      <title>{text}</title>
      {lines.map((at) => (
        <line key={at} class="range-line" x1={at} x2={at} y1="0" y2={HEIGHT} />
      ))}
      {range && (
        <rect x={x(range.from)} y="6" width={Math.max(1, x(range.to) - x(range.from))} height="8" />
      )}
      <line class="range-median" x1={x(median)} x2={x(median)} y1="3" y2="17" />
      {props.compared !== null && (
        <line
          class="range-compared"
          x1={x(props.compared)}
          x2={x(props.compared)}
          y1="0"
          y2={HEIGHT}
        />
      )}
    </svg>
  );
}
