-- The first table of a cluster's database. Migrations lock it.

CREATE SCHEMA IF NOT EXISTS bourse;

CREATE TABLE IF NOT EXISTS schema_versions (
  area text PRIMARY KEY,
  version integer NOT NULL -- the number of scripts that have run
);
