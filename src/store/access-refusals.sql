-- The refused calls of tokens with their reasons. Equal ones of a minute are one row.

CREATE TABLE refused_calls (
  token_id INTEGER NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  minute INTEGER NOT NULL, -- UTC minutes since 1970
  hash TEXT NOT NULL, -- of via, operation, code, param and message
  at INTEGER NOT NULL, -- the last call, UTC milliseconds
  calls INTEGER NOT NULL,
  via TEXT NOT NULL, -- rest, mcp or feed
  operation TEXT NOT NULL,
  code TEXT NOT NULL, -- of the error: invalid_argument
  param TEXT NOT NULL, -- the parameter at fault; empty for none
  message TEXT NOT NULL, -- without secrets
  PRIMARY KEY (token_id, minute, hash)
) STRICT;

CREATE INDEX refused_calls_by_minute ON refused_calls (minute);
