import type { Database } from "bun:sqlite";

/** A client that registered itself. */
export interface StoredClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly createdAt: number;
}

/** An authorization code without its secret: what the user allowed. */
export interface StoredCode {
  readonly userId: number;
  readonly user: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  /** PKCE S256. */
  readonly challenge: string;
  readonly expiresAt: number;
  /** The token that the code was exchanged for; null until then. */
  readonly tokenId: number | null;
}

/** The token of a client for a user. */
export interface StoredGrant {
  readonly clientId: string;
  readonly tokenId: number;
}

interface ClientRow extends Omit<StoredClient, "redirectUris"> {
  readonly redirectUris: string;
}

type NewCode = Omit<StoredCode, "user" | "tokenId"> & { readonly hash: Uint8Array };

/** The clients, codes and grants of OAuth in the access file. */
export function createOAuthStore(database: Database) {
  return { ...clients(database), ...codes(database), ...grants(database) };
}

function clients(database: Database) {
  const find = database.query<ClientRow, { id: string }>(
    `SELECT id, name, redirect_uris AS redirectUris, created_at AS createdAt
     FROM oauth_clients WHERE id = $id`,
  );
  const count = database.query<{ count: number }, []>(
    "SELECT count(*) AS count FROM oauth_clients",
  );
  const add = database.query<unknown, { [K in keyof ClientRow]: ClientRow[K] }>(
    `INSERT INTO oauth_clients (id, name, redirect_uris, created_at)
     VALUES ($id, $name, $redirectUris, $createdAt)`,
  );
  const removeOldestUnused = database.query<unknown, { now: number }>(
    `DELETE FROM oauth_clients WHERE id = (SELECT id FROM oauth_clients AS client
       WHERE NOT EXISTS (SELECT 1 FROM oauth_grants WHERE client_id = client.id)
         AND NOT EXISTS (SELECT 1 FROM oauth_codes WHERE client_id = client.id AND expires_at > $now)
       ORDER BY created_at, id LIMIT 1)`,
  );
  const insert = database.transaction((client: StoredClient, ceiling: number): boolean => {
    const { createdAt: now, redirectUris } = client;
    const isFull = (count.get()?.count ?? 0) >= ceiling;
    if (isFull && removeOldestUnused.run({ now }).changes === 0) return false;
    add.run({ ...client, redirectUris: JSON.stringify(redirectUris) });
    return true;
  });

  return {
    findClient(id: string): StoredClient | null {
      const row = find.get({ id });
      return row && { ...row, redirectUris: JSON.parse(row.redirectUris) as string[] };
    },
    /**
     * Adds a client. With `ceiling` clients, the oldest one that no user ever allowed is removed; false
     * if there is none.
     */
    addClient: (client: StoredClient, ceiling: number): boolean =>
      insert.immediate(client, ceiling),
  };
}

function codes(database: Database) {
  const add = database.query<unknown, { [K in keyof NewCode]: NewCode[K] }>(
    `INSERT INTO oauth_codes
       (hash, user_id, client_id, client_name, redirect_uri, challenge, expires_at)
     VALUES ($hash, $userId, $clientId, $clientName, $redirectUri, $challenge, $expiresAt)`,
  );
  const find = database.query<StoredCode, { hash: Uint8Array }>(
    `SELECT user_id AS userId, users.name AS user, client_id AS clientId, client_name AS clientName,
       redirect_uri AS redirectUri, challenge, expires_at AS expiresAt, token_id AS tokenId
     FROM oauth_codes JOIN users ON users.id = user_id WHERE hash = $hash`,
  );
  const setToken = database.query<unknown, { hash: Uint8Array; tokenId: number }>(
    "UPDATE oauth_codes SET token_id = $tokenId WHERE hash = $hash",
  );
  const remove = database.query<unknown, { hash: Uint8Array }>(
    "DELETE FROM oauth_codes WHERE hash = $hash",
  );
  const removeOld = database.query<unknown, { now: number; before: number }>(
    `DELETE FROM oauth_codes
     WHERE expires_at <= CASE WHEN token_id IS NULL THEN $now ELSE $before END`,
  );

  return {
    addCode: (code: NewCode): void => void add.run(code),
    /** The code with that SHA-256, expired and exchanged ones too; null if unknown. */
    findCode: (hash: Uint8Array): StoredCode | null => find.get({ hash }),
    /** Notes the token that a code was exchanged for. */
    setCodeToken: (hash: Uint8Array, tokenId: number): void => void setToken.run({ hash, tokenId }),
    removeCode: (hash: Uint8Array): void => void remove.run({ hash }),
    /** Removes the codes that have expired; those that were exchanged only if they expired before an instant. */
    removeOldCodes: (now: number, before: number): void => void removeOld.run({ now, before }),
  };
}

function grants(database: Database) {
  const find = database.query<StoredGrant, { userId: number; clientId: string }>(
    `SELECT client_id AS clientId, token_id AS tokenId FROM oauth_grants
     WHERE user_id = $userId AND client_id = $clientId`,
  );
  const findByToken = database.query<StoredGrant, { tokenId: number }>(
    `SELECT client_id AS clientId, token_id AS tokenId FROM oauth_grants WHERE token_id = $tokenId`,
  );
  const set = database.query<unknown, { userId: number; clientId: string; tokenId: number }>(
    `INSERT INTO oauth_grants (user_id, client_id, token_id) VALUES ($userId, $clientId, $tokenId)
     ON CONFLICT (user_id, client_id) DO UPDATE SET token_id = excluded.token_id`,
  );

  return {
    /** The last token of a client for a user, live or not; null if it never had one. */
    findGrant: (userId: number, clientId: string): StoredGrant | null =>
      find.get({ userId, clientId }),
    /** The grant of a token; null if the token was not issued to a client. */
    findGrantOfToken: (tokenId: number): StoredGrant | null => findByToken.get({ tokenId }),
    /** Stores the token of a client for a user, in place of an older one. */
    setGrant: (userId: number, clientId: string, tokenId: number): void =>
      void set.run({ userId, clientId, tokenId }),
  };
}
