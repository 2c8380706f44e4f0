import { type AssetType, type Instrument, NO_PROFILE, type Segment } from "#domain/instrument.ts";
import { lookup } from "#lib/lookup.ts";
import { type Classes, classesOf } from "#sources/classes.ts";
import { JPX_SECTORS } from "./sectors.ts";

/** An issue listed in Tokyo, from the lists of JPX and of its services. */
export interface ListedIssue {
  /** Of five characters for another line of the issuer with the first four, such as preferred shares. */
  readonly symbol: string;
  readonly name: string;
  readonly assetType: AssetType;
  /** Code of one of the 33 sectors, in four digits; null for issues without a sector, such as funds. */
  readonly sector33: string | null;
  /** Null for issues that are in no segment, such as funds. */
  readonly segment: Segment | null;
}

/**
 * The issue as an instrument; null if the sector is not one of the 33. Without a sector, a trust is real
 * estate and an infrastructure fund has no sector. Further lines are not primary; no list has index
 * members.
 */
export function listedInstrument(issue: ListedIssue): Instrument | null {
  const { symbol, name, assetType, segment, sector33 } = issue;
  const classes = classify(issue);
  return (
    classes && {
      country: "JP",
      symbol,
      name,
      assetType,
      exchange: "TSE",
      currency: "JPY",
      ...NO_PROFILE,
      ...classes,
      segment,
      localSector: sector33,
      primaryListing: symbol.length === 4,
      indexMember: false,
    }
  );
}

function classify({ sector33, assetType, name }: ListedIssue): Classes | null {
  if (sector33 === null) {
    const isTrust = assetType === "reit" && !/infrastructure|インフラ/i.test(name);
    return { sector: isTrust ? "real-estate" : null, industry: null };
  }
  const slug = lookup(JPX_SECTORS, sector33);
  return slug === undefined ? null : classesOf(slug);
}
