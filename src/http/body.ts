import { BourseError } from "#domain/errors.ts";

/** @throws BourseError `payload_too_large` if the request declares a body of more than `maxBytes` */
function refuseLarge(request: Request, maxBytes: number): void {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/**
 * Checks the body of a GET, which is ignored.
 *
 * @throws BourseError `payload_too_large` if it declares more than `maxBytes`, or no length: Bun discards
 * the body of a GET, so it cannot be counted
 */
export function refuseLargeGet(request: Request, maxBytes: number): void {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > maxBytes) throw tooLarge(maxBytes);
  if (length === null && request.headers.has("transfer-encoding")) {
    throw new BourseError(
      "payload_too_large",
      `The length of the request body is unknown. Send no body, or one with Content-Length of at most ${maxBytes / 2 ** 20} MiB.`,
    );
  }
}

/**
 * Reads a request's body, at most `maxBytes`. A body that declares more is refused unread, one that grows
 * beyond is refused as soon as it does.
 *
 * @throws BourseError `payload_too_large`
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  refuseLarge(request, maxBytes);
  try {
    return await readWithin(request, maxBytes);
  } catch (error) {
    // The client is gone, so nothing failed here and no client reads this.
    if (request.signal.aborted)
      throw new BourseError("invalid_argument", "The body is incomplete.");
    throw error;
  }
}

async function readWithin(request: Request, maxBytes: number): Promise<Uint8Array> {
  // A body that declares its length cannot grow beyond it.
  if (request.headers.has("content-length")) return request.bytes();
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
  return new BourseError(
    "payload_too_large",
    `The request body is larger than ${maxBytes / 2 ** 20} MiB.`,
  );
}
