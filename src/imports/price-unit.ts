import type { Country } from "#domain/country.ts";
import { COUNTRIES } from "#domain/country.ts";
import { currencyIn } from "#domain/currency.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { CsvError } from "#lib/csv.ts";
import { type BarColumn, withoutTicker } from "./bar-headers.ts";
import type { BarsTable } from "./bars-table.ts";
import { quote } from "./cells.ts";
import { currencyOfText, unitIn, type WrittenUnit } from "./units.ts";

/** Ratios of the file's closes to the known ones that look like another unit. */
const SUSPECTS = [
  { from: 1 / 2_500, to: 1 / 400, words: "a thousandth of", unit: 1_000 },
  { from: 1 / 160, to: 1 / 63, words: "a hundredth of", unit: 100 },
  { from: 63, to: 160, words: "a hundred times", unit: 0.01 },
  { from: 400, to: 2_500, words: "a thousand times", unit: 0.001 },
] as const;

/** The number of bars that are compared, evenly spread. */
const COMPARED = 50;

/**
 * Refuses bars whose closes are about a hundredth, a thousandth, 100 times or 1,000 times the known
 * ones, by the median of up to 50 bars.
 *
 * @throws CsvError with the two closes and the flag that settles it
 */
export function refuseOtherUnit(
  line: number,
  bars: readonly DailyBar[],
  { country, findClose }: { country: Country; findClose?: (date: string) => number | null },
): void {
  if (!findClose) return;
  const step = Math.max(1, Math.ceil(bars.length / COMPARED));
  const compared = bars.flatMap((bar, i) => {
    if ((bars.length - 1 - i) % step !== 0) return [];
    const known = findClose(bar.date);
    return known === null ? [] : [{ bar, known, ratio: bar.close / known }];
  });
  compared.sort((a, b) => a.ratio - b.ratio);
  const middle = compared[compared.length >> 1];
  const suspect =
    middle && SUSPECTS.find(({ from, to }) => middle.ratio >= from && middle.ratio <= to);
  if (!suspect) return;
  const { bar, known } = middle;
  throw new CsvError(
    line,
    `the closes are about ${suspect.words} the known ones (${bar.close} on ${bar.date}, known is ${known}): give --unit ${suspect.unit} to multiply the prices, or --unit 1 if they are in ${COUNTRIES[country].currency}`,
  );
}

/** The units that a file names. */
export interface NamedUnits {
  /** The factor of all prices; null if none is named. */
  readonly prices: number | null;
  /** The factor of volumes; null if they are no numbers of shares, such as a turnover or lots of any size. */
  readonly volume: number | null;
}

/** A unit and the header or line that names it. */
interface Named {
  readonly text: string;
  readonly unit: WrittenUnit;
}

/** A note about volumes: `volume in thousands`. */
const VOLUME = /^(?:volume|khối lượng|kl\b|出来高|売買高)/iu;

const PRICES = ["open", "high", "low", "close"] as const satisfies readonly BarColumn[];

/**
 * The units that the headers of prices and volumes, the lines before them, and fields around JSON name. `currency` is
 * the instrument's, null for an index, which has points. `unit` is the operator's factor of prices, which those in the
 * file do not change.
 *
 * @throws CsvError if prices are in another currency, or in different units
 */
export function namedUnits(
  table: BarsTable,
  {
    currency,
    symbol,
    unit,
  }: {
    readonly currency: string | null;
    readonly symbol?: string;
    readonly unit?: number;
  },
): NamedUnits {
  const named = (text: string): Named => ({ text, unit: unitIn(text) });
  const headerOf = (column: BarColumn) => table.headers[table.columns.get(column) ?? -1];
  const notes = table.notes.map(named);
  const isOfShares = ({ text, unit }: Named) => unit.countsShares !== null || VOLUME.test(text);
  const ofShares = notes.filter(isOfShares);
  // A field of JSON has a currency, in a code that may be unknown.
  const fields = table.currencies.map((text) => {
    return { text, unit: { ...unitIn(""), currency: currencyOfText(text) ?? text } };
  });
  const ofPrices = [...notes.filter((note) => !isOfShares(note)), ...fields];
  // One word is a name, as in the header TOP, which is also the code of a currency. So is the ticker ALL.
  const ofHeader = (header: string): Named => {
    const text = withoutTicker(header.trim());
    const read = unitIn(/^\p{L}*$/u.test(text) ? "" : text);
    return { text, unit: read.currency === symbol ? { ...read, currency: null } : read };
  };
  const headers = PRICES.flatMap((column) => headerOf(column) ?? []).map(ofHeader);
  const volumes = [ofHeader(headerOf("volume") ?? ""), ...ofShares];
  const isTurnover = volumes.some(
    ({ unit }) => unit.currency !== null || unit.countsShares === false,
  );
  return {
    prices: unit ?? priceFactor(table.headerLine, [...headers, ...ofPrices], headers, currency),
    volume: isTurnover
      ? null
      : volumes.reduce((factor, { unit }) => Math.max(factor, unit.factor), 1),
  };
}

/** The one factor of prices; null if no text names one. */
function priceFactor(
  line: number,
  texts: readonly Named[],
  headers: readonly Named[],
  currency: string | null,
): number | null {
  const factorOf = ({ text, unit }: Named): number =>
    unit.factor * (unit.currency === null ? 1 : partsOf(line, text, unit.currency, currency));
  const named = texts.filter(({ unit }) => unit.factor !== 1 || unit.currency !== null);
  const [first] = named;
  if (!first) return null;
  const factor = factorOf(first);
  // A header without a word for its unit says 1, if another header has one.
  const isInHeaders = headers.some(({ text }) => named.some((one) => one.text === text));
  const other = [...named, ...(isInHeaders ? headers : [])].find((one) => factorOf(one) !== factor);
  if (!other) return factor;
  throw new CsvError(
    line,
    `${quote(first.text)} and ${quote(other.text)} are different units of prices: write all prices in one unit, or give --unit`,
  );
}

/** The units of the instrument's currency in a unit of the named one: 0.01 for cents. */
function partsOf(line: number, text: string, named: string, currency: string | null): number {
  if (currency === null) return 1;
  const [whole, parts] = currencyIn(named);
  const [own, ownParts] = currencyIn(currency);
  if (whole === own) return ownParts / parts;
  throw new CsvError(line, otherCurrency(quote(text), named, currency));
}

/** Why prices in another currency than the instrument's are refused. `where` names them. */
export const otherCurrency = (where: string, named: string, currency: string): string =>
  `${where} names ${named}, but the prices of the instrument are in ${currency}: import prices in ${currency}, or give --unit 1 if they are`;
