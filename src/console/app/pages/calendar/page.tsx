import { useState } from "preact/hooks";
import { timeNow } from "#console/app/clock.ts";
import type { Answer, Resource } from "#console/app/api.ts";
import { addDays, oldestDate, today, WEEK_DAYS } from "#console/app/days.ts";
import { COUNTRY_NAMES, MARKETS } from "#console/app/parts/country.tsx";
import { DraftInput } from "#console/app/parts/draft-input.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { addressDay, place, setQuery } from "#console/app/router.ts";
import { lists, titleOfList, WATCHLIST } from "#console/app/user-lists.ts";
import { asIs, type Sentence, t } from "#console/app/words.ts";
import {
  ALL,
  type CalendarAnswers,
  COMPANY_KINDS,
  dividendsCall,
  eventsCall,
  firstDay,
  hasReports,
  isDate,
  isWeek,
  type Kind,
  KIND_NAMES,
  KINDS,
  readDays,
  reportsCall,
  shownKinds,
  useCalendar,
} from "./calls.ts";
import { EntriesList } from "./events.tsx";
import { ListNote, Notes } from "./notes.tsx";
import { Subscribe } from "./subscribe.tsx";
import { Week } from "./week.tsx";

/** Changes what the calendar shows, from its first page. */
const show = (change: Parameters<typeof setQuery>[0]) => setQuery({ pages: null, ...change });

const VIEWS = { list: "List", week: "Week" } as const;
const VIEW_NAMES = ["list", "week"] as const;

/** Calendar: what is published, who reports, which shares go ex dividend and which exchanges are closed in seven days. */
export default function CalendarPage() {
  const { query } = place.value;
  const view = isWeek(query) ? "week" : "list";
  const answers = useCalendar(query);
  return (
    <>
      <PageTitle title={t("Calendar")}>
        <Tabs
          label="View"
          tabs={VIEW_NAMES}
          current={view}
          textOf={(one) => VIEWS[one]}
          onChange={(one) => show({ view: one === "list" ? null : one, find: null })}
        />
        {/* A calendar of another program follows the present. */}
        {addressDay === null && <Subscribe />}
      </PageTitle>
      <div id="calendar" class="calendar">
        <Choices />
        <EntriesPanel view={view} answers={answers} />
      </div>
    </>
  );
}

/** The days, the countries, the companies and the kinds of events. */
function Choices() {
  const { query } = place.value;
  const [isOpen, setOpen] = useState(false);
  const kinds = shownKinds(query);
  const list = query.get("list");
  const names = lists.value.map(({ name }) => name);
  const toggle = (kind: string) => {
    const hidden = KIND_NAMES.filter((one) => kinds.includes(one) === (one === kind));
    show({ hide: hidden.join(",") || null });
  };
  const buttons = (label: Sentence, of: readonly Kind[]) => (
    <div class="tabs ticked" role="group" aria-label={t(label)}>
      {of.map((kind) => (
        <button
          key={kind}
          type="button"
          aria-pressed={kinds.includes(kind)}
          onClick={() => toggle(kind)}
        >
          {t(KINDS[kind])}
        </button>
      ))}
    </div>
  );
  const set = ["events", "hide", "list"].filter((name) => query.has(name)).length;
  return (
    <div class="panel-actions choices-line">
      <DayTabs from={readDays(query).from} />
      <button
        type="button"
        class="narrow-only"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {set === 0 ? t("Filters") : t("Filters ({count})", { count: set })}
      </button>
      <div class="folded-choices">
        <Tabs
          label="Countries"
          tabs={[ALL, ...Object.keys(COUNTRY_NAMES)]}
          current={query.get("events") ?? ALL}
          textOf={(code) => COUNTRY_NAMES[code] ?? "All countries"}
          onChange={(code) => show({ events: code === ALL ? null : code })}
        />
        {buttons(
          "Kinds of events",
          KIND_NAMES.filter((kind) => !COMPANY_KINDS.includes(kind)),
        )}
        {/* The list is beside the kinds that it restricts. */}
        <div class="filter-row">
          {buttons("Kinds of events of companies", COMPANY_KINDS)}
          <select
            aria-label={t("Companies")}
            value={list ?? ""}
            onChange={(event) => show({ list: event.currentTarget.value || null })}
          >
            <option value="">{t("All companies")}</option>
            {/* A list that was deleted is still what the address asks for. */}
            {[...new Set([...names, ...(list === null ? [] : [list])])].map((name) => (
              <option key={name} value={name}>
                {titleOfList(name)}
              </option>
            ))}
          </select>
          <OnlyList />
        </div>
      </div>
    </div>
  );
}

