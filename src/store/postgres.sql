-- What all areas of a cluster's database share. It runs at each start of a node, before the migrations.

-- The clock of the cluster, UTC milliseconds. All windows, terms and minutes follow it.
CREATE OR REPLACE FUNCTION cluster_now() RETURNS double precision LANGUAGE sql VOLATILE AS
  'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::double precision';
