import type { Country } from "#domain/country.ts";
import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { type AssetType, isShare } from "#domain/instrument.ts";
import { listNameOf } from "#domain/user-list.ts";
import { addDays, isDate, weekdayOf } from "#lib/date.ts";
import { mapInTurns, nextTurn } from "#lib/next-turn.ts";
import { numberText } from "#lib/number-text.ts";
import type { Table } from "#lib/table.ts";
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
export function getSymbols(query: URLSearchParams, name = "symbols"): string[] {
  return getCells(query, name).filter((one) => one !== "");
}

/** Like `getSymbols`, with an empty text for each empty place between commas. */
export function getCells(query: URLSearchParams, name = "symbols"): string[] {
  const cells = getParameter(query, name)
    .split(",")
    .map((one) => one.trim());
  const count = cells.filter((one) => one !== "").length;
  if (count > 0 && count <= MAX_SYMBOLS) return cells;
  throw invalidArgument(`${name} must name 1 to ${MAX_SYMBOLS} symbols, separated by commas.`, {
    param: name,
  });
}

/**
 * Like `mapInTurns`, with null for each item that is not found.
 *
 * @throws BourseError `not_found` if no item is found; another error of any item
 */
export async function mapFound<T, R>(
  items: readonly T[],
  map: (item: T) => Promise<R>,
): Promise<(R | null)[]> {
  const results = await mapInTurns(items, (item) =>
    map(item).catch((error: unknown) => {
      if (error instanceof BourseError && error.code === "not_found") return error;
      throw error;
    }),
  );
  const [first] = results;
  if (first instanceof BourseError && results.every((one) => one instanceof BourseError))
    throw first;
  return results.map((one) => (one instanceof BourseError ? null : one));
}

/** The cells of one symbol's comparison by column. */
export type Comparison = ReadonlyMap<string, string | number | boolean | null>;

/** The comparison of one symbol. @throws BourseError `not_found` if the symbol is unknown or was delisted */
export async function getComparison(
  call: CallOperation,
  symbol: string,
  metrics: readonly string[],
): Promise<Comparison> {
  const { columns, rows } = await call("compare_stocks", {
    symbols: symbol.replaceAll(",", " "),
    metrics: metrics.join(",") || undefined,
  });
  return new Map(columns.map((column, i) => [column, rows[0]?.[i] ?? null]));
}

/** Like `getComparison`; null if the symbol is unknown. @throws BourseError for another reason */
export function findFigures(
  call: CallOperation,
  symbol: string,
  metrics: readonly string[],
): Promise<Comparison | null> {
  return orNone(getComparison(call, symbol, metrics));
}

