import { COUNTRY_CODES } from "#domain/country.ts";
import { type BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { type Cost, type ListItem, MAX_LIST_ITEMS } from "#domain/user-list.ts";
import { formatCount } from "#lib/table.ts";
import type { MarketStore } from "#store/index.ts";
import { isCash, parseHolding } from "#operations/reading/holdings.ts";
import { findNear } from "#operations/reading/near-symbols.ts";
import { parseSymbol } from "#operations/reading/symbol-notation.ts";
import {
  type Found,
  findInstrument,
  findReferenced,
  formatKey,
} from "#operations/reading/symbols.ts";
import { findPurchaseFault, type Purchase, purchaseOf } from "./purchases.ts";

/** Unknown items that an error names. */
const MAX_NAMED = 20;
/** For so many it names the closest symbol, because each search takes milliseconds. */
const MAX_CLOSEST = 5;

/** Items that are no symbols. Each takes a search of milliseconds. */
const MAX_SEARCHED = 100;

/** The items with what the market knows of their instruments; a stock if it knows none. */
export function describeItems(market: MarketStore, items: readonly ListItem[]) {
  return items.map((item) => {
    const found = market.instruments.find(item);
    return {
      ...item,
      type: found?.assetType ?? ("stock" as const),
      exchange: found?.exchange ?? null,
      currency: found?.currency ?? null,
    };
  });
}

/**
 * Checks the items of a list before it is stored. Delisted instruments are known.
 *
 * @param today YYYY-MM-DD in UTC
 * @throws BourseError `not_found` that names the unknown ones, each with the closest symbol; `invalid_argument` for the
 *   first price paid that cannot be
 */
export function checkItems(market: MarketStore, items: readonly ListItem[], today: string): void {
  const unknown: ListItem[] = [];
  for (const item of items) {
    const instrument = market.instruments.find(item);
    if (!instrument) unknown.push(item);
    else if (item.cost) {
      const purchase = { units: item.shares ?? 0, date: null, ...item.cost };
      const fault = findPurchaseFault(purchase, formatKey(item), instrument.currency, today);
      if (fault) throw invalidArgument(fault.message, { param: "items", hint: fault.hint });
    }
  }
  if (unknown.length === 0) return;
  const faults = unknown.slice(0, MAX_NAMED).map((item, i) => {
    const near = i < MAX_CLOSEST ? findNear(market, item.symbol, [item.country]) : null;
    return `${formatKey(item)} is unknown.${near ? ` Is it ${formatKey(near)}?` : ""}`;
  });
  throw refused(items.length, unknown.length, faults.join(" "));
}

/** The items that texts mean. */
interface ReadItems {
  readonly items: readonly ListItem[];
  /** What was understood where a text is no symbol, a clause each: `FB is META since 2022-06-09`. */
  readonly understood: readonly string[];
}

/**
 * Reads items as people and models write them: a symbol in any notation or a name, alone or with shares or a weight:
 * `US:AAPL`, `7203.T=300`, `FPT=40%`, `300 Toyota`. A note can follow after a tab, then the sentence of a thesis and its condition. At most 100 names are looked up. It
 * yields after each item, because a name takes a search.
 *
 * @param today YYYY-MM-DD in UTC
 * @throws BourseError `not_found` that names every text that is not understood, `invalid_argument` if there are too many
 */
export function* readItems(
  market: MarketStore,
  texts: readonly string[],
  today: string,
): Generator<void, ReadItems> {
  if (texts.length > MAX_LIST_ITEMS) {
    throw invalidArgument(
      `These are ${texts.length} items, and a list has at most ${MAX_LIST_ITEMS}. Make several lists.`,
      { param: "items" },
    );
  }
  const items = new Map<string, ListItem>();
  const understood: string[] = [];
  const faults: string[] = [];
  let searched = 0;
  // Equal texts are one item, so that a name is looked up once.
  const different = new Set(texts);
  for (const text of different) {
    yield;
    const [written = "", note = "", sentence = "", condition = ""] = text.split("\t");
    // Before its meaning, whose search takes longer than its text.
    if (written.length > MAX_WRITTEN) {
      faults.push(
        `${written.slice(0, 60)}…: A symbol or name has at most ${MAX_WRITTEN} characters.`,
      );
      continue;
    }
    if (!isListed(market, written) && ++searched > MAX_SEARCHED) {
      faults.push(
        `${written.slice(0, 60)}: At most ${MAX_SEARCHED} names are looked up. Give its symbol.`,
      );
      continue;
    }
    const one = readItem(market, written, { suggests: faults.length < MAX_CLOSEST, today });
    if ("fault" in one) faults.push(one.fault);
    else {
      if (one.why !== undefined) understood.push(one.why);
      const item = {
        ...one.item,
        ...(note !== "" && { note }),
        ...(sentence !== "" && { thesis: { text: sentence, while: condition } }),
      };
      const key = formatKey(item);
      const known = items.get(key);
      if (known && !Bun.deepEquals(known, item))
        faults.push(`${written}: ${key} is there twice, with different shares or weights.`);
      else items.set(key, item);
    }
  }
  if (faults.length === 0) return { items: [...items.values()], understood };
  throw refused(different.size, faults.length, faults.slice(0, MAX_NAMED).join(" "));
}

/** Characters of a symbol or name with its amount. */
const MAX_WRITTEN = 200;

/** True for the symbol of an instrument, which needs no search, alone or with an amount. */
function isListed(market: MarketStore, text: string): boolean {
  const reference = parseSymbol(parseHolding(text)?.symbol ?? text);
  return (
    reference !== null &&
    COUNTRY_CODES.some((country) => findReferenced(market, reference, country) !== null)
  );
}

type ReadItem =
  { readonly item: ListItem; readonly why: string | undefined } | { readonly fault: string };

/** What an object can have that means an item. */
const OBJECT_FORM =
  "An object takes symbol, country, shares or weight, cost with currency and bought_on, note, and thesis with text and while.";

function readItem(
  market: MarketStore,
  text: string,
  { suggests, today }: { readonly suggests: boolean; readonly today: string },
): ReadItem {
  // A name can end with a number, `S&P 500`, and a symbol with a sign, `JPY=X`.
  const alone = /=.*\d/.test(text) ? null : findInstrument(market, text, false);
  if (alone && "instrument" in alone) return toItem(alone, {});
  const written = text.slice(0, 60);
  if (/^[[{]/.test(text)) return { fault: `${written}: ${OBJECT_FORM}` };
  const holding = parseHolding(text);
  if (holding && isCash(holding)) return { fault: `${written}: Cash is no instrument.` };
  const { symbol, quantity, unit } = holding ?? { symbol: text, quantity: null, unit: null };
  if (unit !== null && unit !== "shares" && unit !== "%")
    return { fault: `${written}: Give shares (${symbol}=10) or a weight (${symbol}=40%).` };
  const found = findInstrument(market, symbol, suggests);
  if ("instrument" in found) {
    const amount =
      quantity === null ? {} : unit === "%" ? { weight: quantity } : { shares: quantity };
    const own = found.instrument.currency;
    const purchase = holding && purchaseOf(holding, own);
    if (!purchase) return toItem(found, amount);
    const fault = findPurchaseFault(purchase, formatKey(found.instrument), own, today);
    if (fault) return { fault: `${written}: ${fault.message} ${fault.hint}` };
    return toItem(found, { ...amount, cost: toCost(purchase) });
  }
  const [, name = "", amount] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (!holding && amount !== undefined && "instrument" in findInstrument(market, name, false))
    return {
      fault: `${written}: ${amount} is no amount. Give ${name}=10, ${name}=40% or ${name}=10@150USD.`,
    };
  const near = found.closest === null ? "" : ` Is it ${found.closest}?`;
  return { fault: `${written}: ${found.reason}${near}` };
}

const toCost = ({ price, currency, date }: Purchase): Cost => ({
  price,
  currency,
  ...(date !== null && { date }),
});

function toItem({ instrument, why }: Found, amount: Partial<ListItem>): ReadItem {
  const { country, symbol } = instrument;
  return { item: { country, symbol, ...amount }, why };
}

function refused(all: number, count: number, faults: string): BourseError {
  const more = count > MAX_NAMED ? ` And ${count - MAX_NAMED} more.` : "";
  return notFound(
    `Nothing was saved, because ${formatCount(count, "item")} of ${all} ${count === 1 ? "is" : "are"} not understood: ${faults}${more} Correct them or leave them out.`,
    { param: "items" },
  );
}
