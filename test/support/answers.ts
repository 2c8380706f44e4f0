import { answerOf } from "#sources/source-client.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";

/** What a played source answers: a body, or a body with a status and headers. */
export type PlayedAnswer =
  | string
  | Uint8Array
  | { status?: number; body: string | Uint8Array; headers?: Record<string, string> };

/** A request as it was asked. */
export interface AskedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** How old an answer may be; undefined for an answer of now. */
  readonly maxAgeMs?: number | undefined;
}

/**
 * A client whose source answers out of a table: the first entry whose key is a part of the address.
 * An address that no entry fits is unreachable. `asked` keeps every request.
 */
export function answersFrom(
  table: Readonly<Record<string, PlayedAnswer>>,
  options: { key?: string; source?: string } = {},
): SourceClient & { asked: AskedRequest[] } {
  const source = options.source ?? "played";
  const asked: AskedRequest[] = [];
  return {
    asked,
    key: options.key ?? null,
    async request(
      url,
      { method = "GET", headers = {}, body = null as string | null, accept = [], maxAgeMs } = {},
    ) {
      asked.push({ url, method, headers, body: body ?? null, maxAgeMs });
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
