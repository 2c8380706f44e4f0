-- For both engines: what a token may do besides reading, as OAuth's scopes separated by spaces. A node of the
-- version before leaves the column out: its tokens only read.

ALTER TABLE tokens ADD COLUMN rights TEXT NOT NULL DEFAULT '';
ALTER TABLE oauth_codes ADD COLUMN rights TEXT NOT NULL DEFAULT '';
