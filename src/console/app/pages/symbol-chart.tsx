import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { type Call, callOperation, queryOf, useResource } from "#console/app/api.ts";
import { decimalsOf, formatDate, formatNumber, formatShort } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import {
  FIRST_DATE,
  INTERVAL_NAMES,
  intervalOf,
  type Range,
  type RangeReturn,
  RANGES,
  readRange,
  readReturns,
  returnsCall,
} from "#console/app/parts/chart-range.ts";
import type { Bar, ChartSeries, Point } from "#console/app/parts/chart.tsx";
import { LazyChart } from "#console/app/parts/lazy-chart.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { isLogarithmic, ScaleTabs } from "#console/app/parts/scale-tabs.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import type { PayloadOf } from "#operations/index.ts";

/** The lengths of the moving averages, each with the colour of its line. */
const AVERAGES = [
  { length: 20, color: 2 },
  { length: 50, color: 3 },
  { length: 200, color: 4 },
] as const;

const KINDS = ["Candles", "Line"] as const;

/** What the user chose; it is in the query of the page. */
interface Choice {
  readonly range: Range;
  readonly kind: (typeof KINDS)[number];
  readonly averages: readonly number[];
}

function readChoice(query: URLSearchParams): Choice {
  const averages = (query.get("averages") ?? "50,200").split(",").map(Number);
  return {
    range: readRange(query),
    kind: KINDS.find((kind) => kind === query.get("chart")) ?? "Candles",
    averages: AVERAGES.map(({ length }) => length).filter((length) => averages.includes(length)),
  };
}

/** The 600 newest bars; more than a range shows, so that its averages begin with it. */
function callOf(subject: Subject, range: Range): Call<"get_stock_price_history"> {
  return {
    operation: "get_stock_price_history",
    args: {
      ...subject,
      from: FIRST_DATE,
      interval: intervalOf(range),
      fields: "ohlcv",
      limit: 600,
      snapshot: false,
    },
  };
}

/** Price, volume and moving averages. */
export function PricePanel(props: {
  readonly subject: Subject;
  readonly performance: Readonly<Record<string, string>> | undefined;
}) {
  const { subject, performance } = props;
  const choice = readChoice(place.value.query);
  const call = callOf(subject, choice.range);
  const interval = intervalOf(choice.range);
  const history = useResource(`chart ${queryOf(call.args)}`, async () => ({
    interval,
    answer: await callOperation(call),
  }));
  const returnCall = returnsCall(choice.range, [subject]);
  const returns = useResource(`return ${queryOf(returnCall.args)}`, async () => ({
    range: choice.range,
    answer: await callOperation(returnCall),
  }));
  // Until the bars and the return of the chosen range are there, the chart shows the previous range.
  const shown = useRef<Shown | null>(null);
  if (history.value?.interval === interval && returns.value?.range === choice.range) {
    const [found = null] = readReturns(returns.value.answer.data);
    shown.current = { range: choice.range, return: found };
  }
  return (
    <Panel
      title="Price"
      class="price-panel"
      calls={[call, returnCall]}
      answer={history.value?.answer}
      actions={
        <>
          <ScaleTabs />
          <Tabs
            label="Kind of chart"
            tabs={KINDS}
            current={choice.kind}
            onChange={(kind) => setQuery({ chart: kind === "Candles" ? null : kind })}
          />
        </>
      }
    >
      <div class="chart-choices">
        <AverageTabs averages={choice.averages} />
      </div>
      <div class="chart-body">
        <Loaded of={history} lines={12}>
          {({ answer: { data } }) => (
            <Loaded of={returns} lines={12}>
              {() =>
                shown.current && <PriceChart data={data} choice={choice} shown={shown.current} />
              }
            </Loaded>
          )}
        </Loaded>
      </div>
      <RangeBar current={choice.range} windows={performance ?? {}} />
    </Panel>
  );
}

/** A range that the chart shows, with its return; null without prices. */
interface Shown {
  readonly range: Range;
  readonly return: RangeReturn | null;
}

/** Switches moving averages on and off. */
function AverageTabs({ averages }: Pick<Choice, "averages">) {
  const toggle = (length: number) => {
    const next = averages.includes(length)
      ? averages.filter((one) => one !== length)
      : [...averages, length];
    setQuery({ averages: next.join(",") || "none" });
  };
  return (
    <div class="tabs" role="group" aria-label="Moving averages">
      {AVERAGES.map(({ length, color }) => (
        <button
          key={length}
          type="button"
          aria-pressed={averages.includes(length)}
          title={`Mean of the last ${length} closes`}
          onClick={() => toggle(length)}
        >
          <span class={`swatch series-${color}`} aria-hidden="true" /> SMA {length}
        </button>
      ))}
    </div>
  );
}

function PriceChart(props: {
  readonly data: PayloadOf<"get_stock_price_history">;
  readonly choice: Choice;
  readonly shown: Shown;
}) {
  const { data, choice } = props;
  const [date, setDate] = useState<string | null>(null);
  const bars = useMemo(() => (data.bars ? rowsOf(data.bars).map(toBar) : []), [data]);
  const averages = useMemo(
    () => AVERAGES.map((average) => ({ ...average, points: meanOfCloses(bars, average.length) })),
    [bars],
  );
  const drawn = averages.filter(({ length }) => choice.averages.includes(length));
  const dates = useMemo(() => bars.map((bar) => bar.date), [bars]);
  const series = useMemo(
    () => seriesOf(bars, drawn, choice.kind),
    [bars, choice.kind, choice.averages.join()],
  );
  const decimals = useMemo(() => decimalsOfAll(bars), [bars]);
  const textOf = useCallback(
    (at: string) =>
      describe(
        bars.find((bar) => bar.date === at),
        decimals,
      ),
    [bars],
  );
  const newest = bars.at(-1);
  if (!newest) return <Empty>No price is stored for {data.name}.</Empty>;
  const index = date === null ? bars.length - 1 : dates.indexOf(date);
  const from = props.shown.return?.from ?? FIRST_DATE;
  return (
    <>
      <Legend
        decimals={decimals}
        bar={bars[index] ?? newest}
        before={bars[index - 1]}
        averages={drawn.map(({ length, color, points }) => ({
          length,
          color,
          value: points[index]?.value,
        }))}
      />
      <LazyChart
        label={`${data.name}: price`}
        series={series}
        dates={dates}
        from={from}
        decimals={decimals}
        isLogarithmic={isLogarithmic()}
        onDate={setDate}
        textOf={textOf}
      />
      <Summary bars={bars} shown={props.shown} decimals={decimals} />
    </>
  );
}

