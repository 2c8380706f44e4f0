-- Until when a source is left alone after failures, for the next process too; UTC milliseconds.
CREATE TABLE left_alone (
  source TEXT PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
