import { normalizeHeader } from "#imports/bar-headers.ts";
import { findTypeColumn, type TypeColumn } from "./trade-kinds.ts";

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
  | "soldDate"
  | "currency"
  | "exchange"
  | "country"
  | "weight"
  | "ratio"
  | "source"
  | "note"
  | "assetClass"
  /** A column named as one of types in a table of holdings. */
  | "kind"
  | "level"
  | "putCall"
  | "strike"
  /** The price paid for a share, and for all shares. */
  | "cost"
  | "costTotal"
  /** Of a transaction it is the price paid, of a holding the price of now. */
  | "price";

/**
 * The names of the columns: in English, behind a bar in languages with decimal commas and the day before the month, and
 * behind a second bar in Japanese and Chinese. If a file has several names of one column, the earliest one decides.
 */
const NAMES: Readonly<Record<Exclude<ListColumn, "kind">, string>> = {
  symbol:
    "asset symbol, symbol, ticker, ticker symbol, symbol/isin, identifier, code, stock code, stock symbol, stock, instrument, asset, instrument code, financial instrument | kürzel, simbolo, símbolo, symbole, symbool, ativo, papel, código de negociação, mã ck, mã chứng khoán, mã cp, mã cổ phiếu, mã | 銘柄コード, 証券コード, コード, 銘柄コード・ティッカー, ティッカー, 代码, 股票代號, 股票代码, 證券代號, 证券代码",
  isin: "isin, isin code, isin number, security id | código isin, codice isin, code isin",
  name: "security name, asset name, holding name, name, instrument name, investment name, fund name, company, company name, security, product, description | wertpapiername, wertpapier, bezeichnung, libellé, nom, nombre, nome, titolo, naam, nazwa, navn, namn, värdepapper, tên công ty, tên | 銘柄名, 銘柄, 名称, ファンド名, 证券名称, 股票名稱",
  quantity:
    "executed quantity, executed qty, filled quantity, filled qty, fill quantity, fill qty, filled shares, exec qty, quantity, open quantity, current quantity, total quantity, total shares, quantity held, shares, shares owned, qty, units, no of shares, number of shares, shares held, position, amount of shares, nominal, units held, filled | stück, stücke, stk, bestand, anzahl, stückzahl, nominale, quantité, cantidad, títulos, acciones, cotas, qté, nombre de titres, azioni, quantità, quantidade, ações, počet, adet, aantal, aandelen, menge, anteile, ilość, liczba, antal, volym, määrä, kl khớp, khối lượng khớp, tổng kl, tổng khối lượng, tổng số lượng, kl sở hữu, kl nắm giữ, số lượng sở hữu, khối lượng sở hữu, sl sở hữu, kl tổng, tổng sl, số lượng, khối lượng, sl, kl, tổng | 約定数量, 約定株数, 保有数量, 保有株数, 保有口数, 保有数, 残高数量, 残高株数, 株数, 保有数量株, 保有株数株, 数量, 数量株, 数量株口, 口数, 持股, 股數, 數量, 成交數量, 成交数量, 持仓数量",
  type: "buy/sell, b/s, buysell, buy or sell, activity type, transaction type, trans code, transaction code, action, direction, side, trade side, order side, position side, position type, long/short, open/close, activity, transaction, trade type, event type, record type, operation, type, kind | kauf/verkauf, k/v, achat/vente, a/v, compra/venta, c/v, acquisto/vendita, aankoop/verkoop, köp/sälj, transactie, transactietype, transaktion, transaktionstyp, transaksjonstype, transaktionstype, typ, art, soort, vorgang, buchungsart, opération, sens, operación, tipo, operazione, rodzaj, mua/bán, m/b, richtung, lệnh, loại lệnh, loại gd, loại giao dịch, giao dịch | 取引区分, 売買区分, 取引種類, 取引種別, 取引内容, 売買種別, 売買, 取引, 買賣別, 买卖方向, 买卖标志",
  subtype: "subtype",
  status:
    "status, order status, state, execution status, fill status | auftragsstatus, orderstatus, zustand, statut, estado, stato, stan, tillstånd, trạng thái, trạng thái lệnh, tình trạng | 状態, 注文状況, 注文状態, 約定状況, 委托状态",
  date: "date, activity date, time, datetime, date/time, execution date | datum, date d'opération, fecha, data, handelsdatum, ngày, ngày gd, ngày giao dịch | 日付, 約定日, 取引日, 交易日期, 成交日期",
  tradeDate:
    "trade date, purchase date, date acquired, open date, acquired | kaufdatum, ngày mua | 取得日, 買付日",
  soldDate:
    "date sold, sold date, sale date, sell date, close date, closed date, closing date, close time, exit date | verkaufsdatum, date de vente, fecha de venta, data vendita, ngày bán | 売却日",
  currency:
    "currency, currency code, ccy, currency primary | währung, devise, divisa, moneda, valuta, waluta | 通貨",
  country: "country",
  exchange: "exchange mic, exchange, mic, listing exchange, market | börse, sàn | 市場",
  weight: "weight, weight percent, allocation | gewichtung, gewicht",
  ratio: "amount",
  source: "data source",
  note: "note, notes, comment, memo | notiz, bemerkung",
  assetClass:
    "asset class, asset category, security type, instrument type, asset type, product type, investment type, sec type | wertpapierart, wertpapiertyp, kategorie, gattung, anlageklasse, loại tài sản, loại ck | 商品, 商品種別, 証券種別",
  putCall: "put/call, call/put, put call, call put, option type, right",
  strike: "strike, strike price | basispreis, giá thực hiện | 権利行使価格",
  cost: "purchase price, purchase price per share, cost per share, cost/share, unit cost, cost basis per share, cost basis/share, average cost basis, avg cost basis, average cost per share, avg cost per share, avg cost, average cost, average cost price, avg cost price, cost price, average price, avg price, average buy price, avg buy price, average purchase price, avg purchase price, buy price, price paid, average price paid, avg price paid, entry price, avg entry price, average entry price, average open price, avg open price, open price, buyin, buy in | einstandskurs, einstandspreis, ø einstandskurs, ø-einstandskurs, kaufkurs, kaufpreis, durchschnittlicher kaufpreis, pru, prix de revient unitaire, prix d'achat, prix moyen, precio medio, precio medio de compra, precio de compra, preço médio, prezzo medio, prezzo medio di carico, prezzo di carico, gemiddelde aankoopprijs, aankoopkoers, aankoopprijs, gak, snittkurs, inköpspris, anskaffelseskurs, średnia cena zakupu, cena zakupu, giá vốn, giá vốn tb, giá vốn bình quân, giá mua, giá mua tb, giá mua trung bình, giá tb, giá trung bình | 取得単価, 平均取得単価, 平均取得価額, 買付単価, 平均買付単価, 取得価格, 平均取得価格, 購入単価, 成本价, 成本價, 持仓成本, 平均成本",
  costTotal:
    "cost basis, cost basis total, total cost basis, total cost, cost basis money, book value, book cost, purchase value, total invested, amount invested, invested amount | einstandswert, kaufwert, valeur d'achat, valore di carico, valor de compra, anskaffelsesverdi, tổng giá vốn, giá trị vốn, giá trị mua | 取得金額, 取得総額, 取得価額合計",
  price:
    "price, trade price, t price, price per share, price/share, execution price, exec price, executed price, fill price, avg fill price, average fill price, share price, unit price | kurs, preis, ausführungskurs, cours, precio, preço, prezzo, koers, prijs, cena, pris, giá, giá khớp, giá khớp tb, giá khớp lệnh | 単価, 約定単価, 約定価格, 成交价格, 成交價, 成交均价, 成交價格",
  level: "level of detail, data discriminator, level, row type, line type, lot type",
};

