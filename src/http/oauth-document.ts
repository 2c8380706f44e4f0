import { type OAuthClient, parseDocument } from "#access/oauth-client.ts";
import { OAuthError } from "#access/oauth-error.ts";
import { createTtlCache } from "#lib/ttl-cache.ts";
import { isPublicAddress } from "./public-address.ts";

/** The network as it is used to read metadata documents; tests replace it. */
export interface DocumentNetwork {
  /** Every IP address of a host. Rejects if the host is unknown. */
  resolve(host: string): Promise<readonly string[]>;
  /**
   * Requests an https URL from that address of its host and follows no redirect. Rejects if the server
   * cannot be reached or does not prove by its certificate that it is the host.
   */
  fetchFrom(address: string, url: URL, signal: AbortSignal): Promise<Response>;
}

/** Documents of the specification are small: it recommends this limit. */
const MAX_BYTES = 5 * 1024;
const TIMEOUT_MS = 3_000;
const CACHE_MS = 600_000;
/** How long clients should not use documents after a host was unreachable. */
const RETRY_MS = 600_000;
const MAX_CACHED = 100;
/** Addresses of a host that are tried. */
const MAX_ADDRESSES = 3;

/** The real network. */
const DOCUMENT_NETWORK: DocumentNetwork = {
  resolve: async (host) => (await Bun.dns.lookup(host)).map(({ address }) => address),
  fetchFrom: (address, url, signal) => fetchPinned(address, url, signal),
};

/**
 * Requests an https URL from one address. The name is not resolved again, so an answer of the DNS that
 * changes after the check of the address has no effect.
 *
 * @param ca a certificate to trust besides the usual ones
 */
export function fetchPinned(
  address: string,
  url: URL,
  signal: AbortSignal,
  ca?: string,
): Promise<Response> {
  const target = new URL(url);
  target.hostname = address.includes(":") ? `[${address}]` : address;
  return fetch(target, {
    headers: { Accept: "application/json", "Accept-Encoding": "identity", Host: url.host },
    redirect: "manual",
    // A few compressed bytes can become very many.
    decompress: false,
    signal,
    tls: { serverName: url.hostname, rejectUnauthorized: true, ...(ca !== undefined && { ca }) },
  });
}

/** The dependencies of a document reader. */
export interface DocumentReaderParts {
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** The real network if left out. */
  readonly network?: DocumentNetwork | undefined;
  /** How long one document may take; 3 s if left out. */
  readonly timeoutMs?: number;
}

/**
 * Reads the metadata documents of clients from their URLs, the client ids. Only a signed-in user can
 * cause a request. It goes to public addresses, over https, on port 443. Documents are cached for ten
 * minutes, failures are not.
 */
export class DocumentReader {
  readonly #clock: () => number;
  readonly #network: DocumentNetwork;
  readonly #timeoutMs: number;
  readonly #cache;
  /** When a host was last unreachable; null at the start and after an answer of any host. */
  #failedAt: number | null = null;

  constructor({ clock, network = DOCUMENT_NETWORK, timeoutMs = TIMEOUT_MS }: DocumentReaderParts) {
    this.#clock = clock;
    this.#network = network;
    this.#timeoutMs = timeoutMs;
    this.#cache = createTtlCache<OAuthClient>({
      ttlMs: CACHE_MS,
      maxEntries: MAX_CACHED,
      maxWeight: MAX_CACHED,
      weigh: () => 1,
      clock,
    });
  }

  /**
   * The client of a document's URL.
   *
   * @throws OAuthError with one sentence if the URL or the document is wrong or cannot be read
   */
  async read(text: string): Promise<OAuthClient> {
    const url = parseDocumentUrl(text);
    return this.#cache.get(text, async () => {
      const bytes = await this.#readDocument(url);
      return parseDocument(text, parseJson(url, bytes));
    });
  }

  /**
   * False for ten minutes after a host was unreachable. If the service cannot reach the internet, clients
   * that read the metadata again register instead.
   */
  get works(): boolean {
    return this.#failedAt === null || this.#clock() - this.#failedAt >= RETRY_MS;
  }

  async #readDocument(url: URL): Promise<Uint8Array> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const response = await this.#request(url, signal);
    this.#failedAt = null;
    try {
      if (response.status !== 200) {
        throw unreadable(url, `the answer is ${response.status}, not 200`);
      }
      const type = response.headers.get("content-type") ?? "";
      if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
        throw unreadable(url, "the answer is not application/json");
      }
      const bytes = await readAtMost(response, MAX_BYTES, signal);
      if (bytes === null) {
        throw unreadable(url, `the document is longer than ${MAX_BYTES} bytes or takes too long`);
      }
      return bytes;
    } finally {
      // A server that keeps sending must not keep the connection.
      if (!response.bodyUsed) await response.body?.cancel();
    }
  }

  /** The answer of the host at one of its addresses. */
  async #request(url: URL, signal: AbortSignal): Promise<Response> {
    let addresses: readonly string[];
    try {
      addresses = await within(signal, this.#network.resolve(url.hostname));
      if (addresses.length > 0 && addresses.every(isPublicAddress)) {
        return await fetchFromAny(addresses, url, this.#network, signal);
      }
    } catch {
      this.#failedAt = this.#clock();
      // The error may describe our network, which the client must not learn.
      throw unreadable(
        url,
        "the host did not answer in time, over https with a valid certificate. Start again in the client, which may register instead",
      );
    }
    throw unreadable(url, "the host has no public address");
  }
}

/** The URL of a document, which has only one way to be written. @throws OAuthError */
function parseDocumentUrl(text: string): URL {
  const url = URL.parse(text);
  if (
    url?.protocol !== "https:" ||
    url.href !== text ||
    url.port !== "" ||
    url.username !== "" ||
    url.password !== "" ||
    text.includes("#") ||
    url.pathname === "/" ||
    // An IP address has no name that a user could recognise.
    !/\.[a-z][a-z0-9-]*$/.test(url.hostname)
  ) {
    throw new OAuthError(
      "invalid_request",
      "client_id must be the https URL of a document on a host with a name, in its normal form and without port, user name and fragment.",
    );
  }
  return url;
}

/** IPv4 first, because many networks cannot reach IPv6 addresses that their DNS knows. */
async function fetchFromAny(
  addresses: readonly string[],
  url: URL,
  network: DocumentNetwork,
  signal: AbortSignal,
): Promise<Response> {
  const [first = "", ...others] = addresses
    .toSorted((a, b) => Number(a.includes(":")) - Number(b.includes(":")))
    .slice(0, MAX_ADDRESSES);
  try {
    return await within(signal, network.fetchFrom(first, url, signal));
  } catch (error) {
    if (others.length === 0 || signal.aborted) throw error;
    return fetchFromAny(others, url, network, signal);
  }
}

/** The body; null if it is longer than `maxBytes` or does not end in time. */
async function readAtMost(
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

function parseJson(url: URL, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw unreadable(url, "the document is not JSON");
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

function unreadable({ host }: URL, reason: string): OAuthError {
  return new OAuthError(
    "invalid_request",
    `The description of the client cannot be read from ${host}: ${reason}.`,
  );
}
