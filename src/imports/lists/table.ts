import { codeOfExchange } from "#domain/exchanges.ts";
import { isIsin } from "#domain/isin.ts";
import type { ListAnswers, ListFile } from "#domain/list-file.ts";
import { ListItem } from "#domain/user-list.ts";
import { normalizeHeader } from "#imports/bar-headers.ts";
import { cleanText, quote } from "#imports/cells.ts";
import { type DateCell, type DateOrder, isDateLike } from "#imports/dates.ts";
import { type DecimalMark, readFigure } from "#imports/numbers.ts";
import { CsvError } from "#lib/csv.ts";
import {
  headerLanguage,
  type HeaderLanguage,
  type ListColumn,
  type ListColumns,
  mapListColumns,
  typeColumnOf,
} from "./headers.ts";
import { cleanSymbol, isinIn, isOption, noShareOf, splitNamedSymbol } from "./instrument-cells.ts";
import { type CostUnits, costUnitsOf, paidIn } from "./cost-cells.ts";
import {
  DATE_NAMES,
  type DateReading,
  dayOf,
  listDateOrders,
  type ListDateReader,
  openDateOf,
} from "./list-dates.ts";
import { normalForm } from "#lib/normal-form.ts";
import { type Cells, moveOf, type MoveManner, readShares, unitOf } from "./moves.ts";
import { listDecimalMark, OpenChoice } from "./open-choice.ts";
import { isExecuted, type OrderStatus, orderStatusOf } from "./order-status.ts";
import { isOwnHeader, type ListRow, readOwn, ROWS_PER_TURN } from "./own.ts";
import { type Identity, type Move, Positions, roundShares } from "./positions.ts";
import { remembered } from "./remembered.ts";
import { joinSections } from "./sections.ts";
import { type CountedRow, findDoubled, findLevelColumn, levelOf, totalOf } from "./totals.ts";
import type { TypeColumn } from "./trade-kinds.ts";

/** A table with a header. */
export interface ListTable {
  /** What a row is called: `line`. */
  readonly unit: string;
  readonly header: readonly string[];
  readonly rows: readonly ListRow[];
  /** The character between cells; null if the file is no CSV. */
  readonly delimiter: string | null;
}

/** How a file is read: the day, and what a person decided. */
export interface ListOptions extends ListAnswers {
  /** The latest local `YYYY-MM-DD` on earth; later transactions have not happened. */
  readonly today: string;
}

/** A row of a table by column. */
interface Fields extends ListRow {
  readonly place: string;
  readonly of: Cells;
  /** What names the instrument, as it is written. */
  readonly key: string;
  readonly date: string | null;
}

/** Rows by which the form of numbers, dates and types is found. */
const SAMPLE_ROWS = 1_000;

/** What all readings of a table have in common. */
interface Form {
  readonly table: ListTable;
  readonly rows: readonly ListRow[];
  /** The numbers of the rows where tables begin that are not read. */
  readonly others: readonly number[];
  readonly columns: ListColumns;
  readonly program: string;
  readonly mark: DecimalMark;
  readonly type: TypeColumn | null;
  readonly options: ListOptions;
}

/**
 * Reads holdings, transactions or a watch list. It yields between parts of the work.
 *
 * @throws OpenChoice if the file can be read in two ways with different shares
 */
export function* readTable(table: ListTable, options: ListOptions): Generator<void, ListFile> {
  const { header, rows, others } = yield* joinSections(table.header, table.rows);
  yield;
  const sample = rows.slice(0, SAMPLE_ROWS);
  const { columns, type } = columnsOf(header, sample);
  const language = headerLanguage(header);
  const mark = options.decimal ?? markOf(rows, { ...table, header }, columns, language);
  if (isOwnHeader(header)) return readOwn(header, rows, mark);
  yield;
  const program = programOf(header, columns);
  const form: Form = {
    table: { ...table, header },
    rows,
    others,
    columns,
    program,
    mark,
    type,
    options,
  };
  const at = columns.get("tradeDate") ?? columns.get("date") ?? -1;
  const days = rows.map(({ number, cells }) => ({ line: number, text: dayOf(cells[at] ?? "") }));
  const dates = [...new Map(days.toReversed().map((one) => [one.text, one])).values()].toReversed();
  const orders = listDateOrders(dates, language, options["date-order"]);
  const readings: (ListFile & { readonly order: DateOrder })[] = [];
  for (const { order, read } of readingsOf(form, orders, dates))
    readings.push({ order, ...(yield* readRows(form, read)) });
  return oneReading(readings, dates);
}

