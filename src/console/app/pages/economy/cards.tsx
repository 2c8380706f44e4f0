import { Fragment } from "preact";
import { timeNow } from "#console/app/clock.ts";
import { type Call, useData } from "#console/app/api.ts";
import { MISSING } from "#console/app/format.ts";
import { instantOf, type MacroEvent } from "#console/app/parts/events.tsx";
import { isPolicyRate } from "./policy-rate.ts";
import { Sparkline } from "#console/app/parts/sparkline.tsx";
import { Until } from "#console/app/parts/time.tsx";
import { inUnit, withoutUnit } from "#console/app/parts/unit-text.ts";
import { CurveSection, type useCurves } from "./curve.tsx";
import {
  CATEGORIES,
  formatPeriod,
  formatQuarter,
  type Indicator,
  type Indicators,
  seriesPath,
  type Trends,
} from "./figures.ts";
import { type Forecast, type Forecasts, isSameFigure, quartersOf } from "./forecast.ts";
import { maturityOf } from "./yields.ts";
import { t, translateTerm } from "#console/app/words.ts";

type Quarters = ReturnType<typeof quartersOf>;

/** The most events that the service lists. */
const MAX_EVENTS = 200;

/** The call for the next releases of all series of a country. */
export function releaseCall(country: string): Call<"get_macro_calendar"> {
  return { operation: "get_macro_calendar", args: { country, limit: MAX_EVENTS } };
}

/** Every series by theme: its trend, its latest figure, the change, its forecast, and when the next one is published. */
export function IndicatorCards(props: {
  readonly country: string;
  readonly indicators: Indicators;
  readonly forecasts: Forecasts | null;
  readonly trends: Trends;
  readonly curves: ReturnType<typeof useCurves>;
}) {
  const { country, indicators, trends, forecasts, curves } = props;
  // Without the calendar the figures are shown alone.
  const events = useData(releaseCall(country)).value?.data.events ?? null;
  const quarters = (one: Forecast | undefined) => (forecasts ? quartersOf(one, forecasts) : []);
  return (
    <div class="themes">
      {Object.entries(CATEGORIES).map(([category, title]) => {
        // Maturities are listed if nothing else of the country is known. They have their plot.
        const published = (indicators[category] ?? []).filter(
          ({ name }) => maturityOf(name) === null,
        );
        const foretold = forecasts?.categories[category] ?? [];
        const others = foretold.filter(
          (one) => !published.some((other) => isSameFigure(other, one)),
        );
        return (
          <Fragment key={category}>
            {published.length + others.length > 0 && (
              <section class="theme">
                <h3>{t(title)}</h3>
                <ul>
                  {published.map((one) => (
                    <li key={one.name}>
                      <Card
                        indicator={one}
                        forecast={quarters(foretold.find((other) => isSameFigure(one, other)))}
                        trend={trends[one.name]}
                        events={events}
                      />
                    </li>
                  ))}
                  {others.map((one) => (
                    <li key={`${one.name} ${one.unit}`}>
                      <ForecastCard forecast={one} quarters={quarters(one)} />
                    </li>
                  ))}
                </ul>
              </section>
            )}
            {category === "money" && <CurveSection {...curves} />}
          </Fragment>
        );
      })}
    </div>
  );
}

/** A published series. */
function Card(props: {
  readonly indicator: Indicator;
  readonly forecast: Quarters;
  readonly trend: readonly number[] | undefined;
  readonly events: readonly MacroEvent[] | null;
}) {
  const { indicator, trend, events } = props;
  const { name, unit, latest_raw: raw, period } = indicator;
  const next = events && nextRelease(events, name);
  const forecast = props.forecast.at(-1);
  const [figure, words] = inUnit(withoutUnit(raw, unit), unit);
  return (
    <a class="series-card" href={seriesPath(name)}>
      <span class="series-name">{translateTerm(name)}</span>
      <span class="trend">
        {trend && <Sparkline values={trend} isStepped={isPolicyRate(name)} />}
      </span>
      <span class="series-figure">
        <b>{figure}</b> <span class="muted">{words}</span>{" "}
        <span class="series-change">{changeOf(indicator)}</span>
      </span>
      <span class="muted period">{formatPeriod(period)}</span>
      <span class="muted series-next">
        {next ? (
          <>
            {t("Next")} <Until at={instantOf(next)} />
          </>
        ) : (
          "\u00a0"
        )}
      </span>
      {forecast && <ForecastFigures quarters={[forecast]} unit={unit} />}
    </a>
  );
}

/** A forecast of a figure without a series; its newest figure is known if only its previous one is not. */
function ForecastCard(props: { readonly forecast: Forecast; readonly quarters: Quarters }) {
  const { name, unit, latest, latest_period: period } = props.forecast;
  return (
    <div class="series-card">
      <span class="series-name">{translateTerm(name)}</span>
      <span class="muted unit">{inUnit(latest, unit)[1]}</span>
      {latest !== MISSING && (
        <span class="series-figure">
          <b>{inUnit(latest, unit)[0]}</b> <span class="muted">{formatPeriod(period)}</span>
        </span>
      )}
      <ForecastFigures quarters={props.quarters} unit={unit} />
    </div>
  );
}

/** Forecasts by quarter: `Forecast Q4/26 2.8 Q1/27 2.4`. */
function ForecastFigures(props: { readonly quarters: Quarters; readonly unit: string }) {
  const { quarters, unit } = props;
  return (
    <span class="muted series-forecast">
      {t("Forecast")}{" "}
      {quarters.map(([quarter, figure]) => (
        <Fragment key={quarter}>
          <span>
            {formatQuarter(quarter)} {inUnit(figure, unit)[0]}
          </span>{" "}
        </Fragment>
      ))}
    </span>
  );
}

/** The next event that publishes a series: the one that names it, or whose title without the period is its name. */
export function nextRelease(events: readonly MacroEvent[], name: string): MacroEvent | undefined {
  return events.find(
    (one) =>
      (one.series ?? one.event.replace(/ \([^)]*\)$/, "")) === name && instantOf(one) > timeNow(),
  );
}

/** The difference from the previous figure, with the decimals of both: `+15`, of percent in points: `+0.1 pt`. */
function changeOf({ latest, previous, latest_raw: raw, unit }: Indicator): string {
  const decimals = /\.(\d+)/.exec(raw)?.[1]?.length ?? 0;
  const change = Number((latest - previous).toFixed(decimals));
  const [text] = inUnit(`${change > 0 ? "+" : ""}${change.toFixed(decimals)}`, unit);
  return unit === "%" ? t("{change} pt", { change: text }) : text;
}
