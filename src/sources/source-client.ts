import { type CircuitBreaker, createCircuitBreaker } from "#lib/circuit-breaker.ts";
import { AnswerMemory, conditionsOf } from "./answer-memory.ts";
import { connectionFaultOf, isTimeOut } from "./connection-error.ts";
import { NOT_CALLED, type Refusal } from "./refusal.ts";
import { BREAKER, type HostLimits, type SourceHost, SourceHosts } from "./source-host.ts";
import {
  type Source,
  type SourceAnswer,
  type SourceClient,
  SourceError,
  type SourceFault,
  type SourceRequest,
  type UserAgent,
} from "./source.ts";
import { abandon, answerOf, damageOf, readCapped } from "./source-response.ts";
import { normalForm } from "#lib/normal-form.ts";

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
  /** The operator's email address; null if unknown. */
  readonly contact: string | null;
  /** A User-Agent that is sent first where a source refuses plain programs; none if absent or null. */
  readonly userAgent?: string | null;
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
/** A host that sends nothing at all this often in a row, to any requests, is not called for a while. */
const MAX_HANGS = 2;
const HANG_PAUSE_MS = 60_000;

const BROWSER = "Mozilla/5.0";

/** A request on its way: the address to call, and the host that was written. */
interface Outgoing {
  readonly url: URL;
  readonly key: string;
  readonly host: SourceHost;
  readonly request: SourceRequest;
}

/**
 * A client with a throttle and a time-out; it retries with jitter on 429, 5xx and failed
 * connections, not before `Retry-After`; it stops calling a host after repeated failures, never leaves the
 * requested host, never connects without TLS (loopback excepted), and never reads more bytes than expected. It
 * sends conditional requests for answers that it remembers. If a host refuses one User-Agent of the source,
 * it sends the next one, and begins with what passed. No error names an address or a key.
 *
 * @param hosts what all sources of this process know of hosts; of this source alone if absent
 */
export function createSourceClient(
  source: Source,
  settings: SourceSettings,
  world: SourceWorld,
  hosts: SourceHosts = new SourceHosts(world),
): StatefulSourceClient {
  const { clock } = world;
  const contents = createCircuitBreaker({ ...BREAKER, clock, openUntil: settings.blockedUntil });
  return new HttpSourceClient({
    source,
    settings,
    world,
    hosts,
    counts: { answered: 0, failed: 0 },
    unusable: 0,
    called: new Set(),
    contents,
    memory: new AnswerMemory(),
    underWay: new Map(),
  });
}

/** What a client and the client for its probes share. */
interface ClientState {
  readonly source: Source;
  readonly settings: SourceSettings;
  readonly world: SourceWorld;
  readonly hosts: SourceHosts;
  readonly counts: { answered: number; failed: number };
  unusable: number;
  /** The hosts that this source has called. */
  readonly called: Set<SourceHost>;
  /** Counts answers that arrived but were unusable. It also continues a block that was stored. */
  readonly contents: CircuitBreaker;
  readonly memory: AnswerMemory;
  /** Running requests whose answers may be shared. */
  readonly underWay: Map<string, Promise<SourceAnswer>>;
}

class HttpSourceClient implements StatefulSourceClient {
  readonly key: string | null;
  readonly #state: ClientState;
  /** True if its requests pass an open breaker. */
  readonly #isProbe: boolean;
  /** The client for probes. One, because a session with a source belongs to its client. */
  #probing: HttpSourceClient | null = null;

  constructor(state: ClientState, isProbe = false) {
    this.key = state.settings.key;
    this.#state = state;
    this.#isProbe = isProbe;
  }

  get counts() {
    return this.#state.counts;
  }

  get unusable(): number {
    return this.#state.unusable;
  }

