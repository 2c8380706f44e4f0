import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import {
  type Answer,
  type AnswerOf,
  type Call,
  callOperation,
  dataKey,
  queryOf,
  useResource,
} from "#console/app/api.ts";
import { formatDate, formatDayOfMonth, formatMonth, formatNumber } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import {
  datesText,
  INTERVAL_NAMES,
  type Interval,
  intervalOf,
  type Range,
  RANGES,
  readRange,
  returnsCall,
} from "#console/app/parts/chart-range.ts";
import type { ChartSeries } from "#console/app/parts/chart-drawing.ts";
import type { ChartProps } from "#console/app/parts/chart.tsx";
import { type RangeReturn, readReturns } from "#console/app/parts/range-returns.ts";
import { LazyChart } from "#console/app/parts/lazy-chart.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { scaleNow, ScaleTabs } from "#console/app/parts/scale-tabs.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

/** An instrument of the comparison. */
export interface Line {
  readonly country: string;
  readonly symbol: string;
  readonly name: string;
}

/** The closes of an instrument by period: the day, the Monday of the week, or the first of the month. */
type Closes = ReadonlyMap<string, number>;

/** The prices of all instruments, rebased to 100 where the range begins. Without lines they are being loaded. */
export function LinesPanel(props: {
  readonly lines: readonly Line[];
  /** Undefined for the own currency of each instrument. */
  readonly currency: string | undefined;
}) {
  const { lines, currency } = props;
  const range = readRange(place.value.query);
  const calls = lines.map(({ country, symbol }): Call<"get_stock_price_history"> => ({
    operation: "get_stock_price_history",
    args: { country, symbol, range: range.toLowerCase(), interval: intervalOf(range), currency },
  }));
  const returnCall = returnsCall(range, lines, currency);
  const key =
    lines.length === 0
      ? null
      : dataKey(`lines ${calls.map(({ args }) => queryOf(args)).join(" ")}`);
  const histories = useResource(key, async () => ({
    lines,
    range,
    currency,
    answers: await Promise.all(calls.map((call) => callOperation(call))),
    returns: readReturns((await callOperation(returnCall)).data, lines),
  }));
  const picture = useRef<(() => HTMLCanvasElement) | null>(null);
  return (
    <Panel
      title="Prices, rebased to 100"
      picture={{
        name: `${lines.map(({ symbol }) => symbol).join(" ")}.png`,
        take: () => picture.current?.(),
      }}
      calls={[...calls, returnCall]}
      answer={histories.value && provenanceOf(histories.value.answers)}
      actions={
        <>
          <RangeTabs />
          <ScaleTabs />
        </>
      }
    >
      <div class="chart-body compare-lines">
        <Loaded of={histories} lines={12}>
          {(loaded) => <Lines {...loaded} picture={picture} />}
        </Loaded>
      </div>
    </Panel>
  );
}

/** The choice of the range that prices and correlations cover. */
export function RangeTabs() {
  return (
    <Tabs
      label="Range"
      tabs={RANGES}
      current={readRange(place.value.query)}
      onChange={(one) => setQuery({ range: one === "1Y" ? null : one })}
    />
  );
}

/** All sources, and the age of the oldest answer. */
function provenanceOf(answers: readonly AnswerOf<"get_stock_price_history">[]): Answer<null> {
  const sources = answers.flatMap(({ source }) => source?.split(/, */) ?? []);
  const ages = answers.flatMap(({ ageSeconds }) => ageSeconds ?? []);
  return {
    data: null,
    source: [...new Set(sources)].join(", ") || null,
    etag: null,
    ageSeconds: ages.length === 0 ? null : Math.max(...ages),
    missing: answers.find(({ missing }) => missing !== null)?.missing ?? null,
  };
}

function Lines(props: {
  readonly lines: readonly Line[];
  readonly answers: readonly AnswerOf<"get_stock_price_history">[];
  readonly returns: readonly (RangeReturn | null)[];
  readonly range: Range;
  readonly currency: string | undefined;
  readonly picture: NonNullable<ChartProps["picture"]>;
}) {
  const { lines, answers, returns, range, currency } = props;
  const [date, setDate] = useState<string | null>(null);
  const interval = intervalOf(range);
  const starts = range === "Max" ? null : startsOf(returns);
  const { base, dates, values } = useMemo(
    () =>
      rebase(
        answers.map(({ data }) => closesByPeriod(data, interval)),
        starts,
        interval,
      ),
    [answers],
  );
  const series = useMemo(
    () =>
      values.map((line, i): ChartSeries => ({
        kind: "line",
        color: i + 1,
        title: lines[i]?.symbol ?? "",
        points: [...line].map(([at, value]) => ({ date: at, value })),
      })),
    [values],
  );
  const textOf = useCallback(
    (at: string) => {
      const figures = lines.map(({ symbol }, i) => `${symbol} ${formatNumber(values[i]?.get(at))}`);
      return at === "" ? "" : `${formatPeriod(at, interval)}: ${figures.join(", ")}`;
    },
    [lines, values, interval],
  );
  if (base === null) {
    return (
      <Empty>
        {t("These instruments have no date in common in this range. Choose a longer one.")}
      </Empty>
    );
  }
  return (
    <>
      <Legend
        lines={lines}
        values={values}
        date={date}
        newest={dates.at(-1) ?? base}
        interval={interval}
      />
      <LazyChart
        label={t("Prices, rebased to 100")}
        series={series}
        dates={dates}
        from={base}
        decimals={1}
        scale={scaleNow()}
        picture={props.picture}
        onDate={setDate}
        textOf={textOf}
      />
      <Basis base={base} starts={starts} interval={interval} currency={currency} />
    </>
  );
}

