-- Version 10: the end of a name is marked too, so that a search finds a whole name.

DROP VIEW instrument_texts;

-- As in version 9. Two control characters are before and behind each name and alias.
CREATE VIEW instrument_texts AS SELECT
  id,
  char(2, 2) || symbol || char(2, 2) AS symbol,
  char(3, 3) || replace(replace(replace(replace(
    name || coalesce('|' || aliases, '') || '|', 'đ', 'd'), 'Đ', 'D'), ' ', '  '),
    '|', '  ' || char(3, 3)) AS name,
  'all=' || country || '~' || substr(asset_type, 1, 2)
    || coalesce('~' || substr(sector, 1, 1) || substr(sector, -2), '')
    || '>' || coalesce(exchange, '') || '/' || coalesce(segment, '')
    || '/' || coalesce(local_sector, '') || '<' AS filters
FROM instruments;

INSERT INTO instrument_search (instrument_search) VALUES ('delete-all');
INSERT INTO instrument_search (rowid, symbol, name, filters) SELECT * FROM instrument_texts
  WHERE id IN (SELECT id FROM instruments WHERE delisted_at IS NULL);