function toBar(row: Row): Bar {
  return {
    date: textIn(row, "date"),
    open: Number(row["open"]),
    high: Number(row["high"]),
    low: Number(row["low"]),
    close: Number(row["close"]),
    volume: numberIn(row, "volume"),
  };
}

/** The arithmetic mean of the last closes at each bar; without a value before there are enough. */
function meanOfCloses(bars: readonly Bar[], length: number): Point[] {
  let sum = 0;
  return bars.map(({ date, close }, i) => {
    sum += close - (bars[i - length]?.close ?? 0);
    return i < length - 1 ? { date } : { date, value: sum / length };
  });
}

function seriesOf(
  bars: readonly Bar[],
  averages: readonly { readonly points: readonly Point[]; readonly color: number }[],
  kind: Choice["kind"],
): ChartSeries[] {
  const hasVolume = bars.some(({ volume }) => volume !== null);
  const closes = bars.map(({ date, close }) => ({ date, value: close }));
  return [
    kind === "Candles" ? { kind: "candles", bars } : { kind: "line", points: closes, color: 1 },
    ...(hasVolume ? [{ kind: "volume", bars } as const] : []),
    ...averages.map(
      ({ points, color }) => ({ kind: "line", points, color, isThin: true }) as const,
    ),
  ];
}

/** The most decimals of the newest closes. */
function decimalsOfAll(bars: readonly Bar[]): number {
  const closes = bars.slice(-100).map(({ close }) => close);
  if (closes.every((close) => close >= 100 && Number.isInteger(close))) return 0;
  if (closes.every((close) => close >= 100 && Number.isInteger(10 * close))) return 1;
  return closes.every((close) => close >= 10) ? 2 : Math.max(...closes.map(decimalsOf));
}

function describe(bar: Bar | undefined, decimals: number): string {
  if (!bar) return "";
  const prices = (["open", "high", "low", "close"] as const)
    .map((name) => `${name} ${formatNumber(bar[name], decimals)}`)
    .join(", ");
  return `${formatDate(bar.date)}: ${prices}, volume ${formatShort(bar.volume)}`;
}

/** The figures of the bar under the pointer, or of the newest one. */
function Legend(props: {
  readonly decimals: number;
  readonly bar: Bar;
  readonly before: Bar | undefined;
  readonly averages: readonly {
    readonly length: number;
    readonly color: number;
    readonly value: number | undefined;
  }[];
}) {
  const { bar, before, averages, decimals } = props;
  return (
    <p class="legend">
      <b>
        <time dateTime={bar.date}>{formatDate(bar.date)}</time>
      </b>
      {(["open", "high", "low", "close"] as const).map((name) => (
        <span key={name}>
          <span class="muted">{name.charAt(0).toUpperCase()}</span>{" "}
          {formatNumber(bar[name], decimals)}
        </span>
      ))}
      <Change value={before ? 100 * (bar.close / before.close - 1) : null} />
      <span>
        <span class="muted">Vol</span> {formatShort(bar.volume)}
      </span>
      {averages.map(({ length, color, value }) => (
        <span key={length}>
          <span class={`swatch series-${color}`} aria-hidden="true" />{" "}
          <span class="muted">SMA {length}</span> {formatNumber(value, decimals)}
        </span>
      ))}
    </p>
  );
}

/** What the chart shows, in words. */
function Summary(props: {
  readonly bars: readonly Bar[];
  readonly shown: Shown;
  readonly decimals: number;
}) {
  const { bars, shown } = props;
  const price = (value: number) => formatNumber(value, props.decimals);
  if (shown.return === null) return null;
  const { from, fromClose, to, toClose, percent } = shown.return;
  const within = bars.filter(({ date }) => date >= from);
  const low = Math.min(...within.map((bar) => bar.low));
  const high = Math.max(...within.map((bar) => bar.high));
  const unit = INTERVAL_NAMES[intervalOf(shown.range)];
  return (
    <p class="muted">
      {formatDate(from)} to {formatDate(to)}: from {price(fromClose)} to {price(toClose)} (
      <Change value={percent} />
      ), lowest {price(low)}, highest {price(high)}, {formatNumber(within.length, 0)} {unit}. SMA n
      is the mean of the last n closes, in {unit}.
    </p>
  );
}

/** The ranges, each with its return as the overview has it. */
function RangeBar(props: {
  readonly current: Range;
  readonly windows: Readonly<Record<string, string>>;
}) {
  const { current, windows } = props;
  return (
    <div class="range-bar" role="group" aria-label="Range">
      {RANGES.map((range) => (
        <button
          key={range}
          type="button"
          aria-pressed={range === current}
          onClick={() => setQuery({ range: range === "1Y" ? null : range })}
        >
          <b>{range}</b>
          <Change value={windows[`Perf %${range}`] ?? null} />
        </button>
      ))}
    </div>
  );
}
