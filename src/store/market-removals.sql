-- Version 2: a change names its instrument by country and symbol and stays when the instrument is
-- removed. So every process sees the removal as one more change.

DROP TRIGGER changed_instruments_insert;
DROP TABLE changes;

-- Instruments in the order in which a record of theirs was last stored or removed. Numbers only rise.
CREATE TABLE changes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  country TEXT NOT NULL,
  symbol TEXT NOT NULL,
  UNIQUE (country, symbol)
) STRICT;

INSERT INTO changes (country, symbol) SELECT country, symbol FROM instruments ORDER BY id;

-- An insert into the view adds a change of that instrument, if it is known.
CREATE TRIGGER changed_instruments_insert INSTEAD OF INSERT ON changed_instruments
WHEN EXISTS (SELECT 1 FROM instruments WHERE country = new.country AND symbol = new.symbol) BEGIN
  DELETE FROM changes WHERE country = new.country AND symbol = new.symbol;
  INSERT INTO changes (country, symbol) VALUES (new.country, new.symbol);
END;

CREATE TRIGGER instruments_changed_delete AFTER DELETE ON instruments BEGIN
  DELETE FROM changes WHERE country = old.country AND symbol = old.symbol;
  INSERT INTO changes (country, symbol) VALUES (old.country, old.symbol);
END;

-- Another tool can give an instrument another symbol: the old one is removed.
CREATE TRIGGER instruments_changed_key AFTER UPDATE OF country, symbol ON instruments
WHEN old.country <> new.country OR old.symbol <> new.symbol BEGIN
  DELETE FROM changes WHERE country = old.country AND symbol = old.symbol;
  INSERT INTO changes (country, symbol) VALUES (old.country, old.symbol);
END;
