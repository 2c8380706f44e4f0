import { Type } from "@sinclair/typebox";
import { SYMBOL_PATTERN } from "./instrument.ts";
import { CountryCode } from "./country.ts";
import { DateText, type Static } from "./schema.ts";
import { normalForm } from "#lib/normal-form.ts";

/** Items that a list can have. */
export const MAX_LIST_ITEMS = 1_000;
/** Characters of a name of a list or of a screen. */
const MAX_NAME = 40;
/** Characters of a note, and of the sentence of a thesis. */
export const MAX_NOTE = 200;

/** Characters of a condition, such as the one of a thesis. */
export const MAX_CONDITION = 300;

/** The name of a list or of a screen: a slug such as `semis` or `my-list-2`. */
export const DocumentName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
  description: `1 to ${MAX_NAME} letters a-z, digits and single hyphens between them: my-list.`,
});

/** Characters of a title of a list or of a screen. */
const MAX_TITLE = 60;

/** What people call a list or a screen, beside its name. */
export const DocumentTitle = Type.String({
  minLength: 1,
  maxLength: MAX_TITLE,
  description: `Text of 1 to ${MAX_TITLE} characters in any language: 半導体.`,
});

/** Why the user holds an instrument, and the condition that holds as long as the reason does. */
export const Thesis = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: MAX_NOTE,
      description: `Text of 1 to ${MAX_NOTE} characters: ROE stays high.`,
    }),
    while: Type.String({
      minLength: 1,
      maxLength: MAX_CONDITION,
      description: "A condition of the screener: roe>25, revenue_growth>0.",
    }),
  },
  {
    additionalProperties: false,
    description: "A sentence (text) and the condition that it depends on (while).",
  },
);
export type Thesis = Static<typeof Thesis>;

/** What was paid for a share. */
export const Cost = Type.Object(
  {
    price: Type.Number({
      minimum: 0,
      maximum: 1e15,
      description: "Price paid for one share: 150.25. With date, for a share of that day.",
    }),
    currency: Type.String({
      pattern: "^[A-Z]{3}$",
      description: "ISO code of its currency: USD.",
    }),
    date: Type.Optional(DateText),
  },
  {
    additionalProperties: false,
    description: "The price paid for a share, its currency, and the day: 150, USD, 2024-05-01.",
  },
);
export type Cost = Static<typeof Cost>;

/** An instrument of a list. */
export const ListItem = Type.Object(
  {
    country: CountryCode,
    symbol: Type.String({ pattern: SYMBOL_PATTERN, description: "Symbol in upper case: AAPL." }),
    shares: Type.Optional(
      Type.Number({
        minimum: -1e15,
        maximum: 1e15,
        description: "Number of shares or units, -1e15 to 1e15; negative if sold short.",
      }),
    ),
    weight: Type.Optional(
      Type.Number({
        minimum: -10_000,
        maximum: 10_000,
        description: "Percent of the portfolio: 40. Not beside shares.",
      }),
    ),
    note: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_NOTE,
        description: `Text of 1 to ${MAX_NOTE} characters.`,
      }),
    ),
    thesis: Type.Optional(Thesis),
    cost: Type.Optional(Cost),
  },
  { additionalProperties: false },
);
export type ListItem = Static<typeof ListItem>;

/** A list of a user, its items in the order of the user. No instrument is in it twice. */
export const UserList = Type.Object(
  {
    name: DocumentName,
    title: Type.Optional(DocumentTitle),
    items: Type.Array(ListItem, {
      maxItems: MAX_LIST_ITEMS,
      description: `At most ${MAX_LIST_ITEMS} instruments, in order.`,
    }),
  },
  { additionalProperties: false },
);
export type UserList = Static<typeof UserList>;

/**
 * The name that a person means: `My List` is `my-list`, `Cổ phiếu` is `co-phieu`. Empty if the text has no
 * letters a-z and no digits.
 */
export function slugOf(text: string): string {
  return normalForm(text.slice(0, 4 * MAX_NAME), "NFKD")
    .toLowerCase()
    .replaceAll("đ", "d")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, MAX_NAME)
    .replace(/-$/, "");
}

/** True if `slugOf` drops letters that people read, as of 半導体. Such a text means a title, because its slug is of many texts. */
export const isOtherScript = (text: string): boolean =>
  /[^\P{L}\p{Script=Latin}]/u.test(text.slice(0, 4 * MAX_TITLE));

/** A title in the form in which titles are compared: without letter case, width and spaces at its ends. */
export const foldTitle = (title: string): string =>
  normalForm(title.slice(0, 4 * MAX_TITLE), "NFKC")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim();

const REFERENCE = /^\s*(?:in\s+)?list\s*:(.*)$/is;

/** The name of a list where symbols may stand: `semis` of `list:semis`; null for another text. */
export function listNameOf(text: string): string | null {
  return REFERENCE.exec(text)?.[1]?.trim() ?? null;
}
