import { Type } from "@sinclair/typebox";
import type { OAuth } from "#access/oauth.ts";
import { OAuthError } from "#access/oauth-error.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import { GRANT_NAMES } from "#domain/rights.ts";
import { StringEnum } from "#domain/schema.ts";
import { endpoint } from "./console-endpoint.ts";

const CONSENT = Type.Object({
  query: Type.String({
    maxLength: 8_000,
    description: "It is the query of the page /console/connect.",
  }),
  allow: Type.Boolean({ description: "It is true or false." }),
  rights: Type.Optional(
    Type.Array(StringEnum(GRANT_NAMES), {
      description: `It is a list of ${GRANT_NAMES.join(", ")}, or left out for market data only.`,
    }),
  ),
});

/** The endpoints of the consent page. */
export const OAUTH_ENDPOINTS = [
  endpoint({
    route: "GET oauth/request",
    role: "user",
    handle: ({ parts, visit, session }) =>
      answer(parts.oauth, (oauth) => oauth.describe(visit.query.toString(), session.user)),
  }),
  endpoint({
    route: "POST oauth/consent",
    role: "user",
    body: CONSENT,
    handle: ({ parts, body, actor }) =>
      answer(parts.oauth, async (oauth) => ({ redirect: await oauth.decide(body, actor) })),
  }),
] as const;

/** Runs `work` and shows the user what the client's request lacks. @throws BourseError */
async function answer<T>(
  oauth: (() => Promise<OAuth>) | null,
  work: (oauth: OAuth) => Promise<T>,
): Promise<T> {
  if (!oauth) {
    throw notFound(
      "Clients cannot connect by OAuth, because BOURSE_PUBLIC_URL is not an https URL.",
    );
  }
  try {
    return await work(await oauth());
  } catch (error) {
    if (error instanceof OAuthError) throw invalidArgument(error.message);
    throw error;
  }
}
