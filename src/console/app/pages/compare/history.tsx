import { useMemo, useRef, useState } from "preact/hooks";
import { type AnswerOf, type Call, useData } from "#console/app/api.ts";
import {
  formatNumber,
  formatPerShare,
  formatPercent,
  formatPlainPercent,
} from "#console/app/format.ts";
import { formatInOneUnit } from "#console/app/one-unit.ts";
import type { ChartSeries } from "#console/app/parts/chart-drawing.ts";
import { chosenCurrency, CurrencyChoice } from "#console/app/parts/currency-choice.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { CsvButton } from "#console/app/parts/csv-button.tsx";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { LazyChart } from "#console/app/parts/lazy-chart.tsx";
import { meaningOf } from "#console/app/parts/metric-meaning.ts";
import {
  isAmount,
  type Metric,
  useVocabulary,
  type Vocabulary,
} from "#console/app/parts/metrics.tsx";
import { figureOr } from "#console/app/parts/missing.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { asIs, type Sentence, type Shown, t, translate } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { currenciesOf, referenceOf } from "./figures.tsx";
import {
  alignedText,
  alignHistory,
  type AlignedHistory,
  newestEnd,
  type Period,
  PERIODS,
  periodText,
  valuesOf,
} from "./history-periods.ts";
import { SideBySide } from "./side-by-side.tsx";

const PERIOD_NAMES: Readonly<Record<Period, Sentence>> = {
  annual: "Years",
  quarterly: "Quarters",
  ttm: "TTM",
};
/** How many years are shown, and how many periods of a call they are. */
const RANGES = { "5Y": 5, "10Y": 10, Max: 40 } as const;
type Range = keyof typeof RANGES;
const RANGE_NAMES = Object.keys(RANGES) as Range[];
/** The most periods and metrics of a call. */
const MAX_PERIODS = 40;
const MAX_METRICS = 10;

/** The columns before the figures: country, symbol, currency, fiscal_period, period_end, filing_date. */
const HEAD_COLUMNS = 6;

/** The figures to choose from, and the ones that are shown first. An address can name others. */
const OFFERED =
  "gross_margin,operating_margin,net_margin,fcf_margin,revenue_growth,eps_growth,roe,roic,roa,revenue,operating_income,net_income,free_cash_flow,eps,total_debt,net_debt,debt_to_equity,current_ratio,pe,pb,ps,ev_ebitda,market_cap".split(
    ",",
  );
const FIRST = ["net_margin", "revenue_growth", "roe", "eps"];

/** What the address asks for. */
function readChoice() {
  const { query } = place.value;
  const period = PERIODS.find((one) => one === query.get("period")) ?? "annual";
  const range = RANGE_NAMES.find((one) => one === query.get("range")) ?? "10Y";
  const named = (query.get("metrics") ?? "").split(",").filter((one) => one !== "");
  const metrics = named.length === 0 ? FIRST : [...new Set(named)].slice(0, MAX_METRICS);
  return { period, range, metrics };
}

/** The histories of figures of companies that report. @param rows of the comparison; empty while it is loaded */
export function HistoryPanels({ rows }: { readonly rows: readonly Row[] }) {
  const choice = readChoice();
  const { period, range, metrics } = choice;
  const [own = ""] = currenciesOf(rows);
  const hasCountries = new Set(rows.map((row) => row["country"])).size > 1;
  const call = (currency: string): Call<"get_metric_history"> => ({
    operation: "get_metric_history",
    args: {
      symbols: rows.map(referenceOf).join(","),
      metrics: metrics.join(","),
      period,
      limit: Math.min(MAX_PERIODS, RANGES[range] * (period === "annual" ? 1 : 4)),
      currency: currency || undefined,
    },
  });
  const wanted = call(chosenCurrency() || (hasCountries ? own : ""));
  const first = useData(rows.length === 0 ? null : wanted);
  // Companies of one country can report in different currencies.
  const isMixed =
    wanted.args["currency"] === undefined && currenciesOf(rowsIn(first.value)).length > 1;
  const converted = useData(isMixed ? call(own) : null);
  const shown = isMixed
    ? { call: call(own), history: converted }
    : { call: wanted, history: first };
  const { history } = shown;
  const [currency = ""] = currenciesOf(rowsIn(history.value));
  const vocabulary = useVocabulary();
  return (
    <>
      <Choices
        {...choice}
        call={shown.call}
        symbols={rows.map((row) => textIn(row, "symbol"))}
        byDefault={hasCountries || isMixed ? own : ""}
      />
      <div class="stack histories">
        <Loaded of={history} lines={12}>
          {(answer) => (
            <Loaded of={vocabulary} lines={12}>
              {(words) => (
                <Histories
                  rows={rows}
                  answer={answer}
                  metrics={metricsOf(answer.data, words)}
                  call={shown.call}
                  currency={currency}
                />
              )}
            </Loaded>
          )}
        </Loaded>
      </div>
    </>
  );
}

