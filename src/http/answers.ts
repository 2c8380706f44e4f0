import type { Quota } from "#access/quota.ts";
import type { BourseError, ErrorCode } from "#domain/errors.ts";
import { type Awaitable, whenKnown } from "#lib/awaitable.ts";
import type { Log } from "#lib/log.ts";
import { Memo } from "#lib/memo.ts";
import type { CachedAnswer } from "#operations/execute.ts";
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
import type { Trace } from "./trace.ts";

const CHALLENGES: { [Code in ErrorCode]?: string } = {
  missing_auth: 'Bearer realm="bourse"',
  invalid_token: 'Bearer realm="bourse", error="invalid_token"',
};

/** The headers of an error envelope: those that its status requires, and `more`. */
export function errorHeaders(
  { code, details }: BourseError,
  more: HeaderBag,
  challengeMore = "",
): HeaderBag {
  const { retryAfterSeconds, requestId, scope } = details;
  // RFC 6750 section 3.1: how a client of OAuth learns what to ask for.
  const challenge =
    scope === undefined
      ? CHALLENGES[code]
      : `Bearer realm="bourse", error="insufficient_scope", scope="${scope}"`;
  return {
    "Content-Type": "application/json",
    ...EVERY_ANSWER,
    ...more,
    ...(challenge !== undefined && { "WWW-Authenticate": challenge + challengeMore }),
    ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
    ...(requestId !== undefined && { "X-Request-Id": requestId }),
  };
}

