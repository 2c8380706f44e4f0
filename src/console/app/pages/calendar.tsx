import { nameInLanguage } from "#console/app/company-names.ts";
import { isSettled } from "#console/app/api.ts";
import { formatDay, formatPercent, formatPrice, formatShort } from "#console/app/format.ts";
import { addDays, dateOf, oldestDate } from "#console/app/days.ts";
import { COUNTRY_NAMES, symbolPath } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { sessionText } from "#console/app/parts/events.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn } from "#console/app/parts/rows.ts";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { lists } from "#console/app/user-lists.ts";
import { t } from "#console/app/words.ts";
import {
  ALL,
  type CalendarAnswers,
  DAYS,
  dividendsCall,
  type ExDate,
  exDatesOf,
  hasReports,
  isDate,
  type Kind,
  KIND_NAMES,
  KINDS,
  readDays,
  type Report,
  reportsCall,
  shownKinds,
  useCalendar,
} from "./calendar-calls.ts";
import { EventsPanel } from "./calendar-events.tsx";
import { Subscribe } from "./calendar-subscribe.tsx";
import { WeekPanel } from "./calendar-week.tsx";

const VIEWS = { list: "List", week: "Week" } as const;
const VIEW_NAMES = ["list", "week"] as const;

/** Calendar: what is published, who reports, which shares go ex dividend and which exchanges are closed in seven days. */
export default function CalendarPage() {
  const { query } = place.value;
  const view = query.get("view") === "week" ? "week" : "list";
  const answers = useCalendar(query);
  return (
    <>
      <PageTitle title="Calendar">
        <Tabs
          label="View"
          tabs={VIEW_NAMES}
          current={view}
          textOf={(one) => VIEWS[one]}
          onChange={(one) => setQuery({ view: one === "list" ? null : one, find: null })}
        />
        <Subscribe />
      </PageTitle>
      <div id="calendar" class="calendar">
        <Choices />
        {view === "week" ? <WeekPanel answers={answers} /> : <ListPanels answers={answers} />}
      </div>
    </>
  );
}

