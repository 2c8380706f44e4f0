-- The market of a cluster: its log, its leader, its nodes and its snapshots. Every *_at and "until" is in
-- UTC milliseconds of this database's clock.

CREATE TABLE cluster (
  id uuid NOT NULL DEFAULT gen_random_uuid(), -- stored in the market.db of each node
  origin text -- sample or live; null until the first node joins
);
INSERT INTO cluster DEFAULT VALUES;

---- Log

-- All changes of the market, in the order in which every node applies them. Numbers have no gaps. Changes
-- that belong together have one id and get their numbers in one statement.
CREATE TABLE market_log (
  id uuid NOT NULL, -- chosen by the writer, so that it can repeat an append that got no answer
  position integer NOT NULL, -- 0 for the first change with that id
  number bigint UNIQUE, -- null until all changes with that id are appended
  bytes bytea NOT NULL, -- compressed
  appended_at double precision NOT NULL,
  PRIMARY KEY (id, position)
);
ALTER TABLE market_log ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE market_log_head (number bigint NOT NULL); -- of the newest change; 0 before the first
INSERT INTO market_log_head VALUES (0);

-- The node that refreshes the market. The fence rises with each new holder.
CREATE TABLE leader (
  holder uuid, -- null before the first
  until double precision NOT NULL, -- the end of its term
  fence integer NOT NULL
);
INSERT INTO leader VALUES (NULL, 0, 0);

-- Appends the last of `changes` changes with that id, and numbers all of them; the others are stored
-- already. Returns the last number, also if the changes were appended before. Returns null, and changes
-- nothing, if the fence (null for none) is not that of the present leader. It is one statement for the
-- client, so a client that stops in the middle holds no lock.
CREATE FUNCTION append_to_market_log(log_id uuid, last_bytes bytea, changes integer, log_fence integer)
RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
  head bigint;
  last bigint;
BEGIN
  -- Locked until the commit, so that numbers commit in order. The statements below see all that was
  -- committed before.
  SELECT number INTO head FROM market_log_head FOR UPDATE;
  SELECT max(number) INTO last FROM market_log WHERE id = log_id;
  IF last IS NOT NULL THEN
    RETURN last;
  END IF;
  IF log_fence IS NOT NULL THEN
    -- Locked too, so that the next leader's term begins after this commit.
    PERFORM 1 FROM leader WHERE fence = log_fence AND until > cluster_now() FOR SHARE;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END IF;
  last := head + changes;
  UPDATE market_log SET number = head + position + 1, appended_at = cluster_now() WHERE id = log_id;
  INSERT INTO market_log VALUES (log_id, changes - 1, last, last_bytes, cluster_now());
  IF (SELECT count(*) FROM market_log WHERE id = log_id) <> changes THEN
    RAISE EXCEPTION 'Changes before the last one are missing.';
  END IF;
  UPDATE market_log_head SET number = last;
  PERFORM pg_notify('bourse_log', '');
  RETURN last;
END $$;

---- Nodes

-- Unlogged: a crash of the server empties it, and each node writes its row every second.
CREATE UNLOGGED TABLE nodes (
  id uuid PRIMARY KEY,
  host text NOT NULL,
  version text NOT NULL,
  url text NOT NULL,
  started_at double precision NOT NULL,
  seen_at double precision NOT NULL,
  applied bigint NOT NULL, -- the number of the last change that it applied
  leases integer NOT NULL
);

---- Snapshots

-- Copies of a node's market.db, from which new nodes start.
CREATE TABLE market_snapshots (
  id uuid PRIMARY KEY,
  number bigint NOT NULL, -- of the last change that it contains
  sha256 text, -- of the whole file, in hexadecimal; null while it is incomplete
  completed_at double precision
);

CREATE TABLE market_snapshot_chunks (
  snapshot uuid NOT NULL REFERENCES market_snapshots (id) ON DELETE CASCADE,
  position integer NOT NULL, -- 0 for the first
  bytes bytea NOT NULL, -- compressed on its own
  PRIMARY KEY (snapshot, position)
);
ALTER TABLE market_snapshot_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
