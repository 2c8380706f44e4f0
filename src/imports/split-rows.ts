import type { Split } from "#domain/split.ts";
import { normalForm } from "#lib/normal-form.ts";

/** Words for a split, and for one that makes fewer shares. */
const SPLIT = /split|分割|併合/i;
const REVERSE = /reverse|併合/i;
/** Two numbers of shares: 4:1, 4-for-1, 1株 -> 5株. */
const RATIO =
  /(\d{1,7}(?:\.\d{1,6})?)\s?株?\s?(:|：|\/|->|→|⇒|=>|-?for-?| for |対|から)\s?(\d{1,7}(?:\.\d{1,6})?)/i;

/** The new and the old shares of a split. */
type Ratio = Pick<Split, "numerator" | "denominator">;

/**
 * The split in a row among prices, as pages of Yahoo have it: `4:1 Stock Splits` is new to old shares, `分割: 1株 -> 5株`
 * old to new. `cells` is the row without its date; empty cells and repetitions do not count. Null for any other
 * row, and for a split without a certain ratio.
 */
export function splitInRow(cells: readonly string[]): Ratio | null {
  // Most rows have numbers only.
  if (!cells.some((cell) => SPLIT.test(cell))) return null;
  const [text = "", ...others] = new Set(cells.map((cell) => cell.trim()).filter(Boolean));
  if (others.length > 0 || text.length > 100) return null;
  const [, first, sign = "", second] = RATIO.exec(normalForm(text, "NFKC")) ?? [];
  const [left, right] = [Number(first), Number(second)];
  if (!(left > 0 && right > 0) || left === right) return null;
  const [more, fewer] = [Math.max(left, right), Math.min(left, right)];
  if (REVERSE.test(text)) return { numerator: fewer, denominator: more };
  if (text.includes("分割")) return { numerator: more, denominator: fewer };
  return /[>→⇒]/.test(sign)
    ? { numerator: right, denominator: left }
    : { numerator: left, denominator: right };
}
