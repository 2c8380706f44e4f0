import { quote } from "#imports/cells.ts";
import { type DecimalMark, hasMark, readFigure } from "#imports/numbers.ts";
import { unitIn } from "#imports/units.ts";
import type { ListColumn } from "./headers.ts";
import { type Move, roundShares } from "./positions.ts";
import { foldedWord, isCashMove, isCorporateAction, type KindReader } from "./trade-kinds.ts";
import { normalForm } from "#lib/normal-form.ts";

/** The cells of a row by column. Empty texts for missing ones. */
export type Cells = (column: ListColumn) => string;

/** What reading the shares of a row needs to know of its file. */
export interface MoveManner {
  readonly program: string;
  readonly mark: DecimalMark;
  /** Shares in one unit of the column of quantities; NaN if that is not known, as of lots. */
  readonly unit: number;
  /** Null if the rows are holdings. */
  readonly kindOf: KindReader | null;
  /** True if sales and transfers out have negative quantities, so that positive transfers are in. */
  readonly isSigned: boolean;
  /** True if amounts were paid for some holdings and received for others, so that some rows are sales. */
  readonly hasSales: boolean;
}

/** What else a row shows. */
export interface MoveRow {
  readonly of: Cells;
  /** The text beside the quantity, in a column without a name. */
  readonly beside: string;
  /** True if an amount of money is in the row. */
  readonly hasMoney: () => boolean;
}

/** The characters of the longest number of shares with its unit. */
const LONGEST_COUNT = 60;

const SHARE_UNIT =
  /(?:\d|\s)(?:shares?|shs?|stk\.?|st\.?|stücke?|stuks?|units?|pcs|actions?|acciones|azioni|aandelen|cổ phiếu|cp|株|口|주)$/i;
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
const MONEY = /[$€£¥₫円đ%]|zł|(?<![a-z])[A-Z]{3}(?![a-z])/;