/** Names of the column of types that holdings have too, for the kind of a security. */
const WEAK_TYPES: ReadonlySet<string> = new Set(
  "type, kind, record type, typ, art, soort, tipo, rodzaj".split(",").map(normalizeHeader),
);

/** How the writers of a header write numbers and dates: English, with commas and days first, or with years first. */
export type HeaderLanguage = "english" | "continental" | "east asian";
const LANGUAGES = ["english", "continental", "east asian"] as const;

interface KnownName {
  readonly column: ListColumn;
  readonly rank: number;
  readonly language: HeaderLanguage;
}

const COLUMNS: ReadonlyMap<string, KnownName> = (() => {
  const known = new Map<string, KnownName>();
  for (const [column, languages] of Object.entries(NAMES) as [ListColumn, string][]) {
    let rank = 0;
    for (const [i, names] of languages.split("|").entries()) {
      const language = LANGUAGES[i] ?? "english";
      for (const name of names.split(","))
        known.set(normalizeHeader(name), { column, rank: rank++, language });
    }
  }
  return known;
})();

/** Columns that can be one of two in a header: `ISIN/WKN`, `Stk./Nominale`. A price per share is none of them. */
const COMBINED: ReadonlySet<ListColumn> = new Set(["symbol", "isin", "name", "quantity"]);

