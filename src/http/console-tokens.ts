import { Type } from "@sinclair/typebox";
import { RIGHT_NAMES } from "#domain/rights.ts";
import { parseExpiry } from "#access/token-expiry.ts";
import type { RefusalDay } from "#access/refused-calls.ts";
import type { Session } from "#access/sessions.ts";
import { KEPT_DAYS } from "#access/usage-folding.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import { StringEnum } from "#domain/schema.ts";
import { USER_DOCUMENTS } from "#domain/user-documents.ts";
import { HTTP_ERRORS } from "./errors.ts";
import type { LoggedCall } from "./call-log.ts";
import { type ConsoleCall, endpoint, wholeOf } from "./console-endpoint.ts";
import { isDate } from "#lib/date.ts";
import { listRecipes } from "#feeds/recipes/recipes.ts";

/** What a token may do besides reading. */
const RIGHTS_OF_TOKEN = Type.Optional(
  Type.Array(StringEnum(RIGHT_NAMES), {
    description: `It is a list of ${RIGHT_NAMES.join(", ")}, or left out for a token that only reads.`,
  }),
);

/** How long a replaced token goes on working, in milliseconds. */
const KEEP_MS = { "0": 0, "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000 } as const;
const KEEP_NAMES = ["0", "1h", "24h", "7d"] as const;

/** The endpoints of a user's own tokens, their usage and the recipes for programs; an admin may use them for every user. */
export const TOKEN_ENDPOINTS = [
  endpoint({
    route: "GET tokens",
    role: "user",
    handle: (call) => accountsOf(call).listTokens(userOf(call)),
  }),
  endpoint({
    route: "POST tokens",
    role: "user",
    body: Type.Object({
      kind: Type.Optional(
        StringEnum(["api", "feed"], {
          description: "It is api (the default) for the API and MCP, or feed for a feed link.",
        }),
      ),
      label: Type.String({ description: "It is text that says what the token is for." }),
      expires: Type.Union([Type.String(), Type.Null()], {
        description:
          "It is a time such as 90d or 1y, a date such as 2027-01-31, or null for never.",
      }),
      rights: RIGHTS_OF_TOKEN,
      lists: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: USER_DOCUMENTS.list.most,
          description:
            "It is the names of the lists that a feed link reads, or left out for none. A token reads every list.",
        }),
      ),
      asOf: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description:
            "It is a day until today, such as 2023-03-31, or left out for a token of the present.",
        }),
      ),
    }),
    handle(call) {
      const { session, parts, body } = call;
      const now = parts.clock();
      const expiresAt = body.expires === null ? null : parseExpiry(body.expires, now, "expires");
      const lifetimeMs = expiresAt === null ? null : expiresAt - now;
      return accountsOf(call).createToken(
        session.user,
        body.label,
        lifetimeMs,
        body.kind,
        body.rights,
        body.lists,
        body.asOf,
      );
    },
  }),
  endpoint({
    route: "DELETE tokens/:id",
    role: "user",
    handle(call) {
      const { role, user } = call.session;
      return accountsOf(call).revokeToken(call.id(), role === "admin" ? null : user);
    },
  }),
  endpoint({
    route: "PATCH tokens/:id",
    role: "user",
    body: Type.Object({
      label: Type.String({ description: "It is text that says what the token is for." }),
    }),
    handle(call) {
      const { role, user } = call.session;
      const owner = role === "admin" ? null : user;
      return accountsOf(call).renameToken(call.id(), call.body.label, owner);
    },
  }),
  endpoint({
    route: "POST tokens/:id/replacement",
    role: "user",
    body: Type.Object({
      keep: StringEnum(KEEP_NAMES, {
        description: `It is how long the old token goes on working: ${KEEP_NAMES.join(", ")}.`,
      }),
    }),
    /** A new secret is only for its owner, not for an admin. */
    handle: (call) =>
      accountsOf(call).replaceToken(call.id(), KEEP_MS[call.body.keep], call.session.user),
  }),
  endpoint({ route: "GET recipes", role: "user", handle: listRecipes }),
  endpoint({
    route: "GET usage",
    role: "user",
    /** With `isAhead`, other nodes may have counted calls in advance. */
    async handle(call) {
      const days = wholeOf(call.visit.query, "days", { least: 1, most: KEPT_DAYS, fallback: 30 });
      const usage = await accountsOf(call).listUsage(userOf(call), days);
      return { ...usage, isAhead: call.parts.isNode };
    },
  }),
  endpoint({
    route: "GET calls",
    role: "user",
    /** The newest calls with the user's tokens that this process has answered, newest first. */
    async handle(call): Promise<{ since: number; calls: LoggedCall[] }> {
      const { calls } = call.parts;
      const tokens = await accountsOf(call).listTokens(userOf(call));
      return { since: calls.since, calls: calls.list(tokens.map(({ id }) => id)) };
    },
  }),
  endpoint({
    route: "GET refusals",
    role: "user",
    /** The refused calls of the user's tokens on a UTC day: `?date=2026-11-29`, or the newest day that has some. */
    async handle(call): Promise<RefusalsOfDay> {
      const date = dateOfQuery(call.visit.query);
      const { refusals, ...day } = await call.parts.refused.list(userOf(call), date);
      const shown = refusals.map((one) => ({ ...one, status: HTTP_ERRORS[one.code].status }));
      return { ...day, refusals: shown };
    },
  }),
  endpoint({ route: "GET plans", role: "user", handle: (call) => accountsOf(call).listPlans() }),
] as const;

/** The refused calls of one UTC day, with the HTTP status that each has over REST. */
interface RefusalsOfDay extends Omit<RefusalDay, "refusals"> {
  readonly refusals: readonly (RefusalDay["refusals"][number] & { readonly status: number })[];
}

/** The date in a query; null if it is left out. @throws BourseError `invalid_argument` if it is no date */
function dateOfQuery(query: URLSearchParams): string | null {
  const date = query.get("date");
  if (date === null || isDate(date)) return date;
  throw invalidArgument("date must be a UTC date such as 2026-11-29.", { param: "date" });
}

type Call = Pick<ConsoleCall<unknown, Session>, "parts" | "actor" | "visit" | "session">;

const accountsOf = ({ parts, actor }: Call) => parts.accountsOf(actor);

/** The user whose tokens are wanted: `?user=`, which only an admin may set to another user. */
function userOf({ visit, session }: Call): string {
  const user = visit.query.get("user") ?? session.user;
  if (user === session.user || session.role === "admin") return user;
  throw new BourseError(
    "forbidden",
    "Only an admin may see the tokens of other users. Leave user out to see your own.",
    { param: "user" },
  );
}
