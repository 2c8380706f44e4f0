-- Lists, screens and settings of users. The large value is the last column, so that names are read without it.

CREATE TABLE user_documents (
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind TEXT NOT NULL, -- list, screen or settings
  name TEXT NOT NULL,
  items INTEGER NOT NULL, -- of a list; 0 for other kinds
  changed_at INTEGER NOT NULL, -- UTC milliseconds
  value TEXT NOT NULL, -- JSON
  PRIMARY KEY (user_id, kind, name)
) STRICT;

CREATE INDEX audit_own_data ON audit (actor, id) WHERE
  action IN ('list saved', 'list deleted', 'screen saved', 'screen deleted', 'settings saved');
