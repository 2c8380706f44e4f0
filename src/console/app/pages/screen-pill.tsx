import { queryOf, useConsole, useData } from "#console/app/api.ts";
import { formatNumber, formatShort } from "#console/app/format.ts";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { DraftInput } from "#console/app/parts/draft-input.tsx";
import type { Metric } from "#console/app/parts/metrics.tsx";
import { place } from "#console/app/router.ts";
import { t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { callOf, readChoice } from "./screen-choice.ts";
import { type Bounds, describeBounds, readLimit } from "./screen-conditions.ts";

type Distribution = AnswerTo<"GET distribution">;

/** A filter of one metric: the histogram of the market, the range, and a dialog that changes it. */
export function FilterPill(props: {
  readonly metric: Metric;
  readonly bounds: Bounds;
  readonly country: string;
  readonly onChange: (next: Bounds) => void;
}) {
  const { metric, bounds, country, onChange } = props;
  const query = queryOf({ country, metrics: metric.name });
  const found = useConsole("GET distribution", query).value;
  const text = describeBounds(bounds, translate(metric.title));
  return (
    <li class="pill">
      <DialogButton
        text={
          <>
            {found ? <Histogram of={found} bounds={bounds} /> : <svg class="histogram" />}
            {text}
          </>
        }
        title={text}
      >
        {(close) => (
          <div class="stack">
            {found && <Histogram of={found} bounds={bounds} />}
            {found && <Handles of={found} bounds={bounds} onChange={onChange} />}
            <Limits bounds={bounds} onChange={onChange} />
            <Matching />
            <p class="muted">{metric.description}</p>
            <div class="buttons">
              <button type="button" class="primary" onClick={close}>
                {t("Close")}
              </button>
            </div>
          </div>
        )}
      </DialogButton>
      <button
        type="button"
        class="quiet"
        aria-label={t("Remove {filter}", { filter: text })}
        onClick={() => onChange({ low: null, high: null })}
      >
        ×
      </button>
    </li>
  );
}

const widthOf = ({ low, high, counts }: Distribution) => (high - low) / counts.length;

/** How many companies have each figure; those within the bounds are coloured. */
function Histogram({ of, bounds }: { readonly of: Distribution; readonly bounds: Bounds }) {
  const { counts, low } = of;
  const most = Math.max(1, ...counts);
  const { low: from, high: to } = bounds;
  const isWithin = (i: number) => {
    const middle = low + (i + 0.5) * widthOf(of);
    return (from === null || middle >= from.value) && (to === null || middle <= to.value);
  };
  return (
    <svg
      class="histogram"
      viewBox={`0 0 ${counts.length} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {counts.map((count, i) => (
        <rect
          key={i}
          class={isWithin(i) ? "within" : ""}
          x={i + 0.1}
          width="0.8"
          y={1 - count / most}
          height={count / most}
        />
      ))}
    </svg>
  );
}

/** Two handles below the histogram. At its ends, they mean no limit. */
function Handles(props: {
  readonly of: Distribution;
  readonly bounds: Bounds;
  readonly onChange: (next: Bounds) => void;
}) {
  const { of, bounds, onChange } = props;
  const last = of.counts.length;
  const placeOf = (limit: Bounds["low"], missing: number) =>
    limit === null || of.high === of.low
      ? missing
      : Math.max(0, Math.min(last, Math.round((limit.value - of.low) / widthOf(of))));
  const [from, to] = [placeOf(bounds.low, 0), placeOf(bounds.high, last)];
  const limitAt = (place: number): Bounds["low"] => {
    const value = Number((of.low + place * widthOf(of)).toPrecision(3));
    return { value, text: String(value), isStrict: false };
  };
  const textOf = (place: number) => formatShort(limitAt(place)?.value ?? 0);
  return (
    <div class="handles">
      <label>
        <span>
          {t("At least")} <b>{from === 0 ? t("any") : textOf(from)}</b>
        </span>
        <input
          type="range"
          min={0}
          max={last}
          value={from}
          aria-valuetext={from === 0 ? t("any") : textOf(from)}
          onChange={(event) => {
            const place = Math.min(Number(event.currentTarget.value), to - 1);
            onChange({ ...bounds, low: place <= 0 ? null : limitAt(place) });
          }}
        />
      </label>
      <label>
        <span>
          {t("At most")} <b>{to === last ? t("any") : textOf(to)}</b>
        </span>
        <input
          type="range"
          min={0}
          max={last}
          value={to}
          aria-valuetext={to === last ? t("any") : textOf(to)}
          onChange={(event) => {
            const place = Math.max(Number(event.currentTarget.value), from + 1);
            onChange({ ...bounds, high: place >= last ? null : limitAt(place) });
          }}
        />
      </label>
      <p class="muted">
        {t("{count} companies of the market have this figure.", {
          count: formatNumber(
            of.counts.reduce((sum, count) => sum + count, 0),
            0,
          ),
        })}
      </p>
    </div>
  );
}

/** How many companies meet all filters; the count stays while another one is loaded. */
function Matching() {
  const { value } = useData(callOf(readChoice(place.value.query)));
  return (
    <p class="matching" role="status">
      {value &&
        t("{count} companies meet all filters.", { count: formatNumber(value.data.total, 0) })}
    </p>
  );
}

/** The exact limits as numbers. */
function Limits(props: { readonly bounds: Bounds; readonly onChange: (next: Bounds) => void }) {
  const { bounds, onChange } = props;
  const field = (side: "low" | "high", label: string) => (
    <label>
      {label}
      <DraftInput
        size={10}
        value={bounds[side]?.text ?? ""}
        onDone={(text, input) => {
          const limit = readLimit(text);
          input.setCustomValidity(limit.error);
          if (!input.reportValidity()) return;
          onChange({ ...bounds, [side]: limit.value });
        }}
      />
    </label>
  );
  return (
    <div class="filter-row">
      {field("low", t("At least"))}
      {field("high", t("At most"))}
    </div>
  );
}
