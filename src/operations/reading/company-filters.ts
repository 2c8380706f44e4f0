import { Type } from "@sinclair/typebox";
import { COUNTRIES, type Country, COUNTRY_CODES } from "#domain/country.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import { findBoard, BOARDS } from "#domain/exchanges.ts";
import type { Instrument } from "#domain/instrument.ts";
import { findLocalSectors, formatLocalSector, type LocalSector } from "#domain/local-sectors.ts";
import { SECTORS, type TaxonomyClass } from "#domain/taxonomy.ts";
import { SECTOR_TERMS } from "#domain/terms.ts";
import type { InstrumentFilter } from "#store/instrument-search.ts";
import {
  decodeArguments,
  type DecodedArguments,
  type InputKeywords,
  lettersIn,
  quoteValue,
} from "./decode.ts";
import { findIndustries } from "./industries.ts";
import { SectorInput } from "./inputs.ts";

// The filters of companies: sectors, industries and exchanges. A sector or an industry can be named by the classification
// of a market: Tokyo's 33 sectors, Viet Nam's ICB.

/** The words of the console for the eleven sectors, which never mean a class of a market. */
const OF_SECTORS = new Set(Object.values(SECTOR_TERMS).flat().map(lettersIn));

/** The classes that a value of the argument names: `JP:banks/VN:banks`, `電気機器`. */
const classesOf = (text: string): readonly LocalSector[] =>
  OF_SECTORS.has(lettersIn(text))
    ? []
    : text.split("/").flatMap((one) => findLocalSectors(one).classes);

/** The input schema of a sector, or of a class of a market by its name or code. `readLocalSector` reads it. */
export const AnySectorInput = (description: string) => ({
  ...SectorInput(description),
  also: { test: (text: string) => classesOf(text).length > 0 },
});

/**
 * The arguments with the classes of the countries, such as `JP:electric-appliances` for `電気機器`. In a country without
 * such a class, a word that means one of the eleven sectors too is that sector.
 *
 * @throws BourseError `invalid_argument` if no country of the call has the class
 */
export function readLocalSector(
  args: DecodedArguments,
  countries: readonly Country[] = COUNTRY_CODES,
): DecodedArguments {
  const { sector } = args;
  if (typeof sector !== "string" || SECTORS.has(sector)) return args;
  const classes = classesOf(sector);
  const own = classes.filter(({ country }) => countries.includes(country));
  const names = own.map(formatLocalSector);
  if (/^\d+$/.test(sector) && own.length > 1) {
    throw invalidArgument(`sector ${quoteValue(sector)} is a code of several classifications.`, {
      param: "sector",
      allowed: names,
      hint: `Give one country, or one of ${names.join(" and ")}.`,
    });
  }
  if (own.length > 0) return { ...args, sector: names.join("/") };
  try {
    const input = Type.Object({ sector: SectorInput("") });
    return { ...args, ...decodeArguments(input, { sector }) };
  } catch (error) {
    if (!(error instanceof BourseError)) throw error;
    const places = [...new Set(classes.map(({ country }) => COUNTRIES[country].name))].join(", ");
    throw invalidArgument(
      `sector ${quoteValue(sector)} is a class of ${places}, which is not a country of this call.`,
      {
        param: "sector",
        allowed: [...SECTORS.keys()],
        hint: "Give one of the eleven sectors, or call screen_stocks with industry.",
      },
    );
  }
}

type Classed = Pick<Instrument, "country" | "sector" | "industry" | "localSector">;

const isIn = (classes: readonly LocalSector[]) => (one: Classed) =>
  classes.some(({ country, code }) => country === one.country && code === one.localSector);

/** The condition of a value of `AnySectorInput` on companies. */
export function sectorTest(sector: string): (company: Classed) => boolean {
  return SECTORS.has(sector) ? (one) => one.sector === sector : isIn(classesOf(sector));
}

