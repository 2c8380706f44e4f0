-- Version 9: the market segment of an instrument, and its class in the classification of its own market.

ALTER TABLE instruments ADD COLUMN segment TEXT;
ALTER TABLE instruments ADD COLUMN local_sector TEXT;

DROP TRIGGER instrument_search_update;
DROP VIEW instrument_texts;

-- As in version 1, but two control characters are before and behind each name and alias, so that a search finds a whole
-- name. The exchange, the segment and the class are filters too. Each is one trigram, because a search of several takes
-- ten times as long. A class is one character between two marks.
CREATE VIEW instrument_texts AS SELECT
  id,
  char(2, 2) || symbol || char(2, 2) AS symbol,
  char(3, 3) || replace(replace(replace(replace(
    name || coalesce('|' || aliases, '') || '|', 'đ', 'd'), 'Đ', 'D'), ' ', '  '),
    '|', '  ' || char(3, 3)) AS name,
  'all=' || country || '~' || substr(asset_type, 1, 2)
    || coalesce('~' || substr(sector, 1, 1) || substr(sector, -2), '')
    || CASE exchange
      WHEN 'NASDAQ' THEN '>nq' WHEN 'NYSE' THEN '>ny' WHEN 'NYSE American' THEN '>am'
      WHEN 'NYSE Arca' THEN '>ar' WHEN 'Cboe BZX' THEN '>cb' WHEN 'OTC' THEN '>ot'
      WHEN 'TSE' THEN '>ts' WHEN 'HOSE' THEN '>ho' WHEN 'HNX' THEN '>hn' WHEN 'UPCOM' THEN '>up'
      ELSE '' END
    || coalesce('<' || substr(segment, 1, 2), '')
    || coalesce('#' || char(0x4e00 + local_sector / 50) || '#', '') AS filters
FROM instruments;

CREATE TRIGGER instrument_search_update AFTER UPDATE ON instruments
WHEN old.name <> new.name OR old.asset_type <> new.asset_type OR old.sector IS NOT new.sector
  OR old.symbol <> new.symbol OR old.country <> new.country OR old.aliases IS NOT new.aliases
  OR old.exchange IS NOT new.exchange OR old.segment IS NOT new.segment
  OR old.local_sector IS NOT new.local_sector
  OR (old.delisted_at IS NULL) <> (new.delisted_at IS NULL)
BEGIN
  DELETE FROM instrument_search WHERE rowid = old.id;
  INSERT INTO instrument_search (rowid, symbol, name, filters)
    SELECT * FROM instrument_texts WHERE id = new.id AND new.delisted_at IS NULL;
END;

INSERT INTO instrument_search (instrument_search) VALUES ('delete-all');
INSERT INTO instrument_search (rowid, symbol, name, filters) SELECT * FROM instrument_texts
  WHERE id IN (SELECT id FROM instruments WHERE delisted_at IS NULL);

-- The lists of the two markets with such classes are fetched again, so that they are known at once.
DELETE FROM fetches WHERE kind = 'instruments' AND country IN ('JP', 'VN');
