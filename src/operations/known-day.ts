import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { invalidArgument } from "#domain/errors.ts";
import { dateOf } from "#lib/date.ts";
import type { DecodedArguments, InputKeywords } from "./reading/decode.ts";
import { DateInput } from "./reading/inputs.ts";

// The time machine: an answer as it was knowable at the end of a day. A handler gets the market, the roll-ups and the
// clock of that day (`moments.ts`), so it needs no code for it.

/** The argument of every operation that can answer as known on a past day. */
export const KNOWN_ON = "known_on";

/** Facts that are read as they are stored today, also for a past day. */
export const NOT_REWOUND = [
  "names and symbols",
  "kinds of shares",
  "sectors, industries and exchanges",
  "index members",
  "items of lists",
  "rules of holidays",
  "corrections of prices",
  "restatements without a stored filing",
  "assumed days of filing",
  "names of series",
  "revisions of figures in the calendar",
] as const;

/** A fact that is read as it is stored today. */
export type NotRewound = (typeof NOT_REWOUND)[number];

/** The facts about companies that are read as stored today. */
export const COMPANY_FACTS: readonly NotRewound[] = [
  "names and symbols",
  "kinds of shares",
  "sectors, industries and exchanges",
  "index members",
  "corrections of prices",
  "restatements without a stored filing",
  "assumed days of filing",
];

/** The facts about prices that are read as stored today. */
export const PRICE_FACTS: readonly NotRewound[] = ["names and symbols", "corrections of prices"];

/** The part of an answer about a past day. */
export const KnownOnOutput = Type.Record(Type.String(), Type.String(), {
  description: "Only with known_on: its date, and more about figures as filed.",
});

/** The fields of an answer about a past day. Schemas that an operation has itself stay. */
export function withKnownOnOutput(properties: Record<string, TSchema>): Record<string, TSchema> {
  return {
    known_on: Type.Optional(KnownOnOutput),
    not_rewound: Type.Optional(
      Type.Array(Type.String(), { description: "What is as stored today, not of that day." }),
    ),
    ...properties,
  };
}

/** The arguments with `known_on`, if they do not have it. */
export function withKnownOnInput<Input extends TObject>(input: Input): Input {
  if (Object.hasOwn(input.properties, KNOWN_ON)) return input;
  const date = { ...DateInput("As known"), description: "As known on YYYY-MM-DD." };
  const known_on = Type.Optional(date);
  return { ...input, properties: { ...input.properties, known_on } };
}

/** True for an argument that is a date, or a list of dates. */
export function isDated({ properties }: TObject, name: string): boolean {
  const schema = properties[name] as (TSchema & InputKeywords) | undefined;
  return (schema?.each ?? schema)?.["format"] === "date";
}

/**
 * Refuses a day that has not begun, and other dates of the call after it: on that day, later figures were unknown.
 *
 * @param now UTC milliseconds
 * @throws BourseError `invalid_argument`
 */
export function refuseLaterDates(schema: TObject, input: DecodedArguments, now: number): void {
  const day = input[KNOWN_ON];
  if (typeof day !== "string") return;
  const today = dateOf(now);
  if (day > today) {
    const message = `known_on must be today, ${today}, or earlier, not ${day}.`;
    throw invalidArgument(message, { param: KNOWN_ON });
  }
  for (const [name, value] of Object.entries(input)) {
    const { isAhead } = (schema.properties[name] ?? {}) as InputKeywords;
    if (!isDated(schema, name) || isAhead === true || typeof value !== "string") continue;
    const later = value.split(",").find((date) => date > day);
    if (later === undefined) continue;
    throw invalidArgument(`${name} must be ${day} (known_on) or earlier, not ${later}.`, {
      param: name,
      hint: "With known_on an answer has nothing of later days.",
    });
  }
}

/** The payload with its day and the facts that are not of that day; as it is without a day. */
export function withKnownOn(
  data: unknown,
  day: string | null,
  notRewound: readonly NotRewound[] = [],
): unknown {
  if (day === null) return data;
  const { known_on = { date: day }, ...rest } = data as { known_on?: object };
  return { ...rest, known_on, not_rewound: notRewound };
}
