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
