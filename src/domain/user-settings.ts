import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { CURRENCIES } from "./currency.ts";
import { type Static, StringEnum } from "./schema.ts";

/** The pages that the console can open first. */
export const FIRST_PAGES = ["markets", "screener", "lists", "calendar", "economy"] as const;

/** How a user wants to see the console. A setting that is left out follows the browser, or our default. */
export const UserSettings = Type.Object(
  {
    theme: Type.Optional(
      StringEnum(["system", "light", "dark"], { description: "system, light or dark." }),
    ),
    colors: Type.Optional(
      StringEnum(["green-red", "red-green", "blue-orange"], {
        description:
          "Colours of gain and loss: green-red, red-green (as in Tokyo) or blue-orange (for the colour-blind).",
      }),
    ),
    density: Type.Optional(
      StringEnum(["comfortable", "compact"], { description: "comfortable or compact." }),
    ),
    language: Type.Optional(StringEnum(["en", "ja", "vi"], { description: "en, ja or vi." })),
    country: Type.Optional(CountryCode),
    currency: Type.Optional(StringEnum(CURRENCIES)),
    timeZone: Type.Optional(
      Type.String({
        maxLength: 60,
        pattern: "^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$",
        description: "Name of a time zone: Asia/Tokyo.",
      }),
    ),
    firstPage: Type.Optional(
      StringEnum(FIRST_PAGES, { description: `One of ${FIRST_PAGES.join(", ")}.` }),
    ),
  },
  { additionalProperties: false },
);
export type UserSettings = Static<typeof UserSettings>;
