import { BourseError } from "#domain/errors.ts";

/** Of a body that is not read. */
const MAX_IGNORED_MIB = 10;

/** @throws BourseError `unsupported_media_type` unless the body is JSON */
export function refuseOtherTypes(request: Request): void {
  const type = request.headers.get("content-type") ?? "";
  if (/^application\/json\s*(;|$)/i.test(type)) return;
  throw new BourseError(
    "unsupported_media_type",
    "Send the header `Content-Type: application/json`.",
  );
}

/**
 * Reads a request's body. A body that declares too large a length is refused before it is read, one that
 * grows too large as soon as it does.
 *
 * @throws BourseError `payload_too_large`; `invalid_argument` if the client has gone
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes);
  try {
    // A body cannot grow beyond the length that it declares.
    return declared === null ? await readChunks(request, maxBytes) : await request.bytes();
  } catch (error) {
    // No client reads this, and the service did not fail.
    if (request.signal.aborted)
      throw new BourseError("invalid_argument", "The body is incomplete.");
    throw error;
  }
}

async function readChunks(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): BourseError {
  const size = maxBytes >= 2 ** 20 ? `${maxBytes / 2 ** 20} MiB` : `${maxBytes / 1024} KiB`;
  return new BourseError("payload_too_large", `The request body is larger than ${size}.`);
}

/**
 * Checks the body of a GET, which is ignored.
 *
 * @throws BourseError `payload_too_large` if the request declares too large a body, or a body without a
 * length: Bun discards the body of a GET, so it cannot be counted
 */
export function refuseLargeBody({ headers }: Request): void {
  const length = headers.get("content-length");
  if (length !== null && Number(length) > MAX_IGNORED_MIB * 2 ** 20) {
    throw tooLarge(MAX_IGNORED_MIB * 2 ** 20);
  }
  if (length === null && headers.has("transfer-encoding")) {
    throw new BourseError(
      "payload_too_large",
      `The length of the request body is unknown. Send no body, or one with Content-Length of at most ${MAX_IGNORED_MIB} MiB.`,
    );
  }
}
