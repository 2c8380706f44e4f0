import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type BourseError, invalidArgument, notFound, unavailable } from "#domain/errors.ts";
import { fileTimeOf } from "#lib/date.ts";
import {
  DATABASES,
  endSignIns,
  isInUse,
  lockFile,
  toUserError,
  withUserErrors,
} from "#store/index.ts";
import { createFolder, giveToOwner } from "#store/files.ts";
import { refuseForeignCode } from "#store/backup.ts";
import { removeLinkSecret } from "#store/link-secret.ts";
import { type BackupContents, EFFECTIVE_SETTINGS, readBackup } from "#service/backup-archive.ts";
import { listServers } from "#service/servers.ts";
import { readSettingsFile } from "#service/settings-file.ts";
import { databaseNames, refuseNode } from "#service/data-folder.ts";
import { describeContents } from "./backup.ts";
import type { Command } from "./command.ts";

/** The folder in which a restore unpacks an archive, and the file that it locks. */
const WORK = { folder: "restore.partial", lock: "restore.lock" };

export const restore: Command = {
  name: "restore",
  operands: "FILE",
  summary: "Restore a data folder from an archive of `backup`; the replaced files are kept",
  examples: ["/mnt/bourse.tar.gz --data /var/lib/bourse"],
  settings: ["data"],
  async report({ io, config: { dataFolder, cluster }, operands: [file = ""] }) {
    if (cluster !== null) {
      throw invalidArgument(
        "The data of a cluster are in Postgres: restore the archive into a folder without BOURSE_CLUSTER, then copy it into an empty database with `cluster import`.",
      );
    }
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      throw notFound(`There is no file ${file}.`);
    }
    refuseUnreadable(file);
    const now = io.clock();
    const { contents, settings, aside } = await restoreBackup(resolve(file), dataFolder, now);
    const { [EFFECTIVE_SETTINGS]: _, ...files } = contents.files;
    const lines = [
      `${resolve(dataFolder)}: ${describeContents({ files })}, as of ${contents.createdAt}.`,
      ...(settings.length > 0
        ? [`bourse.toml of the archive sets ${settings.join(", ")}: check them before you start.`]
        : []),
      ...(aside === null ? [] : [`The replaced files are in ${aside}.`]),
      "Later changes are undone: revoke again the tokens that were revoked since then, and change again the passwords that were changed. All users are signed out.",
    ];
    const json = {
      dataFolder: resolve(dataFolder),
      asOf: contents.createdAt,
      files,
      settings,
      aside,
    };
    return { json, text: `${lines.join("\n")}\n` };
  },
};

/**
 * Replaces the files of a data folder with an archive's. The folder itself stays, because it may be a
 * mount point. A file that is not in the archive, such as `market.db`, stays too. `aside` is the folder
 * that has the replaced files; null if there were none.
 *
 * @throws BourseError with one sentence if a process uses the folder, if it belongs to a node of a cluster and
 * keeps its market, or as `readBackup`; then nothing has changed
 */
async function restoreBackup(
  archive: string,
  dataFolder: string,
  now: number,
): Promise<{ contents: BackupContents; settings: string[]; aside: string | null }> {
  const work = join(dataFolder, WORK.folder);
  const files = join(work, "files");
  const path = join(dataFolder, "access.db");
  const created = withUserErrors(path, () => createFolder(dataFolder));
  const lock = lockFile(join(dataFolder, WORK.lock));
  if (lock === null) {
    throw unavailable(`Another restore is writing to ${dataFolder}. Wait until it ends.`);
  }
  try {
    refuseUsed(dataFolder);
    // An interrupted restore leaves it.
    rmSync(work, { recursive: true, force: true });
    createFolder(work);
    const contents = await readBackup(archive, files);
    if (!contents.files["market.db"]) refuseNode(dataFolder);
    for (const name of databaseNames(false)) {
      if (contents.files[name]) refuseForeignCode(join(files, name), name);
    }
    const settings = Object.keys(readSettingsFile(files));
    endSignIns(join(files, "access.db"));
    // Reading can take long.
    refuseUsed(dataFolder);
    if (!lock.isHeld()) throw lostLock(dataFolder);
    const names = Object.keys(contents.files).filter((name) => name !== EFFECTIVE_SETTINGS);
    const replaced = names.flatMap((name) =>
      [name, `${name}-wal`].filter((each) => existsSync(join(dataFolder, each))),
    );
    const aside = nameAside(dataFolder, now);
    if (replaced.length > 0) createFolder(aside);
    // Copied, so that a crash leaves a whole file in place: either the old one or the new one.
    for (const name of replaced) {
      const copy = join(aside, name);
      copyFileSync(join(dataFolder, name), copy, constants.COPYFILE_FICLONE);
      giveToOwner(copy);
    }
    // A link of a token that was revoked after the backup must not become valid again.
    removeLinkSecret(dataFolder);
    for (const name of names) {
      // SQLite would apply the log of the old file to the new one.
      for (const log of [`${name}-wal`, `${name}-shm`])
        rmSync(join(dataFolder, log), { force: true });
      renameSync(join(files, name), join(dataFolder, name));
    }
    return { contents, settings, aside: replaced.length > 0 ? aside : null };
  } catch (error) {
    throw toUserError(path, error);
  } finally {
    rmSync(work, { recursive: true, force: true });
    lock.release();
    if (created !== undefined) removeEmptyFolders(resolve(dataFolder), created);
  }
}

/** @throws BourseError that names the archive if this user cannot read it: an archive is readable for its owner only */
function refuseUnreadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw unavailable(
      `${file} cannot be read (${code}); run \`restore\` as root or as the owner of the archive.`,
    );
  }
}

/** An unused path in the data folder for the replaced files, named after the time of the restore. */
function nameAside(dataFolder: string, now: number): string {
  const first = resolve(dataFolder, `before-restore-${fileTimeOf(now)}`);
  let path = first;
  for (let number = 2; existsSync(path); number++) path = `${first}-${number}`;
  return path;
}

/** Removes `folder` and then those above it, up to `last`, while they are empty. */
function removeEmptyFolders(folder: string, last: string): void {
  for (let path = folder; path.length >= last.length; path = dirname(path)) {
    if (readdirSync(path).length > 0) return;
    rmdirSync(path);
  }
}

function lostLock(dataFolder: string): BourseError {
  return unavailable(
    `${WORK.lock} was removed while this restore was reading, so another one may be writing to ${dataFolder}. Nothing was replaced. Run it again.`,
  );
}

function refuseUsed(dataFolder: string): void {
  const [server] = listServers(dataFolder);
  const isUsed = Object.keys(DATABASES).some((name) => isInUse(join(dataFolder, name)));
  if (!server && !isUsed) return;
  throw unavailable(
    server
      ? `A service uses ${dataFolder} (${server.url}, pid ${server.pid}). Stop it before you restore.`
      : `Another process uses the files of ${dataFolder}. Stop it before you restore.`,
  );
}
