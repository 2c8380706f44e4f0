import { normalizeHeader } from "#imports/bar-headers.ts";
import { remembered } from "./remembered.ts";
import { normalForm } from "#lib/normal-form.ts";

/**
 * What the word of a transaction means for the shares. `short` is a sale without shares, `close` takes from what is
 * open, `transfer` has no direction in its word, and `none` leaves the shares as they are.
 */
export type TradeKind = "buy" | "sell" | "short" | "close" | "transfer" | "split" | "none";

/** Reads the word of a transaction in one file; null if it has no known meaning. */
export type KindReader = (written: string) => TradeKind | null;

/** Longer texts are no word of a transaction. */
const LONGEST_WORD = 100;

/** What did not happen, or was taken back. */
const VOID =
  /cancel|\bcxl\b|storn|reject|reversal|reversed|expired|correct|annul|\b(?:void|undo|busted|failed|declined|pending|placed|created)\b|取消|訂正|\bhuy\b/;

/** What changes the shares in a way that only its own document shows. */
const ACTION =
  /\b(merger|acquisition|spin ?off|spinoff|conversion|exchange offer|reorgani[sz]ation|rights|tender|liquidation|delisting|assigned|exercised?)\b|fusion|umtausch|abspaltung|bezugsrecht|合併|株式交換|株式移転|現引|現渡|quyen mua/;

