import { BourseError, notFound } from "#domain/errors.ts";
import { contentHeaders, encode } from "./answers.ts";
import { type Asset, loadAssets, PAGE } from "./assets.ts";
import { errorAnswer } from "./console-answers.ts";
import { type Encoding, encodingFor, type HeaderBag, isHeld, weakEtag } from "./headers.ts";
import type { Visit } from "./visit.ts";

/** No inline script or style, no other host, no frame, and no text that becomes markup. */
export const SECURITY_HEADERS: HeaderBag = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  Vary: "Accept-Encoding",
};

/** The page on which users allow OAuth clients. */
const CONSENT_PAGE = "/console/connect";

/** The page with the reference of the API was here. */
const OLD_REFERENCE = "/console/api-reference";
const REFERENCE = "/docs/examples";

/** A file with its entity tag and the bodies that were sent so far. */
interface Sendable extends Asset {
  readonly tag: string;
  readonly bodies: Map<Encoding, Promise<Blob>>;
}

type Sendables = Promise<ReadonlyMap<string, Sendable>>;
const sendables = new Map<string, Sendables>();

/** The files for a base path. A process has one, but its tests have several. */
function findSendables(base: string): Sendables {
  const found = sendables.get(base) ?? loadSendables(base);
  sendables.set(base, found);
  return found;
}

async function loadSendables(base: string): Sendables {
  const assets = await loadAssets(base);
  return new Map(
    assets.map((asset) => {
      const tag = `"${Bun.hash(asset.bytes).toString(36)}"`;
      return [asset.path, { ...asset, tag, bodies: new Map() }];
    }),
  );
}

/**
 * Answers a request for the console: a script or style (`/chunk-1a2b3c4d.js`), the licences, or the page,
 * which is the same at every other path below `/console`.
 */
export async function answerAsset({ request, path, base }: Visit): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return errorAnswer(
      new BourseError("method_not_allowed", "This path answers GET and HEAD only."),
      { Allow: "GET, HEAD" },
    );
  }
  if (path === OLD_REFERENCE)
    return new Response(null, {
      status: 308,
      headers: { ...SECURITY_HEADERS, Location: REFERENCE },
    });
  const files = await findSendables(base);
  const file = files.get(path) ?? files.get(path.startsWith("/console") ? PAGE : path);
  if (!file) throw notFound("This path is unknown.", { hint: "The console is at /console." });
  const response = await answer(request, file);
  // Clients such as ChatGPT open this page in a pop-up window and watch it. Otherwise the browser would
  // report it as closed.
  if (path === CONSENT_PAGE) {
    response.headers.set("Cross-Origin-Opener-Policy", "unsafe-none");
  }
  return response;
}

/** A file is packed once and sent often: smaller than at the usual levels, zstd beside the event loop. */
const ZSTD_LEVEL = 19;
/** The levels of libdeflate: the higher one is 2 % smaller, and would block for 40 ms with a large file. */
const GZIP_LEVELS = { large: 8, small: 10 } as const;
const LARGE_FILE = 100_000;

/** A file as it is sent. */
export async function pack(bytes: Asset["bytes"], encoding: Encoding): Promise<Blob> {
  if (encoding === "gzip") {
    const level = bytes.length > LARGE_FILE ? GZIP_LEVELS.large : GZIP_LEVELS.small;
    return new Blob([Bun.gzipSync(bytes, { library: "libdeflate", level })]);
  }
  if (encoding === "identity") return encode(bytes, encoding);
  return new Blob([new Uint8Array(await Bun.zstdCompress(bytes, { level: ZSTD_LEVEL }))]);
}

async function answer(
  request: Request,
  { tag, type, bytes, bodies, hashed }: Sendable,
): Promise<Response> {
  const headers = {
    ...SECURITY_HEADERS,
    ETag: weakEtag(tag),
    "Cache-Control": hashed ? "public, max-age=31536000, immutable" : "no-cache",
  };
  if (isHeld(request, tag)) return new Response(null, { status: 304, headers });
  const encoding = encodingFor(request, bytes.length);
  const body = bodies.get(encoding) ?? pack(bytes, encoding);
  bodies.set(encoding, body);
  // The next request tries again.
  body.catch(() => bodies.delete(encoding));
  return new Response(request.method === "HEAD" ? null : await body, {
    headers: { ...headers, ...contentHeaders(type, encoding) },
  });
}
