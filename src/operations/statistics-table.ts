import type { Cell, Table } from "#lib/table.ts";
import { calendarColumns } from "./calendar-returns.ts";
import { rateColumns, type ratesOf } from "./conversion.ts";

/** The figures of each date after the country, the symbol and the date. */
export const DATE_FIGURES = ["session", "close", "change_since"];

type Calendar = Parameters<typeof calendarColumns>[0];

/** Statistics with their parts. The first two columns are the country and the symbol. */
interface Statistics extends Table {
  readonly rates?: ReturnType<typeof ratesOf>;
  readonly correlation: {
    readonly symbols: readonly string[];
    readonly matrix: readonly (readonly (number | null)[])[];
  } | null;
  readonly closes: Table | null;
  readonly worst_days?: Table;
  readonly best_days?: Table;
  readonly years?: Calendar;
  readonly months?: Calendar;
}

/** Statistics as one table, for CSV: the parts of a symbol are columns of its row. */
export function withParts(data: Statistics): Table {
  const { columns, rows, correlation, closes, years, months } = data;
  const { symbols = [], matrix = [] } = correlation ?? {};
  const dates = [...new Set(closes?.rows.map(([, , date]) => date))];
  const calendars = [
    ...(years ? [calendarColumns(years, false)] : []),
    ...(months ? [calendarColumns(months, true)] : []),
  ];
  const extremes = (["worst", "best"] as const).flatMap((which) => {
    const days = data[`${which}_days`];
    return days ? [dayColumns(days, which)] : [];
  });
  const used = rateColumns(data.rates ?? []);
  const closeCells = ([country, symbol]: readonly Cell[]) =>
    dates.flatMap((day) => {
      const isOfDay = (row: readonly Cell[]) =>
        row[0] === country && row[1] === symbol && row[2] === day;
      const found = closes?.rows.find(isOfDay);
      return DATE_FIGURES.map((_, i) => found?.[3 + i] ?? null);
    });
  return {
    columns: [
      ...columns,
      ...symbols.map((symbol) => `correlation_${symbol}`),
      ...dates.flatMap((date) => DATE_FIGURES.map((name) => `${name}_${date}`)),
      ...extremes.flatMap(({ names }) => names),
      ...calendars.flatMap(({ names }) => names),
      ...used.columns,
    ],
    rows: rows.map((row) => {
      const coefficients = matrix[symbols.indexOf(row.slice(0, 2).join(":"))];
      return [
        ...row,
        ...symbols.map((_, i) => coefficients?.[i] ?? null),
        ...closeCells(row),
        ...extremes.flatMap(({ cellsOf }) => cellsOf(row)),
        ...calendars.flatMap(({ cellsOf }) => cellsOf(row[0] ?? null, row[1] ?? null)),
        ...used.values,
      ];
    }),
  };
}

/** The best or the worst sessions as columns of their symbol: `worst_session_1`, `worst_return_1`, `worst_close_1`. */
function dayColumns({ columns, rows }: Table, which: "best" | "worst") {
  const figures = columns.slice(2);
  const ofSymbol = ([country, symbol]: readonly Cell[]) =>
    rows.filter((row) => row[0] === country && row[1] === symbol);
  const count = Math.max(0, ...rows.map((row) => ofSymbol(row).length));
  const places = Array.from({ length: count }, (_, i) => i);
  return {
    names: places.flatMap((i) => figures.map((name) => `${which}_${name}_${i + 1}`)),
    cellsOf: (row: readonly Cell[]) =>
      places.flatMap((i) => figures.map((_, j) => ofSymbol(row)[i]?.[2 + j] ?? null)),
  };
}
