import type { ComponentChildren } from "preact";
import { nameInLanguage } from "#console/app/company-names.tsx";
import { INDEX_NAMES, INDICES } from "#console/app/parts/country.tsx";
import {
  type Interval,
  INTERVAL_NAMES,
  intervalOf,
  type Range,
  readRange,
} from "#console/app/parts/chart-range.ts";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { TermMeanings } from "#console/app/parts/meanings.tsx";
import { lazyPart } from "#console/app/parts/lazy-part.tsx";
import { ScaleTabs } from "#console/app/parts/scale-tabs.tsx";
import type { Subject } from "#console/app/parts/subject.ts";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { setQuery } from "#console/app/router.ts";
import { asIs, type Sentence, t } from "#console/app/words.ts";

const OverlayForm = lazyPart(() => import("./chart-tools.tsx").then((file) => file.OverlayForm));
const ExtrasForm = lazyPart(() => import("./chart-tools.tsx").then((file) => file.ExtrasForm));

/** The lengths of the moving averages, each with the colour of its line. */
export const AVERAGES = [
  { length: 20, color: 2 },
  { length: 50, color: 3 },
  { length: 200, color: 4 },
] as const;
/** The colour of the line of another instrument. */
export const OVERLAY_COLOR = 5;

const KINDS = ["Candles", "Line"] as const;

/** What is drawn below the prices, each in its own pane. */
const PANES = { rsi: "RSI", macd: "MACD" } as const;
export type Pane = keyof typeof PANES;
const PANE_NAMES = Object.keys(PANES) as Pane[];
const PANE_MEANINGS = {
  rsi: "Relative strength index, 0 to 100. Above 70 the price has risen fast, below 30 it has fallen fast.",
  macd: "The mean of 12 closes minus the mean of 26, and its signal. Above the signal, a rise gains speed.",
} as const satisfies Readonly<Record<Pane, Sentence>>;

const INTERVALS: Readonly<Record<Interval, Sentence>> = {
  "1d": "Daily",
  "1wk": "Weekly",
  "1mo": "Monthly",
};
/** The adjustments of prices, as the API names them. */
const ADJUSTMENTS = {
  split: "Adjusted for splits",
  none: "As traded",
  total: "With dividends",
} as const;
type Adjustment = keyof typeof ADJUSTMENTS;

/** What the user chose; it is in the query of the page. */
export interface Choice {
  readonly range: Range;
  readonly interval: Interval;
  readonly kind: (typeof KINDS)[number];
  readonly averages: readonly number[];
  readonly panes: readonly Pane[];
  readonly adjust: Adjustment;
  readonly hasEvents: boolean;
  /** Figures of the company, and lines of chosen lengths: `pe`, `eps`, `revenue`, `dividend`, `sma100`, `ema20`, `bb20`. */
  readonly extras: readonly string[];
  /** Another instrument, with which the price is compared in percent. */
  readonly overlay: Subject | null;
}

const EXTRA = /^(?:pe|eps|revenue|dividend|(?:sma|ema|bb)(?:[2-9]|[1-9]\d|[1-3]\d\d|400))$/;
/** The extras that have a pane. */
export const EXTRA_PANES: readonly string[] = ["pe", "eps", "revenue", "dividend"];

/** The choice in the query of a page. */
export function readChoice(query: URLSearchParams): Choice {
  const averages = (query.get("averages") ?? "50,200").split(",").map(Number);
  const panes = (query.get("panes") ?? "").split(",");
  const range = readRange(query);
  const intervals = Object.keys(INTERVALS) as Interval[];
  const adjustments = Object.keys(ADJUSTMENTS) as Adjustment[];
  const [, country, symbol] = /^(US|JP|VN):(.+)$/.exec(query.get("with") ?? "") ?? [];
  return {
    range,
    interval: intervals.find((one) => one === query.get("interval")) ?? intervalOf(range),
    kind: KINDS.find((kind) => kind === query.get("chart")) ?? "Candles",
    averages: AVERAGES.map(({ length }) => length).filter((length) => averages.includes(length)),
    panes: PANE_NAMES.filter((pane) => panes.includes(pane)),
    adjust: adjustments.find((one) => one === query.get("adjust")) ?? "split",
    hasEvents: query.get("events") !== "off",
    extras: [...new Set((query.get("extra") ?? "").split(","))].filter((one) => EXTRA.test(one)),
    overlay: country && symbol ? { country, symbol } : null,
  };
}

/** The choices in the head of the panel: scale and kind of chart. */
export function ChartActions({ choice }: { readonly choice: Choice }) {
  return (
    <>
      <ScaleTabs cannot={choice.overlay ? t("A comparison is always in percent.") : undefined} />
      <Tabs
        label="Kind of chart"
        tabs={KINDS}
        current={choice.kind}
        onChange={(kind) => setQuery({ chart: kind === "Candles" ? null : kind })}
      />
    </>
  );
}

