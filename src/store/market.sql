-- All records of the markets. Every *_at is in UTC milliseconds. source: the name of the source that
-- gave the record, 'import' for the operator's files; stored_at: when the record was stored.

---- Instruments

CREATE TABLE instruments (
  id INTEGER PRIMARY KEY,
  country TEXT NOT NULL,
  symbol TEXT NOT NULL,
  name TEXT NOT NULL,
  aliases TEXT, -- other names that a search finds, separated by '|'
  asset_type TEXT NOT NULL,
  exchange TEXT,
  currency TEXT NOT NULL,
  sector TEXT,
  industry TEXT,
  shares_outstanding REAL,
  employees INTEGER,
  summary TEXT,
  primary_listing INTEGER NOT NULL,
  index_member INTEGER NOT NULL,
  source TEXT NOT NULL,
  stored_at INTEGER NOT NULL,
  -- The source whose list of a whole market named the instrument last, and when that list was stored.
  -- Both are null if no list ever named it.
  listed_by TEXT,
  listed_at INTEGER,
  delisted_at INTEGER, -- when a newer list of that source left it out; null while it is listed
  UNIQUE (country, symbol)
) STRICT;

CREATE INDEX instruments_by_listing ON instruments (country, listed_by, listed_at)
WHERE delisted_at IS NULL;

-- Covers the queries of the catalog, so that they never read the rows themselves.
CREATE INDEX instruments_by_type ON instruments (country, asset_type, source, stored_at)
WHERE delisted_at IS NULL;

---- Search

-- The texts of the search index. It indexes every run of three characters (trigram). Two control
-- characters mark the start and the end of a symbol and the start of a name or alias, words are
-- separated by two spaces, and each filter is one trigram.
CREATE VIEW instrument_texts AS SELECT
  id,
  char(2, 2) || symbol || char(2, 2) AS symbol,
  char(3, 3) || replace(replace(replace(replace(
    name || coalesce('|' || aliases, ''), 'đ', 'd'), 'Đ', 'D'), ' ', '  '),
    '|', '  ' || char(3, 3)) || '  ' AS name,
  'all=' || country || '~' || substr(asset_type, 1, 2)
    || coalesce('~' || substr(sector, 1, 1) || substr(sector, -2), '') AS filters
FROM instruments;

-- Contains the listed instruments only.
CREATE VIRTUAL TABLE instrument_search USING fts5 (
  symbol, name, filters,
  content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1'
);

-- The program merges the index in slices after each stored list. SQLite's own merge, which starts
-- when a tenth of the index is deleted, would block for some 250 ms.
INSERT INTO instrument_search (instrument_search, rank) VALUES ('deletemerge', 0);

-- All trigrams of the index.
CREATE VIRTUAL TABLE instrument_trigrams USING fts5vocab (instrument_search, 'row');

CREATE TRIGGER instrument_search_insert AFTER INSERT ON instruments BEGIN
  INSERT INTO instrument_search (rowid, symbol, name, filters)
    SELECT * FROM instrument_texts WHERE id = new.id;
END;

CREATE TRIGGER instrument_search_update AFTER UPDATE ON instruments
WHEN old.name <> new.name OR old.asset_type <> new.asset_type OR old.sector IS NOT new.sector
  OR old.symbol <> new.symbol OR old.country <> new.country OR old.aliases IS NOT new.aliases
  OR (old.delisted_at IS NULL) <> (new.delisted_at IS NULL)
BEGIN
  DELETE FROM instrument_search WHERE rowid = old.id;
  INSERT INTO instrument_search (rowid, symbol, name, filters)
    SELECT * FROM instrument_texts WHERE id = new.id AND new.delisted_at IS NULL;
END;

CREATE TRIGGER instrument_search_delete AFTER DELETE ON instruments BEGIN
  DELETE FROM instrument_search WHERE rowid = old.id;
END;

---- Daily bars

-- One row for each instrument with bars. Every write of bars writes this row too.
CREATE TABLE bar_histories (
  instrument_id INTEGER PRIMARY KEY REFERENCES instruments (id) ON DELETE CASCADE,
  source TEXT NOT NULL,
  stored_at INTEGER NOT NULL
) STRICT;

-- SQLite stores a whole number in few bytes and any other number in eight. A price that is a whole
-- number of ten-thousandths is stored as that number, any other price as its negative: a bar takes 37
-- bytes instead of 57. The view daily_bars has the prices.
CREATE TABLE scaled_bars (
  instrument_id INTEGER NOT NULL REFERENCES bar_histories (instrument_id) ON DELETE CASCADE,
  date INTEGER NOT NULL, -- 20261120
  open REAL NOT NULL,
  high REAL NOT NULL,
  low REAL NOT NULL,
  close REAL NOT NULL,
  volume REAL,
  PRIMARY KEY (instrument_id, date)
) STRICT, WITHOUT ROWID;

