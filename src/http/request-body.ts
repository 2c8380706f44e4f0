import { BourseError, invalidArgument, unavailable } from "#domain/errors.ts";
import { LATE, SharedDeadline } from "#lib/deadline.ts";
import { ANSWER_MS } from "./time-limits.ts";

/** Of a body that is not read. */
const MAX_IGNORED_MIB = 10;
/** A body of this length is always read. */
const SMALL_BYTES = 64 * 1024;
/** The bytes of all larger bodies that arrive at once. */
const MAX_ARRIVING_BYTES = 64 * 2 ** 20;

const TOO_SLOW = invalidArgument(
  `The body is incomplete after ${ANSWER_MS / 1_000} seconds. Send it again over a faster connection.`,
);
/** The time that a body may take. */
const BODY_TIME = new SharedDeadline(ANSWER_MS);
const BUSY = unavailable("Too many large bodies arrive at once. Send it again in a few seconds.", {
  retryAfterSeconds: 5,
});

/** @throws BourseError `unsupported_media_type` unless the body is JSON */
export function refuseOtherTypes(request: Request): void {
  const type = request.headers.get("content-type") ?? "";
  if (/^application\/json\s*(;|$)/i.test(type)) return;
  throw new BourseError(
    "unsupported_media_type",
    "Send the header `Content-Type: application/json`.",
  );
}

/**
 * Reads a request's body. A body that declares too large a length is refused before it is read, one that
 * grows too large as soon as it does.
 *
 * @param time how long it may take
 * @throws BourseError `payload_too_large`; `invalid_argument` if the client has gone or needs longer;
 * `unavailable` if too many large bodies arrive at once
 */
export function readBody(
  request: Request,
  maxBytes: number,
  time: SharedDeadline = BODY_TIME,
): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  // A body cannot grow beyond the length that it declares.
  const isSmall = declared !== null && Number(declared) <= Math.min(SMALL_BYTES, maxBytes);
  if (!isSmall) return readLarge(request, Number(declared ?? 0), maxBytes, time);
  // Without `async`: it would cost as much as the timer did.
  return time.watch(request.bytes(), (thrown) => explain(thrown, request));
}

async function readLarge(
  request: Request,
  declared: number,
  maxBytes: number,
  time: SharedDeadline,
): Promise<Uint8Array> {
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const chunks = request.body && new BodyChunks(request.body, maxBytes);
  try {
    const read = chunks?.read() ?? request.bytes();
    return await time.watch(read, (thrown) => explain(thrown, request));
  } finally {
    chunks?.end();
  }
}

/** The error of a body that could not be read. */
function explain(thrown: unknown, { signal }: Request): unknown {
  // No client reads this, and the service did not fail.
  if (signal.aborted) return invalidArgument("The body is incomplete.");
  return thrown === LATE ? TOO_SLOW : thrown;
}

/** The bytes of all large bodies that are arriving now. */
let arriving = 0;

interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array }>;
  cancel(): Promise<void>;
}

/** A body that may be large. */
class BodyChunks {
  readonly #reader: BodyReader;
  readonly #maxBytes: number;
  #length = 0;
  #hasEnded = false;

  constructor(body: ReadableStream<Uint8Array>, maxBytes: number) {
    this.#reader = body.getReader() as BodyReader;
    this.#maxBytes = maxBytes;
  }

  async read(): Promise<Uint8Array> {
    // A client may send each byte as a chunk of its own, which would take a hundred bytes if it were kept.
    const body = new Bun.ArrayBufferSink();
    body.start({ asUint8Array: true });
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done || !value || this.#hasEnded) return body.end() as Uint8Array;
      this.#length += value.length;
      arriving += value.length;
      if (this.#length > this.#maxBytes) throw tooLarge(this.#maxBytes);
      if (arriving > MAX_ARRIVING_BYTES && this.#length > SMALL_BYTES) throw BUSY;
      body.write(value);
    }
  }

  /** Reads no further. */
  end(): void {
    this.#hasEnded = true;
    arriving -= this.#length;
    this.#reader.cancel().catch(() => {});
  }
}

function tooLarge(maxBytes: number): BourseError {
  const size = maxBytes >= 2 ** 20 ? `${maxBytes / 2 ** 20} MiB` : `${maxBytes / 1024} KiB`;
  return new BourseError("payload_too_large", `The request body is larger than ${size}.`);
}

/**
 * Checks the body of a GET, which is ignored.
 *
 * @throws BourseError `payload_too_large` if the request declares too large a body, or a body without a
 * length: Bun discards the body of a GET, so it cannot be counted
 */
export function refuseLargeBody({ headers }: Request): void {
  const length = headers.get("content-length");
  if (length !== null && Number(length) > MAX_IGNORED_MIB * 2 ** 20) {
    throw tooLarge(MAX_IGNORED_MIB * 2 ** 20);
  }
  if (length === null && headers.has("transfer-encoding")) {
    throw new BourseError(
      "payload_too_large",
      `The length of the request body is unknown. Send no body, or one with Content-Length of at most ${MAX_IGNORED_MIB} MiB.`,
    );
  }
}
