import type { HttpApp } from "./app.ts";

/** Bun's own limit would answer without our envelope; ours are checked by the routes. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;

/** A server that listens. */
export type HttpServer = ReturnType<typeof listen>;

/**
 * Serves the application on an address; port 0 takes any free port.
 *
 * @throws Error with a `code` (`EADDRINUSE`) where the address cannot be listened on
 */
export function listen(app: HttpApp, { host, port }: { host: string; port: number }) {
  return Bun.serve({
    hostname: host,
    port,
    fetch: app,
    maxRequestBodySize: MAX_BODY_BYTES,
    // Where this is left out, Bun 1.4.4 lets two processes listen on one port (outside development mode).
    reusePort: false,
    development: false,
  });
}
