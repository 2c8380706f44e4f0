-- SQLite keeps a whole number in few bytes and any other in eight. So a price that is a whole number of
-- ten-thousandths is kept as that number, and one that is not as it is, with a minus before it: a bar
-- takes 38 bytes and not 57. The view daily_bars has the prices themselves.
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

INSERT INTO scaled_bars SELECT instrument_id, date,
  CASE WHEN round(open * 10000) / 10000 = open THEN round(open * 10000) ELSE -open END,
  CASE WHEN round(high * 10000) / 10000 = high THEN round(high * 10000) ELSE -high END,
  CASE WHEN round(low * 10000) / 10000 = low THEN round(low * 10000) ELSE -low END,
  CASE WHEN round(close * 10000) / 10000 = close THEN round(close * 10000) ELSE -close END,
  volume
FROM daily_bars;

DROP TABLE daily_bars;

CREATE VIEW daily_bars AS SELECT instrument_id, date,
  CASE WHEN open < 0 THEN -open ELSE open / 10000 END AS open,
  CASE WHEN high < 0 THEN -high ELSE high / 10000 END AS high,
  CASE WHEN low < 0 THEN -low ELSE low / 10000 END AS low,
  CASE WHEN close < 0 THEN -close ELSE close / 10000 END AS close,
  volume
FROM scaled_bars;

-- What a search looks through. The index knows every run of three characters, so two control
-- characters mark where a symbol begins and ends and where a name begins, two spaces stand between
-- words, and each filter is a run of its own.
CREATE VIEW instrument_texts AS SELECT
  id,
  char(2, 2) || symbol || char(2, 2) AS symbol,
  char(3, 3) || replace(replace(replace(name, 'đ', 'd'), 'Đ', 'D'), ' ', '  ') || '  ' AS name,
  'all=' || country || '~' || substr(asset_type, 1, 2)
    || coalesce('~' || substr(sector, 1, 1) || substr(sector, -2), '') AS filters
FROM instruments;

CREATE VIRTUAL TABLE instrument_search USING fts5 (
  symbol, name, filters,
  content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1'
);

-- Every run of three characters that the index knows.
CREATE VIRTUAL TABLE instrument_trigrams USING fts5vocab (instrument_search, 'row');

INSERT INTO instrument_search (rowid, symbol, name, filters) SELECT * FROM instrument_texts;

CREATE TRIGGER instrument_search_insert AFTER INSERT ON instruments BEGIN
  INSERT INTO instrument_search (rowid, symbol, name, filters)
    SELECT * FROM instrument_texts WHERE id = new.id;
END;

CREATE TRIGGER instrument_search_update AFTER UPDATE ON instruments
WHEN old.name <> new.name OR old.asset_type <> new.asset_type OR old.sector IS NOT new.sector
  OR old.symbol <> new.symbol OR old.country <> new.country
BEGIN
  DELETE FROM instrument_search WHERE rowid = old.id;
  INSERT INTO instrument_search (rowid, symbol, name, filters)
    SELECT * FROM instrument_texts WHERE id = new.id;
END;

CREATE TRIGGER instrument_search_delete AFTER DELETE ON instruments BEGIN
  DELETE FROM instrument_search WHERE rowid = old.id;
END;

-- Instruments in the order in which anything of theirs was stored last, so that what is computed from
-- an instrument's records is computed again only where they changed. Numbers only ever rise.
CREATE TABLE changes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  instrument_id INTEGER NOT NULL UNIQUE REFERENCES instruments (id) ON DELETE CASCADE
) STRICT;

INSERT INTO changes (instrument_id) SELECT id FROM instruments;

-- To be inserted into: notes a change of that instrument, if it is known.
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

-- The history stands for its bars: whoever writes those writes it too.
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
WHEN new.kind IN ('quotes', 'dividends') BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.key);
END;
CREATE TRIGGER documents_changed_update AFTER UPDATE ON documents
WHEN new.kind IN ('quotes', 'dividends') BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.key);
END;
CREATE TRIGGER documents_changed_delete AFTER DELETE ON documents
WHEN old.kind IN ('quotes', 'dividends') BEGIN
  INSERT INTO changed_instruments VALUES (old.country, old.key);
END;
