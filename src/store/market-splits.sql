-- Version 3: splits are records. Figures per share, share counts and bars say in which shares they are: those of the
-- end of the day `shares_as_of`. Splits with a later ex-date are applied when they are read.

ALTER TABLE instruments ADD COLUMN shares_as_of TEXT; -- of shares_outstanding; null without it
ALTER TABLE bar_histories ADD COLUMN shares_as_of TEXT NOT NULL DEFAULT '';
ALTER TABLE statements ADD COLUMN shares_as_of TEXT NOT NULL DEFAULT '';

-- Version 2 has noted every instrument as changed.
DROP TRIGGER instruments_changed_update;
DROP TRIGGER bars_changed_update;
DROP TRIGGER statements_changed_update;
DROP TRIGGER statements_changed_delete;

UPDATE instruments SET shares_as_of = date(stored_at / 1000, 'unixepoch')
WHERE shares_outstanding IS NOT NULL;

-- Fetched bars are in the shares of their newest session, imported ones in those of the import.
UPDATE bar_histories SET shares_as_of = CASE source
  WHEN 'import' THEN date(stored_at / 1000, 'unixepoch')
  ELSE coalesce((SELECT substr(newest, 1, 4) || '-' || substr(newest, 5, 2) || '-' || substr(newest, 7)
    FROM (SELECT max(date) AS newest FROM scaled_bars
      WHERE scaled_bars.instrument_id = bar_histories.instrument_id)), '') END;

-- Fetched statements were adjusted by splits that were guessed from share counts. They are fetched again.
DELETE FROM statements WHERE source <> 'import';
UPDATE statements SET shares_as_of = date(stored_at / 1000, 'unixepoch');
DELETE FROM fetches WHERE kind = 'statements';

CREATE TRIGGER instruments_changed_update AFTER UPDATE ON instruments BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.symbol);
END;
CREATE TRIGGER bars_changed_update AFTER UPDATE ON bar_histories BEGIN
  INSERT INTO changed_instruments
    SELECT country, symbol FROM instruments WHERE id = new.instrument_id;
END;
CREATE TRIGGER statements_changed_update AFTER UPDATE ON statements BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.symbol);
END;
CREATE TRIGGER statements_changed_delete AFTER DELETE ON statements BEGIN
  INSERT INTO changed_instruments VALUES (old.country, old.symbol);
END;

DROP TRIGGER documents_changed_insert;
DROP TRIGGER documents_changed_update;
DROP TRIGGER documents_changed_delete;
CREATE TRIGGER documents_changed_insert AFTER INSERT ON documents
WHEN new.kind IN ('quotes', 'recentCloses', 'dividends', 'splits', 'analystCoverage') BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.key);
END;
CREATE TRIGGER documents_changed_update AFTER UPDATE ON documents
WHEN new.kind IN ('quotes', 'recentCloses', 'dividends', 'splits', 'analystCoverage') BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.key);
END;
CREATE TRIGGER documents_changed_delete AFTER DELETE ON documents
WHEN old.kind IN ('quotes', 'recentCloses', 'dividends', 'splits', 'analystCoverage') BEGIN
  INSERT INTO changed_instruments VALUES (old.country, old.key);
END;
