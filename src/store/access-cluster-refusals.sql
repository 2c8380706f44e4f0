-- As in access-refusals.sql.

CREATE TABLE refused_calls (
  token_id integer NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  minute integer NOT NULL,
  hash text COLLATE "C" NOT NULL,
  at double precision NOT NULL,
  calls integer NOT NULL,
  via text NOT NULL,
  operation text NOT NULL,
  code text NOT NULL,
  param text NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (token_id, minute, hash)
);

CREATE INDEX refused_calls_by_minute ON refused_calls (minute);
