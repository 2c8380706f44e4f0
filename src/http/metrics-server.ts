import { isIP } from "node:net";
import { type SocketPlace, withMode } from "#lib/unix-socket.ts";

/** A server that answers `GET /metrics`. */
export type MetricsServer = ReturnType<typeof listenForMetrics>;

/**
 * Serves metrics in the text format of Prometheus at `/metrics` of their own address or Unix socket.
 *
 * @throws Error with a `code` (`EADDRINUSE`) if the address cannot be used
 */
export function listenForMetrics(
  write: () => Promise<string>,
  place: { readonly host: string; readonly port: number } | SocketPlace,
) {
  const ownHost = "host" in place ? place.host : "localhost";
  const options = {
    development: false,
    async fetch({ method, url, headers }: Request) {
      if (isForeignName(headers.get("host") ?? "", ownHost)) {
        return new Response(
          "The metrics do not answer under this host name. Use the IP address, a name without dots, or the name in BOURSE_METRICS.\n",
          { status: 403 },
        );
      }
      const path = URL.parse(url)?.pathname;
      if (path !== "/metrics")
        return new Response("The metrics are at /metrics.\n", { status: 404 });
      if (method !== "GET" && method !== "HEAD") {
        return new Response("This path answers GET and HEAD only.\n", {
          status: 405,
          headers: { Allow: "GET, HEAD" },
        });
      }
      return new Response(await write(), {
        headers: { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" },
      });
    },
  } as const;
  return "path" in place
    ? withMode(place, () => Bun.serve({ ...options, unix: place.path }))
    : Bun.serve({ ...options, hostname: place.host, port: place.port, reusePort: false });
}

/**
 * True if a page of another site may have sent the request, whose own name points at this address (DNS
 * rebinding). Such a name has a dot: `prometheus` reaches a container by a name without one.
 */
function isForeignName(header: string, ownHost: string): boolean {
  const name = header.toLowerCase().replace(/:\d+$/, "");
  if (!name.includes(".") || name === ownHost.toLowerCase()) return false;
  return isIP(name) === 0 && !name.endsWith(".localhost");
}
