-- Version 8: the members of indices, with the UTC dates on which they were known.

CREATE TABLE index_members (
  country TEXT NOT NULL,
  index_symbol TEXT NOT NULL,
  symbol TEXT NOT NULL,
  known_from TEXT NOT NULL, -- when a list first had it
  known_until TEXT, -- when a list first left it out; null while the newest list has it
  PRIMARY KEY (country, index_symbol, symbol, known_from)
) STRICT, WITHOUT ROWID;

-- The lists are fetched again, so that members are known at once.
DELETE FROM fetches WHERE kind = 'classifications';
