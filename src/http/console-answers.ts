import type { BourseError } from "#domain/errors.ts";
import { errorEnvelope, HTTP_ERRORS } from "./errors.ts";
import type { HeaderBag } from "./headers.ts";

/** The headers of every answer of the console's interface. No page of another origin may read it. */
export const PRIVATE_ANSWER: HeaderBag = {
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  Vary: "Cookie, Accept, Accept-Encoding",
};

/** The headers of an answer that no cache stores. */
export const NOT_STORED: HeaderBag = { ...PRIVATE_ANSWER, "Cache-Control": "no-store" };

const JSON_TYPE: HeaderBag = { "Content-Type": "application/json" };

/** An answer whose body is the JSON of a `T`. */
export type JsonAnswer<T> = Response & { readonly valueType?: T };

/** A JSON answer that no cache stores; 204 without a body if the value is undefined. */
export function jsonAnswer<T>(value: T, headers: HeaderBag = {}): JsonAnswer<T> {
  return value === undefined
    ? new Response(null, { status: 204, headers: { ...NOT_STORED, ...headers } })
    : new Response(JSON.stringify(value), { headers: { ...NOT_STORED, ...JSON_TYPE, ...headers } });
}

/** The error envelope of REST, without the headers that are for programs. `X-Data-Lack` says why records are missing. */
export function errorAnswer(error: BourseError, headers: HeaderBag = {}): Response {
  const { retryAfterSeconds, requestId, lack } = error.details;
  return new Response(JSON.stringify(errorEnvelope(error)), {
    status: HTTP_ERRORS[error.code].status,
    headers: {
      ...NOT_STORED,
      ...JSON_TYPE,
      ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
      ...(requestId !== undefined && { "X-Request-Id": requestId }),
      ...(lack !== undefined && { "X-Data-Lack": lack }),
      ...headers,
    },
  });
}

/** The page of an error, which has no other file. The system chooses between light and dark. */
const ERROR_STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:18vh auto;padding:0 1.5rem}h1{font-size:1.25rem}`;
const STYLE_HASH = new Bun.CryptoHasher("sha256").update(ERROR_STYLE).digest("base64");

/** An error as a page, for a person who has opened an address. It is loaded again when it may succeed. @param base the base path */
export function errorPage(error: BourseError, base: string, headers: HeaderBag = {}): Response {
  const { message, details } = error;
  const { retryAfterSeconds: seconds, hint = "" } = details;
  const text = [message, hint].filter(Boolean).map(Bun.escapeHTML).join("<br>");
  const again =
    seconds === undefined ? "" : `<meta http-equiv="refresh" content="${Math.ceil(seconds)}">`;
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>bourse</title><style>${ERROR_STYLE}</style>${again}<h1>bourse</h1><p>${text}</p><p><a href="${base}/console">Open the console</a></p></html>`;
  return new Response(body, {
    status: HTTP_ERRORS[error.code].status,
    headers: {
      ...NOT_STORED,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`,
      ...(seconds !== undefined && { "Retry-After": String(seconds) }),
      ...headers,
    },
  });
}
