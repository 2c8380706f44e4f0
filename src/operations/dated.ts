import type { TObject } from "@sinclair/typebox";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import { isDated, KNOWN_ON } from "./known-day.ts";
import type { Operation } from "./operation.ts";
import type { DecodedArguments } from "./reading/decode.ts";
import { dayOf } from "./reading/written-dates.ts";

/** The arguments that are dates and were written as words, as dates on that UTC date. */
export function resolveDays(
  schema: TObject,
  input: DecodedArguments,
  today: string,
): Record<string, string> {
  const days: Record<string, string> = {};
  for (const name of Object.keys(schema.properties)) {
    const value = input[name];
    if (typeof value !== "string" || /^[\d,-]+$/.test(value) || !isDated(schema, name)) continue;
    days[name] = value
      .split(",")
      .map((one) => dayOf(one, today) ?? one)
      .join(",");
  }
  return days;
}

/**
 * The arguments of a call that is in a day, and `known_on` if it was not written so. Words such as `today` mean that day.
 *
 * @throws BourseError `forbidden` if the operation cannot answer as on a past day; `invalid_argument` for a later one
 */
export function datedArguments(
  { title, input: { properties } }: Pick<Operation, "title" | "input">,
  input: DecodedArguments,
  day: string,
): { readonly input: DecodedArguments; readonly understood: Readonly<Record<string, string>> } {
  if (!Object.hasOwn(properties, KNOWN_ON)) {
    throw new BourseError(
      "forbidden",
      `${title}: this call answers for the present only, and this token is in ${day}.`,
      {
        hint: "Calls that take known_on answer in a past day. For others, use a token without a day.",
      },
    );
  }
  const written = input[KNOWN_ON];
  const known = typeof written === "string" ? (dayOf(written, day) ?? written) : day;
  if (known > day) {
    throw invalidArgument(
      `known_on must be ${day} or earlier, the day of this token, not ${known}.`,
      { param: KNOWN_ON },
    );
  }
  const text = written === undefined ? `${known} (the day of this token)` : known;
  return {
    input: { ...input, [KNOWN_ON]: known },
    understood: known === written ? {} : { [KNOWN_ON]: text },
  };
}
