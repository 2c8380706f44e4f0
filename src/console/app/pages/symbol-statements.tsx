import { useEffect, useRef } from "preact/hooks";
import { type Call, useData } from "#console/app/api.ts";
import {
  formatName,
  formatNumber,
  formatPrice,
  formatShort,
  MISSING,
} from "#console/app/format.ts";
import { BarGroups } from "#console/app/parts/bar-groups.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import type { PayloadOf } from "#operations/index.ts";

const TYPES = ["income", "balance", "cashflow", "ratios"] as const;
type Type = (typeof TYPES)[number];
const TYPE_NAMES: Readonly<Record<Type, string>> = {
  income: "Income",
  balance: "Balance sheet",
  cashflow: "Cash flow",
  ratios: "Ratios",
};
/** The line items that are drawn as bars. */
const BARS: Readonly<Record<Type, readonly string[]>> = {
  income: ["revenue", "net_income"],
  balance: ["total_assets", "total_liabilities", "total_equity"],
  cashflow: ["operating_cash_flow", "free_cash_flow"],
  ratios: ["gross_margin_percent", "operating_margin_percent", "net_margin_percent"],
};
const PERIODS = ["annual", "quarterly"] as const;
/** The columns before the line items. */
const HEAD_COLUMNS = ["fiscal_period", "period_end", "filing_date", "currency"];

type Figures = NonNullable<PayloadOf<"get_stock_statements">["figures"]>;

/** Income, balance sheet, cash flow or ratios by year or quarter. */
export function StatementsPanel({ subject }: { readonly subject: Subject }) {
  const { query } = place.value;
  const type = TYPES.find((one) => one === query.get("statement")) ?? "income";
  const period = PERIODS.find((one) => one === query.get("period")) ?? "annual";
  const args = { ...subject, period, limit: 8, figures: true };
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
        <Tabs
          label="Period"
          tabs={PERIODS}
          current={period}
          textOf={(one) => ({ annual: "Years", quarterly: "Quarters" })[one]}
          onChange={(one) => setQuery({ period: one === "annual" ? null : one })}
        />
      }
    >
      <Tabs
        label="Statement"
        tabs={TYPES}
        current={type}
        textOf={(one) => TYPE_NAMES[one]}
        onChange={(one) => setQuery({ statement: one })}
      />
      <Loaded of={statements} lines={14}>
        {({ data: { figures } }) =>
          figures?.rows.length ? (
            <Statement figures={figures} label={TYPE_NAMES[type]} />
          ) : (
            <Empty>No statement of this kind is stored. Choose years or quarters above.</Empty>
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
  // The kind of statement is that of the figures, which may still be the previous ones.
  const drawn = Object.values(BARS).find((names) => figures.columns.includes(names[0] ?? "")) ?? [];
  return (
    <div class="statement">
      <BarGroups
        label={`${label} by period`}
        groups={periods.map((name) => ({ name, label: shortPeriod(name) }))}
        series={items
          .filter(({ name }) => drawn.includes(name))
          .map(({ name, values }) => ({ name: itemName(name), values }))}
        format={(value) => formatItem(drawn[0] ?? "", value)}
      />
      <StatementTable
        label={label}
        currency={figures.currency}
        periods={periods}
        rows={rows}
        items={items}
      />
    </div>
  );
}

/** `FY 2026` as `2026`, `Q4 2026` as `Q4 26`. */
const shortPeriod = (period: string) => period.replace(/^FY /, "").replace(/^(Q\d) \d\d/, "$1 ");

function StatementTable(props: {
  readonly label: string;
  readonly currency: string | null;
  readonly periods: readonly string[];
  readonly rows: readonly Row[];
  readonly items: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}) {
  const { label, currency, periods, rows, items } = props;
  const frame = useRef<HTMLDivElement>(null);
  // On a narrow screen the newest periods are in view.
  useEffect(() => {
    if (frame.current) frame.current.scrollLeft = frame.current.scrollWidth;
  }, [periods.join()]);
  return (
    <div class="table-frame pinned" ref={frame} tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{currency === null ? "Period" : `In ${currency}`}</th>
            {rows.map((row, i) => (
              <th key={periods[i]} scope="col" class="number">
                {periods[i]} <br />
                <span class="muted">{row["period_end"]}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{itemName(name)}</th>
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

const itemName = (name: string) => formatName(name.replace(/_percent$/, ""));

/** The figure of a line item: a percentage, a figure per share, a ratio, or an amount. */
function formatItem(name: string, value: number | null): string {
  if (value === null) return MISSING;
  if (name.endsWith("_percent")) return `${formatNumber(value)}%`;
  if (name.startsWith("eps")) return formatPrice(value);
  return /ratio|_to_/.test(name) ? formatNumber(value) : formatShort(value);
}
