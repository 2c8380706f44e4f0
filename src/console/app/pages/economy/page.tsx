import { useEffect } from "preact/hooks";
import { CountryTabs } from "#console/app/parts/country.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { homeCountry } from "#console/app/user-settings.ts";
import { seriesName } from "./curve.tsx";
import { IndicatorPanel } from "./indicators.tsx";
import { OverPanel } from "./over.tsx";
import { CountriesPanel, rangeNow, SeriesPanel } from "./series.tsx";
import { t } from "#console/app/words.ts";

/** Economy: the indicators of a country, or one of them over time with its forecast and the other countries. */
export default function EconomyPage() {
  const { query } = place.value;
  const country = query.get("country") ?? homeCountry();
  const series = query.get("series");
  useEffect(() => {
    if (series !== null) document.getElementById("series")?.focus();
  }, [series]);
  return (
    <>
      <PageTitle title={series === null ? t("Economy") : seriesName(series)}>
        <CountryTabs
          current={country}
          onChange={(code) =>
            setQuery({
              country: code === homeCountry() ? null : code,
              series: null,
              range: null,
              over: null,
            })
          }
        />
      </PageTitle>
      {series === null ? (
        <IndicatorPanel key={country} country={country} />
      ) : (
        <div id="series" tabIndex={-1}>
          <SeriesPanel key={`${country} ${series}`} country={country} series={series} />
          <CountriesPanel key={series} country={country} series={series}>
            <OverPanel country={country} series={series} range={rangeNow()} />
          </CountriesPanel>
        </div>
      )}
    </>
  );
}
