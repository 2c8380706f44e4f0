import { t } from "#console/app/words.ts";
import { type Call, useData } from "#console/app/api.ts";
import { formatDay, formatPrice, formatShort } from "#console/app/format.ts";
import { symbolPath } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { lists } from "#console/app/user-lists.ts";
import type { PayloadOf } from "#operations/index.ts";
import { eventsCall, EventsPanel, readDays } from "./calendar-events.tsx";

/** The most reports that the service lists. */
const MAX_REPORTS = 200;

/** Calendar: what is published and who reports in seven days. */
export default function CalendarPage() {
  const events = useData(eventsCall(place.value.query));
  return (
    <>
      <PageTitle title="Calendar">
        <a href="/console/programs?program=calendar">Subscribe</a>
      </PageTitle>
      <div id="calendar">
        <EventsPanel />
      </div>
      {/* Below a panel of unknown height, so it comes after it. */}
      {(events.value ?? events.error) !== null && <ReportsPanel />}
    </>
  );
}

/** The reports of US companies in the same days, of all companies or of a list. */
function ReportsPanel() {
  const { query } = place.value;
  const { from, to } = readDays(query);
  const list = query.get("list");
  // The service has the next report of each company of a list, or all reports in a period.
  const args = list === null ? { from, to, limit: MAX_REPORTS } : { tickers: `list:${list}` };
  const call: Call<"get_earnings_calendar"> = { operation: "get_earnings_calendar", args };
  const calendar = useData(call);
  return (
    <Panel
      title="Earnings reports in the US"
      calls={[call]}
      answer={calendar.value}
      actions={
        <select
          aria-label="Companies"
          value={list ?? ""}
          onChange={(event) => setQuery({ list: event.currentTarget.value || null })}
        >
          <option value="">All companies</option>
          {lists.value.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      }
    >
      <Loaded of={calendar} lines={8}>
        {({ data }) => {
          const reports = data.earnings.filter(({ date }) => date >= from && date <= to);
          if (reports.length === 0) {
            return (
              <Empty>
                {t("No report from {from} to {to}.", { from: formatDay(from), to: formatDay(to) })}
              </Empty>
            );
          }
          return <Reports reports={reports} total={list === null ? data.total : reports.length} />;
        }}
      </Loaded>
      <p class="muted">{t("Report dates of companies of Japan and Viet Nam are in no source.")}</p>
    </Panel>
  );
}

type Report = PayloadOf<"get_earnings_calendar">["earnings"][number];

function Reports(props: { readonly reports: readonly Report[]; readonly total: number }) {
  const { reports, total } = props;
  const columns: Column<Report>[] = [
    {
      title: "Date in New York",
      cell: ({ date }) => formatDay(date),
      sortBy: ({ date }) => date,
    },
    { title: "Time", cell: ({ session }) => session.replaceAll("_", " ") },
    {
      title: "Company",
      cell: ({ symbol, name }) => (
        <a href={symbolPath("US", symbol)}>
          <b>{symbol}</b> <span class="cut">{name}</span>
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
