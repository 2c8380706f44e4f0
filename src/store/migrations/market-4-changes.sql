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
