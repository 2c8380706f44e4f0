import type { Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import type { AssetType } from "#domain/instrument.ts";
import { addDays, weekdayOf } from "#lib/date.ts";
import type { PayloadOf } from "#operations/index.ts";
import type { CallOperation } from "./layer.ts";

/** The most symbols of one request. */
const MAX_SYMBOLS = 100;
/** More rows than any history has. */
const ALL_ROWS = 100_000;

/** An instrument as the layers name it. */
export interface FeedInstrument {
  readonly country: Country;
  readonly symbol: string;
  readonly name: string;
  /** ISO code; null for an index. */
  readonly currency: string | null;
  /** The newest price, and the date of its session; null without prices. */
  readonly price: number | null;
  readonly session: string | null;
}

/** The value of a query parameter. @throws BourseError if it is missing */
export function getParameter(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value) return value;
  throw new BourseError("missing_argument", `${name} is missing.`, { param: name });
}

/** The symbols of a comma-separated parameter as they were written, in order. @throws BourseError */
export function getSymbols(query: URLSearchParams): string[] {
  const symbols = getParameter(query, "symbols")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  if (symbols.length > 0 && symbols.length <= MAX_SYMBOLS) return symbols;
  throw new BourseError(
    "invalid_argument",
    `symbols must name 1 to ${MAX_SYMBOLS} symbols, separated by commas.`,
    { param: "symbols" },
  );
}

/** The cells of one symbol's comparison by column; null if the symbol is unknown. @throws BourseError */
export async function findFigures(
  call: CallOperation,
  symbol: string,
  metrics: readonly string[],
): Promise<ReadonlyMap<string, string | number | boolean | null> | null> {
  try {
    const { columns, rows } = await call("compare_stocks", {
      symbols: symbol.replaceAll(",", " "),
      metrics: metrics.join(",") || undefined,
    });
    return new Map(columns.map((column, i) => [column, rows[0]?.[i] ?? null]));
  } catch (error) {
    if (error instanceof BourseError && error.code === "not_found") return null;
    throw error;
  }
}

/** The instrument of a symbol in any notation. @throws BourseError `not_found` */
export async function getInstrument(call: CallOperation, symbol: string): Promise<FeedInstrument> {
  const { columns, rows } = await call("compare_stocks", { symbols: symbol, metrics: "price" });
  const cell = (column: string) => rows[0]?.[columns.indexOf(column)] ?? null;
  return {
    country: cell("country") as Country,
    symbol: String(cell("symbol")),
    name: String(cell("name")),
    currency: cell("currency") as string | null,
    price: cell("price") as number | null,
    session: cell("to_session") as string | null,
  };
}

/** The bars of an instrument in the period of the arguments, oldest first. @throws BourseError */
export async function listBars(
  call: CallOperation,
  { country, symbol }: Pick<FeedInstrument, "country" | "symbol">,
  args: Readonly<Record<string, unknown>>,
): Promise<PayloadOf<"get_stock_price_history">> {
  return call("get_stock_price_history", {
    limit: ALL_ROWS,
    ...args,
    country,
    symbol,
    fields: "ohlcv",
    snapshot: false,
  });
}

/** The first day of a bar: the Monday of its week, or the first of its month. */
export function startOf(interval: string, date: string): string {
  if (interval === "1mo") return `${date.slice(0, 7)}-01`;
  return interval === "1wk" ? addDays(date, -((weekdayOf(date) + 6) % 7)) : date;
}

/** The type of an instrument. */
export async function findType(
  call: CallOperation,
  { country, symbol }: FeedInstrument,
): Promise<AssetType> {
  const { symbols } = await call("list_symbols", { country, query: symbol, limit: 5 });
  return symbols.find((one) => one.symbol === symbol)?.type ?? "stock";
}
