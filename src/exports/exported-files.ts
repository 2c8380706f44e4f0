import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isBeingWritten } from "./export-folder.ts";
import { findManifest, MANIFEST } from "./manifest.ts";

/** The name of a scheduled export: `20261120T173000Z`. */
const NAME = /^\d{8}T\d{6}Z$/;

/** The names of the scheduled exports in a folder, oldest first; complete ones have a manifest. */
function listNames(folder: string, isComplete: boolean): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => NAME.test(name) && existsSync(join(folder, name, MANIFEST)) === isComplete)
    .toSorted();
}

/** The names of the complete scheduled exports in a folder, oldest first. */
export function listExports(folder: string): string[] {
  return listNames(folder, true);
}

/** Removes all but the newest `keep` scheduled exports in a folder. */
export function pruneExports(folder: string, keep: number): void {
  for (const name of listExports(folder).slice(0, -keep))
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** Removes what killed exports left in a folder; not what running ones write. */
export function removePartialExports(folder: string): void {
  for (const name of listNames(folder, false)) {
    const path = join(folder, name);
    if (!isBeingWritten(path)) rmSync(path, { recursive: true, force: true });
  }
}

/** A file of an export. */
export interface ExportedFile {
  /** Where it is on the disk. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly sources: readonly string[];
}

/** The files of the newest complete export in a folder. */
export class ExportedFiles {
  readonly #folder: string;
  #newest: { readonly name: string; readonly files: ReadonlyMap<string, ExportedFile> } | null =
    null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The files by their path in the manifest, and the manifest itself; empty without an export. */
  list(): ReadonlyMap<string, ExportedFile> {
    const name = listExports(this.#folder).at(-1);
    if (name === undefined) return new Map();
    if (this.#newest?.name !== name) this.#newest = { name, files: readFiles(this.#folder, name) };
    return this.#newest.files;
  }
}

function readFiles(folder: string, name: string): ReadonlyMap<string, ExportedFile> {
  const manifest = findManifest(join(folder, name));
  if (!manifest) return new Map();
  const text = readFileSync(join(folder, name, MANIFEST));
  const files = manifest.files.map(({ path, bytes, sha256, sources }) => {
    return [path, { path: join(folder, name, path), bytes, sha256, sources }] as const;
  });
  const own = {
    path: join(folder, name, MANIFEST),
    bytes: text.length,
    sha256: new Bun.CryptoHasher("sha256").update(text).digest("hex"),
    sources: manifest.sources.map(({ source }) => source),
  };
  return new Map([...files, [MANIFEST, own]]);
}
