import { resolve } from "node:path";
import { BourseError } from "#domain/errors.ts";
import { formatCount } from "#lib/table.ts";
import { type BackupContents, writeBackup } from "#service/backup-archive.ts";
import { noteBackup } from "#service/backups.ts";
import { postgresPartsOf } from "#service/world.ts";
import { findServiceSettings } from "#service/last-settings.ts";
import { refuseAbsent, refuseNode } from "#service/data-folder.ts";
import { type Command, type Invocation, settingsOf } from "./command.ts";

export const backup: Command = {
  name: "backup",
  operands: "FILE",
  summary: "Write users, tokens, lists, counters and settings to an archive and check it",
  flags: { market: { description: "add market.db, which holds your imports" } },
  examples: ["/mnt/bourse.tar.gz", "before-upgrade.tar.gz --market"],
  settings: ["data", "cluster"],
  async report({ io, config, operands: [file = ""], flags }) {
    const { dataFolder, cluster } = config;
    if (cluster === null) {
      refuseAbsent(dataFolder);
      refuseNode(dataFolder);
    }
    const now = io.clock();
    try {
      const contents = await writeBackup({
        dataFolder,
        file: resolve(file),
        withMarket: flags["market"] === true,
        ...(cluster !== null && {
          copyAccess: (path: string) => copyAccess({ io, config }, cluster, path),
        }),
        settings: findServiceSettings(dataFolder) ?? settingsOf({ io, config, flags }),
        now,
      });
      noteBackup(dataFolder, now, null);
      return {
        json: { file: resolve(file), ...contents },
        text: `${resolve(file)}: ${describeContents(contents)}. Every file was read back and checked.\n`,
      };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // A typing mistake is not a failed backup.
      if (!(error instanceof BourseError && error.code === "invalid_argument")) {
        noteBackup(dataFolder, now, reason);
      }
      throw error;
    }
  },
};

/** Writes the users, tokens and counters of a cluster to a new `access.db`. */
async function copyAccess(
  { io, config }: Pick<Invocation, "io" | "config">,
  cluster: string,
  path: string,
): Promise<void> {
  const { withPostgres } = await import("#service/cluster-stores.ts");
  const { copyAccessFromCluster } = await import("#store/access-copy.ts");
  const parts = postgresPartsOf(io, config);
  await withPostgres(cluster, parts, (postgres) => copyAccessFromCluster(postgres, path));
}

/** The files of an archive with the numbers that an operator can compare: `access.db (2 users, 3 tokens)`. */
export function describeContents({ files }: Pick<BackupContents, "files">): string {
  return Object.entries(files)
    .map(([name, { rows }]) => {
      if (!rows) return name;
      const shown = name === "access.db" ? ["user", "token"] : ["instrument"];
      return `${name} (${shown.map((noun) => formatCount(rows[`${noun}s`] ?? 0, noun)).join(", ")})`;
    })
    .join(", ");
}
