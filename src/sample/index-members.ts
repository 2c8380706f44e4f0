import type { Classification } from "#domain/classification.ts";
import { linkOf } from "./links.ts";
import { getListing, listCompanies, type SampleListing } from "./universe.ts";

/** Further indices whose members the sample has. */
const OTHER_INDICES = ["^DJI", "VN30"] as const;

/** The members of indices: of the main index of each country, and of the other ones. */
export function* classifications(): Generator<Classification> {
  for (const listing of listCompanies())
    if (listing.indexMember) yield { ...nothingOf(listing), indexMember: true };
  for (const index of OTHER_INDICES) {
    const link = linkOf(getListing(index));
    if (link?.kind !== "basket") throw new Error(`links.csv has no members of ${index}.`);
    for (const { of } of link.members) yield { ...nothingOf(of), memberOf: index };
  }
}

const nothingOf = ({ country, symbol }: SampleListing) =>
  ({ country, symbol, sector: null, replaces: false, indexMember: null }) as const;
