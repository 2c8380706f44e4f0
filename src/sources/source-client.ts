import { createCircuitBreaker } from "#lib/circuit-breaker.ts";
import { createThrottle } from "#lib/throttle.ts";
import {
  type Source,
  type SourceAnswer,
  type SourceClient,
  SourceError,
  type SourceFault,
  type SourceRequest,
} from "./source.ts";

/** What the manners need of the world; tests play it. */
export interface SourceWorld {
  readonly clock: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** 0 (included) to 1 (excluded), for jitter. */
  readonly random: () => number;
  /** Once it is aborted, what is under way ends and nothing begins. */
  readonly signal?: AbortSignal;
}

/** How a source is asked on this machine. */
export interface SourceSettings {
  /** A mirror that stands in for the source's hosts: `http://127.0.0.1:9000`; null for none. */
  readonly mirror: string | null;
  /** How the operator can be reached: a mail address or a page; null where unknown. */
  readonly contact: string | null;
  readonly key: string | null;
  /** The program and its version: `bourse/0.1.0`. */
  readonly program: string;
  /** Until when it is left alone from the start, UTC milliseconds; 0 for not at all. */
  readonly leftAloneUntil: number;
}

/** A client that tells whether its source is left alone. */
export interface StatefulSourceClient extends SourceClient {
  /** Until when the source is left alone, UTC milliseconds; 0 where it may be asked. */
  readonly leftAloneUntil: number;
  /**
   * Tells whether what it answered could be used. A source that answers nothing else for a while is
   * left alone as one that does not answer.
   */
  judge(isUsable: boolean): void;
}

const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
/** A source that wants to be left alone for longer is, and nobody waits for it. */
const LONGEST_PAUSE_MS = 10_000;
const MAX_REDIRECTS = 3;
/** How many answers, and bytes of them, are asked for conditionally; beyond it the oldest go. */
const MAX_HELD = 16;
const MAX_HELD_BYTES = 16 * 1024 * 1024;

const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

/**
 * Asks a source with manners: throttled, timed out, tried again with jitter on 429, 5xx and a failed
 * connection, not before `Retry-After`; left alone after repeated failures, never beyond its own
 * host, never without TLS (loopback excepted), never more bytes than expected; what it gave before is
 * asked for conditionally. No error holds an address or a key.
 */
export function createSourceClient(
  source: Source,
  settings: SourceSettings,
  world: SourceWorld,
): StatefulSourceClient {
  const throttle = createThrottle({
    intervalMs: 1000 / source.requestsPerSecond,
    concurrency: source.concurrency,
    clock: world.clock,
    sleep: world.sleep,
  });
  const patience = { threshold: 4, openMs: 60_000, maxOpenMs: 3_600_000, clock: world.clock };
  const breaker = createCircuitBreaker({ ...patience, openUntil: settings.leftAloneUntil });
  /** For answers that came, but were of no use. */
  const contents = createCircuitBreaker({ ...patience, openUntil: 0 });
  const leftAloneUntil = () => Math.max(breaker.openUntil, contents.openUntil);
  const fail = (fault: SourceFault, reason: string, retryAfterMs: number | null = null) =>
    new SourceError(source.name, fault, reason, retryAfterMs);
  const stopped = () => fail("not_asked", "bourse is stopping", 0);
  const refuseIfUnwanted = () => {
    if (world.signal?.aborted) throw stopped();
    const until = leftAloneUntil();
    if (until === 0) return;
    throw fail("not_asked", "it is left alone after failures", until - world.clock());
  };

  /** The newest answers that can be asked for conditionally, by address. */
  const held = new Map<string, SourceAnswer>();
  const hold = (address: string, answer: SourceAnswer) => {
    held.delete(address);
    held.set(address, answer);
    let bytes = [...held.values()].reduce((sum, one) => sum + one.bytes.length, 0);
    for (const [oldest, { bytes: old }] of held) {
      if (held.size <= MAX_HELD && bytes <= MAX_HELD_BYTES) break;
      held.delete(oldest);
      bytes -= old.length;
    }
  };

  const attempt = async (url: URL, request: SourceRequest): Promise<SourceAnswer> => {
    const known = request.body === undefined ? held.get(url.href) : undefined;
    try {
      const response = await askFollowing(url, {
        ...request,
        headers: { ...request.headers, ...(known && conditionsOf(known.headers)) },
      });
      const { status } = response;
      if (status === 304 && known) {
        abandon(response);
        return known;
      }
      if (status !== 200 && !request.accept?.includes(status)) {
        abandon(response);
        const isPassing = status === 429 || status >= 500;
        const unnamedMs = status === 429 ? (source.tooManyRequestsMs ?? 0) : 0;
        throw fail(
          status === 404 ? "nothing" : "unreachable",
          `HTTP ${status}`,
          isPassing ? retryAfterMs(response.headers, world.clock(), unnamedMs) : null,
        );
      }
      const answer = answerOf(source, response, await readCapped(source, response));
      if (status === 200 && request.body === undefined && conditionsOf(answer.headers))
        hold(url.href, answer);
      return answer;
    } catch (error) {
      if (error instanceof SourceError) throw error;
      if (world.signal?.aborted) throw stopped();
      const timedOut = error instanceof Error && error.name === "TimeoutError";
      const reason = timedOut ? `no answer within ${source.timeoutMs} ms` : "the connection failed";
      throw fail("unreachable", reason, 0);
    }
  };

  const askFollowing = async (url: URL, request: SourceRequest): Promise<Response> => {
    const timeout = AbortSignal.timeout(source.timeoutMs);
    const signal = world.signal ? AbortSignal.any([timeout, world.signal]) : timeout;
    let address = url;
    for (let redirects = 0; ; redirects++) {
      const response = await fetch(address, {
        method: request.method ?? "GET",
        headers: {
          "User-Agent": userAgent(source, settings),
          "Accept-Encoding": "gzip",
          ...source.headers,
          ...request.headers,
        },
        ...(request.body !== undefined && { body: request.body }),
        redirect: "manual",
        // Bun would inflate all that it has received at once, however much that makes.
        decompress: false,
        signal,
      });
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) return response;
      abandon(response);
      const next = new URL(location, address);
      if (next.origin !== url.origin)
        throw fail("unreachable", `it redirects to another host, ${next.host}`);
      if (redirects >= MAX_REDIRECTS) throw fail("unreachable", "it redirects too often");
      address = next;
    }
  };

  return {
    key: settings.key,
    get leftAloneUntil() {
      return leftAloneUntil();
    },
    judge(isUsable) {
      if (isUsable) contents.succeeded();
      else contents.failed();
    },
    async request(written, request = {}) {
      if (source.userAgent === "contact" && settings.contact === null) {
        throw fail("not_asked", "it wants to know whom to contact: set BOURSE_CONTACT");
      }
      if (source.key?.required && settings.key === null) {
        throw fail("not_asked", `it needs a key: set ${source.key.variable}`);
      }
      const url = addressOf(written, settings.mirror);
      if (!isAskable(url.href))
        throw fail("not_asked", `${url.protocol}//${url.host} is not asked without TLS`);
      for (let tries = 1; ; tries++) {
        refuseIfUnwanted();
        try {
          const answer = await throttle(async () => {
            // It may have failed for others while this one stood in line.
            refuseIfUnwanted();
            return attempt(url, request);
          });
          breaker.succeeded();
          return answer;
        } catch (error) {
          if (!(error instanceof SourceError) || error.fault === "not_asked") throw error;
          if (error.fault !== "unreachable") {
            breaker.succeeded();
            throw error;
          }
          const { retryAfterMs } = error;
          const backoff = FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + world.random());
          const pause = Math.max(backoff, retryAfterMs ?? Number.POSITIVE_INFINITY);
          if (tries >= MAX_ATTEMPTS || pause > LONGEST_PAUSE_MS) {
            breaker.failed(retryAfterMs);
            throw error;
          }
          await world.sleep(pause);
        }
      }
    },
  };
}