/** The instrument of a symbol in any notation. @throws BourseError `not_found` */
export async function getInstrument(call: CallOperation, symbol: string): Promise<FeedInstrument> {
  if (symbol.trim() === "" || symbol.includes(",") || listNameOf(symbol) !== null) {
    const text = `symbol must be one symbol, not ${JSON.stringify(symbol.slice(0, 40))}.`;
    throw invalidArgument(text, { param: "symbol" });
  }
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

/**
 * Like `getInstrument`, for layers in whose notation a symbol without an exchange is one of the US: `FPT` is the fund in
 * New York, `FPT.VN` the company in Viet Nam. @throws BourseError `not_found`
 */
export async function getShare(call: CallOperation, symbol: string): Promise<FeedInstrument> {
  if (!/^[A-Z]+(?:[.-][A-Z])?$/i.test(symbol)) return getInstrument(call, symbol);
  try {
    return await getInstrument(call, `US:${symbol}`);
  } catch (error) {
    if (!(error instanceof BourseError) || error.code !== "not_found") throw error;
    return getInstrument(call, symbol);
  }
}

/** The bars of an instrument in the period of the arguments, oldest first. @throws BourseError */
export async function listBars(
  call: CallOperation,
  { country, symbol }: Pick<FeedInstrument, "country" | "symbol">,
  args: Readonly<Record<string, unknown>>,
): Promise<PayloadOf<"get_stock_price_history">> {
  // A history of decades takes a turn of the event loop.
  await nextTurn();
  return call("get_stock_price_history", {
    limit: ALL_ROWS,
    ...args,
    country,
    symbol,
    fields: "ohlcv",
    snapshot: false,
  });
}

/** The difference of two closes without the noise of binary fractions; null if one is unknown. */
export function changeOf(close: number | null, before: number | null): number | null {
  if (close === null || before === null) return null;
  // Prices have seven significant digits, so nine of the larger one have every digit of the difference.
  const larger = Math.max(Math.abs(close), Math.abs(before));
  const decimals = larger === 0 ? 0 : 8 - Math.floor(Math.log10(larger));
  return Number((close - before).toFixed(Math.min(Math.max(decimals, 0), 100)));
}

/** A figure as text with so many decimals, or all of them if it has more. It never has an exponent. */
export function fixedText(figure: number, decimals: number): string {
  const rounded = figure.toFixed(decimals);
  const isExact = Number(rounded) === figure && !rounded.includes("e");
  return isExact ? rounded : numberText(figure);
}

/** A split as text: `4:1` for four new shares in the place of an old one. */
export const ratioText = (to: unknown, from: unknown) =>
  [to, from].map((shares) => numberText(Number(shares))).join(":");

/** A text of a panel; null for its dash, which means that it is unknown. */
export function textOf(text: string | undefined): string | null {
  return text === undefined || text === "—" ? null : text;
}

/** The first day of a bar: the Monday of its week, or the first of its month. */
export function startOf(interval: string, date: string): string {
  if (interval === "1mo") return `${date.slice(0, 7)}-01`;
  return interval === "1wk" ? addDays(date, -((weekdayOf(date) + 6) % 7)) : date;
}

/** A parameter that is a date. A time is left out. Null without it. @throws BourseError */
export function readDate(query: URLSearchParams, name: string): string | null {
  const date = query.get(name)?.slice(0, 10) || null;
  if (date === null || isDate(date)) return date;
  throw invalidArgument(`${name} must be a date, YYYY-MM-DD.`, { param: name });
}

/** A parameter that is a number from 1 to `max`. @throws BourseError */
export function readLimit(
  query: URLSearchParams,
  name: string,
  fallback: number,
  max: number,
): number {
  const written = query.get(name);
  if (!written) return fallback;
  const limit = Number(written);
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw invalidArgument(`${name} must be 1 to ${max}.`, { param: name });
}

/** The most symbols of one page of `list_symbols`. */
const PAGE = 100;

/** The symbols that `list_symbols` finds for the arguments, at most `limit`, in its order. @throws BourseError */
export async function listFound(
  call: CallOperation,
  args: Readonly<Record<string, unknown>>,
  limit: number,
): Promise<PayloadOf<"list_symbols">["symbols"]> {
  const found: PayloadOf<"list_symbols">["symbols"] = [];
  let cursor: string | null | undefined;
  while (found.length < limit && cursor !== null) {
    const page = { limit: Math.min(PAGE, limit - found.length), cursor };
    const { symbols, next_cursor: next } = await call("list_symbols", { ...args, ...page });
    found.push(...symbols);
    cursor = next;
  }
  return found;
}

/** The type of an instrument. */
export async function findType(
  call: CallOperation,
  { country, symbol }: Pick<FeedInstrument, "country" | "symbol">,
): Promise<AssetType> {
  const { symbols } = await call("list_symbols", { country, query: symbol, limit: 5 });
  return symbols.find((one) => one.symbol === symbol)?.type ?? "stock";
}

/** A session, week or month with prices in every adjustment. */
export interface FullBar {
  readonly date: string;
  /** As traded; adjusted for splits where splits are unknown. */
  readonly raw: Prices;
  /** Adjusted for splits. */
  readonly split: Prices;
  /** Adjusted for splits and dividends; null where dividends are unknown. */
  readonly total: Prices | null;
  /** The dividend of a share on this day as it was paid, 0 without one; null if unknown. */
  readonly dividend: number | null;
  /** New shares for one old share on this day, 1 without a split; null if unknown. */
  readonly splitFactor: number | null;
}

/** The prices of a bar. */
export interface Prices {
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number | null;
  readonly volume: number | null;
}

/** The bars of an instrument in the period of the arguments, oldest first. @throws BourseError */
export async function listFullBars(
  call: CallOperation,
  instrument: Pick<FeedInstrument, "country" | "symbol" | "currency">,
  args: Readonly<Record<string, unknown>> & { readonly interval?: string },
): Promise<FullBar[]> {
  const split = await listBars(call, instrument, args);
  const raw = await findAdjusted(call, instrument, { ...args, adjust: "none" });
  // An index, which has no currency, pays no dividends.
  const total =
    instrument.currency === null
      ? split
      : await findAdjusted(call, instrument, { ...args, adjust: "total" });
  const { dividends, splits } = await listEvents(call, instrument);
  const [raws, totals] = [pricesByDate(raw), pricesByDate(total)];
  const bars = [...pricesByDate(split)];
  const dates = bars.map(([date]) => date);
  const start = startOf(args.interval ?? "1d", dates[0] ?? "1900-01-01");
  const paid = dividends && byBar(dividends, dates, start);
  const changed = splits && byBar(splits, dates, start);
  return bars.map(([date, prices]) => ({
    date,
    raw: raws.get(date) ?? prices,
    split: prices,
    total: totals.get(date) ?? null,
    dividend: paid && roundAmount((paid.get(date) ?? []).reduce((sum, one) => sum + one.paid, 0)),
    splitFactor:
      changed && (changed.get(date) ?? []).reduce((all, { to, from }) => (all * to) / from, 1),
  }));
}

/** The events from `start` by the first bar at or after them: a week has the events of all its days. */
function byBar<Event extends { readonly date: string }>(
  events: readonly Event[],
  dates: readonly string[],
  start: string,
): ReadonlyMap<string, Event[]> {
  const within = events.filter(({ date }) => date >= start);
  let bar = 0;
  return Map.groupBy(within, (event) => {
    while (bar < dates.length && (dates[bar] ?? "") < event.date) bar++;
    return dates[bar] ?? "";
  });
}

/** The dividends and splits of an instrument, oldest first; null if unknown. */
export interface ShareEvents {
  readonly dividends:
    | readonly {
        /** The ex-date. */
        readonly date: string;
        /** Adjusted for the splits since then. */
        readonly amount: number;
        /** As it was paid; adjusted for splits where splits are unknown. */
        readonly paid: number;
      }[]
    | null;
  readonly splits:
    | readonly {
        readonly date: string;
        /** The shares after the split for each `from` shares before it. */
        readonly to: number;
        readonly from: number;
      }[]
    | null;
}

/** All dividends and splits of an instrument. @throws BourseError */
export async function listEvents(
  call: CallOperation,
  instrument: Pick<FeedInstrument, "country" | "symbol">,
): Promise<ShareEvents> {
  const history = await listBars(call, instrument, { limit: 1, dividends: true, splits: true });
  const splits =
    history.splits?.rows.map(([date, to, from]) => ({
      date: String(date),
      to: Number(to),
      from: Number(from),
    })) ?? null;
  const dividends = history.dividends?.rows.map(([date, adjusted]) => {
    const later = splits?.filter((split) => split.date > String(date)) ?? [];
    const amount = Number(adjusted);
    const paid = later.reduce((sum, { to, from }) => (sum * to) / from, amount);
    return { date: String(date), amount, paid: roundAmount(paid) };
  });
  return { dividends: dividends ?? null, splits };
}

/**
 * The dividends or the splits of an instrument; none of one that is no share.
 *
 * @throws BourseError `not_found` for a share whose events are unknown, because an empty list would mean none
 */
export async function getEvents<Kind extends keyof ShareEvents>(
  call: CallOperation,
  instrument: FeedInstrument,
  kind: Kind,
): Promise<NonNullable<ShareEvents[Kind]>> {
  const { [kind]: known } = await listEvents(call, instrument);
  if (known) return known;
  if (!isShare(await findType(call, instrument))) return [] as never;
  throw notFound(`The ${kind} of ${instrument.symbol} are unknown.`);
}

/** The list of a period, which is empty where nothing is stored. @throws BourseError for another reason */
export async function orEmpty<T>(list: Promise<T[]>): Promise<T[]> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof BourseError && error.details.noData) return [];
    throw error;
  }
}

