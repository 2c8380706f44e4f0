-- The fingerprint of a change identifies the whole log up to it. Postgres can go back in time (a restore, a
-- failover that lost commits) and then number other changes, so a number alone identifies nothing.
ALTER TABLE market_log ADD COLUMN fingerprint text; -- null until the change has a number
ALTER TABLE market_log_head ADD COLUMN fingerprint text NOT NULL DEFAULT ''; -- of the newest change
ALTER TABLE market_snapshots ADD COLUMN fingerprint text; -- of the last change that it contains

-- The fingerprint of a change after the one with the fingerprint `before`, which is empty for the first one.
CREATE FUNCTION next_fingerprint(before text, log_id uuid, log_position integer) RETURNS text LANGUAGE sql AS
  $$ SELECT encode(sha256(convert_to(before || ' ' || log_id || ' ' || log_position, 'UTF8')), 'hex') $$;

-- The changes and snapshots that an earlier version stored.
DO $$
DECLARE
  entry record;
  mark text := '';
BEGIN
  UPDATE market_snapshots SET fingerprint = '' WHERE number < coalesce(
    (SELECT min(number) FROM market_log), (SELECT number + 1 FROM market_log_head));
  FOR entry IN SELECT id, position, number FROM market_log WHERE number IS NOT NULL ORDER BY number LOOP
    mark := next_fingerprint(mark, entry.id, entry.position);
    UPDATE market_log SET fingerprint = mark WHERE id = entry.id AND position = entry.position;
    UPDATE market_snapshots SET fingerprint = mark WHERE number = entry.number;
  END LOOP;
  UPDATE market_log_head SET fingerprint = mark;
END $$;

-- As in market-log.sql, with fingerprints. The holder of the fence counts too, because a database that went
-- back in time gives a fence again.
CREATE FUNCTION append_to_market_log(
  log_id uuid, last_bytes bytea, changes integer, log_fence integer, log_holder uuid)
RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
  head bigint;
  mark text;
  last bigint;
BEGIN
  -- Locked until the commit, so that numbers commit in order. The statements below see all that was
  -- committed before.
  SELECT number, fingerprint INTO head, mark FROM market_log_head FOR UPDATE;
  SELECT max(number) INTO last FROM market_log WHERE id = log_id;
  IF last IS NOT NULL THEN
    RETURN last;
  END IF;
  IF log_fence IS NOT NULL THEN
    -- Locked too, so that the next leader's term begins after this commit.
    PERFORM 1 FROM leader WHERE fence = log_fence AND holder = coalesce(log_holder, holder)
      AND until > cluster_now() FOR SHARE;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END IF;
  INSERT INTO market_log (id, position, bytes, appended_at)
  VALUES (log_id, changes - 1, last_bytes, cluster_now());
  FOR i IN 0 .. changes - 1 LOOP
    mark := next_fingerprint(mark, log_id, i);
    UPDATE market_log SET number = head + i + 1, fingerprint = mark, appended_at = cluster_now()
    WHERE id = log_id AND position = i;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'Changes before the last one are missing.';
    END IF;
  END LOOP;
  last := head + changes;
  UPDATE market_log_head SET number = last, fingerprint = mark;
  PERFORM pg_notify('bourse_log', '');
  RETURN last;
END $$;

-- For nodes of the version before.
CREATE OR REPLACE FUNCTION append_to_market_log(log_id uuid, last_bytes bytea, changes integer, log_fence integer)
RETURNS double precision LANGUAGE sql AS
  'SELECT append_to_market_log(log_id, last_bytes, changes, log_fence, NULL)';

---- Nodes

ALTER TABLE nodes ADD COLUMN build text; -- a hash of the program; null from an earlier version
ALTER TABLE nodes ADD COLUMN settings text; -- a hash of the settings that all nodes share
ALTER TABLE nodes ADD COLUMN begins_again boolean; -- true while it replaces its market by that of the log
