import type { ClientAddress } from "#http/client-address.ts";
import type { RequestObserver } from "#http/trace.ts";
import { toVisibleJson } from "#lib/visible-line.ts";

/** Longer paths are cut off, after the search for secrets in their first characters. */
const MAX_PATH = 200;
const MAX_SEARCHED = 2_000;
/** The path of a URL, which begins with the `Host` header if that is a host. */
const PATH = /^(?:https?:\/\/[^/?#]*)?([^?#]*)/;
/** The place of a feed link. The name of a feed can be there instead, in small letters. */
const FEED_LINK = /^(\/feed\/)(?![a-z]+(?:\/|$))[^/]+/;
/**
 * A secret that a client put into its path by mistake: a token, or the 43 characters of a session, a sign-in link, a code
 * or a signature, or the 64 digits of a hash.
 */
const SECRET = /bourse_\w+|(?<![\w-])(?:[\w-]{43}|[\da-f]{64})(?![\w-])/gi;
const CODED = /%[\da-f]{2}/gi;
/** How often a path is decoded. Each program on its way may have encoded it once. */
const MAX_DECODED = 5;

/** The header by which a client names the trace of a request: version, id of the trace, id of the span, flags. */
const TRACE_PARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}(?:-|$)/;

/** The dependencies of an access log. */
export interface AccessLogParts {
  /** Writes one or more lines. */
  readonly write: (lines: string) => void;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly stopwatch: () => number;
  readonly clientAddress: ClientAddress;
}

/**
 * Writes a JSON object a line for each answered request, except health checks. It has the id of the token,
 * never the token, and no query, because a query may hold a secret. The lines of one turn of the event loop
 * are written together.
 */
export function createAccessLog(parts: AccessLogParts): RequestObserver {
  const { write, clock, stopwatch, clientAddress } = parts;
  let lines = "";
  const flush = () => {
    write(lines);
    lines = "";
  };
  return {
    stopwatch,
    finished({ via, operation, tokenId }, status, ms, request, server) {
      if (via === "health") return;
      const [, traceId] = TRACE_PARENT.exec(request.headers.get("traceparent") ?? "") ?? [];
      if (lines === "") setImmediate(flush);
      const entry = JSON.stringify({
        time: new Date(clock()).toISOString(),
        level: "access",
        interface: via,
        method: request.method,
        path: pathWithoutSecrets(request.url),
        operation: operation || null,
        status,
        ms: Math.round(ms * 1000) / 1000,
        token: tokenId,
        address: clientAddress(server.requestIP(request)?.address ?? "", request.headers),
        ...(traceId !== undefined && { trace_id: traceId }),
      });
      // A decoded path can have controls.
      lines += `${toVisibleJson(entry)}\n`;
    },
  };
}

/** The path of a URL without its query and its secrets, at most 200 characters. */
export function pathWithoutSecrets(url: string): string {
  const path = PATH.exec(url)?.[1] ?? "";
  return withoutSecrets(path.slice(0, MAX_SEARCHED)).slice(0, MAX_PATH);
}

/** The path without secrets, as it was written, or decoded if only that shows a secret. */
function withoutSecrets(path: string): string {
  // Each form is decoded from the whole one before: a part that looks like a secret can be a piece of one.
  const forms = [path];
  for (let i = 0; i < MAX_DECODED; i++) {
    const plain = (forms[i] ?? "").replaceAll(CODED, (code) =>
      String.fromCharCode(Number.parseInt(code.slice(1), 16)),
    );
    if (plain === forms[i]) break;
    forms.push(plain);
  }
  const shown = forms.findLast((form) => mask(form) !== form);
  if (shown === undefined) return path;
  // A secret that only another form shows can still be in this one.
  const secrets = forms.flatMap((form) => form.match(SECRET) ?? []);
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, masked(secret)), mask(shown));
}

const masked = (secret: string) => (secret.startsWith("bourse_") ? "bourse_…" : "…");

function mask(path: string): string {
  return path.replace(FEED_LINK, "$1bourse_…").replaceAll(SECRET, masked);
}
