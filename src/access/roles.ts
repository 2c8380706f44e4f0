import { invalidArgument } from "#domain/errors.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import type { AccessStore } from "#store/access.ts";
import { findUser, type Role } from "#store/users.ts";
import type { Work } from "#store/work.ts";

export type { Role };

/** Every role, the one with all rights first. */
export const ROLES = ["admin", "user"] as const satisfies readonly Role[];

/** The role of that name in any letter case. @throws BourseError `invalid_argument` */
export function parseRole(text: string): Role {
  const role = ROLES.find((one) => one === text.toLowerCase());
  if (role) return role;
  throw invalidArgument(`The role must be ${ROLES.join(" or ")}, not ${text}.`);
}

/** True for a user with the role admin. */
export function isAdmin(access: AccessStore, user: string): Awaitable<boolean> {
  return access.run(findIsAdmin(user));
}

function* findIsAdmin(user: string): Work<boolean> {
  return (yield* findUser(user))?.role === "admin";
}
