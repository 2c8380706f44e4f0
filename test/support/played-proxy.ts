import { type ConnectionNetwork, createConnectionNetwork } from "#service/connection-network.ts";
import { CLIENT_CERTIFICATE, CLIENT_KEY } from "./certificate.ts";

/** The name of the certificate of `startProxy`. */
export const PROXY_URL = "https://client.example";

/** A proxy's faults and its certificate. Left out, the proxy passes all on and has a valid certificate. */
export interface ProxyOptions {
  readonly cert?: string;
  readonly key?: string;
  /** True if it speaks no TLS. */
  readonly isPlain?: boolean;
  /** Changes the path of a request. */
  readonly path?: (path: string) => string;
  /** Changes the headers of a request. */
  readonly request?: (headers: Headers) => void;
  /** Changes the headers of an answer. */
  readonly answered?: (headers: Headers) => void;
  /** Answers a request itself. */
  readonly own?: (path: string, headers: Headers) => Response | undefined;
  /** True if it sends an answer only when it has all of it. */
  readonly buffers?: boolean;
}

/** Starts a proxy on loopback in front of a service. Set `faults` later to change what it does. */
export function startProxy(options: ProxyOptions = {}) {
  const { cert = CLIENT_CERTIFICATE, key = CLIENT_KEY, isPlain = false } = options;
  const proxy = { origin: "", faults: options, urls: [] as string[] };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...(!isPlain && { tls: { cert, key } }),
    async fetch(incoming) {
      const { pathname, search } = new URL(incoming.url);
      proxy.urls.push(pathname);
      const own = proxy.faults.own?.(pathname, incoming.headers);
      if (own) return own;
      const headers = new Headers(incoming.headers);
      proxy.faults.request?.(headers);
      const { method } = incoming;
      const path = proxy.faults.path?.(pathname) ?? pathname;
      const answer = await fetch(proxy.origin + path + search, {
        method,
        headers,
        redirect: "manual",
        ...(method === "POST" && { body: await incoming.text() }),
      });
      const changed = new Headers(answer.headers);
      changed.delete("content-encoding");
      proxy.faults.answered?.(changed);
      const body = proxy.faults.buffers ? await answer.text() : answer.body;
      return new Response(body, { status: answer.status, headers: changed });
    },
  });
  return Object.assign(proxy, {
    port: server.port ?? 0,
    stop: () => server.stop(true),
    [Symbol.asyncDispose]: () => server.stop(true),
  });
}

/** The network in which a public name leads to the proxy at its port, as if that were 443. */
export function networkOf(
  port: number,
  {
    addresses = ["93.184.215.14"],
    roots = [CLIENT_CERTIFICATE],
  }: { readonly addresses?: readonly string[]; readonly roots?: readonly string[] } = {},
): ConnectionNetwork {
  const real = createConnectionNetwork(roots);
  return {
    resolve: async () => {
      if (addresses.length === 0) throw new Error("no such host");
      return addresses;
    },
    knock: () => real.knock("127.0.0.1", port),
    readCertificate: (_, __, host) => real.readCertificate("127.0.0.1", port, host),
    send: (_, __, url, request) => real.send("127.0.0.1", port, url, request),
  };
}
