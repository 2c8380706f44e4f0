import { Type } from "@sinclair/typebox";
import { CURRENCIES } from "#domain/currency.ts";
import { listNameOf } from "#domain/user-list.ts";
import type { InputKeywords } from "./decode.ts";
import { parseSymbol } from "./symbol-notation.ts";
import { readDate } from "./written-dates.ts";
import { hintOnPoints } from "./written-numbers.ts";
import { isDate } from "#lib/date.ts";
import { parseJson } from "#lib/json.ts";
import { numberText } from "#lib/number-text.ts";
import { normalForm } from "#lib/normal-form.ts";

/** One line of a portfolio: `US:AAPL=10`, `US:AAPL=10@150`, `US:AAPL=40%`, `US:AAPL=5000USD`, `CASH:JPY=100000`. */
export interface Holding {
  /** The symbol as written, in upper case; `CASH` or `CASH:JPY` for cash. */
  readonly symbol: string;
  readonly quantity: number;
  /** Shares, percent of the portfolio, or the ISO code of an amount's currency. */
  readonly unit: "shares" | "%" | (typeof CURRENCIES)[number];
  /** The price paid for a share; left out if it is not known. */
  readonly cost?: number;
  /** The ISO code of its currency; left out for the currency of the share's prices. */
  readonly costCurrency?: string;
  /** The day of the purchase, YYYY-MM-DD: the price is for a share of that day. Left out for a share of today. */
  readonly costDate?: string;
}

const MAX_HOLDINGS = 50;
const MAX_TEXT = MAX_HOLDINGS * 40;
/** No holding is as long, in characters. A longer text is not read: the time grows with the square of its words. */
const MAX_ITEM = 200;
const EXAMPLE = "US:AAPL=10,JP:7203=300,VN:FPT=5000";
/** What comes after a number that has no certain meaning: 0.6 shares, or 60 %. */
const OF_ONE = " OF 1";

/** The input schema of the holdings of a portfolio, in the forms that people and models write. */
export const HoldingsInput = Type.String({
  minLength: 1,
  maxLength: MAX_TEXT,
  description: `1 to ${MAX_HOLDINGS}: shares US:AAPL=10,JP:7203=300; with the price paid US:AAPL=10@150; weights US:AAPL=40%; amounts US:AAPL=5000USD; cash USD=1000.`,
  read: holdingsText,
  mostItems: MAX_HOLDINGS,
  accepts: (text: string) => problemOf(text) === null,
  example: EXAMPLE,
  expected: `1 to ${MAX_HOLDINGS} holdings, comma-separated, such as ${EXAMPLE} (shares), US:AAPL=40% (weight), US:AAPL=5000USD (amount) or USD=1000 (cash)`,
  hint: (text: string) => problemOf(text) ?? `Write them like ${EXAMPLE}.`,
} satisfies InputKeywords & Parameters<typeof Type.String>[0]);

/** The holdings of a text that `HoldingsInput` accepted. */
export function parseHoldings(text: string): Holding[] {
  return text.split(",").flatMap((item) => parseHolding(item) ?? []);
}

/** The text of holdings with other symbols. Cash stays as it is. */
export function mapHoldings(text: string, map: (symbol: string) => string): string {
  return text
    .split(",")
    .map((item) => {
      const one = parseHolding(item);
      return one && !isCash(one) ? formatHolding({ ...one, symbol: map(one.symbol) }) : item;
    })
    .join(",");
}

/** True for cash. */
export const isCash = ({ symbol }: Holding): boolean => /^CASH(:|$)/.test(symbol);

/** The currency of cash; null for the currency of the answer. */
export const cashCurrency = ({ symbol }: Holding): string | null => symbol.slice(5) || null;

const formatHolding = ({ symbol, quantity, unit, ...paid }: Holding): string =>
  `${symbol}=${quantity}${unit === "shares" ? "" : unit}${formatPaid(paid)}`;

/** The price paid behind a number of shares: `@150USD`, `@150USD@2024-05-01`; empty without one. */
export const formatPaid = ({
  cost,
  costCurrency = "",
  costDate,
}: Pick<Holding, "cost" | "costCurrency" | "costDate">): string =>
  cost === undefined
    ? ""
    : `@${numberText(cost)}${costCurrency}${costDate === undefined ? "" : `@${costDate}`}`;

