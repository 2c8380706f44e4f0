import { expect, test } from "bun:test";
import { connect } from "node:net";
import { fillMarket } from "./contract-market.ts";
import { startService, type TestService, type TestServiceOptions } from "./service.ts";

export const QUOTA_HEADERS = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "ratelimit-policy",
  "ratelimit",
];

/** The categories of macro indicators, as in the contract. */
export const CATEGORIES =
  "gdp labor prices money consumer housing business trade government energy".split(" ");

/** The type and the code of the error envelope for each kind of refusal, as in the contract's table. */
const REFUSALS = {
  invalid: ["invalid_request", "INVALID_REQUEST"],
  missingAuth: ["authentication_error", "MISSING_AUTH"],
  invalidToken: ["authentication_error", "INVALID_TOKEN"],
  notFound: ["not_found", "NOT_FOUND"],
  rateLimited: ["rate_limit_error", "RATE_LIMIT_EXCEEDED"],
  internal: ["server_error", "INTERNAL"],
} as const;

/** A service with a token, on the hand-made market of `contract-market.ts`. */
export async function startHandMade(options: Omit<TestServiceOptions, "sample"> = {}) {
  const service = await startService({ ...options, sample: false });
  fillMarket(service.market);
  return { service, ...service.createToken("max") };
}

/** The caller: a valid token, no token, or a given header. */
export type Caller = "live" | "none" | { readonly authorization: string };

/** A request and the expectations of its answer. */
export interface Exchange {
  readonly name: string;
  /** `GET` by default. */
  readonly method?: string;
  /** Below the mount of v1. */
  readonly path: string;
  readonly caller?: Caller;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly status: number;
  /** The kind of error envelope; none by default. */
  readonly refusal?: keyof typeof REFUSALS;
  /** Texts that the message must contain, in this order. */
  readonly says?: readonly string[];
  /** Header to exact value, or to a pattern. */
  readonly present?: Record<string, string | RegExp>;
  readonly absent?: readonly string[];
  /** True if the call counts against the quota; true by default. */
  readonly charged?: boolean;
  /** True if the answer has the quota's headers; same as `charged` by default. */
  readonly quotaHeaders?: boolean;
}

/** Makes one test of each exchange. `world` is read when the test runs. */
export function testExchanges(
  world: () => { service: TestService; token: string; id: number },
  exchanges: readonly Exchange[],
): void {
  test.each(exchanges.map((exchange) => [exchange.name, exchange] as const))(
    "%s",
    async (_, exchange) => {
      const { service, token, id } = world();
      const used = () => service.used(id);
      const before = await used();
      const response = await send(service, token, exchange);
      const body = await response.text();

      expect({ status: response.status, body: body.slice(0, 500) }).toMatchObject({
        status: exchange.status,
      });
      expectEveryAnswer(response);
      const charged = exchange.charged ?? true;
      expect((await used()) - before).toBe(charged ? 1 : 0);
      expect(QUOTA_HEADERS.filter((name) => response.headers.has(name))).toEqual(
        (exchange.quotaHeaders ?? charged) ? QUOTA_HEADERS : [],
      );
      for (const [name, value] of Object.entries(exchange.present ?? {})) {
        if (value instanceof RegExp) expect(response.headers.get(name)).toMatch(value);
        else expect(response.headers.get(name)).toBe(value);
      }
      const absent = exchange.absent ?? [];
      expect(absent.filter((name) => response.headers.has(name))).toEqual([]);
      if (exchange.refusal && exchange.method !== "HEAD") {
        const message = expectErrorEnvelope(body, exchange.refusal);
        let from = 0;
        for (const words of exchange.says ?? []) {
          const at = message.indexOf(words, from);
          expect(at < 0 ? `"${message}" does not contain "${words}"` : "said").toBe("said");
          from = at + words.length;
        }
      }
    },
  );
}

function send(service: TestService, token: string, exchange: Exchange): Promise<Response> {
  const { caller = "live", path, method = "GET", headers = {}, body } = exchange;
  const init: RequestInit = {
    method,
    headers: {
      ...headers,
      ...(typeof caller === "object" && { authorization: caller.authorization }),
    },
    ...(body !== undefined && { body }),
  };
  return service.request(path, caller === "live" ? token : null, init);
}

/** Checks the rules for every answer. */
export function expectEveryAnswer(response: Response): void {
  const { headers, status } = response;
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.has("access-control-allow-credentials")).toBe(false);
  // Only internal failures are in the log, with a request id.
  if (status < 500) expect(headers.has("x-request-id")).toBe(false);
  if (![202, 204, 304].includes(status)) {
    expect(headers.get("content-type")).toMatch(/^application\/json\b/);
  }
  expect({ retryAfter: headers.has("retry-after") }).toEqual({
    retryAfter: status === 429 || status === 503,
  });
  expect({ allow: headers.has("allow") }).toEqual({ allow: status === 405 });
  expect({ challenge: headers.has("www-authenticate") }).toEqual({ challenge: status === 401 });
}

/** Checks that a body is the error envelope and nothing else, and returns its message. */
export function expectErrorEnvelope(body: string, refusal: keyof typeof REFUSALS): string {
  const parsed = JSON.parse(body) as { error: Record<string, unknown> };
  expect(Object.keys(parsed)).toEqual(["error"]);
  const { type, code, message, param, allowed, hint, ...more } = parsed.error;
  expect([type, code]).toEqual([...REFUSALS[refusal]]);
  expect(more).toEqual({});
  expect(typeof message === "string" && message.length > 0).toBe(true);
  if (param !== undefined) expect(param).toBeString();
  if (hint !== undefined) expect(hint).toBeString();
  if (allowed !== undefined) expect(allowed).toBeArray();
  return String(message);
}

/**
 * Sends bytes over a new socket and returns the whole first answer, for requests that `fetch` refuses
 * to send. Null if the server closed the connection without an answer.
 */
export function sendRaw(
  service: TestService,
  request: string | readonly (string | Uint8Array)[],
): Promise<{ status: number; headers: Headers; body: string } | null> {
  const port = Number(new URL(service.base).port);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => {
      for (const part of typeof request === "string" ? [request] : request) socket.write(part);
    });
    const settle = (outcome: ReturnType<typeof parseAnswer>) => {
      resolve(outcome);
      socket.destroy();
    };
    socket.setTimeout(120_000, () => {
      reject(new Error(`no answer; received ${JSON.stringify(received)}`));
      socket.destroy();
    });
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      const answer = parseAnswer(received);
      if (answer) settle(answer);
    });
    socket.on("error", () => settle(parseAnswer(received)));
    socket.on("close", () => settle(parseAnswer(received)));
  });
}

function parseAnswer(text: string) {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const length = Number(headers.get("content-length") ?? 0);
  const body = text.slice(end + 4);
  return body.length < length
    ? null
    : { status: Number(statusLine.split(" ")[1]), headers, body: body.slice(0, length) };
}
