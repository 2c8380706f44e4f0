import type { Country } from "#domain/country.ts";
import { zoneInHeader } from "./time-zones.ts";
import { normalForm } from "#lib/normal-form.ts";

/** A column of a file of daily bars. */
export type BarColumn =
  "date" | "open" | "high" | "low" | "close" | "volume" | "tickVolume" | "symbol" | "split";

/**
 * The names of the columns, by language or tool. Letter case, diacritics, spaces, punctuation and text in
 * parentheses do not matter. If a file has several names of one column, the earliest name in this list
 * decides: `Date` before `Time`, `Close` before `Last`, a count of shares before turnover.
 * An adjusted close has no column, except J-Quants': bars are adjusted for splits only.
 */
const ALIASES: Readonly<Record<string, Partial<Record<BarColumn, string>>>> = {
  // Adjusted for splits and rights issues, not for dividends, unlike the adjusted closes of others.
  "J-Quants": {
    open: "AdjO, AdjustmentOpen",
    high: "AdjH, AdjustmentHigh",
    low: "AdjL, AdjustmentLow",
    close: "AdjC, AdjustmentClose",
    volume: "AdjVo, AdjustmentVolume, Vo",
  },
  English: {
    date: "date, trade date, trading date, datetime, day",
    open: "open, open price, opening price, price open",
    high: "high, high price, highest, price high, max",
    low: "low, low price, lowest, price low, min",
    close: "close, close price, closing price, price close, close/last",
    volume: "volume, total volume, trading volume, share volume, shares traded, vol, nm volume",
    symbol: "symbol, ticker, code, act symbol",
    split: "stock splits, split factor, split coefficient",
  },
  German: {
    date: "Datum",
    open: "Eröffnung, Eröffnungskurs, Eröffn, Erster",
    high: "Hoch, Höchst, Höchstkurs, Tageshoch, Hoechst",
    low: "Tief, Tiefst, Tiefstkurs, Tagestief",
    close: "Schluss, Schlusskurs, Schlußkurs, Zuletzt, Letzter, Kurs",
    volume: "Stück, Stücke, Stuecke, Volumen",
  },
  Japanese: {
    date: "日付, 日付け, 年月日, 取引日, 日時",
    open: "始値, 寄付, 寄付値",
    high: "高値",
    low: "安値",
    close: "終値, 引値",
    volume: "出来高, 売買高",
    symbol: "銘柄コード, 証券コード, コード",
  },
  Vietnamese: {
    date: "Ngày, Thời gian, Ngày giao dịch",
    open: "Mở cửa, Giá mở cửa, Mở",
    high: "Cao nhất, Giá cao nhất, Cao",
    low: "Thấp nhất, Giá thấp nhất, Thấp",
    close: "Đóng cửa, Giá đóng cửa, Lần cuối",
    volume: "Khối lượng, Khối lượng khớp lệnh, KL khớp lệnh, Tổng khối lượng, KLGD, KL",
    symbol: "Mã CK, Mã chứng khoán",
  },
  Polish: {
    date: "Data",
    open: "Otwarcie",
    high: "Najwyższy",
    low: "Najniższy",
    close: "Zamknięcie",
    volume: "Wolumen",
  },
  French: {
    open: "Ouverture, Ouv",
    high: "Plus haut, Haut",
    low: "Plus bas, Bas",
    close: "Clôture, Dernier",
  },
  "Spanish, Portuguese, Italian": {
    date: "Fecha",
    open: "Apertura, Abertura",
    high: "Máximo, Máxima, Massimo",
    low: "Mínimo, Mínima, Minimo",
    close: "Cierre, Fechamento, Chiusura, Último, Ultimo",
    volume: "Volumen, Volume",
  },
  Chinese: {
    date: "日期",
    open: "开盘",
    high: "最高",
    low: "最低",
    close: "收盘",
    volume: "成交量",
  },
  CafeF: { date: "DTYYYYMMDD" },
  MetaTrader: { tickVolume: "tickvol" },
  Polygon: { date: "t, window start", open: "o", high: "h", low: "l", close: "c", volume: "v" },
  "weak names": { date: "timestamp, time, index, local time, open time", close: "last, price" },
};

/** A header as it is compared: without case, diacritics, punctuation, parentheses, a leading number. */
export function normalizeHeader(written: string): string {
  return normalForm(written, "NFKD")
    .toLowerCase()
    .replaceAll(/\([^)]*\)/g, "")
    .replaceAll("đ", "d")
    .replaceAll("ł", "l")
    .replace(/^\s*\d+\.\s+/, "")
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** A header without the ticker that quantmod puts before it: `Close` for `ALL.Close`. */
export const withoutTicker = (name: string): string =>
  name.replace(/^[A-Z0-9^-]{1,12}\.(?=[A-Z][a-z]+$)/, "");

