import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import { homeOfReceipt } from "#domain/depositary-receipts.ts";
import { invalidArgument } from "#domain/errors.ts";
import { isShare } from "#domain/instrument.ts";
import type { ListFile, Remark, WrittenItem } from "#domain/list-file.ts";
import {
  MAX_CONDITION,
  type ListItem,
  MAX_LIST_ITEMS,
  MAX_NOTE,
  slugOf,
} from "#domain/user-list.ts";
import { CURRENCIES } from "#domain/currency.ts";
import { changesShares } from "#domain/split.ts";
import { findCost } from "./list-costs.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { foldedName } from "#operations/reading/company-names.ts";
import { findNear } from "#operations/reading/near-symbols.ts";
import { findMeant } from "#operations/reading/symbol-meaning.ts";
import { parseSymbol } from "#operations/reading/symbol-notation.ts";
import { type Found, findInstrument, formatKey } from "#operations/reading/symbols.ts";

/** An item of a list, with what of the file it was made of. */
export interface PreviewItem {
  /** Where the file names it first: `line 12`. */
  readonly place: string;
  readonly written: string;
  readonly item: ListItem;
  readonly name: string;
  /** What was understood, a clause: `FB is META since 2022-06-09`. Null if its symbol was written. */
  readonly why: string | null;
}

/** Something that means no instrument of the market, or several. */
export interface NotUnderstood extends Remark {
  /** The item to store if the nearest instrument is meant, and its name; null if none is near. */
  readonly closest: Pick<PreviewItem, "item" | "name"> | null;
}

/** What a file would become. Nothing is stored. */
export interface ListPreview {
  /** The program whose files have this form. */
  readonly program: string;
  /** A name for the list, made of the file's name. */
  readonly name: string;
  readonly items: readonly PreviewItem[];
  readonly notUnderstood: readonly NotUnderstood[];
  /** What is left out on purpose, or taken in part. */
  readonly remarks: readonly Remark[];
  /** The headers of the columns that the list does not keep: `Purchase price`. */
  readonly notRead: readonly string[];
}

/** Suggestions take a search each. */
const MAX_SUGGESTIONS = 30;

/**
 * Looks up what a file names. It yields between the searches.
 *
 * @param options the name of the file, from which the list's name is made, and the day, `YYYY-MM-DD`
 * @throws BourseError `invalid_argument` if the file names more instruments than a list can have
 */
export function* previewList(
  market: MarketStore,
  file: ListFile,
  { fileName, today }: { readonly fileName: string; readonly today: string },
): Generator<void, ListPreview> {
  if (file.items.length > MAX_LIST_ITEMS) {
    throw invalidArgument(
      `The file names ${file.items.length} instruments, and a list has at most ${MAX_LIST_ITEMS}: split the file.`,
    );
  }
  const found = new Map<number, PreviewItem>();
  const held = new Map<number, WrittenItem>();
  const paidRemarks = new Map<number, Remark>();
  const notUnderstood: NotUnderstood[] = [];
  const remarks = [...file.remarks];
  for (const one of file.items) {
    yield;
    const { place, written } = one;
    if (isCash(one)) {
      const reason = `cash; write US:${written} if a share is meant`;
      remarks.push({ place, written, reason });
      continue;
    }
    const meant = yield* findWritten(market, one);
    if ("reason" in meant) {
      const suggests = notUnderstood.length < MAX_SUGGESTIONS;
      const near = meant.near ?? (suggests ? yield* findNearest(market, one) : null);
      const closest = near && { item: itemOf(near, one), name: near.name };
      notUnderstood.push({ place, written, reason: meant.reason, closest });
      continue;
    }
    const { instrument, why = null } = meant;
    const receipt = receiptOf(instrument, written);
    if (receipt !== null && one.shares !== null) {
      const reason = `taken without shares: ${receipt} is a receipt, which can be of several shares or a part of one`;
      remarks.push({ place, written, reason });
    }
    for (const reason of [otherName(instrument, one), laterSplit(market, instrument, one, today)]) {
      if (reason !== null) remarks.push({ place, written, reason });
    }
    const known = found.get(instrument.id);
    const counted: WrittenItem =
      receipt === null || one.shares === null ? one : { ...one, shares: "uncertain" };
    const whole = joined(held.get(instrument.id), counted);
    held.set(instrument.id, whole);
    const paid = findCost(market, instrument, whole, { today, isOwn: file.program === "bourse" });
    if (paid?.remark) paidRemarks.set(instrument.id, { place, written, reason: paid.remark });
    else paidRemarks.delete(instrument.id);
    const item = { ...itemOf(instrument, whole), ...(paid?.cost && { cost: paid.cost }) };
    found.set(
      instrument.id,
      known ? { ...known, item } : { place, written, item, name: instrument.name, why },
    );
    if (known)
      remarks.push({
        place,
        written,
        reason: `added to ${formatKey(instrument)} of ${known.place}`,
      });
  }
  remarks.push(...paidRemarks.values());
  return {
    program: file.program,
    name: slugOf(fileName.replace(/\.[A-Za-z0-9]{1,9}$/, "")) || slugOf(file.program),
    items: [...found.values()],
    notUnderstood,
    remarks,
    notRead: file.notRead ?? [],
  };
}

