import type { ReleaseServer } from "#config.ts";
import { BourseError, unavailable } from "#domain/errors.ts";
import { MinisignError, verifySignature } from "#lib/minisign.ts";
import { hideSettingSecrets } from "#lib/secrets.ts";
import { readTar } from "#lib/tar.ts";
import { ZipFile } from "#lib/zip.ts";

/** The newest release as its signed sums name it. */
export interface Release {
  readonly version: string;
  /** The time of the signature, UTC milliseconds. */
  readonly signedAt: number;
  /** The SHA-256 of each file, in hexadecimal digits. */
  readonly sums: ReadonlyMap<string, string>;
}

const SUMS = "SHA256SUMS";
/** Sums and their signature have less than 4 KB. */
const MAX_TEXT_BYTES = 1e6;
/** Archives have 60 MB, their executables 130 MB. */
const MAX_ARCHIVE_BYTES = 1e9;
/** A download ends if no byte arrives for so long. */
const SILENCE_MS = 60_000;

/** The time in the comment that a signature covers, in seconds, as minisign and `deploy/release.ts` write it. */
const SIGNED_AT = /(?:^|\t)timestamp:(\d{1,11})(?:\t|$)/;

/** An archive of a release: `bourse-1.2.3-linux-x64.tar.gz`, before a version `bourse-1.3.0-rc.1-linux-x64.tar.gz`. */
const ARCHIVE =
  /^bourse-(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)-((?:linux|darwin|windows)-.+)\.(?:tar\.gz|zip)$/;

/**
 * Reads the sums of the newest release and verifies their signature.
 *
 * @throws BourseError in one sentence if the server does not answer, if the key did not sign the sums, or if the
 * signature has no time
 */
export async function readNewestRelease(
  server: ReleaseServer,
  signal?: AbortSignal,
): Promise<Release> {
  const [bytes = Buffer.alloc(0), signature] = await Promise.all(
    [SUMS, `${SUMS}.minisig`].map(async (name) =>
      Buffer.concat(await download(server, name, { maxBytes: MAX_TEXT_BYTES, signal })),
    ),
  );
  let comment: string;
  try {
    comment = verifySignature(server.publicKey, bytes, new TextDecoder().decode(signature));
  } catch (error) {
    if (!(error instanceof MinisignError)) throw error;
    throw refused(`The signature of ${SUMS} at ${server.url} is wrong. ${error.message}`);
  }
  const seconds = SIGNED_AT.exec(comment)?.[1];
  if (seconds === undefined)
    throw refused(
      `The signature of ${SUMS} at ${server.url} has no time, so the release may be an old one. Its publisher must sign it again with minisign and its usual comment, timestamp:SECONDS.`,
    );
  const lines = new TextDecoder().decode(bytes).split("\n");
  const sums = new Map(
    lines.flatMap((line) => {
      const [, sum = "", name = ""] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
      return sum === "" ? [] : [[name, sum] as const];
    }),
  );
  const versions = new Set([...sums.keys()].flatMap((name) => ARCHIVE.exec(name)?.[1] ?? []));
  const [version] = versions;
  if (version === undefined || versions.size > 1)
    throw refused(`${SUMS} at ${server.url} names no single version of bourse.`);
  return { version, signedAt: Number(seconds) * 1000, sums };
}

/** The archive of a target in a release; null if the release has none. */
export function findArchive({ sums }: Release, target: string): string | null {
  return [...sums.keys()].find((name) => ARCHIVE.exec(name)?.[2] === target) ?? null;
}

/**
 * Downloads an archive and compares it with its sum. It stays in the pieces that arrived, because a copy is 60 MB.
 *
 * @param progress called with the bytes that have arrived
 * @throws BourseError in one sentence if it ends early or is another file
 */
export async function downloadArchive(
  server: ReleaseServer,
  { sums }: Release,
  name: string,
  progress: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces = await download(server, name, { maxBytes: MAX_ARCHIVE_BYTES, progress });
  const hasher = new Bun.CryptoHasher("sha256");
  for (const piece of pieces) hasher.update(piece);
  if (hasher.digest("hex") === sums.get(name)) return pieces;
  throw refused(`${name} has another SHA-256 than the signed ${SUMS} of the release`);
}

/** The executable in an archive, in pieces. @throws BourseError if there is none */
export async function* readExecutable(
  name: string,
  archive: readonly Uint8Array<ArrayBuffer>[],
): AsyncGenerator<Uint8Array> {
  if (name.endsWith(".zip")) {
    const folder = name.slice(0, -".zip".length);
    const part = new ZipFile(Buffer.concat(archive), MAX_ARCHIVE_BYTES).read(
      `${folder}/bin/bourse.exe`,
    );
    if (part === null) throw refused(`${name} has no executable`);
    yield part;
    return;
  }
  let hasExecutable = false;
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of archive) controller.enqueue(piece);
      controller.close();
    },
  });
  const unpacked = packed.pipeThrough(new DecompressionStream("gzip"));
  for await (const file of readTar(unpacked)) {
    const isExecutable = file.name.endsWith("/bin/bourse");
    hasExecutable ||= isExecutable;
    for await (const piece of file.content) if (isExecutable) yield piece;
  }
  if (!hasExecutable) throw refused(`${name} has no executable`);
}

interface DownloadOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: (bytes: number) => void;
}

/** A file of the release server, in pieces. The request names the program, but neither its version nor who asks. */
async function download(
  { url }: ReleaseServer,
  name: string,
  { maxBytes, signal, progress }: DownloadOptions,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let hasAnswered = false;
  try {
    const response = await fetch(`${url.replace(/\/+$/, "")}/${name}`, {
      headers: { "user-agent": "bourse", "accept-encoding": "identity" },
      // Some servers say that a .tar.gz is a .tar with the encoding gzip. The sum counts the file as it is.
      decompress: false,
      signal: AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]),
    });
    hasAnswered = true;
    if (!response.ok)
      throw refused(`The release server answers ${response.status} for ${name} at ${url}`);
    for await (const piece of response.body ?? []) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      pieces.push(piece);
      length += piece.length;
      if (length > maxBytes) throw refused(`${name} is larger than ${maxBytes / 1e6} MB`);
      progress?.(length);
    }
    const whole = Number(response.headers.get("content-length") ?? length);
    if (length < whole) throw refused(`${name} ended after ${length} of ${whole} bytes; try again`);
  } catch (error) {
    if (error instanceof BourseError) throw error;
    const reason = error instanceof Error && "code" in error ? error.code : error;
    throw refused(
      hasAnswered
        ? `${name} ended after ${length} bytes; try again (${String(reason)})`
        : `The release server ${url} does not answer (${String(reason)})`,
    );
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
  return pieces;
}

/** An error for the log, the console and the terminal. The address of the server can have a password. */
function refused(reason: string): BourseError {
  const shown = hideSettingSecrets(reason);
  return unavailable(shown.endsWith(".") ? shown : `${shown}.`);
}
