import { Type } from "@sinclair/typebox";
import { COUNTRY_CODES } from "./country.ts";
import { CURRENCIES } from "./currency.ts";
import { type Static, StringEnum } from "./schema.ts";

/** The pages that the console can open first. */
export const FIRST_PAGES = ["markets", "screener", "lists", "calendar", "economy"] as const;

const oneOf = (values: readonly string[]) => `It is one of ${values.join(", ")}.`;

/** How a user wants to see the console. A setting that is left out follows the browser, or our default. */
export const UserSettings = Type.Object(
  {
    theme: Type.Optional(
      StringEnum(["system", "light", "dark"], { description: "It is system, light or dark." }),
    ),
    colors: Type.Optional(
      StringEnum(["green-red", "red-green", "blue-orange"], {
        description:
          "It names the colours of gain and loss: green-red, red-green (as in Tokyo) or blue-orange (for the colour-blind).",
      }),
    ),
    candles: Type.Optional(
      StringEnum(["filled", "hollow"], {
        description: "It is filled or hollow, and says how a chart draws the days that gained.",
      }),
    ),
    density: Type.Optional(
      StringEnum(["comfortable", "compact"], { description: "It is comfortable or compact." }),
    ),
    language: Type.Optional(StringEnum(["en", "ja", "vi"], { description: "It is en, ja or vi." })),
    country: Type.Optional(StringEnum(COUNTRY_CODES, { description: oneOf(COUNTRY_CODES) })),
    currency: Type.Optional(StringEnum(CURRENCIES, { description: oneOf(CURRENCIES) })),
    timeZone: Type.Optional(
      Type.String({
        maxLength: 60,
        pattern: "^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$",
        description: "It is the name of a time zone: Asia/Tokyo.",
      }),
    ),
    firstPage: Type.Optional(StringEnum(FIRST_PAGES, { description: oneOf(FIRST_PAGES) })),
    welcomed: Type.Optional(
      Type.Boolean({ description: "It is true once the first questions are answered or left." }),
    ),
  },
  { additionalProperties: false },
);
export type UserSettings = Static<typeof UserSettings>;