/** What `find` gives; null if there is no such symbol or record. @throws BourseError for another reason */
export async function orNone<T>(find: Promise<T>): Promise<T | null> {
  try {
    return await find;
  } catch (error) {
    if (error instanceof BourseError && error.code === "not_found") return null;
    throw error;
  }
}

/** The history in another adjustment; null if the instrument has none. */
export async function findAdjusted(
  call: CallOperation,
  instrument: Pick<FeedInstrument, "country" | "symbol">,
  args: Readonly<Record<string, unknown>>,
): Promise<PayloadOf<"get_stock_price_history"> | null> {
  try {
    return await listBars(call, instrument, args);
  } catch (error) {
    if (error instanceof BourseError && error.details.param === "adjust") return null;
    throw error;
  }
}

/** The amounts of a history's dividends by ex-date: a regular and a special one can have the same day. */
export function amountsByDate(
  dividends: Pick<Table, "rows"> | null | undefined,
): ReadonlyMap<string, number[]> {
  const amounts = new Map<string, number[]>();
  for (const [date, amount] of dividends?.rows ?? []) {
    const day = String(date);
    amounts.set(day, [...(amounts.get(day) ?? []), Number(amount)]);
  }
  return amounts;
}

/** Dividends of one day as text: `0.25 + 1`. */
export const amountsText = (amounts: readonly number[]) => amounts.map(numberText).join(" + ");

const roundAmount = (amount: number) => Math.round(amount * 1e6) / 1e6;

/** The bars of a history by date, oldest first. */
export function pricesByDate(
  history: Pick<PayloadOf<"get_stock_price_history">, "bars"> | null,
): ReadonlyMap<string, Prices> {
  const { columns = [], rows = [] } = history?.bars ?? {};
  return new Map(
    rows.map((row) => {
      const cell = (name: string) => (row[columns.indexOf(name)] ?? null) as number | null;
      const prices = {
        open: cell("open"),
        high: cell("high"),
        low: cell("low"),
        close: cell("close"),
        volume: cell("volume"),
      };
      return [String(row[0]), prices];
    }),
  );
}
