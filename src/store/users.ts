import { findRow, listRows, runStatement, type Work } from "./work.ts";

/** The rights of a user: an admin may do everything, a user manages only their own account. */
export type Role = "admin" | "user";

/** A user as stored. */
export interface StoredUser {
  readonly id: number;
  readonly name: string;
  readonly plan: string;
  readonly role: Role;
  readonly createdAt: number;
}

/** A new user. */
export type NewUser = Omit<StoredUser, "id">;

/** A user in a list. */
export interface ListedUser extends NewUser {
  readonly hasPassword: boolean;
  readonly liveTokens: number;
}

/** What a user's name has. */
export const USER_NAME_RULE =
  "1 to 64 letters, digits or any of . _ @ - and nothing else (`.` and `..` are none)";

/** True for a name that a user can have; see `USER_NAME_RULE`. Paths cannot have `.` and `..`. */
export const isUserName = (text: string): boolean => /^(?!\.{1,2}$)[\w.@-]{1,64}$/.test(text);

const OWN_COLUMNS = `name, plan, role, created_at AS "createdAt"`;
const COLUMNS = `id, ${OWN_COLUMNS}`;

/** Every user by name, with the number of tokens that are live at `now`. */
export function* listUsers(now: number): Work<ListedUser[]> {
  const rows = yield* listRows<Omit<ListedUser, "hasPassword"> & { hasPassword: number }>(
    `SELECT ${OWN_COLUMNS}, CASE WHEN password IS NULL THEN 0 ELSE 1 END AS "hasPassword",
       (SELECT CAST(count(*) AS INTEGER) FROM tokens WHERE user_id = users.id
         AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $now)) AS "liveTokens"
     FROM users ORDER BY name`,
    { now },
  );
  return rows.map((user) => ({ ...user, hasPassword: user.hasPassword === 1 }));
}

/** The number of users with the role admin. */
export function* countAdmins(): Work<number> {
  const row = yield* findRow<{ count: number }>(
    "SELECT CAST(count(*) AS INTEGER) AS count FROM users WHERE role = 'admin'",
  );
  return row?.count ?? 0;
}

/** The oldest admin, without admins the oldest user; null without users. */
export function findFirstUser(): Work<StoredUser | null> {
  return findRow(
    `SELECT ${COLUMNS} FROM users ORDER BY CASE role WHEN 'admin' THEN 0 ELSE 1 END, id LIMIT 1`,
  );
}

/** The user of that name, or null. */
export function findUser(name: string): Work<StoredUser | null> {
  return findRow(`SELECT ${COLUMNS} FROM users WHERE name = $name`, { name });
}

/** Adds a user; false if the name is taken. */
export function* addUser({ name, plan, role, createdAt }: NewUser): Work<boolean> {
  const added = yield* runStatement(
    `INSERT INTO users (name, plan, role, created_at) VALUES ($name, $plan, $role, $createdAt)
     ON CONFLICT (name) DO NOTHING`,
    { name, plan, role, createdAt },
  );
  return added > 0;
}

/** Changes the role of a user; false if the user does not exist. */
export function* setRole(name: string, role: Role): Work<boolean> {
  const changed = yield* runStatement("UPDATE users SET role = $role WHERE name = $name", {
    name,
    role,
  });
  return changed > 0;
}

/** The hash of the user's password; null without a password, and without such a user. */
export function* findPassword(id: number): Work<string | null> {
  const row = yield* findRow<{ password: string | null }>(
    "SELECT password FROM users WHERE id = $id",
    { id },
  );
  return row?.password ?? null;
}

/** Sets the hash of a user's password. */
export function* setPassword(id: number, hash: string): Work<void> {
  yield* runStatement("UPDATE users SET password = $hash WHERE id = $id", { id, hash });
}

/** Changes the plan of a user; false if the user does not exist. */
export function* setPlan(name: string, plan: string): Work<boolean> {
  const changed = yield* runStatement("UPDATE users SET plan = $plan WHERE name = $name", {
    name,
    plan,
  });
  return changed > 0;
}

/** Removes a user with all that is stored of the user: tokens, counters, lists; false if the user does not exist. */
export function* removeUser(name: string): Work<boolean> {
  return (yield* runStatement("DELETE FROM users WHERE name = $name", { name })) > 0;
}
