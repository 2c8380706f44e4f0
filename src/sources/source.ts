import { toVisibleLine } from "#lib/visible-line.ts";
import { groupRefusals, type Refusal } from "./refusal.ts";

/**
 * How requests name the program in their User-Agent, in order: if a host refuses one, the next one is sent.
 * `program`: the program, with the operator's contact if it is set. `contact`: the program and the operator's
 * email address, without which no request is sent. `browser`: a browser's name with the program, because the
 * host refuses plain programs, then a browser's name alone. `page`: the same two, the browser's name first.
 */
export type UserAgent = "program" | "contact" | "browser" | "page";

/** A way in to a source: a host, and what a request there needs. */
export interface Door {
  /** The name of the host: `api.stlouisfed.org`. */
  readonly host: string;
  /** True if it is used only with the key of the source. */
  readonly needsKey?: true;
  /** The maximum number of requests a second; the source's if absent. */
  readonly requestsPerSecond?: number;
}

/**
 * A public source of data: its name, its terms, and the limits within which it is called. Each
 * folder declares its source; `source-client.ts` enforces the limits.
 */
export interface SourceSpec {
  /** The name in answers, logs and settings: `sec`. */
  readonly name: string;
  /** False if no licence offers the data: for personal use, throttled, replaceable. */
  readonly official: boolean;
  /** Its terms in one line. */
  readonly terms: string;
  /** True if the terms allow to pass the records on, with the source's name where they ask for it. */
  readonly isRedistributable?: true;
  /** What it provides, in one line. */
  readonly fills: string;
  /** The maximum number of requests a second. */
  readonly requestsPerSecond: number;
  /** The maximum number of concurrent requests; 1 if absent. */
  readonly concurrency?: number;
  /** The wait after a 429 without `Retry-After`; absent if the source documents none. */
  readonly tooManyRequestsMs?: number;
  readonly timeoutMs: number;
  /** The maximum size of an answer. A larger one is an error. */
  readonly maxBytes: number;
  /** `program` if absent. */
  readonly userAgent?: UserAgent;
  /** The ways in to the same records, in order: see `throughDoors`. Absent if there is one. */
  readonly doors?: readonly Door[];
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True if its records are part of the program, so that it makes no request and never fails. */
  readonly isLocal?: true;
  /** True if it is only called if `BOURSE_SOURCES` names it, because its terms are unknown. */
  readonly isOffByDefault?: true;
  /** The environment variable that holds its key. */
  readonly key?: { readonly variable: string; readonly required: boolean };
}

/** A declared source. */
export interface Source extends SourceSpec {
  readonly concurrency: number;
  readonly userAgent: UserAgent;
  /** An error of this source, to be thrown. */
  readonly error: (fault: SourceFault, reason: string) => SourceError;
}

/** Declares a source. */
export function defineSource(spec: SourceSpec): Source {
  const usual = { concurrency: 1, userAgent: "program" } as const;
  return { ...usual, ...spec, error: (fault, reason) => new SourceError(spec.name, fault, reason) };
}

/** An answer of a source with its whole body. */
export interface SourceAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The bytes as UTF-8. */
  text(): string;
  /** The text as JSON. @throws SourceError `invalid_answer` if it is not JSON */
  json(): Promise<unknown>;
}

/** The parts of a request other than its address; a GET by default. */
export interface SourceRequest {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Statuses other than 200 that are answers, not failures, such as 404 or 401. */
  readonly accept?: readonly number[];
  /**
   * The name of a part of the host that refuses alone: its breaker is its own, the throttle is the host's.
   */
  readonly part?: string;
  /**
   * `lines` for a table whose last line has an end, `cells` for a table that may end without it, `page` for a web
   * page, `workbook` for a file of Excel. Absent for any other form, which shows itself.
   */
  readonly form?: "lines" | "cells" | "page" | "workbook";
  /**
   * How an answer refuses that has an accepted status: `disguised` for another page or token, `cut` for a part, or the
   * status that its body has. Null if it does not refuse.
   */
  readonly refusal?: (answer: SourceAnswer) => "disguised" | "cut" | number | null;
  /**
   * How old an answer may be, in milliseconds: a younger one is reused without a request, and
   * concurrent requests for the same answer share one. If absent, a request is made each time.
   */
  readonly maxAgeMs?: number;
}

/** Calls one source within its limits. */
export interface SourceClient {
  /** The source's key, or null if none is set. */
  readonly key: string | null;
  /**
   * Requests an absolute `https:` address of the source. A configured mirror replaces its host; path and
   * query follow the mirror's own path.
   *
   * @throws SourceError
   */
  request(url: string, request?: SourceRequest): Promise<SourceAnswer>;
  /** True if the host refused lately, so that other doors are tried before it; absent if nothing is known. */
  readonly isClosed?: (host: string) => boolean;
}

/** The reason why a source gave no data. */
export type SourceFault =
  /** No connection, a time-out, a 5xx, too many requests: it may work later. */
  | "unreachable"
  /** It answered, but not in its documented form; nothing is stored. */
  | "invalid_answer"
  /** It does not know the subject of the request. */
  | "nothing"
  /** It was not called: switched off, no contact or key set, or blocked after failures. */
  | "not_asked";

/** A source gave no data. The message names the source and the reason, never a key. */
export class SourceError extends Error {
  readonly source: string;
  readonly fault: SourceFault;
  /** The time after which a retry can help; null if waiting alone does not help. */
  readonly retryAfterMs: number | null;
  /** How a host refused; null for any other reason, and if several did. */
  readonly refusal: Refusal | null;
  /** How all hosts refused; empty if there is any other reason. */
  readonly refusals: readonly Refusal[];
  /** The message without the name of the source. */
  readonly words: string;

  /** @param reason words without the name of the source, or the refusals of hosts */
  constructor(
    source: string,
    fault: SourceFault,
    reason: string | Refusal | readonly Refusal[],
    retryAfterMs: number | null = null,
  ) {
    const refusals = typeof reason === "string" ? [] : [reason].flat();
    const grouped = groupRefusals(refusals).map((one) => one.words);
    // A reason can name parts of an answer, such as its keys.
    const words = toVisibleLine(typeof reason === "string" ? reason : grouped.join("; "));
    super(`${source}: ${words}`);
    this.words = words;
    this.source = source;
    this.fault = fault;
    this.retryAfterMs = retryAfterMs;
    this.refusals = refusals;
    this.refusal = refusals.length === 1 ? (refusals[0] ?? null) : null;
  }

  /** True if the source's other requests fail as well: bourse stops, or a setting is missing. */
  get concernsAll(): boolean {
    return this.fault === "not_asked" && !this.retryAfterMs;
  }
}
