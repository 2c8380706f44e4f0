import { type CircuitBreaker, createCircuitBreaker } from "#lib/circuit-breaker.ts";
import { createThrottle, type Throttle } from "#lib/throttle.ts";
import { AnswerMemory, conditionsOf } from "./answer-memory.ts";
import { describeConnectionError } from "./connection-error.ts";
import {
  type Source,
  type SourceAnswer,
  type SourceClient,
  SourceError,
  type SourceFault,
  type SourceRequest,
} from "./source.ts";
import { abandon, answerOf, readCapped } from "./source-response.ts";

/** What a client needs from outside; tests provide their own. */
export interface SourceWorld {
  readonly clock: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** 0 (included) to 1 (excluded), for jitter. */
  readonly random: () => number;
  /** Ends a request after that time; `AbortSignal.timeout` if absent. */
  readonly timeout?: (ms: number) => AbortSignal;
  /** After it is aborted, running requests end and no new ones begin. */
  readonly signal?: AbortSignal;
}

/** How a source is called on this machine. */
export interface SourceSettings {
  /** A mirror that replaces the source's hosts: `http://127.0.0.1:9000`; null for none. */
  readonly mirror: string | null;
  /** The operator's email address or web page; null if unknown. */
  readonly contact: string | null;
  readonly key: string | null;
  /** The program and its version: `bourse/0.1.0`. */
  readonly program: string;
  /** The end of the block at the start, UTC milliseconds; 0 if the source is not blocked. */
  readonly blockedUntil: number;
}

/** A client with a circuit breaker. */
export interface StatefulSourceClient extends SourceClient {
  /** The requests since the start: answered and failed. */
  readonly counts: { readonly answered: number; readonly failed: number };
  /** The answers since the start whose content could not be used. Their requests are counted as answered. */
  readonly unusable: number;
  /**
   * The end of the block after failures, UTC milliseconds; 0 while requests are sent. Set it to continue a
   * block that another process has stored.
   */
  blockedUntil: number;
  /**
   * Reports whether an answer was usable. A source with unusable answers is blocked for a while
   * like one that does not answer.
   */
  reportAnswer(isUsable: boolean): void;
  /**
   * The client for one fetch of a caller that waits for the answer. Its requests pass an open breaker, at
   * most one fetch a minute, and never during a wait that the source requested. Then the client is returned
   * as it is.
   */
  probe(): StatefulSourceClient;
}

const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
/** A source that requests a longer wait is blocked for that time; no caller waits that long. */
const LONGEST_PAUSE_MS = 10_000;
const MAX_REDIRECTS = 3;
const BREAKER = { threshold: 4, openMs: 60_000, maxOpenMs: 600_000, maxRequestedMs: 3_600_000 };

const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

/**
 * A client with a throttle and a time-out; it retries with jitter on 429, 5xx and failed
 * connections, not before `Retry-After`; it stops after repeated failures, never leaves the source's
 * own host, never connects without TLS (loopback excepted), and never reads more bytes than expected. It
 * sends conditional requests for answers that it remembers. No error names an address or a key.
 */
export function createSourceClient(
  source: Source,
  settings: SourceSettings,
  world: SourceWorld,
): StatefulSourceClient {
  return new HttpSourceClient(source, settings, world);
}

class HttpSourceClient implements StatefulSourceClient {
  readonly key: string | null;
  readonly counts = { answered: 0, failed: 0 };
  unusable = 0;
  readonly #source: Source;
  readonly #settings: SourceSettings;
  readonly #world: SourceWorld;
  readonly #throttle: Throttle;
  readonly #breaker: CircuitBreaker;
  /** Counts answers that arrived but were unusable. */
  readonly #contents: CircuitBreaker;
  /** One, because a session with a source belongs to its client. */
  readonly #probing = new ProbingClient(this);
  readonly #memory = new AnswerMemory();
  /** Running requests whose answers may be shared. */
  readonly #underWay = new Map<string, Promise<SourceAnswer>>();

