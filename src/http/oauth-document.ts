import { type OAuthClient, parseDocument } from "#access/oauth-client.ts";
import { OAuthError } from "#access/oauth-error.ts";
import {
  OUTSIDE_NETWORK,
  type OutsideNetwork,
  readAtMost,
  requestOutside,
} from "#lib/outside-network.ts";
import { createTtlCache } from "#lib/ttl-cache.ts";

/** Documents of the specification are small: it recommends this limit. */
const MAX_BYTES = 5 * 1024;
const TIMEOUT_MS = 3_000;
const CACHE_MS = 600_000;
/** How long clients should not use documents after a host was unreachable. */
const RETRY_MS = 600_000;
const MAX_CACHED = 100;
/** The dependencies of a document reader. */
export interface DocumentReaderParts {
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** The real network if left out. */
  readonly network?: OutsideNetwork | undefined;
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
  readonly #network: OutsideNetwork;
  readonly #timeoutMs: number;
  readonly #cache;
  /** When a host was last unreachable; null at the start and after an answer of any host. */
  #failedAt: number | null = null;

  constructor({ clock, network = OUTSIDE_NETWORK, timeoutMs = TIMEOUT_MS }: DocumentReaderParts) {
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
    const headers = { Accept: "application/json" };
    let response: Response | null;
    try {
      response = await requestOutside(this.#network, url, { headers, signal });
    } catch {
      this.#failedAt = this.#clock();
      // The error may describe our network, which the client must not learn.
      throw unreadable(
        url,
        "the host did not answer in time, over https with a valid certificate. Start again in the client, which may register instead",
      );
    }
    if (response === null) throw unreadable(url, "the host has no public address");
    return response;
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

function parseJson(url: URL, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw unreadable(url, "the document is not JSON");
  }
}

function unreadable({ host }: URL, reason: string): OAuthError {
  return new OAuthError(
    "invalid_request",
    `The description of the client cannot be read from ${host}: ${reason}.`,
  );
}