/** What another column of types has, such as `Dividend` beside an empty side. */
const otherType = (cells: readonly string[], type: TypeColumn | null): string =>
  type?.others.map((at) => cells[at]?.trim() ?? "").find(Boolean) ?? "";

/** The readings of the dates that can give other shares; one of the earliest days if none is ahead and nothing is split. */
function readingsOf(
  { type, rows, options }: Form,
  orders: readonly DateReading[],
  dates: readonly DateCell[],
): readonly DateReading[] {
  const [first] = orders;
  if (!first || orders.length < 2) return orders;
  const read = (text: string): string | null =>
    orders.flatMap((one) => one.read(text) ?? []).toSorted()[0] ?? null;
  const words = new Set(rows.map(({ cells }) => cells[type?.at ?? -1]?.trim() ?? ""));
  const isSplit = [...words].some((word) => type?.kindOf(word) === "split");
  const isAhead = ({ text }: DateCell) =>
    orders.some((one) => (one.read(text) ?? "") > options.today);
  return isSplit || dates.some(isAhead) ? orders : [{ ...first, read }];
}

/**
 * The reading of a table, if the order of day and month makes no difference. Purchases count from their earliest day.
 *
 * @throws OpenChoice if the readings have other shares
 */
function oneReading(
  readings: readonly (ListFile & { readonly order: DateOrder })[],
  dates: readonly DateCell[],
): ListFile {
  const [first, ...others] = readings;
  if (!first) throw new CsvError(1, "no date is understood");
  const sharesIn = (file: ListFile) =>
    new Map(file.items.map(({ written, shares }) => [written, shares ?? "watched"]));
  const own = sharesIn(first);
  for (const other of others) {
    const theirs = sharesIn(other);
    const names = [...new Set([...own.keys(), ...theirs.keys()])];
    const name = names.find((one) => own.get(one) !== theirs.get(one));
    if (name === undefined) continue;
    const { line, text } = openDateOf(dates);
    const counts = [own, theirs].map((shares) => `${shares.get(name) ?? "no"}`);
    const question = `${quote(text)} can be ${DATE_NAMES[first.order]} or ${DATE_NAMES[other.order]}, and ${name} then has ${counts.join(" or ")} shares`;
    throw new OpenChoice(
      line,
      question,
      "date-order",
      readings.map(({ order }) => order),
    );
  }
  const items = first.items.map((item, i) => ({
    ...item,
    boughtOn: readings.flatMap((one) => one.items[i]?.boughtOn ?? []).toSorted()[0] ?? null,
  }));
  return { program: first.program, items, remarks: first.remarks, notRead: first.notRead ?? [] };
}

