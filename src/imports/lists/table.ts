import { COUNTRY_OF_CODE, uncoveredExchange } from "#domain/exchanges.ts";
import { isIsin } from "#domain/isin.ts";
import type { ListFile } from "#domain/list-file.ts";
import { ListItem } from "#domain/user-list.ts";
import { normalizeHeader } from "#imports/bar-headers.ts";
import { cleanText, quote } from "#imports/cells.ts";
import { createDateReader } from "#imports/dates.ts";
import { type DecimalMark, detectDecimalMark, readFigure } from "#imports/numbers.ts";
import { CsvError } from "#lib/csv.ts";
import {
  findTypeColumn,
  isListHeader,
  type ListColumn,
  type ListColumns,
  mapListColumns,
  tradeKindOf,
} from "./headers.ts";
import { isOwnHeader, type ListRow, readOwn } from "./own.ts";
import { type Identity, type Move, Positions, roundShares } from "./positions.ts";

/** A table with a header. */
export interface ListTable {
  /** What a row is called: `line`. */
  readonly unit: string;
  readonly header: readonly string[];
  readonly rows: readonly ListRow[];
  /** The character between cells; null if the file is no CSV. */
  readonly delimiter: string | null;
}

/** How a file is read. */
export interface ListOptions {
  /** Local `YYYY-MM-DD`; later transactions have not happened. */
  readonly today: string;
  /** The decimal mark, if a person gave it. */
  readonly decimalMark?: DecimalMark | undefined;
}

/** Rows that are read before others get their turn. */
export const ROWS_PER_TURN = 1_000;

/** Nothing in a file shows its decimal mark, so a person must say it. */
export class OpenDecimalMark extends CsvError {}

/** A row of a table by column. */
interface Fields {
  readonly place: string;
  readonly of: (column: ListColumn) => string;
  readonly date: string | null;
}

/** Rows by which the form of numbers, dates and types is found. */
const SAMPLE_ROWS = 1_000;

/** Reads holdings, transactions or a watch list. It yields between parts of the work. */
export function* readTable(table: ListTable, options: ListOptions): Generator<void, ListFile> {
  const { unit, header } = table;
  const end = table.rows.findIndex(({ cells }) => isSecondHeader(cells));
  const rows = end === -1 ? table.rows : table.rows.slice(0, end);
  yield;
  const sample = rows.slice(0, SAMPLE_ROWS);
  const columns = columnsOf(header, sample);
  const program = programOf(header, columns);
  const mark = options.decimalMark ?? markOf(rows, header, columns, table.delimiter);
  if (isOwnHeader(header)) return readOwn(rows, mark);
  yield;
  const readDate = dateReaderOf(sample, columns);
  const positions = new Positions();
  const second = table.rows[end];
  if (second) {
    positions.remark(
      `${unit} ${second.number}`,
      "second table",
      "another table begins, which is not read",
    );
  }
  const fields: Fields[] = [];
  for (const { number, cells } of rows) {
    if (fields.length % ROWS_PER_TURN === 0) yield;
    const of = (column: ListColumn) => cells[columns.get(column) ?? -1]?.trim() ?? "";
    fields.push({ place: `${unit} ${number}`, of, date: readDate(of("tradeDate") || of("date")) });
  }
  const held = columns.has("type") ? fields : newestHoldings(program, columns, fields, positions);
  const weightUnit = weightUnitOf(held, mark);
  const manner = { program, mark, weightUnit, today: options.today };
  if (weightUnit === null && columns.has("weight")) {
    positions.remark(`${unit} 1`, "weights", "not taken: they are neither percent nor parts of 1");
  }
  for (const [i, row] of held.entries()) {
    if (i % ROWS_PER_TURN === ROWS_PER_TURN - 1) yield;
    addRow(row, columns, manner, positions);
  }
  return {
    program,
    ...positions.finish(),
    notRead: notReadOf(header, rows, keptColumns(columns, held)),
  };
}

/** What says which instrument a row means. */
const IDENTIFYING = ["symbol", "isin", "name", "exchange", "country", "source"] as const;

/** The positions of the columns that become a part of the list. */
function keptColumns(columns: ListColumns, rows: readonly Fields[]): ReadonlySet<number> {
  const hasSplit = rows.some(({ of }) => tradeKindOf(of("type")) === "split");
  const ofRows: readonly ListColumn[] = columns.has("type")
    ? ["type", "subtype", "status", "date", "tradeDate", ...(hasSplit ? (["ratio"] as const) : [])]
    : ["currency", "note"];
  // An item with shares has no weight.
  const isWeighted = rows.some(({ of }) => of("weight") !== "" && of("quantity") === "");
  const kept = [...IDENTIFYING, "quantity" as const, ...ofRows];
  return new Set(
    [...kept, ...(isWeighted ? (["weight"] as const) : [])].flatMap(
      (one) => columns.get(one) ?? [],
    ),
  );
}

