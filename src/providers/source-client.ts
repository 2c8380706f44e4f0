import { createCircuitBreaker } from "#lib/circuit-breaker.ts";
import { createThrottle } from "#lib/throttle.ts";
import {
  type Source,
  type SourceAnswer,
  type SourceClient,
  SourceError,
  type SourceRequest,
} from "./source.ts";

/** What the manners need of the world; tests play it. */
export interface SourceWorld {
  readonly clock: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** 0 (included) to 1 (excluded), for jitter. */
  readonly random: () => number;
}

export interface SourceSettings {
  /** A mirror that stands in for the source's hosts: `http://127.0.0.1:9000`; null for none. */
  readonly mirror: string | null;
  /** How the operator can be reached: a mail address or a page; null where unknown. */
  readonly contact: string | null;
  readonly key: string | null;
  /** The program and its version: `bourse/0.1.0`. */
  readonly program: string;
}

/** A client with the state of its source, for `bourse sources`. */
export interface StatefulSourceClient extends SourceClient {
  /** Until when the source is left alone, UTC milliseconds; 0 where it may be asked. */
  readonly leftAloneUntil: number;
}

const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
/** A source that wants to be left alone for longer is, and nobody waits for it. */
const LONGEST_PAUSE_MS = 10_000;
const MAX_REDIRECTS = 3;
/** Answers a source is asked for conditionally; beyond it the oldest is asked for anew. */
const MAX_HELD = 16;

const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

/**
 * Asks a source with manners: throttled, timed out, tried again with jitter on 429 and 5xx as
 * `Retry-After` says, left alone after repeated failures, never beyond its own host, never without
 * TLS (loopback excepted), never more bytes than expected; what it gave before is asked for
 * conditionally. No error and no log line holds a key.
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
  const breaker = createCircuitBreaker({
    threshold: 4,
    openMs: 60_000,
    maxOpenMs: 3_600_000,
    clock: world.clock,
  });
  const fail = (fault: SourceError["fault"], reason: string, retryAfterMs: number | null = null) =>
    new SourceError(source.name, fault, reason, retryAfterMs);

  /** The newest answers that can be asked for conditionally, by address. */
  const held = new Map<string, SourceAnswer>();

  const attempt = async (url: URL, request: SourceRequest): Promise<SourceAnswer> => {
    const known = request.body === undefined ? held.get(url.href) : undefined;
    let response: Response;
    try {
      response = await askFollowing(url, {
        ...request,
        headers: { ...request.headers, ...(known && conditionsOf(known.headers)) },
      });
    } catch (error) {
      if (error instanceof SourceError) throw error;
      const timedOut = error instanceof Error && error.name === "TimeoutError";
      throw fail(
        "unreachable",
        timedOut ? `no answer within ${source.timeoutMs} ms` : "no connection",
      );
    }
    const { status } = response;
    if (status === 304 && known) return known;
    if (status === 429 || status >= 500) {
      void response.body?.cancel();
      throw fail("unreachable", `HTTP ${status}`, retryAfterMs(response.headers, world.clock()));
    }
    if (status !== 200 && !request.accept?.includes(status)) {
      void response.body?.cancel();
      throw fail(status === 404 ? "nothing" : "unreachable", `HTTP ${status}`);
    }
    const answer = answerOf(source, response, await readCapped(source, response));
    if (request.body === undefined && Object.keys(conditionsOf(answer.headers)).length > 0) {
      held.delete(url.href);
      held.set(url.href, answer);
      for (const oldest of held.keys()) {
        if (held.size <= MAX_HELD) break;
        held.delete(oldest);
      }
    }
    return answer;
  };

  const askFollowing = async (url: URL, request: SourceRequest): Promise<Response> => {
    const signal = AbortSignal.timeout(source.timeoutMs);
    let address = url;
    for (let redirects = 0; ; redirects++) {
      const response = await fetch(address, {
        method: request.method ?? "GET",
        headers: {
          "User-Agent": userAgent(source, settings),
          ...source.headers,
          ...request.headers,
        },
        ...(request.body !== undefined && { body: request.body }),
        redirect: "manual",
        signal,
      });
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) return response;
      void response.body?.cancel();
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
      return breaker.openUntil;
    },
    async request(written, request = {}) {
      if (source.userAgent === "contact" && settings.contact === null) {
        throw fail("not_asked", "it wants to know whom to contact: set BOURSE_CONTACT");
      }
      if (source.key?.required && settings.key === null) {
        throw fail("not_asked", `it needs a key: set ${source.key.variable}`);
      }
      const url = addressOf(written, settings.mirror);
      if (!isSafe(url))
        throw fail("not_asked", `${url.protocol}//${url.host} is not asked without TLS`);
      for (let tries = 1; ; tries++) {
        if (breaker.openUntil > 0) {
          throw fail(
            "not_asked",
            "it is left alone after failures",
            breaker.openUntil - world.clock(),
          );
        }
        try {
          const answer = await throttle(() => attempt(url, request));
          breaker.succeeded();
          return answer;
        } catch (error) {
          if (!(error instanceof SourceError)) throw error;
          if (error.fault !== "unreachable") {
            breaker.succeeded();
            throw error;
          }
          const pause =
            error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + world.random());
          if (tries >= MAX_ATTEMPTS || pause > LONGEST_PAUSE_MS) {
            breaker.failed(error.retryAfterMs);
            throw error;
          }
          await world.sleep(pause);
        }
      }
    },
  };
}

/** The address that is asked: the written one, or the same path and query on the mirror. */
function addressOf(written: string, mirror: string | null): URL {
  const url = new URL(written);
  return mirror === null ? url : new URL(url.pathname + url.search, mirror);
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

function userAgent(source: Source, { contact, program }: SourceSettings): string {
  if (source.userAgent === "browser") return BROWSER;
  return contact === null ? program : `${program} (${contact})`;
}

/** The headers that ask for an answer only where it has changed. */
function conditionsOf(headers: Headers): Record<string, string> {
  const etag = headers.get("etag");
  const lastModified = headers.get("last-modified");
  return {
    ...(etag !== null && { "If-None-Match": etag }),
    ...(lastModified !== null && { "If-Modified-Since": lastModified }),
  };
}

/** What `Retry-After` asks for, in seconds or as a date; null where it does not stand there. */
function retryAfterMs(headers: Headers, now: number): number | null {
  const written = headers.get("retry-after");
  if (written === null) return null;
  const ms = /^\d+$/.test(written) ? Number(written) * 1000 : Date.parse(written) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

async function readCapped(source: Source, response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > source.maxBytes) {
        throw new SourceError(
          source.name,
          "invalid_answer",
          `the answer is larger than ${source.maxBytes} bytes`,
        );
      }
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError(source.name, "unreachable", "the answer broke off");
  }
  return Buffer.concat(chunks);
}

function answerOf(source: Source, { status, headers }: Response, bytes: Uint8Array): SourceAnswer {
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
