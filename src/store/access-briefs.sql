-- Up to where a token knows its lists: what was known at each of its last briefs.

CREATE TABLE brief_marks (
  token_id INTEGER NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  scope TEXT NOT NULL, -- what the briefs are about: list:semis; empty for all lists
  at INTEGER NOT NULL, -- the time of the brief, UTC milliseconds
  seen TEXT NOT NULL, -- JSON
  PRIMARY KEY (token_id, scope, at)
) STRICT;
