-- As in access-briefs.sql.

CREATE TABLE brief_marks (
  token_id integer NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  scope text COLLATE "C" NOT NULL,
  at double precision NOT NULL,
  seen text NOT NULL,
  PRIMARY KEY (token_id, scope, at)
);
