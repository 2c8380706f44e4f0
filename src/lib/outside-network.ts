import { isPublicAddress } from "./public-address.ts";

/** A request to a host that a user or a client has named. */
export interface OutsideRequest {
  /** GET if left out. */
  readonly method?: "GET" | "POST";
  /** Besides `Host` and `Accept-Encoding`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request and the resolution of the host. */
  readonly signal: AbortSignal;
}

/** The network as it is used for hosts that users name; tests replace it. */
export interface OutsideNetwork {
  /** Every IP address of a host. Rejects if the host is unknown. */
  resolve(host: string): Promise<readonly string[]>;
  /**
   * Requests a URL from that address of its host and follows no redirect. Rejects if the server cannot be reached, or
   * for https does not prove by its certificate that it is the host.
   */
  fetchFrom(address: string, url: URL, request: OutsideRequest): Promise<Response>;
}

/** The name or the IP address of the host, without the brackets of an IPv6 address in a URL. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Addresses of a host that are tried. */
const MAX_ADDRESSES = 3;

/** The real network. */
export const OUTSIDE_NETWORK: OutsideNetwork = {
  resolve: async (host) => (await Bun.dns.lookup(host)).map(({ address }) => address),
  fetchFrom: (address, url, request) => fetchPinned(address, url, request),
};

/**
 * Requests a URL from one address. The name is not resolved again, so an answer of the DNS that changes after the
 * check of the address has no effect.
 *
 * @param ca a certificate to trust besides the usual ones
 */
export function fetchPinned(
  address: string,
  url: URL,
  { headers, ...request }: OutsideRequest,
  ca?: string,
): Promise<Response> {
  const target = new URL(url);
  target.hostname = address.includes(":") ? `[${address}]` : address;
  return fetch(target, {
    ...request,
    headers: { ...headers, "Accept-Encoding": "identity", Host: url.host },
    redirect: "manual",
    // A few compressed bytes can become very many.
    decompress: false,
    tls: { serverName: url.hostname, rejectUnauthorized: true, ...(ca !== undefined && { ca }) },
  });
}

/**
 * The answer of a host at one of its addresses; null if it has none, or one that is not allowed. One allowed address
 * does not make the others allowed.
 *
 * @param isAllowed true for the addresses that may be requested; the public ones if left out
 * @throws Error if the host is unknown, cannot be reached or does not answer before the signal
 */
export async function requestOutside(
  network: OutsideNetwork,
  url: URL,
  request: OutsideRequest,
  isAllowed: (address: string) => boolean = isPublicAddress,
): Promise<Response | null> {
  const addresses = await within(request.signal, network.resolve(hostOf(url)));
  if (addresses.length === 0 || !addresses.every(isAllowed)) return null;
  return fetchFromAny(addresses, url, network, request);
}

/** IPv4 first, because many networks cannot reach IPv6 addresses that their DNS knows. */
async function fetchFromAny(
  addresses: readonly string[],
  url: URL,
  network: OutsideNetwork,
  request: OutsideRequest,
): Promise<Response> {
  const [first = "", ...others] = addresses
    .toSorted((a, b) => Number(a.includes(":")) - Number(b.includes(":")))
    .slice(0, MAX_ADDRESSES);
  try {
    return await within(request.signal, network.fetchFrom(first, url, request));
  } catch (error) {
    if (others.length === 0 || request.signal.aborted) throw error;
    return fetchFromAny(others, url, network, request);
  }
}

/** The body; null if it is longer than `maxBytes` or does not end in time. */
export async function readAtMost(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const reader = (response.body ?? new Blob([]).stream()).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await within(signal, reader.read());
      if (done) return Buffer.concat(chunks);
      length += value.length;
      if (length > maxBytes) return null;
      chunks.push(value);
    }
  } catch {
    return null;
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The result of `work`, or the reason of the signal if that comes first. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new Error("timed out"));
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