function* readRows(form: Form, readDate: ListDateReader): Generator<void, ListFile> {
  const { table, columns, program, type } = form;
  const { unit } = table;
  const positions = new Positions();
  for (const number of form.others) {
    const reason = "another table begins, which is not read";
    positions.remark(`${unit} ${number}`, "second table", reason);
  }
  const fields: Fields[] = [];
  const symbols = new Map<string, string>();
  for (const { cells } of form.rows) {
    const [symbol, isin] = (["symbol", "isin"] as const).map((one) =>
      cells[columns.get(one) ?? -1]?.trim(),
    );
    if (symbol && isin && !symbols.has(isin)) symbols.set(isin, symbol);
  }
  for (const { number, cells } of form.rows) {
    if (fields.length % ROWS_PER_TURN === 0) yield;
    const texts: Partial<Record<ListColumn, string>> = {};
    for (const [column, at] of columns) texts[column] = cells[at]?.trim() ?? "";
    texts.type ||= otherType(cells, type);
    const of: Cells = (column) => texts[column] ?? "";
    const date = readDate(of("tradeDate") || of("date"));
    const key = of("symbol") || symbols.get(of("isin")) || of("isin") || of("name");
    fields.push({ number, cells, place: `${unit} ${number}`, of, key, date });
  }
  const manner = mannerOf(form, fields);
  const counted = yield* withoutDoubled(form, manner, fields, positions);
  yield;
  const held =
    type || manner.isSigned ? counted : newestHoldings(program, columns, counted, positions);
  if (manner.weightUnit === null && columns.has("weight")) {
    positions.remark(`${unit} 1`, "weights", "not taken: they are neither percent nor parts of 1");
  }
  for (const [i, row] of held.entries()) {
    if (i % ROWS_PER_TURN === ROWS_PER_TURN - 1) yield;
    addRow(row, columns, manner, positions);
  }
  const notRead = yield* notReadOf(table.header, form.rows, keptColumns(columns, held, manner));
  return { program, ...positions.finish(), notRead };
}