/** The headers of the other columns that have a value. */
function notReadOf(
  header: readonly string[],
  rows: readonly ListRow[],
  kept: ReadonlySet<number>,
): string[] {
  const others = header.flatMap((written, at) => {
    const name = cleanText(written).slice(0, 60);
    const isLost = name !== "" && !kept.has(at);
    return isLost && rows.some(({ cells }) => cells[at]?.trim()) ? [name] : [];
  });
  return [...new Set(others)];
}

/** True for the header of another table below. Rows of figures have a number, which no header has. */
function isSecondHeader(cells: readonly string[]): boolean {
  if (cells.some((cell) => /^[-+$€]?\d/.test(cell.trim()))) return false;
  const columns = mapListColumns(cells);
  return isListHeader(columns) && columns.size > 2;
}

function columnsOf(header: readonly string[], sample: readonly ListRow[]): ListColumns {
  const columns = new Map(mapListColumns(header));
  const type = findTypeColumn(header, sample);
  if (type === null) columns.delete("type");
  else columns.set("type", type);
  return columns;
}

/** The program that writes such a header. */
function programOf(header: readonly string[], columns: ListColumns): string {
  const names = new Set(header.map(normalizeHeader));
  const has = (...wanted: string[]) => wanted.every((name) => names.has(name));
  if (has("isin", "wkn") || has("bestand", "marktwert") || has("shares", "quote", "marketvalue")) {
    return "Portfolio Performance";
  }
  if (has("currentprice", "tradedate", "symbol")) return "Yahoo";
  if (has("instrumenttype", "symbol") || has("activitytype", "symbol")) return "Wealthfolio";
  const isHoldings = has("date", "symbol", "quantity", "currency") && header.length === 5;
  if (isHoldings && (has("price") || has("avgcost"))) return "Wealthfolio";
  if (has("code", "action", "currency") || has("datasource", "symbol")) return "Ghostfolio";
  return columns.has("type") ? "transactions" : "CSV";
}

/** What reading a row needs to know of its file. */
interface Manner {
  readonly program: string;
  readonly mark: DecimalMark;
  /** Percent of a weight as the file writes it; null if that is not certain. */
  readonly weightUnit: number | null;
  readonly today: string;
}

/** Cash as programs write it in place of an instrument. */
const CASH = /^\$*(?:cash|bargeld|現金|tiền mặt)(?![a-z])|^(?:sweep|money market)\b/i;
const TOTAL =
  /^(?:(?:grand |account |sub)?total|summen?|gesamt|合計|tổng|pending activity)(?!\p{L})/iu;

/** Orders that were not carried out. */
const OPEN =
  /cancel|reject|fail|pending|draft|expired|\b(?:void|open|working|offen)\b|storniert|取消|chờ|hủy/i;

function addRow(row: Fields, columns: ListColumns, manner: Manner, positions: Positions): void {
  const { place, of, date } = row;
  const identity = identityOf(of, columns, manner);
  const written = identity.symbols?.[0] || identity.isin || identity.name || "";
  const word = of("type");
  // A payment, an account or a group has a name where a security has a symbol or an ISIN.
  const isNameOnly = written === identity.name && (columns.has("symbol") || columns.has("isin"));
  const isNothing = isNameOnly && columns.has("quantity") && of("quantity") === "";
  if (TOTAL.test(written)) positions.remark(place, written, "no instrument");
  else if (written === "" || isNothing) {
    const what = written || word || of("note") || "a row";
    positions.remark(place, what, "names no instrument, such as cash");
  } else if (CASH.test(written)) positions.remark(place, written, "cash");
  else if (columns.has("type") && OPEN.test(of("status"))) {
    positions.remark(place, written, `left out: its status is ${quote(of("status"))}`);
  } else if (date !== null && date > manner.today && columns.has("type")) {
    positions.remark(place, written, `left out: its date ${date} is in the future`);
  } else positions.add(place, identity, moveOf(row, columns, manner), dayOfMove(row, columns));
}