/** Why a text is refused, with what to do next; null if it is accepted. */
function problemOf(text: string): string | null {
  const all = text.split(",");
  const items = all.filter((item) => listNameOf(item) === null);
  if (items.length === 0) return null;
  if (all.length > MAX_HOLDINGS) return `Give at most ${MAX_HOLDINGS} holdings.`;
  const ofOne = items.find((item) => item.endsWith(OF_ONE));
  if (ofOne !== undefined) {
    const [symbol = "", number = ""] = ofOne.slice(0, -OF_ONE.length).split(/=(?=[^=]*$)/);
    return `For a weight write ${symbol}=${Math.round(Number(number) * 1e8) / 1e6}%, for a part of a share ${symbol}=${number} shares.`;
  }
  const holdings = items.map(parseHolding);
  const unread = items[holdings.indexOf(null)];
  if (unread !== undefined) return problemOfItem(unread);
  if (items.length === all.length && holdings.every((one) => one && isCash(one)))
    return "Add a holding that is no cash: US:AAPL=10.";
  return null;
}

function problemOfItem(item: string): string {
  const pointed = hintOnPoints(item);
  if (pointed !== null) return pointed;
  if (/^\d{3}(\.\d+)?$/.test(item)) return "Write thousands without a comma: 1000.";
  const [, field] = UNREAD_FIELD.exec(item) ?? [];
  if (field !== undefined)
    return `A holding has no field ${field.toLowerCase()}. Its fields are symbol, country, shares, weight, amount, currency, bought_on and cost, the price paid for a share.`;
  if (item.includes("@"))
    return "The price paid follows a number of shares, in the currency of the share: US:AAPL=10@150, or US:AAPL=10@150USD. The day of the purchase can follow: US:AAPL=10@150USD@2024-05-01.";
  if (/=-?[\d.]+ AMOUNT$/.test(item))
    return `An amount needs its currency: ${item.replace(" AMOUNT", "USD")}.`;
  const symbol = parseSymbol(item)?.symbol;
  return symbol === undefined || /^[\d.]+$|=(?!X$)/.test(item)
    ? `Write ${item.slice(0, 40)} like US:AAPL=10.`
    : `How much of ${item}? Write ${item}=10, ${item}=40% or ${item}=5000USD.`;
}

/**
 * Holdings of any form as comma-separated text: text, a list of texts, pairs or objects, an object with a symbol for
 * each quantity, or the JSON text of these. What cannot be read is left as it is.
 */
