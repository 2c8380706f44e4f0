import { effect, signal, untracked } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { AnswerTo, BodyOf, ConsoleRoute } from "#http/console-api.ts";
import type { OperationName, PayloadOf } from "#operations/index.ts";
import { serviceNow } from "./clock.ts";
import { addressDay, withBase } from "./router.ts";
import { t } from "./words.ts";

/** The path of the REST interface. */
export const API = "/api/v1/svc";

/** The code of a request without an answer. */
const NO_ANSWER = "NO_CONNECTION";

/** A failed request, with the server's sentence. */
export class ApiError extends Error {
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  readonly code: string;
  /** The whole error of the service; empty without one. */
  readonly details: object;
  /** Why the service has no records to answer from: `fetching` or `refused`; null for any other error. */
  lack: string | null = null;

  constructor(status: number, code: string, message: string, details: object = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }

  /** True if the service did not answer at all: the banner says so, and the page asks again by itself. */
  get isOutage(): boolean {
    return this.code === NO_ANSWER;
  }

  /** True if the same request may succeed later: no answer, too many calls, or a fault of the server. */
  get mayPass(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** What a request has besides its route. */
interface Sent<Route extends ConsoleRoute> {
  /** The parameter of the path. */
  readonly param?: string | number;
  /** `days=30` */
  readonly query?: string;
  readonly body?: BodyOf<Route>;
  /** A file, as the body. */
  readonly file?: File;
}

/**
 * Calls an endpoint of the console's own interface. Undefined if the answer has no body.
 *
 * @throws ApiError
 */
export async function request<Route extends ConsoleRoute>(
  route: Route,
  { param = "", query = "", body, file }: Sent<Route> = {},
): Promise<AnswerTo<Route>> {
  const [method = "", path = ""] = route.split(" ");
  const filled = path.replace(/:\w+/, encodeURIComponent(param));
  const response = await send(method, filled + (query && `?${query}`), file ?? body);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as AnswerTo<Route>;
}

async function send(method: string, path: string, body?: unknown): Promise<Response> {
  const init: RequestInit = { method };
  // A change is never given up: it may have been made.
  if (method === "GET") init.signal = AbortSignal.timeout(PATIENCE_MS);
  if (body instanceof File) init.body = body;
  else if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "Content-Type": "application/json" };
  }
  let response: Response;
  try {
    response = await fetch(withBase(`/console/api/${path}`), init);
    outage.value = null;
  } catch (thrown) {
    if (isTimeout(thrown)) throw asApiError(thrown);
    outage.value ??= { retryAt: performance.now() + RETRY_MS };
    throw new ApiError(
      0,
      NO_ANSWER,
      t("The service does not answer. Check that it is running, then retry."),
    );
  }
  if (response.status === 401 && path !== "session") whenSignedOut();
  if (!response.ok) throw await readError(response);
  return response;
}

/** How long a page waits for an answer. */
const PATIENCE_MS = 20_000;

const isTimeout = (thrown: unknown) =>
  thrown instanceof DOMException && thrown.name === "TimeoutError";

/** How long the page waits before it asks again whether the service answers. */
const RETRY_MS = 3_000;

/** Set while the service does not answer; `retryAt` is when it is asked again, by the page's stopwatch. */
export const outage = signal<{ readonly retryAt: number } | null>(null);

/** Why figures of the whole market may be missing, as the panel above every page says; null if they are not. */
export const marketLack = signal<"fetching" | "refused" | null>(null);

/** When the last answer with market data arrived, UTC milliseconds; null before the first. */
export const updatedAt = signal<number | null>(null);

/** Rises when the market has changed: the answers that pages show are loaded again. */
const marketRound = signal(0);

/** Rises when the reader retries: every answer that may succeed now is loaded again. */
const retryRound = signal(0);

/** Loads all answers of the page again whose failure may pass. */
export function retryFailed(): void {
  retryRound.value++;
}

/** Loads the answers with market data or lists again that are shown, and forgets the others. What is shown stays meanwhile. */
export function renewData(): void {
  for (const key of kept.keys()) if (isData(key) || isOwn(key)) kept.delete(key);
  marketRound.value++;
}

/** Asks whether the service answers again. */
export async function retryNow(): Promise<void> {
  outage.value &&= { retryAt: performance.now() + RETRY_MS };
  // An answer ends the outage, and a failure has begun the next wait.
  await request("GET service").catch(() => {});
}

let whenSignedOut = () => {};

/** Sets what happens when the server does not know the session, because it has ended. */
export function onSignedOut(listener: () => void): void {
  whenSignedOut = listener;
}

