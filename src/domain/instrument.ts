import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { Nullable, type Static, StringEnum } from "./schema.ts";

/** All types of instruments, in alphabetical order. */
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

/** True if instruments of that type are companies, which have statements, a sector and an industry. */
export function isCompany(assetType: AssetType): boolean {
  return assetType === "stock" || assetType === "reit";
}

/** True if instruments of that type trade in shares on an exchange; shares split and pay dividends. */
export function isShare(assetType: AssetType): boolean {
  return isCompany(assetType) || assetType === "etf";
}

/** The characters of a ticker in upper case, for use between the brackets of a regular expression. */
const SYMBOL_CHARACTERS = "A-Z0-9.^=-";

/** The pattern of a ticker in upper case: 1 to 20 letters, digits or `.`, `-`, `^`, `=`. */
export const SYMBOL_PATTERN = `^[${SYMBOL_CHARACTERS}]{1,20}$`;

/** The market segments of the Tokyo Stock Exchange. */
export const SEGMENTS = ["prime", "standard", "growth"] as const;

/** One of `SEGMENTS`. */
export type Segment = (typeof SEGMENTS)[number];

/** What is traded: the share of the company itself, or a depositary receipt of one or several, or of a part. */
export const SHARE_KINDS = ["share", "receipt"] as const;

/** One of `SHARE_KINDS`. */
export type ShareKind = (typeof SHARE_KINDS)[number];

/** An instrument with a price, identified by its country and symbol. */
export const Instrument = Type.Object({
  country: CountryCode,
  symbol: Type.String({ pattern: SYMBOL_PATTERN }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  assetType: StringEnum(ASSET_TYPES),
  /** The exchange, such as `NASDAQ`, `TSE`, `HOSE`; null without an exchange. */
  exchange: Nullable(Type.String({ maxLength: 40 })),
  /** ISO code of the currency of its prices. */
  currency: Type.String({ pattern: "^[A-Z]{3}$" }),
  /** Sector slug of the taxonomy; null if unknown or not a company. */
  sector: Nullable(Type.String()),
  /** Industry slug of the taxonomy; null if unknown or not a company. */
  industry: Nullable(Type.String()),
  /** The market segment of its exchange. Left out if unknown, and for exchanges without segments. */
  segment: Type.Optional(Nullable(StringEnum(SEGMENTS))),
  /** The code of its class in the classification of its own market (`local-sectors.ts`). Left out if unknown. */
  localSector: Type.Optional(Nullable(Type.String({ pattern: "^\\d{4}$" }))),
  /** What is traded of a company in the US. Left out if unknown. */
  shareKind: Type.Optional(Nullable(StringEnum(SHARE_KINDS))),
  /** Shares of all classes of the issuer; null if unknown. */
  sharesOutstanding: Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1e15 })),
  employees: Nullable(Type.Integer({ minimum: 0 })),
  /** The description of the business as plain text; null if unknown. */
  summary: Nullable(Type.String({ maxLength: 4_000 })),
  /**
   * Other names for the search, separated by `|`: its name in another language, a former name, an
   * abbreviation, its ISIN or FIGI. Left out without such names.
   */
  aliases: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 400 }))),
  /** True for the one instrument of an issuer that roll-ups include. */
  primaryListing: Type.Boolean(),
  /** True for a member of its country's primary index. */
  indexMember: Type.Boolean(),
});
export type Instrument = Static<typeof Instrument>;

/** The fields that most lists of instruments do not have. */
export const NO_PROFILE = {
  sector: null,
  industry: null,
  sharesOutstanding: null,
  employees: null,
  summary: null,
} as const satisfies Partial<Instrument>;

/** The key that identifies an instrument. */
export type InstrumentKey = Pick<Instrument, "country" | "symbol">;
