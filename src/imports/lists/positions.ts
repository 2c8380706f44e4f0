import type { Remark, WrittenCost, WrittenItem } from "#domain/list-file.ts";
import { ListItem } from "#domain/user-list.ts";
import { cleanText } from "#imports/cells.ts";

/** How a file identifies an instrument. Empty texts count as missing. */
export interface Identity {
  readonly symbols?: readonly string[];
  readonly isin?: string | undefined;
  readonly name?: string | undefined;
  readonly currency?: string | undefined;
  readonly weight?: number | null;
  readonly note?: string | undefined;
}

/** What a row of a file does to the shares of an instrument. */
export type Move =
  | { readonly type: "trade"; readonly shares: number; readonly isShort?: boolean }
  /** Takes shares from what is open, bought or sold short. */
  | { readonly type: "close"; readonly shares: number }
  /** Shares held without a purchase in the file. */
  | { readonly type: "holding"; readonly shares: number }
  /** New shares for one old share. */
  | { readonly type: "split"; readonly ratio: number }
  /** A dividend, a fee: the shares stay as they are. */
  | { readonly type: "none" }
  /** The shares cannot be known; `reason` is a clause. */
  | { readonly type: "unknown"; readonly reason: string };

/** What a row says was paid for a share. */
export interface Paid {
  readonly price: number;
  /** An ISO code; null if the file names no currency. */
  readonly currency: string | null;
}

/** A move and when it happened. */
interface DatedMove {
  readonly move: Move;
  readonly date: string | null;
  readonly place: string;
  readonly paid: Paid | null;
}

interface Position {
  readonly place: string;
  identity: Identity;
  readonly moves: DatedMove[];
}

const { maximum: MOST_SHARES = 0 } = ListItem.properties.shares;

/** A sum of decimal fractions without the rest that binary ones leave: to eight decimals. */
export const roundShares = (shares: number): number => Number(shares.toFixed(8)) || 0;

/** The instruments of a file with their moves, in the order in which the file names them. */
export class Positions {
  readonly #positions = new Map<string, Position>();
  readonly #remarks = new Map<string, Remark & { times: number }>();

  /** Adds an instrument, and what a row does to its shares. Without a move it is watched. */
  add(
    place: string,
    identity: Identity,
    move: Move | null,
    date: string | null = null,
    paid: Paid | null = null,
  ): void {
    const key = keyOf(identity);
    const known = this.#positions.get(key);
    const position: Position = known ?? { place, identity, moves: [] };
    if (known) known.identity = joined(known.identity, identity);
    else this.#positions.set(key, position);
    if (move) position.moves.push({ move, date, place, paid });
  }

  /** Notes something that is left out. Equal notes become one with the first place. */
  remark(place: string, written: string, reason: string): void {
    const text = shown(written);
    const key = `${text}\n${reason}`;
    const known = this.#remarks.get(key);
    if (known) known.times++;
    else this.#remarks.set(key, { place, written: text, reason, times: 1 });
  }

  /** The instruments that are held or watched; the others become remarks. */
  finish(): { items: WrittenItem[]; remarks: Remark[] } {
    const items = [...this.#positions.values()].flatMap((one) => this.#itemOf(one) ?? []);
    const remarks = [...this.#remarks.values()].map(({ times, place, ...rest }) => ({
      ...rest,
      place: times > 1 ? `${place} and ${times - 1} more` : place,
    }));
    return { items, remarks };
  }

  #itemOf({ place, identity, moves }: Position): WrittenItem | null {
    const { symbols = [], isin, name, currency, weight, note } = identity;
    const written = shown(symbols[0] || isin || name || "");
    const shares = this.#sharesOf(place, written, moves);
    if (shares === undefined) return null;
    const cost = typeof shares === "number" ? averageCost(moves) : null;
    return {
      place,
      written,
      symbols,
      isin: isin || null,
      name: name || null,
      currency: currency || null,
      shares,
      boughtOn: oldestPurchase(moves),
      weight: weight ?? null,
      note: note || null,
      ...(cost && { cost }),
    };
  }

  /** The shares held; null in a watch list, undefined if nothing is held. */
  #sharesOf(
    place: string,
    written: string,
    moves: readonly DatedMove[],
  ): WrittenItem["shares"] | undefined {
    if (moves.length === 0) return null;
    const unknown = moves.find(({ move }) => move.type === "unknown");
    const isSplit = moves.some(({ move }) => move.type === "split");
    if (unknown || (isSplit && moves.some(({ date }) => date === null))) {
      const reason =
        unknown?.move.type === "unknown"
          ? unknown.move.reason
          : "a date beside its split is not understood";
      this.remark(unknown?.place ?? place, written, `taken without shares: ${reason}`);
      return "uncertain";
    }
    const directed = withDirections(moves);
    if (directed === null) {
      const reason = "nothing shows which of its positions is closed";
      this.remark(place, written, `taken without shares: ${reason}`);
      return "uncertain";
    }
    const sum = sumOf(directed);
    const shares = moves.length > 1 ? roundShares(sum) : sum;
    if (!(Math.abs(shares) <= MOST_SHARES)) {
      this.remark(place, written, `taken without shares: ${shares} is no number of shares`);
      return "uncertain";
    }
    const traded = directed.some(({ move }) => move.type === "trade" && move.shares !== 0);
    const isShort = moves.some(({ move }) => move.type === "trade" && move.isShort);
    if (shares > 0 || (shares < 0 && (isShort || !traded))) return shares;
    if (shares < 0) {
      this.remark(place, written, `taken without shares: ${-shares} more are sold than bought`);
      return "uncertain";
    }
    const isHolding = moves.some(({ move }) => move.type === "holding");
    const reason = traded
      ? "closed: as many shares are sold as bought"
      : isHolding
        ? "closed: 0 shares are held"
        : "no purchase is in the file";
    this.remark(place, written, reason);
    return undefined;
  }
}

