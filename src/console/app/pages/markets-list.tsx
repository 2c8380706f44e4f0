import { CompanyName } from "#console/app/parts/company-name.tsx";
import { t } from "#console/app/words.ts";
import { type Call, useData } from "#console/app/api.ts";
import { formatPrice } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { ReportsWeek, reportsOfList } from "#console/app/parts/reports-week.tsx";
import { settings } from "#console/app/settings.ts";
import { lists, WATCHLIST } from "#console/app/user-lists.ts";

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Company",
    cell: (row) => (
      <a
        class="short-name"
        href={symbolPath(textIn(row, "country"), textIn(row, "symbol"))}
        title={textIn(row, "name")}
      >
        <b>{row["symbol"]}</b>
        <CompanyName row={row} class="muted name-below" />
      </a>
    ),
  },
  {
    title: "Price",
    isNumber: true,
    cell: (row) => (
      <>
        {formatPrice(numberIn(row, "price"), textIn(row, "currency"))}
        <span class="muted name-below">{row["currency"]}</span>
      </>
    ),
  },
  {
    title: "1 day",
    isNumber: true,
    cell: (row) => <Change value={numberIn(row, "change_percent")} />,
    sortBy: (row) => numberIn(row, "change_percent"),
  },
];

/** The user's watchlist, or the first list without one: prices and changes of a day. */
export function MyList() {
  const names = lists.value.map(({ name }) => name);
  const name = names.includes(WATCHLIST) ? WATCHLIST : names[0];
  const call: Call<"get_lists"> = {
    operation: "get_lists",
    args: {
      name: name ?? WATCHLIST,
      metrics: "price,change_percent",
      currency: settings.value.currency,
    },
  };
  const list = useData(name === undefined ? null : call);
  const reports = reportsOfList(name ?? WATCHLIST);
  const calendar = useData(name === undefined ? null : reports);
  if (name === undefined) {
    return (
      <Panel title="Your list" class="my-list">
        <Empty>
          {t(
            "Open a company and press Watch: its price will be here. Or drop a file of another program:",
          )}{" "}
          <a href="/console/lists">{t("Lists")}</a>
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel
      title="Your list"
      class="my-list"
      calls={[call, reports]}
      answer={list.value}
      actions={<a href={`/console/lists/${name}`}>{name}</a>}
    >
      <Loaded of={list} lines={10}>
        {({ data }) =>
          data.rows.length === 0 ? (
            <Empty>The list is empty. Open a company and press Watch.</Empty>
          ) : (
            <DataTable
              label="Companies of your list"
              rows={rowsOf(data)}
              keyOf={(row) => `${textIn(row, "country")}:${textIn(row, "symbol")}`}
              columns={COLUMNS}
            />
          )
        }
      </Loaded>
      {list.value?.data.rates !== undefined && list.value.data.rates.length > 0 && (
        <p class="muted">
          {t("In {currency}, changes include the exchange rate.", {
            currency: settings.value.currency ?? "",
          })}
        </p>
      )}
      {list.value && calendar.value && calendar.value.data.earnings.length > 0 && (
        <p class="reports-week muted">
          {t("Reports:")} <ReportsWeek data={calendar.value.data} asOf={calendar.value.asOf} />
        </p>
      )}
    </Panel>
  );
}
