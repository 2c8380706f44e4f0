import { normalizeHeader } from "#imports/bar-headers.ts";

/** A column of a file of holdings or transactions. */
export type ListColumn =
  | "symbol"
  | "isin"
  | "name"
  | "quantity"
  | "type"
  | "subtype"
  | "status"
  | "date"
  | "tradeDate"
  | "currency"
  | "exchange"
  | "country"
  | "weight"
  | "ratio"
  | "source"
  | "note";

/**
 * The names of the columns in several languages. If a file has several names of one column, the earliest name in this
 * list decides.
 */
const NAMES: Readonly<Record<ListColumn, string>> = {
  symbol:
    "asset symbol, symbol, ticker, ticker symbol, symbol/isin, identifier, code, stock symbol, kürzel, simbolo, symbole, 銘柄コード, 証券コード, コード, 銘柄コード・ティッカー, ティッカー, 代码, 股票代號, mã ck, mã chứng khoán, mã cp, mã, stock, instrument, asset",
  isin: "isin, isin code, código isin, security id",
  name: "security name, asset name, holding name, name, wertpapiername, wertpapier, bezeichnung, instrument name, investment name, company, company name, security, product, description, libellé, nom, nombre, nome, titolo, naam, nazwa, 銘柄名, 銘柄, 名称, tên công ty, tên",
  quantity:
    "quantity, shares, shares owned, qty, units, no of shares, number of shares, shares held, position, stück, stücke, bestand, anzahl, stückzahl, quantité, cantidad, títulos, quantità, quantidade, aantal, ilość, 保有数量, 保有株数, 株数, 保有数量株, 保有株数株, 数量, 数量株, 持股, số lượng, khối lượng, sl, kl",
  type: "buy/sell, activity type, transaction type, trans code, action, direction, transaction, type, side, typ, art, vorgang, operation, opération, sens, operación, tipo, operazione, 取引区分, 売買区分, 取引, 売買, loại lệnh, mua/bán, loại gd",
  subtype: "subtype",
  status: "status, order status, state",
  date: "date, datum, date d'operation, fecha, data, activity date, 日付, 約定日, ngày, ngày gd, time, datetime",
  tradeDate: "trade date, purchase date, kaufdatum, date acquired, 取得日, ngày mua",
  currency:
    "currency, währung, currency code, ccy, currency primary, devise, divisa, moneda, valuta, waluta, 通貨",
  country: "country",
  exchange: "exchange mic, exchange, mic, listing exchange, market, börse, 市場, sàn",
  weight: "weight, weight percent, gewichtung, gewicht, allocation",
  ratio: "amount",
  source: "data source",
  note: "note, notes, comment, notiz, memo",
};

const COLUMNS: ReadonlyMap<string, { readonly column: ListColumn; readonly rank: number }> =
  new Map(
    (Object.entries(NAMES) as [ListColumn, string][]).flatMap(([column, names]) =>
      names.split(",").map((name, rank) => [normalizeHeader(name), { column, rank }] as const),
    ),
  );

/** The positions of the known columns in a row, counted from 0. */
export type ListColumns = ReadonlyMap<ListColumn, number>;

/** The known columns that a row names, if it can be a header. */
export function mapListColumns(cells: readonly string[]): ListColumns {
  const best = new Map<ListColumn, { at: number; rank: number }>();
  for (const [at, cell] of cells.entries()) {
    const found = cell.length < 60 ? COLUMNS.get(normalizeHeader(cell)) : undefined;
    const held = found && best.get(found.column);
    if (found && (!held || found.rank < held.rank))
      best.set(found.column, { at, rank: found.rank });
  }
  return new Map([...best].map(([column, { at }]) => [column, at]));
}

const WORDS =
  /^(?:buy|sell|bought|sold|kauf|verkauf|achat|vente|compra|venta|mua|bán|買付|売付|買|売)$/i;

/**
 * The column that says what happened: one with a name for it and a known type of transaction below, or any one with
 * words such as `Buy` and `Sell`. Null if the rows are holdings. Without it, a sale would count as a purchase.
 */
export function findTypeColumn(
  header: readonly string[],
  rows: readonly { readonly cells: readonly string[] }[],
): number | null {
  const columns = header.map((_, at) => at);
  const rankOf = (at: number) => {
    const found = COLUMNS.get(normalizeHeader(header[at] ?? ""));
    return found?.column === "type" ? found.rank : Infinity;
  };
  const named = columns
    .filter((at) => rankOf(at) < Infinity)
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const has = (at: number, isOne: (cell: string) => boolean) =>
    rows.some(({ cells }) => isOne(cells[at]?.trim() ?? ""));
  return (
    named.find((at) => has(at, (cell) => tradeKindOf(cell) !== null)) ??
    columns.find((at) => has(at, (cell) => WORDS.test(cell))) ??
    null
  );
}

/** True if rows below such a header name instruments. */
export const isListHeader = (columns: ListColumns): boolean =>
  columns.has("symbol") || columns.has("isin") || (columns.has("name") && columns.has("quantity"));

const ALONE: ReadonlySet<string> = new Set(
  "symbol, symbols, ticker, tickers, ticker symbol, isin, 銘柄コード, mã ck, mã chứng khoán"
    .split(",")
    .map(normalizeHeader),
);

/** True for a name of the column of symbols that is hardly a symbol itself, unlike `MA` and `CODE`. */
export const isSymbolHeader = (cell: string): boolean => ALONE.has(normalizeHeader(cell));

/** What the word in the column of types means for the shares. */
export type TradeKind = "buy" | "sell" | "split" | "none";

/** What did not happen, or was taken back. */
const VOID = /cancel|storno|reject|revers|expired|取消|\bhuy\b/;

const KINDS: readonly (readonly [TradeKind, RegExp])[] = [
  ["split", /split|分割/],
  // Before purchases, because `Verkauf` contains `Kauf`.
  [
    "sell",
    /\b(sell|sold|sale|selling|redemption)\b|verkauf|auslieferung|outbound|transfer[ _]?out|remove[ _]?holding|umbuchung \(ausgang|\b(vente|venta|venda|vendita|verkoop)\b|sprzeda|\bban\b|売|卖|賣/,
  ],
  [
    "buy",
    /\b(buy|bought|buying|purchase|purchased|reinvest|reinvestment|reinvested|drip)\b|kauf|einlieferung|inbound|transfer[ _]?in\b|add[ _]?holding|umbuchung \(eingang|\b(achat|compra|acquisto|koop|kupno|zakup|mua)\b|買|买/,
  ],
  [
    "none",
    /\b(div|dividend|dividends|dividende|dividenden|dividendo|interest|interet|fee|fees|tax|taxes|deposit|withdrawal|credit|liability|item|removal|versement|prelevement|forex)\b|zinsen|zinsbelastung|gebuhren|steuer|einlage|entnahme|ausschuttung|配当|co tuc/,
  ],
];

/** Reads a word such as `Kauf` or `Market buy`; null if it has no known meaning. */
export function tradeKindOf(written: string): TradeKind | null {
  const word = written
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\p{Script=Latin}\p{M}*/gu, (letter) => letter.normalize("NFD").charAt(0))
    .replaceAll("đ", "d")
    .replaceAll("_", " ");
  return VOID.test(word) ? null : (KINDS.find(([, pattern]) => pattern.test(word))?.[0] ?? null);
}
