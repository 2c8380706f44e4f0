import { CountryTabs } from "#console/app/parts/country.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { homeCountry } from "#console/app/settings.ts";
import { IndicatorPanel } from "./economy-indicators.tsx";
import { SeriesPanel } from "./economy-series.tsx";

/** Economy: the indicators of a country with their forecasts, and one series over time. */
export default function EconomyPage() {
  const { query } = place.value;
  const country = query.get("country") ?? homeCountry();
  const series = query.get("series");
  return (
    <>
      <PageTitle title="Economy">
        <div class="panel-actions">
          <a href="/console/calendar">Calendar</a>
          <CountryTabs
            current={country}
            onChange={(code) =>
              setQuery({ country: code === homeCountry() ? null : code, series: null })
            }
          />
        </div>
      </PageTitle>
      <div id="series" tabIndex={-1}>
        {series !== null && (
          <SeriesPanel key={`${country} ${series}`} country={country} series={series} />
        )}
      </div>
      <IndicatorPanel key={country} country={country} />
    </>
  );
}
