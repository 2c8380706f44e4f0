-- Other names by which an instrument is searched, separated by '|': its name in another language,
-- a former name, a common abbreviation.
ALTER TABLE instruments ADD COLUMN aliases TEXT;

-- As before, but every alias begins like a name.
DROP VIEW instrument_texts;
CREATE VIEW instrument_texts AS SELECT
  id,
  char(2, 2) || symbol || char(2, 2) AS symbol,
  char(3, 3) || replace(replace(replace(replace(
    name || coalesce('|' || aliases, ''), 'đ', 'd'), 'Đ', 'D'), ' ', '  '),
    '|', '  ' || char(3, 3)) || '  ' AS name,
  'all=' || country || '~' || substr(asset_type, 1, 2)
    || coalesce('~' || substr(sector, 1, 1) || substr(sector, -2), '') AS filters
FROM instruments;

DROP TRIGGER instrument_search_update;
CREATE TRIGGER instrument_search_update AFTER UPDATE ON instruments
WHEN old.name <> new.name OR old.asset_type <> new.asset_type OR old.sector IS NOT new.sector
  OR old.symbol <> new.symbol OR old.country <> new.country OR old.aliases IS NOT new.aliases
BEGIN
  DELETE FROM instrument_search WHERE rowid = old.id;
  INSERT INTO instrument_search (rowid, symbol, name, filters)
    SELECT * FROM instrument_texts WHERE id = new.id;
END;
