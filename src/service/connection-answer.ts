import { isObject } from "#mcp/json-rpc.ts";
import { parseJson } from "#lib/json.ts";
import { reasonOf } from "#lib/reason.ts";
import { toVisibleLine } from "#lib/visible-line.ts";

/** Longer answers are cut. */
const MAX_BYTES = 256 * 1024;
/** Longer foreign texts are cut. */
const MAX_QUOTED = 400;

/** An answer to a request of a check. */
export interface ProbeAnswer {
  /** 0 if no answer came. */
  readonly status: number;
  readonly headers: Headers;
  /** The body; why no answer came if there is none. */
  readonly text: string;
  /** The body as a JSON object; empty if it is something else. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** Reads that many pieces of an answer, or what came in its place. */
export async function readAnswer(sent: Promise<Response>, pieces: number): Promise<ProbeAnswer> {
  try {
    const response = await sent;
    const text = await readText(response, pieces);
    const json = parseJson(text);
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isObject(json) ? json : {},
    };
  } catch (error) {
    return { status: 0, headers: new Headers(), text: reasonOf(error), json: {} };
  }
}

async function readText({ body }: Response, pieces: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    chunks.push(chunk);
    if (length > MAX_BYTES || chunks.length === pieces) break;
  }
  return Buffer.concat(chunks).toString();
}

/** Foreign text as one short visible line. */
export function quote(text: string): string {
  const shown = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  return toVisibleLine(shown);
}

/** A text in an answer's JSON, by its names; empty if there is none: `textIn(json, "error", "code")`. */
export function textIn(json: unknown, ...names: readonly string[]): string {
  const value = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), json);
  return typeof value === "string" ? value : "";
}

/** What to do about an answer that bourse did not write, in sentences. */
export function describeStranger({ status, headers, text }: ProbeAnswer, path: string): string {
  if (status === 0) return `${path} has no answer: ${quote(text)}. Read the log of the proxy.`;
  const location = headers.get("location");
  if (status >= 300 && status < 400 && location !== null)
    return `${path} leads to ${quote(withoutQuery(location))}, and clients do not follow. Set BOURSE_PUBLIC_URL to the address that answers itself, or remove the redirect.`;
  if ([502, 503, 504].includes(status))
    return `${path} answers with status ${status}: the proxy does not reach bourse. Check that bourse runs, and its address in the settings of the proxy.`;
  const challenge = headers.get("www-authenticate") ?? "";
  if (status === 401 && !/^bearer/i.test(challenge))
    return `${path} is behind a sign-in of the proxy (${quote(challenge.split(" ")[0] ?? "") || "401"}). Switch it off for /api, /oauth, /.well-known and /console: bourse asks for tokens itself.`;
  const server = headers.get("server");
  const who = server === null ? "another program" : quote(server);
  const advice =
    status === 403
      ? "Allow programs there: protection against robots refuses claude.ai and ChatGPT."
      : "Let the proxy pass it to bourse.";
  return `${path} is answered by ${who} with status ${status}. ${advice}`;
}

/** A redirect can carry a code in its query. */
const withoutQuery = (location: string) => location.replace(/[?#].*$/s, "");
