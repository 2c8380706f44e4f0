import { t, translate } from "#console/app/words.ts";
import { type Call, useData } from "#console/app/api.ts";
import { addDays, dateOf, utcDatesOf } from "#console/app/days.ts";
import { formatDay, formatText, formatTime, MISSING } from "#console/app/format.ts";
import {
  countryOfEvent,
  Importance,
  instantOf,
  type MacroEvent,
} from "#console/app/parts/events.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";

/** The number of events after tomorrow, if today and tomorrow have fewer. */
const ROWS = 7;

/** The important events of today and tomorrow, then the next ones, in the reader's time zone. */
export function MarketEvents() {
  const today = dateOf(Date.now());
  const call: Call<"get_macro_calendar"> = {
    operation: "get_macro_calendar",
    args: { from: utcDatesOf(today, today).from, importance: "high,medium", limit: 60 },
  };
  const calendar = useData(call);
  return (
    <Panel
      title="Important events"
      calls={[call]}
      answer={calendar.value}
      actions={<a href="/console/calendar">{t("Calendar")}</a>}
    >
      <div class="movers">
        <Loaded of={calendar} lines={9}>
          {({ data }) => <Days events={data.events} today={today} />}
        </Loaded>
      </div>
      <p class="muted">{t("Your time. Published or expected figure / previous figure.")}</p>
    </Panel>
  );
}

function Days({
  events,
  today,
}: {
  readonly events: readonly MacroEvent[];
  /** `2026-11-25` */
  readonly today: string;
}) {
  const byDate = Object.groupBy(events, (event) => dateOf(instantOf(event)));
  const near = [today, addDays(today, 1)];
  const [first = "", second = ""] = near;
  const later = Object.keys(byDate).filter((date) => date > second);
  let rows = near.reduce((sum, date) => sum + (byDate[date]?.length ?? 0), 0);
  return (
    <>
      <DayEvents title="Today" events={byDate[first] ?? []} />
      <DayEvents title="Tomorrow" events={byDate[second] ?? []} />
      {later.map((date) => {
        const shown = (byDate[date] ?? []).slice(0, Math.max(0, ROWS - rows));
        rows += shown.length;
        return shown.length > 0 && <DayEvents key={date} title={formatDay(date)} events={shown} />;
      })}
    </>
  );
}

function DayEvents(props: { readonly title: string; readonly events: readonly MacroEvent[] }) {
  return (
    <>
      <h3>{translate(props.title)}</h3>
      {props.events.length === 0 ? (
        <Empty>No event of high or medium importance.</Empty>
      ) : (
        <ul class="events">
          {props.events.map((event) => (
            <li key={event.id} class={event.importance}>
              <time dateTime={`${event.date}T${event.time}Z`}>{formatTime(instantOf(event))}</time>
              <span>
                <Importance of={event.importance} />{" "}
                <span class="muted">{countryOfEvent(event)}</span> {event.event}
              </span>
              <span class="number">
                {formatText(event.actual ?? event.consensus ?? event.forecast ?? MISSING)}
                <span class="muted"> / {formatText(event.previous ?? MISSING)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
