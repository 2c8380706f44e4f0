-- source: who gave the record; stored_at: UTC milliseconds when it was stored.

CREATE TABLE instruments (
  id INTEGER PRIMARY KEY,
  country TEXT NOT NULL,
  symbol TEXT NOT NULL,
  name TEXT NOT NULL,
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
  UNIQUE (country, symbol)
) STRICT;

-- All that the catalog counts, so that it never reads the rows themselves.
CREATE INDEX instruments_by_type ON instruments (country, asset_type, source, stored_at);

CREATE TABLE bar_histories (
  instrument_id INTEGER PRIMARY KEY REFERENCES instruments (id) ON DELETE CASCADE,
  source TEXT NOT NULL,
  stored_at INTEGER NOT NULL
) STRICT;

CREATE TABLE daily_bars (
  instrument_id INTEGER NOT NULL REFERENCES bar_histories (instrument_id) ON DELETE CASCADE,
  date INTEGER NOT NULL, -- 20261120
  open REAL NOT NULL,
  high REAL NOT NULL,
  low REAL NOT NULL,
  close REAL NOT NULL,
  volume REAL,
  PRIMARY KEY (instrument_id, date)
) STRICT, WITHOUT ROWID;

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

-- Records that are only ever read whole, in the order in which they were stored.
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  country TEXT NOT NULL,
  key TEXT NOT NULL, -- what tells records of a kind and country apart: a symbol, a date, an id
  body TEXT NOT NULL, -- JSON
  source TEXT NOT NULL,
  stored_at INTEGER NOT NULL,
  UNIQUE (kind, country, key)
) STRICT;

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How each source fared with what it was asked for last.
CREATE TABLE fetches (
  source TEXT NOT NULL,
  kind TEXT NOT NULL,
  country TEXT NOT NULL,
  symbol TEXT NOT NULL, -- empty for the records of a whole country
  attempted_at INTEGER NOT NULL,
  succeeded_at INTEGER, -- null where it never worked
  records INTEGER, -- that the last success gave
  error TEXT, -- of the last attempt; null where it worked
  PRIMARY KEY (kind, country, symbol, source)
) STRICT, WITHOUT ROWID;

CREATE INDEX fetches_by_source ON fetches (source);