function holdingsText(value: unknown): unknown {
  if (typeof value === "string") {
    if (value.length > MAX_TEXT * 4) return value;
    const text = normalForm(value, "NFKC").replaceAll("−", "-").trim();
    const parsed = /^[[{]/.test(text) ? parseJson(text) : undefined;
    return parsed === undefined ? joinItems(splitItems(text)) : holdingsText(parsed);
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Array.isArray(value)
    ? (value as unknown[]).map(entryOf)
    : isHoldingObject(value)
      ? [entryOf(value)]
      : Object.entries(value).map(([symbol, quantity]) => entryOf([symbol, quantity]));
  if (entries.length === 0 || entries.length > 4 * MAX_HOLDINGS || entries.includes(null))
    return value;
  return joinItems(asPercent(entries as string[]));
}

/** A text without commas is separated by spaces if each part is `symbol=quantity`. */
function splitItems(text: string): string[] {
  const items = text.split(/[,;|\n、]/).flatMap((item) => {
    const both = item.split(/ (?:and|&) /i);
    return both.every((one) => parseHolding(one)) ? both : item;
  });
  const words = text.split(/\s+/);
  const isSpaced =
    items.length === 1 &&
    words.every((word) => word.length <= MAX_ITEM && /^[^=]+.*=[^=]+$/.test(word));
  return (isSpaced ? words : items).map((item) => item.trim()).filter((item) => item !== "");
}

function joinItems(items: readonly string[]): string {
  const parsed = items.map((item) => [item, parseHolding(item)] as const);
  const looksLikeWeights = isWhole(
    parsed.map(([item, one]) =>
      one?.unit === "shares" && one.cost === undefined && !/SHARE/i.test(item)
        ? one.quantity
        : Number.NaN,
    ),
  );
  return parsed
    .map(([item, one]) => {
      if (!one) return item.toUpperCase();
      return looksLikeWeights ? `${formatHolding(one)}${OF_ONE}` : formatHolding(one);
    })
    .join(",");
}

/** True for parts of 1 that sum to 1. */
function isWhole(numbers: readonly number[]): boolean {
  const sum = numbers.reduce((all, one) => all + one, 0);
  const areParts = numbers.every((one) => one >= 0 && one < 1);
  return areParts && Math.abs(sum - 1) < 1e-6;
}

/** What comes after the number of a `weight`, whose unit is percent, or 1 for the whole. */
const WEIGHT = " WEIGHT";

/** Weights that sum to 1 as percent. Other numbers up to 1 have no certain meaning. */
function asPercent(items: readonly string[]): string[] {
  const weights = items.filter((item) => item.endsWith(WEIGHT));
  const numbers = weights.map((item) => Number(/=([^=]*) WEIGHT$/.exec(item)?.[1]));
  const isOfOne = numbers.length > 0 && numbers.every((one) => Math.abs(one) <= 1);
  const sum = numbers.reduce((all, one) => all + one, 0);
  return items.map((item) => {
    if (!item.endsWith(WEIGHT)) return item;
    const at = item.lastIndexOf("=");
    const [symbol, number] = [item.slice(0, at), item.slice(at + 1, -WEIGHT.length)];
    if (!isOfOne) return `${symbol}=${number}%`;
    if (Math.abs(sum - 1) > 1e-3) return `${symbol}=${number}${OF_ONE}`;
    return `${symbol}=${Math.round(Number(number) * 1e8) / 1e6}%`;
  });
}

/** What comes after a holding with a field that is not read. */
const UNREAD_FIELD = / WITH (.*)$/;

const SYMBOL_KEYS = ["symbol", "ticker", "code", "asset", "instrument", "name"];
const SHARES_KEYS = ["shares", "quantity", "qty", "units", "count", "amount_shares", "position"];
const WEIGHT_KEYS = ["weight", "percent", "pct", "percentage", "allocation", "weight_percent"];
const AMOUNT_KEYS = ["amount", "value", "market_value", "marketValue", "cash"];
const COST_KEYS = [
  "cost",
  "cost_per_share",
  "buy_price",
  "purchase_price",
  "avg_cost",
  "average_cost",
  "avg_price",
  "average_price",
  "entry_price",
];
const DATE_KEYS = [
  "bought_on",
  "cost_date",
  "purchase_date",
  "buy_date",
  "bought_at",
  "date_bought",
  "acquired",
];
/** Fields that say nothing about the amount, and those that are read with it. */
const OTHER_KEYS = ["country", "currency", "company", "company_name", "sector", "industry", "type"];
const READ_KEYS: ReadonlySet<string> = new Set(
  [SYMBOL_KEYS, SHARES_KEYS, WEIGHT_KEYS, AMOUNT_KEYS, COST_KEYS, DATE_KEYS, OTHER_KEYS].flat(),
);

const isHoldingObject = (value: object): boolean =>
  SYMBOL_KEYS.some((key) => Object.hasOwn(value, key)) ||
  (Object.hasOwn(value, "currency") && AMOUNT_KEYS.some((key) => Object.hasOwn(value, key)));

/** An entry of a list as text: a text, a pair or an object; null if it is none. */
function entryOf(entry: unknown): string | null {
  if (typeof entry === "string") return plainNumber(entry);
  if (Array.isArray(entry)) {
    const [symbol, quantity, ...more] = entry as unknown[];
    if (typeof symbol !== "string" || more.length > 0) return null;
    if (typeof quantity === "object" && quantity !== null && !Array.isArray(quantity))
      return entryOf({ ...quantity, symbol });
    return isScalar(quantity) ? `${symbol}=${plainNumber(quantity)}` : null;
  }
  return typeof entry === "object" && entry !== null
    ? objectText(entry as Record<string, unknown>)
    : null;
}

function objectText(entry: Readonly<Record<string, unknown>>): string | null {
  const costs = COST_KEYS.flatMap((key) => {
    const cost = entry[key];
    return isScalar(cost) ? [{ key, cost: plainNumber(cost) }] : [];
  });
  const isRead = (key: string) =>
    READ_KEYS.has(key) && (costs.length > 0 || !DATE_KEYS.includes(key));
  const unread =
    Object.keys(entry).find((key) => !isRead(key) && entry[key] !== null) ??
    // `cost` beside `avg_price` is mostly the cost of all shares.
    costs.find(({ cost }) => cost !== costs[0]?.cost)?.key;
  const text = knownText(entry);
  return unread === undefined ? text : `${text} WITH ${unread}`;
}

/** An object as text, by the fields that are read. */
function knownText(entry: Readonly<Record<string, unknown>>): string {
  const find = (keys: readonly string[]) => keys.map((key) => entry[key]).find(isScalar);
  const currency = typeof entry["currency"] === "string" ? entry["currency"] : "";
  const named = find(SYMBOL_KEYS) ?? (currency && `CASH:${currency}`);
  const country = typeof entry["country"] === "string" ? `${entry["country"]}:` : "";
  const symbol = String(named).includes(":") ? String(named) : `${country}${named}`;
  const [shares, weight, amount] = [SHARES_KEYS, WEIGHT_KEYS, AMOUNT_KEYS].map(find);
  const cost = find(COST_KEYS);
  const day = find(DATE_KEYS);
  const paid =
    cost === undefined
      ? ""
      : `@${plainNumber(cost)}${currency}${day === undefined ? "" : `@${readDate(String(day)) ?? day}`}`;
  if (shares !== undefined)
    return `${symbol}=${plainNumber(shares)}${typeof shares === "number" ? " SHARES" : ""}${paid}`;
  if (paid !== "") return `${symbol}${paid}`;
  if (weight !== undefined)
    return `${symbol}=${plainNumber(weight)}${String(weight).endsWith("%") ? "" : WEIGHT}`;
  if (amount === undefined) return symbol;
  const number = plainNumber(amount);
  const isComplete = /[^\d.-]/.test(number);
  return `${symbol}=${number}${isComplete ? "" : currency || " AMOUNT"}`;
}

const isScalar = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** A number without separators of thousands, which are unmistakable outside a list. */
const plainNumber = (value: string | number): string =>
  String(value).replaceAll(/(?<=\d),(?=\d{3}\b)/g, "");

const NUMBER = String.raw`[-+]?(?:\d{1,15}(?:\.\d{0,10})?|\.\d{1,10})(?:E[-+]?\d{1,2})?`;
const SHARES = new RegExp(
  `^(?<number>${NUMBER}) ?(?:SHARES?|SHS?|STOCKS?|UNITS?|COINS?|[X×株]|CỔ PHIẾU|CP)?(?: ?@ ?(?<mark>[$€£¥₫])?(?<cost>\\d{1,15}(?:\\.\\d{1,10})?) ?(?<code>[A-Z]{3})?(?: ?(?:@|ON) ?(?<day>\\d{4}-\\d\\d-\\d\\d))?)?$`,
);
const PERCENT = new RegExp(`^(?<number>${NUMBER}) ?(?:%|PERCENT|PCT)$`);
const AMOUNTS = [
  new RegExp(`^(?<number>${NUMBER}) ?(?<code>[A-Z]{3}|[$€£¥₫])$`),
  new RegExp(`^(?<code>[A-Z]{3}|[$€£¥₫]) ?(?<number>${NUMBER})$`),
];
const CODES: ReadonlyMap<string, string> = new Map([
  ...CURRENCIES.map((code) => [code, code] as const),
  ...Object.entries({ $: "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₫": "VND" }),
]);

type Quantity = Omit<Holding, "symbol">;

/** `10`, `10 shares`, `40%`, `5000USD`, `USD 5000`, `$5000`; null if it is none. In upper case. */
function parseQuantity(text: string): Quantity | null {
  for (const [pattern, unit] of [
    [PERCENT, "%"],
    [SHARES, "shares"],
  ] as const) {
    const { number, cost, mark, code, day } = pattern.exec(text)?.groups ?? {};
    if (number === undefined || (day !== undefined && !isDate(day))) continue;
    if (cost === undefined) return { quantity: Number(number), unit };
    const given = [mark, code].flatMap((one) => (one === undefined ? [] : [CODES.get(one)]));
    const [costCurrency] = given;
    if (given.some((one) => one === undefined || one !== costCurrency)) return null;
    return {
      quantity: Number(number),
      unit,
      cost: Number(cost),
      ...(costCurrency && { costCurrency }),
      ...(day !== undefined && { costDate: day }),
    };
  }
  for (const pattern of AMOUNTS) {
    const { number, code = "" } = pattern.exec(text)?.groups ?? {};
    const unit = CODES.get(code);
    if (number !== undefined && unit !== undefined)
      return { quantity: Number(number), unit: unit as Holding["unit"] };
  }
  return null;
}

/** Reads one holding, in any order of symbol and quantity; null if it is none. */
export function parseHolding(text: string): Holding | null {
  if (text.length > MAX_ITEM) return null;
  const item = text
    .trim()
    .replaceAll(/\s+/g, " ")
    .toUpperCase()
    .replaceAll(/(\d{1,9}(?:\.\d{1,4})?)([億万])/g, (_, digits: string, unit: string) =>
      String(Math.round(Number(digits) * (unit === "億" ? 1e8 : 1e4))),
    );
  if (item.endsWith(OF_ONE) || UNREAD_FIELD.test(item) || hintOnPoints(item) !== null) return null;
  const alone = parseQuantity(item);
  if (alone) return CODES.has(alone.unit) ? toHolding("CASH", alone) : null;
  const [, some = "", thing = ""] = /^(.+?) (?:OF|IN) (.+)$/.exec(item) ?? [];
  const pairs = [
    [thing, some] as const,
    splitLast(item, "="),
    // `JP:7203` is a symbol without a quantity.
    ...(parseSymbol(item)?.country === undefined ? [splitLast(item, ":")] : []),
    ...wordPairs(item.replace(/ ?\((.*)\)$/, " $1")),
  ];
  for (const pair of pairs) {
    const quantity = pair && parseQuantity(pair[1]);
    if (quantity && pair[0] !== "") return toHolding(pair[0], quantity);
  }
  return null;
}

function splitLast(item: string, separator: string): readonly [string, string] | null {
  const at = item.lastIndexOf(separator);
  return at < 0 ? null : [item.slice(0, at).trim(), item.slice(at + 1).trim()];
}

/** The symbol and the quantity by words: `AAPL 10 SHARES`, then `10 SHARES OF AAPL`. */
function wordPairs(item: string): (readonly [string, string])[] {
  const words = item.split(" ");
  const ends = words.slice(1).map((_, i) => i + 1);
  return [
    ...ends.map(
      (at) =>
        [
          words.slice(0, at).join(" "),
          words
            .slice(at)
            .join(" ")
            .replace(/^[X×*] ?/, ""),
        ] as const,
    ),
    ...ends.toReversed().map(
      (at) =>
        [
          words
            .slice(at)
            .join(" ")
            .replace(/^(?:OF|IN|X|×) /, "")
            .replace(/ SHARES?$/, ""),
          words.slice(0, at).join(" "),
        ] as const,
    ),
  ];
}

/** A currency without a country is cash: `USD=1000`, `cash:JPY=100000`, `cash=1000USD`. */
function toHolding(symbol: string, { quantity, unit, ...paid }: Quantity): Holding | null {
  const [, isNamed, code] = /^(?:(CASH)[: _]?)?([A-Z]{3})?$/.exec(symbol) ?? [];
  const isCode = code !== undefined && CODES.has(code);
  if (!isCode && symbol !== "CASH") return { symbol, quantity, unit, ...paid };
  // Cash has no price.
  if (paid.cost !== undefined) return null;
  if (isCode) return { symbol: `CASH:${code}`, quantity, unit };
  if (isNamed === undefined) return null;
  return unit === "shares" || unit === "%"
    ? { symbol, quantity, unit }
    : { symbol: `CASH:${unit}`, quantity, unit: "shares" };
}
