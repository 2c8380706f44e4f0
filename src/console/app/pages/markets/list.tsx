import { CompanyName } from "#console/app/company-names.tsx";
import { t } from "#console/app/words.ts";
import { type AnswerOf, type Call, isSettled, type Resource, useData } from "#console/app/api.ts";
import { currencyUnit, formatPrice } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { reportsOfList } from "#console/app/pages/lists/reports.ts";
import { reportsWeek } from "#console/app/pages/lists/reports-week.ts";
import { settings } from "#console/app/user-settings.ts";
import { lists, WATCHLIST, titleOfList } from "#console/app/user-lists.ts";
import { MoreCompanies, RateNote } from "./more.tsx";

const COLUMNS: readonly [Column<Row>, Column<Row>, Column<Row>] = [
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
        <span class="muted name-below">{currencyUnit(textIn(row, "currency")).trim()}</span>
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

/** Where the list is beside the map; narrower, there is no room to fill. */
const BESIDE_MAP = "(min-width: 1201px)";
/** The most rows of the list, which its own page has all. */
const MOST_ROWS = 10;
/** A list with fewer rows has other companies below it. */
const SHORT_LIST = 6;
/** The rows of both, as high as the map. */
const ROWS = 8;

/**
 * The user's watchlist, or the first list without one: prices and changes of a day. Beside the map, other companies
 * are below a short list.
 *
 * @param country the map's
 */
export function MyList({ country }: { readonly country: string }) {
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
  const rows = list.value ? rowsOf(list.value.data) : [];
  // Drawn when all above it is there, so that nothing moves.
  const isReady = name === undefined || (list.value !== null && isSettled(calendar));
  return (
    <div class="list-column">
      {name === undefined ? (
        <Panel title="Your list" class="my-list">
          <Empty>
            {t(
              "Open a company and press Watch: its price will be here. Or drop a file of another program:",
            )}{" "}
            <a href="/console/lists">{t("Lists")}</a>
          </Empty>
        </Panel>
      ) : (
        <ListPanel name={name} calls={[call, reports]} list={list} calendar={calendar} />
      )}
      {isReady && rows.length < SHORT_LIST && matchMedia(BESIDE_MAP).matches && (
        <MoreCompanies
          country={country}
          listed={rows.map((row) => ({
            country: textIn(row, "country"),
            symbol: textIn(row, "symbol"),
          }))}
          room={ROWS - rows.length}
          columns={COLUMNS}
        />
      )}
    </div>
  );
}

function ListPanel(props: {
  readonly name: string;
  readonly calls: readonly Call[];
  readonly list: Resource<AnswerOf<"get_lists">>;
  readonly calendar: Resource<AnswerOf<"get_earnings_calendar">>;
}) {
  const { name, calls, list, calendar } = props;
  const total = lists.value.find((one) => one.name === name)?.items ?? 0;
  const rows = Math.min(total, MOST_ROWS);
  // Drawn when all is there, so that nothing moves.
  const drawn = isSettled(calendar) ? list : { ...list, value: null };
  return (
    <Panel
      title="Your list"
      class="my-list"
      style={{ "--rows": rows }}
      calls={calls}
      answer={list.value}
      actions={<a href={`/console/lists/${name}`}>{titleOfList(name)}</a>}
    >
      <Loaded of={drawn} lines={rows}>
        {({ data }) =>
          data.rows.length === 0 ? (
            <Empty>{t("The list is empty. Open a company and press Watch.")}</Empty>
          ) : (
            <DataTable
              label="Companies of your list"
              rows={rowsOf(data)}
              keyOf={(row) => `${textIn(row, "country")}:${textIn(row, "symbol")}`}
              columns={COLUMNS}
              most={MOST_ROWS}
            />
          )
        }
      </Loaded>
      {drawn.value && total > MOST_ROWS && (
        <p class="muted">
          {t("{shown} of {total} companies.", { shown: MOST_ROWS, total })}{" "}
          <a href={`/console/lists/${name}`}>{t("All companies")}</a>
        </p>
      )}
      <RateNote rates={drawn.value?.data.rates} />
      {drawn.value && calendar.value?.data.earnings[0] && (
        <p class="reports-week muted">{reportsWeek(calendar.value.data)}</p>
      )}
    </Panel>
  );
}
