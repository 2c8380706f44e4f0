import type { BourseError } from "#domain/errors.ts";
import type { OperationName, PayloadOf } from "#operations/index.ts";

/** Calls an operation of the service and returns its payload. @throws BourseError */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  args: Readonly<Record<string, unknown>>,
) => Promise<PayloadOf<Name>>;

/** A message of an alert, in the words of its user. */
export interface FeedMessage {
  readonly id: string;
  /** UTC milliseconds. */
  readonly at: number;
  readonly kind: string;
  /** One line. */
  readonly title: string;
  /** Plain text; empty if the title says all. */
  readonly body: string;
  /** The address of its page in the console; null if the address of the service is not known. */
  readonly link: string | null;
}

/** The messages of a user, for a link that reads them. */
export interface FeedMessages {
  /** What distinguishes the messages of this link from others. */
  readonly owner: string;
  readonly newest: readonly FeedMessage[];
}

/** A request to a layer, without the secret. */
export interface FeedRequest {
  /** The parts of the path that the route names, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly call: CallOperation;
  /** When the newest record of a payload of `call` was stored, UTC milliseconds; 0 without records. */
  readonly changedAt: (payload: object) => number;
  /** The JSON body of a POST; null without one. */
  readonly posted: unknown;
  /** The newest messages of the user's alerts. @throws BourseError `forbidden` if the link does not read them */
  readonly messages: (limit: number) => Promise<FeedMessages>;
  /** What the caller has used of its calls, with this one. */
  readonly usage: FeedUsage;
  /** UTC milliseconds. */
  readonly now: number;
}

/** The calls of a feed link in its windows. */
export interface FeedUsage {
  readonly plan: string;
  readonly hour: { readonly used: number; readonly limit: number };
  readonly day: { readonly used: number; readonly limit: number };
}

/** Answers the requests of a path. */
export type FeedRoute = (request: FeedRequest) => Promise<FeedBody>;

/** The body of an answer and its content type. */
export interface FeedBody {
  readonly type: string;
  readonly body: string;
  /** The HTTP status of an answer that is no error to us, but one to the layer's clients; 200 if left out. */
  readonly status?: number;
  /** The value of `Set-Cookie`, for clients that want one before they ask. It holds no secret. */
  readonly cookie?: string;
}

/** A request that is answered with an error. */
export interface FailedRequest {
  /** The path below the layer, without a slash before it. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * The interface of another program or service, made of calls of our operations. It has no figures of its
 * own, so the operations give cache, quota, source and age.
 */
export interface FeedLayer {
  /** The segment of the path after `/feed/`: `yahoo`. */
  readonly name: string;
  /** What it is compatible with, for people: `Yahoo's chart API`. */
  readonly title: string;
  /** What answers each path below the layer. `:name` stands for one segment. */
  readonly routes: Readonly<Record<string, FeedRoute>>;
  /** What answers POST requests, if any. */
  readonly posts?: Readonly<Record<string, FeedRoute>>;
  /**
   * The names of the operations' arguments in the layer, where they differ, for errors: `{ metrics: ["fields"] }`. Of
   * several names, the one in the query is meant, else the first.
   */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** An error in the form that clients of the layer read. `status` is the HTTP status by our contract. */
  readonly fail: (error: BourseError, status: number, request: FailedRequest) => FeedBody;
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  503: "Service Unavailable",
};

/** The words of an HTTP status: `Not Found`. */
export function statusText(status: number): string {
  return STATUS_TEXTS[status] ?? "Internal Server Error";
}

/** A JSON body. */
export function jsonBody(value: unknown, status?: number): FeedBody {
  const body = JSON.stringify(value);
  return { type: "application/json", body, ...(status !== undefined && { status }) };
}

/** A body of plain text. */
export function textBody(body: string): FeedBody {
  return { type: "text/plain; charset=utf-8", body };
}

/** A body of CSV. */
export function csvBody(body: string): FeedBody {
  return { type: "text/csv; charset=utf-8", body };
}