/** The depositary receipt that was written for a share in Tokyo; null for other texts. */
function receiptOf({ country, symbol }: StoredInstrument, written: string): string | null {
  const receipt = parseSymbol(written)?.symbol ?? "";
  return country === "JP" && homeOfReceipt(receipt) === symbol ? receipt : null;
}

/** Two items of one instrument: their shares and weights are added. */
function joined(known: WrittenItem | undefined, one: WrittenItem): WrittenItem {
  if (!known) return one;
  const isUncertain = known.shares === "uncertain" || one.shares === "uncertain";
  const { cost: _, ...rest } = known;
  return {
    ...rest,
    shares: isUncertain ? "uncertain" : sum(known.shares, one.shares),
    weight: sum(known.weight, one.weight),
    boughtOn: [known.boughtOn, one.boughtOn].filter((day) => day !== null).toSorted()[0] ?? null,
    note: known.note ?? one.note,
    ...joinedCost(known, one),
  };
}

/** The average of the prices paid for two items; none if one is not known, or they are in different currencies. */
function joinedCost(a: WrittenItem, b: WrittenItem): Pick<WrittenItem, "cost"> {
  const [first, second] = [a.cost, b.cost];
  if (!first || !second || first.currency !== second.currency) return {};
  if (typeof a.shares !== "number" || typeof b.shares !== "number") return {};
  const all = a.shares * first.price + b.shares * second.price;
  const price = Number((all / (a.shares + b.shares)).toPrecision(12));
  const date = first.date === second.date ? first.date : null;
  return price > 0 ? { cost: { price, currency: first.currency, date } } : {};
}

/** To eight decimals, because binary fractions leave a rest. */
const sum = <T>(a: number | T, b: number | T): number | T =>
  typeof a === "number" && typeof b === "number"
    ? Number((a + b).toFixed(8))
    : typeof a === "number"
      ? a
      : b;

function itemOf({ country, symbol }: StoredInstrument, one: WrittenItem): ListItem {
  const shares = typeof one.shares === "number" ? one.shares : undefined;
  const weight = shares === undefined ? (one.weight ?? undefined) : undefined;
  return {
    country,
    symbol,
    ...(shares !== undefined && { shares }),
    ...(weight !== undefined && { weight }),
    ...(one.note && { note: shortened(one.note, MAX_NOTE) }),
    ...(one.thesis && {
      thesis: {
        text: shortened(one.thesis.text, MAX_NOTE),
        while: shortened(one.thesis.while, MAX_CONDITION),
      },
    }),
  };
}

/** The beginning of a text, without half a character at its end. */
const shortened = (text: string, most: number): string =>
  text.slice(0, most).replace(/[\ud800-\udbff]$/, "");

const CASH: ReadonlySet<string> = new Set(CURRENCIES);

/** True for an amount of one of the main currencies. Other codes are shares too, such as ALL and BND. */
const isCash = ({ symbols, shares }: WrittenItem) => shares !== null && CASH.has(symbols[0] ?? "");

/** Why an item means no instrument, a clause without a full stop, and the instrument that its name means. */
interface NotFound {
  readonly reason: string;
  readonly near: StoredInstrument | null;
}

/** The instrument that an item means without doubt: by its ISIN, a symbol, or its name. */
function* findWritten(market: MarketStore, one: WrittenItem): Generator<void, Found | NotFound> {
  const { isin } = one;
  const coded = isin === null ? null : findInstrument(market, isin, false);
  if (coded && "instrument" in coded) return coded;
  let first: NotFound | null = null;
  for (const text of one.symbols) {
    const found = findBySymbol(market, text, one);
    if ("instrument" in found) return found;
    first ??= found;
    yield;
  }
  const named = findByName(market, one);
  if (named && isNameSure(named, one)) return named;
  const numbered = coded && "reason" in coded ? clause(coded.reason) : null;
  return {
    reason: first?.reason ?? numbered ?? `${one.name ?? one.written} is no name of one instrument`,
    near: named?.instrument ?? first?.near ?? null,
  };
}

/** The country of the ISIN if it is one of ours. A company of another country can be listed in the US. */
const countryOfIsin = ({ isin }: WrittenItem): Country | null =>
  COUNTRY_CODES.find((code) => isin?.startsWith(code)) ?? null;

function findBySymbol(market: MarketStore, text: string, one: WrittenItem): Found | NotFound {
  const numbered = countryOfIsin(one);
  const priced = COUNTRY_CODES.find((code) => COUNTRIES[code].currency === one.currency);
  const preferred = numbered ?? priced;
  const isPlain = parseSymbol(text)?.country === undefined;
  const inCountry =
    preferred && isPlain ? findInstrument(market, `${preferred}:${text}`, false) : null;
  const isOnly = inCountry && ("instrument" in inCountry || numbered !== null);
  const found = isOnly ? inCountry : findInstrument(market, text, false);
  if ("reason" in found) return { reason: clause(found.reason), near: null };
  const reason = contradiction(found.instrument, one);
  return reason === null ? found : { reason, near: found.instrument };
}

