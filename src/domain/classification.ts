import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { SYMBOL_PATTERN } from "./instrument.ts";
import { Nullable, type Static, StringEnum } from "./schema.ts";
import { SECTORS } from "./taxonomy.ts";

/** A company's sector and index membership, from a source that has neither names nor prices. */
export const Classification = Type.Object({
  country: CountryCode,
  symbol: Type.String({ pattern: SYMBOL_PATTERN }),
  /** Sector slug of the taxonomy; null if no sector of the taxonomy fits. */
  sector: Nullable(StringEnum([...SECTORS.keys()])),
  /** True if the sector replaces a stored one; false if it only fills a missing one. */
  replaces: Type.Boolean(),
  /** True for a member of the country's primary index; null if the source does not list members. */
  indexMember: Nullable(Type.Literal(true)),
  /** The symbol of another index of the country that has it as a member; absent if the record names none. */
  memberOf: Type.Optional(Type.String({ pattern: SYMBOL_PATTERN })),
});
export type Classification = Static<typeof Classification>;