/** The one class that a value of `AnySectorInput` names; null for one of the eleven sectors. @throws BourseError for several */
export function oneLocalSector(sector: string | undefined): LocalSector | null {
  if (sector === undefined || SECTORS.has(sector)) return null;
  const [first = null, ...others] = classesOf(sector);
  if (others.length === 0) return first;
  throw invalidArgument("sector names a class of several countries.", {
    param: "sector",
    hint: "Give country too.",
  });
}

/** The eleven sectors by the words of the console in Japanese and Vietnamese. */
const SECTOR_OF_WORD: ReadonlyMap<string, TaxonomyClass> = new Map(
  [...SECTORS.values()].flatMap((sector) =>
    SECTOR_TERMS[sector.name as keyof typeof SECTOR_TERMS].map((word): [string, TaxonomyClass] => [
      lettersIn(word),
      sector,
    ]),
  ),
);

/** What a text means as an industry. */
export interface IndustryFilter {
  /** The English names of the industries and classes. */
  readonly names: readonly string[];
  readonly test: (company: Classed) => boolean;
}

/**
 * The industries of a text, or the classes of the countries with this name. The name that a market itself uses, such as
 * `小売業`, means its class there. Another one, such as `Banks`, means a class only if it is no industry. A word for a
 * sector, such as `素材`, means all its industries.
 *
 * @throws BourseError `invalid_argument` with the nearest names, if nothing fits
 */
export function readIndustry(text: string, countries: readonly Country[]): IndustryFilter {
  const { classes, isOwnName } = findLocalSectors(text);
  const own = classes.filter(({ country }) => countries.includes(country));
  const isClass = isIn(own);
  const ofClasses = { names: own.map(({ names }) => names[0]), test: isClass };
  const classified = new Set(isOwnName ? own.map(({ country }) => country) : []);
  if (classified.size > 0 && countries.every((country) => classified.has(country)))
    return ofClasses;
  let slugs: Set<string | null>;
  let names: readonly string[];
  try {
    const found = findIndustries(text);
    slugs = new Set(found.map(({ slug }) => slug));
    names = found.map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof BourseError)) throw error;
    if (own.length > 0) return ofClasses;
    const sector = SECTOR_OF_WORD.get(lettersIn(text.trim()));
    if (sector === undefined) throw error;
    return { names: [sector.name], test: sectorTest(sector.slug) };
  }
  return {
    names: classified.size > 0 ? [...ofClasses.names, ...names] : names,
    test: (one) => (classified.has(one.country) ? isClass(one) : slugs.has(one.industry)),
  };
}

/** The input schema of an exchange or a market segment. */
export const ExchangeInput = Type.String({
  minLength: 1,
  maxLength: 40,
  description: "HOSE, UPCOM, NYSE, TSE Prime.",
  example: "HOSE",
  accepts: (text: string) => BOARDS.some(({ name }) => name === text),
  understands: (text: string) => findBoard(text)?.name ?? null,
  expected: `one of ${BOARDS.map(({ name }) => name).join(", ")}`,
  correction: (text: string) =>
    /マザーズ|mothers|jasdaq|ジャスダック|[12一二]部/i.test(text)
      ? "This segment ended in April 2022: use TSE Prime, TSE Standard or TSE Growth."
      : undefined,
} satisfies InputKeywords & Parameters<typeof Type.String>[0]);

/** The condition of a value of `ExchangeInput` on instruments. */
export function boardTest(text: string) {
  const { exchange, segment = null } = findBoard(text) ?? {};
  return (one: Pick<Instrument, "exchange" | "segment">): boolean =>
    one.exchange === exchange && (segment === null || one.segment === segment);
}

/** The filter of a search by the value of `ExchangeInput`. */
export function boardFilter(text: string | undefined): InstrumentFilter {
  const { exchange, segment } = (text === undefined ? null : findBoard(text)) ?? {};
  return { exchange, segment: segment ?? undefined };
}