/** What the values are percentages of. */
function Basis(props: {
  readonly base: string;
  readonly starts: readonly RangeReturn[] | null;
  readonly interval: Interval;
  readonly currency: string | undefined;
}) {
  const { base, starts, interval, currency } = props;
  return (
    <p class="muted">
      {starts
        ? t("Each price is 100 at its last close before the range, of {dates}.", {
            dates: datesText(starts.map(({ from }) => from)),
          })
        : t("Each price is 100 in the first period that all have: {period}.", {
            period: formatPeriod(base, interval),
          })}{" "}
      {t("Closes of {interval}, {currency}, without dividends.", {
        interval: t(INTERVAL_NAMES[interval]),
        currency: currency ?? t("in the currency of each instrument"),
      })}
    </p>
  );
}

/** The value of each instrument under the pointer, or its newest one, with its date if the dates differ. */
function Legend(props: {
  readonly lines: readonly Line[];
  readonly values: readonly Closes[];
  readonly date: string | null;
  readonly newest: string;
  readonly interval: Interval;
}) {
  const { lines, values, date, newest, interval } = props;
  const ends = values.map((line) => [...line.keys()].at(-1) ?? newest);
  const haveOwnDates = date === null && new Set(ends).size > 1;
  return (
    <p class="legend">
      <b>
        {haveOwnDates ? (
          t("Newest closes")
        ) : (
          <time dateTime={date ?? newest}>{formatPeriod(date ?? newest, interval)}</time>
        )}
      </b>
      {lines.map(({ country, symbol, name }, i) => {
        const end = ends[i] ?? newest;
        const value = values[i]?.get(date ?? end);
        return (
          <span key={`${country}:${symbol}`} title={name}>
            <span class={`swatch series-${i + 1}`} aria-hidden="true" /> <b>{symbol}</b>{" "}
            {formatNumber(value)} <Change value={value === undefined ? null : value - 100} />
            {haveOwnDates && (
              <>
                {" "}
                <time class="muted" dateTime={end}>
                  {interval === "1d" ? formatDayOfMonth(end) : formatPeriod(end, interval)}
                </time>
              </>
            )}
          </span>
        );
      })}
    </p>
  );
}

/**
 * Markets end a week on different days, so a week or month has its first day as its date. Closes before the
 * first rate of their currency are left out.
 */
function closesByPeriod(
  { dates = [], closes = [] }: PayloadOf<"get_stock_price_history">,
  interval: Interval,
): Closes {
  const known = dates.map((date, i) => [periodOf(date, interval), closes[i] ?? null] as const);
  return new Map(known.flatMap(([date, close]) => (close === null ? [] : [[date, close]])));
}

function periodOf(date: string, interval: Interval): string {
  if (interval === "1d") return date;
  if (interval === "1mo") return `${date.slice(0, 7)}-01`;
  const monday = new Date(`${date}T00:00:00Z`);
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
  return monday.toISOString().slice(0, 10);
}

/** The name of a period: `20 Nov 2026`, `week of 16 Nov 2026`, `Nov 2026`. */
function formatPeriod(date: string, interval: Interval): string {
  if (interval === "1mo") return formatMonth(date);
  return interval === "1wk" ? t("week of {date}", { date: formatDate(date) }) : formatDate(date);
}

/** The closes before the range; null if the prices of an instrument begin later. */
function startsOf(returns: readonly (RangeReturn | null)[]): readonly RangeReturn[] | null {
  const starts = returns.filter((one) => one !== null && one.percent !== null);
  return starts.length === returns.length ? (starts as RangeReturn[]) : null;
}

/**
 * Divides each close by the instrument's close before the range, times 100, so that the newest value shows its
 * return; without such closes, by the close of the first common date. Base is the first date, null without one.
 */
function rebase(
  all: readonly Closes[],
  starts: readonly RangeReturn[] | null,
  interval: Interval,
): {
  readonly base: string | null;
  readonly dates: readonly string[];
  readonly values: readonly Closes[];
} {
  const [first, ...others] = all;
  const common =
    [...(first?.keys() ?? [])].find((date) => others.every((closes) => closes.has(date))) ?? null;
  if (common === null) return { base: null, dates: [], values: [] };
  const values = all.map((closes, i) => {
    const start = starts?.[i];
    const divisor = start?.fromClose ?? closes.get(common) ?? Number.NaN;
    const from = start ? periodOf(start.from, interval) : common;
    const after = [...closes].filter(([date]) => date >= from);
    return new Map(after.map(([date, close]) => [date, (100 * close) / divisor]));
  });
  const dates = [...new Set(values.flatMap((line) => [...line.keys()]))].toSorted();
  return { base: dates[0] ?? null, dates, values };
}
