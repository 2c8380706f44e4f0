-- Version 6: what is known of failures, so that the next process and the next leader know it too.

ALTER TABLE fetches ADD COLUMN failures INTEGER NOT NULL DEFAULT 0; -- in a row
ALTER TABLE fetches ADD COLUMN next_attempt_at INTEGER; -- after a failure; null after a success

UPDATE fetches SET failures = 1, next_attempt_at = attempted_at + iif(symbol = '', 60000, 21600000)
WHERE error IS NOT NULL AND attempted_at IS NOT succeeded_at;

ALTER TABLE blocked_sources RENAME TO source_states;
ALTER TABLE source_states ADD COLUMN answered_at INTEGER; -- the last answer; null if there was none
ALTER TABLE source_states ADD COLUMN failed_at INTEGER; -- the last failure; null if there was none
ALTER TABLE source_states ADD COLUMN failing_since INTEGER; -- the first failure since the last answer; null after an answer
ALTER TABLE source_states ADD COLUMN outages TEXT NOT NULL DEFAULT '[]'; -- JSON: [{"from", "to"}], the newest first
