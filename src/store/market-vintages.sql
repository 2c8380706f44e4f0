-- Version 5: restated figures are kept as they were filed.

ALTER TABLE statements ADD COLUMN filing_assumed INTEGER; -- 1 if no source gives filed_on, else null

-- The figures of a period as one filing gave them, with the day of that filing.
CREATE TABLE statement_vintages (
  country TEXT NOT NULL,
  symbol TEXT NOT NULL,
  source TEXT NOT NULL,
  span TEXT NOT NULL,
  fiscal_year INTEGER NOT NULL,
  fiscal_quarter INTEGER NOT NULL,
  filed_on TEXT NOT NULL,
  filing_assumed INTEGER,
  period_end TEXT NOT NULL,
  currency TEXT NOT NULL,
  accession TEXT,
  items TEXT, -- JSON object; null if they are those of the statement
  shares_as_of TEXT NOT NULL,
  stored_at INTEGER NOT NULL,
  PRIMARY KEY (country, symbol, source, span, fiscal_year, fiscal_quarter, filed_on)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER vintages_changed_insert AFTER INSERT ON statement_vintages BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.symbol);
END;
CREATE TRIGGER vintages_changed_update AFTER UPDATE ON statement_vintages BEGIN
  INSERT INTO changed_instruments VALUES (new.country, new.symbol);
END;
CREATE TRIGGER vintages_changed_delete AFTER DELETE ON statement_vintages BEGIN
  INSERT INTO changed_instruments VALUES (old.country, old.symbol);
END;