/** The error of an answer that failed. */
export async function readError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const error = body && typeof body === "object" && "error" in body ? body.error : null;
  const details = error && typeof error === "object" ? error : {};
  const read = (name: string): string | undefined => {
    const value: unknown = Reflect.get(details, name);
    return typeof value === "string" ? value : undefined;
  };
  const message =
    read("message") ?? t("The service answered with status {status}.", { status: response.status });
  const failure = new ApiError(response.status, read("code") ?? "UNKNOWN", message, details);
  failure.lack = response.headers.get("X-Data-Lack");
  return failure;
}

/** A call of an operation, as REST and MCP take it. */
export interface Call<Name extends string = string> {
  /** `get_stock_overview` */
  readonly operation: Name;
  readonly args: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Arguments that differ over MCP, where an answer has fewer rows. */
  readonly toolArgs?: Call["args"];
}

/** The most rows of a screen or a calendar over MCP. */
export const TOOL_ROWS = 100;

/** The answer of an operation. */
export interface Answer<T> {
  readonly data: T;
  /** The sources of the records, comma-separated; null without a record. */
  readonly source: string | null;
  /** The same for equal data. */
  readonly etag: string | null;
  /** The age of the newest record, in seconds; null without a record. */
  readonly ageSeconds: number | null;
  /** What it lacks because sources refused, as text; null if nothing is known to be missing. */
  readonly missing: string | null;
}

/** The answer of the operation of that name. */
export type AnswerOf<Name extends OperationName> = Answer<PayloadOf<Name>>;

/** The arguments of a call as a query string, without those that are undefined. */
export function queryOf(args: Call["args"]): string {
  const entries = Object.entries(args).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return new URLSearchParams(entries).toString();
}

/** The arguments of a call on the day of the page. */
export const datedArgs = (args: Call["args"]): Call["args"] =>
  addressDay === null ? args : { known_on: addressDay, ...args };

/** The facts that answers of a past day had as they are today: `sectors, industries and exchanges`. */
export const factsOfToday = signal<ReadonlySet<string>>(new Set());

function noteFactsOfToday(payload: object & { readonly not_rewound?: readonly string[] }): void {
  const { not_rewound: facts = [] } = payload;
  if (facts.some((fact) => !factsOfToday.value.has(fact)))
    factsOfToday.value = new Set([...factsOfToday.value, ...facts]);
}

/** Runs an operation for the signed-in user, on the day of the page. @throws ApiError */
export async function callOperation<Name extends OperationName>({
  operation,
  args,
}: Call<Name>): Promise<AnswerOf<Name>> {
  const query = queryOf(datedArgs(args));
  const response = await send("GET", `data/${operation}${query && `?${query}`}`);
  const { data } = (await response.json()) as { data: PayloadOf<Name> };
  noteFactsOfToday(data);
  updatedAt.value = serviceNow();
  const age = response.headers.get("X-Data-Age");
  return {
    data,
    source: response.headers.get("X-Data-Source"),
    etag: response.headers.get("ETag"),
    ageSeconds: age === null ? null : Number(age),
    missing: response.headers.get("X-Data-Missing"),
  };
}

/**
 * All rows of an operation's table as CSV, page after page.
 *
 * @param onPage is told the rows that have arrived, and how many there are
 * @throws ApiError
 */
export async function downloadCsv(
  { operation, args }: Call,
  onPage: (rows: number, total: number) => void,
): Promise<Blob> {
  const pages: string[] = [];
  let head = "";
  let rows = 0;
  let next: string | null = queryOf({ ...datedArgs(args), cursor: undefined, format: "csv" });
  while (next !== null) {
    const response = await send("GET", `data/${operation}?${next}`);
    const text = await response.text();
    // Each page has the header row.
    head = text.slice(0, text.indexOf("\r\n") + 2);
    const page = text.slice(head.length);
    // A page before a date has older rows, and each page has its oldest row first.
    if (new URLSearchParams(next).has("before")) pages.unshift(page);
    else pages.push(page);
    rows += page.split("\r\n").length - 1;
    onPage(rows, Number(response.headers.get("X-Total-Count") ?? rows));
    next = /<[^>?]*\?([^>]*)>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1] ?? null;
  }
  return new Blob([head, ...pages], { type: "text/csv" });
}

/** Something that is being loaded. While it is loaded again, the previous value stays. */
export interface Resource<T> {
  readonly value: T | null;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
  /** False while the value still belongs to the previous key. */
  readonly isCurrent: boolean;
  /** Loads it again. */
  readonly reload: () => void;
}

/** True if there is a value, or the reason why there is none. */
export const isSettled = ({ value, error }: Resource<unknown>): boolean =>
  value !== null || error !== null;

/** The prefix of the keys of answers of operations. */
const DATA = "data ";
/** The key of market data, which are loaded again at each new version of the market. */
export const dataKey = (text: string) => `${DATA}${text}`;
const isData = (key: string) => key.startsWith(DATA) || /^GET (\w+-lines|distribution)/.test(key);
/** True for the user's lists and screens, on which answers with market data can depend. */
const isOwn = (key: string) => /^(GET (lists|screens)|lists$)/.test(key);

