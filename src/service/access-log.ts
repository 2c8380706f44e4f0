import type { ClientAddress } from "#http/client-address.ts";
import type { RequestObserver } from "#http/trace.ts";

/** Longer paths are cut off. */
const MAX_PATH = 200;
/** The path of a URL, which begins with the `Host` header if that is a host. */
const PATH = /^(?:https?:\/\/[^/?#]*)?([^?#]*)/;
/** The place of a feed link. The name of a feed can be there instead, in small letters. */
const FEED_LINK = /^(\/feed\/)(?![a-z]+(?:\/|$))[^/]+/;
/** A token that a client put into its path by mistake, also with percent codes. */
const TOKEN = /bourse_\w+/g;
const CODED = /%[\da-f]{2}/gi;

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
      const path = PATH.exec(request.url)?.[1] ?? "";
      if (lines === "") setImmediate(flush);
      lines += `${JSON.stringify({
        time: new Date(clock()).toISOString(),
        level: "access",
        interface: via,
        method: request.method,
        path: withoutSecrets(path.slice(0, MAX_PATH)),
        operation: operation || null,
        status,
        ms: Math.round(ms * 1000) / 1000,
        token: tokenId,
        address: clientAddress(server.requestIP(request)?.address ?? "", request.headers),
      })}\n`;
    },
  };
}

/** The path without a feed link and tokens. */
function withoutSecrets(path: string): string {
  const masked = path.replace(FEED_LINK, "$1bourse_…").replaceAll(TOKEN, "bourse_…");
  const plain = masked.replaceAll(CODED, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
  return plain.search(TOKEN) < 0 ? masked : plain.replaceAll(TOKEN, "bourse_…");
}
