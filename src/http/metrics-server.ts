/** A server that answers `GET /metrics`. */
export type MetricsServer = ReturnType<typeof listenForMetrics>;

/**
 * Serves metrics in the text format of Prometheus at `/metrics` of their own address.
 *
 * @throws Error with a `code` (`EADDRINUSE`) if the address cannot be used
 */
export function listenForMetrics(
  write: () => Promise<string>,
  { host, port }: { readonly host: string; readonly port: number },
) {
  return Bun.serve({
    hostname: host,
    port,
    reusePort: false,
    development: false,
    async fetch({ method, url }) {
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
  });
}
