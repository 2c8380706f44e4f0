import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import type { Static } from "./schema.ts";
import { DocumentName, DocumentTitle } from "./user-list.ts";

/** A saved screen of a user: the arguments of `screen_stocks`, in its language. */
export const UserScreen = Type.Object(
  {
    name: DocumentName,
    title: Type.Optional(DocumentTitle),
    countries: Type.Array(CountryCode, {
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      description: 'It is a list of one to three countries: ["JP"].',
    }),
    where: Type.String({
      maxLength: 1_000,
      description:
        "It is text of at most 1,000 characters with conditions: pe<20,roe>15. Empty for all companies.",
    }),
    sector: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description: "It is the slug of a sector: financial-services.",
      }),
    ),
    industry: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 60,
        description: "It is a part of an industry's name: semicon.",
      }),
    ),
    exchange: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        description: "It is an exchange or a market segment: TSE Prime.",
      }),
    ),
    sort: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description: "It is a metric, with - in front for the largest first: -market_cap.",
      }),
    ),
    columns: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
        maxItems: 60,
        description: "It is a list of at most 60 names of metrics, in order.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type UserScreen = Static<typeof UserScreen>;
