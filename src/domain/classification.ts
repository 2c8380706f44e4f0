import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { SYMBOL_PATTERN } from "./instrument.ts";
import { Nullable, type Static, StringEnum } from "./schema.ts";
import { SECTORS } from "./taxonomy.ts";

/** The sector of a company and its membership of the country's index, from a source that lists neither names nor prices. */
export const Classification = Type.Object({
  country: CountryCode,
  symbol: Type.String({ pattern: SYMBOL_PATTERN }),
  /** Sector slug of the taxonomy. */
  sector: StringEnum([...SECTORS.keys()]),
  /** True where the sector replaces a stored one; false where it only fills a blank. */
  replaces: Type.Boolean(),
  /** True for a member of the country's primary index; null where the source does not list members. */
  indexMember: Nullable(Type.Literal(true)),
});
export type Classification = Static<typeof Classification>;
