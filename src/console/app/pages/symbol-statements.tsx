import { useEffect, useRef } from "preact/hooks";
import { type Call, useData } from "#console/app/api.ts";
import {
  formatDate,
  formatName,
  formatNumber,
  formatPrice,
  formatPlainPercent,
  formatShort,
  MISSING,
} from "#console/app/format.ts";
import { Meanings } from "#console/app/parts/meanings.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { t, translate } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { quarterText } from "./symbol-quarters.ts";

const TYPES = ["income", "balance", "cashflow", "ratios"] as const;
type Type = (typeof TYPES)[number];
const TYPE_NAMES: Readonly<Record<Type, string>> = {
  income: "Income",
  balance: "Balance sheet",
  cashflow: "Cash flow",
  ratios: "Ratios",
};
const PERIODS = ["annual", "quarterly"] as const;
/** How many periods are shown. */
const LIMITS = ["8", "20", "40"] as const;
/** The columns before the line items. */
const HEAD_COLUMNS = ["fiscal_period", "period_end", "filing_date", "currency"];

type Figures = NonNullable<PayloadOf<"get_stock_statements">["figures"]>;

/** Income, balance sheet, cash flow or ratios by year or quarter. */
export function StatementsPanel({ subject }: { readonly subject: Subject }) {
  const { query } = place.value;
  const type = TYPES.find((one) => one === query.get("statement")) ?? "income";
  const period = PERIODS.find((one) => one === query.get("period")) ?? "annual";
  const limit = LIMITS.find((one) => one === query.get("periods")) ?? "8";
  const args = { ...subject, period, limit: Number(limit), figures: true };
  // Over REST, ratios have a path of their own.
  const call: Call<"get_stock_statements" | "get_stock_ratios"> =
    type === "ratios"
      ? { operation: "get_stock_ratios", args }
      : { operation: "get_stock_statements", args: { ...args, type } };
  const statements = useData(call);
  return (
    <Panel
      title="Statements"
      calls={[call]}
      answer={statements.value}
      actions={
        <>
          <Tabs
            label="Period"
            tabs={PERIODS}
            current={period}
            textOf={(one) => ({ annual: "Years", quarterly: "Quarters" })[one]}
            onChange={(one) => setQuery({ period: one === "annual" ? null : one })}
          />
          <Tabs
            label="Number of periods"
            tabs={LIMITS}
            current={limit}
            onChange={(one) => setQuery({ periods: one === "8" ? null : one })}
          />
        </>
      }
    >
      <Tabs
        label="Statement"
        tabs={TYPES}
        current={type}
        textOf={(one) => TYPE_NAMES[one]}
        onChange={(one) => setQuery({ statement: one, draw: null })}
      />
      <Loaded of={statements} lines={14}>
        {({ data: { figures } }) =>
          figures?.rows.length ? (
            <Statement figures={figures} label={TYPE_NAMES[type]} />
          ) : (
            <Empty>
              {t("No statement of this kind is stored. Choose years or quarters above.")}
            </Empty>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Statement(props: { readonly figures: Figures; readonly label: string }) {
  const { figures, label } = props;
  // The API has the newest period first; a table and bars read from old to new.
  const rows = rowsOf(figures).toReversed();
  const periods = rows.map((row) => textIn(row, "fiscal_period"));
  const items = figures.columns
    .filter((column) => !HEAD_COLUMNS.includes(column))
    .map((name) => ({ name, values: rows.map((row) => numberIn(row, name)) }))
    .filter(({ values }) => values.some((value) => value !== null));
  const drawn = items.find(({ name }) => name === place.value.query.get("draw")) ?? items[0];
  return (
    <>
      <StatementTable
        label={label}
        currency={figures.currency}
        periods={periods}
        rows={rows}
        items={items}
        drawn={drawn}
      />
      <p class="muted">
        {t(
          "Each column is a fiscal year or a fiscal quarter (Q1 to Q4) of the company, with its last day. Press the name of a row to draw it above the columns.",
        )}
      </p>
      <Meanings names={items.map(({ name }) => metricOf(name))} titleOf={itemName} />
    </>
  );
}

/** A line item by period. */
interface Item {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

function StatementTable(props: {
  readonly label: string;
  readonly currency: string | null;
  readonly periods: readonly string[];
  readonly rows: readonly Row[];
  readonly items: readonly Item[];
  /** The item whose bars stand above the columns. */
  readonly drawn: Item | undefined;
}) {
  const { label, currency, periods, rows, items, drawn } = props;
  const frame = useRef<HTMLDivElement>(null);
  // On a narrow screen the newest periods are in view.
  useEffect(() => {
    if (frame.current) frame.current.scrollLeft = frame.current.scrollWidth;
  }, [periods.join()]);
  return (
    <div
      class="table-frame pinned"
      ref={frame}
      tabIndex={0}
      role="region"
      aria-label={translate(label)}
    >
      <table>
        <thead>
          {drawn && <BarRow item={drawn} />}
          <tr>
            <th scope="col">
              {currency === null ? t("Period") : t("In {currency}", { currency })}
            </th>
            {rows.map((row, i) => (
              <th key={periods[i]} scope="col" class="number">
                {quarterText(periods[i] ?? "", textIn(row, "period_end")).short} <br />
                <span class="muted">{formatDate(textIn(row, "period_end"))}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">
                <button
                  type="button"
                  class="sort"
                  aria-pressed={name === drawn?.name}
                  onClick={() => setQuery({ draw: name })}
                >
                  {itemName(name)}
                </button>
              </th>
              {values.map((value, i) => (
                <td key={periods[i]} class="number">
                  {formatItem(name, value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A bar above each column. The figures of the row are its text alternative. */
function BarRow({ item: { name, values } }: { readonly item: Item }) {
  const known = values.filter((value) => value !== null);
  const [top, bottom] = [Math.max(0, ...known), Math.min(0, ...known)];
  const percent = (value: number) => `${(100 * value) / (top - bottom || 1)}%`;
  return (
    <tr class="bar-row">
      <td class="muted">{itemName(name)}</td>
      {values.map((value, i) => (
        <td key={i}>
          <span class="bar-row-frame" aria-hidden="true">
            <span
              class={(value ?? 0) < 0 ? "loss" : ""}
              style={{
                height: percent(Math.abs(value ?? 0)),
                bottom: percent(Math.min(0, value ?? 0) - bottom),
              }}
            />
          </span>
        </td>
      ))}
    </tr>
  );
}

/** The metric of a line item, if there is one of that name. */
const metricOf = (item: string) => item.replace(/_percent$/, "");

const itemName = (name: string) =>
  name === "selling_general_administrative"
    ? t("Selling, general and administrative")
    : translate(formatName(metricOf(name)));

/** The figure of a line item: a percentage, a figure per share, a ratio, or an amount. */
function formatItem(name: string, value: number | null): string {
  if (value === null) return MISSING;
  if (name.endsWith("_percent")) return formatPlainPercent(value);
  if (name.startsWith("eps")) return formatPrice(value);
  return /ratio|_to_/.test(name) ? formatNumber(value) : formatShort(value);
}