/** The days, the countries, the companies and the kinds of events. */
function Choices() {
  const { query } = place.value;
  const kinds = shownKinds(query);
  const list = query.get("list");
  const names = lists.value.map(({ name }) => name);
  const toggle = (kind: string) => {
    const hidden = KIND_NAMES.filter((one) => kinds.includes(one) === (one === kind));
    setQuery({ hide: hidden.join(",") || null });
  };
  return (
    <div class="panel-actions choices-line">
      <DayTabs from={readDays(query).from} />
      <Tabs
        label="Countries"
        tabs={[ALL, ...Object.keys(COUNTRY_NAMES)]}
        current={query.get("events") ?? ALL}
        textOf={(code) => COUNTRY_NAMES[code] ?? "All countries"}
        onChange={(code) => setQuery({ events: code === ALL ? null : code })}
      />
      <select
        aria-label={t("Companies")}
        value={list ?? ""}
        onChange={(event) => setQuery({ list: event.currentTarget.value || null })}
      >
        <option value="">{t("All companies")}</option>
        {/* A list that was deleted is still what the address asks for. */}
        {[...new Set([...names, ...(list === null ? [] : [list])])].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <div class="tabs ticked" role="group" aria-label={t("Kinds of events")}>
        {KIND_NAMES.map((kind) => (
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
    </div>
  );
}

/** Moves by seven days. */
function DayTabs({ from }: { readonly from: string }) {
  const move = (days: number) => {
    const date = addDays(from, days);
    setQuery({ from: date === dateOf(Date.now()) ? null : date });
  };
  return (
    <div class="tabs" role="group" aria-label={t("Days")}>
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

/** The events of countries, then those of companies, which come after a panel of unknown height. */
function ListPanels({ answers }: { readonly answers: CalendarAnswers }) {
  const kinds = shownKinds(place.value.query);
  const isReady = (kind: Kind) =>
    !kinds.includes(kind) ||
    (kind === "earnings" && !hasReports(place.value.query)) ||
    isSettled(answers[kind]);
  const hasEvents = isReady("releases") && isReady("holidays");
  // A list is chosen to see its companies, so their reports come first.
  const hasList = place.value.query.has("list");
  const reports = kinds.includes("earnings") && <ReportsPanel of={answers.earnings} />;
  return (
    <>
      {hasList && reports}
      {kinds.length === 0 && <Empty>All kinds of events are hidden. Choose one above.</Empty>}
      {(kinds.includes("releases") || kinds.includes("holidays")) &&
        (!hasList || isReady("earnings")) && (
          <EventsPanel answers={answers} kinds={kinds} isReady={hasEvents} />
        )}
      {hasEvents && !hasList && reports}
      {hasEvents && isReady("earnings") && kinds.includes("dividends") && (
        <DividendsPanel of={answers.dividends} />
      )}
    </>
  );
}

/** The reports of US companies, of all or of a list. */
function ReportsPanel({ of: calendar }: { readonly of: CalendarAnswers["earnings"] }) {
  const { query } = place.value;
  const { from, to } = readDays(query);
  return (
    <Panel title="Earnings reports in the US" calls={[reportsCall(query)]} answer={calendar.value}>
      {hasReports(query) && (
        <Loaded of={calendar} lines={8}>
          {({ data }) =>
            data.earnings.length > 0 ? (
              <Reports reports={data.earnings} total={data.total} />
            ) : (
              <Empty>
                {t("No report from {from} to {to}.", { from: formatDay(from), to: formatDay(to) })}
              </Empty>
            )
          }
        </Loaded>
      )}
      <p class="muted">{t("Report dates of companies of Japan and Viet Nam are in no source.")}</p>
    </Panel>
  );
}

function Reports(props: { readonly reports: readonly Report[]; readonly total: number }) {
  const { reports, total } = props;
  const columns: Column<Report>[] = [
    {
      title: "Date in New York",
      cell: ({ date }) => <time dateTime={date}>{formatDay(date)}</time>,
      sortBy: ({ date }) => date,
    },
    { title: "Time", cell: ({ session }) => sessionText(session) },
    {
      title: "Company",
      cell: ({ symbol, name }) => (
        <a href={symbolPath("US", symbol)}>
          <b>{symbol}</b> <span class="cut">{nameInLanguage({ country: "US", symbol }, name)}</span>
        </a>
      ),
      sortBy: ({ symbol }) => symbol,
    },
    {
      title: "EPS estimate, USD",
      isNumber: true,
      cell: ({ eps_estimate: eps }) => formatPrice(eps),
      sortBy: ({ eps_estimate: eps }) => eps,
    },
    {
      title: "EPS, USD",
      isNumber: true,
      cell: ({ eps_actual: eps }) => formatPrice(eps ?? null),
      sortBy: ({ eps_actual: eps }) => eps,
    },
    {
      title: "Market cap, USD",
      isNumber: true,
      isExtra: true,
      cell: ({ market_cap: cap }) => formatShort(cap),
      sortBy: ({ market_cap: cap }) => cap,
    },
  ];
  return (
    <>
      <DataTable
        label="Reports"
        rows={reports}
        keyOf={({ symbol, date }) => `${symbol} ${date}`}
        columns={columns}
      />
      {total > reports.length && (
        <p class="muted">
          {t("The first {shown} of {total} reports. Choose a list for fewer.", {
            shown: reports.length,
            total,
          })}
        </p>
      )}
    </>
  );
}

/** The announced ex-dates, of all companies or of a list. */
function DividendsPanel({ of: screen }: { readonly of: CalendarAnswers["dividends"] }) {
  const { query } = place.value;
  const { from, to } = readDays(query);
  return (
    <Panel title="Ex-dividend dates" calls={[dividendsCall(query)]} answer={screen.value}>
      <Loaded of={screen} lines={3}>
        {({ data }) => {
          const days = exDatesOf(data, query);
          if (days.length > 0) return <ExDates days={days} total={data.total} />;
          return (
            <Empty>
              {t("No announced ex-date from {from} to {to}.", {
                from: formatDay(from),
                to: formatDay(to),
              })}
            </Empty>
          );
        }}
      </Loaded>
    </Panel>
  );
}

const EX_DATE_COLUMNS: readonly Column<ExDate>[] = [
  {
    title: "Date",
    cell: ({ date }) => <time dateTime={date}>{formatDay(date)}</time>,
    sortBy: ({ date }) => date,
  },
  {
    title: "Company",
    cell: ({ country, symbol, name }) => (
      <a href={symbolPath(country, symbol)}>
        <b>{symbol}</b> <span class="cut">{nameInLanguage({ country, symbol }, name)}</span>
      </a>
    ),
    sortBy: ({ symbol }) => symbol,
  },
  {
    title: "Dividends of 12 months",
    isNumber: true,
    cell: ({ row }) => formatPrice(numberIn(row, "dividend_per_share")),
    sortBy: ({ row }) => numberIn(row, "dividend_per_share"),
  },
  {
    title: "Dividend yield",
    isNumber: true,
    cell: ({ row }) => formatPercent(numberIn(row, "dividend_yield")),
    sortBy: ({ row }) => numberIn(row, "dividend_yield"),
  },
];

function ExDates({ days, total }: { readonly days: readonly ExDate[]; readonly total: number }) {
  return (
    <>
      <DataTable
        label="Ex-dividend dates"
        rows={days.toSorted((a, b) => a.date.localeCompare(b.date))}
        keyOf={({ country, symbol }) => `${country}:${symbol}`}
        columns={EX_DATE_COLUMNS}
      />
      {total > days.length && (
        <p class="muted">
          {t("The first {shown} of {total} companies. Choose a list for fewer.", {
            shown: days.length,
            total,
          })}
        </p>
      )}
    </>
  );
}