function identityOf(
  of: Fields["of"],
  columns: ListColumns,
  { program, mark, weightUnit }: Manner,
): Identity {
  const weight = weightUnit && readWeight(of, mark);
  const isOwn = /^manual$/i.test(of("source"));
  const isNumbered = isIsin(of("symbol").toUpperCase());
  const isin = (isNumbered ? of("symbol") : of("isin")).toUpperCase();
  // pytr writes the name as the note of a transaction.
  const noted = isin !== "" && !columns.has("name") && columns.has("type") ? of("note") : "";
  const name = of("name") || (isOwn ? of("symbol") : noted);
  return {
    symbols: isOwn || isNumbered ? [] : symbolsOf(of, program),
    isin: /^[A-Z]{2}[A-Z0-9]{10}$/.test(isin) ? isin : "",
    name: cleanText(name).slice(0, 200),
    // Of transactions it can be the currency of the account.
    currency: of("type") === "" ? of("currency").toUpperCase() : "",
    weight: weight && weightUnit ? roundShares(weight * weightUnit) : null,
    note: of("type") === "" ? cleanText(of("note")) : "",
  };
}

const { maximum: MOST_WEIGHT = 0 } = ListItem.properties.weight;

function readWeight(of: Fields["of"], mark: DecimalMark): number | null {
  const weight = readFigure(of("weight").replace(/ ?%$/, ""), mark);
  return weight !== null && Math.abs(weight) <= MOST_WEIGHT ? weight : null;
}

/** Weights are percent, or parts of 1 if they sum to 1. Other numbers up to 1 have no certain meaning. */
function weightUnitOf(rows: readonly Fields[], mark: DecimalMark): number | null {
  const weights = rows.flatMap(({ of }) => readWeight(of, mark) ?? []);
  if (weights.length === 0) return 1;
  const isPercent = rows.some(({ of }) => of("weight").endsWith("%"));
  if (isPercent || weights.some((one) => Math.abs(one) > 1)) return 1;
  const sum = weights.reduce((all, one) => all + one, 0);
  return Math.abs(sum - 1) < 1e-3 ? 100 : null;
}

/** The day of a transaction or purchase. The date of a holding is the day on which it was looked up. */
const dayOfMove = ({ date }: Fields, columns: ListColumns): string | null =>
  columns.has("type") || columns.has("tradeDate") ? date : null;

/** The notations of a symbol, with the exchange beside it. A country can be that of the company, so it is no proof. */
function symbolsOf(of: Fields["of"], program: string): string[] {
  const symbol = cleanSymbol(of("symbol"));
  if (symbol === "") return [];
  const [exchange, country] = [codeOf(of("exchange")), codeOf(of("country"))];
  const isPlaced = /[.:]/.test(symbol);
  if (exchange) return isPlaced ? [symbol, `${exchange}:${symbol}`] : [`${exchange}:${symbol}`];
  if (country && !isPlaced) return [`${country}:${symbol}`, symbol];
  // Ghostfolio writes Yahoo's BTC-USD without its hyphen.
  const [, coin] = (program === "Ghostfolio" && /^([A-Z]{3,5})USD$/.exec(symbol)) || [];
  return coin ? [symbol, `${coin}-USD`] : [symbol];
}

/** A code of an exchange or country that can be written before a symbol; null for other texts. */
function codeOf(written: string): string | null {
  const code = written.toUpperCase();
  return COUNTRY_OF_CODE.has(code) || uncoveredExchange(`${code}:X`) !== null ? code : null;
}

