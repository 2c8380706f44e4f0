import type { Answer, Resource } from "#console/app/api.ts";
import { addDays, dateOf } from "#console/app/days.ts";
import { formatDay, formatTime } from "#console/app/format.ts";
import { symbolPath } from "#console/app/parts/country.tsx";
import {
  countryOfEvent,
  Importance,
  instantOf,
  type MacroEvent,
  titleOfEvent,
} from "#console/app/parts/events.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { zoneNow } from "#console/app/reader.ts";
import { place } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import {
  type CalendarAnswers,
  DAYS,
  dividendsCall,
  eventsCall,
  type ExDate,
  exDatesOf,
  hasReports,
  HOLIDAYS,
  holidaysOf,
  holidayText,
  isDate,
  type Kind,
  readDays,
  type Report,
  reportsCall,
  shownKinds,
} from "./calendar-calls.ts";
import { ImportanceTabs } from "./calendar-events.tsx";

/** The companies of a day before the rest is a number. */
const COMPANIES = 8;

/** The events of seven days, a column for each. */
export function WeekPanel({ answers }: { readonly answers: CalendarAnswers }) {
  const { query } = place.value;
  const kinds = shownKinds(query);
  const calls = {
    releases: eventsCall(query),
    earnings: reportsCall(query),
    dividends: dividendsCall(query),
    holidays: HOLIDAYS,
  };
  const asked = kinds.filter((kind) => kind !== "earnings" || hasReports(query));
  const loads = asked.map((kind): Resource<Answer<unknown>> => answers[kind]);
  // Drawn when all is there, so that nothing moves.
  const waited = loads.find(({ value, error }) => value === null && (!error || error.isOutage));
  // A list that is gone is the same error for reports and for ex-dates.
  const failures = new Map(loads.map((load) => [load.error?.message, load]));
  return (
    <Panel
      title="Seven days"
      calls={asked.map((kind) => calls[kind])}
      answer={answers.releases.value}
      actions={kinds.includes("releases") && <ImportanceTabs />}
    >
      {waited ? (
        <Loaded of={waited} lines={16}>
          {() => null}
        </Loaded>
      ) : (
        <>
          {[...failures].map(
            ([message, load]) =>
              load.value === null && (
                <Loaded key={message} of={load} lines={1}>
                  {() => null}
                </Loaded>
              ),
          )}
          <Week answers={answers} kinds={asked} />
          <p class="muted">
            {t("Times are those of {zone}. The view List has the figures.", { zone: zoneNow() })}
          </p>
        </>
      )}
    </Panel>
  );
}

function Week(props: { readonly answers: CalendarAnswers; readonly kinds: readonly Kind[] }) {
  const { query } = place.value;
  const { kinds, answers } = props;
  const { from } = readDays(query);
  const { releases, earnings, dividends, holidays } = answers;
  const has = (kind: Kind) => kinds.includes(kind);
  const events = (has("releases") && releases.value?.data.events) || [];
  const reports = (has("earnings") && earnings.value?.data.earnings) || [];
  const exDates = has("dividends") && dividends.value ? exDatesOf(dividends.value.data, query) : [];
  const closed = has("holidays") && holidays.value ? holidaysOf(holidays.value.data, query) : [];
  const days = isDate(from) ? Array.from({ length: DAYS }, (_, i) => addDays(from, i)) : [];
  const on = <T extends { readonly date: string }>(list: readonly T[], date: string) =>
    list.filter((one) => one.date === date);
  return (
    <div class="week">
      {days.map((date) => (
        <section key={date} class="week-day" aria-label={formatDay(date)}>
          <h3 class={date === dateOf(Date.now()) ? "today" : ""}>{formatDay(date)}</h3>
          {on(closed, date).map((day) => (
            <p key={day.country} class="holiday">
              {holidayText(day)}
            </p>
          ))}
          <Releases events={events.filter((event) => dateOf(instantOf(event)) === date)} />
          <Companies title={t("Earnings")} companies={on(reports, date).map(reporting)} />
          <Companies title={t("Ex-dividend")} companies={on(exDates, date)} />
        </section>
      ))}
    </div>
  );
}

const reporting = ({ symbol, name }: Report) => ({ country: "US", symbol, name });

function Releases({ events }: { readonly events: readonly MacroEvent[] }) {
  return (
    <ul>
      {events.map((event) => (
        <li key={event.id} class={event.importance}>
          <time dateTime={`${event.date}T${event.time}Z`}>{formatTime(instantOf(event))}</time>{" "}
          <Importance of={event.importance} /> <span class="muted">{countryOfEvent(event)}</span>{" "}
          {titleOfEvent(event)}
        </li>
      ))}
    </ul>
  );
}

/** The largest companies of a day, then the number of the others. */
function Companies(props: {
  readonly title: string;
  readonly companies: readonly Pick<ExDate, "country" | "symbol" | "name">[];
}) {
  const { title, companies } = props;
  if (companies.length === 0) return null;
  const rest = companies.length - COMPANIES;
  return (
    <p>
      <span class="muted">{title}</span>{" "}
      {companies.slice(0, COMPANIES).map(({ country, symbol, name }) => (
        <span key={`${country}:${symbol}`}>
          <a href={symbolPath(country, symbol)} title={name}>
            {symbol}
          </a>{" "}
        </span>
      ))}
      {rest > 0 && <span class="muted">{t("and {count} more", { count: rest })}</span>}
    </p>
  );
}
