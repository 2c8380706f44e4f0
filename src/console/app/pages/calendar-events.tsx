import { t, translate } from "#console/app/words.ts";
import { type Call, useData } from "#console/app/api.ts";
import { addDays, dateOf, keptDatesOf, oldestDate } from "#console/app/days.ts";
import { dateText, formatDay, formatText, formatTime, MISSING } from "#console/app/format.ts";
import { COUNTRY_NAMES } from "#console/app/parts/country.tsx";
import {
  countryOfEvent,
  Importance,
  instantOf,
  localTimeOf,
  type MacroEvent,
} from "#console/app/parts/events.tsx";
import { DraftInput } from "#console/app/parts/draft-input.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { zoneNow } from "#console/app/reader.ts";
import { place, setQuery } from "#console/app/router.ts";
import type { PayloadOf } from "#operations/index.ts";

const DAYS = 7;
const SEARCHED_DAYS = 90;
/** The most events that the service lists. */
const MAX_EVENTS = 200;

/** The choices of importance, with their texts. */
const LEVELS: Readonly<Record<string, string>> = {
  all: "All",
  "high,medium": "High and medium",
  high: "High",
};
const ALL = "all";

const isDate = (text: string) => !Number.isNaN(Date.parse(text));

/** The days that the address asks for: seven from `from` on, today by default; a quarter to find something. */
export function readDays(query: URLSearchParams): { readonly from: string; readonly to: string } {
  const from = query.get("from") ?? dateOf(Date.now());
  const days = query.has("find") ? SEARCHED_DAYS : DAYS;
  return { from, to: isDate(from) ? addDays(from, days - 1) : from };
}

/** The call for the publications of the days and countries in the address. */
export function eventsCall(query: URLSearchParams): Call<"get_macro_calendar"> {
  const { from, to } = readDays(query);
  const country = query.get("events") ?? ALL;
  return {
    operation: "get_macro_calendar",
    args: {
      country: country === ALL ? undefined : country,
      // Dates that nobody can read are sent as they are, so that the service says what is wrong.
      ...(isDate(from) ? keptDatesOf(from, to, Date.now()) : { from }),
      importance: query.get("importance") ?? ALL,
      limit: MAX_EVENTS,
    },
  };
}

/** The economic publications of seven days. */
export function EventsPanel() {
  const { query } = place.value;
  const { from, to } = readDays(query);
  const country = query.get("events") ?? ALL;
  const importance = query.get("importance") ?? ALL;
  const find = query.get("find") ?? "";
  const call = eventsCall(query);
  const calendar = useData(call);
  return (
    <Panel
      title="Publications"
      calls={[call]}
      answer={calendar.value}
      actions={
        <>
          <DraftInput
            isSearch
            label="Find an event"
            placeholder="Find: CPI"
            value={find}
            onDone={(text) => setQuery({ find: text || null })}
          />
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
          <DayTabs from={from} />
        </>
      }
    >
      <Loaded of={calendar} lines={16}>
        {({ data }) => <Events data={data} from={from} to={to} find={find} />}
      </Loaded>
    </Panel>
  );
}

/** Moves by seven days. */
function DayTabs({ from }: { readonly from: string }) {
  const move = (days: number) => {
    const date = addDays(from, days);
    setQuery({ from: date === dateOf(Date.now()) ? null : date });
  };
  return (
    <div class="tabs" role="group" aria-label="Days">
      <button
        type="button"
        disabled={!isDate(from) || from <= oldestDate(Date.now())}
        onClick={() => move(-DAYS)}
      >
        {t("← Earlier")}
      </button>
      <button
        type="button"
        aria-pressed={from === dateOf(Date.now())}
        onClick={() => setQuery({ from: null })}
      >
        {t("From today")}
      </button>
      <button type="button" disabled={!isDate(from)} onClick={() => move(DAYS)}>
        {t("Later →")}
      </button>
    </div>
  );
}

function Events(props: {
  readonly data: PayloadOf<"get_macro_calendar">;
  readonly from: string;
  readonly to: string;
  readonly find: string;
}) {
  const { summary } = props.data;
  const { from, to, find } = props;
  const oldest = oldestDate(Date.now());
  const period = { from: formatDay(from), to: formatDay(to) };
  const events = props.data.events.filter((event) => {
    const date = dateOf(instantOf(event));
    const isFound = event.event.toLowerCase().includes(find.toLowerCase());
    return date >= from && date <= to && isFound;
  });
  if (events.length === 0) {
    return (
      <Empty>
        {find === ""
          ? t("No event from {from} to {to}. Choose other days, countries or importance.", period)
          : t(
              "No event with “{find}” from {from} to {to}. Choose other days, countries or importance.",
              { ...period, find },
            )}
      </Empty>
    );
  }
  return (
    <>
      <EventTable events={events} />
      <p class="muted">
        {t("{count} events from {from} to {to}.", { ...period, count: events.length })}{" "}
        {summary.total > props.data.events.length &&
          `${t("The service lists only the first {shown} of {total}: choose a country or a higher importance.", { shown: props.data.events.length, total: summary.total })} `}
        {from < oldest &&
          `${t("Events before {date} are not kept.", { date: formatDay(oldest) })} `}
        {t("The days and “Your time” are those of {zone}; a time on another day names it.", {
          zone: zoneNow(),
        })}
      </p>
    </>
  );
}

/** The events, by day of the reader. */
function EventTable({ events }: { readonly events: readonly MacroEvent[] }) {
  const days = Object.entries(Object.groupBy(events, (event) => dateOf(instantOf(event))));
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label="Events">
      <table class="groups">
        <thead>
          <tr>
            <th scope="col">{t("Your time")}</th>
            <th scope="col">UTC</th>
            {["There", "Country"].map((title) => (
              <th key={title} scope="col" class="extra">
                {translate(title)}
              </th>
            ))}
            <th scope="col">
              <span class="head-of-dots">{t("Importance")}</span>
            </th>
            <th scope="col">{t("Event")}</th>
            {["Published", "Forecast", "Consensus", "Previous"].map((title) => (
              <th key={title} scope="col" class="number">
                {translate(title)}
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
