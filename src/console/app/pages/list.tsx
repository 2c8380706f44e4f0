import { CompanyName } from "#console/app/parts/company-name.tsx";
import { type Call, useConsoleItem, useData } from "#console/app/api.ts";
import { formatDate, formatNumber, formatPrice, formatPlainPercent } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { Change } from "#console/app/parts/change.tsx";
import { ConfirmButton } from "#console/app/parts/confirm-button.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { CsvButton } from "#console/app/parts/csv-button.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { Figures } from "#console/app/parts/figures.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { showMetric, useVocabulary } from "#console/app/parts/metrics.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { SymbolField } from "#console/app/parts/symbol-field.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { showToast } from "#console/app/parts/toast.tsx";
import { open, place, setQuery } from "#console/app/router.ts";
import type { PayloadOf } from "#operations/index.ts";
import {
  addList,
  changeList,
  isSame,
  type ListItem,
  nameOf,
  readItems,
  removeList,
  saveList,
} from "#console/app/user-lists.ts";

/** The address of the page of a list. */
export const listPath = (name: string) => `/console/lists/${encodeURIComponent(name)}`;

/** The columns that a reader can choose between. */
const COLUMN_SETS = {
  Quotes: "price,change_percent,return_1m,return_ytd,return_1y,below_high_52w",
  Valuation: "price,market_cap,pe,forward_pe,pb,ev_ebitda,dividend_yield",
  Growth: "price,revenue_growth,eps_growth,net_margin,roe,target_upside",
} as const;
const SETS = Object.keys(COLUMN_SETS) as (keyof typeof COLUMN_SETS)[];

/** One list: its figures, what reports soon, and what it is worth where it has shares. */
export function ListPage({ name }: { readonly name: string }) {
  const { query } = place.value;
  const set = SETS.find((one) => one === query.get("columns")) ?? "Quotes";
  const call: Call<"get_lists"> = {
    operation: "get_lists",
    args: { name, metrics: COLUMN_SETS[set], cursor: query.get("cursor") ?? undefined },
  };
  const table = useData(call);
  const stored = useConsoleItem("GET lists/:name", name);
  const items = stored.value?.items ?? [];
  const reload = () => {
    table.reload();
    stored.reload();
  };
  const change: Change = async (make, text) => {
    const before = await changeList(name, make);
    reload();
    showToast({ text, undo: () => saveList(name, before).then(reload) });
  };
  const hasAmounts = items.some((item) => item.shares !== undefined || item.weight !== undefined);
  return (
    <>
      <PageTitle title={name}>
        <ListActions name={name} items={items} />
      </PageTitle>
      <Panel
        title="Items"
        calls={[call]}
        answer={table.value}
        actions={
          <>
            <Tabs
              label="Columns"
              tabs={SETS}
              current={set}
              onChange={(one) => setQuery({ columns: one === "Quotes" ? null : one })}
            />
            <CsvButton call={call} file={`${name}.csv`} />
          </>
        }
      >
        <AddItem onChange={change} />
        <Loaded of={table} lines={8}>
          {({ data }) => <Items data={data} items={items} onChange={change} />}
        </Loaded>
      </Panel>
      {items.length > 0 && <ReportsPanel name={name} />}
      {hasAmounts && <PortfolioPanel name={name} />}
    </>
  );
}

/** A page of the items, or that there is none. */
function Items(props: {
  readonly data: PayloadOf<"get_lists">;
  readonly items: readonly ListItem[];
  readonly onChange: Change;
}) {
  const { data, items, onChange } = props;
  const { columns, rows, total, next_cursor: next = null } = data;
  if (rows.length === 0) return <Empty>The list is empty. Add a company above.</Empty>;
  return (
    <>
      <ItemTable columns={columns} rows={rowsOf(data)} items={items} onChange={onChange} />
      {next !== null && (
        <button type="button" onClick={() => setQuery({ cursor: next })}>
          Next page of {formatNumber(total, 0)} items
        </button>
      )}
    </>
  );
}

/** Changes the items, and says what was done. */
type Change = (
  make: (items: readonly ListItem[]) => readonly ListItem[],
  text: string,
) => Promise<void>;

function AddItem({ onChange }: { readonly onChange: Change }) {
  const { isBusy, error, run } = useAction();
  return (
    <>
      <SymbolField
        label="Add a company"
        isDisabled={isBusy}
        onPick={({ country, symbol }) => {
          const item = { country, symbol } as ListItem;
          const add = (items: readonly ListItem[]) =>
            items.some((one) => isSame(one, item)) ? items : [...items, item];
          void run(() => onChange(add, `${symbol} is on the list.`));
        }}
      />
      {error !== null && <Failure message={error} />}
    </>
  );
}

