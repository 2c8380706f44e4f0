-- The source whose list of a whole market named the instrument last, and the time of that list (UTC
-- milliseconds); null where no list ever named it. A source whose newest list leaves out what it
-- named before delists it: delisted_at is the time of that list.
ALTER TABLE instruments ADD COLUMN listed_by TEXT;
ALTER TABLE instruments ADD COLUMN listed_at INTEGER;
ALTER TABLE instruments ADD COLUMN delisted_at INTEGER;

DROP TRIGGER instruments_changed_update;
UPDATE instruments SET listed_by = source, listed_at = stored_at WHERE source <> 'import';
CREATE TRIGGER instruments_changed_update AFTER UPDATE ON instruments BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.symbol);
END;

CREATE INDEX instruments_by_listing ON instruments (country, listed_by, listed_at)
WHERE delisted_at IS NULL;

-- All that the catalog counts, so that it never reads the rows themselves.
DROP INDEX instruments_by_type;
CREATE INDEX instruments_by_type ON instruments (country, asset_type, source, stored_at)
WHERE delisted_at IS NULL;

-- As before, but a search does not find what is delisted.
DROP TRIGGER instrument_search_update;
CREATE TRIGGER instrument_search_update AFTER UPDATE ON instruments
WHEN old.name <> new.name OR old.asset_type <> new.asset_type OR old.sector IS NOT new.sector
  OR old.symbol <> new.symbol OR old.country <> new.country OR old.aliases IS NOT new.aliases
  OR (old.delisted_at IS NULL) <> (new.delisted_at IS NULL)
BEGIN
  DELETE FROM instrument_search WHERE rowid = old.id;
  INSERT INTO instrument_search (rowid, symbol, name, filters)
    SELECT * FROM instrument_texts WHERE id = new.id AND new.delisted_at IS NULL;
END;

-- The calendar shows the events of today and later: earlier ones are skipped by this index.
CREATE INDEX calendar_events_by_date ON documents (country, body ->> 'date')
WHERE kind = 'calendarEvents';

-- Every stored list merges the search index in slices. A merge that SQLite begins by itself, once a
-- tenth of the index is deleted, would block for some 250 ms.
INSERT INTO instrument_search (instrument_search, rank) VALUES ('deletemerge', 0);
