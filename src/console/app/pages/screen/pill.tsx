import { queryOf, useConsole, useData } from "#console/app/api.ts";
import { useState } from "preact/hooks";
import { formatNumber, formatText } from "#console/app/format.ts";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { DraftInput } from "#console/app/parts/draft-input.tsx";
import type { Metric } from "#console/app/parts/metrics.tsx";
import { place } from "#console/app/router.ts";
import { type Shown, t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { callOf, readChoice } from "./choice.ts";
import { type Bounds, type Limit, showLimit } from "./conditions.ts";
import { readLimit } from "./limit.ts";
import { placeWithin, type Scale, scaleOf, stopsOf } from "./scale.ts";

type Distribution = AnswerTo<"GET distribution">;

/** A filter of one metric: the histogram of the market, the range, and a dialog that changes it. */
export function FilterPill(props: {
  readonly metric: Metric;
  readonly bounds: Bounds;
  /** The filter in words. */
  readonly text: Shown;
  readonly country: string;
  /** Of an amount. */
  readonly currency: string | undefined;
  readonly onChange: (next: Bounds) => void;
}) {
  const { metric, bounds, text, country, currency, onChange } = props;
  const query = queryOf({ country, metrics: metric.name });
  const found = useConsole("GET distribution", query).value;
  const scale = found && scaleOf(found, metric.unit);
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
            {found && <Histogram of={found} bounds={bounds} scale={scale} />}
            {found && scale && (
              <Handles
                of={found}
                scale={scale}
                bounds={bounds}
                unit={metric.unit}
                currency={currency}
                onChange={onChange}
              />
            )}
            <Limits bounds={bounds} currency={currency} onChange={onChange} />
            <Matching />
            <p class="muted">{translate(metric.description)}</p>
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

/** How many companies have each figure; those within the bounds are coloured. @param scale of the handles below */
function Histogram(props: {
  readonly of: Distribution;
  readonly bounds: Bounds;
  readonly scale?: Scale | null;
}) {
  const { of, bounds, scale } = props;
  const { counts, low } = of;
  const most = Math.max(1, ...counts);
  const width = widthOf(of);
  const { low: from, high: to } = bounds;
  const isWithin = (i: number) => {
    const middle = low + (i + 0.5) * width;
    return (from === null || middle >= from.value) && (to === null || middle <= to.value);
  };
  const [left, across] = scale
    ? [(scale.low - low) / width, (scale.high - scale.low) / width]
    : [0, counts.length];
  return (
    <svg
      class="histogram"
      viewBox={`${left} 0 ${across} 1`}
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

/** What a limit is called: `At least`, or `More than` without the limit itself. */
const sideName = (side: keyof Bounds, limit: Limit | null) =>
  side === "low"
    ? t(limit?.isStrict ? "More than" : "At least")
    : t(limit?.isStrict ? "Less than" : "At most");

interface SideProps {
  readonly scale: Scale;
  readonly unit: string;
  readonly currency: string | undefined;
  readonly bounds: Bounds;
  readonly onChange: (next: Bounds) => void;
}

/** A handle below the histogram. It begins at the limit of the filter; at its end, it means no limit. */
function Handle(props: SideProps & { readonly side: keyof Bounds }) {
  const { scale, bounds, unit, currency, onChange, side } = props;
  const limit = bounds[side];
  const stops = stopsOf(scale, bounds, side);
  const at = stops.indexOf(limit);
  // Where the handle is while it is being moved.
  const [moved, setMoved] = useState<number | null>(null);
  const shown = stops[moved ?? at] ?? null;
  const text = shown === null ? t("any") : showLimit(shown, unit, currency);
  const placeOf = (field: HTMLInputElement) => {
    const place = placeWithin(stops, bounds, side, Number(field.value));
    field.value = String(place);
    return place;
  };
  return (
    <label>
      <span>
        {sideName(side, limit)} <b>{text}</b>
      </span>
      <input
        type="range"
        min={0}
        max={stops.length - 1}
        value={moved ?? at}
        aria-valuetext={text}
        onInput={(event) => setMoved(placeOf(event.currentTarget))}
        onChange={(event) => {
          setMoved(null);
          onChange({ ...bounds, [side]: stops[placeOf(event.currentTarget)] ?? null });
        }}
      />
    </label>
  );
}

/** Two handles below the histogram. */
function Handles(props: SideProps & { readonly of: Distribution }) {
  const { of, ...side } = props;
  return (
    <div class="handles">
      <Handle {...side} side="low" />
      <Handle {...side} side="high" />
      <p class="muted">
        {t("The market has this figure of {count} companies.", {
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
        t("Companies that meet all filters: {count}", { count: formatNumber(value.data.total, 0) })}
    </p>
  );
}

/** The exact limits as numbers. Another number does not change how strict the limit is. */
function Limits(props: Pick<SideProps, "bounds" | "currency" | "onChange">) {
  const { bounds, currency: unit, onChange } = props;
  const field = (side: keyof Bounds) => {
    const before = bounds[side];
    return (
      <label>
        {unit === undefined
          ? sideName(side, before)
          : t("{figure}, {unit}", { figure: sideName(side, before), unit })}
        <DraftInput
          size={10}
          value={formatText(before?.text ?? "")}
          onDone={(text, input) => {
            const { value, error } = readLimit(text);
            input.setCustomValidity(error);
            if (!input.reportValidity()) return;
            const isStrict = before?.isStrict ?? false;
            onChange({ ...bounds, [side]: value && { ...value, isStrict } });
          }}
        />
      </label>
    );
  };
  return (
    <div class="filter-row">
      {field("low")}
      {field("high")}
    </div>
  );
}
