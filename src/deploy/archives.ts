import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { writeTar } from "#lib/tar.ts";
import type { ZippedFile } from "#lib/zip-writer.ts";

/** A file of an archive with its permissions. */
export type PackedFile = Required<ZippedFile>;

/** A text or an executable as a file of an archive. */
export function packed(name: string, content: string | Uint8Array, mode = 0o644): PackedFile {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { name, bytes, mode };
}

/** The files below a folder of an archive. */
export const below = (folder: string, files: readonly PackedFile[]): PackedFile[] =>
  files.map((file) => ({ ...file, name: `${folder}/${file.name}` }));

/** Files as a tar archive. Equal files give equal bytes: all are of `modifiedAt`, UTC milliseconds. */
export async function tarOf(
  files: readonly (PackedFile & { readonly owner?: number })[],
  modifiedAt: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const entries = files.map(({ bytes, ...file }) => ({
    ...file,
    size: bytes.length,
    content: new Response(new Blob([new Uint8Array(bytes)])).body ?? new Blob([]).stream(),
  }));
  return Buffer.concat(await Array.fromAsync(writeTar(entries, modifiedAt)));
}

/** The bytes in gzip. Equal bytes give equal ones. */
export const gzipped = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await promisify(gzip)(bytes));

/** Files as a compressed tar archive. */
export const tarGz = async (
  files: readonly PackedFile[],
  modifiedAt: number,
): Promise<Uint8Array<ArrayBuffer>> => gzipped(await tarOf(files, modifiedAt));