/** A symbol as text of one line, without the marks of spreadsheets and brokers; empty for a dash. */
export function cleanSymbol(written: string): string {
  const symbol = cleanText(written).replace(/^'/, "").replace(/\*+$/, "").slice(0, 60);
  return /^[-–—]+$/.test(symbol) ? "" : symbol;
}

const RATIO = /(\d+(?:\.\d+)?) ?(?::|[- ]for[- ]) ?(\d+(?:\.\d+)?)/i;

/** What a row does to the shares; null in a watch list. */
function moveOf({ of }: Fields, columns: ListColumns, { program, mark }: Manner): Move | null {
  const written = of("quantity");
  const quantity = readFigure(written, mark);
  const unread = quantity !== null && !Number.isFinite(quantity);
  const word = of("type");
  const type = /^(?:drip|staking_reward|dividend_in_kind)$/i.test(of("subtype")) ? "drip" : word;
  if (type === "" && !columns.has("type")) {
    if (unread) return { type: "unknown", reason: `${quote(written)} is no number of shares` };
    return quantity === null ? null : { type: "holding", shares: quantity };
  }
  const kind = type === "drip" ? "buy" : tradeKindOf(type);
  if (kind === "none" || (kind === null && !quantity)) return { type: "none" };
  if (kind === null) {
    return { type: "unknown", reason: `${quote(word)} is no known type of transaction` };
  }
  if (kind === "split") return splitOf(of, program, mark);
  if (quantity === null && kind === "buy" && /div/i.test(word)) return { type: "none" };
  if (quantity === null || unread || (kind === "buy" && quantity < 0)) {
    const reason = `${quote(written)} is no number of shares of a ${kind === "buy" ? "purchase" : "sale"}`;
    return { type: "unknown", reason };
  }
  return { type: "trade", shares: kind === "buy" ? quantity : -Math.abs(quantity) };
}

/** The ratio of a split as `10:1` or `3-for-1`; Wealthfolio writes it as its amount. */
function splitOf(of: Fields["of"], program: string, mark: DecimalMark): Move {
  const texts = [of("ratio"), of("quantity"), of("type"), of("note")];
  const [, numerator, denominator] = texts.flatMap((text) => RATIO.exec(text) ?? []);
  const amount = program === "Wealthfolio" ? readFigure(of("ratio"), mark) : null;
  const ratio = numerator ? Number(numerator) / Number(denominator) : (amount ?? Number.NaN);
  if (ratio > 0 && Number.isFinite(ratio)) return { type: "split", ratio };
  return { type: "unknown", reason: "the ratio of its split is not understood" };
}

/**
 * The rows of the newest day, if the file has the holdings of several days. Wealthfolio writes such files. In others, a
 * row of another day can as well be a further purchase, so the shares are not known.
 */
function newestHoldings(
  program: string,
  columns: ListColumns,
  rows: readonly Fields[],
  positions: Positions,
): readonly Fields[] {
  if (!columns.has("date") || columns.has("tradeDate")) return rows;
  const dates = new Map<string, Set<string>>();
  for (const { of, date } of rows) {
    const key = of("symbol") || of("isin") || of("name");
    if (date !== null) dates.set(key, (dates.get(key) ?? new Set()).add(date));
  }
  const newest = rows.reduce((last, { date }) => (date !== null && date > last ? date : last), "");
  if (program === "Wealthfolio") {
    for (const { place, of, date } of rows) {
      const key = of("symbol");
      if (!dates.get(key)?.has(newest) && date !== newest && !CASH.test(key)) {
        positions.remark(place, key, `closed: not among the holdings of ${newest}`);
      }
    }
    return rows.filter(({ date }) => date === newest);
  }
  return rows.map((row) => {
    const key = row.of("symbol") || row.of("isin") || row.of("name");
    if ((dates.get(key)?.size ?? 0) < 2) return row;
    const reason = "no figure: several dates, and no column says what happened";
    return { ...row, of: (column) => (column === "quantity" ? reason : row.of(column)) };
  });
}

/** The columns whose numbers show the decimal mark if the quantities do not. */
const AMOUNT =
  /price|kurs|quote|value|wert|amount|betrag|cost|cours|montant|precio|prezzo|単価|価格|giá/i;

function markOf(
  rows: readonly ListRow[],
  header: readonly string[],
  columns: ListColumns,
  delimiter: string | null,
): DecimalMark {
  if (delimiter === null) return "point";
  const cellsOf = (some: readonly ListRow[], wanted: readonly number[]) => {
    const lines = new Map<string, number>();
    for (const { number, cells } of some)
      for (const at of wanted) {
        const text = cells[at]?.trim() ?? "";
        if (!lines.has(text)) lines.set(text, number);
      }
    return Array.from(lines, ([text, line]) => ({ line, text, isVolume: false }));
  };
  const quantity = [columns.get("quantity"), columns.get("weight")].flatMap((at) => at ?? []);
  const amounts = header.flatMap((name, at) =>
    AMOUNT.test(name) && !/dat/i.test(name) ? [at] : [],
  );
  const own = cellsOf(rows, quantity);
  try {
    return detectDecimalMark([...own, ...cellsOf(rows.slice(0, SAMPLE_ROWS), amounts)], delimiter);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // Amounts that contradict each other are not read.
    if (own.some(({ text }) => /[.,]/.test(text)))
      throw new OpenDecimalMark(error.line, error.message);
    return "point";
  }
}

/** Reads the dates of a file; null for a date without a certain meaning. */
function dateReaderOf(
  rows: readonly ListRow[],
  columns: ListColumns,
): (text: string) => string | null {
  const at = columns.get("tradeDate") ?? columns.get("date") ?? -1;
  const cells = rows.map(({ number, cells: row }) => ({
    line: number,
    text: dayOf(row[at] ?? ""),
  }));
  try {
    const reader = createDateReader(cells, { country: "US", keepsSessions: false });
    return (text) => reader.read(dayOf(text));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return (text) => /^\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? null;
  }
}

/** The day of a date with a time. */
const dayOf = (written: string): string =>
  written.trim().replace(/^(\d{4}-\d\d-\d\d|\d{8})[T; ].*$/, "$1");