  constructor(source: Source, settings: SourceSettings, world: SourceWorld) {
    const { clock, sleep } = world;
    this.key = settings.key;
    this.#source = source;
    this.#settings = settings;
    this.#world = world;
    this.#throttle = createThrottle({
      intervalMs: 1000 / source.requestsPerSecond,
      concurrency: source.concurrency,
      clock,
      sleep,
    });
    this.#breaker = createCircuitBreaker({ ...BREAKER, clock, openUntil: settings.blockedUntil });
    this.#contents = createCircuitBreaker({ ...BREAKER, clock, openUntil: 0 });
  }

  get blockedUntil(): number {
    return Math.max(this.#breaker.openUntil, this.#contents.openUntil);
  }

  set blockedUntil(until: number) {
    this.#breaker.openUntil = until;
  }

  reportAnswer(isUsable: boolean, isProbe = false): void {
    if (isUsable) return this.#contents.succeeded(isProbe);
    this.unusable++;
    this.#contents.failed(null, isProbe);
    // An unusable answer must not be reused.
    this.#memory.clear();
  }

  probe(): StatefulSourceClient {
    const open = [this.#breaker, this.#contents].filter(({ openUntil }) => openUntil > 0);
    return open.length > 0 && open.every((breaker) => breaker.probe()) ? this.#probing : this;
  }

  /** @param isProbe true if the request passes an open breaker */
  async request(
    written: string,
    request: SourceRequest = {},
    isProbe = false,
  ): Promise<SourceAnswer> {
    const url = this.#checkedAddress(written);
    const key = `${request.method ?? "GET"} ${url.href} ${request.body ?? ""}`;
    const { maxAgeMs } = request;
    const send = () => this.#requestWithRetries(url, key, request, isProbe);
    if (maxAgeMs === undefined) return send();
    const known = this.#memory.findFresh(key, maxAgeMs, this.#world.clock());
    if (known) return known;
    const running = this.#underWay.get(key);
    if (running) return running;
    const answer = send().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, answer);
    return answer;
  }

  /** The address to call. @throws SourceError `not_asked` if the source may not be called at all */
  #checkedAddress(written: string): URL {
    const { contact, key, mirror } = this.#settings;
    if (this.#source.userAgent === "contact" && contact === null) {
      throw this.#error("not_asked", "it requires a contact: set BOURSE_CONTACT");
    }
    if (this.#source.key?.required && key === null) {
      throw this.#error("not_asked", `it requires a key: set ${this.#source.key.variable}`);
    }
    const url = addressOf(written, mirror);
    if (isAskable(url.href)) return url;
    throw this.#error("not_asked", `${url.protocol}//${url.host} is not called without TLS`);
  }

  async #requestWithRetries(
    url: URL,
    key: string,
    request: SourceRequest,
    isProbe: boolean,
  ): Promise<SourceAnswer> {
    for (let tries = 1; ; tries++) {
      this.#refuseIfBlocked(isProbe);
      try {
        const answer = await this.#throttle(async () => {
          // Other requests may have failed while this one waited in line.
          this.#refuseIfBlocked(isProbe);
          return this.#attempt(url, key, request);
        });
        this.counts.answered++;
        this.#breaker.succeeded(isProbe);
        return answer;
      } catch (error) {
        if (!(error instanceof SourceError) || error.fault === "not_asked") throw error;
        if (error.fault !== "unreachable") {
          this.counts.answered++;
          this.#breaker.succeeded(isProbe);
          throw error;
        }
        this.counts.failed++;
        const { retryAfterMs } = error;
        const backoff = FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + this.#world.random());
        const pause = Math.max(backoff, retryAfterMs ?? Number.POSITIVE_INFINITY);
        if (tries >= MAX_ATTEMPTS || pause > LONGEST_PAUSE_MS) {
          this.#breaker.failed(retryAfterMs, isProbe);
          throw error;
        }
        await this.#world.sleep(pause);
      }
    }
  }

  async #attempt(url: URL, key: string, request: SourceRequest): Promise<SourceAnswer> {
    const known = request.body === undefined ? this.#memory.find(key) : undefined;
    const conditions = known && conditionsOf(known.headers);
    const { maxAgeMs = 0 } = request;
    try {
      const response = await this.#follow(url, {
        ...request,
        headers: { ...request.headers, ...conditions },
      });
      if (response.status === 304 && known && conditions) {
        abandon(response);
        this.#memory.remember(key, known, maxAgeMs, this.#world.clock());
        return known;
      }
      if (response.status !== 200 && !request.accept?.includes(response.status)) {
        abandon(response);
        throw this.#statusError(response);
      }
      const answer = answerOf(this.#source, response, await readCapped(this.#source, response));
      this.#remember(key, answer, request);
      return answer;
    } catch (error) {
      if (error instanceof SourceError) throw error;
      if (this.#world.signal?.aborted) throw this.#stopped();
      throw this.#error("unreachable", describeConnectionError(error, this.#source.timeoutMs), 0);
    }
  }

  /** Only a 200, or a 404 that is an answer, can be reused; only a GET has a version. */
  #remember(key: string, answer: SourceAnswer, { body, maxAgeMs = 0 }: SourceRequest): void {
    const { status } = answer;
    const isConfirmable = status === 200 && body === undefined;
    const isReusable = maxAgeMs > 0 && (status === 200 || status === 404);
    if (isConfirmable || isReusable) {
      this.#memory.remember(key, answer, maxAgeMs, this.#world.clock());
    }
  }

  async #follow(url: URL, request: SourceRequest): Promise<Response> {
    const { signal } = this.#world;
    const { timeoutMs } = this.#source;
    const timeout = this.#world.timeout?.(timeoutMs) ?? AbortSignal.timeout(timeoutMs);
    let address = url;
    for (let redirects = 0; ; redirects++) {
      const response = await fetch(address, {
        method: request.method ?? "GET",
        headers: {
          "User-Agent": userAgent(this.#source, this.#settings),
          "Accept-Encoding": "gzip",
          ...this.#source.headers,
          ...request.headers,
        },
        ...(request.body !== undefined && { body: request.body }),
        redirect: "manual",
        // Bun would inflate all received bytes at once, without a limit on the size.
        decompress: false,
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
      });
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) return response;
      abandon(response);
      const next = new URL(location, address);
      if (next.origin !== url.origin)
        throw this.#error("unreachable", `it redirects to another host, ${next.host}`);
      if (redirects >= MAX_REDIRECTS) throw this.#error("unreachable", "it redirects too often");
      address = next;
    }
  }

  #refuseIfBlocked(isProbe: boolean): void {
    if (this.#world.signal?.aborted) throw this.#stopped();
    if (isProbe) return;
    const until = this.blockedUntil;
    if (until === 0) return;
    const leftMs = until - this.#world.clock();
    throw this.#error("not_asked", "it is not called for a while after failures", leftMs);
  }

  #statusError({ status, headers }: Response): SourceError {
    const isPassing = status === 429 || status >= 500;
    const unnamedMs = status === 429 ? (this.#source.tooManyRequestsMs ?? 0) : 0;
    return this.#error(
      status === 404 ? "nothing" : "unreachable",
      `HTTP ${status}`,
      isPassing ? retryAfterMs(headers, this.#world.clock(), unnamedMs) : null,
    );
  }

  #stopped(): SourceError {
    return this.#error("not_asked", "bourse is stopping", 0);
  }

  #error(fault: SourceFault, reason: string, waitMs: number | null = null): SourceError {
    return new SourceError(this.#source.name, fault, reason, waitMs);
  }
}

