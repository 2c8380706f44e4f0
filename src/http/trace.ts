import type { BourseError } from "#domain/errors.ts";

/** The facts about an answered request, for metrics and the access log. */
export interface Trace {
  /** Where the request came in. `other`: unknown paths, wrong methods and refusals at the gate. */
  via: "rest" | "mcp" | "feed" | "console" | "docs" | "oauth" | "health" | "other";
  /** The operation, the MCP method, the layer of feeds or the document: one of a fixed set of names, never text of the client; empty if unknown. */
  operation: string;
  /** The symbols or the country of the call: `AAPL`; empty if it has none. */
  subject: string;
  /** Why the call was refused; null if it was not, or before its token was known. Over MCP the status can be 200. */
  refusal: BourseError | null;
  /** Null if the request has no valid token. */
  tokenId: number | null;
}

/** No token has this form. */
const SUBJECT = /^[A-Z0-9.^=:,-]{1,40}$/;

/** The symbols or the country of a call with these arguments; empty if it has none. */
export function subjectOf(args: Readonly<Record<string, unknown>>): string {
  const { symbol, symbols, tickers, country } = args;
  const subject = symbol ?? symbols ?? tickers ?? country;
  const isList = Array.isArray(subject) && subject.every((one) => typeof one === "string");
  const text = isList ? subject.join() : subject;
  return typeof text === "string" && SUBJECT.test(text) ? text : "";
}

/** The server, which knows the address of a request's socket; null after the connection was closed. */
export interface AddressSource {
  requestIP(request: Request): { readonly address: string } | null;
}

/** Watches answered requests. `stopwatch` gives milliseconds from any start and never goes back. */
export interface RequestObserver {
  readonly stopwatch: () => number;
  /**
   * Called with each answer.
   *
   * @param ms the time until the answer began, in milliseconds
   * @param server knows the address of the socket while the connection is open
   */
  finished(trace: Trace, status: number, ms: number, request: Request, server: AddressSource): void;
}
