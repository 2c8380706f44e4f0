import { listUniverse, type SampleListing } from "#sample/universe.ts";

/** The stocks and REITs of the sample market. */
export const COMPANIES = listUniverse().filter(({ marketCap }) => marketCap !== null);

/** The first listing with a symbol. Throws if there is none. */
export function listingOf(symbol: string): SampleListing {
  const listing = listUniverse().find((one) => one.symbol === symbol);
  if (!listing) throw new Error(`${symbol} is not in the sample market`);
  return listing;
}
