import type { Database } from "bun:sqlite";

/** A token without its secret, which is not stored. */
export interface StoredToken {
  readonly id: number;
  readonly user: string;
  readonly prefix: string;
  readonly label: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

/** The fields of a token that authenticate a call. */
export interface TokenCandidate {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly user: string;
  readonly plan: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A new token. */
export interface NewToken {
  readonly userId: number;
  readonly prefix: string;
  readonly hash: Uint8Array;
  readonly label: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** The tokens of the access file; `onChange` is called before a change that makes cached tokens invalid. */
export function createTokenStore(database: Database, onChange: () => void) {
  const candidates = database.query<TokenCandidate, { prefix: string }>(
    `SELECT tokens.id, hash, users.name AS user, plan, expires_at AS expiresAt, revoked_at AS revokedAt
     FROM tokens JOIN users ON users.id = user_id WHERE prefix = $prefix`,
  );
  const live = database.query<{ id: number }, { id: number; now: number }>(
    `SELECT id FROM tokens WHERE id = $id AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > $now)`,
  );
  const list = database.query<StoredToken, { user: string | null }>(
    `SELECT tokens.id, users.name AS user, prefix, label, tokens.created_at AS createdAt,
       expires_at AS expiresAt, revoked_at AS revokedAt, last_used_at AS lastUsedAt
     FROM tokens JOIN users ON users.id = user_id LEFT JOIN usage ON token_id = tokens.id
     WHERE $user IS NULL OR users.name = $user ORDER BY tokens.id`,
  );
  // Counts and inserts in one statement, so that two processes cannot both add the last allowed token.
  const add = database.query<
    { id: number },
    { [K in keyof NewToken]: NewToken[K] } & { ceiling: number }
  >(
    `INSERT INTO tokens (user_id, prefix, hash, label, created_at, expires_at)
     SELECT $userId, $prefix, $hash, $label, $createdAt, $expiresAt
     WHERE (SELECT count(*) FROM tokens WHERE user_id = $userId AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > $createdAt)) < $ceiling
     RETURNING id`,
  );
  const created = database.query<{ count: number }, { userId: number; since: number }>(
    "SELECT count(*) AS count FROM tokens WHERE user_id = $userId AND created_at > $since",
  );
  const revoke = database.query<unknown, { id: number; now: number }>(
    "UPDATE tokens SET revoked_at = coalesce(revoked_at, $now) WHERE id = $id",
  );

  return {
    /** The tokens with that prefix: at most one, except with a probability of 10^-14. */
    listCandidates: (prefix: string): TokenCandidate[] => candidates.all({ prefix }),
    /** True while the token exists and is neither revoked nor expired. */
    isLive: (id: number, now: number): boolean => live.get({ id, now }) !== null,
    /** Every token, of one user or of all (null), oldest first. */
    list: (user: string | null): StoredToken[] => list.all({ user }),
    /** The new token's id, or null if the user already has `ceiling` live tokens. */
    add: (token: NewToken, ceiling: number): number | null =>
      add.get({ ...token, ceiling })?.id ?? null,
    /** How many tokens of a user were created after that time, live or not. */
    countCreated: (userId: number, since: number): number =>
      created.get({ userId, since })?.count ?? 0,
    /** Revokes a token; false if it does not exist. A second call keeps the first time. */
    revoke(id: number, now: number): boolean {
      onChange();
      return revoke.run({ id, now }).changes > 0;
    },
  };
}
