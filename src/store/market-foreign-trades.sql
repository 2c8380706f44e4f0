-- Version 11: the figures of an instrument also change with its trades of foreigners.

DROP TRIGGER documents_changed_insert;
DROP TRIGGER documents_changed_update;
DROP TRIGGER documents_changed_delete;
CREATE TRIGGER documents_changed_insert AFTER INSERT ON documents
WHEN new.kind IN ('quotes', 'recentCloses', 'dividends', 'splits', 'analystCoverage', 'foreignTrades') BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.key);
END;
CREATE TRIGGER documents_changed_update AFTER UPDATE ON documents
WHEN new.kind IN ('quotes', 'recentCloses', 'dividends', 'splits', 'analystCoverage', 'foreignTrades') BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.key);
END;
CREATE TRIGGER documents_changed_delete AFTER DELETE ON documents
WHEN old.kind IN ('quotes', 'recentCloses', 'dividends', 'splits', 'analystCoverage', 'foreignTrades') BEGIN
  INSERT INTO changed_instruments VALUES (old.country, old.key);
END;
