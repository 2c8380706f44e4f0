import { Type } from "@sinclair/typebox";
import type { Instrument } from "#domain/instrument.ts";
import { findVenue, VENUES } from "#domain/venues.ts";
import type { InstrumentFilter } from "#store/instrument-search.ts";
import type { InputKeywords } from "./decode.ts";

/** The input schema of an exchange or a market segment. */
export const ExchangeInput = Type.String({
  minLength: 1,
  maxLength: 40,
  description: "HOSE, UPCOM, NYSE, TSE Prime.",
  example: "HOSE",
  accepts: (text: string) => VENUES.some(({ name }) => name === text),
  understands: (text: string) => findVenue(text)?.name ?? null,
  expected: `one of ${VENUES.map(({ name }) => name).join(", ")}`,
  correction: (text: string) =>
    /マザーズ|mothers|jasdaq|ジャスダック|[12一二]部/i.test(text)
      ? "This segment ended in April 2022: use TSE Prime, TSE Standard or TSE Growth."
      : undefined,
} satisfies InputKeywords & Parameters<typeof Type.String>[0]);

/** The condition of a value of `ExchangeInput` on instruments. */
export function venueTest(text: string) {
  const { exchange, segment = null } = findVenue(text) ?? {};
  return (one: Pick<Instrument, "exchange" | "segment">): boolean =>
    one.exchange === exchange && (segment === null || one.segment === segment);
}

/** The filter of a search by the value of `ExchangeInput`. */
export function venueFilter(text: string | undefined): InstrumentFilter {
  const { exchange, segment } = (text === undefined ? null : findVenue(text)) ?? {};
  return { exchange, segment: segment ?? undefined };
}
