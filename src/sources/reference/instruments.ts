import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { REFERENCE } from "./source.ts";

/** Instruments that are in no exchange's list. Their prices come from other sources. */
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