const FRESH_MS = 30_000;
const MAX_KEPT = 200;
const kept = new Map<string, { readonly promise: Promise<unknown>; readonly at: number }>();

function loadOnce<T>(key: string, load: () => Promise<T>): Promise<T> {
  const now = performance.now();
  const found = kept.get(key);
  // A key always has the same type of value.
  if (found && now - found.at < FRESH_MS) return found.promise as Promise<T>;
  const promise = load();
  kept.delete(key);
  kept.set(key, { promise, at: now });
  promise.catch(() => kept.delete(key));
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return promise;
}

/** Forgets all answers, because another user has signed in or something was changed. */
export function forgetAnswers(): void {
  kept.clear();
}

/**
 * Loads a value for as long as the component is shown; `key` identifies it. Null loads nothing.
 *
 * @param merge the value to show after an earlier one of the same key
 */
export function useResource<T>(
  key: string | null,
  load: (() => Promise<T>) | null,
  merge: (before: T, after: T) => T = (_, after) => after,
): Resource<T> {
  const [{ of, ...state }, setState] = useState<
    Omit<Resource<T>, "reload" | "isCurrent"> & { readonly of: string | null }
  >({ value: null, error: null, isLoading: true, of: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (key === null || load === null) return;
    let isShown = true;
    setState((before) => ({ ...before, isLoading: true }));
    loadOnce(key, load).then(
      (value) =>
        isShown &&
        setState((before) => ({
          value: before.of === key && before.value !== null ? merge(before.value, value) : value,
          error: null,
          isLoading: false,
          of: key,
        })),
      (thrown) => {
        if (!isShown) return;
        const error = asApiError(thrown);
        // While the service does not answer, it is still being loaded: what was shown stays. So does a value that
        // could not be renewed now.
        setState((before) =>
          error.isOutage
            ? { ...before, error }
            : before.of === key && error.mayPass
              ? { ...before, isLoading: false }
              : { value: null, error, isLoading: false, of: null },
        );
      },
    );
    return () => void (isShown = false);
  }, [key, round]);
  const reload = () => {
    if (key !== null) kept.delete(key);
    setRound((before) => before + 1);
  };
  const mayPass = state.error?.mayPass === true;
  useEffect(() => {
    if (key === null) return;
    const rounds = () =>
      (isData(key) || isOwn(key) ? marketRound.value : 0) + (mayPass ? retryRound.value : 0);
    const before = untracked(rounds);
    return effect(() => {
      if (rounds() !== before) setRound((one) => one + 1);
    });
  }, [key, mayPass]);
  const isCut = state.error?.isOutage === true;
  // When the service answers again, everything that it did not answer is loaded again.
  useEffect(() => {
    if (!isCut) return;
    return effect(() => {
      if (outage.value === null) reload();
    });
  }, [isCut, key]);
  return { ...state, isCurrent: key !== null && of === key, reload };
}

/** What was thrown by a request, as an error with a sentence. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return isTimeout(error)
    ? new ApiError(0, "TIMEOUT", t("The service did not answer in time."))
    : new ApiError(
        0,
        "UNREADABLE",
        "The answer of the service could not be read. Load the page again.",
      );
}

/** The newer answer with the same object if the data are equal, so that nothing is drawn again. */
function keepEqualData<T>(before: Answer<T>, after: Answer<T>): Answer<T> {
  return after.etag !== null && before.etag === after.etag
    ? { ...after, data: before.data }
    : after;
}

/** The answer of an operation; null calls nothing. */
export function useData<Name extends OperationName>(
  call: Call<Name> | null,
): Resource<AnswerOf<Name>> {
  const key = call && dataKey(`${call.operation}?${queryOf(call.args)}`);
  return useResource(key, call && (() => callOperation(call)), keepEqualData);
}

/** The answer of a GET of the console's own interface; null calls nothing. */
export function useConsole<Route extends ConsoleRoute & `GET ${string}`>(
  route: Route | null,
  query = "",
): Resource<AnswerTo<Route>> {
  const dated =
    addressDay !== null && route !== null && isData(route)
      ? `${query}&${queryOf(datedArgs({}))}`
      : query;
  return useResource(
    route && `${route}?${dated}`,
    route && (() => request(route, { query: dated })),
  );
}

/** The answer of a GET whose path has a parameter. */
export function useConsoleItem<Route extends ConsoleRoute & `GET ${string}:${string}`>(
  route: Route,
  param: string,
): Resource<AnswerTo<Route>> {
  return useResource(`${route} ${param}`, () => request(route, { param }));
}