/** A client whose requests pass an open breaker. */
class ProbingClient implements StatefulSourceClient {
  readonly #client: HttpSourceClient;

  constructor(client: HttpSourceClient) {
    this.#client = client;
  }

  get key() {
    return this.#client.key;
  }

  get counts() {
    return this.#client.counts;
  }

  get unusable() {
    return this.#client.unusable;
  }

  get blockedUntil() {
    return this.#client.blockedUntil;
  }

  set blockedUntil(until: number) {
    this.#client.blockedUntil = until;
  }

  request(url: string, request?: SourceRequest): Promise<SourceAnswer> {
    return this.#client.request(url, request, true);
  }

  reportAnswer(isUsable: boolean): void {
    this.#client.reportAnswer(isUsable, true);
  }

  probe(): StatefulSourceClient {
    return this;
  }
}

/** True for an address that a source may be called at: with TLS, or on this machine. */
export function isAskable(address: string): boolean {
  const url = URL.parse(address);
  if (url?.protocol === "https:") return true;
  return url?.protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
}

/** The address to call: the written one, or the same path and query below the mirror's. */
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
  // Only ASCII is safe in a header: Nguyễn becomes Nguyen.
  return contact === null
    ? program
    : `${program} (${contact.normalize("NFD").replaceAll(/[^ -~]/g, "")})`;
}

/** The wait that `Retry-After` requests, in seconds or as a date; `unnamedMs` if it has neither. */
function retryAfterMs(headers: Headers, now: number, unnamedMs: number): number {
  const written = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(written) ? Number(written) * 1000 : Date.parse(written) - now;
  return Number.isNaN(ms) ? unnamedMs : Math.max(0, ms);
}
