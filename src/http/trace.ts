/** The facts about an answered request, for metrics and the access log. */
export interface Trace {
  /** Where the request came in. `other`: unknown paths, wrong methods and refusals at the gate. */
  via: "rest" | "mcp" | "feed" | "console" | "docs" | "oauth" | "health" | "other";
  /** The operation, the MCP method, the layer of feeds or the document: one of a fixed set of names, never text of the client; empty if unknown. */
  operation: string;
  /** Null if the request has no valid token. */
  tokenId: number | null;
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