const rowsIn = (answer: AnswerOf<"get_metric_history"> | null): readonly Row[] =>
  answer ? rowsOf(answer.data) : [];

/** Which figures, which periods, how many, in which currency. All is in the address. */
function Choices(props: {
  readonly period: Period;
  readonly range: Range;
  readonly metrics: readonly string[];
  readonly call: Call;
  readonly symbols: readonly string[];
  readonly byDefault: string;
}) {
  const { period, range, metrics, call, symbols, byDefault } = props;
  const vocabulary = useVocabulary();
  return (
    <div class="panel-actions history-choices">
      <MetricPicker metrics={metrics} />
      <Tabs
        label="Period"
        tabs={PERIODS}
        current={period}
        textOf={(one) => PERIOD_NAMES[one]}
        onChange={(one) => setQuery({ period: one === "annual" ? null : one })}
      />
      <Tabs
        label="Range"
        tabs={RANGE_NAMES}
        current={range}
        onChange={(one) => setQuery({ range: one === "10Y" ? null : one })}
      />
      <CurrencyChoice
        currencies={vocabulary.value?.currencies ?? []}
        byDefault={byDefault}
        isOne={byDefault !== ""}
      />
      <CsvButton
        call={call}
        file={`${symbols.join(" ")} ${metrics.join(" ")} ${period}.csv`}
        title={t("All figures of this page as a file")}
      />
    </div>
  );
}

/** A button with the number of figures. It opens all of them, to show or hide each. */
function MetricPicker({ metrics }: { readonly metrics: readonly string[] }) {
  const known = useVocabulary().value?.metrics;
  const offered = [...new Set([...OFFERED, ...metrics])].flatMap((name) => known?.get(name) ?? []);
  const text = asIs(`${t("Figures")} (${metrics.length})`);
  const toggle = (name: string) => {
    const next = metrics.includes(name)
      ? metrics.filter((one) => one !== name)
      : [...metrics, name];
    setQuery({ metrics: next.join(",") });
  };
  return (
    <DialogButton isWide text={text} title={text} heading={t("Figures")}>
      {() => (
        <div class="stack">
          {[...Map.groupBy(offered, ({ group }) => group)].map(([group, members]) => (
            <section key={group}>
              <h3 class="muted">{translate(group)}</h3>
              <div class="metric-names">
                {members.map((metric) => {
                  const isChosen = metrics.includes(metric.name);
                  return (
                    <button
                      key={metric.name}
                      type="button"
                      aria-pressed={isChosen}
                      disabled={isChosen ? metrics.length === 1 : metrics.length === MAX_METRICS}
                      title={meaningOf(metric)}
                      onClick={() => toggle(metric.name)}
                    >
                      {nameOf(metric)}
                    </button>
                  );
                })}
              </div>
            </section>
          ))}
          <p class="muted">{t("Up to {count} figures.", { count: MAX_METRICS })}</p>
        </div>
      )}
    </DialogButton>
  );
}

/** The name of a metric without its period, which the page says. */
const nameOf = ({ title }: Metric): Shown => translate(title.replace(/ (TTM YoY|TTM|FQ)$/, ""));

const metricsOf = ({ columns }: PayloadOf<"get_metric_history">, { metrics }: Vocabulary) =>
  columns.slice(HEAD_COLUMNS).flatMap((name) => metrics.get(name) ?? []);