function mannerOf(
  { table, columns, program, mark, type, options }: Form,
  rows: readonly Fields[],
): Manner {
  const { header } = table;
  const at = columns.get("quantity") ?? -1;
  const figures = { mark, unit: unitOf(header[at] ?? "") };
  const amounts = amountsIn(header);
  const kindOf = type?.kindOf ?? null;
  const isOut = ({ of }: Fields) =>
    /^[-−(]/.test(of("quantity")) &&
    (kindOf === null || ["sell", "transfer"].includes(kindOf(of("type")) ?? "")) &&
    (readShares(of("quantity"), figures) ?? 0) < 0;
  const dates = kindOf === null ? datesOf(rows) : null;
  const isOfTrades = (row: Fields) => dates === null || (dates.get(row.key)?.size ?? 0) > 1;
  const isSigned =
    (program === "Interactive Brokers" && columns.has("date")) ||
    (program !== "Wealthfolio" && rows.some((row) => isOut(row) && isOfTrades(row)));
  return {
    ...figures,
    program,
    kindOf,
    isSigned,
    costUnits: costUnitsOf(header, columns, kindOf !== null || isSigned),
    weightUnit: weightUnitOf(rows, mark),
    today: options.today,
    isCodeInName: /コード|\bcode\b|ticker|symbol|\bmã\b/i.test(
      header[columns.get("name") ?? -1] ?? "",
    ),
    besideAt: at !== -1 && isUnitHeader(header[at + 1]) ? at + 1 : -1,
    amounts,
    hasSales: kindOf === null && hasBothFlows(rows, amounts, figures),
    exchangeOf: remembered(codeOfExchange),
    statusOf: remembered(orderStatusOf),
    hasStatuses: new Set(rows.map(({ of }) => of("status"))).size > 1,
    isExecuted: isExecuted(header[at] ?? ""),
  };
}

/**
 * True if one column has minus the shares times their price in some rows, and plus that in others. It is then of money
 * paid and received, and not of values: a holding with a positive number of shares has no negative value.
 */
function hasBothFlows(
  rows: readonly Fields[],
  amounts: readonly number[],
  figures: Pick<MoveManner, "mark" | "unit">,
): boolean {
  const signsIn = ({ of, cells }: Fields, at: number, priceAt: number): number => {
    const shares = readShares(of("quantity"), figures) ?? 0;
    const [amount, price] = [at, priceAt].map((one) =>
      readFigure((cells[one] ?? "").replace(/^\s*\((.*)\)\s*$/, "-$1"), figures.mark),
    );
    const ratio = (amount ?? 0) / (shares * (price ?? 0));
    return shares > 0 && Math.abs(Math.abs(ratio) - 1) < 0.02 ? Math.sign(ratio) : 0;
  };
  const isPaid = (row: Fields, at: number) => /^[-−($€£¥]*[-−(]/.test(row.cells[at]?.trim() ?? "");
  return amounts.some((at) => {
    const paid = rows.find((row) => isPaid(row, at));
    const priceAt = amounts.find((one) => one !== at && paid && signsIn(paid, at, one) < 0);
    return priceAt !== undefined && rows.some((row) => signsIn(row, at, priceAt) > 0);
  });
}

/** True for the header of the units of the column before it, which often has no name. */
const isUnitHeader = (header: string | undefined): boolean =>
  header !== undefined &&
  /^(?:|units?|einheit|単位|đvt)$/.test(header.replaceAll(/[\s[\]［］()]/g, "").toLowerCase());

/** The rows that count: a total and its lots have the same shares. */
function* withoutDoubled(
  { table, rows: all, columns, type, program, options }: Form,
  manner: Manner,
  rows: readonly Fields[],
  positions: Positions,
): Generator<void, readonly Fields[]> {
  const { unit, header } = table;
  const width = type ? 0 : header.length;
  const level = findLevelColumn(columns.get("level"), width, all.slice(0, SAMPLE_ROWS));
  const isOther = program === "Wealthfolio" || (type && level === null);
  if (isOther || !columns.has("quantity")) return rows;
  const counted = yield* countedRows(rows, level, manner);
  const named = [...IDENTIFYING, "quantity" as const].flatMap((one) => columns.get(one) ?? []);
  const read = (cell: string) => {
    const figure = readFigure(cell, manner.mark);
    return figure !== null && Number.isFinite(figure) ? figure : null;
  };
  const form = { unit, skipped: new Set(named), amounts: new Set(amountsIn(header)), read };
  const left = new Map<Fields, string>();
  for (const [{ row }, reason] of findDoubled(counted, form, options.count)) left.set(row, reason);
  for (const [row, reason] of left) positions.remark(row.place, row.key, reason);
  const keys = new Map(counted.flatMap(({ isBare, row, key }) => (isBare ? [[row, key]] : [])));
  const lots = new Map([...left.keys()].map((row) => [row.key, row]));
  return rows.flatMap((row) => {
    if (left.has(row)) return [];
    if (!keys.has(row)) return [row];
    // A total that counts in place of its lots is of their instrument.
    const lot = lots.get(keys.get(row) ?? "");
    if (!lot) positions.remark(row.place, row.key, "no instrument");
    return !lot ? [] : [{ ...row, of: (column) => (column === "quantity" ? row : lot).of(column) }];
  });
}

/** The rows with a number of shares, each with its level and what it is a position in, or the total of. */
function* countedRows(
  rows: readonly Fields[],
  level: number | null,
  manner: Manner,
): Generator<void, (CountedRow & { readonly row: Fields })[]> {
  const totals = new Map<Fields, string>();
  for (const [i, row] of rows.entries()) {
    if (i % ROWS_PER_TURN === 0) yield;
    const whole = totalOf(row.key);
    if (whole !== null && row.of("isin") === "") totals.set(row, whole);
  }
  const all = new Set(rows.map(({ key }) => key));
  if (totals.size === 0 && all.size === rows.length) return [];
  const keys = new Map<string, string>();
  for (const { key, of } of totals.size > 0 ? rows : []) {
    for (const one of [of("symbol"), of("name")]) keys.set(one.toUpperCase(), key);
  }
  const areOne = all.size < 3;
  const counted: (CountedRow & { readonly row: Fields })[] = [];
  let before = new Set<string>();
  for (const [i, row] of rows.entries()) {
    if (i % ROWS_PER_TURN === 0) yield;
    const whole = totals.get(row);
    // A total without a name is of the rows above, if they are of one instrument.
    const isOfOne = before.size === 1 && (areOne || /^sub|小|zwischen|sous/i.test(row.key));
    const [only = ""] = isOfOne ? before : [];
    const isBare = whole !== undefined;
    const key = !isBare ? row.key : whole === "" ? only : (keys.get(whole.toUpperCase()) ?? "");
    if (isBare) before = new Set();
    else before.add(row.key);
    const shares = readShares(row.of("quantity"), manner);
    if (key === "" || shares === null || !Number.isFinite(shares)) continue;
    const ofName = totalOf(row.of("name")) === "" ? ("total" as const) : null;
    const ofCell = level === null ? ofName : levelOf(row.cells[level] ?? "");
    const { number, cells } = row;
    const known = { key, isBare, level: isBare ? ("total" as const) : ofCell };
    counted.push({ row, number, cells, shares: roundShares(shares), ...known });
  }
  return counted;
}

/** What says which instrument a row means. */
const IDENTIFYING = ["symbol", "isin", "name", "exchange", "country", "source"] as const;

/** The positions of the columns that become a part of the list. */
function keptColumns(
  columns: ListColumns,
  rows: readonly Fields[],
  { kindOf, besideAt, costUnits }: Manner,
): ReadonlySet<number> {
  const hasSplit = rows.some(({ of }) => kindOf?.(of("type")) === "split");
  const ofRows: readonly ListColumn[] = columns.has("type")
    ? [
        "type",
        "subtype",
        "status",
        "date",
        "tradeDate",
        ...(hasSplit ? (["ratio", "note"] as const) : []),
      ]
    : ["currency", "note"];
  // An item with shares has no weight.
  const isWeighted = rows.some(({ of }) => of("weight") !== "" && of("quantity") === "");
  const kept = [
    ...IDENTIFYING,
    "quantity",
    "assetClass",
    "kind",
    "level",
    "putCall",
    "strike",
    "soldDate",
    ...ofRows,
  ] as const;
  const paid = costUnits.size > 0 ? [...costUnits.keys(), "currency" as const] : [];
  const positions = [...kept, ...paid, ...(isWeighted ? (["weight"] as const) : [])].flatMap(
    (one) => columns.get(one) ?? [],
  );
  return new Set([...positions, besideAt]);
}

/** The headers of the other columns that have a value. */
function* notReadOf(
  header: readonly string[],
  rows: readonly ListRow[],
  kept: ReadonlySet<number>,
): Generator<void, string[]> {
  const names = header.map((written) => cleanText(written).slice(0, 60));
  let empty = [...names.keys()].filter((at) => names[at] !== "" && !kept.has(at));
  const lost = new Set(empty);
  for (const [i, { cells }] of rows.entries()) {
    if (empty.length === 0) break;
    if (i % ROWS_PER_TURN === ROWS_PER_TURN - 1) yield;
    if (empty.some((at) => cells[at])) empty = empty.filter((at) => !cells[at]?.trim());
  }
  for (const at of empty) lost.delete(at);
  return [...new Set([...lost].map((at) => names[at] ?? ""))];
}

/** The columns, and the one that says what happened. A column named as one of types can be of securities instead. */
function columnsOf(
  header: readonly string[],
  sample: readonly ListRow[],
): { readonly columns: ListColumns; readonly type: TypeColumn | null } {
  const columns = new Map(mapListColumns(header));
  if (!columns.has("isin")) {
    const isOfIsins = (at: number) =>
      sample.every(
        ({ cells }) => /^\s*$/.test(cells[at] ?? "") || isIsin(cells[at]?.trim() ?? ""),
      ) && sample.some(({ cells }) => cells[at]?.trim());
    const at = header.findIndex((_, i) => isOfIsins(i));
    if (at !== -1 && at !== columns.get("symbol")) columns.set("isin", at);
  }
  // Beside a volume and a side, `Position` is an identifier.
  const quantityAt = columns.get("quantity") ?? -1;
  const volumeAt = header.findIndex((name) => normalizeHeader(name) === "volume");
  if (
    volumeAt !== -1 &&
    columns.has("type") &&
    normalizeHeader(header[quantityAt] ?? "") === "position"
  )
    columns.set("quantity", volumeAt);
  const identifying = columns.get("symbol") ?? columns.get("isin") ?? columns.get("name") ?? -1;
  const names = sample.flatMap(({ cells }) => cells[identifying]?.trim() || []);
  const isDated = columns.has("date") || columns.has("tradeDate");
  const type = typeColumnOf(header, sample, isDated || new Set(names).size < names.length);
  const named = columns.get("type");
  columns.delete("type");
  if (type) columns.set("type", type.at);
  else if (named !== undefined) columns.set("kind", named);
  return { columns, type };
}

/** The program that writes such a header. */
function programOf(header: readonly string[], columns: ListColumns): string {
  const names = new Set(header.map(normalizeHeader));
  const has = (...wanted: string[]) => wanted.every((name) => names.has(name));
  if (has("isin", "wkn") || has("bestand", "marktwert") || has("shares", "quote", "marketvalue")) {
    return "Portfolio Performance";
  }
  if (has("datadiscriminator", "symbol")) return "Interactive Brokers";
  if (has("currentprice", "tradedate", "symbol")) return "Yahoo";
  if (has("instrumenttype", "symbol") || has("activitytype", "symbol")) return "Wealthfolio";
  const isHoldings = has("date", "symbol", "quantity", "currency") && header.length === 5;
  if (isHoldings && (has("price") || has("avgcost"))) return "Wealthfolio";
  if (has("code", "action", "currency") || has("datasource", "symbol")) return "Ghostfolio";
  return columns.has("type") ? "transactions" : "CSV";
}

/** What reading a row needs to know of its file. */
interface Manner extends MoveManner {
  /** Percent of a weight as the file writes it; null if that is not certain. */
  readonly weightUnit: number | null;
  readonly today: string;
  /** True if the column of names has symbols too. */
  readonly isCodeInName: boolean;
  /** The column without a name behind the quantities, which can have their unit; -1 without one. */
  readonly besideAt: number;
  readonly amounts: readonly number[];
  /** The code of an exchange that a cell names; null for other texts. */
  readonly exchangeOf: (text: string) => string | null;
  readonly statusOf: (text: string) => OrderStatus;
  /** True if rows have different statuses, so that an unknown one says something. */
  readonly hasStatuses: boolean;
  /** True if the quantities are of executed shares, also where an order is for more. */
  readonly isExecuted: boolean;
  readonly costUnits: CostUnits;
}

/** Cash as programs write it in place of an instrument. */
const CASH = /^\$*(?:cash|bargeld|現金|tiền mặt)(?![a-z])|^(?:sweep|money market)\b/i;
const TOTAL =
  /^(?:(?:grand |account |sub)?total|summen?|gesamt|razem|итого|всего|合計|合计|总计|합계|tổng|pending activity)(?!\p{L})/iu;

function addRow(row: Fields, columns: ListColumns, manner: Manner, positions: Positions): void {
  const { place, of, date } = row;
  const identity = identityOf(of, columns, manner);
  const written = identity.symbols?.[0] || identity.isin || identity.name || "";
  const word = of("type");
  const reason = otherThanShares(row, columns, identity, written);
  const status = columns.has("type") ? statusOf(row, manner) : "done";
  if (reason !== null) positions.remark(place, written || word || of("note") || "a row", reason);
  else if (status === "open") {
    positions.remark(place, written, `left out: its status is ${quote(of("status"))}`);
  } else if (date !== null && date > manner.today && (columns.has("type") || manner.isSigned)) {
    positions.remark(place, written, `left out: its date ${date} is in the future`);
  } else {
    const hasMoney = () => manner.amounts.some((at) => isMoney(row.cells[at] ?? "", manner.mark));
    const beside = row.cells[manner.besideAt]?.trim() ?? "";
    const move: Move | null =
      status === "unknown"
        ? { type: "unknown", reason: `its status is ${quote(of("status"))}` }
        : moveOf({ of, beside, hasMoney }, manner);
    const shares = move && "shares" in move ? move.shares : 0;
    const paid = shares > 0 ? paidIn(of, shares, manner.costUnits, manner.mark) : null;
    positions.add(place, identity, move, dayOfMove(row, columns, manner), paid);
    const day = of("tradeDate") || of("date");
    if (columns.has("type") && date === null && day !== "")
      positions.remark(
        place,
        written,
        `its date ${quote(day)} is not understood, so it counts as a past one`,
      );
  }
}

/** Whether a row counts; unknown where its status does not say so, or only for an unknown part of its shares. */
function statusOf({ of }: Fields, manner: Manner): "done" | "open" | "unknown" {
  const written = of("status");
  const status = manner.statusOf(written);
  // Positions are open while they are held.
  if (/^(?:long|short)$/i.test(of("type"))) return /^closed/i.test(written) ? "open" : "done";
  if (status === "partial") return manner.isExecuted ? "done" : "unknown";
  if (status === "unknown") return manner.hasStatuses ? "unknown" : "done";
  return status === "corrected" ? "unknown" : status;
}

/** Why a row is no position in a security that a list can have; null if it is one. */
function otherThanShares(
  { of }: Fields,
  columns: ListColumns,
  { isin, name = "" }: Identity,
  written: string,
): string | null {
  // A payment, an account or a group has a name where a security has a symbol or an ISIN.
  const isNameOnly = written === name && (columns.has("symbol") || columns.has("isin"));
  const isNothing = isNameOnly && columns.has("quantity") && of("quantity") === "";
  const isTotal = columns.has("type") && of("type") === "" && totalOf(of("symbol")) !== null;
  if (!isin && (isTotal || TOTAL.test(written) || totalOf(written) === "")) return "no instrument";
  if (written === "" || isNothing) return "names no instrument, such as cash";
  const isNamedCash = name === "" || name === written || /cash|sweep|money|^[-–—]+$/i.test(name);
  if (!isin && CASH.test(written) && isNamedCash) return "cash";
  if (/\d/.test(of("soldDate"))) return `left out: sold on ${quote(of("soldDate"))}`;
  if (/[-/.]/.test(written) && isDateLike(written)) return "a date in place of an instrument";
  const ofClass = [of("assetClass"), of("kind")].map((one) => noShareOf(one, of("symbol"), name));
  if (ofClass[0] === "cash" && !columns.has("type")) return "cash";
  const isContract = /^(?:c|p|call|put)s?$/i.test(of("putCall")) || /[1-9]/.test(of("strike"));
  const others = [
    isContract || isOption(written) || isOption(name) ? "an option" : null,
    ...ofClass,
  ];
  // A kind such as `Cash` can be of the account.
  const other = others.find((one) => one !== null && one !== "cash");
  return other === undefined ? null : `left out: ${other}, and no share`;
}

const isMoney = (cell: string, mark: DecimalMark): boolean =>
  Boolean(readFigure(cell.slice(0, 60), mark));

function identityOf(of: Cells, columns: ListColumns, manner: Manner): Identity {
  const { mark, weightUnit } = manner;
  const weight = weightUnit && readWeight(of, mark);
  const isOwn = /^manual$/i.test(of("source"));
  const numbered = isOwn ? null : isinIn(of("symbol"));
  const isin = (numbered ?? of("isin")).toUpperCase();
  const named =
    isOwn || numbered !== null
      ? null
      : of("symbol") === ""
        ? splitNamedSymbol(of("name"), manner.isCodeInName)
        : splitNamedSymbol(of("symbol"), true);
  // pytr writes the name as the note of a transaction.
  const noted = isin !== "" && !columns.has("name") && columns.has("type") ? of("note") : "";
  const ownName = of("symbol") === "" && named ? named.name : of("name") || named?.name;
  const name = ownName || (isOwn ? of("symbol") : noted);
  const symbol = isOwn || numbered !== null ? "" : (named?.symbol ?? cleanSymbol(of("symbol")));
  return {
    symbols: symbolsOf(symbol, of, manner),
    isin: /^[A-Z]{2}[A-Z0-9]{10}$/.test(isin) ? isin : (isinIn(isin) ?? ""),
    name: cleanText(name).slice(0, 200),
    // Of transactions it can be the currency of the account.
    currency: of("type") === "" ? of("currency").toUpperCase() : "",
    weight: weight && weightUnit ? roundShares(weight * weightUnit) : null,
    note: of("type") === "" ? cleanText(of("note")) : "",
  };
}

const { maximum: MOST_WEIGHT = 0 } = ListItem.properties.weight;

function readWeight(of: Cells, mark: DecimalMark): number | null {
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
const dayOfMove = ({ date }: Fields, columns: ListColumns, { isSigned }: Manner): string | null =>
  columns.has("type") || columns.has("tradeDate") || isSigned ? date : null;

/** The notations of a symbol, with the exchange beside it. A country can be the company's, so it is no proof. */
function symbolsOf(symbol: string, of: Cells, { program, exchangeOf }: Manner): string[] {
  if (symbol === "") return [];
  const [exchange, written] = [exchangeOf(of("exchange")), of("country")];
  const country = written.length < 5 ? exchangeOf(written) : null;
  const isPlaced = /[.:]/.test(symbol);
  if (exchange) return isPlaced ? [symbol, `${exchange}:${symbol}`] : [`${exchange}:${symbol}`];
  if (country && !isPlaced) return [`${country}:${symbol}`, symbol];
  // Ghostfolio writes Yahoo's BTC-USD without its hyphen.
  const [, coin] = (program === "Ghostfolio" && /^([A-Z]{3,5})USD$/.exec(symbol)) || [];
  return coin ? [symbol, `${coin}-USD`] : [symbol];
}

/** The days of each instrument. Different texts are different days, also if they are not understood. */
function datesOf(rows: readonly Fields[]): ReadonlyMap<string, ReadonlySet<string>> {
  const dates = new Map<string, Set<string>>();
  for (const { of, key, date } of rows) {
    const day = date ?? (of("tradeDate") || of("date"));
    if (day !== "") dates.set(key, (dates.get(key) ?? new Set()).add(day));
  }
  return dates;
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
  const dates = datesOf(rows);
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
    if ((dates.get(row.key)?.size ?? 0) < 2) return row;
    const reason = "no figure: several dates, and no column says what happened";
    return { ...row, of: (column) => (column === "quantity" ? reason : row.of(column)) };
  });
}

/** The columns whose numbers show the decimal mark if the quantities do not. */
const AMOUNT =
  /price|preis|kurs|koers|quote|value|wert|waarde|wartość|amount|betrag|bedrag|kwota|cost|kosten|cours|prix|montant|preci|preço|prezzo|prijs|import[eo]\b|cena|hodnota|fiyat|цена|сумма|стоимость|単価|価格|金額|代金|評価額|[价價]|金额|成本|市值|단가|금액|giá|\bpris\b/i;

/** The positions of the columns of prices, costs and values. */
const amountsIn = (header: readonly string[]): number[] =>
  header.flatMap((name, at) =>
    AMOUNT.test(normalForm(name, "NFC")) && !/dat/i.test(name) ? [at] : [],
  );

function markOf(
  rows: readonly ListRow[],
  { header, delimiter }: ListTable,
  columns: ListColumns,
  language: HeaderLanguage,
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
  const own = cellsOf(rows, quantity);
  // Commas between cells show decimal points, but not where people write decimal commas.
  const between = language === "continental" && delimiter === "," ? ";" : delimiter;
  const amounts = cellsOf(rows.slice(0, SAMPLE_ROWS), amountsIn(header));
  try {
    return listDecimalMark([...own, ...amounts], between);
  } catch (error) {
    // Amounts that contradict each other are not read.
    if (!(error instanceof OpenChoice) || own.some(({ text }) => /[.,]/.test(text))) throw error;
    return "point";
  }
}
