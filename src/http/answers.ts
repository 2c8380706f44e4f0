import type { Quota } from "#access/quota.ts";
import type { BourseError, ErrorCode } from "#domain/errors.ts";
import { lazy } from "#lib/lazy.ts";
import type { Log } from "#lib/log.ts";
import { ageSeconds, CACHE_MS, type CachedAnswer } from "#operations/execute.ts";
import { reportError } from "#operations/report-error.ts";
import { errorEnvelope, HTTP_ERRORS } from "./errors.ts";
import {
  type Encoding,
  encodingFor,
  EVERY_ANSWER,
  type HeaderBag,
  isHeld,
  SharedHeaders,
  weakEtag,
} from "./headers.ts";

const CHALLENGES: { [Code in ErrorCode]?: HeaderBag } = {
  missing_auth: { "WWW-Authenticate": 'Bearer realm="bourse"' },
  invalid_token: { "WWW-Authenticate": 'Bearer realm="bourse", error="invalid_token"' },
};

/** The headers of an error envelope: those that its status requires, and `more`. */
function errorHeaders({ code, details }: BourseError, more: HeaderBag): HeaderBag {
  const { retryAfterSeconds, requestId } = details;
  return {
    "Content-Type": "application/json",
    ...EVERY_ANSWER,
    ...more,
    ...CHALLENGES[code],
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    ...(requestId !== undefined && { "X-Request-Id": requestId }),
  };
}

/** The error envelope, with the headers that its status requires. */
export function errorResponse(error: BourseError, headers: HeaderBag = {}): Response {
  return new Response(JSON.stringify(errorEnvelope(error)), {
    status: HTTP_ERRORS[error.code].status,
    headers: errorHeaders(error, headers),
  });
}

/** A serialised error. */
interface ErrorForm {
  readonly body: string;
  readonly shared: SharedHeaders;
  readonly init: { readonly status: number; readonly headers: Headers };
}

/**
 * Answers the errors of one version of the interface. An error object that is thrown again, such as the
 * one of a missing token or of an exhausted quota, is serialised once.
 */
export class ErrorAnswers {
  readonly #fixed: HeaderBag;
  readonly #clock: () => number;
  readonly #log: Log;
  readonly #charged = new WeakMap<BourseError, ErrorForm>();
  readonly #uncharged = new WeakMap<BourseError, ErrorForm>();

  /** @param fixed headers of every answer; `clock` gives UTC milliseconds */
  constructor(fixed: HeaderBag, { clock, log }: { clock: () => number; log: Log }) {
    this.#fixed = fixed;
    this.#clock = clock;
    this.#log = log;
  }

  /** Answers any thrown value. `quota` is null if the quota was not read. */
  answer(thrown: unknown, quota: Quota | null): Response {
    const error = reportError(thrown, this.#log);
    const forms = quota ? this.#charged : this.#uncharged;
    let form = forms.get(error);
    if (!form) forms.set(error, (form = this.#createForm(error)));
    if (quota) form.shared.setQuota(quota, this.#clock());
    return new Response(form.body, form.init);
  }

  #createForm(error: BourseError): ErrorForm {
    const shared = new SharedHeaders(errorHeaders(error, this.#fixed));
    const { status } = HTTP_ERRORS[error.code];
    const body = JSON.stringify(errorEnvelope(error));
    return { body, shared, init: { status, headers: shared.headers } };
  }
}

/** A text as bytes in that encoding. */
function encode(text: string, encoding: Encoding): Blob {
  const bytes = new TextEncoder().encode(text);
  if (encoding === "zstd") return new Blob([new Uint8Array(Bun.zstdCompressSync(bytes))]);
  return new Blob([encoding === "gzip" ? Bun.gzipSync(bytes) : bytes]);
}

/** The headers that say how a body of JSON is encoded. */
function contentHeaders(encoding: Encoding): HeaderBag {
  return {
    "Content-Type": "application/json",
    ...(encoding !== "identity" && { "Content-Encoding": encoding }),
  };
}

/** Answers a request with a JSON document that never changes. It is made when it is first requested. */
export function createDocumentAnswer(
  write: () => string,
  fixed: HeaderBag,
): (request: Request) => Response {
  const document = lazy(() => {
    const text = write();
    return { text, hash: `"${Bun.hash(text).toString(36)}"`, bodies: new Map<Encoding, Blob>() };
  });

  return (request) => {
    const { text, hash, bodies } = document();
    const headers = { ...EVERY_ANSWER, ...fixed, ETag: weakEtag(hash) };
    if (isHeld(request, hash)) return new Response(null, { status: 304, headers });
    const encoding = encodingFor(request, text);
    const body = bodies.get(encoding) ?? encode(text, encoding);
    bodies.set(encoding, body);
    return new Response(body, { headers: { ...headers, ...contentHeaders(encoding) } });
  };
}

/** A cached answer in one form: encoded, or as a 304. */
interface DataForm {
  readonly body: Blob | null;
  readonly shared: SharedHeaders;
  readonly init: { readonly status: number; readonly headers: Headers };
  /** The seconds in the headers at this moment. */
  secondsLeft: number;
  age: number;
}

/** Answers requests for data. Each cached answer is encoded once in each form. */
export class DataAnswers {
  readonly #fixed: HeaderBag;
  readonly #forms = new WeakMap<CachedAnswer, { [F in Encoding | "unchanged"]?: DataForm }>();

  /** @param fixed headers of every answer */
  constructor(fixed: HeaderBag) {
    this.#fixed = fixed;
  }

  /** 200 with the cached answer, or 304 if the client holds it. `now` is in UTC milliseconds. */
  answer(request: Request, cached: CachedAnswer, quota: Quota, now: number): Response {
    let forms = this.#forms.get(cached);
    if (!forms) this.#forms.set(cached, (forms = {}));
    const name = isHeld(request, cached.etag) ? "unchanged" : encodingFor(request, cached.body);
    const form = (forms[name] ??= this.#createForm(cached, name));
    const { headers } = form.init;
    const secondsLeft = Math.max(0, Math.floor((cached.madeAt + CACHE_MS - now) / 1000));
    if (form.secondsLeft !== secondsLeft) {
      form.secondsLeft = secondsLeft;
      headers.set("Cache-Control", `private, max-age=${secondsLeft}`);
    }
    const age = ageSeconds(cached, now);
    if (form.age !== age) {
      form.age = age;
      headers.set("X-Data-Age", String(age));
    }
    form.shared.setQuota(quota, now);
    return new Response(form.body, form.init);
  }

  #createForm(cached: CachedAnswer, name: Encoding | "unchanged"): DataForm {
    const isUnchanged = name === "unchanged";
    const shared = new SharedHeaders({
      ...EVERY_ANSWER,
      ...this.#fixed,
      ETag: weakEtag(cached.etag),
      ...(cached.source !== null && { "X-Data-Source": cached.source }),
      ...(!isUnchanged && contentHeaders(name)),
    });
    return {
      body: isUnchanged ? null : encode(cached.body, name),
      shared,
      init: { status: isUnchanged ? 304 : 200, headers: shared.headers },
      secondsLeft: -1,
      age: -1,
    };
  }
}
