import { useEffect, useMemo } from "preact/hooks";
import { type Call, isSettled, useData } from "#console/app/api.ts";
import { currencyUnit, formatNumber, formatPerShare } from "#console/app/format.ts";
import { formatInOneUnit } from "#console/app/one-unit.ts";
import type { Bar, Point } from "#console/app/parts/chart-data.ts";
import { numberIn, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { reader } from "#console/app/reader.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { type Sentence, t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import type { Choice } from "./chart-choice.tsx";
import {
  bollinger,
  dividendsOfYear,
  exponentialMean,
  type ExtraPane,
  type Extras,
  known,
} from "./chart-extra-lines.ts";
import { meanOfCloses } from "./chart-means.ts";

/** The colours of further lines and of panes. */
const LINE_COLORS = [6, 7, 8, 9, 10];
const PANE_COLORS = { pe: 1, eps: 4, revenue: 6, dividend: 2 } as const;
const PANE_NAMES: Readonly<Record<keyof typeof PANE_COLORS, Sentence>> = {
  pe: "P/E",
  eps: "EPS, 12 months",
  revenue: "Revenue, 12 months",
  dividend: "Dividends per share, 12 months",
};
type PaneName = keyof typeof PANE_COLORS;

/** Computes the lines and panes of a choice, and draws nothing itself. */
export function ChartExtras(props: {
  readonly subject: Subject;
  readonly choice: Choice;
  readonly bars: readonly Bar[];
  readonly data: PayloadOf<"get_stock_price_history">;
  readonly onExtras: (extras: Extras) => void;
}) {
  const { subject, choice, bars, data, onExtras } = props;
  const { extras } = choice;
  const asked = extras.join();
  const peAnswer = useData(extras.includes("pe") ? peCall(subject, choice) : null);
  const needsReports = extras.some((one) => one === "eps" || one === "revenue");
  const reports = useData(needsReports ? reportedCall(subject) : null);
  const [pe, reported] = [peAnswer.value?.data, reports.value?.data];
  // All figures come together, so that none of them moves.
  const isReady =
    (!extras.includes("pe") || isSettled(peAnswer)) && (!needsReports || isSettled(reports));
  const lines = useMemo(() => linesOf(extras, bars), [asked, bars]);
  const panes = useMemo(() => {
    if (!isReady) return [];
    const dates = bars.map(({ date }) => date);
    const rows = reported ? rowsOf(reported) : [];
    const currency = textIn(rows.at(-1) ?? {}, "currency");
    const reportedPoints = (metric: string) =>
      known(
        dates,
        rows.map((row) => [textIn(row, "filing_date"), numberIn(row, metric)] as const),
      );
    const of: Readonly<Record<PaneName, () => Omit<ExtraPane, "color"> | null>> = {
      pe: () =>
        pe
          ? pane(
              "pe",
              known(
                dates,
                // The newest session is later than the newest whole week.
                [
                  ...rowsOf(pe).map((row) => [textIn(row, "date"), numberIn(row, "pe")] as const),
                  ...(pe.session === null
                    ? []
                    : [[pe.session, pe.metrics["pe"]?.today ?? null] as const]),
                ],
              ),
              formatNumber,
            )
          : null,
      eps: () => (reported ? pane("eps", reportedPoints("eps"), perShareIn(currency)) : null),
      revenue: () => (reported ? revenuePane(reportedPoints("revenue"), currency) : null),
      dividend: () => pane("dividend", dividendsOfYear(dates, data), perShareIn(data.currency)),
    };
    return (Object.keys(of) as PaneName[]).flatMap((name) => {
      const made = extras.includes(name) ? of[name]() : null;
      return made ? [{ ...made, color: PANE_COLORS[name] }] : [];
    });
  }, [asked, bars, pe, reported, isReady]);
  useEffect(() => {
    if (isReady) onExtras({ lines, panes });
  }, [lines, panes, isReady]);
  return null;
}

const peCall = (subject: Subject, { interval }: Choice): Call<"get_valuation_history"> => ({
  operation: "get_valuation_history",
  args: { ...subject, metric: "pe", range: "10y", interval: interval === "1mo" ? "1mo" : "1wk" },
});

const reportedCall = ({ country, symbol }: Subject): Call<"get_metric_history"> => ({
  operation: "get_metric_history",
  args: { symbols: `${country}:${symbol}`, metrics: "eps,revenue", period: "ttm", limit: 40 },
});

/** The form of figures per share: `8.18 USD`, `79.68円`. */
const perShareIn = (currency: string) => (value: number) =>
  `${formatPerShare(value, currency)}${currencyUnit(currency)}`;

/** A day before a figure is known has no value. */
function pane(
  name: PaneName,
  points: readonly Point[],
  format: (value: number) => string,
): Omit<ExtraPane, "color"> {
  const textAt = (index: number) => {
    const value = points[index]?.value;
    return `${t(PANE_NAMES[name])} ${value === undefined ? "—" : format(value)}`;
  };
  return { points, decimals: 2, textAt };
}

/** Revenue, in one unit. */
function revenuePane(points: readonly Point[], currency: string): Omit<ExtraPane, "color"> {
  const { size, unit, format } = formatInOneUnit(
    points.map(({ value = null }) => value),
    currency,
  );
  const space = reader.value.language === "ja" ? "" : " ";
  const made = pane("revenue", points, (value) => format(value) + space + unit);
  const scaled = points.map(({ date, value }) =>
    value === undefined ? { date } : { date, value: value / size },
  );
  return { ...made, points: scaled, decimals: 0 };
}

/** The averages and bands with lengths that the user chose: `sma100`, `ema20`, `bb20`. */
function linesOf(extras: readonly string[], bars: readonly Bar[]): Extras["lines"] {
  const named = extras.flatMap((one) => {
    const [, kind, length] = /^(sma|ema|bb)(\d+)$/.exec(one) ?? [];
    return kind === undefined ? [] : [[kind, Number(length)] as const];
  });
  return named.flatMap(([kind, length], i) => {
    const color = LINE_COLORS[i % LINE_COLORS.length] ?? 6;
    if (kind === "sma")
      return [{ name: `SMA ${length}`, color, points: meanOfCloses(bars, length) }];
    if (kind === "ema")
      return [{ name: `EMA ${length}`, color, points: exponentialMean(bars, length) }];
    const { upper, lower } = bollinger(bars, length);
    return [
      { name: `BB ${length} +2σ`, color, points: upper },
      { name: `BB ${length} −2σ`, color, points: lower },
    ];
  });
}
