import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type BourseError, invalidArgument, unavailable } from "#domain/errors.ts";
import { parseJson } from "#lib/json.ts";
import { hideSettingSecrets } from "#lib/secrets.ts";
import { readTar, TarError, type TarFile, writeTar } from "#lib/tar.ts";
import {
  copyDatabase,
  type DatabaseName,
  DATABASES,
  type FileLock,
  inspectDatabase,
  isLocked,
  leaveCluster,
  lockFile,
  toUserError,
  withUserErrors,
} from "#store/index.ts";
import { checkBars } from "#store/bar-checksums.ts";
import { createFolder, giveToOwner } from "#store/files.ts";
import { SETTINGS_FILE, withoutSecrets } from "./settings-file.ts";
import { VERSION } from "#domain/program.ts";

/** The first file of an archive: what the other files must contain. */
const CONTENTS = "backup.json";
/** The settings of the program that wrote the archive, for people to read. */
export const EFFECTIVE_SETTINGS = "settings.env";
/** The form of the archive; a newer one may not be understood. */
const FORMAT = 1;
/** The end of the name of the folder in which an archive is made, and the locked file in it. */
const PARTIAL = ".partial";
const WORK_LOCK = "backup.lock";
const MAX_CONTENTS_BYTES = 2 ** 20;

const CONTENTS_SCHEMA = Type.Object({
  // Both are printed, so they must not control the terminal.
  bourse: Type.String({ pattern: "^[\\w.+-]{1,64}$" }),
  format: Type.Integer(),
  createdAt: Type.String({ pattern: "^[\\dTZ:.-]{1,64}$" }),
  files: Type.Record(
    Type.String(),
    Type.Object({
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String(),
      /** Of databases only. */
      schema: Type.Optional(Type.Integer()),
      rows: Type.Optional(Type.Record(Type.String(), Type.Integer())),
    }),
  ),
});

/** What an archive contains, as its first file says. */
export type BackupContents = Static<typeof CONTENTS_SCHEMA>;

/** The parts of a backup. */
export interface BackupRequest {
  readonly dataFolder: string;
  /** The path of the archive; its folder must exist. */
  readonly file: string;
  /** True to add `market.db`, which can be built again except for imports. */
  readonly withMarket: boolean;
  /** Writes the users, tokens and counters of a cluster to a new `access.db`; absent on one machine. */
  readonly copyAccess?: (path: string) => Promise<void>;
  /** The effective settings by variable. */
  readonly settings: Readonly<Record<string, string>>;
  /** UTC milliseconds. */
  readonly now: number;
}

/**
 * Writes the files of a data folder into one archive (`.tar.gz`) while services use the folder, then reads
 * the archive back and checks every file. The archive appears only when all is checked. Blocks the thread
 * for a time in proportion to the data.
 *
 * @throws BourseError with one sentence
 */
export async function writeBackup(request: BackupRequest): Promise<BackupContents> {
  const { dataFolder, file, withMarket, copyAccess, settings, now } = request;
  if (existsSync(file)) {
    throw invalidArgument(`${file} exists already; name another file.`);
  }
  const work = `${file}${PARTIAL}`;
  const lock = withUserErrors(file, () => createWorkFolder(work));
  try {
    const databases: DatabaseName[] = withMarket ? ["access.db", "market.db"] : ["access.db"];
    for (const name of databases) {
      const copy = join(work, name);
      if (name === "access.db" && copyAccess) await copyAccess(copy);
      else copyDatabase(join(dataFolder, name), copy, name);
      if (name === "market.db") {
        leaveCluster(copy);
        checkBars(copy, join(dataFolder, name));
      }
    }
    const toml = Bun.file(join(dataFolder, SETTINGS_FILE));
    if (await toml.exists())
      await Bun.write(join(work, SETTINGS_FILE), withoutSecrets(await toml.text()));
    const lines = Object.entries(settings).map(
      ([name, value]) => `${name}=${hideSettingSecrets(value)}\n`,
    );
    await Bun.write(join(work, EFFECTIVE_SETTINGS), lines.join(""));

    const names = [...databases, SETTINGS_FILE, EFFECTIVE_SETTINGS].filter((name) =>
      existsSync(join(work, name)),
    );
    const contents = await describeFiles(work, names, now);
    const archive = join(work, "archive");
    await writeArchive(archive, work, contents, now);
    await readBackup(archive, join(work, "check"));
    renameSync(archive, file);
    return contents;
  } catch (error) {
    throw toUserError(file, error);
  } finally {
    lock.release();
    rmSync(work, { recursive: true, force: true });
  }
}

