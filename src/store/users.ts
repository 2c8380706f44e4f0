import type { Database } from "bun:sqlite";

/** A user as stored. */
export interface StoredUser {
  readonly id: number;
  readonly name: string;
  readonly plan: string;
  readonly createdAt: number;
}

const COLUMNS = "id, name, plan, created_at AS createdAt";

/** The users of the access file; `onChange` is called before a change that makes cached users invalid. */
export function createUserStore(database: Database, onChange: () => void) {
  const list = database.query<StoredUser & { liveTokens: number }, { now: number }>(
    `SELECT ${COLUMNS}, (SELECT count(*) FROM tokens WHERE user_id = users.id AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > $now)) AS liveTokens FROM users ORDER BY name`,
  );
  const first = database.query<StoredUser, []>(`SELECT ${COLUMNS} FROM users ORDER BY id LIMIT 1`);
  const find = database.query<StoredUser, { name: string }>(
    `SELECT ${COLUMNS} FROM users WHERE name = $name`,
  );
  const add = database.query<unknown, { name: string; plan: string; createdAt: number }>(
    `INSERT INTO users (name, plan, created_at) VALUES ($name, $plan, $createdAt)
     ON CONFLICT (name) DO NOTHING`,
  );
  const setPlan = database.query<unknown, { name: string; plan: string }>(
    "UPDATE users SET plan = $plan WHERE name = $name",
  );
  const remove = database.query<unknown, { name: string }>("DELETE FROM users WHERE name = $name");

  return {
    /** Every user by name, with the number of tokens that are live at `now`. */
    list: (now: number) => list.all({ now }),
    /** The user with the oldest row, or null. */
    findFirst: (): StoredUser | null => first.get(),
    find: (name: string): StoredUser | null => find.get({ name }),
    /** Adds a user; false if the name is taken. */
    add: (user: { name: string; plan: string; createdAt: number }): boolean =>
      add.run(user).changes > 0,
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
