-- As in access-documents.sql.

CREATE TABLE user_documents (
  user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind text NOT NULL,
  name text COLLATE "C" NOT NULL,
  items integer NOT NULL,
  changed_at double precision NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (user_id, kind, name)
);

CREATE INDEX audit_own_data ON audit (actor, id) WHERE
  action IN ('list saved', 'list deleted', 'screen saved', 'screen deleted', 'settings saved');
