-- Links with which a person becomes a user, once. Of a key only the SHA-256 is stored. They go with the admin who made
-- them. Every *_at is in UTC milliseconds.

CREATE TABLE invitations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the admin
  plan TEXT NOT NULL,
  note TEXT NOT NULL, -- who it is for, in the admin's words
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
