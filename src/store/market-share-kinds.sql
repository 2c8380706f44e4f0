-- Version 10: what is traded of a company, its share or a depositary receipt. The next list of a source names it. Trades of
-- foreigners and reported earnings change the figures of a company, too.

ALTER TABLE instruments ADD COLUMN share_kind TEXT;

DROP TRIGGER documents_changed_insert;
DROP TRIGGER documents_changed_update;
DROP TRIGGER documents_changed_delete;
CREATE TRIGGER documents_changed_insert AFTER INSERT ON documents
WHEN new.kind IN (
  'quotes', 'recentCloses', 'dividends', 'splits', 'analystCoverage', 'earningsResults', 'foreignTrades'
) BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.key);
END;
CREATE TRIGGER documents_changed_update AFTER UPDATE ON documents
WHEN new.kind IN (
  'quotes', 'recentCloses', 'dividends', 'splits', 'analystCoverage', 'earningsResults', 'foreignTrades'
) BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.key);
END;
CREATE TRIGGER documents_changed_delete AFTER DELETE ON documents
WHEN old.kind IN (
  'quotes', 'recentCloses', 'dividends', 'splits', 'analystCoverage', 'earningsResults', 'foreignTrades'
) BEGIN
  INSERT INTO changed_instruments VALUES (old.country, old.key);
END;