/** What a header names; undefined if it is not known. Of two names in one, the first one decides. */
function nameOf(written: string): KnownName | undefined {
  if (written.length >= 60) return undefined;
  const known = COLUMNS.get(normalizeHeader(written));
  if (known) return known;
  const [first = "", ...others] = written.split(/[/|・]/);
  const part = others.length > 0 ? COLUMNS.get(normalizeHeader(first)) : undefined;
  return part && COMBINED.has(part.column) ? part : undefined;
}

/** The positions of the known columns in a row, counted from 0. */
export type ListColumns = ReadonlyMap<ListColumn, number>;

/** The known columns that a row names, if it can be a header. */
export function mapListColumns(cells: readonly string[]): ListColumns {
  const best = new Map<ListColumn, { at: number; rank: number }>();
  for (const [at, cell] of cells.entries()) {
    const found = nameOf(cell);
    const held = found && best.get(found.column);
    if (found && (!held || found.rank < held.rank))
      best.set(found.column, { at, rank: found.rank });
  }
  return new Map([...best].map(([column, { at }]) => [column, at]));
}

/** Many of their names are of several languages. */
const OF_PRICES: ReadonlySet<ListColumn> = new Set(["cost", "costTotal", "price"]);

/** The language that most of the known names of a header are in. Names of several languages count for the first one. */
export function headerLanguage(header: readonly string[]): HeaderLanguage {
  const counts = { english: 0, continental: 0, "east asian": 0 };
  for (const cell of header) {
    const found = nameOf(cell);
    if (found && !OF_PRICES.has(found.column)) counts[found.language]++;
  }
  if (counts["east asian"] > 0) return "east asian";
  return counts.continental > 0 ? "continental" : "english";
}

/**
 * The column that says what happened, if the rows are transactions.
 *
 * @param hasEvents true if the rows are dated, or name an instrument twice
 */
export const typeColumnOf = (
  header: readonly string[],
  rows: readonly { readonly cells: readonly string[] }[],
  hasEvents: boolean,
): TypeColumn | null =>
  findTypeColumn(header, rows, {
    rankOf: (name) => {
      const found = nameOf(name);
      return found?.column === "type" ? found.rank : Infinity;
    },
    isOther: (name) => (nameOf(name)?.column ?? "type") !== "type",
    isWeak: (name) => WEAK_TYPES.has(normalizeHeader(name)),
    hasEvents,
  });

/** True if rows below such a header name instruments. */
export const isListHeader = (columns: ListColumns): boolean =>
  columns.has("symbol") || columns.has("isin") || (columns.has("name") && columns.has("quantity"));

const ALONE: ReadonlySet<string> = new Set(
  "symbol, symbols, ticker, tickers, ticker symbol, isin, 銘柄コード, 証券コード, mã ck, mã chứng khoán, mã cổ phiếu"
    .split(",")
    .map(normalizeHeader),
);

/** True for a name of the column of symbols that is hardly a symbol itself, unlike `MA` and `CODE`. */
export const isSymbolHeader = (cell: string): boolean => ALONE.has(normalizeHeader(cell));
