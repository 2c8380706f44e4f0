import type { HttpApp } from "./app.ts";
import { type SocketPlace, withMode } from "#lib/unix-socket.ts";
import { IDLE_SECONDS } from "./time-limits.ts";

/** Bun's own limit would answer without our envelope; the endpoints check theirs. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;

/** A server that listens. */
export type HttpServer = ReturnType<typeof listen>;

/** Where a server listens. */
export interface ListenPlace {
  readonly host: string;
  readonly port: number;
  /** Instead of the host and the port. */
  readonly socket?: SocketPlace | null;
}

/**
 * Serves the application on an address or a Unix socket; port 0 takes any free port.
 *
 * @throws Error with a `code` (`EADDRINUSE`) if the address cannot be used
 */
export function listen(app: HttpApp, { host, port, socket }: ListenPlace) {
  const options = { fetch: app, maxRequestBodySize: MAX_BODY_BYTES, development: false } as const;
  if (socket) {
    const place = { ...options, unix: socket.path };
    // The server takes the time for a socket too, although its type leaves it out.
    const timed: typeof place = Object.assign(place, { idleTimeout: IDLE_SECONDS });
    return withMode(socket, () => Bun.serve(timed));
  }
  return Bun.serve({
    ...options,
    hostname: host,
    port,
    idleTimeout: IDLE_SECONDS,
    // Without this option, Bun 1.4.4 lets two processes listen on one port (outside development mode).
    reusePort: false,
  });
}
