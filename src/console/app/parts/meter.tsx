import { formatNumber } from "#console/app/format.ts";
import { type Caption, t, translate } from "#console/app/words.ts";

const HIGH_PERCENT = 80;

/** The used part of a limit, as a bar and in words: `hour 12 of 500`. */
export function Meter(props: {
  /** `hour` */
  readonly name: Caption;
  /** For screen readers: `Calls of laptop this hour`. */
  readonly label: string;
  readonly used: number;
  /** Null without a limit: then there is no bar. */
  readonly limit: number | null;
  /** True if it is good to reach the limit. */
  readonly isGood?: boolean;
}) {
  const { name, label, used, limit, isGood = false } = props;
  if (limit === null) {
    return (
      <div class="meter">
        <span class="meter-text">
          <span class="muted">{translate(name)}</span> {formatNumber(used, 0)}
        </span>
      </div>
    );
  }
  const percent = limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
  const level = percent >= HIGH_PERCENT && !isGood ? "high" : "";
  const text = t("{used} of {limit}", {
    used: formatNumber(used, 0),
    limit: formatNumber(limit, 0),
  });
  return (
    <div
      class="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(used, limit)}
      aria-valuetext={text}
    >
      <span class="meter-text">
        <span class="muted">{translate(name)}</span> {text}
      </span>
      <span class="meter-track">
        <span class={`meter-used ${level}`} style={{ width: `${percent}%` }} />
      </span>
    </div>
  );
}
