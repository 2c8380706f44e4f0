import { BourseError } from "./errors.ts";

/** What a token may do besides reading, which every token may. The names are also scopes of OAuth. */
export const RIGHTS = {
  "lists:write": {
    /** After "it may", for people. */
    title: "change your lists",
    /** The flag of `token create`. */
    flag: "write-lists",
  },
} as const;

/** A right of a token. */
export type Right = keyof typeof RIGHTS;

/** All rights. */
export const RIGHT_NAMES = Object.keys(RIGHTS) as Right[];

/** The scope of OAuth that every token has: all operations that read. */
export const READ_SCOPE = "read";

/** All scopes of OAuth. */
export const SCOPES: readonly string[] = [READ_SCOPE, ...RIGHT_NAMES];

const NONE: readonly Right[] = [];

/** The rights in a text of names separated by spaces. Other names, also those of a newer version, are left out. */
export function parseRights(text: string): readonly Right[] {
  if (text === "") return NONE;
  const names = new Set(text.split(" "));
  return RIGHT_NAMES.filter((name) => names.has(name));
}

/** The scope of OAuth of a token with those rights: `read lists:write`. */
export function scopeOf(rights: readonly Right[]): string {
  return [READ_SCOPE, ...rights].join(" ");
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
