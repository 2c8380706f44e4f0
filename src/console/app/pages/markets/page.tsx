import { useEffect, useState } from "preact/hooks";
import type { ComponentType } from "preact";
import { useData } from "#console/app/api.ts";
import { CountryTabs, countryInText } from "#console/app/parts/country.tsx";
import { lazyPart } from "#console/app/parts/lazy-part.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { addressDay, open, place, setQuery, withCountry } from "#console/app/router.ts";
import { homeCountry, settings } from "#console/app/user-settings.ts";
import { asIs, t } from "#console/app/words.ts";
import {
  CHANGE,
  COLORS,
  DAY,
  earlierSessions,
  mapCall,
  sectorChanges,
  sectorsCall,
  WINDOWS,
  windowOf,
} from "./windows.ts";
import { MarketCards } from "./cards.tsx";
import { MarketEvents } from "./events.tsx";
import { MyList } from "./list.tsx";
import type { MarketMap } from "./map.tsx";
import { Movers } from "./movers.tsx";

const WelcomeCard = lazyPart(() => import("./welcome.tsx").then((file) => file.WelcomeCard));

const VIEWS = ["Map", "Table"] as const;

/** Markets: the three countries, the map of companies, movers and events. */
export default function MarketsPage() {
  const { query } = place.value;
  const country = query.get("country") ?? homeCountry();
  const window = query.get("window") ?? DAY;
  // A user who has any setting is not asked again.
  const isNew = Object.keys(settings.value).length === 0 && addressDay === null;
  const isOfDay = window === DAY && !query.has("color") && query.has("day");
  useEffect(() => {
    if (isOfDay) open(earlierSessions(country), { replace: true });
  }, [isOfDay]);
  return (
    <>
      <PageTitle title={t("Markets")}>
        <nav class="section-menu" aria-label={t("Pages of {section}", { section: t("Markets") })}>
          <a href={withCountry("/console/sectors")}>{t("Sectors")}</a>
          <a href="/console/compare">{t("Compare")}</a>
        </nav>
      </PageTitle>
      {isNew && <WelcomeCard />}
      <MarketCards />
      <div class="markets-main">
        <MyList country={country} />
        <MapPanel country={country} window={window} />
      </div>
      <div class="columns">
        <Movers country={country} window={window} />
        <MarketEvents />
      </div>
    </>
  );
}

function MapPanel({ country, window }: { readonly country: string; readonly window: string }) {
  const view = place.value.query.get("view") === "table" ? "Table" : "Map";
  // An unknown window is sent as it is, so that the service says what is wrong.
  const color = place.value.query.get("color") ?? CHANGE;
  const metric = COLORS[color]?.metric ?? WINDOWS[window]?.metric ?? window;
  const call = mapCall(country, [metric]);
  const screen = useData(call);
  const sectors = useData(sectorsCall(country));
  return (
    <Panel
      title={t("Companies of {country}", { country: countryInText(country) })}
      class="map-panel"
      calls={[call, sectorsCall(country)]}
      answer={screen.value}
      actions={<MapTabs country={country} window={window} color={color} view={view} />}
    >
      <div class="map-frame">
        <Loaded of={screen} lines={14}>
          {({ data }) => {
            const shown = windowOf(data) ?? { metric, name: asIs(window), strongest: 10 };
            return (
              <LazyMap
                screen={data}
                country={country}
                window={shown}
                isTable={view === "Table"}
                sectorChanges={sectorChanges(sectors.value?.data ?? {}, shown)}
              />
            );
          }}
        </Loaded>
      </div>
    </Panel>
  );
}

/** The choices of the map: country, window, colour and view. */
function MapTabs(props: {
  readonly country: string;
  readonly window: string;
  readonly color: string;
  readonly view: (typeof VIEWS)[number];
}) {
  const { country, window, color, view } = props;
  const choose = (name: string, byDefault: string) => (value: string) =>
    setQuery({ [name]: value === byDefault ? null : value });
  return (
    <>
      <CountryTabs current={country} onChange={choose("country", homeCountry())} />
      <Tabs
        label="Change over"
        tabs={Object.keys(WINDOWS)}
        // Of another figure, none of them is shown.
        current={color === CHANGE ? window : ""}
        onChange={(one) => setQuery({ window: one === DAY ? null : one, color: null })}
      />
      <Tabs
        label="Colour"
        tabs={[CHANGE, ...Object.keys(COLORS)]}
        current={color}
        onChange={choose("color", CHANGE)}
      />
      <Tabs
        label="View"
        tabs={VIEWS}
        current={view}
        onChange={(one) => setQuery({ view: one === "Map" ? null : "table" })}
      />
    </>
  );
}

/** The map, whose code is loaded after the page. */
function LazyMap(props: Parameters<typeof MarketMap>[0]) {
  const [map, setMap] = useState<{ readonly Map: ComponentType<typeof props> } | Error | null>(
    null,
  );
  useEffect(() => {
    import("./map.tsx").then(
      (loaded) => setMap({ Map: loaded.MarketMap }),
      () => setMap(new Error(t("The map could not be loaded. Check that the service is running."))),
    );
  }, []);
  if (map === null) return <div class="loading" role="status" aria-label={t("Loading")} />;
  return map instanceof Error ? <Failure message={map.message} /> : <map.Map {...props} />;
}
