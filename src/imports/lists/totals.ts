import type { ListAnswers } from "#domain/list-file.ts";
import { quote } from "#imports/cells.ts";
import { OpenChoice } from "./open-choice.ts";
import { roundShares } from "./positions.ts";
import { foldedWord } from "./trade-kinds.ts";
import { normalForm } from "#lib/normal-form.ts";

/** On which level a row is: `closed` repeats lots that a sale ended. */
export type Level = "total" | "lot" | "closed";

/** A row of a table with a number of shares. */
export interface CountedRow {
  /** The line or the entry, counted from 1. */
  readonly number: number;
  /** What says which instrument it means. */
  readonly key: string;
  readonly shares: number;
  readonly level: Level | null;
  /** True for a row such as `Total AAPL`, which is no position itself. */
  readonly isBare: boolean;
  readonly cells: readonly string[];
}

/** What is known of the columns of a table. */
export interface CountedColumns {
  /** What rows are called: `line`. */
  readonly unit: string;
  /** The columns that say nothing about levels: the quantity, and what names the instrument. */
  readonly skipped: ReadonlySet<number>;
  /** The columns of prices, costs and values. */
  readonly amounts: ReadonlySet<number>;
  /** The number in a cell; null for other texts. */
  readonly read: (cell: string) => number | null;
}

/** A total and the rows that it is the sum of. */
interface Sum<Row extends CountedRow> {
  readonly total: Row;
  readonly lots: readonly Row[];
}

