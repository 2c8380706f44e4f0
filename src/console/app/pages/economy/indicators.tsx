import { type Call, isSettled, queryOf, useConsole, useData } from "#console/app/api.ts";
import { countryName } from "#console/app/parts/country.tsx";
import { NoFigures, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { IndicatorCards, releaseCall } from "./cards.tsx";
import { useCurves } from "./curve.tsx";
import { t, translate } from "#console/app/words.ts";

/** The observations of a trend line. */
const TREND = 40;

/** The call for the trend line of a series. */
function trendCall(country: string, series: string): Call<"get_macro_history"> {
  return { operation: "get_macro_history", args: { country, series, limit: TREND } };
}

/** The indicators of a country by category, with trend lines, forecasts and the yield curve. */
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
  const curves = useCurves(country);
  // Without forecasts the published figures are shown alone.
  const answer = useData(forecastCall);
  const forecasts = answer.value?.data ?? null;
  // All arrive before the cards are shown, or they would move.
  const isReady = [answer, ...curves.answers.slice(0, 1)].every(isSettled);
  const trends = useConsole("GET macro-lines", queryOf({ country })).value ?? {};
  const names = Object.values(indicators.value?.data ?? {}).flat();
  return (
    <Panel
      title={t("Indicators and forecasts, {country}", {
        country: countryName(country),
      })}
      calls={[
        call,
        forecastCall,
        releaseCall(country),
        ...names.map(({ name }) => trendCall(country, name)),
      ]}
      answer={indicators.value}
    >
      <div class="indicators">
        <Loaded of={isReady ? indicators : { ...indicators, value: null }} lines={24}>
          {({ data }) =>
            names.length === 0 ? (
              <NoFigures>{t("No series of this country is stored.")}</NoFigures>
            ) : (
              <IndicatorCards
                country={country}
                indicators={data}
                forecasts={forecasts}
                trends={trends}
                curves={curves}
              />
            )
          }
        </Loaded>
      </div>
      <p class="muted">
        {forecasts
          ? t("Forecasts by quarter: {source}.", {
              source: translate(forecasts.metadata.source),
            })
          : "\u00a0"}
      </p>
    </Panel>
  );
}
