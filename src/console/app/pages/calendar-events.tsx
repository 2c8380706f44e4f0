import { t, translate } from "#console/app/words.ts";
import type { Answer, Resource } from "#console/app/api.ts";
import { dateOf, oldestDate } from "#console/app/days.ts";
import { dateText, formatDay, formatText, formatTime, MISSING } from "#console/app/format.ts";
import { DraftInput } from "#console/app/parts/draft-input.tsx";
import {
  countryOfEvent,
  Importance,
  instantOf,
  localTimeOf,
  type MacroEvent,
  searchTextOf,
  titleOfEvent,
} from "#console/app/parts/events.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { hasWords, namesOfCountry } from "#console/app/parts/search-words.ts";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { zoneNow } from "#console/app/reader.ts";
import { place, setQuery } from "#console/app/router.ts";
import type { PayloadOf } from "#operations/index.ts";
import {
  ALL,
  type CalendarAnswers,
  eventsCall,
  HOLIDAYS,
  holidaysOf,
  holidayText,
  type Kind,
  eventDays,
} from "./calendar-calls.ts";
import type { Holiday } from "./calendar-holidays.ts";

/** The choices of importance, with their texts. */
const LEVELS: Readonly<Record<string, string>> = {
  all: "All",
  "high,medium": "High and medium",
  high: "High",
};
/** The publications and holidays of seven days. */
export function EventsPanel(props: {
  readonly answers: CalendarAnswers;
  readonly kinds: readonly Kind[];
  /** False until both are there, so that nothing moves. */
  readonly isReady: boolean;
}) {
  const { query } = place.value;
  const find = query.get("find") ?? "";
  const { answers, kinds, isReady } = props;
  const calendar: Resource<Answer<unknown>> =
    answers[kinds.includes("releases") ? "releases" : "holidays"];
  const known = answers.holidays.value;
  const closed = known && kinds.includes("holidays") ? holidaysOf(known.data, query) : [];
  return (
    <Panel
      title="Publications and holidays"
      calls={[
        ...(kinds.includes("releases") ? [eventsCall(query)] : []),
        ...(kinds.includes("holidays") ? [HOLIDAYS] : []),
      ]}
      answer={calendar.value}
      actions={
        <>
          <DraftInput
            isSearch
            label={t("Find an event")}
            placeholder={t("Find: Japan CPI")}
            value={find}
            onDone={(text) => setQuery({ find: text || null })}
          />
          <ImportanceTabs />
        </>
      }
    >
      <Loaded of={isReady ? calendar : { ...calendar, value: null }} lines={16}>
        {() => (
          <Events
            data={kinds.includes("releases") ? (answers.releases.value?.data ?? null) : null}
            closed={closed}
          />
        )}
      </Loaded>
    </Panel>
  );
}

/** The choice of the least importance of publications. */
export function ImportanceTabs() {
  return (
    <Tabs
      label="Importance"
      tabs={Object.keys(LEVELS)}
      current={place.value.query.get("importance") ?? ALL}
      textOf={(level) => LEVELS[level] ?? level}
      onChange={(level) => setQuery({ importance: level === ALL ? null : level })}
    />
  );
}

function Events(props: {
  /** Null without publications. */
  readonly data: PayloadOf<"get_macro_calendar"> | null;
  readonly closed: readonly Holiday[];
}) {
  const { data } = props;
  const { query } = place.value;
  const { from, to } = eventDays(query);
  const find = query.get("find") ?? "";
  const isFound = (text: string) => find === "" || hasWords(text, find);
  const oldest = oldestDate(Date.now());
  const period = { from: formatDay(from), to: formatDay(to) };
  const listed = data?.events ?? [];
  const events = listed.filter((event) => {
    const date = dateOf(instantOf(event));
    return date >= from && date <= to && isFound(searchTextOf(event));
  });
  const closed = props.closed.filter((day) =>
    isFound(`${holidayText(day)} ${day.name} ${namesOfCountry(day.country)}`),
  );
  if (events.length + closed.length === 0) {
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
      <EventTable events={events} closed={closed} />
      <p class="muted">
        {t("{count} events from {from} to {to}.", { ...period, count: events.length })}{" "}
        {data !== null &&
          data.summary.total > listed.length &&
          `${t("The service lists only the first {shown} of {total}: choose a country or a higher importance.", { shown: listed.length, total: data.summary.total })} `}
        {from < oldest &&
          `${t("Events before {date} are not kept.", { date: formatDay(oldest) })} `}
        {t("The days and “Your time” are those of {zone}; a time on another day names it.", {
          zone: zoneNow(),
        })}
      </p>
    </>
  );
}

/** The figures of an event: columns, on a phone a line below its title. */
const FIGURES = [
  ["Published", "actual"],
  ["Forecast", "forecast"],
  ["Consensus", "consensus"],
  ["Previous", "previous"],
] as const;

/** The events, by day of the reader; a holiday is a day of its exchange. */
function EventTable(props: {
  readonly events: readonly MacroEvent[];
  readonly closed: readonly Holiday[];
}) {
  const closed = Map.groupBy(props.closed, ({ date }) => date);
  const events = Map.groupBy(props.events, (event) => dateOf(instantOf(event)));
  const days = [...new Set([...events.keys(), ...closed.keys()])].sort();
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={t("Events")}>
      <table class="groups">
        <thead>
          <tr>
            <th scope="col">{t("Your time")}</th>
            {["UTC", "There", "Country"].map((title) => (
              <th key={title} scope="col" class="extra">
                {translate(title)}
              </th>
            ))}
            <th scope="col">
              <span class="head-of-dots">{t("Importance")}</span>
            </th>
            <th scope="col">{t("Event")}</th>
            {FIGURES.map(([title]) => (
              <th key={title} scope="col" class="number extra">
                {translate(title)}
              </th>
            ))}
          </tr>
        </thead>
        {days.map((date) => (
          <tbody key={date}>
            <tr>
              <th colSpan={10} scope="rowgroup" class="group">
                {formatDay(date)}
              </th>
            </tr>
            {closed.get(date)?.map((day) => (
              <tr key={day.country}>
                <td colSpan={10} class="holiday">
                  <span>{holidayText(day)}</span>
                </td>
              </tr>
            ))}
            {events.get(date)?.map((event) => (
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
      <td class="extra">
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
        {titleOfEvent(event)}
        <span class="narrow-only muted figures-below">
          {FIGURES.flatMap(([title, name]) => {
            const figure = event[name];
            return figure === null ? [] : `${translate(title)} ${formatText(figure)}`;
          }).join(" · ")}
        </span>
      </td>
      {FIGURES.map(([title, name]) => (
        <td key={title} class="number extra">
          {event[name] === null ? <span class="muted">{MISSING}</span> : formatText(event[name])}
        </td>
      ))}
    </tr>
  );
}
