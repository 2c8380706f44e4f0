import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { Nullable, type Static, StringEnum } from "./schema.ts";

/** Every kind of instrument, in alphabetical order. */
export const ASSET_TYPES = [
  "commodity",
  "cryptocurrency",
  "currency",
  "etf",
  "index",
  "reit",
  "stock",
] as const;

/** One of `ASSET_TYPES`. */
export type AssetType = (typeof ASSET_TYPES)[number];

/** Whether an instrument of that type is a company: it has statements, a sector and an industry. */
export function isCompany(assetType: AssetType): boolean {
  return assetType === "stock" || assetType === "reit";
}

/** What a ticker is made of, to stand between the brackets of a pattern. */
export const SYMBOL_CHARACTERS = "A-Z0-9.^=-";

/** A ticker in upper case: letters, digits, `.`, `-`, `^`, `=`; 1 to 20 of them. */
export const SYMBOL_PATTERN = `^[${SYMBOL_CHARACTERS}]{1,20}$`;

/** Something that has a price, known by its symbol within a country. */
export const Instrument = Type.Object({
  country: CountryCode,
  symbol: Type.String({ pattern: SYMBOL_PATTERN }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  assetType: StringEnum(ASSET_TYPES),
  /** Where it trades, such as `NASDAQ`, `TSE`, `HOSE`; null where there is no exchange. */
  exchange: Nullable(Type.String({ maxLength: 40 })),
  /** ISO code of the currency its prices are in. */
  currency: Type.String({ pattern: "^[A-Z]{3}$" }),
  /** Sector slug of the taxonomy; null for what is no company. */
  sector: Nullable(Type.String()),
  /** Industry slug of the taxonomy; null for what is no company. */
  industry: Nullable(Type.String()),
  /** Shares of all classes of the issuer; null where unknown. */
  sharesOutstanding: Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1e15 })),
  employees: Nullable(Type.Integer({ minimum: 0 })),
  /** What the company does, plain text. */
  summary: Nullable(Type.String({ maxLength: 4_000 })),
  /**
   * Other names by which it is searched, separated by `|`: its name in another language, a former
   * name, an abbreviation. Left out where there are none.
   */
  aliases: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 400 }))),
  /** True for the one line of an issuer that stands for it in roll-ups. */
  primaryListing: Type.Boolean(),
  /** True where it is a member of its country's primary index. */
  indexMember: Type.Boolean(),
});
export type Instrument = Static<typeof Instrument>;

/** What identifies an instrument. */
export type InstrumentKey = Pick<Instrument, "country" | "symbol">;
