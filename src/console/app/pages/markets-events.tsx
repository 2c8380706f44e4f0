import { type Call, useData } from "#console/app/api.ts";
import { formatText, MISSING } from "#console/app/format.ts";
import {
  countryOfEvent,
  dateOf,
  formatDay,
  Importance,
  instantOf,
  type MacroEvent,
  timeOf,
} from "#console/app/parts/events.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";

const DAY_MS = 86_400_000;
/** The number of events after tomorrow, if today and tomorrow have fewer. */
const ROWS = 7;

/** The important events of today and tomorrow, then the next ones, in the browser's time zone. */
export function MarketEvents() {
  const today = new Date().setHours(0, 0, 0, 0);
  const call: Call<"get_macro_calendar"> = {
    operation: "get_macro_calendar",
    // The local day can begin on the UTC date before.
    args: { from: dateOf(today, true), importance: "high,medium", limit: 60 },
  };
  const calendar = useData(call);
  return (
    <Panel
      title="Important events"
      calls={[call]}
      answer={calendar.value}
      actions={<a href="/console/economy#calendar">Calendar</a>}
    >
      <div class="movers">
        <Loaded of={calendar} lines={9}>
          {({ data }) => <Days events={data.events} today={today} />}
        </Loaded>
      </div>
      <p class="muted">Your time. Published or expected figure / previous figure.</p>
    </Panel>
  );
}

function Days({
  events,
  today,
}: {
  readonly events: readonly MacroEvent[];
  readonly today: number;
}) {
  const byDate = Object.groupBy(events, (event) => dateOf(instantOf(event)));
  // At noon, because a day can have 23 or 25 hours.
  const near = [dateOf(today), dateOf(today + 1.5 * DAY_MS)];
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
      <h3>{props.title}</h3>
      {props.events.length === 0 ? (
        <Empty>No event of high or medium importance.</Empty>
      ) : (
        <ul class="events">
          {props.events.map((event) => (
            <li key={event.id} class={event.importance}>
              <time dateTime={`${event.date}T${event.time}Z`}>{timeOf(instantOf(event))}</time>
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
