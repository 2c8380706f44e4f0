import { type Call, queryOf, useConsole, useData } from "#console/app/api.ts";
import { formatText, MISSING } from "#console/app/format.ts";
import { COUNTRY_NAMES } from "#console/app/parts/country.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Sparkline } from "#console/app/parts/sparkline.tsx";
import { setQuery } from "#console/app/router.ts";
import type { AnswerTo } from "#http/console-api.ts";
import type { PayloadOf } from "#operations/index.ts";

type Indicators = PayloadOf<"get_macro_indicators">;
type Indicator = Indicators[string][number];
type Forecasts = PayloadOf<"get_macro_forecast">;
/** A forecast, with one more key for each quarter. */
type Forecast = Forecasts["categories"][string][number];

/** The ten categories, in the order of the service. */
const CATEGORIES: Readonly<Record<string, string>> = {
  gdp: "GDP",
  labor: "Labor",
  prices: "Prices",
  money: "Money and interest",
  consumer: "Consumers",
  housing: "Housing",
  business: "Business",
  trade: "Trade",
  government: "Government",
  energy: "Energy",
};

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

/** The indicators of a country by category, with trend lines and forecasts. */
export function IndicatorPanel({ country }: { readonly country: string }) {
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
  const names = Object.values(indicators.value?.data ?? {}).flat();
  const lines = useConsole("GET macro-lines", queryOf({ country }));
  return (
    <Panel
      title={`Indicators and forecasts, ${COUNTRY_NAMES[country] ?? country}`}
      calls={[call, forecastCall]}
      answer={indicators.value}
    >
      <div class="indicators">
        <Loaded of={isReady ? indicators : { ...indicators, value: null }} lines={24}>
          {({ data }) =>
            names.length === 0 ? (
              <Empty>No series of this country is stored.</Empty>
            ) : (
              <IndicatorTable lines={lines.value ?? {}} indicators={data} forecasts={forecasts} />
            )
          }
        </Loaded>
      </div>
      <p class="muted">
        {forecasts ? `Forecasts by quarter: ${forecasts.metadata.source}.` : "\u00a0"}
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

/** As the service matches them: the same name, apart from `Real`, and unit. */
function isSameFigure(one: Indicator, { name, unit }: Forecast): boolean {
  const nameOf = (text: string) => text.toLowerCase().replace(/^real /, "");
  return one.unit === unit && nameOf(one.name) === nameOf(name);
}

function withoutUnit(text: string, unit: string): string {
  return unit !== "" && text.endsWith(unit) ? text.slice(0, -unit.length).trim() : text;
}

/** The newest figures of each series, oldest first. */
type Lines = AnswerTo<"GET macro-lines">;

function IndicatorTable(props: {
  readonly lines: Lines;
  readonly indicators: Indicators;
  readonly forecasts: Forecasts | null;
}) {
  const { lines, indicators, forecasts } = props;
  const quarters = forecasts?.forecast_horizons ?? [];
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label="Indicators">
      <table class="groups">
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col">Trend</th>
            <th scope="col" class="number">
              Latest
            </th>
            <th scope="col" class="number">
              Previous
            </th>
            <th scope="col">Unit</th>
            <th scope="col">Period</th>
            {quarters.map((quarter, i) => (
              <th key={quarter} scope="col" class="number forecast">
                {i === 0 && "Forecast "}
                {quarter}
              </th>
            ))}
          </tr>
        </thead>
        {Object.entries(CATEGORIES).map(([category, title]) => (
          <tbody key={category}>
            <tr>
              <th colSpan={6 + quarters.length} scope="rowgroup" class="group">
                {title}
              </th>
            </tr>
            {rowsOf(indicators[category], forecasts?.categories[category]).map((row) => (
              <IndicatorRow key={row.name} line={lines[row.name]} row={row} quarters={quarters} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function IndicatorRow(props: {
  readonly line: readonly number[] | undefined;
  readonly row: IndicatorRow;
  readonly quarters: readonly string[];
}) {
  const { line, quarters, row } = props;
  const { name, unit, latest, previous, period, isStored, forecast } = row;
  const figures = new Map(Object.entries(forecast ?? {}));
  return (
    <tr>
      <td>
        {isStored ? (
          <button type="button" class="link" onClick={() => openSeries(name)}>
            {name}
          </button>
        ) : (
          name
        )}
      </td>
      <td>{isStored && <div class="trend">{line && <Sparkline values={line} />}</div>}</td>
      <td class="number">
        <b>{formatText(latest)}</b>
      </td>
      <td class="number">{formatText(previous)}</td>
      <td class="muted">{unit}</td>
      <td class="muted period">{period}</td>
      {quarters.map((quarter) => (
        <td key={quarter} class="number forecast">
          {formatText(figures.get(quarter) ?? MISSING)}
        </td>
      ))}
    </tr>
  );
}

function openSeries(series: string): void {
  setQuery({ series });
  window.scrollTo(0, 0);
  // The panel appears before the next frame.
  requestAnimationFrame(() => document.getElementById("series")?.focus());
}
