import type { Database } from "bun:sqlite";
import type { Role } from "#domain/console.ts";

/** A user as stored. */
export interface StoredUser {
  readonly id: number;
  readonly name: string;
  readonly plan: string;
  readonly role: Role;
  readonly createdAt: number;
}

const COLUMNS = "id, name, plan, role, created_at AS createdAt";

type NewUser = { name: string; plan: string; role: Role; createdAt: number };

/** The users of the access file; `onChange` is called before a change that makes cached users invalid. */
export function createUserStore(database: Database, onChange: () => void) {
  const list = database.query<
    StoredUser & { hasPassword: number; liveTokens: number },
    { now: number }
  >(
    `SELECT ${COLUMNS}, password IS NOT NULL AS hasPassword, (SELECT count(*) FROM tokens WHERE user_id = users.id AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > $now)) AS liveTokens FROM users ORDER BY name`,
  );
  const first = database.query<StoredUser, []>(
    `SELECT ${COLUMNS} FROM users ORDER BY role = 'admin' DESC, id LIMIT 1`,
  );
  const find = database.query<StoredUser, { name: string }>(
    `SELECT ${COLUMNS} FROM users WHERE name = $name`,
  );
  const countAdmins = database.query<{ count: number }, []>(
    "SELECT count(*) AS count FROM users WHERE role = 'admin'",
  );
  const add = database.query<unknown, NewUser>(
    `INSERT INTO users (name, plan, role, created_at) VALUES ($name, $plan, $role, $createdAt)
     ON CONFLICT (name) DO NOTHING`,
  );
  const setRole = database.query<unknown, { name: string; role: Role }>(
    "UPDATE users SET role = $role WHERE name = $name",
  );
  const password = database.query<{ password: string | null }, { id: number }>(
    "SELECT password FROM users WHERE id = $id",
  );
  const setPassword = database.query<unknown, { id: number; hash: string }>(
    "UPDATE users SET password = $hash WHERE id = $id",
  );
  const setPlan = database.query<unknown, { name: string; plan: string }>(
    "UPDATE users SET plan = $plan WHERE name = $name",
  );
  const remove = database.query<unknown, { name: string }>("DELETE FROM users WHERE name = $name");

  return {
    /** Every user by name, with the number of tokens that are live at `now`. */
    list: (now: number) =>
      list.all({ now }).map((user) => ({ ...user, hasPassword: user.hasPassword === 1 })),
    countAdmins: (): number => countAdmins.get()?.count ?? 0,
    /** The oldest admin, without admins the oldest user; null without users. */
    findFirst: (): StoredUser | null => first.get(),
    find: (name: string): StoredUser | null => find.get({ name }),
    /** Adds a user; false if the name is taken. */
    add: (user: NewUser): boolean => add.run(user).changes > 0,
    /** Changes the role of a user; false if the user does not exist. */
    setRole: (name: string, role: Role): boolean => setRole.run({ name, role }).changes > 0,
    /** The hash of the user's password; null without a password, and without such a user. */
    findPassword: (id: number): string | null => password.get({ id })?.password ?? null,
    setPassword: (id: number, hash: string): void => void setPassword.run({ id, hash }),
    /** Changes the plan of a user; false if the user does not exist. */
    setPlan(name: string, plan: string): boolean {
      onChange();
      return setPlan.run({ name, plan }).changes > 0;
    },
    /** Removes a user with all tokens and counters; false if the user does not exist. */
    remove(name: string): boolean {
      onChange();
      return remove.run({ name }).changes > 0;
    },
  };
}