/** By normalized name: the column, and the position of the name in that column's list. */
const COLUMNS_BY_NAME: ReadonlyMap<string, { column: BarColumn; rank: number }> = (() => {
  const known = new Map<string, { column: BarColumn; rank: number }>();
  const ranks = new Map<string, number>();
  for (const names of Object.values(ALIASES)) {
    for (const [column, list] of Object.entries(names) as [BarColumn, string][]) {
      for (const name of list.split(",")) {
        const rank = (ranks.get(column) ?? 0) + 1;
        ranks.set(column, rank);
        const key = normalizeHeader(name);
        if (!known.has(key)) known.set(key, { column, rank });
      }
    }
  }
  return known;
})();

/** The positions of columns in a row, counted from 0. */
export type BarColumns = ReadonlyMap<BarColumn, number>;

/** The meaning of the header of a date that names a zone, such as `time_utc`; undefined for any other one. */
function dateColumnWithZone(name: string) {
  const zone = zoneInHeader(name);
  const alias =
    zone === null ? undefined : COLUMNS_BY_NAME.get(normalizeHeader(name.replace(zone, "")));
  return alias?.column === "date" ? alias : undefined;
}

/** The columns of a time and a zone beside the column of dates, -1 if there are none, and the zone that their headers, a line before them or JSON names. */
export interface ClockColumns {
  readonly time: number;
  readonly zone: number;
  readonly zoneName: string | null;
}

const TIME_NAMES = new Set(["time", "時刻", "時間", "gio", "uhrzeit", "zeit", "hora", "heure"]);
const ZONE_NAMES = new Set(
  ["timezone", "tz", "zone", "offset", "タイムゾーン", "muigio", "zeitzone"].map(normalizeHeader),
);

const CURRENCY_NAMES = new Set(
  [
    "currency",
    "currency code",
    "ccy",
    "通貨",
    "Währung",
    "devise",
    "moneda",
    "divisa",
    "valuta",
    "waluta",
    "tiền tệ",
    "loại tiền",
  ].map(normalizeHeader),
);

/** The position of a column with the currency of each row; -1 if there is none. */
export const findCurrencyColumn = (names: readonly string[]): number =>
  names.findIndex((name) => CURRENCY_NAMES.has(normalizeHeader(name)));

/** What a header says about the time of its dates; `date` is the position of their column. `around` are zones named outside the table. */
export function clockColumns(
  names: readonly string[],
  date: number,
  around: readonly (string | null)[],
): ClockColumns {
  const find = (known: ReadonlySet<string>) =>
    names.findIndex((name, i) => {
      const bare = name.replace(zoneInHeader(name) ?? "", "");
      return i !== date && known.has(normalizeHeader(bare));
    });
  const time = find(TIME_NAMES);
  const own = zoneInHeader(names[time] ?? "") ?? zoneInHeader(names[date] ?? "");
  const zoneName = own ?? around.find((zone) => zone !== null) ?? null;
  return { time, zone: find(ZONE_NAMES), zoneName };
}

/** Brackets in the header of a change or a logarithm: `Close (%)`. */
const NO_PRICE = /[(（]\s*(?:[%％]|log|ln)\s*[)）]/i;

/** The columns that a header names, and those that it names twice. */
export function mapColumns(names: readonly string[]): {
  columns: BarColumns;
  doubled: ReadonlyMap<BarColumn, readonly string[]>;
} {
  const best = new Map<BarColumn, { at: number[]; rank: number }>();
  for (const [i, name] of names.entries()) {
    const alias = COLUMNS_BY_NAME.get(normalizeHeader(name)) ?? dateColumnWithZone(name);
    if (!alias || NO_PRICE.test(name)) continue;
    const held = best.get(alias.column);
    if (held?.rank === alias.rank) held.at.push(i);
    else if (!held || alias.rank < held.rank) {
      best.set(alias.column, { at: [i], rank: alias.rank });
    }
  }
  const columns = new Map<BarColumn, number>();
  const doubled = new Map<BarColumn, readonly string[]>();
  for (const [column, { at }] of best) {
    columns.set(column, at[0] ?? -1);
    if (at.length > 1)
      doubled.set(
        column,
        at.map((i) => (names[i] ?? "").trim()),
      );
  }
  // Beside this column, `split_factor` is a column of our exports, which is no split of its day.
  if (names.some((name) => normalizeHeader(name) === "totalreturnfactor")) columns.delete("split");
  return { columns, doubled };
}

/** Words for a purchase and a sale in the headers of files about trading by investors. */
const PURCHASE = /buy|bought|mua|買/i;
const SALE = /sell|sold|bán|ban$|売/i;

