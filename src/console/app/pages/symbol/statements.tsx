import { useEffect, useRef } from "preact/hooks";
import { type Call, useData } from "#console/app/api.ts";
import {
  formatDate,
  formatName,
  formatNumber,
  formatPerShare,
  formatShort,
  formatPercent,
  formatPlainPercent,
} from "#console/app/format.ts";
import { formatInOneUnit } from "#console/app/one-unit.ts";
import { useMeanings } from "#console/app/parts/meanings.tsx";
import { NoRecord, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { Explained } from "#console/app/parts/tip.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { type Sentence, t, translate } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { quarterText } from "./quarters.ts";
import { compoundGrowth, yearGrowth, yearsOf } from "./year-growth.ts";

const TYPES = ["income", "balance", "cashflow", "ratios"] as const;
type Type = (typeof TYPES)[number];
const TYPE_NAMES: Readonly<Record<Type, Sentence>> = {
  income: "Income",
  balance: "Balance sheet",
  cashflow: "Cash flow",
  ratios: "Ratios",
};
const PERIODS = ["annual", "quarterly"] as const;
/** How many periods are shown. */
const LIMITS = ["8", "20", "40"] as const;
/** The most periods that a call returns. */
const MAX_PERIODS = 40;
/** The fewest years over which growth compounds. */
const MIN_YEARS = 2;
/** The columns before the line items. */
const HEAD_COLUMNS = ["fiscal_period", "period_end", "filing_date", "currency"];

type Figures = NonNullable<PayloadOf<"get_stock_statements">["figures"]>;

/** Income, balance sheet, cash flow or ratios by year or quarter. */
export function StatementsPanel({ subject }: { readonly subject: Subject }) {
  const { query } = place.value;
  const type = TYPES.find((one) => one === query.get("statement")) ?? "income";
  const period = PERIODS.find((one) => one === query.get("period")) ?? "annual";
  const limit = LIMITS.find((one) => one === query.get("periods")) ?? "8";
  // Growth needs the periods of the year before the first one that is shown.
  const more = type === "ratios" ? 0 : { annual: 1, quarterly: 4 }[period];
  const periods = Math.min(MAX_PERIODS, Number(limit) + more);
  const args = { ...subject, period, limit: periods, figures: true };
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
            textOf={(one) => (one === "annual" ? "Years" : "Quarters")}
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
      <div class="statement-choice">
        <Tabs
          label="Statement"
          tabs={TYPES}
          current={type}
          textOf={(one) => TYPE_NAMES[one]}
          onChange={(one) => setQuery({ statement: one, draw: null })}
        />
      </div>
      <Loaded of={statements} lines={14}>
        {({ data: { figures } }) =>
          figures?.rows.length ? (
            <Statement
              figures={figures}
              label={TYPE_NAMES[type]}
              shown={Number(limit)}
              isAnnual={period === "annual"}
            />
          ) : (
            <NoRecord>
              {t("No statement of this kind is stored. Choose years or quarters above.")}
            </NoRecord>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Statement(props: {
  readonly figures: Figures;
  readonly label: Sentence;
  /** How many periods are shown; growth needs the year before too. */
  readonly shown: number;
  /** True for fiscal years, whose growth compounds. */
  readonly isAnnual: boolean;
}) {
  const { figures, label, shown, isAnnual } = props;
  // The API has the newest period first; a table and bars read from old to new.
  const all = rowsOf(figures).toReversed();
  const rows = all.slice(-shown);
  const periods = rows.map((row) => textIn(row, "fiscal_period"));
  const found = figures.columns
    .filter((column) => !HEAD_COLUMNS.includes(column))
    .map((name) => ({ name, values: rows.map((row) => numberIn(row, name)) }))
    .filter(({ values }) => values.some((value) => value !== null))
    .map((item) => ({ ...item, kind: kindOf(item.name) }));
  const currency = figures.currency ?? "";
  const amounts = formatInOneUnit(
    found.flatMap(({ kind, values }) => (kind === "amount" ? values : [])),
    currency,
  );
  const formOf = (kind: keyof typeof FORMS) => {
    const form: (value: number | null, currency: string) => string = FORMS[kind];
    return (value: number | null) => form(value, currency);
  };
  const items = found.map(({ kind, ...item }) => ({
    ...item,
    format: kind === "amount" ? amounts.format : formOf(kind),
    growth: isRelative(item.name) ? [] : rows.map((row) => yearGrowth(all, row, item.name)),
    yearly: compoundGrowth(rows, item.name),
  }));
  const isGrowing = items.some(({ growth }) => growth.some((one) => one !== null));
  const years = isAnnual && isGrowing ? yearsOf(rows) : 0;
  const drawn = items.find(({ name }) => name === place.value.query.get("draw")) ?? items[0];
  return (
    <>
      <StatementTable
        label={label}
        unit={found.some(({ kind }) => kind === "amount") ? amounts.unit : null}
        years={years}
        periods={periods}
        rows={rows}
        items={items}
        drawn={drawn}
      />
      <p class="muted">
        {isGrowing &&
          t("Growth is the change on the period a year before, if that was above zero.") + " "}
        {years >= MIN_YEARS &&
          t("CAGR is the growth a year from the first to the last column.") + " "}
        {t(
          "Each column is a fiscal year or a fiscal quarter (Q1 to Q4) of the company, with its last day. Press the name of a row to draw it above the columns.",
        )}
      </p>
    </>
  );
}

/** A line item by period. */
interface Item {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly format: (value: number | null) => string;
  /** On the period a year before, in percent; empty for a ratio. */
  readonly growth: readonly (number | null)[];
  /** A year from the first to the last period, in percent. */
  readonly yearly: number | null;
}

function StatementTable(props: {
  readonly label: Sentence;
  /** The unit of amounts; null if there are ratios only. */
  readonly unit: string | null;
  /** Between the first and the last period; below {@link MIN_YEARS} there is no compound growth. */
  readonly years: number;
  readonly periods: readonly string[];
  readonly rows: readonly Row[];
  readonly items: readonly Item[];
  /** The item whose bars stand above the columns. */
  readonly drawn: Item | undefined;
}) {
  const { label, unit, years, periods, rows, items, drawn } = props;
  const hasYearly = years >= MIN_YEARS;
  const frame = useRef<HTMLDivElement>(null);
  const meaningOf = useMeanings();
  // On a narrow screen the newest periods are in view.
  useEffect(() => {
    if (frame.current) frame.current.scrollLeft = frame.current.scrollWidth;
  }, [periods.join()]);
  return (
    <div class="table-frame pinned" ref={frame} tabIndex={0} role="region" aria-label={t(label)}>
      <table>
        <thead>
          {drawn && <BarRow item={drawn} hasYearly={hasYearly} />}
          <tr>
            {unit === null ? <td /> : <th scope="col">{t("In {unit}", { unit })}</th>}
            {rows.map((row, i) => (
              <th key={periods[i]} scope="col" class="number">
                {quarterText(periods[i] ?? "", textIn(row, "period_end")).short} <br />
                <span class="muted">{formatDate(textIn(row, "period_end"))}</span>
              </th>
            ))}
            {hasYearly && (
              <th scope="col" class="number">
                CAGR <br />
                <span class="muted">
                  {t("{count} years", { count: formatNumber(years, years % 1 ? 1 : 0) })}
                </span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <ItemRows
              key={item.name}
              item={item}
              meaning={meaningOf(metricOf(item.name))}
              isDrawn={item.name === drawn?.name}
              hasYearly={hasYearly}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A line item, and its growth below it. */
function ItemRows(props: {
  readonly item: Item;
  readonly meaning: string | undefined;
  readonly isDrawn: boolean;
  readonly hasYearly: boolean;
}) {
  const { item, meaning, isDrawn, hasYearly } = props;
  const { name, values, format, growth, yearly } = item;
  return (
    <>
      <tr>
        <th scope="row" aria-label={itemName(name)}>
          <Explained title={itemName(name)} text={meaning}>
            <button
              type="button"
              class="sort"
              aria-pressed={isDrawn}
              onClick={() => setQuery({ draw: name })}
            >
              {itemName(name)}
            </button>
          </Explained>
        </th>
        {values.map((value, i) => (
          <td key={i} class="number">
            {format(value)}
          </td>
        ))}
        {hasYearly && <td class="number">{formatPercent(yearly)}</td>}
      </tr>
      {growth.some((one) => one !== null) && (
        <tr class="growth">
          <th scope="row" aria-label={`${itemName(name)}: ${t("Growth")}`}>
            {t("Growth")}
          </th>
          {growth.map((value, i) => (
            <td key={i} class="number">
              {formatPercent(value)}
            </td>
          ))}
          {hasYearly && <td />}
        </tr>
      )}
    </>
  );
}

/** A bar above each column. The figures of the row are its text alternative. */
function BarRow(props: { readonly item: Item; readonly hasYearly: boolean }) {
  const { name, values } = props.item;
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
      {props.hasYearly && <td />}
    </tr>
  );
}

/** The metric of a line item, if there is one of that name. */
const metricOf = (item: string) => item.replace(/_percent$/, "");

const itemName = (name: string) =>
  name === "selling_general_administrative"
    ? t("Selling, general and administrative")
    : translate(formatName(metricOf(name)));

/** True for a percentage or a ratio, which has no growth. */
const isRelative = (name: string) => /_percent$|ratio|_to_|^pe$/.test(name);

/** The forms of line items that are no amounts. */
const FORMS = {
  percent: (value) => formatPlainPercent(value),
  perShare: formatPerShare,
  ratio: (value) => formatNumber(value),
  shares: formatShort,
} satisfies Readonly<Record<string, (value: number | null, currency: string) => string>>;

/** What a line item is: an amount, or a figure with a form of its own. */
function kindOf(name: string): keyof typeof FORMS | "amount" {
  if (name.endsWith("_percent")) return "percent";
  if (name.startsWith("eps")) return "perShare";
  if (name.startsWith("shares")) return "shares";
  return isRelative(name) ? "ratio" : "amount";
}
