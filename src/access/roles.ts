import { BourseError } from "#domain/errors.ts";
import type { Role } from "#store/users.ts";

export type { Role };

/** Every role, the one with all rights first. */
export const ROLES = ["admin", "user"] as const satisfies readonly Role[];

/** The role of that name in any letter case. @throws BourseError `invalid_argument` */
export function parseRole(text: string): Role {
  const role = ROLES.find((one) => one === text.toLowerCase());
  if (role) return role;
  throw new BourseError("invalid_argument", `The role must be ${ROLES.join(" or ")}, not ${text}.`);
}