CREATE VIEW daily_bars AS SELECT instrument_id, date,
  CASE WHEN open < 0 THEN -open ELSE open / 10000 END AS open,
  CASE WHEN high < 0 THEN -high ELSE high / 10000 END AS high,
  CASE WHEN low < 0 THEN -low ELSE low / 10000 END AS low,
  CASE WHEN close < 0 THEN -close ELSE close / 10000 END AS close,
  volume
FROM scaled_bars;

---- Other records

CREATE TABLE statements (
  country TEXT NOT NULL,
  symbol TEXT NOT NULL,
  span TEXT NOT NULL,
  fiscal_year INTEGER NOT NULL,
  fiscal_quarter INTEGER NOT NULL,
  period_end TEXT NOT NULL,
  filed_on TEXT NOT NULL,
  currency TEXT NOT NULL,
  items TEXT NOT NULL, -- JSON object, item to number or null
  source TEXT NOT NULL,
  stored_at INTEGER NOT NULL,
  PRIMARY KEY (country, symbol, span, fiscal_year, fiscal_quarter)
) STRICT, WITHOUT ROWID;

-- Records that are only read whole, in the order in which they were stored.
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  country TEXT NOT NULL,
  key TEXT NOT NULL, -- identifies a record of a kind and country: a symbol, a date, an id
  body TEXT NOT NULL, -- JSON
  source TEXT NOT NULL,
  stored_at INTEGER NOT NULL,
  UNIQUE (kind, country, key)
) STRICT;

-- The calendar shows the events of today and later.
CREATE INDEX calendar_events_by_date ON documents (country, body ->> 'date')
WHERE kind = 'calendarEvents';

---- Changes

-- Instruments in the order in which a record of theirs was last stored, so that figures are computed
-- again only for instruments with changed records. Numbers only rise. market-removals.sql replaces it.
CREATE TABLE changes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  instrument_id INTEGER NOT NULL UNIQUE REFERENCES instruments (id) ON DELETE CASCADE
) STRICT;

-- An insert into this view adds a change of that instrument, if it is known.
CREATE VIEW changed_instruments AS SELECT country, symbol FROM instruments;

CREATE TRIGGER changed_instruments_insert INSTEAD OF INSERT ON changed_instruments BEGIN
  DELETE FROM changes WHERE instrument_id =
    (SELECT id FROM instruments WHERE country = new.country AND symbol = new.symbol);
  INSERT INTO changes (instrument_id)
    SELECT id FROM instruments WHERE country = new.country AND symbol = new.symbol;
END;

CREATE TRIGGER instruments_changed_insert AFTER INSERT ON instruments BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.symbol);
END;
CREATE TRIGGER instruments_changed_update AFTER UPDATE ON instruments BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.symbol);
END;

CREATE TRIGGER bars_changed_insert AFTER INSERT ON bar_histories BEGIN
  INSERT INTO changed_instruments
    SELECT country, symbol FROM instruments WHERE id = new.instrument_id;
END;
CREATE TRIGGER bars_changed_update AFTER UPDATE ON bar_histories BEGIN
  INSERT INTO changed_instruments
    SELECT country, symbol FROM instruments WHERE id = new.instrument_id;
END;
CREATE TRIGGER bars_changed_delete AFTER DELETE ON bar_histories BEGIN
  INSERT INTO changed_instruments
    SELECT country, symbol FROM instruments WHERE id = old.instrument_id;
END;

CREATE TRIGGER statements_changed_insert AFTER INSERT ON statements BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.symbol);
END;
CREATE TRIGGER statements_changed_update AFTER UPDATE ON statements BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.symbol);
END;
CREATE TRIGGER statements_changed_delete AFTER DELETE ON statements BEGIN
  INSERT INTO changed_instruments VALUES (old.country, old.symbol);
END;

CREATE TRIGGER documents_changed_insert AFTER INSERT ON documents
WHEN new.kind IN ('quotes', 'recentCloses', 'dividends', 'analystCoverage') BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.key);
END;
CREATE TRIGGER documents_changed_update AFTER UPDATE ON documents
WHEN new.kind IN ('quotes', 'recentCloses', 'dividends', 'analystCoverage') BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.key);
END;
CREATE TRIGGER documents_changed_delete AFTER DELETE ON documents
WHEN old.kind IN ('quotes', 'recentCloses', 'dividends', 'analystCoverage') BEGIN
  INSERT INTO changed_instruments VALUES (old.country, old.key);
END;

---- Fetches and settings

-- The last result of each source for each kind of record of a country or instrument.
CREATE TABLE fetches (
  source TEXT NOT NULL,
  kind TEXT NOT NULL,
  country TEXT NOT NULL,
  symbol TEXT NOT NULL, -- empty for the records of a whole country
  attempted_at INTEGER NOT NULL,
  succeeded_at INTEGER, -- null if it never succeeded
  records INTEGER, -- that the last success with records gave
  error TEXT, -- of the last attempt; null if that succeeded
  PRIMARY KEY (kind, country, symbol, source)
) STRICT, WITHOUT ROWID;

-- Sources that are not called after failures, also by the next process.
CREATE TABLE blocked_sources (
  source TEXT PRIMARY KEY,
  blocked_until INTEGER NOT NULL -- UTC milliseconds
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