/**
 * Why the instrument of a symbol is not the one of the file: the same letters mean another company in another
 * country. Null if nothing speaks against it.
 */
function contradiction(instrument: StoredInstrument, one: WrittenItem): string | null {
  const { country, currency } = instrument;
  const here = `${formatKey(instrument)} ${instrument.name}`;
  if (!isShare(instrument.assetType)) return null;
  if (one.currency && one.currency !== currency) {
    return `its price is in ${one.currency}, and the price of ${here} in ${currency}`;
  }
  const numbered = countryOfIsin(one);
  if (one.isin && numbered !== country && (numbered || country !== "US")) {
    return `its ISIN ${one.isin} is not of ${country}, where ${here} is`;
  }
  return null;
}

/** A remark on a symbol without an exchange whose name in the file has no word of the instrument's; null without doubt. */
function otherName(
  instrument: StoredInstrument,
  { name, symbols: [symbol] }: WrittenItem,
): string | null {
  if (!name || !symbol || parseSymbol(symbol)?.country !== undefined) return null;
  const [own, file] = [instrument.name, name].map((one) => new Set(foldedName(one).split(" ")));
  const isLatin = /^[\p{Script=Latin}\p{Script=Common}]+$/u.test(name);
  if (!isLatin || !own || !file?.isDisjointFrom(own)) return null;
  return `taken as ${formatKey(instrument)} ${instrument.name}, but its name in the file is ${name}`;
}

/**
 * A remark on a split after the oldest purchase that the file does not have: programs count it in the purchases, brokers
 * in a row of its own. Null without such a split.
 */
function laterSplit(
  market: MarketStore,
  { country, symbol }: StoredInstrument,
  { boughtOn, shares }: WrittenItem,
  today: string,
): string | null {
  if (boughtOn === null || typeof shares !== "number") return null;
  const splits = market.documents.find("splits", country, symbol)?.splits ?? [];
  const later = splits.findLast(
    (one) => one.exDate > boughtOn && one.exDate <= today && changesShares(one, country),
  );
  if (!later) return null;
  return `check whether ${shares} shares count the split of ${later.numerator} for ${later.denominator} on ${later.exDate}: a purchase is of ${boughtOn}`;
}

/** What banks write behind the name of a company: `Registered Shares o.N.`, `DL-,00001`. */
const KIND_OF_SHARES =
  / (?:registered|reg\.? ?sh|namens|inhaber|bearer|vorzugs|stamm|common stock|ordinary shares|shares|aktien|dl[ -]|o\.n\.|yn |adr).*$/i;
/** A name without its class of shares can mean another one. */
const HAS_CLASS = /\bcl(?:ass)?\.? ?-?[a-c]\b/i;

/** An ISIN of the US contains a CUSIP number. Its two characters for the issue are digits for shares, and have a letter for debt. */
const isBond = ({ isin }: WrittenItem): boolean => /^US.{6}(?:[A-Z].|.[A-Z])/.test(isin ?? "");

/** The name without what banks write behind it. */
const bareName = (name: string): string =>
  HAS_CLASS.test(name) ? name : name.replace(KIND_OF_SHARES, "").trim();

/** The instrument that the name means, in the country of the ISIN if that is one of ours. */
function findByName(market: MarketStore, one: WrittenItem): Found | null {
  if (!one.name) return null;
  const name = bareName(one.name);
  const country = countryOfIsin(one);
  const found = country ? findMeant(market, name, country) : findInstrument(market, name, false);
  if (!found || "reason" in found) return null;
  return { ...found, why: found.why ?? `${name} is ${formatKey(found.instrument)}` };
}

/** True if the ISIN names the country, or the file has nothing but the name. Cryptocurrencies have no country. */
const isNameSure = ({ instrument }: Found, one: WrittenItem): boolean =>
  !isBond(one) &&
  (countryOfIsin(one) !== null ||
    (one.isin === null && (one.symbols.length === 0 || !isShare(instrument.assetType))));

/** The instrument that is probably meant. */
function* findNearest(
  market: MarketStore,
  one: WrittenItem,
): Generator<void, StoredInstrument | null> {
  // A program that writes names mistypes no symbols.
  for (const text of one.name ? [bareName(one.name)] : one.symbols) {
    const plain = text.toUpperCase();
    const { symbol = plain, country } = parseSymbol(plain) ?? {};
    for (const place of country ? [country] : COUNTRY_CODES) {
      yield;
      const found = findNear(market, symbol, [place]);
      if (found) return market.instruments.find(found);
    }
  }
  return null;
}

/** A sentence as a clause. */
const clause = (sentence: string): string => sentence.replace(/\.$/, "");