/** True for a header of volumes that investors bought and sold, such as foreigners: it has no prices. */
export function isTradingFlow(names: readonly string[]): boolean {
  const written = names.map((name) => normalForm(name, "NFC"));
  return written.some((name) => PURCHASE.test(name)) && written.some((name) => SALE.test(name));
}

/** The properties of a file of daily bars by which its tool is recognised. */
export interface ShapeFacts {
  /** The header as written, with its names separated by `|`; empty without a header. */
  readonly header: string;
  readonly delimiter: string;
  /** True for JSON that has an array for each column. */
  readonly isByColumn: boolean;
  readonly hasUnixTime: boolean;
  /** The first date cell. */
  readonly firstDate: string;
}

/** A tool, the headers of its files, and what else they have in common. */
type Tool = readonly [name: string, header: RegExp, fits?: (facts: ShapeFacts) => boolean];

const OHLC = /^Date\|Open\|High\|Low\|Close(\|Volume)?$/;

/** The tools by their headers. The first match names the file; only the unit depends on it. */
const TOOLS: readonly Tool[] = [
  ["CafeF", /^<Ticker>\|<DTYYYYMMDD>\|/i],
  ["Stooq bulk", /^<TICKER>\|<PER>\|<DATE>\|/],
  ["MetaTrader", /^<DATE>\|(<TIME>\|)?<OPEN>\|/],
  ["MetaTrader", /^$/, ({ firstDate }) => /^\d{4}\.\d\d\.\d\d/.test(firstDate)],
  ["J-Quants", /^Date\|Code\|(O|Open)\|/],
  ["Nasdaq.com", /^Date\|Close\/Last\|/],
  ["UDF", /(^|\|)t(\||$)/, ({ isByColumn }) => isByColumn],
  ["Yahoo Finance", /(^|\|)timestamp(\||$)/, ({ isByColumn }) => isByColumn],
  ["Polygon", /(^|\|)window_start(\||$)/],
  ["Polygon", /^[tohlcvnw|]+$/, ({ hasUnixTime }) => hasUnixTime],
  ["Tiingo", /^date\|close\|high\|low\|open\|volume\|adjClose\|/],
  ["Alpha Vantage", /^(timestamp\|open\|high\|low\|close\||date\|1\. open\|)/],
  ["Twelve Data", /^datetime\|open\|high\|low\|close(\|volume)?$/],
  ["EODHD", /^Date\|Open\|High\|Low\|Close\|Adjusted_close\|Volume$/i],
  ["TradingView", /^time\|open\|high\|low\|close(\||$)/, ({ hasUnixTime }) => hasUnixTime],
  ["TradingView", /^time\|open\|high\|low\|close(?!.*\|volume(\||$))(\||$)/],
  ["vnstock", /^\|?time\|open\|high\|low\|close\|volume(\||$)/],
  ["yfinance", /^(Date|Datetime)\|Close\|High\|Low\|Open\|Volume$/],
  ["yfinance", /\|Dividends\|Stock Splits(\||$)/],
  ["Yahoo Finance", /^Date\|Open\|High\|Low\|Close\*{0,2}\|Adj Close\*{0,2}\|Volume/],
  ["Yahoo Finance Japan", /^日付\|始値\|高値\|安値\|終値\|出来高\|調整後終値/],
  ["Kabutan", /^日付\|始値\|高値\|安値\|終値\|前日比\|/],
  [
    "investing.com",
    /^(Date|Datum|日付け|Ngày|Fecha|Data)\|(Price|Last|Zuletzt|終値|Lần cuối|Último|Ultimo|Dernier)\|/,
  ],
  ["stooq.pl", /^Data\|Otwarcie\|Najwyzszy\|Najnizszy\|Zamkniecie(\||$)/],
  ["Google Sheets", OHLC, ({ firstDate }) => /^\d.*[/.].* \d/.test(firstDate)],
  [
    "stooq",
    OHLC,
    ({ delimiter, firstDate }) => delimiter === "," && /^\d{4}-\d\d-\d\d$/.test(firstDate),
  ],
];

/** The tools whose prices of Vietnamese shares are in thousand VND. */
const IN_THOUSAND_VND: ReadonlySet<string | null> = new Set(["CafeF", "vnstock"]);

/** The name of the tool that writes such files, or null; and whether its Vietnamese prices are in thousand. */
export function nameTool(
  facts: ShapeFacts,
  country: Country,
): { name: string | null; isThousandVnd: boolean } {
  const tool = TOOLS.find(
    ([, header, fits = () => true]) => header.test(facts.header) && fits(facts),
  );
  const name = tool?.[0] ?? null;
  return { name, isThousandVnd: country === "VN" && IN_THOUSAND_VND.has(name) };
}
