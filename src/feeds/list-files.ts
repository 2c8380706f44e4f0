import { EXCHANGES } from "#domain/exchanges.ts";
import { isShare } from "#domain/instrument.ts";
import type { ListItem } from "#domain/user-list.ts";
import { formatCsv } from "#lib/csv.ts";
import type { Cell } from "#lib/table.ts";
import { type ListedSymbol, pairOf, writeSymbol } from "./notation.ts";

/** The files as which a list can be written. */
export const LIST_FORMATS = ["csv", "tradingview", "yahoo"] as const;

/** One of `LIST_FORMATS`. */
export type ListFormat = (typeof LIST_FORMATS)[number];

/** An item with what the market knows of its instrument. */
export type ListedItem = ListItem &
  Pick<ListedSymbol, "type"> & {
    /** As the market names it; null if it is unknown. */
    readonly exchange: string | null;
    /** ISO code of the currency of its prices; null if it is unknown. */
    readonly currency: string | null;
  };

/** A list as a file. */
export interface WrittenList {
  readonly text: string;
  /** The items that the program cannot name, as `US:^VIX`. */
  readonly leftOut: readonly string[];
}

/** The columns of Yahoo's portfolios. */
const YAHOO =
  "Symbol,Current Price,Date,Time,Change,Open,High,Low,Volume,Trade Date,Purchase Price,Quantity,Commission,High Limit,Low Limit,Comment".split(
    ",",
  );

/** The columns of our own file, which `imports/lists/own.ts` reads. */
const OWN = ["country", "symbol", "shares", "weight", "note"] as const;
/** The further columns of a list with theses, and of one with prices paid. */
const THESIS = ["thesis", "while"] as const;
const COST = ["cost", "cost_currency", "cost_date"] as const;

/** Writes a list. `csv` has everything; TradingView's has symbols only, Yahoo's no weights. */
export function writeList(format: ListFormat, items: readonly ListedItem[]): WrittenList {
  if (format === "tradingview") return writeTradingView(items);
  const table = format === "csv" ? ownTable(items) : { columns: YAHOO, rows: items.map(yahooRow) };
  return { text: formatCsv(table), leftOut: [] };
}

function ownTable(items: readonly ListedItem[]) {
  const hasTheses = items.some(({ thesis }) => thesis !== undefined);
  const hasCosts = items.some(({ cost }) => cost !== undefined);
  const rows = items.map((item) => [
    ...OWN.map((name) => cellOf(item[name])),
    ...(hasTheses ? [cellOf(item.thesis?.text), cellOf(item.thesis?.while)] : []),
    ...(hasCosts ? costCells(item) : []),
  ]);
  const columns = [...OWN, ...(hasTheses ? THESIS : []), ...(hasCosts ? COST : [])];
  return { columns, rows };
}

const costCells = ({ cost }: ListItem): Cell[] => [
  cost?.price ?? null,
  cost?.currency ?? null,
  cost?.date ?? null,
];

/** A text that begins like a formula behind an apostrophe gets one more, so that it can be read again. */
const cellOf = (value: Cell | undefined): Cell =>
  typeof value === "string" ? value.replace(/^(?='+[=+\-@＝＋－＠\t\r\n])/, "'") : (value ?? null);

function yahooRow(item: ListedItem): Cell[] {
  const cells: Readonly<Record<string, Cell | undefined>> = {
    Symbol: writeSymbol("yahoo", item),
    // Yahoo's portfolios have no currency beside the price.
    "Purchase Price": item.cost?.currency === item.currency ? item.cost?.price : null,
    "Trade Date":
      item.cost?.currency === item.currency ? item.cost?.date?.replaceAll("-", "") : null,
    Quantity: item.shares,
    Comment: cellOf(item.note),
  };
  return YAHOO.map((name) => cells[name] ?? null);
}

function writeTradingView(items: readonly ListedItem[]): WrittenList {
  const symbols = items.map(tradingViewSymbol);
  const leftOut = items.flatMap(({ country, symbol }, i) =>
    symbols[i] === null ? `${country}:${symbol}` : [],
  );
  return { text: `${symbols.filter((one) => one !== null).join(",")}\n`, leftOut };
}

/** `NASDAQ:AAPL`; null without the exchange of a share, and for indices and futures, which have other names there. */
function tradingViewSymbol({ country, symbol, type, exchange }: ListedItem): string | null {
  if (isShare(type)) {
    const found = EXCHANGES.find((one) => one.country === country && one.name === exchange);
    return found ? `${found.codes[0]}:${symbol}` : null;
  }
  const pair = pairOf(symbol);
  if (!pair) return null;
  return `${type === "currency" ? "FX" : "CRYPTO"}:${pair.base}${pair.quote}`;
}
