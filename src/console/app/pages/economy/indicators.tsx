import { type Call, queryOf, useConsole, useData } from "#console/app/api.ts";
import { formatText, MISSING } from "#console/app/format.ts";
import { countryName } from "#console/app/parts/country.tsx";
import { NoFigures, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { isPolicyRate } from "./policy-rate.ts";
import { Sparkline } from "#console/app/parts/sparkline.tsx";
import { unitText, withoutUnit } from "#console/app/parts/unit-text.ts";
import type { PayloadOf } from "#operations/index.ts";
import { IndicatorCards, releaseCall } from "./cards.tsx";
import {
  formatPeriod,
  formatQuarter,
  CATEGORIES,
  type Indicator,
  type Indicators,
  seriesPath,
  type Trends,
} from "./figures.ts";
import { type Forecast, isSameFigure } from "./forecast.ts";
import { t, translate, translateTerm } from "#console/app/words.ts";

type Forecasts = PayloadOf<"get_macro_forecast">;

/** The observations of a trend line. */
const TREND = 40;

/** The call for the trend line of a series. */
function trendCall(country: string, series: string): Call<"get_macro_history"> {
  return { operation: "get_macro_history", args: { country, series, limit: TREND } };
}

/** A row of the table: published figures, a forecast, or both. Figures are texts without their unit. */
interface IndicatorRow {
  readonly name: string;
  readonly unit: string;
  readonly latest: string;
  readonly previous: string;
  readonly period: string;
  /** False if only a forecast is known. */
  readonly isStored: boolean;
  readonly forecast: Forecast | null;
}

/** The indicators of a country by category, with trend lines: as cards, or as a table with forecasts. */
export function IndicatorPanel(props: { readonly country: string; readonly isTable: boolean }) {
  const { country, isTable } = props;
  const call: Call<"get_macro_indicators"> = {
    operation: "get_macro_indicators",
    args: { country },
  };
  const forecastCall: Call<"get_macro_forecast"> = {
    operation: "get_macro_forecast",
    args: { country },
  };
  const indicators = useData(call);
  // Without forecasts the published figures are shown alone.
  const answer = useData(forecastCall);
  const forecasts = answer.value?.data ?? null;
  // Both arrive before the table is shown, or its columns would move.
  const isReady = forecasts !== null || answer.error !== null;
  const trends = useConsole("GET macro-lines", queryOf({ country })).value ?? {};
  const names = Object.values(indicators.value?.data ?? {}).flat();
  return (
    <Panel
      title={t("Indicators and forecasts, {country}", {
        country: countryName(country),
      })}
      calls={[
        call,
        isTable ? forecastCall : releaseCall(country),
        ...names.map(({ name }) => trendCall(country, name)),
      ]}
      answer={indicators.value}
    >
      <div class="indicators">
        <Loaded of={isReady ? indicators : { ...indicators, value: null }} lines={24}>
          {({ data }) =>
            names.length === 0 ? (
              <NoFigures>{t("No series of this country is stored.")}</NoFigures>
            ) : isTable ? (
              <IndicatorTable indicators={data} forecasts={forecasts} trends={trends} />
            ) : (
              <IndicatorCards country={country} indicators={data} trends={trends} />
            )
          }
        </Loaded>
      </div>
      <p class="muted">
        {isTable && forecasts
          ? t("Forecasts by quarter: {source}.", {
              source: translate(forecasts.metadata.source),
            })
          : "\u00a0"}
      </p>
    </Panel>
  );
}

function rowsOf(
  indicators: readonly Indicator[] = [],
  forecasts: readonly Forecast[] = [],
): readonly IndicatorRow[] {
  const rows = indicators.map((one): IndicatorRow => ({
    name: one.name,
    unit: one.unit,
    latest: withoutUnit(one.latest_raw, one.unit),
    previous: withoutUnit(one.previous_raw, one.unit),
    period: one.period,
    isStored: true,
    forecast: forecasts.find((forecast) => isSameFigure(one, forecast)) ?? null,
  }));
  const left = forecasts.filter((one) => !rows.some(({ forecast }) => forecast === one));
  return [
    ...rows,
    ...left.map((forecast): IndicatorRow => ({
      name: forecast.name,
      unit: forecast.unit,
      latest: forecast.latest,
      previous: MISSING,
      period: forecast.latest_period,
      isStored: false,
      forecast,
    })),
  ];
}

function IndicatorTable(props: {
  readonly indicators: Indicators;
  readonly forecasts: Forecasts | null;
  readonly trends: Trends;
}) {
  const { indicators, forecasts, trends } = props;
  const quarters = forecasts?.forecast_horizons ?? [];
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={t("Indicators")}>
      <table class="groups">
        <thead>
          <tr>
            <th scope="col">{t("Series")}</th>
            <th scope="col">{t("Trend")}</th>
            <th scope="col" class="number">
              {t("Latest")}
            </th>
            <th scope="col" class="number">
              {t("Previous")}
            </th>
            <th scope="col">{t("Unit")}</th>
            <th scope="col">{t("Period")}</th>
            {quarters.map((quarter, i) => (
              <th key={quarter} scope="col" class="number forecast">
                {i === 0 && `${t("Forecast")} `}
                {formatQuarter(quarter)}
              </th>
            ))}
          </tr>
        </thead>
        {Object.entries(CATEGORIES).map(([category, title]) => (
          <tbody key={category}>
            <tr>
              <th colSpan={6 + quarters.length} scope="rowgroup" class="group">
                {t(title)}
              </th>
            </tr>
            {rowsOf(indicators[category], forecasts?.categories[category]).map((row) => (
              <IndicatorRow key={row.name} row={row} quarters={quarters} trend={trends[row.name]} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function IndicatorRow(props: {
  readonly row: IndicatorRow;
  readonly quarters: readonly string[];
  readonly trend: readonly number[] | undefined;
}) {
  const { quarters, row, trend } = props;
  const { name, unit, latest, previous, period, isStored, forecast } = row;
  const figures = new Map(Object.entries(forecast ?? {}));
  return (
    <tr>
      <td>
        {isStored ? <a href={seriesPath(name)}>{translateTerm(name)}</a> : translateTerm(name)}
      </td>
      <td>
        <div class="trend">
          {trend && <Sparkline values={trend} isStepped={isPolicyRate(name)} />}
        </div>
      </td>
      <td class="number">
        <b>{formatText(latest)}</b>
      </td>
      <td class="number">{formatText(previous)}</td>
      <td class="muted">{unitText(unit)}</td>
      <td class="muted period">{formatPeriod(period)}</td>
      {quarters.map((quarter) => (
        <td key={quarter} class="number forecast">
          {formatText(figures.get(quarter) ?? MISSING)}
        </td>
      ))}
    </tr>
  );
}
