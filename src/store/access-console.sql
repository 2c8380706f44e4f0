-- Sign-in, the audit log, the history of usage, and OAuth. Every *_at is in UTC milliseconds. No secret is
-- stored: of keys, cookies and codes only the SHA-256.

ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'user'; -- admin or user
ALTER TABLE users ADD COLUMN password TEXT; -- argon2id; null without a password
-- The first user is the owner.
UPDATE users SET role = 'admin' WHERE id = (SELECT min(id) FROM users);

-- Links that sign in once.
CREATE TABLE sign_in_keys (
  hash BLOB PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  address TEXT NOT NULL,
  browser TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  address TEXT -- null for the command line
) STRICT;

CREATE INDEX audit_by_at ON audit (at);
CREATE INDEX audit_refused ON audit (id) WHERE action = 'sign-in refused';

-- The calls of closed hours. The newest hour of a token is in the table usage until its next one begins. The
-- refused calls of every hour.
CREATE TABLE usage_hours (
  token_id INTEGER NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  hour INTEGER NOT NULL, -- UTC hours since 1970
  calls INTEGER NOT NULL,
  denied INTEGER NOT NULL,
  PRIMARY KEY (token_id, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_hours_by_hour ON usage_hours (hour);

-- Moves a token's hour to the history when its next one begins, in the statement that counts that call. So
-- nothing is lost or counted twice, whichever process counts or is killed. A clock that steps back can open
-- an hour again, so the calls are added. Rows are kept for 400 days (9,600 hours).
CREATE TRIGGER usage_hour_closed AFTER UPDATE OF hour ON usage
WHEN new.hour <> old.hour AND old.hour_used <> 0
BEGIN
  INSERT INTO usage_hours (token_id, hour, calls, denied)
  VALUES (old.token_id, old.hour, old.hour_used, 0)
  ON CONFLICT (token_id, hour) DO UPDATE SET calls = calls + excluded.calls;
  DELETE FROM usage_hours WHERE hour < new.hour - 9600;
END;

-- Clients that registered themselves (RFC 7591).
CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  redirect_uris TEXT NOT NULL, -- JSON array
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE oauth_codes (
  hash BLOB PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id TEXT NOT NULL,
  client_name TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  challenge TEXT NOT NULL, -- PKCE S256
  expires_at INTEGER NOT NULL,
  token_id INTEGER REFERENCES tokens (id) ON DELETE CASCADE -- null until the code is exchanged
) STRICT, WITHOUT ROWID;

-- The token that a client holds for a user; a new consent replaces it.
CREATE TABLE oauth_grants (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id TEXT NOT NULL,
  token_id INTEGER NOT NULL UNIQUE REFERENCES tokens (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, client_id)
) STRICT, WITHOUT ROWID;
