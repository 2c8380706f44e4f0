import type { ClientFile } from "#clients/index.ts";
import { BourseError, notFound } from "#domain/errors.ts";
import { contentHeaders, encode, errorResponse } from "./answers.ts";
import { encodingFor, EVERY_ANSWER, isHeld, weakEtag } from "./headers.ts";

/** The paths of the files that the service hands out. The URL begins with the `Host` header if that is a host. */
const CLIENT_FILE_PATH = /^(?:https?:\/\/[^/?#]*)?\/clients\/([^?#]*)/;

/** How long a client may keep a file without asking again, in seconds. */
const MAX_AGE = 300;

/**
 * The answer to a request below `/clients/`, or null for another path, and for a preflight. It needs no token,
 * because no file has a secret. The first request loads the files.
 */
export function answerClientFile(request: Request): Promise<Response> | null {
  const name = CLIENT_FILE_PATH.exec(request.url)?.[1];
  return name === undefined || request.method === "OPTIONS" ? null : answer(request, name);
}

async function answer(request: Request, name: string): Promise<Response> {
  const { CLIENT_FILES } = await import("#clients/index.ts");
  const file = CLIENT_FILES.find((one) => one.name === name);
  if (!file) {
    return errorResponse(
      notFound("There is no such file.", {
        hint: `The files are ${CLIENT_FILES.map((one) => `/clients/${one.name}`).join(", ")}.`,
      }),
    );
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    const error = new BourseError("method_not_allowed", "A file answers GET and HEAD only.");
    return errorResponse(error, { Allow: "GET, HEAD" });
  }
  return sendFile(request, file);
}

function sendFile(request: Request, { name, type, text }: ClientFile): Response {
  const etag = `"${Bun.hash(text).toString(36)}"`;
  const headers = {
    ...EVERY_ANSWER,
    "Cache-Control": `public, max-age=${MAX_AGE}`,
    ETag: weakEtag(etag),
  };
  if (isHeld(request, etag)) return new Response(null, { status: 304, headers });
  const encoding = encodingFor(request, text.length);
  const content = {
    ...contentHeaders(type, encoding),
    // A browser saves it instead of showing it.
    "Content-Disposition": `attachment; filename="${name}"`,
    "X-Content-Type-Options": "nosniff",
  };
  return new Response(encode(text, encoding), { headers: { ...headers, ...content } });
}
