import { useData } from "#console/app/api.ts";
import { formatMonth, formatNumber } from "#console/app/format.ts";
import { useMeanings } from "#console/app/parts/meanings.tsx";
import { NoRecord, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { t, translate } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { FiguresPanels } from "./overview.tsx";
import { figuresCall, ownHistoryCall, rowOf } from "./figures.tsx";
import type { TabProps } from "./tab-props.ts";

/** The multiples that have a history, with their labels. */
const MULTIPLES = {
  pe: "P/E",
  pb: "P/B",
  ps: "P/S",
  ev_ebitda: "EV/EBITDA",
  dividend_yield: "Dividend yield",
} as const;
type Multiple = keyof typeof MULTIPLES;

const BAND =
  "The company is compared with its own past. The shaded band holds the middle 80% of its figures: a figure in the band is usual for this company. The dashed line is the median.";

/** The pasts that a reader can choose. */
const PASTS = ["5Y", "10Y"] as const;
/** What a past consists of. */
const POINTS = ["By month", "By week"] as const;

/** All multiples against their own past. */
function ValuationPanels({ subject }: { readonly subject: Subject }) {
  const past = PASTS.find((one) => one === place.value.query.get("past")) ?? "10Y";
  const isWeekly = place.value.query.get("points") === "weekly";
  return (
    <>
      <div class="filter-row">
        <Tabs
          label="Compared with"
          tabs={PASTS}
          current={past}
          textOf={(one) => one}
          onChange={(one) => setQuery({ past: one === "10Y" ? null : one })}
        />
        <Tabs
          label="Points"
          tabs={POINTS}
          current={isWeekly ? "By week" : "By month"}
          onChange={(one) => setQuery({ points: one === "By week" ? "weekly" : null })}
        />
      </div>
      <div class="columns five">
        {(Object.keys(MULTIPLES) as Multiple[]).map((metric) => (
          <ValuationPanel key={metric} {...{ subject, metric, past, isWeekly }} />
        ))}
      </div>
    </>
  );
}

/** One multiple against its own past: dear or cheap for this company? */
export function ValuationPanel(props: {
  readonly subject: Subject;
  readonly metric: Multiple;
  readonly past?: (typeof PASTS)[number];
  /** By week ends instead of month ends. */
  readonly isWeekly?: boolean;
}) {
  const { subject, metric, past = "10Y", isWeekly = false } = props;
  const range = past === "5Y" ? "5y" : "10y";
  const call = ownHistoryCall(subject, metric, range, isWeekly ? "1wk" : undefined);
  const history = useData(call);
  const meaning = useMeanings()(metric);
  return (
    <Panel
      title={MULTIPLES[metric]}
      meaning={meaning && `${meaning} ${t(BAND)}`}
      calls={[call]}
      answer={history.value}
    >
      <div class="band-frame">
        <Loaded of={history} lines={5}>
          {({ data }) => <History {...{ subject, data, metric, isWeekly }} />}
        </Loaded>
      </div>
    </Panel>
  );
}

/** The P/E of the expected earnings; nothing if it is not known. */
function ForwardPe({ subject }: { readonly subject: Subject }) {
  const forward = numberIn(rowOf(useData(figuresCall(subject))), "forward_pe");
  return forward === null ? null : (
    <span class="band-forward">{t("Forward {figure}", { figure: formatNumber(forward) })}</span>
  );
}

function History(props: {
  readonly subject: Subject;
  readonly data: PayloadOf<"get_valuation_history">;
  readonly metric: Multiple;
  readonly isWeekly: boolean;
}) {
  const { subject, data, metric, isWeekly } = props;
  const label = MULTIPLES[metric];
  const {
    today = null,
    median = null,
    p10 = null,
    p90 = null,
    percentile = null,
  } = data.metrics[metric] ?? {};
  const points = rowsOf(data).flatMap((row) => {
    const value = numberIn(row, metric);
    return value === null ? [] : [{ date: textIn(row, "date"), value }];
  });
  const [first] = points;
  if (!first || median === null || p10 === null || p90 === null) {
    return (
      <NoRecord>
        {t("There are too few values of {figure} to compare.", { figure: translate(label) })}
      </NoRecord>
    );
  }
  const unit = metric === "dividend_yield" ? "%" : "";
  return (
    <>
      <p>
        <b class="large">
          {formatNumber(today)}
          {today !== null && unit}
        </b>{" "}
        {today === null || percentile === null
          ? t("No value today, for example because of a loss.")
          : today === median
            ? t("The same as its median since {month}.", { month: formatMonth(first.date) })
            : conclusionOf(metric, percentile, isWeekly, {
                month: formatMonth(first.date),
                median: formatNumber(median) + unit,
              })}
      </p>
      <Band points={points} low={p10} middle={median} high={p90} unit={unit} />
      <p class="band-ends muted">
        <span>{formatMonth(first.date)}</span>
        <span>{formatMonth(points.at(-1)?.date ?? first.date)}</span>
        {metric === "pe" && <ForwardPe subject={subject} />}
      </p>
    </>
  );
}

/** The sentences for a figure that is low or high for its company. */
const CONCLUSIONS = {
  multiple: {
    months: {
      low: "Cheaper than in {percent}% of its months since {month} (median {median}).",
      high: "More expensive than in {percent}% of its months since {month} (median {median}).",
    },
    weeks: {
      low: "Cheaper than in {percent}% of its weeks since {month} (median {median}).",
      high: "More expensive than in {percent}% of its weeks since {month} (median {median}).",
    },
  },
  yield: {
    months: {
      low: "Lower than in {percent}% of its months since {month} (median {median}).",
      high: "Higher than in {percent}% of its months since {month} (median {median}).",
    },
    weeks: {
      low: "Lower than in {percent}% of its weeks since {month} (median {median}).",
      high: "Higher than in {percent}% of its weeks since {month} (median {median}).",
    },
  },
} as const;

/** Cheap or dear for this company, as a sentence. @param percentile percent of the points with a lower figure */
function conclusionOf(
  metric: Multiple,
  percentile: number,
  isWeekly: boolean,
  values: { readonly month: string; readonly median: string },
): string {
  const isLow = percentile < 50;
  const kind = metric === "dividend_yield" ? "yield" : "multiple";
  const sentence = CONCLUSIONS[kind][isWeekly ? "weeks" : "months"][isLow ? "low" : "high"];
  return t(sentence, {
    ...values,
    percent: formatNumber(isLow ? 100 - percentile : percentile, 0),
  });
}

/** A multiple at the end of a month or a week. */
interface Point {
  readonly date: string;
  readonly value: number;
}

/** A line with the band in which it is four fifths of the time. The sentence above is its text alternative. */
function Band(props: {
  readonly points: readonly Point[];
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly unit: string;
}) {
  const { points, low, middle, high, unit } = props;
  const values = points.map(({ value }) => value);
  // A year of a small profit can have a hundred times the usual multiple: the line leaves the picture then.
  const bottom = Math.max(2 * low - high, Math.min(low, ...values));
  const top = Math.min(2 * high - low, Math.max(high, ...values));
  const y = (value: number) => 100 - (100 * (value - bottom)) / (top - bottom || 1);
  const end = Math.max(1, values.length - 1);
  const peak = values.indexOf(Math.max(...values));
  const { date = "", value: highest = top } = points[peak] ?? {};
  const percent = `${(100 * peak) / end}%`;
  const marks = [
    [high, "90%"],
    [middle, t("median")],
    [low, "10%"],
  ] as const;
  return (
    <div class="band" aria-hidden="true">
      <svg viewBox={`0 0 ${end} 100`} preserveAspectRatio="none">
        <rect x="0" width={end} y={y(high)} height={y(low) - y(high)} />
        <line x1="0" x2={end} y1={y(middle)} y2={y(middle)} />
        <polyline points={values.map((value, x) => `${x},${y(value).toFixed(2)}`).join(" ")} />
      </svg>
      {highest > top && (
        <div class="band-peak muted">
          <span style={{ left: percent, transform: `translateX(-${percent})` }}>
            ▲ {formatNumber(highest)}
            {unit} {formatMonth(date)}
          </span>
        </div>
      )}
      <div class="band-marks muted">
        {marks.map(([value, text]) => (
          <span key={text} style={{ top: `${y(value)}%` }}>
            {formatNumber(value)}
            {unit} {text}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The multiples against their past, and all figures of the overview. */
export function ValuationTab({ subject, overview, isCompany }: TabProps) {
  return (
    <>
      <ValuationPanels subject={subject} />
      <p class="muted">
        {t(
          "A company is compared with its own past. The shaded band holds the middle 80% of its figures. A verdict always compares with the month ends of ten years. A multiple above 69% of them is Expensive, above 84% Very expensive, below 69% Cheap and below 84% Very cheap. Anything else is Fair. With fewer than 24 month ends, there is no verdict.",
        )}
      </p>
      {isCompany !== null && (
        <FiguresPanels subject={subject} overview={overview} isCompany={isCompany} />
      )}
    </>
  );
}