function ItemTable(props: {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly items: readonly ListItem[];
  readonly onChange: Change;
}) {
  const { columns, rows, items, onChange } = props;
  const metrics = useVocabulary().value?.metrics;
  const itemOf = (row: Row) =>
    items.find(({ country, symbol }) => country === row["country"] && symbol === row["symbol"]);
  const shown = columns.filter((one) => metrics?.has(one));
  const own: Column<Row>[] = [
    {
      title: "Company",
      cell: (row) => (
        <a href={symbolPath(textIn(row, "country"), textIn(row, "symbol"))}>
          <b>{row["symbol"]}</b> <CompanyName row={row} />
        </a>
      ),
      sortBy: (row) => textIn(row, "symbol"),
    },
  ];
  const figures = shown.map((name): Column<Row> => ({
    title: metrics?.get(name)?.title ?? name,
    isNumber: true,
    cell: (row) => showMetric(metrics?.get(name), row[name], textIn(row, "currency")),
    sortBy: (row) => numberIn(row, name),
  }));
  const edits: Column<Row>[] = [
    {
      title: "Shares",
      isNumber: true,
      cell: (row) => (row["shares"] === null ? "" : formatNumber(numberIn(row, "shares"), 0)),
      sortBy: (row) => numberIn(row, "shares"),
    },
    { title: "Note", cell: (row) => <span class="long">{row["note"]}</span> },
    {
      title: "Change",
      cell: (row) => {
        const item = itemOf(row);
        return item && <EditItem item={item} onChange={onChange} />;
      },
    },
  ];
  return (
    <DataTable
      label="Items of the list"
      columns={[...own, ...figures, ...edits]}
      rows={rows}
      keyOf={(row) => `${textIn(row, "country")}:${textIn(row, "symbol")}`}
    />
  );
}

/** Shares and note of an item, and the way out of the list. */
function EditItem(props: { readonly item: ListItem; readonly onChange: Change }) {
  const { item, onChange } = props;
  const { isBusy, error, run } = useAction();
  const remove = (items: readonly ListItem[]) => items.filter((one) => !isSame(one, item));
  const submit = (close: () => void) => async (event: FormEvent) => {
    const form = readForm(event);
    const [shares, note] = [readText(form, "shares"), readText(form, "note").trim()];
    const { shares: _, note: __, ...rest } = item;
    const next = {
      ...rest,
      ...(shares !== "" && { shares: Number(shares) }),
      ...(note !== "" && { note }),
    };
    const replace = (items: readonly ListItem[]) =>
      items.map((one) => (isSame(one, item) ? next : one));
    if (await run(() => onChange(replace, `${item.symbol} was changed.`))) close();
  };
  return (
    <DialogButton text="Edit" title={`Edit ${item.symbol}`}>
      {(close) => (
        <form class="stack" onSubmit={submit(close)}>
          {item.weight === undefined && (
            <label>
              Shares
              <input name="shares" type="number" step="any" defaultValue={item.shares} />
            </label>
          )}
          <label>
            Note
            <input name="note" maxLength={200} defaultValue={item.note} />
          </label>
          {error !== null && <Failure message={error} />}
          <div class="buttons">
            <button
              type="button"
              class="danger"
              disabled={isBusy}
              onClick={() => void run(() => onChange(remove, `${item.symbol} was removed.`))}
            >
              Remove
            </button>
            <button type="submit" class="primary" disabled={isBusy}>
              Save
            </button>
          </div>
        </form>
      )}
    </DialogButton>
  );
}

function ListActions({
  name,
  items,
}: {
  readonly name: string;
  readonly items: readonly ListItem[];
}) {
  const symbols = items.slice(0, 10).map(({ country, symbol }) => `${country}:${symbol}`);
  const remove = async () => {
    const before = await readItems(name);
    await removeList(name);
    open("/console/lists");
    showToast({ text: `The list ${name} was deleted.`, undo: () => saveList(name, before) });
  };
  return (
    <div class="panel-actions">
      {symbols.length > 1 && (
        <a
          class="button"
          href={`/console/compare?symbols=${encodeURIComponent(symbols.join(","))}`}
        >
          Compare
        </a>
      )}
      <a class="button" href={`/console/api/lists/${name}/file`} download>
        Save as a file
      </a>
      <RenameButton name={name} />
      <ConfirmButton text="Delete" question={`Delete ${name}?`} action={remove}>
        The list and its {items.length} items are deleted.
      </ConfirmButton>
    </div>
  );
}

