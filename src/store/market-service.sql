-- Version 4: what a service keeps for its next start.

-- The figures of all companies as they were last computed, so that the next process need not compute
-- them again. They can be computed from the other tables, so nodes of a cluster have different rows.
CREATE TABLE company_figures (
  country TEXT NOT NULL, -- empty for the state in which the figures were computed
  part INTEGER NOT NULL, -- from 0; each part has some hundred companies
  body BLOB NOT NULL, -- JSON, compressed with zstd
  PRIMARY KEY (country, part)
) STRICT;
