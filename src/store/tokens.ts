import type { Database } from "bun:sqlite";

/** A token as listed: everything but its secret, which is stored nowhere. */
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

/** What a call needs to know of a token. */
export interface TokenCandidate {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly user: string;
  readonly plan: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A token to be stored. */
export interface NewToken {
  readonly userId: number;
  readonly prefix: string;
  readonly hash: Uint8Array;
  readonly label: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** The tokens of the access file; `onChange` is called when cached facts about one are no longer valid. */
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
  // Counts and inserts in one statement, so that two processes cannot both take the last place.
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
  const revoke = database.query<unknown, { id: number; now: number }>(
    "UPDATE tokens SET revoked_at = coalesce(revoked_at, $now) WHERE id = $id",
  );

  return {
    /** The tokens with that prefix: none or one, but for a chance of one in 10^14. */
    listCandidates: (prefix: string): TokenCandidate[] => candidates.all({ prefix }),
    /** True while the token exists and is neither revoked nor expired. */
    isLive: (id: number, now: number): boolean => live.get({ id, now }) !== null,
    /** Every token, of one user or of all (null), oldest first. */
    list: (user: string | null): StoredToken[] => list.all({ user }),
    /** The new token's id, or null where the user holds `ceiling` live ones already. */
    add: (token: NewToken, ceiling: number): number | null =>
      add.get({ ...token, ceiling })?.id ?? null,
    /** False where there is no such token; revoking twice keeps the first moment. */
    revoke(id: number, now: number): boolean {
      onChange();
      return revoke.run({ id, now }).changes > 0;
    },
  };
}
