import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import {
  type Call,
  callOperation,
  dataKey,
  queryOf,
  useConsole,
  useData,
  useResource,
} from "#console/app/api.ts";
import { formatDate, formatNumber, formatPrice, formatShort } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import type { Bar } from "#console/app/parts/chart-data.ts";
import {
  datesText,
  FIRST_DATE,
  type Interval,
  type Range,
  RANGES,
  returnsCall,
} from "#console/app/parts/chart-range.ts";
import { type RangeReturn, readReturns } from "#console/app/parts/range-returns.ts";
import type { Window } from "#console/app/parts/chart-drawing.ts";
import { LazyChart } from "#console/app/parts/lazy-chart.tsx";
import { lazyPart } from "#console/app/parts/lazy-part.tsx";
import { NoRecord, Loaded, LoadFailure, Panel } from "#console/app/parts/panel.tsx";
import { scaleNow } from "#console/app/parts/scale-tabs.tsx";
import type { Subject } from "#console/app/parts/subject.ts";
import { place, setQuery } from "#console/app/router.ts";
import { reader } from "#console/app/reader.ts";
import { asIs, t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import {
  AVERAGES,
  ChartActions,
  EXTRA_PANES,
  ChartChoices,
  ChoiceMeanings,
  type Choice,
  OVERLAY_COLOR,
  readChoice,
  unitOf,
} from "./chart-choice.tsx";
import {
  alignCloses,
  barsInPercent,
  closeAt,
  decimalsOfAll,
  pointsInPercent,
} from "./chart-comparison.ts";
import {
  barsOf,
  type ChartEvent,
  eventsOf,
  type IndicatorLines,
  type Line,
  macdDecimals,
  seriesOf,
} from "./chart-series.ts";
import type { Extras } from "./chart-extra-lines.ts";
import { meanOfCloses } from "./chart-means.ts";
import { RatingsPanel } from "./ratings.tsx";
import { ChartZoom } from "./chart-zoom.tsx";
import type { TabProps } from "./tab-props.ts";

type History = PayloadOf<"get_stock_price_history">;

const ChartExtras = lazyPart(
  () => import("./chart-extras.tsx").then((file) => file.ChartExtras),
  true,
);
const NO_EXTRAS: Extras = { lines: [], panes: [] };

/** Bars of one page; more than a range shows, so that its averages begin with it. */
const PAGE = 600;
/** The longest usual average, and the most bars before the range. */
const WARM_UP = 200;
const MOST_WARM_UP = 1_500;
const BARS_A_YEAR = { "1d": 253, "1wk": 53, "1mo": 12 } as const;
const YEARS: Readonly<Partial<Record<Range, number>>> = { "5Y": 5, "10Y": 10, Max: 100 };

/** The newest bars of the range and of the pages before it. */
function callOf(subject: Subject, choice: Choice, pages: number): Call<"get_stock_price_history"> {
  const { range, interval, adjust, hasEvents, extras } = choice;
  // An exponential mean has forgotten its first value after some five lengths.
  const lengths = extras.map((one) => 5 * Number(/\d+$/.exec(one)?.[0] ?? 0));
  const warmUp = Math.min(MOST_WARM_UP, Math.max(WARM_UP, ...lengths));
  const shown = Math.ceil((YEARS[range] ?? 1) * BARS_A_YEAR[interval]) + warmUp;
  return {
    operation: "get_stock_price_history",
    args: {
      ...subject,
      from: FIRST_DATE,
      interval,
      fields: "ohlcv",
      limit: Math.max(PAGE, shown) + (pages - 1) * PAGE,
      snapshot: false,
      adjust: adjust === "split" ? undefined : adjust,
      ...((hasEvents || extras.includes("dividend")) && { dividends: true, splits: true }),
    },
  };
}

/** The most sessions of a bar. */
const SESSIONS = { "1d": 1, "1wk": 5, "1mo": 23 } as const;

/**
 * The call for the closes of the other instrument, by day: its weeks and months can end after the bars'.
 * More of them than bars, because its sessions are others.
 */
function overlayCall(choice: Choice, { args }: Call): Call<"get_stock_price_history"> | null {
  if (choice.overlay === null) return null;
  const { from, limit, adjust } = args;
  return {
    operation: "get_stock_price_history",
    args: {
      ...choice.overlay,
      from,
      limit: Number(limit) * SESSIONS[choice.interval] + 20,
      snapshot: false,
      adjust,
    },
  };
}

/** The call for the past reports of a company. */
function earningsCall(
  subject: Subject,
  { hasEvents }: Choice,
  isCompany: boolean | null,
): Call<"get_stock_forecast"> | null {
  if (!hasEvents || !isCompany) return null;
  return {
    operation: "get_stock_forecast",
    args: { ...subject, sections: "surprises", limit: 100 },
  };
}

/** The answers that the chart needs. */
function usePrices(subject: Subject, choice: Choice, isCompany: boolean | null) {
  const view = `${choice.range} ${choice.interval}`;
  const [older, setOlder] = useState({ view, pages: 1 });
  const call = callOf(subject, choice, older.view === view ? older.pages : 1);
  const asked = queryOf(call.args);
  const history = useResource(dataKey(`chart ${asked}`), async () => ({
    asked,
    answer: await callOperation(call),
  }));
  const returnCall = returnsCall(choice.range, [subject], undefined, choice.adjust);
  const returns = useResource(dataKey(`return ${queryOf(returnCall.args)}`), async () => ({
    range: choice.range,
    answer: await callOperation(returnCall),
  }));
  const others = [overlayCall(choice, call), earningsCall(subject, choice, isCompany)] as const;
  const [overlay, earnings] = [useData(others[0]), useData(others[1])];
  // Until the bars and the return of the chosen range are there, the chart shows the previous range.
  const shown = useRef<Shown | null>(null);
  if (history.value?.asked === asked && returns.value?.range === choice.range) {
    const [found = null] = readReturns(returns.value.answer.data, [subject]);
    const { range, interval } = choice;
    shown.current = { view, range, interval, return: found };
  }
  const loadOlder = () => {
    // Bars that are being loaded are not asked for again.
    if (history.value?.asked !== asked) return;
    if (history.value.answer.data.total > Number(call.args["limit"])) {
      setOlder({ view, pages: (older.view === view ? older.pages : 1) + 1 });
    }
  };
  const calls = [call, returnCall, ...others].filter((one) => one !== null);
  return { calls, history, returns, shown: shown.current, overlay, earnings, loadOlder };
}

/** The chart, as high as the window allows, and the ratings of its indicators. */
export function ChartTab({ subject, overview, isCompany }: TabProps) {
  const performance = overview.value?.data.performance;
  return (
    <>
      <PricePanel subject={subject} performance={performance} isCompany={isCompany} isLarge />
      <RatingsPanel subject={subject} />
    </>
  );
}

/** Price, volume, averages, indicators, events and another instrument. */
export function PricePanel(props: {
  readonly subject: Subject;
  readonly performance: Readonly<Record<string, string>> | undefined;
  /** Null until it is known. Only companies report earnings. */
  readonly isCompany: boolean | null;
  /** As high as the window allows. */
  readonly isLarge?: boolean;
}) {
  const { subject, performance, isCompany, isLarge = false } = props;
  const choice = readChoice(place.value.query);
  const { calls, history, returns, shown, overlay, earnings, loadOlder } = usePrices(
    subject,
    choice,
    isCompany,
  );
  const picture = useRef<(() => HTMLCanvasElement) | null>(null);
  const { moved, view, onMove, goHome } = useMoved(shown?.view ?? "");
  const panes =
    choice.panes.length + choice.extras.filter((one) => EXTRA_PANES.includes(one)).length;
  const newest = history.value && barsOf(history.value.answer.data).at(-1)?.date;
  return (
    <Panel
      title="Price"
      class={`price-panel ${panes > 0 ? "has-panes" : ""} ${choice.extras.length > 0 ? "has-extras" : ""} ${isLarge ? "large-chart" : ""}`}
      style={{ "--panes": panes }}
      calls={calls}
      answer={history.value?.answer}
      actions={<ChartActions choice={choice} />}
      picture={{ name: `${subject.symbol} ${newest ?? ""}.png`, take: () => picture.current?.() }}
    >
      <ChartChoices subject={subject} choice={choice} isCompany={isCompany === true} />
      <div class="chart-body">
        <Loaded of={history} lines={12}>
          {({ answer: { data } }) => (
            <Loaded of={returns} lines={12}>
              {() =>
                shown && (
                  <PriceChart
                    subject={subject}
                    data={data}
                    choice={{ ...choice, range: shown.range, interval: shown.interval }}
                    shown={shown}
                    view={view}
                    moved={moved}
                    onMove={onMove}
                    overlay={overlay.value?.data ?? null}
                    surprises={earnings.value?.data.surprises}
                    onOldest={loadOlder}
                    picture={picture}
                  />
                )
              }
            </Loaded>
          )}
        </Loaded>
      </div>
      {overlay.error && !overlay.error.lack && !overlay.error.isOutage && (
        <LoadFailure error={overlay.error} />
      )}
      <RangeBar
        subject={subject}
        current={moved ? null : (shown?.range ?? choice.range)}
        asked={choice.range}
        onChoose={goHome}
        windows={performance ?? {}}
      />
      <ChoiceMeanings />
    </Panel>
  );
}

type Dates = readonly [from: string, to: string];

/** The first and the last date of a window that the user moved by more than a bar; null for the one from `begin` on. */
function movedTo(window: Window | null, dates: readonly string[], begin: string): Dates | null {
  if (!window) return null;
  const last = dates.length - 1;
  const first = dates.findIndex((date) => date >= begin) - 0.5;
  const from = dates[Math.max(0, Math.ceil(window.from))];
  const to = dates[Math.min(last, Math.floor(window.to))];
  const isHome = Math.abs(window.from - first) <= 1 && window.to >= last - 0.5;
  return isHome || from === undefined || to === undefined ? null : [from, to];
}

/** Where the user moved the chart; null while it shows its range. A view that is new again moves it back. */
function useMoved(shown: string) {
  const [round, setRound] = useState(0);
  const [last, setLast] = useState<{ view: string; dates: Dates | null } | null>(null);
  const view = `${shown} ${round}`;
  return {
    view,
    moved: last?.view === view ? last.dates : null,
    onMove: (dates: Dates | null) =>
      setLast((before) =>
        before?.view === view && String(before.dates) === String(dates) ? before : { view, dates },
      ),
    goHome: () => setRound(round + 1),
  };
}

/** A range that the chart shows, with its return; null without prices. */
interface Shown {
  readonly view: string;
  readonly range: Range;
  readonly interval: Interval;
  readonly return: RangeReturn | null;
}

/** RSI and MACD of the bars; null until they are there, or if nothing shows them. */
function useIndicators(subject: Subject, choice: Choice, rows: number): IndicatorLines | null {
  const { interval, adjust, panes } = choice;
  const query = queryOf({ ...subject, interval, adjust, limit: Math.min(rows, MAX_LINES) });
  return useConsole(panes.length > 0 ? "GET indicator-lines" : null, query).value;
}

/** The most dates that `indicator-lines` has. */
const MAX_LINES = 2_600;

interface ChartParts {
  readonly subject: Subject;
  readonly data: History;
  readonly choice: Choice;
  readonly shown: Shown;
  /** While it stays the same, the chart stays where the user has moved it. */
  readonly view: string;
  /** The dates to which the user has moved the chart. */
  readonly moved: Dates | null;
  /** The closes of another instrument. */
  readonly overlay: History | null;
  readonly surprises: PayloadOf<"get_stock_forecast">["surprises"];
}

/** Everything that is drawn, made again only when it changes. */
function useDrawing(
  { subject, data, choice, shown, overlay, surprises }: ChartParts,
  extras: Extras,
) {
  const bars = useMemo(() => barsOf(data), [data]);
  const dates = useMemo(() => bars.map(({ date }) => date), [bars]);
  const decimals = useMemo(() => decimalsOfAll(bars.map(({ close }) => close)), [bars]);
  const indicators = useIndicators(subject, choice, bars.length);
  const other = choice.overlay?.symbol ?? null;
  const { from = FIRST_DATE, fromClose = Number.NaN } = shown.return ?? {};
  const lines = useMemo((): Line[] => {
    const averages = AVERAGES.filter(({ length }) => choice.averages.includes(length));
    return [
      ...averages.map(({ length, color }) => ({
        name: `SMA ${length}`,
        color,
        isThin: true,
        points: meanOfCloses(bars, length),
        base: { date: from, close: fromClose },
        format: (price: number | undefined) => formatNumber(price, decimals),
      })),
      ...extras.lines.map((one) => ({
        ...one,
        isThin: true,
        base: { date: from, close: fromClose },
        format: (price: number | undefined) => formatNumber(price, decimals),
      })),
      ...(other !== null && overlay ? [overlayLine(other, overlay, dates, from)] : []),
    ];
  }, [bars, overlay, other, choice.averages.join(), extras.lines, from, fromClose]);
  const series = useMemo(
    () =>
      seriesOf(
        other === null ? bars : barsInPercent(bars, fromClose),
        choice,
        other === null
          ? lines
          : lines.map((one) => ({ ...one, points: pointsInPercent(one.points, one.base.close) })),
        indicators,
        decimals,
        extras.panes,
      ),
    [bars, lines, indicators, choice.kind, choice.panes.join(), decimals, extras.panes],
  );
  const events = useMemo(
    () => (choice.hasEvents ? eventsOf(bars, data, surprises ?? []) : []),
    [bars, surprises, choice.hasEvents],
  );
  return { bars, dates, lines, series, events, decimals, indicators };
}

/** The line of another instrument. */
function overlayLine(name: string, overlay: History, dates: readonly string[], from: string): Line {
  const { currency, closes = [] } = overlay;
  // An index has decimals, whatever its currency.
  const unit = decimalsOfAll(closes.map(Number)) < 2 ? currency : "";
  return {
    name,
    color: OVERLAY_COLOR,
    isThin: false,
    points: alignCloses(dates, overlay),
    base: closeAt(overlay, from),
    format: (price) => formatPrice(price, unit),
  };
}

function PriceChart(
  props: ChartParts & {
    readonly onOldest: () => void;
    readonly onMove: (dates: Dates | null) => void;
    readonly picture: { current: (() => HTMLCanvasElement) | null };
  },
) {
  const { data, choice, shown } = props;
  const [date, setDate] = useState<string | null>(null);
  const [loaded, setLoaded] = useState<Extras>(NO_EXTRAS);
  const extras = choice.extras.length === 0 ? NO_EXTRAS : loaded;
  const { bars, dates, lines, series, events, decimals, indicators } = useDrawing(props, extras);
  const textOf = useCallback(
    (at: string) => describe(at, bars, events, decimals),
    [bars, events, decimals],
  );
  const newest = bars.at(-1);
  const begin = shown.return?.from ?? FIRST_DATE;
  if (!newest) return <NoRecord>{t("{name}: no price is stored.", { name: data.name })}</NoRecord>;
  const index = date === null ? bars.length - 1 : dates.indexOf(date);
  const bar = bars[index] ?? newest;
  // All figures of a bar come together, so that none of them moves.
  const isComplete =
    (choice.panes.length === 0 || indicators !== null) &&
    (choice.overlay === null || props.overlay !== null);
  const drawnLines = isComplete ? lines : [];
  const described = (props.moved && movedReturn(bars, props.moved, choice)) ?? shown.return;
  return (
    <>
      {choice.extras.length > 0 && (
        <ChartExtras {...{ subject: props.subject, choice, bars, data }} onExtras={setLoaded} />
      )}
      <Legend
        decimals={decimals}
        bar={bar}
        before={bars[index - 1]}
        lines={drawnLines}
        index={index}
        events={events.filter((one) => one.date === bar.date)}
        indicators={[
          ...(isComplete ? indicatorTexts(choice, indicators, bar.date, decimals) : []),
          ...extras.panes.map(({ textAt, color }) => ({ text: textAt(index), color })),
        ]}
      />
      <LazyChart
        label={asIs(`${data.name}: ${t("Price")}`)}
        series={series}
        marks={events}
        dates={dates}
        from={begin}
        view={`${props.view} ${newest.date} ${choice.overlay !== null}`}
        decimals={decimals}
        scale={choice.overlay === null ? scaleNow() : "percent"}
        onDate={setDate}
        onOldest={props.onOldest}
        onMove={(window) => props.onMove(movedTo(window, dates, begin))}
        picture={props.picture}
        textOf={textOf}
        tools={ChartZoom}
        tipsOf={(at) => events.filter((one) => one.date === at).map(({ text }) => text)}
      />
      <Summary {...{ bars, decimals, choice }} shown={described} lines={drawnLines} />
    </>
  );
}

/** The indicators of the chosen panes at a date: `RSI 56`. */
function indicatorTexts(
  { panes }: Choice,
  indicators: IndicatorLines | null,
  date: string,
  decimals: number,
): { text: string }[] {
  const digits = macdDecimals(decimals);
  const at = indicators?.dates.indexOf(date) ?? -1;
  const value = (name: "rsi" | "macd" | "signal", count: number) =>
    formatNumber(indicators?.[name][at] ?? null, count);
  return panes.map((pane) => ({
    text:
      pane === "rsi"
        ? `RSI ${value("rsi", 0)}`
        : `MACD ${value("macd", digits)} · ${t("signal")} ${value("signal", digits)}`,
  }));
}

/** The bar and the events of a date, for screen readers. */
function describe(
  date: string,
  bars: readonly Bar[],
  events: readonly ChartEvent[],
  decimals: number,
): string {
  const bar = bars.find((one) => one.date === date);
  const texts = events.filter((one) => one.date === date).map(({ text }) => text);
  const figures =
    bar &&
    t("{date}: open {open}, high {high}, low {low}, close {close}, volume {volume}", {
      date: formatDate(bar.date),
      open: formatNumber(bar.open, decimals),
      high: formatNumber(bar.high, decimals),
      low: formatNumber(bar.low, decimals),
      close: formatNumber(bar.close, decimals),
      volume: formatShort(bar.volume),
    });
  return [figures ?? "", ...texts].join(". ");
}

/** The prices of a bar, each with its letter in the legend. */
const PRICES = [
  ["open", "O"],
  ["high", "H"],
  ["low", "L"],
  ["close", "C"],
] as const;

/** The figures of the bar under the pointer, or of the newest one. */
function Legend(props: {
  readonly decimals: number;
  readonly bar: Bar;
  readonly before: Bar | undefined;
  readonly lines: readonly Line[];
  /** The place of the bar in the lines. */
  readonly index: number;
  readonly events: readonly ChartEvent[];
  /** Those with a colour have one line in a pane. */
  readonly indicators: readonly { readonly text: string; readonly color?: number }[];
}) {
  const { bar, before, lines, index, decimals, events, indicators } = props;
  return (
    <p class="legend">
      <b>
        <time dateTime={bar.date}>{formatDate(bar.date)}</time>
      </b>
      {PRICES.map(([name, sign]) => (
        <span key={name}>
          <span class="muted">{t(sign)}</span> {formatNumber(bar[name], decimals)}
        </span>
      ))}
      <Change value={before ? 100 * (bar.close / before.close - 1) : null} />
      <span>
        <span class="muted">{t("Vol")}</span> {formatShort(bar.volume)}
      </span>
      {lines.map(({ name, color, points, format }) => (
        <span key={name}>
          <span class={`swatch series-${color}`} aria-hidden="true" />{" "}
          <span class="muted">{name}</span> {format(points[index]?.value)}
        </span>
      ))}
      {indicators.map(({ text, color }) => (
        <span key={text}>
          {color !== undefined && (
            <>
              <span class={`swatch series-${color}`} aria-hidden="true" />{" "}
            </>
          )}
          {text}
        </span>
      ))}
      {events.map(({ text }) => (
        <b key={text}>{text}</b>
      ))}
    </p>
  );
}

/** The first and the last close of the dates to which the chart was moved. Without adjustment, a split is no change. */
function movedReturn(
  bars: readonly Bar[],
  [from, to]: Dates,
  { adjust }: Choice,
): RangeReturn | null {
  const within = bars.filter(({ date }) => date >= from && date <= to);
  const [first, last] = [within[0], within.at(-1)];
  if (!first || !last) return null;
  const percent = adjust === "none" ? null : 100 * (last.close / first.close - 1);
  return { from, fromClose: first.close, to, toClose: last.close, percent };
}

/** What the chart shows, in words. */
function Summary(props: {
  readonly bars: readonly Bar[];
  readonly shown: RangeReturn | null;
  readonly decimals: number;
  readonly choice: Choice;
  readonly lines: readonly Line[];
}) {
  const { bars, shown, choice, lines } = props;
  const price = (value: number) => formatNumber(value, props.decimals);
  if (shown === null) return null;
  const { from, fromClose, to, toClose, percent } = shown;
  const within = bars.filter(({ date }) => date >= from && date <= to);
  const [before, after] = reader.value.language === "ja" ? ["（", "）。"] : [" (", "). "];
  const low = Math.min(...within.map((bar) => bar.low));
  const high = Math.max(...within.map((bar) => bar.high));
  return (
    <p class="muted">
      {t("{from} to {to}: from {first} to {last}", {
        from: formatDate(from),
        to: formatDate(to),
        first: price(fromClose),
        last: price(toClose),
      })}
      {before}
      <Change value={percent} />
      {after}
      {choice.adjust === "none" &&
        percent !== null &&
        `${t("Prices are as traded; the change is adjusted for splits.")} `}
      {choice.adjust === "total" &&
        `${t("The change includes dividends; the changes of the ranges below do not.")} `}
      {t("Lowest {low}, highest {high}.", { low: price(low), high: price(high) })}{" "}
      {t("SMA n is the mean of the last n closes, in {unit}.", {
        unit: t(unitOf(choice)),
      })}{" "}
      {choice.overlay !== null &&
        t("0% is the close of {dates}, each in its own currency.", {
          dates: datesText([from, ...lines.map(({ base }) => base.date)]),
        })}
    </p>
  );
}

/** The ranges, each with its return as the overview has it. */
function RangeBar(props: {
  readonly subject: Subject;
  /** What the chart shows; null if the user moved it. */
  readonly current: Range | null;
  /** What it will show, when its prices are there. */
  readonly asked: Range;
  readonly onChoose: () => void;
  readonly windows: Readonly<Record<string, string>>;
}) {
  const { current, asked, windows, onChoose } = props;
  const statistics = useData(returnsCall("Max", [props.subject])).value?.data;
  const [all = null] = statistics ? readReturns(statistics, [props.subject]) : [];
  return (
    <div class="range-bar" role="group" aria-label={t("Range")}>
      {RANGES.map((range) => (
        <button
          key={range}
          type="button"
          aria-pressed={range === current}
          aria-busy={range === asked && current !== null && asked !== current}
          onClick={() => {
            onChoose();
            setQuery({ range: range === "1Y" ? null : range });
          }}
        >
          <b>{t(range)}</b>
          <Change
            value={range === "Max" ? (all?.percent ?? null) : (windows[`Perf %${range}`] ?? null)}
          />
        </button>
      ))}
    </div>
  );
}
