import { BourseError } from "#domain/errors.ts";

/**
 * Reads a request's body as bytes, at most `maxBytes` of them: one that declares more is refused
 * unread, one that grows beyond is refused where it does.
 *
 * @throws BourseError `payload_too_large`
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new BourseError(
      "payload_too_large",
      `The request body is larger than ${maxBytes / 2 ** 20} MiB.`,
    );
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
