import { t } from "#console/app/words.ts";
import { type Call, useData } from "#console/app/api.ts";
import { formatPrice } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { lists, WATCHLIST } from "#console/app/user-lists.ts";

/** The user's watchlist, or the first list without one: prices and changes of a day. */
export function MyList() {
  const names = lists.value.map(({ name }) => name);
  const name = names.includes(WATCHLIST) ? WATCHLIST : names[0];
  const call: Call<"get_lists"> = {
    operation: "get_lists",
    args: { name: name ?? WATCHLIST, metrics: "price,change_percent" },
  };
  const list = useData(name === undefined ? null : call);
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
      calls={[call]}
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
              columns={[
                {
                  title: "Company",
                  cell: (row) => (
                    <a
                      href={symbolPath(textIn(row, "country"), textIn(row, "symbol"))}
                      title={textIn(row, "name")}
                    >
                      <b>{row["symbol"]}</b> <span class="cut">{row["name"]}</span>
                    </a>
                  ),
                },
                {
                  title: "Price",
                  isNumber: true,
                  cell: (row) => formatPrice(numberIn(row, "price")),
                },
                {
                  title: "1 day",
                  isNumber: true,
                  cell: (row) => <Change value={numberIn(row, "change_percent")} />,
                  sortBy: (row) => numberIn(row, "change_percent"),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