/** Whether a source may be asked at that address: with TLS, or on this machine. */
export function isAskable(address: string): boolean {
  const url = URL.parse(address);
  if (url?.protocol === "https:") return true;
  return url?.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
}

/** The address that is asked: the written one, or the same path and query below the mirror's. */
function addressOf(written: string, mirror: string | null): URL {
  const url = new URL(written);
  if (mirror === null) return url;
  const address = new URL(mirror);
  address.pathname = address.pathname.replace(/\/$/, "") + url.pathname;
  address.search = url.search;
  return address;
}

function userAgent(source: Source, { contact, program }: SourceSettings): string {
  if (source.userAgent === "browser") return BROWSER;
  // A header takes no more than ASCII for sure: Nguyễn is told as Nguyen.
  return contact === null
    ? program
    : `${program} (${contact.normalize("NFD").replaceAll(/[^ -~]/g, "")})`;
}

/** The headers that ask for an answer only where it has changed; undefined where nothing tells. */
function conditionsOf(headers: Headers): Record<string, string> | undefined {
  const etag = headers.get("etag");
  const lastModified = headers.get("last-modified");
  if (etag === null && lastModified === null) return undefined;
  return {
    ...(etag !== null && { "If-None-Match": etag }),
    ...(lastModified !== null && { "If-Modified-Since": lastModified }),
  };
}

/** What `Retry-After` asks for, in seconds or as a date; `unnamedMs` where no time stands there. */
function retryAfterMs(headers: Headers, now: number, unnamedMs: number): number {
  const written = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(written) ? Number(written) * 1000 : Date.parse(written) - now;
  return Number.isNaN(ms) ? unnamedMs : Math.max(0, ms);
}

/** Closes the connection of an answer that nobody reads, which may have failed by itself by now. */
function abandon({ body }: Response): void {
  void body?.cancel().catch(() => {});
}

/** The whole body, inflated. @throws SourceError where it is larger than the source's answers are */
async function readCapped(source: Source, response: Response): Promise<Uint8Array> {
  const invalid = (reason: string) => new SourceError(source.name, "invalid_answer", reason);
  const tooLarge = () => invalid(`the answer is larger than ${source.maxBytes} bytes`);
  if (Number(response.headers.get("content-length")) > source.maxBytes) {
    abandon(response);
    throw tooLarge();
  }
  const encoding = response.headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity" && encoding !== "gzip") {
    abandon(response);
    throw invalid("the answer is compressed in another way than was asked for");
  }
  const body =
    encoding === "gzip"
      ? response.body?.pipeThrough(new DecompressionStream("gzip"))
      : response.body;
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > source.maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** An answer of a source whose body was read. */
export function answerOf(
  source: Pick<Source, "name">,
  { status, headers }: Pick<Response, "status" | "headers">,
  bytes: Uint8Array,
): SourceAnswer {
  const text = () => new TextDecoder().decode(bytes);
  return {
    status,
    headers,
    bytes,
    text,
    json() {
      try {
        return JSON.parse(text()) as unknown;
      } catch {
        throw new SourceError(source.name, "invalid_answer", "the answer is not JSON");
      }
    },
  };
}