/**
 * The average price of the shares that are held: a sale takes shares at the average of the purchases before it. Its day is
 * there if all of them were bought on one. Null if the price of a purchase is not known, or shares were sold short.
 */
function averageCost(moves: readonly DatedMove[]): WrittenCost | null {
  const isSplit = moves.some(({ move }) => move.type === "split");
  const needsOrder = isSplit || moves.some(({ move }) => sharesIn(move) < 0);
  if (needsOrder && moves.some(({ date }) => date === null)) return null;
  let held = { shares: 0, cost: 0, currency: null as string | null };
  let days = new Set<string | null>();
  for (const { move, date, paid } of needsOrder ? inOrder(moves) : moves) {
    if (move.type === "unknown") return null;
    if (move.type === "split") held = { ...held, shares: held.shares * move.ratio };
    const shares = sharesIn(move);
    if (shares > 0) {
      if (paid === null || (held.shares > 0 && paid.currency !== held.currency)) return null;
      days.add(date);
      const cost = held.cost + shares * paid.price;
      held = { shares: held.shares + shares, cost, currency: paid.currency };
    } else if (shares < 0) {
      const rest = roundShares(held.shares + shares);
      if (rest < 0) return null;
      if (rest === 0) days = new Set();
      held = { ...held, shares: rest, cost: held.cost * (rest / held.shares) };
    }
  }
  if (!(held.shares > 0)) return null;
  const [day = null, ...others] = days;
  const date = isSplit || others.length > 0 ? null : day;
  const price = Number((held.cost / held.shares).toPrecision(12));
  return { price, currency: held.currency, date };
}

/** The shares that a move adds, negative for those that it takes away. */
function sharesIn(move: Move): number {
  if (move.type === "close") return -Math.abs(move.shares);
  return move.type === "trade" || move.type === "holding" ? move.shares : 0;
}

/** The day of the oldest purchase, if no split is among the moves. */
function oldestPurchase(moves: readonly DatedMove[]): string | null {
  if (moves.some(({ move }) => move.type === "split")) return null;
  let oldest: string | null = null;
  for (const { move, date } of moves) {
    const isPurchase = (move.type === "trade" || move.type === "holding") && move.shares > 0;
    if (isPurchase && date !== null && (oldest === null || date < oldest)) oldest = date;
  }
  return oldest;
}

/** The moves with trades for what is closed: a sale if shares were bought. Null if some were bought and some sold short. */
function withDirections(moves: readonly DatedMove[]): readonly DatedMove[] | null {
  if (!moves.some(({ move }) => move.type === "close")) return moves;
  const opened = moves.flatMap(({ move }) =>
    move.type === "trade" || move.type === "holding" ? Math.sign(move.shares) : [],
  );
  if (opened.includes(1) && opened.includes(-1)) return null;
  const sign = opened.includes(-1) ? 1 : -1;
  return moves.map((one) =>
    one.move.type === "close"
      ? { ...one, move: { type: "trade", shares: sign * Math.abs(one.move.shares) } }
      : one,
  );
}

/** The moves by their days. A split comes before what was traded on its day. */
function inOrder(moves: readonly DatedMove[]): readonly DatedMove[] {
  const rank = ({ move }: DatedMove) => (move.type === "split" ? 0 : 1);
  return moves.toSorted((a, b) => (a.date ?? "").localeCompare(b.date ?? "") || rank(a) - rank(b));
}

/** The shares after all moves. A split counts for the moves before its day, once for a day and ratio. */
function sumOf(moves: readonly DatedMove[]): number {
  const ordered = moves.some(({ move }) => move.type === "split") ? inOrder(moves) : moves;
  const applied = new Set<string>();
  let total = 0;
  for (const { move, date } of ordered) {
    if (move.type === "trade" || move.type === "holding") total += move.shares;
    if (move.type !== "split" || applied.has(`${date} ${move.ratio}`)) continue;
    applied.add(`${date} ${move.ratio}`);
    total *= move.ratio;
  }
  return total;
}

const keyOf = ({ symbols = [], isin, name }: Identity): string =>
  (symbols[0] || isin || name || "").toUpperCase();

/** The first identity with what only the second one has; their weights are added. */
function joined(known: Identity, more: Identity): Identity {
  const [weight, other] = [known.weight ?? null, more.weight ?? null];
  return {
    symbols: known.symbols?.length ? known.symbols : (more.symbols ?? []),
    isin: known.isin || more.isin,
    name: known.name || more.name,
    currency: known.currency || more.currency,
    note: known.note || more.note,
    weight: weight !== null && other !== null ? weight + other : (weight ?? other),
  };
}

/** A text of a file as messages show it. */
const shown = (written: string): string => cleanText(written).slice(0, 60);
