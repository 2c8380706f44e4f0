import { existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { notFound, unavailable } from "#domain/errors.ts";
import { type DatabaseName, DATABASES, isMarketOfCluster } from "#store/index.ts";

/** The database files of a data folder: both on one machine, only the market on a node of a cluster. */
export function databaseNames(isNode: boolean): DatabaseName[] {
  const names = Object.keys(DATABASES) as DatabaseName[];
  return isNode ? names.filter((name) => name !== "access.db") : names;
}

/** The free bytes of a folder's disk. */
export function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** @throws BourseError if the folder is missing: a mistyped one would be created, and all data would seem deleted. */
export function refuseAbsent(folder: string): void {
  if (existsSync(folder)) return;
  throw notFound(
    `There is no data folder ${folder}; \`serve\` and \`user add\` create one, and --data or BOURSE_DATA selects another.`,
  );
}

/** @throws BourseError if the folder belongs to a node, whose users are in the cluster's database */
export function refuseNode(folder: string): void {
  if (!isMarketOfCluster(join(folder, "market.db"))) return;
  throw unavailable(
    `${folder} is the data folder of a node of a cluster. Set BOURSE_CLUSTER to the cluster's database, or delete the node's market with \`serve --reset-market\`.`,
  );
}