/** A button for the events of one list's companies and no others. Nothing for a reader without a list. */
function OnlyList() {
  const { query } = place.value;
  const filled = lists.value.filter(({ items }) => items > 0);
  const usual = filled.find(({ name }) => name === WATCHLIST) ?? filled[0];
  const list = query.get("list") ?? usual?.name;
  if (list === undefined) return null;
  const others = KIND_NAMES.filter((kind) => !COMPANY_KINDS.includes(kind));
  const kinds = shownKinds(query);
  const isOnly = query.has("list") && !others.some((kind) => kinds.includes(kind));
  return (
    <div class="tabs ticked">
      <button
        type="button"
        aria-pressed={isOnly}
        onClick={() => show(isOnly ? { list: null, hide: null } : { list, hide: others.join() })}
      >
        {t("Only my list")}
      </button>
    </div>
  );
}

/** Moves by seven days. */
function DayTabs({ from }: { readonly from: string }) {
  const { query } = place.value;
  const now = firstDay(query, today());
  const move = (days: number) => {
    const date = addDays(from, days);
    show({ from: date === now ? null : date });
  };
  return (
    <div class="tabs" role="group" aria-label={t("Days")}>
      <button
        type="button"
        disabled={!isDate(from) || from <= oldestDate(timeNow())}
        onClick={() => move(-WEEK_DAYS)}
      >
        {t("← Earlier")}
      </button>
      <button type="button" aria-pressed={from === now} onClick={() => show({ from: null })}>
        {t(isWeek(query) ? "This week" : "From today")}
      </button>
      <button type="button" disabled={!isDate(from)} onClick={() => move(WEEK_DAYS)}>
        {t("Later →")}
      </button>
    </div>
  );
}

/** The choices of importance, with their texts. */
const LEVELS: Readonly<Record<string, Sentence>> = {
  all: "All",
  "high,medium": "High and medium",
  high: "High",
};

/** The events of the days, as a list or as a column for each day. */
function EntriesPanel(props: {
  readonly view: keyof typeof VIEWS;
  readonly answers: CalendarAnswers;
}) {
  const { query } = place.value;
  const { view, answers } = props;
  const kinds = shownKinds(query);
  const calls = {
    releases: eventsCall(query),
    earnings: reportsCall(query),
    dividends: dividendsCall(query),
    holidays: MARKETS,
  };
  const asked = kinds.flatMap((kind) =>
    kind === "splits" || (kind === "earnings" && !hasReports(query)) ? [] : [kind],
  );
  const loads = asked.map((kind): Resource<Answer<unknown>> => answers[kind]);
  // Drawn when all is there, so that nothing moves.
  const waited = [...loads, answers.holidays].find(
    ({ value, error }) => value === null && (!error || error.isOutage),
  );
  // A list that is gone is the same error for reports and for ex-dates, and so are figures that are still to come.
  const failures = new Map(loads.map((load) => [load.error?.lack ?? load.error?.message, load]));
  const awaited: Resource<unknown> | undefined =
    waited ?? (answers.payments.isAwaited ? answers.payments : undefined);
  const shownCalls = [
    ...asked.map((kind) => calls[kind]),
    ...(answers.payments.value?.calls ?? []),
  ];
  return (
    <Panel
      title={view === "week" ? "Seven days" : "Timeline"}
      {...(shownCalls.length > 0 && { calls: shownCalls })}
      answer={loads[0]?.value}
      actions={<EventChoices hasSearch={view === "list"} />}
    >
      {kinds.length === 0 ? (
        <Empty>{t("All kinds of events are hidden. Choose one above.")}</Empty>
      ) : awaited ? (
        <Loaded of={awaited} lines={16}>
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
          <ListNote answers={answers} kinds={kinds} />
          {view === "week" ? (
            <Week answers={answers} kinds={kinds} />
          ) : (
            <EntriesList
              answers={answers}
              kinds={kinds}
              isWhole={loads.every(({ value }) => value !== null)}
            />
          )}
          <Notes answers={answers} kinds={kinds} />
        </>
      )}
    </Panel>
  );
}

/** The search of an event, and the least importance of publications. */
function EventChoices({ hasSearch }: { readonly hasSearch: boolean }) {
  const { query } = place.value;
  return (
    <>
      {hasSearch && (
        <DraftInput
          isSearch
          label={t("Find an event")}
          placeholder={t("Find: Japan CPI")}
          value={query.get("find") ?? ""}
          onDone={(text) => show({ find: text || null })}
        />
      )}
      {shownKinds(query).includes("releases") && (
        <Tabs
          label="Importance"
          tabs={Object.keys(LEVELS)}
          current={query.get("importance") ?? ALL}
          textOf={(level) => LEVELS[level] ?? asIs(level)}
          onChange={(level) => show({ importance: level === ALL ? null : level })}
        />
      )}
    </>
  );
}
