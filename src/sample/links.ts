import { lazy } from "#lib/lazy.ts";
import linksCsv from "./links.csv" with { type: "text" };
import { readTable } from "./table.ts";
import { getListing, listCompanies, type SampleListing } from "./universe.ts";

/** How a price is computed from other prices. */
export type Link =
  /** The members' total market cap, or the sum of their prices: the units are shares or 1. */
  | { readonly kind: "basket"; readonly members: readonly { of: SampleListing; units: number }[] }
  /** The product of other prices, each raised to its power, with an error: its deviation in log. */
  | {
      readonly kind: "product";
      readonly factors: readonly { of: SampleListing; power: number }[];
      readonly error: number;
    };

/**
 * The members of indices and funds as far as the sample has them, by their properties or symbols; and the
 * factors of products with their powers. A fund follows its index with an error.
 */
const linkRows = lazy(() => new Map(readTable(linksCsv).map((row) => [row("symbol"), row])));

/** How the listing's price follows from others; null for an independent price. */
export function linkOf({ symbol }: SampleListing): Link | null {
  const row = linkRows().get(symbol);
  if (!row) return null;
  const words = row("of").split(" ");
  if (row("kind") === "product") {
    const factors = words.map((word) => {
      const [one = "", power] = word.split(":");
      return { of: getListing(one), power: Number(power) };
    });
    return { kind: "product", factors, error: Number(row("error")) };
  }
  const isWeightedByPrice = row("kind") === "prices";
  const members = membersOf(words).map((of) => ({
    of,
    units: isWeightedByPrice ? 1 : (of.sharesOutstanding ?? 0),
  }));
  return { kind: "basket", members };
}

/** The listings with the symbols, or the companies with all of the properties: `country=US sector=energy`. */
function membersOf(words: readonly string[]): readonly SampleListing[] {
  if (!words[0]?.includes("=")) return words.map(getListing);
  const wanted = words.map((word) => word.split("=") as [keyof SampleListing, string]);
  return listCompanies().filter(
    (one) => one.primaryListing && wanted.every(([key, is]) => String(one[key]) === is),
  );
}
