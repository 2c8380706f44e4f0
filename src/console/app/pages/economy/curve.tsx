import { useState } from "preact/hooks";
import { type Call, isSettled, useData } from "#console/app/api.ts";
import { monthsBefore } from "#console/app/days.ts";
import { formatDate, formatMonths, formatNumber, formatPlainPercent } from "#console/app/format.ts";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { MoreButton } from "#console/app/parts/more-button.tsx";
import { Loaded, LoadFailure } from "#console/app/parts/panel.tsx";
import { asIs, type Shown, t, translateTerm } from "#console/app/words.ts";
import { colourOf, seriesPath } from "./figures.ts";
import { Scale, ScaleLines } from "./plot.tsx";
import { decimalsOf, HEIGHT, linesOf, scaleOf, WIDTH, xOf } from "./scale.ts";
import { type Curve, curveOf, LONG, maturityOf, spreadOf } from "./yields.ts";

/** The days of the lines, in months before the newest day. */
const AGES = [0, 1, 12] as const;

/** The maturities that have a label on a narrow screen too, in months. */
const LABELLED = new Set([3, 12, 24, 60, 120, 360]);

/** The name of a series in the reader's language. */
export function seriesName(name: string): Shown {
  const months = maturityOf(name);
  return months === null
    ? translateTerm(name)
    : t("Yield curve, {length}", { length: formatMonths(months) });
}

/** Loads the newest curve of a country, and the curves of a month and a year before. */
export function useCurves(country: string) {
  const callOf = (to?: string): Call<"get_macro_indicators"> => ({
    operation: "get_macro_indicators",
    args: { country, category: "money", to },
  });
  const newest = useData(callOf());
  const day = curveOf(newest.value?.data)?.day;
  const [, ...earlier] = AGES.map((age) =>
    day === undefined ? null : callOf(monthsBefore(day, age)),
  );
  // The lines are always the same, so the hooks are too.
  const answers = [newest, ...earlier.map((call) => useData(call))];
  return { country, answers, calls: [callOf(), ...earlier].filter((call) => call !== null) };
}

