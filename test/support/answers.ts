import { answerOf } from "#sources/source-response.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";

/** The answer of a played source: a body, or a body with a status and headers. */
export type PlayedAnswer =
  | string
  | Uint8Array
  | { status?: number; body: string | Uint8Array; headers?: Record<string, string> };

/** A request to the client. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The maximum age of the answer; undefined for a new answer. */
  readonly maxAgeMs?: number | undefined;
}

/**
 * A client whose source answers from a table, with the first entry whose key is a part of the address.
 * An address without an entry is unreachable. `requests` has every request.
 */
export function answersFrom(
  table: Readonly<Record<string, PlayedAnswer>>,
  options: { key?: string; source?: string } = {},
): SourceClient & { requests: SentRequest[] } {
  const source = options.source ?? "played";
  const requests: SentRequest[] = [];
  return {
    requests,
    key: options.key ?? null,
    async request(
      url,
      { method = "GET", headers = {}, body = null as string | null, accept = [], maxAgeMs } = {},
    ) {
      requests.push({ url, method, headers, body: body ?? null, maxAgeMs });
      const played = Object.entries(table).find(([part]) => url.includes(part))?.[1];
      if (played === undefined)
        throw new SourceError(source, "unreachable", `no answer for ${url}`);
      const whole =
        typeof played === "string" || played instanceof Uint8Array ? { body: played } : played;
      const status = whole.status ?? 200;
      if (status !== 200 && !accept.includes(status)) {
        throw new SourceError(source, status === 404 ? "nothing" : "unreachable", `HTTP ${status}`);
      }
      const bytes =
        typeof whole.body === "string" ? new TextEncoder().encode(whole.body) : whole.body;
      return answerOf({ name: source }, { status, headers: new Headers(whole.headers) }, bytes);
    },
  };
}
