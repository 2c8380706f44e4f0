import { type Call, useData } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import { COUNTRY_NAMES, countryInText } from "#console/app/parts/country.tsx";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { setQuery } from "#console/app/router.ts";
import type { PayloadOf } from "#operations/index.ts";
import { CountryPlot } from "./economy-countries.tsx";
import { forecastOf } from "./economy-forecast.ts";
import { decimalsOf, LinePlot, pointsOf } from "./economy-plot.tsx";
import { t, translate } from "#console/app/words.ts";

const MAX_OBSERVATIONS = 1_000;

/** All stored figures of one series, as a plot and as a table. */
export function SeriesPanel({
  country,
  series,
}: {
  readonly country: string;
  readonly series: string;
}) {
  const call: Call<"get_macro_history"> = {
    operation: "get_macro_history",
    args: { country, series, limit: MAX_OBSERVATIONS },
  };
  const forecastCall: Call<"get_macro_forecast"> = {
    operation: "get_macro_forecast",
    args: { country },
  };
  const history = useData(call);
  // Without forecasts the published figures are shown alone.
  const forecasts = useData(forecastCall);
  // Both arrive before the plot is drawn, or it would move.
  const isReady = forecasts.value !== null || forecasts.error !== null;
  return (
    <Panel
      title={t("{series} in {country}", {
        series: history.value?.data.name ?? series,
        country: countryInText(country),
      })}
      calls={[call, forecastCall]}
      answer={isReady ? history.value : null}
      actions={
        <button type="button" onClick={() => setQuery({ series: null })}>
          {t("Close")}
        </button>
      }
    >
      <div class="series-frame">
        <Loaded of={isReady ? history : { ...history, value: null }} lines={9}>
          {({ data }) => (
            <>
              <LinePlot
                points={pointsOf(data)}
                unit={data.unit}
                forecast={forecasts.value ? forecastOf(data, forecasts.value.data) : []}
              />
              <p class="muted">
                {forecasts.value &&
                  t("Dashed: forecasts of {source}.", {
                    source: forecasts.value.data.metadata.source,
                  })}
              </p>
              <FigureTable history={data} />
            </>
          )}
        </Loaded>
      </div>
    </Panel>
  );
}

/** The same series of all countries that have it in the same unit; nothing if only one has. */
export function CountriesPanel(props: { readonly country: string; readonly series: string }) {
  const { country, series } = props;
  const args = { series, limit: MAX_OBSERVATIONS };
  const calls = Object.keys(COUNTRY_NAMES).map((code): Call<"get_macro_history"> => ({
    operation: "get_macro_history",
    args: { country: code, ...args },
  }));
  // The countries are always the same, so the hooks are too.
  const answers = calls.map((call) => useData(call));
  const histories = calls.map((call, i) => ({ call, data: answers[i]?.value?.data }));
  const own = histories.find(({ call }) => call.args["country"] === country)?.data;
  const same = histories.flatMap(({ call, data }) =>
    own && data?.unit === own.unit && data.name === own.name ? [{ call, data }] : [],
  );
  // The panel is drawn once, with all of its lines.
  const isReady = answers.every(({ value, error }) => value !== null || error !== null);
  if (!isReady || !own || same.length < 2) return null;
  // The order of the colours stays, and this country is the main line.
  const lines = same.map(({ call, data }) => ({
    label: translate(COUNTRY_NAMES[String(call.args["country"])] ?? ""),
    points: pointsOf(data),
    colour: calls.indexOf(call) + 1,
  }));
  return (
    <Panel title="In all countries" calls={same.map(({ call }) => call)}>
      <CountryPlot lines={lines} unit={own.unit} />
    </Panel>
  );
}

function FigureTable({ history }: { readonly history: PayloadOf<"get_macro_history"> }) {
  const { unit, frequency } = history;
  const points = pointsOf(history);
  const decimals = Math.max(...points.map(({ value }) => decimalsOf(value)));
  return (
    <details>
      <summary>
        {t("{count} {frequency} figures as a table", {
          count: points.length,
          frequency: translate(frequency),
        })}
      </summary>
      <div class="figures-table">
        <DataTable
          label="Figures"
          rows={points.toReversed()}
          keyOf={({ label }) => label}
          columns={[
            { title: "Period", cell: ({ label }) => label },
            {
              title: unit === "" ? "Value" : unit,
              isNumber: true,
              cell: ({ value }) => formatNumber(value, decimals),
            },
          ]}
        />
      </div>
    </details>
  );
}
