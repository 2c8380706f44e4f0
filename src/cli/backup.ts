import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { BourseError } from "#domain/errors.ts";
import { formatCount } from "#lib/table.ts";
import { type BackupContents, writeBackup } from "./backup-archive.ts";
import { noteBackup } from "./backups.ts";
import { ageClockOf, type Command, type Invocation, type Io, settingsOf } from "./command.ts";
import { findServiceSettings } from "./service-settings.ts";
import { refuseAbsent, refuseNode } from "./data-folder.ts";
import { createClusterLog } from "./stores.ts";

export const backup: Command = {
  name: "backup",
  operands: "FILE",
  summary: "Write users, tokens, counters and settings to an archive and check it",
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
  const { withPostgres } = await import("./cluster-stores.ts");
  const { copyAccessFromCluster } = await import("#store/access-copy.ts");
  const parts = { clock: ageClockOf(io), log: createClusterLog({ io, config }) };
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

/**
 * Writes a backup in a child process of this program, so that the service is not blocked. Resolves with
 * null, or with the error in one sentence. The signal ends the child.
 */
export async function backUpInChild(
  file: string,
  options: {
    program: readonly string[];
    dataFolder: string;
    env: Io["env"];
    signal: AbortSignal;
  },
): Promise<string | null> {
  const { program, dataFolder, env, signal } = options;
  const child = Bun.spawn([...program, "backup", file, "--data", resolve(dataFolder)], {
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    signal,
  });
  const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  if (code === 0) return null;
  // A child that was killed could not remove its files.
  rmSync(`${file}.partial`, { recursive: true, force: true });
  return stderr.trim().split("\n").at(-1) || `The program ended with code ${code}.`;
}

/** The variables of the service that the command after a backup gets. It gets no setting, which could be a secret. */
const PLAIN_VARIABLES = ["PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR"];
/** How long that command may take. */
const COMMAND_MS = 3_600_000;

/**
 * Runs the operator's command for a new archive, whose path is its last argument. Resolves with null, or with
 * the error in one sentence. The signal ends the command with all programs that it has started.
 */
export async function runAfterBackup(
  command: string,
  file: string,
  { env, signal }: { env: Io["env"]; signal: AbortSignal },
): Promise<string | null> {
  const child = Bun.spawn(["sh", "-c", `${command} "$1"`, "sh", file], {
    env: Object.fromEntries(PLAIN_VARIABLES.map((name) => [name, env[name]])),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    // In a group of its own, because a shell that is ended alone leaves its programs, and stderr stays open.
    detached: true,
  });
  const ending = AbortSignal.any([signal, AbortSignal.timeout(COMMAND_MS)]);
  const end = () => {
    try {
      process.kill(-child.pid, "SIGTERM");
    } catch {
      // They have just ended.
    }
  };
  if (ending.aborted) end();
  else ending.onabort = end;
  try {
    const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
    if (code === 0) return null;
    return stderr.trim().split("\n").at(-1) || `The command ended with code ${code}.`;
  } finally {
    ending.onabort = null;
  }
}
