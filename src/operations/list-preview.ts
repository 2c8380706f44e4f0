import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { isShare } from "#domain/instrument.ts";
import type { ListFile, Remark, WrittenItem } from "#domain/list-file.ts";
import { type ListItem, MAX_LIST_ITEMS, MAX_NOTE, slugOf } from "#domain/user-list.ts";
import { CURRENCIES } from "#domain/currency.ts";
import { changesShares } from "#domain/split.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { foldedName } from "./company-names.ts";
import { findNear } from "./near-symbols.ts";
import { findMeant } from "./symbol-meaning.ts";
import { parseSymbol } from "./symbol-notation.ts";
import { type Found, findInstrument, formatKey } from "./symbols.ts";

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
}

/** Suggestions take a search each. */
const MAX_SUGGESTIONS = 50;

/**
 * Looks up what a file names. It yields after each instrument, because a name takes a search.
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
    throw new BourseError(
      "invalid_argument",
      `The file names ${file.items.length} instruments, and a list has at most ${MAX_LIST_ITEMS}: split the file.`,
    );
  }
  const found = new Map<number, PreviewItem>();
  const held = new Map<number, WrittenItem>();
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
    const meant = findWritten(market, one);
    if (typeof meant === "string") {
      const closest = notUnderstood.length < MAX_SUGGESTIONS ? nearest(market, one) : null;
      notUnderstood.push({ place, written, reason: meant, closest });
      continue;
    }
    const { instrument, why = null } = meant;
    for (const reason of [otherName(instrument, one), laterSplit(market, instrument, one, today)]) {
      if (reason !== null) remarks.push({ place, written, reason });
    }
    const known = found.get(instrument.id);
    const whole = joined(held.get(instrument.id), one);
    held.set(instrument.id, whole);
    const item = itemOf(instrument, whole);
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
  return {
    program: file.program,
    name: slugOf(fileName.replace(/\.[A-Za-z0-9]{1,9}$/, "")) || slugOf(file.program),
    items: [...found.values()],
    notUnderstood,
    remarks,
  };
}

/** Two items of one instrument: their shares and weights are added. */
function joined(known: WrittenItem | undefined, one: WrittenItem): WrittenItem {
  if (!known) return one;
  const isUncertain = known.shares === "uncertain" || one.shares === "uncertain";
  return {
    ...known,
    shares: isUncertain ? "uncertain" : sum(known.shares, one.shares),
    weight: sum(known.weight, one.weight),
    boughtOn: [known.boughtOn, one.boughtOn].filter((day) => day !== null).toSorted()[0] ?? null,
    note: known.note ?? one.note,
  };
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
    ...(one.note && { note: one.note.slice(0, MAX_NOTE).replace(/[\ud800-\udbff]$/, "") }),
  };
}

const CASH: ReadonlySet<string> = new Set(CURRENCIES);

/** True for an amount of one of the main currencies. Other codes are shares too, such as ALL and BND. */
const isCash = ({ symbols, shares }: WrittenItem) => shares !== null && CASH.has(symbols[0] ?? "");

/** The instrument that an item means without doubt, or else the reason, a clause without a full stop. */
function findWritten(market: MarketStore, one: WrittenItem): Found | string {
  const { isin } = one;
  const coded = isin === null ? null : findInstrument(market, isin, false);
  if (coded && "instrument" in coded) return coded;
  let reason: string | null = null;
  for (const text of one.symbols) {
    const found = findBySymbol(market, text, one);
    if (typeof found !== "string") return found;
    reason ??= found;
  }
  const named = findByName(market, one);
  if (named) return named;
  const numbered = coded && "reason" in coded ? clause(coded.reason) : null;
  return reason ?? numbered ?? `${one.name ?? one.written} is no name of one instrument`;
}

/** The country of the ISIN if it is one of ours. A company of another country can be listed in the US. */
const countryOfIsin = ({ isin }: WrittenItem): Country | null =>
  COUNTRY_CODES.find((code) => isin?.startsWith(code)) ?? null;

function findBySymbol(market: MarketStore, text: string, one: WrittenItem): Found | string {
  const preferred =
    countryOfIsin(one) ??
    COUNTRY_CODES.find((code) => COUNTRIES[code].currency === one.currency) ??
    null;
  const isPlain = parseSymbol(text)?.country === undefined;
  const inCountry =
    preferred && isPlain ? findInstrument(market, `${preferred}:${text}`, false) : null;
  const found =
    inCountry && "instrument" in inCountry ? inCountry : findInstrument(market, text, false);
  if ("reason" in found) return clause(found.reason);
  return contradiction(found.instrument, one) ?? found;
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
    return `its price is in ${one.currency}, and that of ${here} in ${currency}`;
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

/** By the name, if the ISIN names the country or the file has nothing else. Cryptocurrencies have no country. */
function findByName(market: MarketStore, one: WrittenItem): Found | null {
  if (!one.name || isBond(one)) return null;
  const country = countryOfIsin(one);
  const plain = HAS_CLASS.test(one.name) ? one.name : one.name.replace(KIND_OF_SHARES, "");
  for (const name of new Set([one.name, plain.trim()])) {
    const found = country
      ? findMeant(market, name, country)
      : one.isin === null
        ? findInstrument(market, name, false)
        : null;
    if (!found || "reason" in found) continue;
    const isOnlyLead = country !== null || one.symbols.length === 0;
    if (isOnlyLead || !isShare(found.instrument.assetType))
      return { ...found, why: found.why ?? `${name} is ${formatKey(found.instrument)}` };
  }
  return null;
}

/** The instrument that is probably meant. */
function nearest(market: MarketStore, one: WrittenItem): NotUnderstood["closest"] {
  const texts = [
    one.name?.replace(KIND_OF_SHARES, ""),
    ...one.symbols.map((text) => text.toUpperCase()),
  ];
  for (const text of texts) {
    if (!text) continue;
    const found = findInstrument(market, text, false);
    const { symbol = text, country } = parseSymbol(text) ?? {};
    const key =
      "instrument" in found
        ? found.instrument
        : findNear(market, symbol, country ? [country] : COUNTRY_CODES);
    const instrument = key && market.instruments.find(key);
    if (instrument) return { item: itemOf(instrument, one), name: instrument.name };
  }
  return null;
}

/** A sentence as a clause. */
const clause = (sentence: string): string => sentence.replace(/\.$/, "");
