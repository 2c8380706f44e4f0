import createClient from "openapi-fetch";
// The making of the package writes both: `src/deploy/typescript-client.ts`.
import type { components, paths } from "./schema.ts";
import { TABLE_PATHS } from "./tables.ts";

export type { components, paths };

const PREFIX = "/api/v1/svc/data";

/** A path below `/api/v1/svc/data`: `/stocks/{symbol}/overview`. */
export type BoursePath = keyof paths extends infer Path
  ? Path extends `${typeof PREFIX}${infer Short}`
    ? Short
    : never
  : never;

type Route<Path extends BoursePath> = paths[`${typeof PREFIX}${Path}`]["get"];

/** The arguments of a path: `path` and `query`. */
export type BourseArguments<Path extends BoursePath> = Pick<
  Route<Path>["parameters"],
  Extract<keyof Route<Path>["parameters"], "path" | "query">
> & {
  /** Cancels the call. */
  readonly signal?: AbortSignal;
};

/** The payload of a path. */
export type BoursePayload<Path extends BoursePath> =
  Route<Path>["responses"][200]["content"]["application/json"]["data"];

/** Left out if the path needs no arguments. */
type Rest<Arguments> = object extends Arguments ? [given?: Arguments] : [given: Arguments];

/** Where the service is, and how to call it. */
export interface BourseOptions {
  /** The address of the service: `http://127.0.0.1:8787`. */
  readonly url: string;
  readonly token?: string | undefined;
  /** A call waits at most this long if the quota is used up; an hour by default. 0 never waits. */
  readonly maxWaitSeconds?: number;
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Waits that many milliseconds, or rejects with the reason of the signal. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** An error with the sentence of the service. `status` is 0 if the service did not answer. */
export class BourseError extends Error {
  override readonly name = "BourseError";
  readonly status: number;
  readonly code: string | null;
  /** The argument that is wrong. */
  readonly param: string | null;
  /** Seconds until the call could succeed. */
  readonly retryAfter: number | null;

  constructor(message: string, status: number, details: Partial<Details> = {}) {
    super(message, { cause: details.cause });
    this.status = status;
    this.code = details.code ?? null;
    this.param = details.param ?? null;
    this.retryAfter = details.retryAfter ?? null;
  }
}

interface Details {
  readonly code: string;
  readonly param: string;
  readonly retryAfter: number;
  readonly cause: unknown;
}

/** A client of a service. */
export interface Bourse {
  /** The payload of a path below `/api/v1/svc/data`. @throws BourseError */
  get<Path extends BoursePath>(
    path: Path,
    ...rest: Rest<BourseArguments<Path>>
  ): Promise<BoursePayload<Path>>;
}

/** A client of the service at that address. */
export function createBourse(options: BourseOptions): Bourse {
  const base = options.url.replace(/\/+$/, "");
  const { token, maxWaitSeconds = 3600, sleep = sleepFor } = options;
  const send = options.fetch ?? ((request: Request) => fetch(request));

  /** Sends a request, and again after the wait that the service asks for. */
  const sendPatiently = async (request: Request): Promise<Response> => {
    const again = request.clone();
    const answer = await send(request);
    const seconds = secondsOf(answer);
    if (answer.status !== 429 || seconds === null || seconds > maxWaitSeconds) return answer;
    await answer.body?.cancel();
    await sleep(seconds * 1000, request.signal);
    return send(again);
  };
  const client = createClient<paths>({
    baseUrl: base,
    fetch: sendPatiently,
    // A redirect could take the token to another host.
    redirect: "manual",
    ...(token && { headers: { authorization: `Bearer ${token}` } }),
  });

  return {
    async get(path, ...[given]) {
      const { path: names, query, signal } = { path: {}, query: {}, ...given };
      const rows = TABLE_PATHS.includes(path) ? "objects" : undefined;
      const params = { path: names, query: { ...query, rows } };
      const ask = client.GET as unknown as (path: string, init: object) => Promise<Answer>;
      let answer: Answer;
      try {
        answer = await ask(PREFIX + path, { params, ...(signal && { signal }) });
      } catch (cause) {
        if (signal?.aborted) throw cause;
        const sentence = `${base} does not answer as a bourse service. Check the address.`;
        throw new BourseError(sentence, 0, { cause });
      }
      if (answer.data?.data !== undefined) return answer.data.data as never;
      throw errorOf(base, answer);
    },
  };
}

interface Failure {
  readonly message: string;
  readonly hint: string;
  readonly code: string;
  readonly param: string;
}

interface Answer {
  readonly data?: { readonly data?: unknown };
  readonly error?: { readonly error?: Partial<Failure> };
  readonly response: Response;
}

function errorOf(base: string, { error, response }: Answer): BourseError {
  const { status } = response;
  const known = error?.error;
  if (!known?.message) {
    return new BourseError(`${base} answered ${status}, but not as a bourse service.`, status);
  }
  const retryAfter = secondsOf(response);
  return new BourseError([known.message, known.hint].filter(Boolean).join(" "), status, {
    ...(known.code !== undefined && { code: known.code }),
    ...(known.param !== undefined && { param: known.param }),
    ...(retryAfter !== null && { retryAfter }),
  });
}

function secondsOf({ headers }: Response): number | null {
  const text = headers.get("retry-after") ?? "";
  return /^\d+$/.test(text) ? Number(text) : null;
}

function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  });
}
