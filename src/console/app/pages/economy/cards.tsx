import { timeNow } from "#console/app/clock.ts";
import { type Call, useData } from "#console/app/api.ts";
import { formatNumber, formatText } from "#console/app/format.ts";
import { instantOf, type MacroEvent } from "#console/app/parts/events.tsx";
import { isPolicyRate } from "./policy-rate.ts";
import { Sparkline } from "#console/app/parts/sparkline.tsx";
import { Until } from "#console/app/parts/time.tsx";
import { unitText, withoutUnit } from "#console/app/parts/unit-text.ts";
import {
  CATEGORIES,
  formatPeriod,
  type Indicator,
  type Indicators,
  seriesPath,
  type Trends,
} from "./figures.ts";
import { t, translateTerm } from "#console/app/words.ts";

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
          <h3>{t(title)}</h3>
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
  const next = events && nextRelease(events, name);
  return (
    <a class="series-card" href={seriesPath(name)}>
      <span class="series-name">{translateTerm(name)}</span>
      <span class="trend">
        {trend && <Sparkline values={trend} isStepped={isPolicyRate(name)} />}
      </span>
      <span class="series-figure">
        <b>{formatText(withoutUnit(raw, unit))}</b> <span class="muted">{unitText(unit)}</span>{" "}
        <span class="series-change">{changeOf(indicator)}</span>
      </span>
      <span class="muted period">{formatPeriod(period)}</span>
      <span class="muted series-next">
        {next ? (
          <>
            {t("Next")} <Until at={instantOf(next)} />
          </>
        ) : (
          "\u00a0"
        )}
      </span>
    </a>
  );
}

/** The next event that publishes a series: the one that names it, or whose title without the period is its name. */
export function nextRelease(events: readonly MacroEvent[], name: string): MacroEvent | undefined {
  return events.find(
    (one) =>
      (one.series ?? one.event.replace(/ \([^)]*\)$/, "")) === name && instantOf(one) > timeNow(),
  );
}

/** The difference from the previous figure, with the decimals of both: `+15`, of percent in points: `+0.1 pt`. */
function changeOf({ latest, previous, latest_raw: raw, unit }: Indicator): string {
  const decimals = /\.(\d+)/.exec(raw)?.[1]?.length ?? 0;
  const change = Number((latest - previous).toFixed(decimals));
  const text = `${change > 0 ? "+" : ""}${formatNumber(change, decimals)}`;
  return unit === "%" ? t("{change} pt", { change: text }) : text;
}
