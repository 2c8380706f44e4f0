-- Version 4: what a service keeps for its next start.

-- The figures of all companies as they were last computed, so that the next process need not compute
-- them again. They can be computed from the other tables, so nodes of a cluster have different rows.
CREATE TABLE company_figures (
  country TEXT NOT NULL, -- empty for the state in which the figures were computed
  part INTEGER NOT NULL, -- from 0; each part has some hundred companies
  body BLOB NOT NULL, -- JSON, compressed with zstd
  PRIMARY KEY (country, part)
) STRICT;

-- The number of bars of each history, and a checksum that finds bars that were changed without bourse: the
-- sum of a hash of each row. Null for a history that was stored before this version.
CREATE TABLE bar_checksums (
  instrument_id INTEGER PRIMARY KEY REFERENCES bar_histories (instrument_id) ON DELETE CASCADE,
  bars INTEGER NOT NULL,
  checksum INTEGER
) STRICT;

INSERT INTO bar_checksums SELECT instrument_id,
  (SELECT count(*) FROM scaled_bars WHERE scaled_bars.instrument_id = bar_histories.instrument_id), NULL
FROM bar_histories;
