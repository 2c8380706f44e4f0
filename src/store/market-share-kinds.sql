-- Version 10: what is traded of a company, its share or a depositary receipt. The next list of a source names it.

ALTER TABLE instruments ADD COLUMN share_kind TEXT;
