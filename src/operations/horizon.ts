import { Type } from "@sinclair/typebox";
import { DateOutput } from "#domain/schema.ts";

// A part of an answer says so: what begins later than the call asks, or ends earlier.

/** The field of an answer whose data begin after the asked start. */
export const BeginsOutput = {
  begins: Type.Optional(Type.String({ description: "First stored date, if from is earlier." })),
};

/** The field of an answer whose data end before the asked end. */
export const KnownToOutput = {
  known_to: Type.Optional(DateOutput("Last known date, if the call asks for later ones.")),
};

/** `begins`, if the first stored date is after the asked one; both can be left out. */
export function beginsOf(
  first: string | undefined,
  asked: string | undefined,
): { begins?: string } {
  return first !== undefined && asked !== undefined && first > asked ? { begins: first } : {};
}

/** `known_to`, if the last known date is before the asked one; both can be left out. */
export function knownToOf(
  last: string | undefined,
  asked: string | undefined,
): { known_to?: string } {
  return last !== undefined && asked !== undefined && last < asked ? { known_to: last } : {};
}