/** The choices above the chart: bars, lines, events and another instrument. */
export function ChartChoices({
  subject,
  choice,
  isCompany,
}: {
  readonly subject: Subject;
  readonly choice: Choice;
  /** Only companies have figures below the price. */
  readonly isCompany: boolean;
}) {
  const byDefault = intervalOf(choice.range);
  return (
    <div class="chart-choices">
      <Choose
        label="Interval"
        options={INTERVALS}
        current={choice.interval}
        onChange={(one) => setQuery({ interval: one === byDefault ? null : one })}
      />
      <Indicators choice={choice} />
      <DialogButton text={t("More lines")} title={t("More lines")}>
        {(close) => <ExtrasForm extras={choice.extras} isCompany={isCompany} onClose={close} />}
      </DialogButton>
      <Overlay subject={subject} overlay={choice.overlay} />
      <Toggle
        isOn={choice.hasEvents}
        title={t("Earnings (E), dividends (D) and splits (S)")}
        onToggle={() => setQuery({ events: choice.hasEvents ? "off" : null })}
      >
        {t("Events")}
      </Toggle>
      <Choose
        label="Prices"
        options={ADJUSTMENTS}
        current={choice.adjust}
        onChange={(one) => setQuery({ adjust: one === "split" ? null : one })}
      />
    </div>
  );
}

/** What the choices do: a press on one changes the chart. */
export function ChoiceMeanings() {
  const lengths = AVERAGES.map(({ length }) => length).join(", ");
  return (
    <TermMeanings
      title="What the choices mean"
      terms={[
        [
          `${t("Linear")}, ${t("Log")}`,
          t("On a log axis, equal distances are equal percentages, which suits long ranges."),
        ],
        [`SMA ${lengths}`, t("Simple moving average: the mean of the last closes.")],
        ...PANE_NAMES.map((pane) => [PANES[pane], t(PANE_MEANINGS[pane])] as const),
        [
          `+ ${t("Compare")}`,
          t("Draws another company or the index of the country, both in percent of the range."),
        ],
        [t("Events"), t("Earnings (E), dividends (D) and splits (S)")],
        [
          t("Prices"),
          t(
            "Adjusted for splits: per share of today. As traded: as paid then. With dividends: less the dividends since.",
          ),
        ],
      ]}
    />
  );
}

function Toggle(props: {
  readonly isOn: boolean;
  readonly title: string;
  readonly onToggle: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <button type="button" aria-pressed={props.isOn} title={props.title} onClick={props.onToggle}>
      {props.children}
    </button>
  );
}

/** Switches moving averages and panes on and off. */
function Indicators({ choice }: { readonly choice: Choice }) {
  const { averages, panes } = choice;
  const toggled = <T,>(list: readonly T[], one: T) =>
    list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
  return (
    <div class="tabs" role="group" aria-label={t("Indicators")}>
      {AVERAGES.map(({ length, color }) => (
        <Toggle
          key={length}
          isOn={averages.includes(length)}
          title={t("Mean of the last {count} closes", { count: length })}
          onToggle={() => setQuery({ averages: toggled(averages, length).join(",") || "none" })}
        >
          <span class={`swatch series-${color}`} aria-hidden="true" /> SMA {length}
        </Toggle>
      ))}
      {PANE_NAMES.map((pane) => (
        <Toggle
          key={pane}
          isOn={panes.includes(pane)}
          title={t(PANE_MEANINGS[pane])}
          onToggle={() => setQuery({ panes: toggled(panes, pane).join(",") || null })}
        >
          {PANES[pane]}
        </Toggle>
      ))}
    </div>
  );
}

/** The instrument that the price is compared with, or the choice of one. */
function Overlay(props: { readonly subject: Subject; readonly overlay: Subject | null }) {
  const { subject, overlay } = props;
  const compareWith = (one: Subject | null) =>
    setQuery({ with: one && `${one.country}:${one.symbol}` });
  if (overlay !== null) {
    return (
      <button
        type="button"
        aria-label={t("Compare with {symbol} no longer", { symbol: overlay.symbol })}
        onClick={() => compareWith(null)}
      >
        <span class={`swatch series-${OVERLAY_COLOR}`} aria-hidden="true" /> {overlay.symbol} ×
      </button>
    );
  }
  const index = INDICES[subject.country];
  return (
    <div class="tabs">
      {index && index !== subject.symbol && (
        <button
          type="button"
          onClick={() => compareWith({ country: subject.country, symbol: index })}
        >
          {t("vs {index}", {
            index: nameInLanguage(
              { country: subject.country, symbol: index },
              INDEX_NAMES[subject.country] ?? index,
            ),
          })}
        </button>
      )}
      <DialogButton text={`+ ${t("Compare")}`} title={asIs(`+ ${t("Compare")}`)}>
        {(close) => (
          <OverlayForm
            subject={subject}
            onClose={close}
            onPick={(picked) => {
              compareWith(picked);
              close();
            }}
          />
        )}
      </DialogButton>
    </div>
  );
}

/** A choice of one among few, as a list that opens. */
function Choose<T extends string>(props: {
  readonly label: Sentence;
  readonly options: Readonly<Record<T, Sentence>>;
  readonly current: T;
  readonly onChange: (one: T) => void;
}) {
  const { options } = props;
  return (
    <select
      aria-label={t(props.label)}
      value={props.current}
      onChange={(event) => props.onChange(event.currentTarget.value as T)}
    >
      {(Object.keys(options) as T[]).map((one) => (
        <option key={one} value={one}>
          {t(options[one])}
        </option>
      ))}
    </select>
  );
}

/** What a bar of the choice is, in the plural. */
export const unitOf = ({ interval }: Choice) => INTERVAL_NAMES[interval];