/** A panel for each figure, and what is known about all of them. */
function Histories(props: {
  readonly rows: readonly Row[];
  readonly answer: AnswerOf<"get_metric_history">;
  readonly metrics: readonly Metric[];
  readonly call: Call<"get_metric_history">;
  readonly currency: string;
}) {
  const { rows, answer, metrics, call, currency } = props;
  const { data } = answer;
  const { period } = readChoice();
  const history = useMemo(() => alignHistory(data, rows.map(referenceOf), period), [data]);
  return (
    <>
      <div class="columns wide">
        {metrics.map((metric) => (
          <HistoryPanel
            key={metric.name}
            metric={metric}
            rows={rows}
            history={history}
            answer={answer}
            call={{ ...call, args: { ...call.args, metrics: metric.name } }}
            currency={currency}
            period={period}
          />
        ))}
      </div>
      <Notes data={data} rows={rows} history={history} period={period} />
    </>
  );
}

/** How the periods are put side by side, the rates, and the companies without figures. */
function Notes(props: {
  readonly data: PayloadOf<"get_metric_history">;
  readonly rows: readonly Row[];
  readonly history: AlignedHistory;
  readonly period: Period;
}) {
  const { data, rows, history, period } = props;
  const ends = rows.flatMap((row, i) => {
    const end = newestEnd(history.companies[i]);
    return end === "" ? [] : `${row["symbol"]} ${end}`;
  });
  return (
    <div class="muted">
      <p>
        {period === "annual"
          ? t("A fiscal year is in the row of the year in which it ends. Newest ends: {ends}.", {
              ends: ends.join(", "),
            })
          : t(
              "A fiscal quarter is in the row of the quarter in which it ends. Newest ends: {ends}.",
              {
                ends: ends.join(", "),
              },
            )}{" "}
        {period === "quarterly" &&
          t("Returns and multiples are figures of the twelve months to the quarter's end.")}
      </p>
      {data.rates && <p>{t("Amounts are converted at the rate of each period's end.")}</p>}
      {data.notes?.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </div>
  );
}

/** How a figure is written: all amounts of a panel in one unit. */
interface Form {
  /** `USD billion`, `%`; empty for a plain number. */
  readonly unit: string;
  /** What a value of the chart is divided by. */
  readonly size: number;
  readonly format: (value: number | null) => string;
}

/** Converted figures have cents, or three digits if they are small. */
const perShareIn = (currency: string) => (value: number | null) =>
  formatPerShare(
    value && Number(Math.abs(value) < 1 ? value.toPrecision(3) : value.toFixed(2)),
    currency,
  );

function formOf(metric: Metric, values: readonly (number | null)[], currency: string): Form {
  const plain = { unit: "", size: 1 };
  switch (metric.unit) {
    case "money":
    case "reported":
      return formatInOneUnit(values, currency);
    case "reported per share":
      return { ...plain, unit: currency, format: perShareIn(currency) };
    case "percent":
      return { ...plain, unit: "%", format: (value) => formatPlainPercent(value) };
    case "change":
      return { ...plain, unit: "%", format: (value) => formatPercent(value) };
    default:
      return { ...plain, format: (value) => formatNumber(value) };
  }
}

/** The lines of a figure, and the table of its values. */
function HistoryPanel(props: {
  readonly metric: Metric;
  readonly rows: readonly Row[];
  readonly history: AlignedHistory;
  readonly answer: AnswerOf<"get_metric_history">;
  readonly call: Call<"get_metric_history">;
  readonly currency: string;
  readonly period: Period;
}) {
  const { metric, rows, history, answer, call, currency, period } = props;
  const picture = useRef<(() => HTMLCanvasElement) | null>(null);
  const values = valuesOf(history, metric.name);
  const form = formOf(metric, values, currency);
  const title = nameOf(metric);
  const unit = form.unit && (isAmount(metric.unit) ? form.unit : "");
  const symbols = rows.map((row) => textIn(row, "symbol"));
  const newest = history.dates.at(-1) ?? "";
  return (
    <Panel
      title={unit ? t("{figure}, {unit}", { figure: title, unit }) : title}
      meaning={meaningOf(metric)}
      calls={[call]}
      answer={answer}
      picture={{
        name: `${symbols.join(" ")} ${title} ${alignedText(newest, period)}.png`,
        take: () => picture.current?.(),
      }}
    >
      {values.every((value) => value === null) ? (
        <Empty>{t("No figures are known.")}</Empty>
      ) : (
        <>
          <Lines metric={metric} rows={rows} history={history} form={form} picture={picture} />
          <SideBySide label={t("{figure} by period", { figure: title })} count={rows.length}>
            <HistoryTable {...{ metric, rows, history, form, period }} data={answer.data} />
          </SideBySide>
        </>
      )}
    </Panel>
  );
}

/** A line for each company, with the values under the pointer, or the newest ones. */
function Lines(props: {
  readonly metric: Metric;
  readonly rows: readonly Row[];
  readonly history: AlignedHistory;
  readonly form: Form;
  readonly picture: { current: (() => HTMLCanvasElement) | null };
}) {
  const { metric, rows, history, form } = props;
  const { period } = readChoice();
  const { dates, companies } = history;
  const [date, setDate] = useState<string | null>(null);
  const series = useMemo(
    () =>
      companies.map((periods, i): ChartSeries => ({
        kind: "line",
        color: i + 1,
        title: textIn(rows[i] ?? {}, "symbol"),
        points: dates.map((at) => {
          const value = numberIn(periods.get(at) ?? {}, metric.name);
          return value === null ? { date: at } : { date: at, value: value / form.size };
        }),
      })),
    [history, metric.name],
  );
  const at = date ?? dates.at(-1) ?? "";
  const textAt = (one: string) =>
    companies.map((periods) => form.format(numberIn(periods.get(one) ?? {}, metric.name)));
  return (
    <>
      <p class="legend">
        <b>{alignedText(at, period)}</b>
        {textAt(at).map((text, i) => (
          <span key={referenceOf(rows[i] ?? {})}>
            <span class={`swatch series-${i + 1}`} aria-hidden="true" />{" "}
            <b>{textIn(rows[i] ?? {}, "symbol")}</b> {text}
          </span>
        ))}
      </p>
      <LazyChart
        label={nameOf(metric)}
        series={series}
        dates={dates}
        from={dates[0] ?? ""}
        decimals={decimalsOfAxis(series)}
        scale="linear"
        picture={props.picture}
        onDate={setDate}
        textOf={(one) =>
          one === ""
            ? ""
            : `${alignedText(one, period)}: ${textAt(one)
                .map((text, i) => `${textIn(rows[i] ?? {}, "symbol")} ${text}`)
                .join(", ")}`
        }
      />
    </>
  );
}

/** Small values need decimals on the axis. */
function decimalsOfAxis(series: readonly ChartSeries[]): number {
  const values = series.flatMap((one) =>
    one.kind === "line" ? one.points.map(({ value }) => Math.abs(value ?? 0)) : [],
  );
  const largest = Math.max(0, ...values);
  return largest >= 100 ? 0 : largest >= 10 ? 1 : 2;
}

/** A row for each calendar period, the newest first, with what ends in it. */
function HistoryTable(props: {
  readonly metric: Metric;
  readonly rows: readonly Row[];
  readonly history: AlignedHistory;
  readonly data: PayloadOf<"get_metric_history">;
  readonly form: Form;
  readonly period: Period;
}) {
  const { metric, rows, history, data, form, period } = props;
  return (
    <>
      <thead>
        <tr>
          <th scope="col">{t("Period")}</th>
          {rows.map((row, i) => (
            <th key={referenceOf(row)} scope="col" class="number">
              <span class={`swatch series-${i + 1}`} aria-hidden="true" />{" "}
              <a href={symbolPath(textIn(row, "country"), textIn(row, "symbol"))}>
                {row["symbol"]}
              </a>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {history.dates.toReversed().map((date) => (
          <tr key={date}>
            <th scope="row">{alignedText(date, period)}</th>
            {history.companies.map((periods, i) => {
              const found = periods.get(date);
              return (
                <td
                  key={referenceOf(rows[i] ?? {})}
                  class="number"
                  title={found && periodText(found)}
                >
                  {found
                    ? figureOr(data, found, metric.name, form.format(numberIn(found, metric.name)))
                    : form.format(null)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </>
  );
}