const LEVELS: readonly (readonly [Level, RegExp])[] = [
  [
    "total",
    /^(?:(?:symbol )?summary|(?:sub)?total|position|aggregate|order|summe|gesamt|合計|小計|tong|tong cong)$/,
  ],
  [
    "lot",
    /^(?:(?:open |tax )?lots?(?: ?#? ?\d+)?|details?|executions?|trades?|posten|明細|chi tiet)$/,
  ],
  ["closed", /^closed ?lots?$/],
];
/** Words in place of an account or a date, which a total has. */
const OF_ALL =
  /^(?:|[-–—]+|n\/?a|various|multiple|mixed|combined|household|all|total|summary|alle|gesamt|summe|全|合計|すべて|tong|tat ca)(?: accounts?| depots?|口座| cong)?$/;
const TOTAL_WORD =
  /^(?:(?:sub|zwischen)?(?:total|totale|totaal|totals|summen?)|gesamt|sous-total|suma|razem|итого|всего|合計|小計|総計|計|合计|总计|小计|합계|총계|tổng)$/iu;

/** The level that a cell names, such as `SUMMARY`; null for other texts. */
export function levelOf(cell: string): Level | null {
  const word = foldedWord(cell);
  return LEVELS.find(([, pattern]) => pattern.test(word))?.[0] ?? null;
}

/** What a row such as `Total AAPL` or `AAPL Total` is the total of, or an empty text; null for other texts. */
export function totalOf(text: string): string | null {
  if (!/tota|summe|gesamt|suma|razem|итого|всего|[計计계]|t[oổ]/i.test(text)) return null;
  const words = normalForm(text.slice(0, 100), "NFC")
    .split(/[\s:()]+/)
    .filter(Boolean);
  const [first = "", last = ""] = [words[0], words.at(-1)];
  if (TOTAL_WORD.test(first))
    return words
      .slice(1)
      .join(" ")
      .replace(/^(?:cộng|for|of|für|de|di)(?: |$)/i, "");
  return TOTAL_WORD.test(last) ? words.slice(0, -1).join(" ") : null;
}

/** The column whose cells are levels. Without a name for it, all its cells must be levels. Null if there is none. */
export function findLevelColumn(
  named: number | undefined,
  width: number,
  rows: readonly { readonly cells: readonly string[] }[],
): number | null {
  const positions = named === undefined ? Array.from({ length: width }, (_, at) => at) : [named];
  const levelAt = (row: { readonly cells: readonly string[] }, at: number) =>
    levelOf(row.cells[at]?.trim() ?? "");
  const isOfLevels = (at: number) => {
    if (named === undefined && !rows.every((row) => levelAt(row, at) !== null)) return false;
    const levels = new Set(rows.map((row) => levelAt(row, at)));
    return named === undefined
      ? levels.has("total") && levels.size > 1
      : levels.size > 1 || !levels.has(null);
  };
  return positions.find(isOfLevels) ?? null;
}

/**
 * The rows that do not count, because others have the same shares, with the reason. A total is known by its level, or as
 * the sum of the rows of its instrument if their other cells agree.
 *
 * @throws OpenChoice if a total is not the sum of its lots, or if nothing shows whether it is a total
 */
export function findDoubled<Row extends CountedRow>(
  rows: readonly Row[],
  columns: CountedColumns,
  answer: ListAnswers["count"],
): Map<Row, string> {
  const left = new Map<Row, string>();
  const open: Row[][] = [];
  for (const group of Map.groupBy(rows, ({ key }) => key).values()) {
    const isTotal = (row: Row) => row.level === "total" || hasTotalWord(row, columns);
    const totals = new Set(group.length > 1 ? group.filter(isTotal) : []);
    const lots = group.filter(
      (row) => row.level === "lot" || (row.level === null && !totals.has(row)),
    );
    for (const row of group) {
      if (row.level === "closed") left.set(row, "a closed lot, which its sale has counted");
    }
    if (totals.size > 0 && lots.length > 0) leaveLevels([...totals], lots, columns, answer, left);
    else if (group.some(({ level }) => level === null)) open.push(group);
  }
  leaveSums(open, columns, answer, left);
  return left;
}

/** True for a row without a level that has the word in a cell of its own: `Total` before its symbol. */
const hasTotalWord = ({ level, cells }: CountedRow, { skipped }: CountedColumns): boolean =>
  level === null &&
  cells.some((cell, at) => isWord(cell) && !skipped.has(at) && TOTAL_WORD.test(cell.trim()));

/** False for most figures, which begin with a digit or a sign. */
const isWord = (cell: string): boolean => cell.length < 20 && !/^[\d$€£¥(+-]/.test(cell);

/** Leaves out the rows that add up to another row. */
function leaveLevels<Row extends CountedRow>(
  totals: readonly Row[],
  lots: readonly Row[],
  columns: CountedColumns,
  answer: ListAnswers["count"],
  left: Map<Row, string>,
): void {
  const [total] = totals;
  if (!total) return;
  const isEqual = sharesOf(totals) === sharesOf(lots);
  if (!isEqual && answer === undefined) throw openSum({ total, lots }, columns, totals);
  const areLots = isEqual ? total.isBare : answer === "lots";
  const reason = `counted in ${placesOf(areLots ? lots : totals, columns)}`;
  // A row such as `Total AAPL` has a remark of its own.
  for (const row of areLots ? totals.filter(({ isBare }) => !isBare) : lots) left.set(row, reason);
}

/** Leaves out what is the sum of other rows of its instrument. */
function leaveSums<Row extends CountedRow>(
  groups: readonly (readonly Row[])[],
  columns: CountedColumns,
  answer: ListAnswers["count"],
  left: Map<Row, string>,
): void {
  const sums = groups.flatMap((group) => sumsOf(group) ?? []);
  const judged = (sum: Sum<Row>) => ({ sum, verdict: verdictOf(sum, columns) });
  const large = sums.filter(({ lots }) => lots.length > 1).map(judged);
  const doubtful = large.filter(({ verdict }) => verdict === "open");
  const isUsual =
    large.some(({ verdict }) => verdict === "total") ||
    (new Set(doubtful.map(({ sum }) => sum.total.key)).size > 1 &&
      large.every(({ verdict }) => verdict !== "lot"));
  // Two rows of equal shares are a total and its lot only beside larger sums.
  for (const { sum, verdict } of isUsual ? sums.map(judged) : large) {
    if (verdict === "lot") continue;
    const counts = answer ?? (isUsual || verdict === "total" ? "totals" : null);
    if (counts === null) throw openSum(sum, columns);
    const reason = `counted in ${placesOf([sum.total], columns)}, which is the total`;
    if (counts === "totals") for (const lot of sum.lots) left.set(lot, reason);
    else if (verdict === "total")
      left.set(sum.total, `the total of ${placesOf(sum.lots, columns)}, so it is not added`);
  }
}

const sharesOf = (rows: readonly CountedRow[]): number =>
  roundShares(rows.reduce((sum, { shares }) => sum + shares, 0));

/** `line 3`, `lines 3 to 5`. */
function placesOf(rows: readonly CountedRow[], { unit }: CountedColumns): string {
  const numbers = rows.map(({ number }) => number).toSorted((a, b) => a - b);
  const [first, last] = [numbers[0], numbers.at(-1)];
  const plural = unit === "entry" ? "entries" : `${unit}s`;
  return first === last ? `${unit} ${first}` : `${plural} ${first} to ${last}`;
}

/** The rows of one instrument as totals, each before or after its lots; null if they are not so. */
function sumsOf<Row extends CountedRow>(group: readonly Row[]): Sum<Row>[] | null {
  return splitSums(group) ?? splitSums(group.toReversed());
}

function splitSums<Row extends CountedRow>(group: readonly Row[]): Sum<Row>[] | null {
  const sums: Sum<Row>[] = [];
  for (let i = 0; i < group.length;) {
    const total = group[i];
    if (!total || total.shares === 0) return null;
    let sum = 0;
    let end = i + 1;
    while (end < group.length && (end === i + 1 || sum !== total.shares))
      sum = roundShares(sum + (group[end++]?.shares ?? 0));
    if (sum !== total.shares) return null;
    sums.push({ total, lots: group.slice(i + 1, end) });
    i = end;
  }
  return sums;
}

/**
 * What the other cells of a total and its lots show. A total has no date and no account of its own, and its cost is the
 * sum or the mean of its lots; a further purchase has both, and a price of its own. Open if they show neither.
 */
function verdictOf(sum: Sum<CountedRow>, columns: CountedColumns): "total" | "lot" | "open" {
  const { total, lots } = sum;
  let isTotal = false;
  for (const [at, written] of total.cells.entries()) {
    if (columns.skipped.has(at)) continue;
    const cells = lots.map((lot) => lot.cells[at]?.trim() ?? "");
    const cell = written.trim();
    if (cells.every((one) => one === cell)) continue;
    const isBlank = OF_ALL.test(foldedWord(cell));
    const isFilled = cells.every((one) => !OF_ALL.test(foldedWord(one)));
    if (isBlank && isFilled) isTotal = true;
    if (isBlank || !isFilled) continue;
    if (!columns.amounts.has(at)) {
      const isText = [cell, ...cells].every((one) => !/[$€£¥₫%()]|^[-+]/.test(one));
      const isNumber = columns.read(cell) !== null && !/^(?:19|20)\d{6}$/.test(cell);
      if (isText && !isNumber && new Set([cell, ...cells]).size > cells.length) return "lot";
      continue;
    }
    const figures = cells.map(columns.read);
    const figure = columns.read(cell);
    if (figure === null || figures.some((one) => one === null)) continue;
    const fit = fitOf(sum, figure, figures.map(Number));
    if (fit === "none") return "lot";
    if (fit === "own") isTotal = true;
  }
  return isTotal ? "total" : "open";
}

/**
 * How a figure of a total fits the figures of its lots: `own` if it is their sum or mean, although they differ a share;
 * `none` if it is neither, and outside their range; else `same`.
 */
function fitOf({ total, lots }: Sum<CountedRow>, figure: number, figures: readonly number[]) {
  const isNear = (a: number, b: number) =>
    Math.abs(a - b) <= 0.002 * Math.max(Math.abs(a), Math.abs(b));
  const [first = 0] = figures;
  const rates = figures.map((one, i) => one / (lots[i]?.shares ?? Number.NaN));
  const areRatesEqual = rates.every((rate) => isNear(rate, rates[0] ?? 0));
  const areEqual = figures.every((one) => isNear(one, first));
  const mean =
    figures.reduce((all, one, i) => all + one * (lots[i]?.shares ?? 0), 0) / total.shares;
  const whole = figures.reduce((all, one) => all + one, 0);
  if (isNear(figure, whole)) return areRatesEqual || areEqual ? "same" : "own";
  if (isNear(figure, mean)) return areEqual ? "same" : "own";
  return figure < Math.min(...figures) || figure > Math.max(...figures) ? "none" : "same";
}

function openSum(
  { total, lots }: Sum<CountedRow>,
  columns: CountedColumns,
  totals: readonly CountedRow[] = [total],
): OpenChoice {
  const [whole, parts] = [sharesOf(totals), sharesOf(lots)];
  const isEqual = whole === parts;
  const name = quote(total.key);
  const question = isEqual
    ? `${name} has ${whole} shares here and ${parts} in ${placesOf(lots, columns)}, so ${whole} if this row is their total, or ${roundShares(whole + parts)} if it is a further lot`
    : `${name} has ${whole} shares in total, but its lots in ${placesOf(lots, columns)} sum to ${parts}`;
  return new OpenChoice(total.number, question, "count");
}