/** Removes what killed backups left in a folder; not what running ones write. */
export function removePartialBackups(folder: string): void {
  for (const name of readdirSync(folder)) {
    const work = join(folder, name);
    const lock = join(work, WORK_LOCK);
    if (!name.endsWith(PARTIAL) || !existsSync(lock) || isLocked(lock)) continue;
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Extracts the files of an archive into a new folder and checks them: size, hash, and for databases every
 * page and the number of rows. Names that no data folder has are refused.
 *
 * @throws BourseError with one sentence if the archive is damaged, is not from bourse, or was written by a
 * newer version
 */
export async function readBackup(archive: string, into: string): Promise<BackupContents> {
  createFolder(into);
  let contents: BackupContents;
  try {
    contents = await extract(archive, into);
  } catch (error) {
    // Inflating fails with a TypeError.
    if (!(error instanceof TarError || error instanceof TypeError)) throw error;
    throw unavailable(
      `${archive} is not a complete backup of bourse: it is cut off, damaged or another file.`,
    );
  }
  for (const [name, { schema, rows }] of Object.entries(contents.files)) {
    if (!isDatabase(name)) continue;
    const found = inspectDatabase(join(into, name), name);
    if (!Bun.deepEquals(found, { schema, rows })) throw damaged(archive, name);
  }
  return contents;
}

/** Creates and locks the folder of a backup that is being written. */
function createWorkFolder(path: string): FileLock {
  removePartialBackups(dirname(path));
  if (!existsSync(path)) {
    createFolder(path);
    const lock = lockFile(join(path, WORK_LOCK));
    if (lock) return lock;
  }
  throw unavailable(
    `${path} exists: another backup is being written there. Wait until it ends; delete it if it is no backup.`,
  );
}

const isDatabase = (name: string): name is DatabaseName => Object.hasOwn(DATABASES, name);

async function describeFiles(
  folder: string,
  names: readonly string[],
  now: number,
): Promise<BackupContents> {
  const files: BackupContents["files"] = {};
  for (const name of names) {
    const path = join(folder, name);
    const hasher = new Bun.CryptoHasher("sha256");
    for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
    files[name] = {
      bytes: statSync(path).size,
      sha256: hasher.digest("hex"),
      ...(isDatabase(name) && inspectDatabase(path, name)),
    };
  }
  return { bourse: VERSION, format: FORMAT, createdAt: new Date(now).toISOString(), files };
}

async function writeArchive(
  archive: string,
  folder: string,
  contents: BackupContents,
  now: number,
): Promise<void> {
  const head = new TextEncoder().encode(`${JSON.stringify(contents, null, 2)}\n`);
  const files: TarFile[] = [
    { name: CONTENTS, size: head.length, content: new Blob([head]).stream() },
    ...Object.entries(contents.files).map(([name, { bytes }]) => ({
      name,
      size: bytes,
      content: Bun.file(join(folder, name)).stream(),
    })),
  ];
  const packed = new Response(writeTar(files, now)).body?.pipeThrough(
    new CompressionStream("gzip"),
  );
  if (packed) await writeChunks(archive, packed);
}

async function extract(archive: string, into: string): Promise<BackupContents> {
  const unpacked = Bun.file(archive).stream().pipeThrough(new DecompressionStream("gzip"));
  let contents: BackupContents | null = null;
  const missing = new Set<string>();
  for await (const { name, size, content } of readTar(unpacked)) {
    if (!contents) {
      contents = await readContents(archive, { name, size, content });
      for (const each of Object.keys(contents.files)) missing.add(each);
      continue;
    }
    // A name that is not in the list cannot be a path either.
    const expected = contents.files[name];
    if (!expected || !missing.delete(name)) throw new TarError(`${name} is not expected.`);
    if (size !== expected.bytes) throw damaged(archive, name);
    const hasher = new Bun.CryptoHasher("sha256");
    await writeChunks(join(into, name), content, hasher);
    if (hasher.digest("hex") !== expected.sha256) throw damaged(archive, name);
  }
  if (!contents || missing.size > 0) throw new TarError("Files are missing.");
  return contents;
}

/** The list of contents. @throws TarError if the file is not one; BourseError if a newer version wrote it */
async function readContents(archive: string, { name, size, content }: TarFile) {
  if (name !== CONTENTS || size > MAX_CONTENTS_BYTES) throw new TarError("No list of contents.");
  const value = parseJson(Buffer.concat(await Array.fromAsync(content)).toString());
  if (!Value.Check(CONTENTS_SCHEMA, value)) throw new TarError("The list of contents is invalid.");
  const isNewer = Object.entries(DATABASES).some(
    ([each, { migrations }]) => (value.files[each]?.schema ?? 0) > migrations.length,
  );
  if (value.format > FORMAT || isNewer) {
    throw unavailable(
      `${archive} was written by a newer bourse (${value.bourse}); upgrade bourse to restore it.`,
    );
  }
  const known = [...Object.keys(DATABASES), SETTINGS_FILE, EFFECTIVE_SETTINGS];
  const isKnown = Object.keys(value.files).every((each) => known.includes(each));
  if (!isKnown || !value.files["access.db"]) throw new TarError("These are other files.");
  return value;
}

/** Writes a new file that only its owner can read. */
async function writeChunks(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  hasher?: Bun.CryptoHasher,
): Promise<void> {
  const file = openSync(path, "wx", 0o600);
  giveToOwner(path);
  try {
    for await (const chunk of chunks) {
      hasher?.update(chunk);
      writeSync(file, chunk);
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function damaged(archive: string, name: string): BourseError {
  return unavailable(`${basename(archive)} is damaged: ${name} differs from the list of contents.`);
}
