import { lazy } from "#lib/lazy.ts";
import { compress, type Encoding, encodingFor } from "./compression.ts";
import { isHeld, weakEtag } from "./etag.ts";
import { EVERY_ANSWER } from "./headers.ts";
import type { HeaderBag } from "./responses.ts";

/** Answers a request with a JSON document that never changes; it is made and compressed once, when first asked for. */
export function createDocumentAnswer(
  write: () => string,
  fixed: HeaderBag,
): (request: Request) => Response {
  const document = lazy(() => {
    const text = write();
    return { text, hash: `"${Bun.hash(text).toString(36)}"`, bodies: new Map<Encoding, Blob>() };
  });

  return (request) => {
    const { text, hash, bodies } = document();
    const headers = { ...EVERY_ANSWER, ...fixed, ETag: weakEtag(hash) };
    if (isHeld(request, hash)) return new Response(null, { status: 304, headers });
    const encoding = encodingFor(request, text);
    let body = bodies.get(encoding);
    if (!body) bodies.set(encoding, (body = new Blob([compress(text, encoding)])));
    return new Response(body, {
      headers: {
        ...headers,
        "Content-Type": "application/json",
        ...(encoding !== "identity" && { "Content-Encoding": encoding }),
      },
    });
  };
}