/** An answer with the headers that the error's status requires. @param body JSON text; the error envelope by default */
export function errorResponse(
  error: BourseError,
  headers: HeaderBag = {},
  body = JSON.stringify(errorEnvelope(error)),
): Response {
  return new Response(body, {
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

/** The dependencies of `ErrorAnswers`. */
export interface ErrorAnswersParts {
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

/**
 * Answers the errors of one version of the interface. An error object that is thrown again, such as the
 * one of a missing token or of an exhausted quota, is serialised once.
 */
export class ErrorAnswers {
  readonly #fixed: HeaderBag;
  readonly #challengeMore: string;
  readonly #clock: () => number;
  readonly #log: Log;
  readonly #charged = new WeakMap<BourseError, ErrorForm>();
  readonly #uncharged = new WeakMap<BourseError, ErrorForm>();

  /**
   * @param fixed headers of every answer
   * @param challengeMore the end of `WWW-Authenticate`, after our own parameters
   */
  constructor(fixed: HeaderBag, { clock, log }: ErrorAnswersParts, challengeMore = "") {
    this.#fixed = fixed;
    this.#challengeMore = challengeMore;
    this.#clock = clock;
    this.#log = log;
  }

  /** Answers any thrown value and notes it in the trace. `quota` is null if the quota was not read. */
  answer(thrown: unknown, quota: Quota | null, trace: Trace | null): Response {
    const error = reportError(thrown, this.#log);
    if (trace) trace.refusal = error;
    const forms = quota ? this.#charged : this.#uncharged;
    let form = forms.get(error);
    if (!form) forms.set(error, (form = this.#createForm(error)));
    if (quota) form.shared.setQuota(quota, this.#clock());
    return new Response(form.body, form.init);
  }

  #createForm(error: BourseError): ErrorForm {
    const shared = new SharedHeaders(errorHeaders(error, this.#fixed, this.#challengeMore));
    const { status } = HTTP_ERRORS[error.code];
    const body = JSON.stringify(errorEnvelope(error));
    return { body, shared, init: { status, headers: shared.headers } };
  }
}

/** The bytes, or the text in UTF-8, in that encoding. */
export function encode(content: string | Uint8Array<ArrayBuffer>, encoding: Encoding): Blob {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  if (encoding === "zstd") return new Blob([new Uint8Array(Bun.zstdCompressSync(bytes))]);
  return new Blob([encoding === "gzip" ? Bun.gzipSync(bytes) : bytes]);
}

/** A longer body is compressed beside the event loop: gzip takes 40 ms for a megabyte. */
const MAX_SYNC_LENGTH = 128 * 1024;

/** A body of up to so many characters costs less as text. A longer one is converted to bytes once. */
const MAX_TEXT_LENGTH = 4_096;

/** Like `encode`; the text itself if it is short and not compressed, and a promise for a large body that is compressed. */
function encodeAny(text: string, encoding: Encoding): Awaitable<Blob | string> {
  if (encoding === "identity" && text.length <= MAX_TEXT_LENGTH) return text;
  if (encoding === "identity" || text.length <= MAX_SYNC_LENGTH) return encode(text, encoding);
  const bytes = new TextEncoder().encode(text);
  if (encoding === "zstd")
    return Bun.zstdCompress(bytes).then((packed) => new Blob([new Uint8Array(packed)]));
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Response(packed).blob();
}

/** The headers of a body: its type and its encoding. */
export function contentHeaders(type: string, encoding: Encoding): HeaderBag {
  return { "Content-Type": type, ...(encoding !== "identity" && { "Content-Encoding": encoding }) };
}

/** Clients name the service in few ways. Each document is kept with its compressed bodies. */
const MAX_DOCUMENTS = 16;

/**
 * Answers requests with a JSON document that never changes, made for a key such as the address of the service. It is made
 * when it is first requested.
 */
export function createDocumentAnswer(
  write: (key: string) => string,
  fixed: HeaderBag,
): (request: Request, key: string) => Response {
  const documents = new Memo<{ text: string; hash: string; bodies: Map<Encoding, Blob> }>(
    MAX_DOCUMENTS,
  );
  const make = (key: string) => {
    const text = write(key);
    return { text, hash: `"${Bun.hash(text).toString(36)}"`, bodies: new Map<Encoding, Blob>() };
  };

  return (request, key) => {
    const { text, hash, bodies } = documents.get(key, () => make(key));
    const headers = { ...fixed, ETag: weakEtag(hash) };
    if (isHeld(request, hash)) return new Response(null, { status: 304, headers });
    const encoding = encodingFor(request, text.length);
    const body = bodies.get(encoding) ?? encode(text, encoding);
    bodies.set(encoding, body);
    return new Response(body, {
      headers: { ...headers, ...contentHeaders("application/json", encoding) },
    });
  };
}

/** Answers requests for data in one content type. Each cached answer is encoded once in each encoding. */
export class DataAnswers {
  readonly #unchanged: SharedHeaders;
  readonly #encoded: Readonly<Record<Encoding, SharedHeaders>>;
  readonly #bodies = new WeakMap<CachedAnswer, { [E in Encoding]?: Awaitable<Blob | string> }>();

  /** @param all headers of every answer */
  constructor(contentType: string, all: HeaderBag) {
    const encoded = (encoding: Encoding) =>
      new SharedHeaders({ ...all, ...contentHeaders(contentType, encoding) });
    this.#unchanged = new SharedHeaders(all);
    this.#encoded = { zstd: encoded("zstd"), gzip: encoded("gzip"), identity: encoded("identity") };
  }

  /**
   * The cached answer, or 304 if the client holds it; a promise while a large body is compressed. `quota` is null if the call is not counted; `now` is in
   * UTC milliseconds.
   */
  answer(
    request: Request,
    cached: CachedAnswer,
    quota: Quota | null,
    now: number,
    status = 200,
  ): Awaitable<Response> {
    if (isHeld(request, cached.etag)) {
      const { headers } = withData(this.#unchanged, cached, quota, now);
      return new Response(null, { status: 304, headers });
    }
    const encoding = encodingFor(request, cached.body.length);
    return whenKnown(this.#body(cached, encoding), (body) => {
      // Other answers have changed the shared headers during the compression.
      const { headers } = withData(this.#encoded[encoding], cached, quota, now);
      return new Response(body, { status, headers });
    });
  }

  #body(cached: CachedAnswer, encoding: Encoding): Awaitable<Blob | string> {
    let bodies = this.#bodies.get(cached);
    if (!bodies) this.#bodies.set(cached, (bodies = {}));
    const known = bodies[encoding];
    if (known) return known;
    const made = encodeAny(cached.body, encoding);
    bodies[encoding] = made;
    return whenKnown(made, (body) => (bodies[encoding] = body));
  }
}

function withData(
  shared: SharedHeaders,
  cached: CachedAnswer,
  quota: Quota | null,
  now: number,
): SharedHeaders {
  shared.setData(cached, now);
  return quota ? shared.setQuota(quota, now) : shared;
}
