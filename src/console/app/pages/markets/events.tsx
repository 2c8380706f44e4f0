import { asIs, type Caption, t, translate } from "#console/app/words.ts";
import { isSettled, type AnswerOf, type Call, type Resource, useData } from "#console/app/api.ts";
import { addDays, dateOf, today, utcDatesOf } from "#console/app/days.ts";
import { formatDay, formatTime } from "#console/app/format.ts";
import {
  countryOfEvent,
  eventFigure,
  Importance,
  instantOf,
  type MacroEvent,
  sessionText,
  titleOfEvent,
} from "#console/app/parts/events.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { NoRecord, Loaded, Panel } from "#console/app/parts/panel.tsx";
import type { PayloadOf } from "#operations/index.ts";

/** The number of events after tomorrow, if today and tomorrow have fewer. */
const ROWS = 7;
/** The largest companies that report on a day, before the rest is a number. */
const COMPANIES = 5;

type Events = AnswerOf<"get_macro_calendar">;
type Reports = Resource<AnswerOf<"get_earnings_calendar">>;

/** The reports of a day in New York, the largest companies first. */
const reportsCall = (date: string): Call<"get_earnings_calendar"> => ({
  operation: "get_earnings_calendar",
  args: { from: date, to: date, limit: COMPANIES },
});

/** The important events and reports of today and tomorrow, then the next events, in the reader's time zone. */
export function MarketEvents() {
  const first = today();
  const call: Call<"get_macro_calendar"> = {
    operation: "get_macro_calendar",
    args: { from: utcDatesOf(first, first).from, importance: "high,medium", limit: 40 },
  };
  const calendar = useData(call);
  const calls = [reportsCall(first), reportsCall(addDays(first, 1))] as const;
  const reports = [useData(calls[0]), useData(calls[1])];
  // Drawn when all is there, so that nothing moves.
  const waited = reports.find((one) => !isSettled(one));
  const drawn: Resource<Events> = waited ? { ...calendar, value: null } : calendar;
  return (
    <Panel
      title="Important events"
      calls={[call, ...calls]}
      answer={calendar.value}
      actions={<a href="/console/calendar">{t("Calendar")}</a>}
    >
      <div class="movers">
        <Loaded of={drawn} lines={9}>
          {({ data }) => <Days events={data.events} today={first} reports={reports} />}
        </Loaded>
      </div>
      <p class="muted">
        {t(
          "Your time; reports by the date in New York. Published figure, or expected (grey) / previous figure.",
        )}
      </p>
    </Panel>
  );
}

function Days(props: {
  readonly events: readonly MacroEvent[];
  /** `2026-11-25` */
  readonly today: string;
  /** The events of today and of tomorrow. */
  readonly reports: readonly Reports[];
}) {
  const { events, today, reports } = props;
  const byDate = Object.groupBy(events, (event) => dateOf(instantOf(event)));
  const near = [today, addDays(today, 1)];
  const [first = "", second = ""] = near;
  const later = Object.keys(byDate).filter((date) => date > second);
  let rows = near.reduce((sum, date) => sum + (byDate[date]?.length ?? 0), 0);
  return (
    <>
      <DayEvents title="Today" events={byDate[first] ?? []} reports={reports[0]} />
      <DayEvents title="Tomorrow" events={byDate[second] ?? []} reports={reports[1]} />
      {later.map((date) => {
        const shown = (byDate[date] ?? []).slice(0, Math.max(0, ROWS - rows));
        rows += shown.length;
        return (
          shown.length > 0 && <DayEvents key={date} title={asIs(formatDay(date))} events={shown} />
        );
      })}
    </>
  );
}

function DayEvents(props: {
  readonly title: Caption;
  readonly events: readonly MacroEvent[];
  readonly reports?: Reports | undefined;
}) {
  return (
    <>
      <h3>{translate(props.title)}</h3>
      {props.reports && (
        <Loaded of={props.reports} lines={1}>
          {({ data }) => <DayReports of={data} />}
        </Loaded>
      )}
      {props.events.length === 0 ? (
        <NoRecord>{t("No event of high or medium importance.")}</NoRecord>
      ) : (
        <ul class="events">
          {props.events.map((event) => (
            <li key={event.id} class={event.importance}>
              <time dateTime={`${event.date}T${event.time}Z`}>{formatTime(instantOf(event))}</time>
              <span>
                <Importance of={event.importance} />{" "}
                <span class="muted">{countryOfEvent(event)}</span> {titleOfEvent(event)}
              </span>
              <span class="number">
                <span class={event.actual === null ? "muted" : undefined}>
                  {eventFigure(event.actual ?? event.consensus ?? event.forecast, event)}
                </span>
                <span class="muted"> / {eventFigure(event.previous, event)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The companies that report on a day, which have no time of it: `Earnings DE before open, NVDA after close`. */
function DayReports({
  of: { earnings, total },
}: {
  readonly of: PayloadOf<"get_earnings_calendar">;
}) {
  const rest = total - earnings.length;
  return (
    earnings.length > 0 && (
      <p class="reports">
        <b>{t("Earnings")}</b>
        {earnings.map(({ symbol, name, session }) => (
          <span key={symbol}>
            <a href={symbolPath("US", symbol)} title={name}>
              {symbol}
            </a>
            {session !== "not_supplied" && <span class="muted"> {sessionText(session)}</span>}
          </span>
        ))}
        {rest > 0 && <a href="/console/calendar">{t("and {count} more", { count: rest })}</a>}
      </p>
    )
  );
}
