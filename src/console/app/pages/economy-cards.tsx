import { type Call, useData } from "#console/app/api.ts";
import { formatNumber, formatText, MISSING } from "#console/app/format.ts";
import { instantOf, type MacroEvent } from "#console/app/parts/events.tsx";
import { Sparkline } from "#console/app/parts/sparkline.tsx";
import { Until } from "#console/app/parts/time.tsx";
import {
  CATEGORIES,
  type Indicator,
  type Indicators,
  seriesPath,
  type Trends,
  withoutUnit,
} from "./economy-figures.ts";
import { t, translate } from "#console/app/words.ts";

/** The most events that the service lists. */
const MAX_EVENTS = 200;

/** The call for the next releases of all series of a country. */
export function releaseCall(country: string): Call<"get_macro_calendar"> {
  return { operation: "get_macro_calendar", args: { country, limit: MAX_EVENTS } };
}

/** Every series by theme: its trend, its latest figure, the change, and when the next one is published. */
export function IndicatorCards(props: {
  readonly country: string;
  readonly indicators: Indicators;
  readonly trends: Trends;
}) {
  const { country, indicators, trends } = props;
  // Without the calendar the figures are shown alone.
  const events = useData(releaseCall(country)).value?.data.events ?? null;
  return (
    <div class="themes">
      {Object.entries(CATEGORIES).map(([category, title]) => (
        <section key={category} class="theme">
          <h3>{translate(title)}</h3>
          <ul>
            {(indicators[category] ?? []).map((one) => (
              <li key={one.name}>
                <Card indicator={one} trend={trends[one.name]} events={events} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Card(props: {
  readonly indicator: Indicator;
  readonly trend: readonly number[] | undefined;
  readonly events: readonly MacroEvent[] | null;
}) {
  const { indicator, trend, events } = props;
  const { name, unit, latest_raw: raw, period } = indicator;
  const next = events?.find((one) => seriesOf(one) === name && instantOf(one) > Date.now());
  return (
    <a class="series-card" href={seriesPath(name)}>
      <span class="series-name">{name}</span>
      <span class="trend">{trend && <Sparkline values={trend} />}</span>
      <span>
        <b>{formatText(withoutUnit(raw, unit))}</b> <span class="muted">{unit}</span>{" "}
        <span class="series-change">{changeOf(indicator)}</span>
      </span>
      <span class="muted period">{period}</span>
      <span class="muted series-next">
        {events === null ? (
          "\u00a0"
        ) : next ? (
          <>
            {t("Next release")} <Until at={instantOf(next)} />
          </>
        ) : (
          `${t("Next release")} ${MISSING}`
        )}
      </span>
    </a>
  );
}

/** The series that an event publishes: the one that it names, else its title without the period. */
function seriesOf({ series, event }: MacroEvent): string {
  return series ?? event.replace(/ \([^)]*\)$/, "");
}

/** The difference from the previous figure, with the decimals of both: `+0.1`. */
function changeOf({ latest, previous, latest_raw: raw }: Indicator): string {
  const decimals = /\.(\d+)/.exec(raw)?.[1]?.length ?? 0;
  const change = Number((latest - previous).toFixed(decimals));
  return `${change > 0 ? "+" : ""}${formatNumber(change, decimals)}`;
}
