import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { invalidArgument, notFound, unavailable } from "#domain/errors.ts";
import { seedCluster } from "#ingest/cluster-market.ts";
import { formatCount } from "#lib/table.ts";
import { CLUSTER_ACCESS } from "#store/access-cluster.ts";
import { copyAccessToCluster } from "#store/access-copy.ts";
import { copyDatabase, type DatabaseName, isInUse, isMarketOfCluster } from "#store/index.ts";
import { MarketLog } from "#store/market-log.ts";
import { MarketSnapshots } from "#store/market-snapshots.ts";
import type { Postgres } from "#store/postgres.ts";
import { migratePostgres } from "#store/postgres-schema.ts";
import { withPostgres } from "#service/cluster-stores.ts";
import { postgresPartsOf } from "#service/world.ts";
import type { Command, Invocation } from "./command.ts";

export const clusterImport: Command = {
  name: "cluster import",
  operands: "FOLDER",
  summary:
    "Copy a data folder into an empty cluster: users, tokens, lists, counters and the market",
  examples: ["/var/lib/bourse"],
  settings: ["cluster", "market"],
  async report({ io, config, operands: [folder = ""] }) {
    const { cluster } = config;
    if (cluster === null) {
      throw invalidArgument("Set BOURSE_CLUSTER to the database of the cluster.");
    }
    const path = join(folder, "access.db");
    if (!existsSync(path)) {
      throw notFound(`There is no data folder ${folder} with users.`);
    }
    // Before the users are copied.
    if (isMarketOfCluster(join(folder, "market.db"))) {
      throw invalidArgument(`The market in ${folder} belongs to a cluster already.`);
    }
    for (const name of ["access.db", "market.db"]) {
      if (!isInUse(join(folder, name))) continue;
      throw unavailable(
        `A process uses ${resolve(folder)}. Stop it, because its later changes would be lost.`,
      );
    }
    const parts = postgresPartsOf(io, config);
    return withPostgres(cluster, parts, async (postgres) => {
      await migratePostgres(postgres, CLUSTER_ACCESS);
      const rows = await withCopy(folder, "access.db", (copy) =>
        copyAccessToCluster(join(copy, "access.db"), postgres),
      );
      const [users, tokens] = [rows["users"] ?? 0, rows["tokens"] ?? 0];
      const market = existsSync(join(folder, "market.db"));
      if (market) await copyMarket(postgres, folder, config);
      return {
        json: { users, tokens, market },
        text:
          `Copied ${formatCount(users, "user")} and ${formatCount(tokens, "token")} with their counters and history.\n` +
          (market ? "Copied the market; every node begins with it.\n" : "") +
          "Now start the nodes with BOURSE_CLUSTER, each on its own data folder.\n",
      };
    });
  },
};

async function copyMarket(
  postgres: Postgres,
  folder: string,
  { market: origin }: Invocation["config"],
): Promise<void> {
  const marketLog = await MarketLog.open(postgres);
  await withCopy(folder, "market.db", (dataFolder) => {
    const snapshots = new MarketSnapshots(postgres, dataFolder);
    return seedCluster({ marketLog, snapshots, dataFolder, origin });
  });
}

/** Copies a file of a folder into a temporary one while `work` runs, because the file must not change. */
async function withCopy<T>(
  folder: string,
  name: DatabaseName,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const copy = mkdtempSync(join(tmpdir(), "bourse-import-"));
  try {
    copyDatabase(join(folder, name), join(copy, name), name);
    return await work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
