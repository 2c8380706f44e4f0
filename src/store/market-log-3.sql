-- Why a node does not follow the log, such as `replaces its market`; null if it does, and from an earlier version.
-- It has what `begins_again` had, and more.
ALTER TABLE nodes ADD COLUMN fault text;