/** The shares in a cell: with a unit such as `株`, and in brackets if sold. Null if it is empty, NaN for other texts. */
export function readShares(written: string, { mark, unit }: Pick<MoveManner, "mark" | "unit">) {
  // Most cells of most files have this form.
  if (unit === 1 && mark === "point" && /^\d{1,15}(?:\.\d{1,15})?$/.test(written))
    return Number(written);
  const text = normalForm(written, "NFKC");
  if (text.length > LONGEST_COUNT || hasMark(written)) return Number.NaN;
  const [, bracketed] = /^\(([\d.,' ]+)\)$/.exec(text) ?? [];
  const [found = ""] = SHARE_UNIT.exec(text) ?? [];
  const figure = (bracketed ?? text).slice(0, found ? 1 - found.length : undefined).trim();
  const shares = readFigure(figure, mark);
  if (shares === null || shares === 0) return shares;
  if (MONEY.test(figure)) return Number.NaN;
  if (!Number.isFinite(unit)) return Number.NaN;
  const count = unit === 1 ? shares : roundShares(shares * unit);
  return bracketed === undefined ? count : -count;
}

/**
 * The shares in one unit of a column, by what its header has in brackets: 1,000 for `Quantity (thousands)`; NaN for lots,
 * money and percent.
 */
export function unitOf(header: string): number {
  const [, inside = ""] =
    /[([（［]([^)\]）］]*)/.exec(normalForm(header.slice(0, 100), "NFC")) ?? [];
  // Brokers of contracts for difference count a volume in lots.
  if (/^volume$/i.test(header.trim())) return Number.NaN;
  const { factor, currency, countsShares } = unitIn(inside);
  const isKnown = currency === null && countsShares !== false && !/%|nominal/i.test(inside);
  return isKnown ? factor : Number.NaN;
}

/** Units beside a quantity that are no shares. */
const NO_SHARES =
  /^(?:[%€$£¥₫円]|nom\.?|nominal|lots?|lô|contracts?|kontrakte?|手|単元|k|thousands?)$/i;

const isDrip = (of: Cells) => /^(?:drip|staking_reward|dividend_in_kind)$/i.test(of("subtype"));

/** What a row does to the shares; null in a watch list. */
export function moveOf(row: MoveRow, manner: MoveManner): Move | null {
  const { of, beside } = row;
  const { kindOf } = manner;
  const written = of("quantity");
  const quantity = readShares(written, manner);
  const isUnread = quantity !== null && !Number.isFinite(quantity);
  if (isUnread && !Number.isFinite(manner.unit)) {
    return {
      type: "unknown",
      reason: `${quote(written)} is in a unit of unknown size, such as lots`,
    };
  }
  if (quantity && (CURRENCIES.has(beside) || NO_SHARES.test(beside))) {
    return { type: "unknown", reason: `${quote(`${written} ${beside}`)} is no number of shares` };
  }
  const word = of("type");
  if (kindOf === null && !isDrip(of)) {
    if (isUnread) return { type: "unknown", reason: `${quote(written)} is no number of shares` };
    if (quantity === null) return null;
    if (manner.hasSales)
      return {
        type: "unknown",
        reason: "amounts are paid and received, and no column says what was bought",
      };
    return { type: manner.isSigned ? "trade" : "holding", shares: quantity };
  }
  // A negative number of shares is of a short position, whatever the column is called.
  const isShort = /^short$/i.test(word) && (quantity ?? 0) < 0;
  const kind = isDrip(of) ? "buy" : isShort ? "short" : (kindOf?.(word) ?? null);
  if (kind === "none" && !(quantity && isCashMove(word))) return { type: "none" };
  if (kind === null || (kind === "transfer" && quantity === null)) {
    const isPayment = !quantity && !isUnread && row.hasMoney() && !isCorporateAction(word);
    if (isPayment || (kind === "transfer" && !isUnread)) return { type: "none" };
  }
  if (kind === "split") return splitOf(of, manner);
  if (
    kind === null ||
    kind === "none" ||
    (kind === "transfer" && !((quantity ?? 0) < 0 || manner.isSigned))
  ) {
    return { type: "unknown", reason: `${quote(word)} is no known type of transaction` };
  }
  if (quantity === null && kind === "buy" && /div/i.test(word)) return { type: "none" };
  if (quantity === null || isUnread || (kind === "buy" && quantity < 0)) {
    const reason = `${quote(written)} is no number of shares of a ${kind === "buy" ? "purchase" : "sale"}`;
    return { type: "unknown", reason };
  }
  if (kind === "close") return { type: "close", shares: quantity };
  if (kind === "transfer" || kind === "buy") return { type: "trade", shares: quantity };
  return { type: "trade", shares: -Math.abs(quantity), ...(kind === "short" && { isShort: true }) };
}

const RATIO =
  /(?<![\d.,])([\d.,]{1,20}) ?(:|[- ](?:for|zu|für|pour|per|na|por)[- ]|株?→) ?([\d.,]{1,20})/i;

/**
 * The ratio of a split as `10:1` or `3-for-1`; Wealthfolio writes it as its amount. A reverse split makes fewer shares in
 * either order. `1:4` alone can be four shares for one, or one for four.
 */
function splitOf(of: Cells, { program, mark }: MoveManner): Move {
  const texts = [of("ratio"), of("quantity"), of("type"), of("note"), of("name")];
  const [, numerator, between = "", denominator] = texts.flatMap(
    (text) => RATIO.exec(text.slice(0, 200)) ?? [],
  );
  const amount = program === "Wealthfolio" ? readFigure(of("ratio"), mark) : null;
  const [above, below] = [numerator, denominator].map((one) => Number(one?.replace(",", ".")));
  const written = numerator ? (above ?? 0) / (below ?? 0) : (amount ?? Number.NaN);
  const word = foldedWord(`${of("type")} ${of("note")}`);
  const isReverse = /revers|併合|consolidation|zusammenlegung|regroup|grupamento|gop/.test(word);
  const isForward = /分割|→/.test(`${word}${between}`);
  const ratio = isReverse
    ? Math.min(written, 1 / written)
    : isForward
      ? Math.max(written, 1 / written)
      : written;
  const isDoubtful = ratio < 1 && !isReverse && between === ":";
  const isRatio = ratio > 0 && ratio !== 1 && Number.isFinite(ratio);
  if (isRatio && !isDoubtful) return { type: "split", ratio };
  const reason = isDoubtful
    ? `${quote(`${numerator}:${denominator}`)} can be a split or a reverse split`
    : "the ratio of its split is not understood";
  return { type: "unknown", reason };
}
