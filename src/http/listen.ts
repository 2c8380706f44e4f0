import type { HttpApp } from "./app.ts";

/** Bun's own limit would answer without our envelope; ours are checked by the routes. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;

/** A server that listens. */
export type HttpServer = ReturnType<typeof listen>;

/**
 * Serves the application; port 0 is any that is free. With `shared`, other processes may serve on the
 * same port.
 *
 * @throws Error with a `code` (`EADDRINUSE`) where the address cannot be listened on
 */
export function listen(
  app: HttpApp,
  { host, port, shared = false }: { host: string; port: number; shared?: boolean },
) {
  return Bun.serve({
    hostname: host,
    port,
    fetch: app,
    maxRequestBodySize: MAX_BODY_BYTES,
    reusePort: shared,
    development: false,
  });
}
