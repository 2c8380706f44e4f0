-- The key of links to files, which all nodes share. `access.db` has no such table: a backup must not have the key.

CREATE TABLE link_secret (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  secret bytea NOT NULL
);
