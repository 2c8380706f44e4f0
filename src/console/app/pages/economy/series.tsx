import type { ComponentChildren } from "preact";
import { isSettled, type Call, useData } from "#console/app/api.ts";
import { dateOf } from "#console/app/days.ts";
import { formatDay, formatNumber, formatTime } from "#console/app/format.ts";
import { COUNTRY_NAMES, countryInText, countryName } from "#console/app/parts/country.tsx";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { eventFigure, instantOf, type MacroEvent } from "#console/app/parts/events.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { isPolicyRate } from "./policy-rate.ts";
import { Until } from "#console/app/parts/time.tsx";
import { unitText } from "#console/app/parts/unit-text.ts";
import { zoneInText } from "#console/app/zone-names.ts";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import type { PayloadOf } from "#operations/index.ts";
import { nextRelease, releaseCall } from "./cards.tsx";
import { CountryPlot } from "./countries.tsx";
import { colourOf, formatPeriod } from "./figures.ts";
import { seriesName } from "./curve.tsx";
import { forecastOf } from "./forecast.ts";
import { LinePlot } from "./plot.tsx";
import {
  decimalsOf,
  laterOf,
  type Point,
  pointsOf,
  RANGE_NAMES,
  type Range,
  withinRange,
} from "./scale.ts";
import { t, translate } from "#console/app/words.ts";

const MAX_OBSERVATIONS = 1_000;

interface SeriesProps {
  readonly country: string;
  readonly series: string;
}

/** The published figures of a series, its forecasts and the releases of its country. */
function useSeries({ country, series }: SeriesProps) {
  const call: Call<"get_macro_history"> = {
    operation: "get_macro_history",
    args: { country, series, limit: MAX_OBSERVATIONS },
  };
  const forecastCall: Call<"get_macro_forecast"> = {
    operation: "get_macro_forecast",
    args: { country },
  };
  const releasesCall = releaseCall(country);
  const history = useData(call);
  // Without forecasts and the calendar the published figures are shown alone.
  const forecasts = useData(forecastCall);
  const releases = useData(releasesCall);
  // All arrive before the plot is drawn, or it would move.
  const isReady = [forecasts, releases].every(isSettled);
  return { calls: [call, forecastCall, releasesCall], history, forecasts, releases, isReady };
}

/** The range that the address asks for; all by default. */
export const rangeNow = (): Range =>
  RANGE_NAMES.find((one) => one === place.value.query.get("range")) ?? "Max";

/** All stored figures of one series, as a plot and as a table. */
export function SeriesPanel({ country, series }: SeriesProps) {
  const { calls, history, forecasts, releases, isReady } = useSeries({ country, series });
  return (
    <Panel
      title={t("{series} in {country}", {
        series: seriesName(history.value?.data.name ?? series),
        country: countryInText(country),
      })}
      calls={calls}
      answer={isReady ? history.value : null}
      actions={
        <>
          <Tabs
            label="Range"
            tabs={RANGE_NAMES}
            current={rangeNow()}
            textOf={(one) => one}
            onChange={(one) => setQuery({ range: one === "Max" ? null : one })}
          />
          <button type="button" onClick={() => setQuery({ series: null, range: null, over: null })}>
            {t("Close")}
          </button>
        </>
      }
    >
      <div class="series-frame">
        <Loaded of={isReady ? history : { ...history, value: null }} lines={9}>
          {({ data }) => {
            const forecast = forecasts.value ? forecastOf(data, forecasts.value.data) : [];
            return (
              <>
                <LinePlot
                  key={rangeNow()}
                  points={withinRange(pointsOf(data), rangeNow())}
                  unit={data.unit}
                  forecast={forecast}
                  isStepped={isPolicyRate(data.name)}
                  colour={colourOf(country)}
                />
                <NextRelease event={nextRelease(releases.value?.data.events ?? [], data.name)} />
                <p class="muted">
                  {forecasts.value &&
                    t("Dashed: forecasts. Source: {source}.", {
                      source: translate(forecasts.value.data.metadata.source),
                    })}
                </p>
                <FigureTable history={data} forecast={forecast} />
              </>
            );
          }}
        </Loaded>
      </div>
    </Panel>
  );
}

/**
 * The same series of all countries that have it in the same unit; nothing if only one has. What is below it comes
 * with it, so that it never moves.
 */
export function CountriesPanel({
  country,
  series,
  children,
}: SeriesProps & { readonly children: ComponentChildren }) {
  const above = useSeries({ country, series });
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
  // The panel is drawn once, with all of its lines, and below a panel that has its height.
  const isReady = above.isReady && answers.every(isSettled);
  if (!isReady) return null;
  if (!own || same.length < 2) return <>{children}</>;
  const lines = same.map(({ call, data }) => ({
    label: countryName(String(call.args["country"])),
    points: withinRange(pointsOf(data), rangeNow()),
    colour: colourOf(String(call.args["country"])),
  }));
  return (
    <>
      <Panel title="In all countries" calls={same.map(({ call }) => call)}>
        <CountryPlot lines={lines} name={own.name} unit={own.unit} />
      </Panel>
      {children}
    </>
  );
}

/** When the next figure is published, by the reader's clock, and what is expected. */
function NextRelease({ event }: { readonly event: MacroEvent | undefined }) {
  if (!event) return <p>{t("Next release: no date is known.")}</p>;
  const at = instantOf(event);
  const { consensus, forecast, previous } = event;
  const expected = consensus ?? forecast;
  return (
    <p>
      {t("Next release:")}{" "}
      <b>
        {formatDay(dateOf(at))}, {formatTime(at)}
      </b>{" "}
      (<Until at={at} />
      ).{" "}
      {expected !== null &&
        `${t("Expected: {figure}.", { figure: eventFigure(expected, event) })} `}
      {previous !== null && t("Previous: {figure}.", { figure: eventFigure(previous, event) })}{" "}
      <span class="muted">{t("Times are in {zone}.", { zone: zoneInText() })}</span>
    </p>
  );
}

/** The figures and the forecasts, newest first. */
function FigureTable(props: {
  readonly history: PayloadOf<"get_macro_history">;
  readonly forecast: readonly Point[];
}) {
  const { unit } = props.history;
  const points = pointsOf(props.history);
  const later = laterOf(points, props.forecast);
  const all = [...points, ...later];
  const decimals = Math.max(...all.map(({ value }) => decimalsOf(value)));
  return (
    <details>
      <summary>{t("All figures as a table")}</summary>
      <div class="figures-table">
        <DataTable
          label="Figures"
          rows={all.toReversed()}
          keyOf={({ label }) => label}
          columns={[
            {
              title: "Period",
              cell: (point) => (
                <>
                  {formatPeriod(point.label)}
                  {later.includes(point) && <span class="muted"> {t("forecast")}</span>}
                </>
              ),
            },
            {
              title: unit === "" ? "Value" : unitText(unit),
              isNumber: true,
              cell: ({ value }) => formatNumber(value, decimals),
            },
          ]}
        />
      </div>
    </details>
  );
}
