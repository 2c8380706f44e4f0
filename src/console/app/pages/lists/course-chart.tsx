import { useMemo, useState } from "preact/hooks";
import { formatDate, formatNumber } from "#console/app/format.ts";
import type { ChartSeries } from "#console/app/parts/chart-drawing.ts";
import { LazyChart } from "#console/app/parts/lazy-chart.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

/** The value of a list over a year, beside what it would be in the index. */
export function CourseChart(props: {
  readonly course: NonNullable<PayloadOf<"analyze_portfolio">["course"]>;
  readonly currency: string;
  /** The name of the index. */
  readonly index: string;
  /** False for weights alone: both begin at 100. */
  readonly isValue: boolean;
}) {
  const { course, currency, index, isValue } = props;
  const [date, setDate] = useState<string | null>(null);
  const rows = useMemo(() => rowsOf(course), [course]);
  const lines = [
    ["value", t("This list")],
    ["benchmark", index],
  ] as const;
  const series = useMemo(
    () =>
      lines.map(([name, title], i): ChartSeries => ({
        kind: "line",
        color: i + 1,
        title,
        points: rows.map((row) => {
          const value = numberIn(row, name);
          return value === null
            ? { date: textIn(row, "date") }
            : { date: textIn(row, "date"), value };
        }),
      })),
    [rows, index],
  );
  const dates = useMemo(() => rows.map((row) => textIn(row, "date")), [rows]);
  const decimals = rows.some((row) => (numberIn(row, "value") ?? 0) >= 1_000) ? 0 : 2;
  const rowAt = (at: string): Row => rows.find((row) => row["date"] === at) ?? {};
  const shown = date ?? dates.at(-1) ?? "";
  const valueAt = (at: string, name: string) => formatNumber(numberIn(rowAt(at), name), decimals);
  const title = isValue
    ? t("Value and index, 1 year, {currency}", { currency })
    : t("Value and index, 1 year, from 100");
  return (
    <section class="stack course-chart" aria-label={title}>
      <h3>{title}</h3>
      <p class="legend">
        <b>{formatDate(shown)}</b>
        {lines.map(([name, text], i) => (
          <span key={name}>
            <span class={`swatch series-${i + 1}`} aria-hidden="true" /> <b>{text}</b>{" "}
            {valueAt(shown, name)}
          </span>
        ))}
      </p>
      <LazyChart
        label={title}
        series={series}
        dates={dates}
        from={dates[0] ?? ""}
        decimals={decimals}
        scale="linear"
        onDate={setDate}
        textOf={(at) =>
          at === ""
            ? ""
            : `${formatDate(at)}: ${lines.map(([name, text]) => `${text} ${valueAt(at, name)}`).join(", ")}`
        }
      />
      <p class="muted">
        {t("Today's holdings, held for 1 year. The index begins with the same value.")}
      </p>
    </section>
  );
}