  get blockedUntil(): number {
    // A source is called while one of its hosts is.
    const ends = [...this.#state.called].map(({ breaker }) => breaker.openUntil);
    return Math.max(this.#state.contents.openUntil, ends.length === 0 ? 0 : Math.min(...ends));
  }

  set blockedUntil(until: number) {
    this.#state.contents.openUntil = until;
  }

  readonly isClosed = (host: string): boolean => this.#state.hosts.get(host).isClosed;

  reportAnswer(isUsable: boolean): void {
    if (isUsable) return this.#state.contents.succeeded(this.#isProbe);
    this.#state.unusable++;
    this.#state.contents.failed(null, this.#isProbe);
    // An unusable answer must not be reused.
    this.#state.memory.clear();
  }

  probe(): StatefulSourceClient {
    if (this.#isProbe) return this;
    const breakers = [
      this.#state.contents,
      ...[...this.#state.called].map(({ breaker }) => breaker),
    ];
    const open = breakers.filter(({ openUntil }) => openUntil > 0);
    if (!open.map((breaker) => breaker.probe()).includes(true)) return this;
    return (this.#probing ??= new HttpSourceClient(this.#state, true));
  }

  async request(written: string, request: SourceRequest = {}): Promise<SourceAnswer> {
    const url = this.#checkedAddress(written);
    const { hostname } = new URL(written);
    const host = this.#state.hosts.get(request.part ? `${hostname} (${request.part})` : hostname);
    this.#state.called.add(host);
    const key = `${request.method ?? "GET"} ${url.href} ${request.body ?? ""}`;
    const { maxAgeMs } = request;
    const send = () => this.#requestAs({ url, key, host, request });
    if (maxAgeMs === undefined) return send();
    const known = this.#state.memory.findFresh(key, maxAgeMs, this.#state.world.clock());
    if (known) return known;
    const running = this.#state.underWay.get(key);
    if (running) return running;
    const answer = send().finally(() => this.#state.underWay.delete(key));
    this.#state.underWay.set(key, answer);
    return answer;
  }

  /** The address to call. @throws SourceError `not_asked` if the source may not be called at all */
  #checkedAddress(written: string): URL {
    const { contact, key, mirror } = this.#state.settings;
    if (this.#state.source.userAgent === "contact" && contact === null) {
      throw this.#error("not_asked", "it requires a contact: set BOURSE_CONTACT");
    }
    if (this.#state.source.userAgent === "contact" && !isEmailContact(contact)) {
      throw this.#error("not_asked", "it requires an email address: set BOURSE_CONTACT to one");
    }
    if (this.#state.source.key?.required && key === null) {
      throw this.#error("not_asked", `it requires a key: set ${this.#state.source.key.variable}`);
    }
    const url = addressOf(written, mirror);
    if (isAskable(url.href)) return url;
    throw this.#error("not_asked", `${url.protocol}//${url.host} is not called without TLS`);
  }

  /** Sends the request under each name of the program until the host lets one pass. */
  async #requestAs(outgoing: Outgoing): Promise<SourceAnswer> {
    const { host } = outgoing;
    const isProbe = this.#isProbe;
    const names = identitiesOf(this.#state.source.userAgent, this.#state.settings);
    const passed = names.filter((name) => name === host.identity);
    const ordered = [...passed, ...names.filter((name) => !passed.includes(name))];
    for (const [i, name] of ordered.entries()) {
      const hasOthers = i + 1 < ordered.length;
      try {
        const answer = await this.#requestWithRetries(outgoing, name, hasOthers);
        const { refusal, form } = outgoing.request;
        const damage = answer.status === 200 ? damageOf(answer.bytes, form) : null;
        const written = refusal?.(answer) ?? null;
        const cause = damage === "empty" ? damage : (written ?? damage);
        if (cause === null) {
          host.answered(names.length > 1 ? name : null, isProbe);
          return answer;
        }
        // It must not be reused.
        this.#state.memory.clear();
        if (hasOthers) continue;
        if (typeof cause === "number") throw this.#refusedBy(host, cause);
        if (written === null) host.note(cause);
        else host.failed(cause, null, isProbe);
        throw this.#error("invalid_answer", { host: host.name, cause }, 0);
      } catch (error) {
        if (!(error instanceof SourceError) || error.fault === "not_asked") throw error;
        const { fault, refusal, retryAfterMs } = error;
        if (fault === "invalid_answer" && refusal) throw error;
        if (fault !== "unreachable") {
          host.answered(names.length > 1 ? name : null, isProbe);
          throw error;
        }
        if (hasOthers && isClosedTo(name, refusal, host)) continue;
        const pauseMs = refusal?.cause === "hangs" ? HANG_PAUSE_MS : retryAfterMs;
        host.failed(refusal?.cause ?? null, pauseMs, isProbe);
        throw error;
      }
    }
    throw new Error("A source has no identity.");
  }

  /**
   * Sends the request under one name, again after a temporary failure. Counts each attempt.
   *
   * @param hasOthers true if another name may pass, so that a refusal is not repeated
   * @throws SourceError after the last attempt
   */
  async #requestWithRetries(
    outgoing: Outgoing,
    name: string,
    hasOthers: boolean,
  ): Promise<SourceAnswer> {
    const { host } = outgoing;
    for (let tries = 1; ; tries++) {
      this.#refuseIfBlocked(host);
      const { hangs } = host;
      try {
        const answer = await host.run(limitsAt(this.#state.source, host.name), async () => {
          // Other requests may have failed while this one waited in line.
          this.#refuseIfBlocked(host);
          if (host.hangs > hangs && host.hangs >= MAX_HANGS)
            throw this.#error(
              "not_asked",
              { host: host.name, cause: "hangs", isPast: true },
              HANG_PAUSE_MS,
            );
          return this.#attempt(outgoing, name);
        });
        this.counts.answered++;
        return answer;
      } catch (error) {
        if (!(error instanceof SourceError) || error.fault === "not_asked") throw error;
        if (error.fault !== "unreachable") {
          this.counts.answered++;
          throw error;
        }
        this.counts.failed++;
        const { refusal } = error;
        if (refusal?.cause === "hangs" && host.hangs >= MAX_HANGS) throw error;
        if (refusal?.cause === 429 && hasOthers && isClosedTo(name, refusal, host)) throw error;
        const backoff = FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + this.#state.world.random());
        const pause = Math.max(backoff, error.retryAfterMs ?? Number.POSITIVE_INFINITY);
        if (tries >= MAX_ATTEMPTS || pause > LONGEST_PAUSE_MS) throw error;
        await this.#state.world.sleep(pause);
      }
    }
  }

  async #attempt({ url, key, host, request }: Outgoing, name: string): Promise<SourceAnswer> {
    const known = request.body === undefined ? this.#state.memory.find(key) : undefined;
    const conditions = known && conditionsOf(known.headers);
    const { maxAgeMs = 0 } = request;
    let hasHead = false;
    try {
      const headers = { "User-Agent": name, ...request.headers, ...conditions };
      const response = await this.#follow(url, host.name, { ...request, headers });
      hasHead = true;
      host.hangs = 0;
      if (response.status === 304 && known && conditions) {
        abandon(response);
        this.#state.memory.remember(key, known, maxAgeMs, this.#state.world.clock());
        return known;
      }
      if (response.status !== 200 && !request.accept?.includes(response.status)) {
        abandon(response);
        throw this.#statusError(response, host);
      }
      const answer = answerOf(
        this.#state.source,
        response,
        await readCapped(this.#state.source, response),
        host.name,
      );
      this.#remember(key, answer, request);
      return answer;
    } catch (error) {
      if (error instanceof SourceError) throw error;
      if (this.#state.world.signal?.aborted) throw this.#stopped();
      if (isTimeOut(error) && hasHead) {
        const reason = `${host.name} did not send its whole answer within ${this.#state.source.timeoutMs} ms; retry later`;
        throw this.#error("unreachable", reason, 0);
      }
      const cause = isTimeOut(error) ? "hangs" : connectionFaultOf(error);
      host.hangs = cause === "hangs" ? host.hangs + 1 : 0;
      if (cause === "failed" && hasHead) {
        const reason = `${host.name} sent an answer that is damaged; retry later, or check the proxy`;
        throw this.#error("unreachable", reason, 0);
      }
      throw this.#error("unreachable", { host: host.name, cause }, 0);
    }
  }

  /** Only a 200, or a 404 that is an answer, can be reused; only a GET has a version. */
  #remember(key: string, answer: SourceAnswer, { body, maxAgeMs = 0 }: SourceRequest): void {
    const { status } = answer;
    const isConfirmable = status === 200 && body === undefined;
    const isReusable = maxAgeMs > 0 && (status === 200 || status === 404);
    if (isConfirmable || isReusable) {
      this.#state.memory.remember(key, answer, maxAgeMs, this.#state.world.clock());
    }
  }

  async #follow(url: URL, host: string, request: SourceRequest): Promise<Response> {
    const { signal } = this.#state.world;
    const { timeoutMs } = this.#state.source;
    const timeout = this.#state.world.timeout?.(timeoutMs) ?? AbortSignal.timeout(timeoutMs);
    let address = url;
    for (let redirects = 0; ; redirects++) {
      const response = await fetch(address, {
        method: request.method ?? "GET",
        headers: { "Accept-Encoding": "gzip", ...this.#state.source.headers, ...request.headers },
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
        throw this.#error("unreachable", { host, cause: "elsewhere", to: next.host });
      if (redirects >= MAX_REDIRECTS)
        throw this.#error("unreachable", { host, cause: response.status });
      address = next;
    }
  }

  #refuseIfBlocked(host: SourceHost): void {
    if (this.#state.world.signal?.aborted) throw this.#stopped();
    const until = Math.max(host.breaker.openUntil, this.#state.contents.openUntil);
    if (until === 0 || (this.#isProbe && !host.breaker.isRequested)) return;
    const leftMs = until - this.#state.world.clock();
    const { refusal } = host;
    const reason = refusal ? { ...refusal, isPast: true as const } : NOT_CALLED;
    throw this.#error("not_asked", reason, leftMs);
  }

  #statusError({ status, headers }: Response, host: SourceHost): SourceError {
    if (status === 404) return this.#error("nothing", { host: host.name, cause: status });
    return this.#refusedBy(host, status, headers);
  }

  /** The error of a refusal by a status of HTTP, or by one in the body. */
  #refusedBy(host: SourceHost, cause: number, headers = new Headers()): SourceError {
    const isPassing = cause === 429 || cause >= 500;
    const unnamedMs = cause === 429 ? (this.#state.source.tooManyRequestsMs ?? 0) : 0;
    return this.#error(
      "unreachable",
      { host: host.name, cause, isTimed: headers.has("retry-after") },
      isPassing ? retryAfterMs(headers, this.#state.world.clock(), unnamedMs) : null,
    );
  }

  #stopped(): SourceError {
    return this.#error("not_asked", "bourse is stopping", 0);
  }

  #error(fault: SourceFault, reason: string | Refusal, waitMs: number | null = null): SourceError {
    return new SourceError(this.#state.source.name, fault, reason, waitMs);
  }
}

/** True if the host refused that name of the program, so that another one may pass. */
function isClosedTo(name: string, refusal: Refusal | null, host: SourceHost): boolean {
  const cause = refusal?.cause;
  if (cause === 429) return !host.hasAnswered(name) && !refusal?.isTimed;
  return cause === "hangs" || cause === "closed" || cause === 401 || cause === 403;
}

/** The limits of a source at a host. */
function limitsAt(source: Source, host: string): HostLimits {
  const { requestsPerSecond, concurrency, doors = [] } = source;
  const door = doors.find((one) => one.host === host);
  return { requestsPerSecond: door?.requestsPerSecond ?? requestsPerSecond, concurrency };
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

/** True for a contact with an email address, which is what the SEC wants: `Ann Lee <ann@example.com>`. */
export function isEmailContact(contact: string | null): boolean {
  return contact !== null && /[^\s@]@[^\s@]/.test(contact);
}

/** The User-Agents of a source, in order. */
function identitiesOf(kind: UserAgent, settings: SourceSettings): string[] {
  const { program, userAgent } = settings;
  // Only ASCII is safe in a header: Nguyễn becomes Nguyen.
  const contact =
    settings.contact === null
      ? undefined
      : normalForm(settings.contact, "NFD").replaceAll(/[^ -~]/g, "");
  if (kind === "contact") return [`${program} ${contact}`];
  if (kind === "program") return [contact === undefined ? program : `${program} (${contact})`];
  const named = `${BROWSER} (compatible; ${program})`;
  const both = kind === "browser" ? [named, BROWSER] : [BROWSER, named];
  return userAgent ? [userAgent, ...both] : both;
}

/** The wait that `Retry-After` requests, in seconds or as a date; `unnamedMs` if it has neither. */
function retryAfterMs(headers: Headers, now: number, unnamedMs: number): number {
  const written = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(written) ? Number(written) * 1000 : Date.parse(written) - now;
  return Number.isNaN(ms) ? unnamedMs : Math.max(0, ms);
}