/** The first pattern that fits decides: `Verkauf` contains `Kauf`, and a stock dividend is a dividend by its name. */
const KINDS: readonly (readonly [TradeKind, RegExp])[] = [
  [
    "split",
    /split|分割|株式併合|併合|consolidation|zusammenlegung|regroupement|raggruppamento|frazionamento|grupamento|desdobramento|(?:tach|gop) co phieu/,
  ],
  [
    "none",
    /^(?:cash|qualified|ordinary|special)? ?(?:dividend|div) ?(?:received|income|payment|tax)?$|\b(?:cash|tien mat)\b.*\b(?:dividend|co tuc)\b|\bco tuc (?:bang )?tien|(?:\bfees?|\btax(?:es)?|gebuhr(?:en)?|steuer)$/,
  ],
  [
    "buy",
    /\b(?:buy|bought|purchase)\b.*\b(?:cover|close)\b|^cover\b|\bclose short\b|返済買|買埋|買返/,
  ],
  [
    "short",
    /\bshort sell\b|\bsell(?:ing)? short\b|\bsold short\b|\bsell to open\b|^(?:open )?short$|新規売|売建|空売|leerverkauf/,
  ],
  [
    "sell",
    /\b(?:sell|sold|sale|selling|redemption|redeemed|maturity|buyback|repurchase|sld|jual|prodej|prodano|eladas|vanzare|satis|myynti|salj|salt|sald|salg|solgt|vente|vendu|rachat|venta|vendido|venda|vendita|venduto|verkoop|verkocht|ban)\b|verkauf|ruckkauf|ruckzahlung|tilgung|auslieferung|ausbuchung|outbound|transfer ?out|transfer (?:ausgang|ausgehend)|remove ?holding|umbuchung \(ausgang|close long|sprzeda|prodaj|продаж|売|卖|賣|매도|解約|償還|出庫/,
  ],
  [
    "buy",
    /\b(?:buy|bought|buying|purchase|purchased|reinvest|reinvestment|reinvested|reinvestissement|drip|subscription|subscribed|vest|vested|grant|award|bot|beli|nakup|nakupeno|vetel|cumparare|alis|osto|kop|kopt|kjop|kjopt|kob|kobt|achat|achete|compra|comprado|acquisto|acquistato|koop|aankoop|gekocht|kupno|zakup|mua)\b|\b(?:savings|investment) plan\b|\brecurring\b|sparplan|spaarplan|kauf|einlieferung|einbuchung|zeichnung|wiederanlage|gratisaktie|inbound|transfer ?in\b|transfer (?:eingang|eingehend)|add ?holding|umbuchung \(eingang|stock dividend|dividend (?:paid )?in (?:shares|stock|kind)|aktiendividende|dividende en actions|dividendo (?:en acciones|in azioni)|bonus (?:share|issue)|scrip|open long|^(?:long|open)$|\bopening (?:balance|position)\b|anfangsbestand|tich san|thuong co phieu|co phieu thuong|co tuc bang co phieu|co tuc co phieu|покуп|купл|買|买|매수|積立|募集|入庫|再投資|株式配当/,
  ],
  ["close", /^(?:close|closed|closing|exit)(?: position| trade)?$/],
  [
    "none",
    /\b(?:div|dividend|dividends|dividende|dividenden|dividendo|dividendi|dywidenda|utdelning|utbytte|udbytte|osinko|cedola|coupon|kupon|return of capital|retrait|depot|distribution|distributions|interest|interessi|interet|interets|intereses|juros|rente|ranta|fee|fees|commission|commissions|courtage|avgift|kosten|tax|taxes|withholding|deposit|deposits|withdrawal|withdrawals|storting|opname|insattning|uttag|credit|liability|item|removal|versement|prelevement|virement|forex|cash|lai|phi|thue|nop tien|rut tien)\b|zinsen|zinsbelastung|gebuhr|steuer|einlage|einzahlung|auszahlung|entnahme|ausschuttung|lastschrift|vorabpauschale|配当|分配金|利金|利子|手数料|税|入金|出金|預り金|co tuc/,
  ],
  ["buy", /\breceived?\b/],
  ["sell", /\b(?:delivered|sent)\b/],
  [
    "transfer",
    /\btransfer(?:s|red)?\b|ubertrag|umbuchung|lagerwechsel|\btraspaso\b|\btrasferimento\b|\btransfert\b|overboeking|振替|移管|chuyen khoan|luu ky/,
  ],
];

/** The first 100 characters of a text in lower case, with plain Latin letters, and blanks for underscores and hyphens. */
export function foldedWord(written: string): string {
  return normalForm(written.slice(0, LONGEST_WORD), "NFKC")
    .trim()
    .toLowerCase()
    .replaceAll(/\p{Script=Latin}\p{M}*/gu, (letter) => normalForm(letter, "NFD").charAt(0))
    .replaceAll(/[đøłı]/g, (letter) => ({ đ: "d", ø: "o", ł: "l", ı: "i" })[letter] ?? letter)
    .replaceAll(/[_-]/g, " ");
}

/** Codes of brokers: opening and closing, which options have too, and codes of Viet Nam. */
const CODES: Readonly<Record<string, TradeKind>> = {
  bto: "buy",
  btc: "buy",
  sto: "short",
  stc: "sell",
  nb: "buy",
  ns: "sell",
};

/** Reads a word such as `Kauf` or `Market buy`; null if it has no known meaning. */
function tradeKindOf(written: string): TradeKind | null {
  const word = foldedWord(written);
  const isSplit = /split|併合/.test(word);
  if (VOID.test(word) || (!isSplit && /revers/.test(word))) return null;
  if (isSplit) return "split";
  if (ACTION.test(word)) return null;
  return CODES[word] ?? KINDS.find(([, pattern]) => pattern.test(word))?.[0] ?? null;
}

/** True for a corporate action, which changes shares although its row may have no quantity. */
export const isCorporateAction = (written: string): boolean => ACTION.test(foldedWord(written));

const CASH_MOVE =
  /\b(?:deposits?|withdrawals?|credit|debit|storting|opname|insattning|uttag|retrait|depot|nop tien|rut tien)\b|einlage|einzahlung|auszahlung|entnahme|入金|出金/;

/** True for a deposit or a withdrawal, which moves money, or shares if its row has a number of them. */
export const isCashMove = (written: string): boolean => CASH_MOVE.test(foldedWord(written));

/** Words that are a whole cell of a column that says what happened, whatever its name is. */
const WHOLE_WORD =
  /^(?:buy|sell|bought|sold|bot|sld|bto|stc|kauf|verkauf|aankoop|verkoop|koop|köp|sälj|kjøp|salg|køb|osto|myynti|achat|vente|compra|venta|venda|acquisto|vendita|kupno|sprzedaż|nákup|prodej|vétel|eladás|mua|bán|買付|売付|買|売|現物買|現物売|(?:信用)?売建|買付\(現物\)|売付\(現物\)|買入|卖出|매수|매도|покупка|продажа)$/i;

/** The first letters of buying and selling: English, German, Nordic and Polish, French and Italian, Spanish, Vietnamese. */
const LETTERS = ["bs", "kv", "ks", "av", "cv", "mb"] as const;

/** Both letters of those that are hardly something else in a column without a name. */
const BOTH_LETTERS: ReadonlySet<string> = new Set(["bs", "kv", "bm"]);

/** The letters for buying and selling in a column; null if its cells are no such letters, or can mean either. */
function lettersOf(header: string, cells: readonly string[]): string | null {
  const short = cells.filter((cell) => cell.length === 1).map(foldedWord);
  const fits = (pair: string) => short.every((letter) => pair.includes(letter));
  const name = normalizeHeader(header);
  const named = LETTERS.find((pair) => pair === name && fits(pair));
  if (named) return named;
  if (short.length === 0) return null;
  if (fits("mb") && (short.includes("m") || /mua|lenh|loai/.test(name))) return "mb";
  const areBoth = (pair: string) => Array.from(pair).every((letter) => short.includes(letter));
  return LETTERS.find(fits) ?? LETTERS.find(areBoth) ?? null;
}

/** The reader of a column's words, which takes single letters for what they mean in this column. */
function readerOf(header: string, cells: readonly string[]): KindReader {
  const letters = lettersOf(header, cells);
  return remembered((written) => {
    const word = foldedWord(written);
    if (word.length !== 1 || !letters?.includes(word)) return tradeKindOf(written);
    return word === letters[0] ? "buy" : "sell";
  });
}

/** A column that says what happened. */
export interface TypeColumn {
  readonly at: number;
  /** The other columns with such a name, which count where this one is empty. */
  readonly others: readonly number[];
  readonly kindOf: KindReader;
}

/** What a column of types has in a table of holdings: kinds of securities and of accounts. */
const NO_TRADE =
  /^(?:|-+|n\/a|summary|total|subtotal|position|(?:tax |open )?lots?|details?|cash|margin|stocks?|stk|shares?|equit(?:y|ies)|common(?: stock| share)?s?|preferred.*|etfs?|etns?|etcs?|funds?|mutual funds?|adrs?|gdrs?|reits?|index|bonds?|options?|futures?|crypto(?:currency)?|currency|forex|warrants?|security|securities|aktien?|fonds|anleihen?|azioni|actions?|acciones|ordinary.*|registered|taxable|ira|roth.*|401k|individual|joint|isa|sipp|nisa.*|現物|信用|特定.*|一般.*|旧?nisa.*|つみたて.*|株式.*|国内.*|米国.*|投資信託|投信|co phieu|trai phieu|chung chi quy)$/;

/**
 * The column that says what happened: one with a name for it, or any one with words such as `Buy` and `Sell`. Null if
 * the rows are holdings. Without it, a sale would count as a purchase.
 *
 * @param rankOf the position of a header in the list of names of this column, `Infinity` if it is none
 * @param isOther true for a header of another known column, such as symbols: `MUA` is one
 * @param isWeak true for a name that holdings have too, such as `Type`
 * @param hasEvents true if the rows are dated, or name an instrument twice: then unknown words say what happened
 */
export function findTypeColumn(
  header: readonly string[],
  rows: readonly { readonly cells: readonly string[] }[],
  {
    rankOf,
    isOther,
    isWeak,
    hasEvents,
  }: {
    readonly rankOf: (name: string) => number;
    readonly isOther: (name: string) => boolean;
    readonly isWeak: (name: string) => boolean;
    readonly hasEvents: boolean;
  },
): TypeColumn | null {
  const cellAt = ({ cells }: { readonly cells: readonly string[] }, at: number) =>
    cells[at]?.trim() ?? "";
  const positions = [...header.keys()].filter((at) => !isOther(header[at] ?? ""));
  const ranked = positions
    .filter((at) => rankOf(header[at] ?? "") < Infinity)
    .toSorted((a, b) => rankOf(header[a] ?? "") - rankOf(header[b] ?? ""));
  const columnAt = (at: number) => {
    const cells = [...new Set(rows.map((row) => cellAt(row, at)))].filter(Boolean);
    const name = header[at] ?? "";
    const others = ranked.filter((one) => one !== at);
    return { at, others, name, cells, kindOf: readerOf(name, cells) };
  };
  const named = ranked.map(columnAt);
  const ofTrades = named.find(({ cells, kindOf }) =>
    cells.some((cell) => !["none", "transfer", null].includes(kindOf(cell))),
  );
  const ofPayments = named.find(({ cells, kindOf }) =>
    cells.some((cell) => kindOf(cell) !== null && !NO_TRADE.test(foldedWord(cell))),
  );
  const known = ofTrades ?? ofPayments;
  if (known) return known;
  const unnamed =
    positions.find((at) => rows.some((row) => WHOLE_WORD.test(cellAt(row, at)))) ??
    positions.find((at) => hasBothLetters(rows.map((row) => cellAt(row, at))));
  if (unnamed !== undefined) return columnAt(unnamed);
  const terms = positions.find(
    (at) => !TERM.test(header[at] ?? "") && hasShort(rows.map((row) => cellAt(row, at))),
  );
  // Without a name that says so, it can be a position or a term.
  if (terms !== undefined) {
    return { ...columnAt(terms), kindOf: (word) => (/^short$/i.test(word) ? null : "buy") };
  }
  const isUnknown = (cell: string) => !NO_TRADE.test(foldedWord(cell));
  const doubtful = named.find(
    ({ name, cells }) => cells.some(isUnknown) && (hasEvents || !isWeak(name)),
  );
  return doubtful ?? null;
}

/** True if the cells are both letters of a pair, and nothing else. */
function hasBothLetters(cells: readonly string[]): boolean {
  if (cells.some((cell) => cell.length > 1)) return false;
  const letters = [...new Set(cells.map(foldedWord))].filter(Boolean);
  return BOTH_LETTERS.has(letters.toSorted().join(""));
}

/** A column of how long something was held, for taxes: its `Short` is no position. */
const TERM = /term|period|held|haltedauer/i;

/** True if the cells are `Long` and `Short`, and nothing else. */
const hasShort = (cells: readonly string[]): boolean =>
  cells.every((cell) => /^(?:long|short)?$/i.test(cell)) && cells.some((cell) => cell.length === 5);
