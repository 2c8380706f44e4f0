import { listUniverse } from "#sample/universe.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import type { Source } from "#sources/source.ts";

/** What we know ourselves. It is never asked over a network. */
const REFERENCE: Source = {
  name: "reference",
  title: "bourse's own list",
  official: true,
  terms: "Part of the program.",
  fills: "Indices, currencies, commodities, cryptocurrencies: names and symbols, no figures.",
  requestsPerSecond: 1,
  concurrency: 1,
  timeoutMs: 1,
  maxBytes: 1,
  userAgent: "program",
};

const LISTED = new Set(["index", "currency", "commodity", "cryptocurrency"]);

/** The instruments that no exchange's list names. Their prices come from other sources. */
export const referenceInstruments = defineFetcher({
  kind: "instruments",
  source: REFERENCE,
  countries: ["US", "JP", "VN"],
  scope: "country",
  complements: true,
  fetch: async () => null,
  transform: (_, { country }) =>
    listUniverse()
      .filter((listing) => listing.country === country && LISTED.has(listing.assetType))
      .map(({ price: _price, marketCap: _marketCap, pe: _pe, ...listing }) => ({
        ...listing,
        summary: null,
      })),
});
