import { findRow, runStatement, type Work } from "./work.ts";

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
  /** The rights that the user allowed, as in `StoredToken`. */
  readonly rights: string;
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

/** A new code; `hash` is the SHA-256 of its secret. */
export interface NewCode extends Omit<StoredCode, "user" | "tokenId"> {
  readonly hash: Uint8Array;
}

const SELECT_GRANT = `SELECT client_id AS "clientId", token_id AS "tokenId" FROM oauth_grants`;

/** The grants whose token is live at `$now`. */
const LIVE_GRANT = `SELECT 1 FROM oauth_grants JOIN tokens ON tokens.id = token_id
  WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $now)`;

/** The number of registered clients with a live token, which keep their places. */
export function* countUsedClients(now: number): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM oauth_clients AS client
     WHERE EXISTS (${LIVE_GRANT} AND client_id = client.id)`,
    { now },
  );
  return row?.count ?? 0;
}

/** The number of clients that hold a live token of the user. */
export function* countClientsOf(userId: number, now: number): Work<number> {
  const row = yield* findRow<{ count: number }>(
    `SELECT CAST(count(*) AS INTEGER) AS count FROM (${LIVE_GRANT} AND oauth_grants.user_id = $userId) AS live`,
    { userId, now },
  );
  return row?.count ?? 0;
}

/** The client with that id, or null. */
export function* findClient(id: string): Work<StoredClient | null> {
  const row = yield* findRow<ClientRow>(
    `SELECT id, name, redirect_uris AS "redirectUris", created_at AS "createdAt"
     FROM oauth_clients WHERE id = $id`,
    { id },
  );
  return row && { ...row, redirectUris: JSON.parse(row.redirectUris) as string[] };
}

/**
 * Adds a client. With `ceiling` clients, the oldest one without a live token is removed; false if there is
 * none. Run it in a transaction.
 */
export function* addClient(
  { id, name, redirectUris, createdAt }: StoredClient,
  ceiling: number,
): Work<boolean> {
  const row = yield* findRow<{ count: number }>(
    "SELECT CAST(count(*) AS INTEGER) AS count FROM oauth_clients",
  );
  const isFull = (row?.count ?? 0) >= ceiling;
  if (isFull && !(yield* removeOldestUnusedClient(createdAt))) return false;
  yield* runStatement(
    `INSERT INTO oauth_clients (id, name, redirect_uris, created_at)
     VALUES ($id, $name, $redirectUris, $createdAt)`,
    { id, name, redirectUris: JSON.stringify(redirectUris), createdAt },
  );
  return true;
}

function* removeOldestUnusedClient(now: number): Work<boolean> {
  const removed = yield* runStatement(
    `DELETE FROM oauth_clients WHERE id = (SELECT id FROM oauth_clients AS client
       WHERE NOT EXISTS (${LIVE_GRANT} AND client_id = client.id)
         AND NOT EXISTS (SELECT 1 FROM oauth_codes WHERE client_id = client.id AND expires_at > $now)
       -- First those that no user ever allowed: a client whose token has ended may connect again.
       ORDER BY EXISTS (SELECT 1 FROM oauth_grants WHERE client_id = client.id), created_at, id LIMIT 1)`,
    { now },
  );
  return removed > 0;
}

/** Adds a code that is not exchanged yet. */
export function* addCode(code: NewCode): Work<void> {
  const { hash, userId, clientId, clientName, redirectUri, challenge, rights, expiresAt } = code;
  yield* runStatement(
    `INSERT INTO oauth_codes
       (hash, user_id, client_id, client_name, redirect_uri, challenge, rights, expires_at)
     VALUES ($hash, $userId, $clientId, $clientName, $redirectUri, $challenge, $rights, $expiresAt)`,
    { hash, userId, clientId, clientName, redirectUri, challenge, rights, expiresAt },
  );
}

/** The code with that SHA-256, expired and exchanged ones too; null if unknown. */
export function findCode(hash: Uint8Array): Work<StoredCode | null> {
  return findRow(
    `SELECT user_id AS "userId", users.name AS "user", client_id AS "clientId",
       client_name AS "clientName", redirect_uri AS "redirectUri", challenge, rights,
       expires_at AS "expiresAt", token_id AS "tokenId"
     FROM oauth_codes JOIN users ON users.id = user_id WHERE hash = $hash`,
    { hash },
  );
}

/** Notes the token that a code was exchanged for. */
export function* setCodeToken(hash: Uint8Array, tokenId: number): Work<void> {
  yield* runStatement("UPDATE oauth_codes SET token_id = $tokenId WHERE hash = $hash", {
    hash,
    tokenId,
  });
}

/** Removes the code with that SHA-256. */
export function* removeCode(hash: Uint8Array): Work<void> {
  yield* runStatement("DELETE FROM oauth_codes WHERE hash = $hash", { hash });
}

/** Removes the codes that have expired; those that were exchanged only if they expired before an instant. */
export function* removeOldCodes(now: number, before: number): Work<void> {
  yield* runStatement(
    `DELETE FROM oauth_codes WHERE expires_at <= $before
       OR (expires_at <= $now AND token_id IS NULL)`,
    { now, before },
  );
}

/** The last token of a client for a user, live or not; null if it never had one. */
export function findGrant(userId: number, clientId: string): Work<StoredGrant | null> {
  return findRow(`${SELECT_GRANT} WHERE user_id = $userId AND client_id = $clientId`, {
    userId,
    clientId,
  });
}

/** The grant of a token; null if the token was not issued to a client. */
export function findGrantOfToken(tokenId: number): Work<StoredGrant | null> {
  return findRow(`${SELECT_GRANT} WHERE token_id = $tokenId`, { tokenId });
}

/** Stores the token of a client for a user, in place of an older one. */
export function* setGrant(userId: number, clientId: string, tokenId: number): Work<void> {
  yield* runStatement(
    `INSERT INTO oauth_grants (user_id, client_id, token_id) VALUES ($userId, $clientId, $tokenId)
     ON CONFLICT (user_id, client_id) DO UPDATE SET token_id = excluded.token_id`,
    { userId, clientId, tokenId },
  );
}
