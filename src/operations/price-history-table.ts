import type { DividendHistory } from "#domain/dividend.ts";
import type { SplitHistory } from "#domain/split.ts";
import type { Cell, Table } from "#lib/table.ts";
import { roundPrice } from "#panels/format.ts";

/** Dates from `start` to before `end`. */
interface Period {
  readonly start: string;
  readonly end: string | undefined;
}

/** The rows of a page with the dividends, splits and rates of their sessions, weeks or months. */
interface Rows {
  readonly dates?: string[];
  readonly closes?: (number | null)[];
  readonly bars?: Table;
  readonly next_before: string | null;
  readonly dividends?: Table | null;
  readonly splits?: Table | null;
  readonly row_rates?: Table;
}

/** The table of a page. An event is on the first row at or after its ex-date. */
export function withEvents({ dates = [], closes = [], ...data }: Rows): Table {
  const { columns, rows } = data.bars ?? {
    columns: ["date", "close"],
    rows: dates.map((date, i): Cell[] => [date, closes[i] ?? null]),
  };
  const ends = rows.map(([date]) => String(date));
  const column = (
    events: Table | null | undefined,
    none: number,
    add: (sum: number, event: readonly Cell[]) => number,
  ) => {
    if (!events) return rows.map(() => null);
    const values = rows.map(() => none);
    for (const event of events.rows) {
      const exDate = String(event[0]);
      const at = ends.findIndex((end) => end >= exDate);
      const isOlder = data.next_before !== null && exDate < data.next_before;
      if (at >= 0 && !isOlder) values[at] = add(values[at] ?? none, event);
    }
    return values;
  };
  const paid = column(data.dividends, 0, (sum, [, amount]) =>
    amount === null || Number.isNaN(sum) ? Number.NaN : roundPrice(sum + Number(amount)),
  );
  const split = column(
    data.splits,
    1,
    (sum, [, more, less]) => (sum * Number(more)) / Number(less),
  );
  const [hasPaid, hasSplit] = [data.dividends !== undefined, data.splits !== undefined];
  const rates = data.row_rates ?? { columns: [], rows: [] };
  return {
    columns: [
      ...columns,
      ...rates.columns,
      ...(hasPaid ? ["dividend"] : []),
      ...(hasSplit ? ["split"] : []),
    ],
    rows: rows.map((row, i) => [
      ...row,
      ...(rates.rows[i] ?? []),
      ...(hasPaid ? [paid[i] ?? null] : []),
      ...(hasSplit ? [split[i] ?? null] : []),
    ]),
  };
}

/** The cash dividends of a period, each multiplied by a factor, null without one. */
export function dividendTable(
  { dividends }: DividendHistory,
  { start, end }: Period,
  factorOn: (date: string) => number | null,
) {
  const within = dividends.filter(
    ({ exDate }) => exDate >= start && (end === undefined || exDate < end),
  );
  return {
    columns: ["ex_date", "amount"],
    rows: within.map(({ exDate, amount }): Cell[] => {
      const factor = factorOn(exDate);
      return [exDate, factor === null ? null : roundPrice(amount * factor)];
    }),
  };
}

/** The splits of a period. */
export function splitTable({ splits }: SplitHistory, { start, end }: Period) {
  const within = splits.filter(
    ({ exDate }) => exDate >= start && (end === undefined || exDate < end),
  );
  return {
    columns: ["ex_date", "numerator", "denominator"],
    rows: within.map(({ exDate, numerator, denominator }): Cell[] => [
      exDate,
      numerator,
      denominator,
    ]),
  };
}
