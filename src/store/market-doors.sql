-- Version 7: what is known of the hosts of sources, and what a partial answer lacks.

CREATE TABLE source_hosts (
  host TEXT PRIMARY KEY,
  blocked_until INTEGER NOT NULL, -- UTC milliseconds; 0 if it is not blocked
  refusal TEXT, -- the word of its last refusal: 403, hangs; null after an answer
  refused_at INTEGER, -- UTC milliseconds
  identity TEXT -- the User-Agent to which it last answered; null if the source has one only
) STRICT;

ALTER TABLE fetches ADD COLUMN missing TEXT; -- JSON: [{"what", "why"}]; null if the last answer was whole
