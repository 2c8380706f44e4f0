import { type Call, useData } from "#console/app/api.ts";
import { addDays, dateOf, utcDatesOf } from "#console/app/days.ts";
import { dateText, formatDay, formatText, formatTime, MISSING } from "#console/app/format.ts";
import { COUNTRY_NAMES } from "#console/app/parts/country.tsx";
import {
  countryOfEvent,
  Importance,
  instantOf,
  localTimeOf,
  type MacroEvent,
} from "#console/app/parts/events.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { zoneNow } from "#console/app/reader.ts";
import { place, setQuery } from "#console/app/router.ts";
import type { PayloadOf } from "#operations/index.ts";

const DAYS = 7;
/** The most events that the service lists. */
const MAX_EVENTS = 200;

/** The choices of importance, with their texts. */
const LEVELS: Readonly<Record<string, string>> = {
  all: "All",
  "high,medium": "High and medium",
  high: "High",
};
const ALL = "all";

/** The economic calendar of seven days. */
export function CalendarPanel() {
  const { query } = place.value;
  const today = dateOf(Date.now());
  const from = query.get("from") ?? today;
  const country = query.get("events") ?? ALL;
  const importance = query.get("importance") ?? ALL;
  const to = Number.isNaN(Date.parse(from)) ? undefined : addDays(from, DAYS - 1);
  const call: Call<"get_macro_calendar"> = {
    operation: "get_macro_calendar",
    args: {
      country: country === ALL ? undefined : country,
      // Dates that nobody can read are sent as they are, so that the service says what is wrong.
      ...(to === undefined ? { from } : utcDatesOf(from, to)),
      importance,
      limit: MAX_EVENTS,
    },
  };
  const calendar = useData(call);
  const move = (days: number) => {
    const date = addDays(from, days);
    setQuery({ from: date === today ? null : date });
  };
  return (
    <Panel
      title="Calendar"
      calls={[call]}
      answer={calendar.value}
      actions={
        <>
          <Tabs
            label="Countries"
            tabs={[ALL, ...Object.keys(COUNTRY_NAMES)]}
            current={country}
            textOf={(code) => COUNTRY_NAMES[code] ?? "All countries"}
            onChange={(code) => setQuery({ events: code === ALL ? null : code })}
          />
          <Tabs
            label="Importance"
            tabs={Object.keys(LEVELS)}
            current={importance}
            textOf={(level) => LEVELS[level] ?? level}
            onChange={(level) => setQuery({ importance: level === ALL ? null : level })}
          />
          <div class="tabs" role="group" aria-label="Days">
            <button type="button" disabled={to === undefined} onClick={() => move(-DAYS)}>
              ← Earlier
            </button>
            <button
              type="button"
              aria-pressed={from === today}
              onClick={() => setQuery({ from: null })}
            >
              From today
            </button>
            <button type="button" disabled={to === undefined} onClick={() => move(DAYS)}>
              Later →
            </button>
          </div>
        </>
      }
    >
      <Loaded of={calendar} lines={16}>
        {({ data }) => <Events data={data} from={from} to={to ?? from} />}
      </Loaded>
    </Panel>
  );
}

function Events(props: {
  readonly data: PayloadOf<"get_macro_calendar">;
  readonly from: string;
  readonly to: string;
}) {
  const events = props.data.events.filter((event) => {
    const date = dateOf(instantOf(event));
    return props.from <= date && date <= props.to;
  });
  const isCut = props.data.summary.total > props.data.events.length;
  const period = `${formatDay(props.from)} to ${formatDay(props.to)}`;
  if (events.length === 0) {
    return <Empty>No event from {period}. Choose other days, countries or importance.</Empty>;
  }
  const days = Object.entries(Object.groupBy(events, (event) => dateOf(instantOf(event))));
  return (
    <>
      <div class="table-frame" tabIndex={0} role="region" aria-label="Events">
        <table class="groups">
          <thead>
            <tr>
              <th scope="col">Your time</th>
              <th scope="col">UTC</th>
              {["There", "Country"].map((title) => (
                <th key={title} scope="col" class="extra">
                  {title}
                </th>
              ))}
              <th scope="col">
                <span class="head-of-dots">Importance</span>
              </th>
              <th scope="col">Event</th>
              {["Published", "Forecast", "Consensus", "Previous"].map((title) => (
                <th key={title} scope="col" class="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          {days.map(([date, ofDay = []]) => (
            <tbody key={date}>
              <tr>
                <th colSpan={10} scope="rowgroup" class="group">
                  {formatDay(date)}
                </th>
              </tr>
              {ofDay.map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
            </tbody>
          ))}
        </table>
      </div>
      <p class="muted">
        {isCut && "The first "}
        {events.length} events from {period}. The days and “Your time” are those of {zoneNow()}; a
        time on another day names it.
      </p>
    </>
  );
}

/** The weekday of a time on another day than its group. @param date `2026-11-25` */
const weekdayOf = (date: string) =>
  dateText(Date.parse(date), { timeZone: "UTC", weekday: "short" });

function EventRow({ event }: { readonly event: MacroEvent }) {
  const at = instantOf(event);
  const ownDate = dateOf(at);
  const there = localTimeOf(event);
  return (
    <tr class={event.importance}>
      <td>
        <time>{formatTime(at)}</time>
      </td>
      <td>
        <time dateTime={`${event.date}T${event.time}Z`}>{event.time}</time>
        {event.date !== ownDate && <span class="muted"> {weekdayOf(event.date)}</span>}
      </td>
      <td class="extra muted">
        <time dateTime={`${there.date}T${event.local_time}`}>{there.time}</time>
        {there.date !== ownDate && ` ${weekdayOf(there.date)}`}
      </td>
      <td class="extra">{countryOfEvent(event)}</td>
      <td>
        <Importance of={event.importance} />
      </td>
      <td class="event">
        <span class="narrow-only muted">{countryOfEvent(event)} </span>
        {event.event}
      </td>
      {[event.actual, event.forecast, event.consensus, event.previous].map((figure, i) => (
        <td key={i} class="number">
          {figure === null ? <span class="muted">{MISSING}</span> : formatText(figure)}
        </td>
      ))}
    </tr>
  );
}
