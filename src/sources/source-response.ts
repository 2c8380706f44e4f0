import { parseAnswer } from "./check-answer.ts";
import { type Source, type SourceAnswer, SourceError } from "./source.ts";

/** Closes the connection of an answer that is not read; it may have failed already. */
export function abandon({ body }: Response): void {
  void body?.cancel().catch(() => {});
}

/** The whole body, inflated. @throws SourceError if it is larger than the source's limit */
export async function readCapped(source: Source, response: Response): Promise<Uint8Array> {
  const invalid = (reason: string) => new SourceError(source.name, "invalid_answer", reason);
  const tooLarge = () => invalid(`the answer is larger than ${source.maxBytes} bytes`);
  if (Number(response.headers.get("content-length")) > source.maxBytes) {
    abandon(response);
    throw tooLarge();
  }
  // HTTP names encodings in any letter case; x-gzip is an old name of gzip.
  const encoding = (response.headers.get("content-encoding") ?? "").trim().toLowerCase();
  const isGzip = encoding === "gzip" || encoding === "x-gzip";
  if (!isGzip && encoding !== "" && encoding !== "identity") {
    abandon(response);
    throw invalid("the answer is compressed in another way than requested");
  }
  const body = isGzip ? response.body?.pipeThrough(new DecompressionStream("gzip")) : response.body;
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > source.maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Makes the answer of a source from a response and its body. `host` is named if the body is empty. */
export function answerOf(
  source: Pick<Source, "name">,
  { status, headers }: Pick<Response, "status" | "headers">,
  bytes: Uint8Array,
  host?: string,
): SourceAnswer {
  return {
    status,
    headers,
    bytes,
    text: () => new TextDecoder().decode(bytes),
    json: async () => parseAnswer(source, bytes, host),
  };
}
