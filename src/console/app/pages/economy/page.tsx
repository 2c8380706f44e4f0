import { useEffect } from "preact/hooks";
import { CountryTabs } from "#console/app/parts/country.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { homeCountry } from "#console/app/user-settings.ts";
import { IndicatorPanel } from "./indicators.tsx";
import { CountriesPanel, SeriesPanel } from "./series.tsx";
import { t } from "#console/app/words.ts";

const VIEWS = { cards: "Cards", table: "Table" } as const;

/** Economy: the indicators of a country, or one of them over time with its forecast and the other countries. */
export default function EconomyPage() {
  const { query } = place.value;
  const country = query.get("country") ?? homeCountry();
  const series = query.get("series");
  const view = query.get("view") === "table" ? "table" : "cards";
  useEffect(() => {
    if (series !== null) document.getElementById("series")?.focus();
  }, [series]);
  return (
    <>
      <PageTitle title={t("Economy")}>
        <div class="panel-actions">
          {series === null && (
            <Tabs
              label="View"
              tabs={["cards", "table"]}
              current={view}
              textOf={(one) => VIEWS[one]}
              onChange={(one) => setQuery({ view: one === "cards" ? null : one })}
            />
          )}
          <CountryTabs
            current={country}
            onChange={(code) =>
              setQuery({ country: code === homeCountry() ? null : code, series: null })
            }
          />
        </div>
      </PageTitle>
      {series === null ? (
        <IndicatorPanel key={country} country={country} isTable={view === "table"} />
      ) : (
        <div id="series" tabIndex={-1}>
          <SeriesPanel key={`${country} ${series}`} country={country} series={series} />
          <CountriesPanel key={series} country={country} series={series} />
        </div>
      )}
    </>
  );
}
