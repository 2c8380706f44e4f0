import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import type { Source } from "#sources/source.ts";

/** The program's own list. It needs no network. */
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

/** The instruments that no exchange's list names. Their prices come from other sources. */
export const referenceInstruments = defineFetcher({
  kind: "instruments",
  source: REFERENCE,
  countries: ["US", "JP", "VN"],
  scope: "country",
  complements: true,
  fetch: async () => null,
  transform: (_, { country }) =>
    listReferenceInstruments()
      .filter((instrument) => instrument.country === country)
      .map((instrument) => ({ ...instrument, summary: null })),
});