function RenameButton({ name }: { readonly name: string }) {
  const { isBusy, error, run } = useAction();
  const submit = (close: () => void) => async (event: FormEvent) => {
    const next = nameOf(readText(readForm(event), "name"));
    const rename = async () => {
      if (next === name) return;
      await addList(next, await readItems(name));
      await removeList(name);
      open(listPath(next));
    };
    if (await run(rename)) close();
  };
  return (
    <DialogButton text="Rename" title={`Rename ${name}`}>
      {(close) => (
        <form class="stack" onSubmit={submit(close)}>
          <label>
            Name
            <input name="name" required maxLength={40} defaultValue={name} />
          </label>
          {error !== null && <Failure message={error} />}
          <div class="buttons">
            <button type="submit" class="primary" disabled={isBusy}>
              Rename
            </button>
          </div>
        </form>
      )}
    </DialogButton>
  );
}

const WEEK_MS = 7 * 86_400_000;

/** The next reports of the companies of the list, first those of the next seven days. */
function ReportsPanel({ name }: { readonly name: string }) {
  const call: Call<"get_earnings_calendar"> = {
    operation: "get_earnings_calendar",
    args: { tickers: `list:${name}` },
  };
  const calendar = useData(call);
  return (
    <Panel title="Next reports" calls={[call]} answer={calendar.value}>
      <Loaded of={calendar} lines={4}>
        {({ data: { earnings, not_covered: notCovered }, asOf }) => {
          const end = Date.parse(asOf) + WEEK_MS;
          const soon = earnings.filter(({ date }) => Date.parse(date) <= end);
          return (
            <>
              <p class="reports-week">
                {soon.length === 0
                  ? "No company of the list reports within seven days."
                  : `Within seven days: ${soon.map(({ symbol }) => symbol).join(", ")}.`}
                {notCovered.length > 0 &&
                  ` Report dates of ${notCovered.join(", ")} are not known: no source gives those of Japan and Viet Nam.`}
              </p>
              {earnings.length > 0 && (
                <DataTable
                  label="Dates of the reports"
                  rows={earnings}
                  keyOf={({ symbol }) => symbol}
                  columns={[
                    {
                      title: "Company",
                      cell: ({ symbol, name: company }) => (
                        <a href={symbolPath("US", symbol)}>
                          <b>{symbol}</b> <span class="cut">{company}</span>
                        </a>
                      ),
                    },
                    { title: "Date", cell: ({ date }) => formatDate(date) },
                    { title: "Time", cell: ({ session }) => session.replaceAll("_", " ") },
                    {
                      title: "EPS estimate, USD",
                      isNumber: true,
                      cell: ({ eps_estimate: eps }) => formatPrice(eps),
                    },
                  ]}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** The sums of a list with shares or weights. */
function PortfolioPanel({ name }: { readonly name: string }) {
  const call: Call<"analyze_portfolio"> = {
    operation: "analyze_portfolio",
    args: { holdings: `list:${name}` },
  };
  const portfolio = useData(call);
  return (
    <Panel title="As a portfolio" calls={[call]} answer={portfolio.value}>
      <Loaded of={portfolio} lines={6}>
        {({ data }) => <PortfolioFigures data={data} />}
      </Loaded>
    </Panel>
  );
}

function PortfolioFigures({ data }: { readonly data: PayloadOf<"analyze_portfolio"> }) {
  const { currency, value, performance, risk, income, ratios } = data;
  return (
    <div class="columns">
      <Figures
        rows={[
          [`Value, ${currency}`, formatNumber(value)],
          ["Return, 1 year", <Change key="return" value={performance?.return} />],
          ["With dividends", <Change key="total" value={performance?.total_return} />],
          [`Dividends of 12 months, ${currency}`, formatNumber(income?.last_12_months)],
          ["Yield", formatPlainPercent(income?.yield)],
        ]}
      />
      <Figures
        rows={[
          ["Volatility", formatPlainPercent(risk?.volatility)],
          ["Deepest fall", <Change key="fall" value={risk?.max_drawdown} />],
          [`Beta to ${risk?.benchmark ?? "the index"}`, formatNumber(risk?.beta)],
          ["P/E", formatNumber(ratios?.pe)],
          ["P/B", formatNumber(ratios?.pb)],
        ]}
      />
      <DataTable
        label="Weights and contributions"
        rows={rowsOf(data)}
        keyOf={(row) => textIn(row, "symbol")}
        columns={[
          { title: "Symbol", cell: (row) => row["symbol"] },
          {
            title: "Weight",
            isNumber: true,
            cell: (row) => formatPlainPercent(numberIn(row, "weight")),
          },
          {
            title: "Contribution",
            isNumber: true,
            cell: (row) => <Change value={numberIn(row, "contribution")} />,
          },
        ]}
      />
    </div>
  );
}
