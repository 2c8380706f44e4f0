import type { ComponentChildren } from "preact";
import { type Call, isSettled, useConsoleItem, useData } from "#console/app/api.ts";
import { formatDate, formatNumber, formatPrice } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { ConfirmButton } from "#console/app/parts/confirm-button.tsx";
import { Change } from "#console/app/parts/change.tsx";
import { CsvButton } from "#console/app/parts/csv-button.tsx";
import { chosenCurrency, CurrencyChoice, ratesText } from "#console/app/parts/currency-choice.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { meaningOf } from "#console/app/parts/metric-meaning.ts";
import { metricColumn } from "#console/app/parts/metric-column.ts";
import { type Metric, useVocabulary, type Vocabulary } from "#console/app/parts/metrics.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { NameForm } from "#console/app/parts/name-form.tsx";
import { Empty, Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { figureOr } from "#console/app/parts/missing.tsx";
import type { Reasoned } from "#console/app/parts/reasons.ts";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { reportsOfList } from "./reports.ts";
import { SymbolField } from "#console/app/parts/symbol-field.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { showToast } from "#console/app/parts/toast.tsx";
import { open, place, setQuery } from "#console/app/router.ts";
import { asIs, type Sentence, t, translate } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { renameList } from "./named-list.ts";
import {
  changeList,
  isSame,
  type ListItem,
  lists,
  readItems,
  removeList,
  saveList,
  titleOfList,
} from "#console/app/user-lists.ts";
import {
  type Change as ChangeItems,
  hasOnlyWeights,
  ItemCell,
  sharesText,
  weightText,
} from "./item.tsx";
import { PortfolioPanel, ReportsPanel } from "./panels.tsx";

/** The address of the page of a list. */
export const listPath = (name: string) => `/console/lists/${encodeURIComponent(name)}`;

/** The columns that a reader can choose between. */
const COLUMN_SETS = {
  Quotes: "price,change_percent,return_1m,return_ytd,return_1y,below_high_52w",
  Valuation: "price,market_cap,pe,forward_pe,pb,ev_ebitda,dividend_yield",
  Growth: "price,revenue_growth,eps_growth,net_margin,roe,target_upside",
} as const satisfies Partial<Record<Sentence, string>>;
const SETS = Object.keys(COLUMN_SETS) as (keyof typeof COLUMN_SETS)[];

const chosenSet = () => SETS.find((one) => one === place.value.query.get("columns")) ?? "Quotes";

/** The call for a page of the items, in the chosen currency. */
function itemsCall(name: string, set: (typeof SETS)[number]): Call<"get_lists"> {
  const currency = chosenCurrency() || undefined;
  const cursor = place.value.query.get("cursor") ?? undefined;
  return { operation: "get_lists", args: { name, metrics: COLUMN_SETS[set], currency, cursor } };
}

/** One list: its figures, what reports soon, and what it is worth where it has shares. */
export function ListPage({ name }: { readonly name: string }) {
  const set = chosenSet();
  const call = itemsCall(name, set);
  const table = useData(call);
  const stored = useConsoleItem("GET lists/:name", name);
  const items = stored.value?.items ?? [];
  const vocabulary = useVocabulary();
  const calendarCall = reportsOfList(name);
  const calendar = useData(calendarCall);
  // All parts of the table arrive before it is shown, and each panel after those above it: nothing moves.
  const isListed = stored.value !== null && isSettled(vocabulary);
  const isComplete = isListed && table.value !== null;
  const reload = () => {
    table.reload();
    stored.reload();
    calendar.reload();
  };
  const change: ChangeItems = async (make, text) => {
    const before = await changeList(name, make);
    reload();
    showToast({ text, undo: () => saveList(name, before).then(reload) });
  };
  return (
    <>
      <PageTitle title={asIs(titleOfList(name))}>
        <ListActions name={name} items={items} call={call} />
      </PageTitle>
      <Panel
        title="Items"
        calls={[call]}
        answer={isComplete ? table.value : undefined}
        actions={
          <>
            <Tabs
              label="Columns"
              tabs={SETS}
              current={set}
              onChange={(one) => setQuery({ columns: one === "Quotes" ? null : one })}
            />
            <CurrencyChoice currencies={vocabulary.value?.currencies ?? []} />
          </>
        }
      >
        <AddItem onChange={change} />
        <Loaded of={isListed ? table : { ...table, value: null }} lines={8}>
          {({ data }) => (
            <Items
              data={data}
              items={items}
              metrics={vocabulary.value?.metrics}
              onChange={change}
            />
          )}
        </Loaded>
      </Panel>
      {isComplete && items.length > 0 && (
        <ReportsPanel call={calendarCall} calendar={calendar} rows={rowsOf(table.value.data)} />
      )}
      {isComplete && items.length > 0 && isSettled(calendar) && (
        <PortfolioPanel name={name} items={items} rows={rowsOf(table.value.data)} />
      )}
    </>
  );
}

/** A page of the items, or that there is none. */
function Items(props: {
  readonly data: PayloadOf<"get_lists">;
  readonly items: readonly ListItem[];
  readonly metrics: Vocabulary["metrics"] | undefined;
  readonly onChange: ChangeItems;
}) {
  const { data, items, metrics, onChange } = props;
  const { columns, rows, rates = [], total, next_cursor: next = null } = data;
  if (rows.length === 0) return <Empty>{t("The list is empty. Add a company above.")}</Empty>;
  return (
    <>
      <ItemTable
        columns={columns}
        rows={rowsOf(data)}
        items={items}
        metrics={metrics}
        answer={data}
        isConverted={rates.length > 0}
        onChange={onChange}
      />
      {rates.length > 0 && (
        <p class="muted">
          {columns.includes("change_percent") &&
            `${t("In {currency}, changes include the exchange rate.", { currency: rates[0]?.to ?? "" })} `}
          {ratesText(rates)}
        </p>
      )}
      {next !== null && (
        <button type="button" onClick={() => setQuery({ cursor: next })}>
          {t("Next page of {count} items", { count: formatNumber(total, 0) })}
        </button>
      )}
    </>
  );
}

function AddItem({ onChange }: { readonly onChange: ChangeItems }) {
  const { isBusy, error, run } = useAction();
  return (
    <>
      <SymbolField
        label={t("Add a company")}
        isDisabled={isBusy}
        onPick={({ country, symbol }) => {
          const item = { country, symbol } as ListItem;
          const add = (items: readonly ListItem[]) =>
            items.some((one) => isSame(one, item)) ? items : [...items, item];
          void run(() => onChange(add, t("{name} is on the list.", { name: symbol })));
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
  /** Undefined if they could not be loaded: then only the company and the user's own entries are shown. */
  readonly metrics: Vocabulary["metrics"] | undefined;
  /** The answer that the rows are from. */
  readonly answer: Reasoned;
  /** True if prices are of another currency. */
  readonly isConverted: boolean;
  readonly onChange: ChangeItems;
}) {
  const { columns, rows, items, metrics, answer, isConverted, onChange } = props;
  const itemOf = (row: Row) =>
    items.find(({ country, symbol }) => country === row["country"] && symbol === row["symbol"]);
  const shown = columns.flatMap((name) => {
    const metric = metrics?.get(name);
    return metric ? [[name, metric] as const] : [];
  });
  const isWeight = hasOnlyWeights(items);
  const own: Column<Row>[] = [
    {
      title: "Company",
      cell: (row) => {
        const item = itemOf(row);
        // A list may have both.
        const hasWeight = isWeight || item?.weight !== undefined;
        return <ItemCell row={row} item={item} isWeight={hasWeight} onChange={onChange} />;
      },
      sortBy: (row) => textIn(row, "symbol"),
    },
    {
      title: "Currency",
      cell: (row) => row["currency"],
      sortBy: (row) => textIn(row, "currency"),
      isExtra: true,
    },
  ];
  const figures = shown.map(([name, metric]) =>
    figureColumn(name, metric, rows, (row, text) => figureOr(answer, row, name, text), isConverted),
  );
  return (
    <DataTable
      label="Items of the list"
      columns={[
        ...own,
        ...figures,
        ...(columns.includes("gain") ? gainColumns(answer) : []),
        ...entryColumns(isWeight),
      ]}
      rows={rows}
      keyOf={(row) => `${textIn(row, "country")}:${textIn(row, "symbol")}`}
    />
  );
}

/** The service gives gains of 1,000 or more without decimals. */
const formatGain = (gain: number | null): string =>
  formatNumber(gain, Number.isInteger(gain) ? 0 : 2);

/** A figure of the items. Amounts of one currency are in one unit. @param shown a text with the reason of a dash */
function figureColumn(
  name: string,
  metric: Metric,
  rows: readonly Row[],
  shown: (row: Row, text: ComponentChildren) => ComponentChildren,
  isConverted: boolean,
): Column<Row> {
  const values = rows.map((row) => row[name]);
  const [currency = "", ...others] = new Set(rows.map((row) => textIn(row, "currency")));
  const { title, show } = metricColumn(
    metric,
    translate(metric.title),
    values,
    others.length === 0 ? currency : null,
    isConverted,
  );
  return {
    title,
    meaning: meaningOf(metric),
    isNumber: true,
    isLowFirst: metric.better === "low",
    cell: (row) => (
      <>
        {shown(row, show(row[name], textIn(row, "currency")))}
        {name === "price" && <small class="narrow-only muted"> {row["currency"]}</small>}
      </>
    ),
    sortBy: (row) => numberIn(row, name),
  };
}

/** The price paid, and the gain on all shares, in the currency of the row. */
const gainColumns = (answer: Reasoned): Column<Row>[] => [
  {
    title: "Price paid",
    isNumber: true,
    isExtra: true,
    cell: (row) =>
      row["cost"] === null ? (
        ""
      ) : (
        <span title={row["cost_date"] === null ? undefined : formatDate(textIn(row, "cost_date"))}>
          {formatPrice(numberIn(row, "cost"), textIn(row, "cost_currency"))} {row["cost_currency"]}
        </span>
      ),
    sortBy: (row) => numberIn(row, "cost"),
  },
  {
    title: "Gain",
    meaning: t(
      "Value less cost, in the currency of the row: the price paid at the exchange rate of its day, after the splits since. Dividends are not counted.",
    ),
    isNumber: true,
    cell: (row) =>
      row["cost"] === null
        ? ""
        : figureOr(
            answer,
            row,
            "gain",
            <>
              {formatGain(numberIn(row, "gain"))} <Change value={numberIn(row, "gain_percent")} />
            </>,
          ),
    sortBy: (row) => numberIn(row, "gain_percent"),
  },
];

/** What the user has entered: weights if the list has only these, else shares; and the notes. */
const entryColumns = (isWeight: boolean): Column<Row>[] => [
  isWeight
    ? {
        title: "Weight",
        isNumber: true,
        isExtra: true,
        cell: weightText,
        sortBy: (row) => numberIn(row, "weight"),
      }
    : {
        title: "Shares",
        isNumber: true,
        isExtra: true,
        cell: (row) => sharesText(row) || weightText(row),
        sortBy: (row) => numberIn(row, "shares"),
      },
  { title: "Note", cell: (row) => <span class="long">{row["note"]}</span> },
];

function ListActions(props: {
  readonly name: string;
  readonly items: readonly ListItem[];
  readonly call: Call<"get_lists">;
}) {
  const { name, items, call } = props;
  // The names of lists are known before their items.
  const count = lists.value.find((one) => one.name === name)?.items ?? items.length;
  const symbols = items.slice(0, 10).map(({ country, symbol }) => `${country}:${symbol}`);
  const title = titleOfList(name);
  const remove = async () => {
    const before = await readItems(name);
    await removeList(name);
    open("/console/lists");
    showToast({
      text: t("The list {name} was deleted.", { name: title }),
      undo: () => saveList(name, before, title === name ? "" : title),
    });
  };
  const rename = async (next: string) => {
    if (next === title) return;
    open(listPath(await renameList(name, next)));
  };
  return (
    <div class="panel-actions">
      {count > 1 && (
        <a
          class="button"
          href={`/console/compare?symbols=${encodeURIComponent(symbols.join(","))}`}
        >
          {t("Compare")}
        </a>
      )}
      <DialogButton isWide text={t("Export")} title={t("Export")}>
        {() => (
          <dl class="figures-left">
            <dt>
              <CsvButton call={call} file={`${name}.csv`} />
            </dt>
            <dd>{t("The table with the columns that are shown, for a spreadsheet.")}</dd>
            <dt>
              <a class="button" href={`/console/api/lists/${name}/file`} download>
                {t("Save as a file")}
              </a>
            </dt>
            <dd>{t("The companies with their shares and notes, to read them in again.")}</dd>
          </dl>
        )}
      </DialogButton>
      <DialogButton text={t("Rename")} title={t("Rename {name}", { name: title })}>
        {(close) => (
          <NameForm name={title} submitText={t("Rename")} onSave={rename} onDone={close} />
        )}
      </DialogButton>
      <ConfirmButton
        text={t("Delete")}
        question={t("Delete {name}?", { name: title })}
        action={remove}
      >
        {count === 1
          ? t("This deletes the list and its item.")
          : t("This deletes the list and its {count} items.", { count })}
      </ConfirmButton>
    </div>
  );
}