/** A government's yields by maturity: today, a month and a year ago. Nothing for a country without them. */
export function CurveSection({ country, answers, calls }: ReturnType<typeof useCurves>) {
  const [newest] = answers;
  if (!newest || newest.error?.status === 404) return null;
  if (newest.value && !curveOf(newest.value.data)) return null;
  const title = t("Yield curve");
  const isReady = answers.every(isSettled);
  const all = answers.map(({ value }) => curveOf(value?.data)).filter((one) => one !== null);
  // In a short history the days of two lines are one.
  const curves = [...new Map(all.map((curve) => [curve.day, curve])).values()];
  // A line that the market does not have is left out, and one that could not be loaded is said.
  const failure = answers.find(({ error }) => error?.mayPass)?.error;
  return (
    <section class="theme curve" aria-label={title}>
      <header class="panel-head">
        <h3>{title}</h3>
        <MoreButton title={title} calls={calls} answer={newest.value} />
      </header>
      <Loaded of={isReady ? newest : { ...newest, value: null }} lines={9}>
        {() => (
          <>
            <CurveFigure curves={curves} colour={colourOf(country)} />
            {failure?.isOutage === false && <LoadFailure error={failure} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

interface CurveProps {
  /** The newest first. */
  readonly curves: readonly Curve[];
  /** The maturities of the newest curve, in months. */
  readonly maturities: readonly number[];
  readonly decimals: number;
}

function CurveFigure(props: Pick<CurveProps, "curves"> & { readonly colour: number }) {
  const { curves, colour } = props;
  const [newest] = curves;
  if (!newest) return null;
  const decimals = Math.max(...[...newest.yields.values()].map(decimalsOf));
  const shown = { curves, maturities: [...newest.yields.keys()], decimals };
  return (
    <>
      <CurvePlot {...shown} colour={colour} />
      <p>
        {spreadText(newest, decimals)}{" "}
        <span class="muted">{t("Source: {source}", { source: newest.source })}</span>
      </p>
      <details>
        <summary>{t("All figures as a table")}</summary>
        <CurveTable {...shown} />
      </details>
    </>
  );
}

/** The lines over the maturities, which are equally far from each other, as readers of bond pages know them. */
function CurvePlot(props: CurveProps & { readonly colour: number }) {
  const { curves, maturities, decimals } = props;
  const [chosen, setChosen] = useState<number | null>(null);
  const scale = linesOf(scaleOf(curves.flatMap(({ yields }) => [...yields.values()])));
  const x = (months: number) => xOf(maturities.indexOf(months), 0, maturities.length - 1);
  const shown = chosen ?? (maturities.includes(LONG) ? LONG : maturities.at(-1)) ?? LONG;
  const choose = (event: PointerEvent) => {
    if (!(event.currentTarget instanceof Element)) return;
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const step = Math.round(((event.clientX - left) / width) * (maturities.length - 1));
    setChosen(maturities[step] ?? null);
  };
  return (
    <figure class={`plot country-${props.colour}`}>
      <figcaption>{formatMonths(shown)}</figcaption>
      <ul>
        {curves.map(({ day, yields }, i) => (
          <li key={day}>
            <span class={`curve-key curve-${i}`} aria-hidden="true" /> {formatDate(day)}{" "}
            <b>{formatNumber(yields.get(shown), decimals)}</b> <span class="muted">%</span>
          </li>
        ))}
      </ul>
      <Scale of={scale} />
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={curves.map(lineText).join(" ")}
        onPointerMove={choose}
        onPointerLeave={() => setChosen(null)}
      >
        <ScaleLines ticks={scale.ticks} y={scale.y} years={[]} />
        {curves
          .map(({ day, yields }, i) => (
            <polyline
              key={day}
              class={`curve-${i}`}
              points={maturities
                .flatMap((months) => {
                  const percent = yields.get(months);
                  return percent === undefined ? [] : `${x(months)},${scale.y(percent)}`;
                })
                .join(" ")}
            />
          ))
          // The newest line is above the others.
          .toReversed()}
        {chosen !== null && (
          <line class="plot-cursor" x1={x(chosen)} x2={x(chosen)} y1="0" y2={HEIGHT} />
        )}
      </svg>
      <div class="plot-years muted" aria-hidden="true">
        {maturities.map((months) => (
          <span
            key={months}
            class={LABELLED.has(months) ? "" : "unlabelled"}
            style={{ left: `${(100 * x(months)) / WIDTH}%` }}
          >
            {shortLength(months)}
          </span>
        ))}
      </div>
    </figure>
  );
}

/** A maturity below the plot, as pages about bonds write it: `3M`, `10Y`. */
function shortLength(months: number): Shown {
  if (months % 12 === 0) return t("{count}Y", { count: months / 12 });
  return t("{count}M", { count: formatNumber(months, decimalsOf(months)) });
}

/** A curve in a sentence: its day and its ends. */
function lineText({ day, yields }: Curve): string {
  const all = [...yields];
  const [from = 0, first = 0] = all[0] ?? [];
  const [to = 0, last = 0] = all.at(-1) ?? [];
  const ends = { from: formatMonths(from), first, to: formatMonths(to), last };
  return `${formatDate(day)}: ${t("Line from {from} ({first}) to {to} ({last})", ends)}.`;
}

function spreadText(curve: Curve, decimals: number): Shown | null {
  const spread = spreadOf(curve);
  if (spread === null) return null;
  if (spread === 0) return t("Bonds of 10 years yield as much as bonds of 2 years.");
  const sentence =
    spread > 0
      ? "Bonds of 10 years yield {points} points more than bonds of 2 years."
      : "Bonds of 10 years yield {points} points less than bonds of 2 years: the curve is inverted.";
  return t(sentence, { points: formatNumber(Math.abs(spread), decimals) });
}

/** The yields by maturity and day, and the difference between bonds of 10 and 2 years. */
function CurveTable({ curves, maturities, decimals }: CurveProps) {
  return (
    <div class="figures-table">
      <DataTable
        label="Figures"
        rows={[...maturities, null]}
        keyOf={(months) => months ?? "spread"}
        columns={[
          {
            title: "Maturity",
            cell: (months) =>
              months === null ? (
                t("10 years − 2 years, points")
              ) : (
                <a href={seriesPath(curves[0]?.names.get(months) ?? "")}>{formatMonths(months)}</a>
              ),
          },
          ...curves.map((curve) => ({
            title: asIs(formatDate(curve.day)),
            isNumber: true,
            cell: (months: number | null) =>
              months === null
                ? formatNumber(spreadOf(curve), decimals)
                : formatPlainPercent(curve.yields.get(months), decimals),
          })),
        ]}
      />
    </div>
  );
}
