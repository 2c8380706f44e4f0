import { BourseError } from "./errors.ts";

/** What a token may do besides reading, which every token may. The names are also scopes of OAuth. */
export const RIGHTS = {
  "lists:write": {
    /** After "it may", for people. */
    title: "change your lists",
    /** The flag of `token create`. */
    flag: "write-lists",
  },
  "alerts:write": { title: "change your alerts", flag: "write-alerts" },
} as const;

/** A right of a token. */
export type Right = keyof typeof RIGHTS;

/** All rights. */
export const RIGHT_NAMES = Object.keys(RIGHTS) as Right[];

/** The scope of OAuth that every token has: all operations that read market data. */
export const READ_SCOPE = "read";

/** The scope of OAuth for reading the lists of the user, with holdings and notes. Other tokens read them without it. */
export const LISTS_SCOPE = "lists:read";

/** What a client gets by OAuth besides market data, if its user allows it. */
export type Grant = typeof LISTS_SCOPE | Right;

/** All grants. */
export const GRANT_NAMES: readonly Grant[] = [LISTS_SCOPE, ...RIGHT_NAMES];

/** All scopes of OAuth. */
export const SCOPES: readonly string[] = [READ_SCOPE, ...GRANT_NAMES];

/** The names of the lists that a token reads; null for every list of its user. */
export type ReadableLists = readonly string[] | null;

const NONE: readonly never[] = [];

/** The rights in a text of names separated by spaces. Other names, also a newer version's, are left out. */
export function parseRights(text: string): readonly Right[] {
  return parseNames(text, RIGHT_NAMES);
}

/** The grants in a text of scopes separated by spaces. Other names are left out. */
export function parseGrants(text: string): readonly Grant[] {
  return parseNames(text, GRANT_NAMES);
}

function parseNames<Name extends string>(text: string, names: readonly Name[]): readonly Name[] {
  if (text === "") return NONE;
  const given = new Set(text.split(" "));
  return names.filter((name) => given.has(name));
}

/** The scope of OAuth of a token with those grants: `read lists:read`. */
export function scopeOf(grants: readonly Grant[]): string {
  return [READ_SCOPE, ...grants].join(" ");
}

/** The lists that a client with those grants reads. Each right includes reading them. */
export function listsOf(grants: readonly Grant[]): ReadableLists {
  return grants.length > 0 ? null : NONE;
}

/** The word among the lists of a feed link by which it reads the messages of alerts. No list can have it as its name. */
export const ALERTS_OF_LINK = "alerts:read";

/** @throws BourseError `forbidden` for a token or a link that does not read the messages of alerts */
export function requireAlerts(lists: ReadableLists, asOf: string | null): void {
  if (asOf !== null)
    throw new BourseError(
      "forbidden",
      `This token is in ${asOf} and reads no alerts, because they are as of today.`,
    );
  if (lists === null || lists.includes(ALERTS_OF_LINK)) return;
  throw new BourseError("forbidden", "This link does not read the messages of your alerts.", {
    hint: `Tick "Messages of your alerts" when you make a feed link in the console, or run \`token create USER --feed --lists ${ALERTS_OF_LINK}\`.`,
  });
}

/** The lists in a text of names separated by spaces; null for every list. */
export function parseLists(text: string | null): ReadableLists {
  return text === null ? null : text.split(" ").filter(Boolean);
}

/** @throws BourseError `forbidden` that says how to get the right */
export function requireRight(rights: readonly Right[], right: Right): void {
  if (rights.includes(right)) return;
  const { title, flag } = RIGHTS[right];
  throw new BourseError(
    "forbidden",
    `This token only reads. To ${title}, use a token with the right ${right}.`,
    {
      scope: scopeOf([...rights, right]),
      hint: `Tick "May ${title}" when you make a token in the console, or run \`token create USER --${flag}\`; a client that connects by OAuth asks for the scope ${right}.`,
    },
  );
}

/** The refusal of a client that was connected without reading lists. */
export function listsRefused(rights: readonly Right[]): BourseError {
  return new BourseError(
    "forbidden",
    `This token reads market data and no lists. Its client was connected without the scope ${LISTS_SCOPE}.`,
    {
      scope: scopeOf([LISTS_SCOPE, ...rights]),
      hint: `Connect the client again and tick "It may also read your lists", or use a token that you make in the console.`,
    },
  );
}
