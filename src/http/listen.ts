import type { HttpApp } from "./app.ts";
import { IDLE_SECONDS } from "./time-limits.ts";

/** Bun's own limit would answer without our envelope; the endpoints check theirs. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;

/** A server that listens. */
export type HttpServer = ReturnType<typeof listen>;

/**
 * Serves the application on an address; port 0 takes any free port.
 *
 * @throws Error with a `code` (`EADDRINUSE`) if the address cannot be used
 */
export function listen(app: HttpApp, { host, port }: { host: string; port: number }) {
  return Bun.serve({
    hostname: host,
    port,
    fetch: app,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    // Without this option, Bun 1.4.4 lets two processes listen on one port (outside development mode).
    reusePort: false,
    development: false,
  });
}
