-- Users, their tokens and the tokens' counters. Every *_at is in UTC milliseconds.

CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  plan TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- the id of a deleted token is never used again
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  prefix TEXT NOT NULL, -- the first characters of the token: shown in lists, used to find the row
  hash BLOB NOT NULL, -- SHA-256 of the whole token; the token itself is not stored
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE INDEX tokens_by_prefix ON tokens (prefix);
CREATE INDEX tokens_by_user ON tokens (user_id);

CREATE TABLE usage (
  token_id INTEGER PRIMARY KEY REFERENCES tokens (id) ON DELETE CASCADE,
  day INTEGER NOT NULL, -- UTC days since 1970
  day_used INTEGER NOT NULL,
  hour INTEGER NOT NULL, -- UTC hours since 1970
  hour_used INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT;
