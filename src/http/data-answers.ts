import type { PlanName } from "#access/plans.ts";
import type { Quota } from "#access/quota.ts";
import { ageSeconds, CACHE_MS, type Execution } from "#operations/execute.ts";
import { compress, type Encoding, encodingFor } from "./compression.ts";
import { EVERY_ANSWER, rateLimit, windowHeaders } from "./headers.ts";
import type { HeaderBag } from "./responses.ts";

/** In what form an answer goes out: encoded in some way, or as the word that nothing has changed. */
type Form = Encoding | "unchanged";

/** An answer in one form, ready but for what changes from call to call. */
interface Prepared {
  readonly body: Blob | null;
  readonly init: { readonly status: number; readonly headers: Headers };
  /** What the headers were last set for. */
  plan: PlanName | null;
  resetAt: number;
  secondsLeft: number;
  age: number;
}

/** Answers a request with an execution. */
export type DataAnswers = (
  request: Request,
  execution: Execution,
  quota: Quota,
  now: number,
) => Response;

/**
 * Answers that carry `fixed` headers. A body is encoded once for each execution and form; its headers
 * stand in one `Headers` object, of which only what has changed is set (`Response` copies them).
 */
export function createDataAnswers(fixed: HeaderBag): DataAnswers {
  const prepared = new WeakMap<Execution, { [F in Form]?: Prepared }>();

  const prepare = (execution: Execution, form: Form): Prepared => {
    const headers = new Headers({
      ...EVERY_ANSWER,
      ...fixed,
      ETag: execution.etag,
      "X-Data-Source": execution.source,
    });
    const setFor = { plan: null, resetAt: 0, secondsLeft: 0, age: 0 };
    if (form === "unchanged") return { body: null, init: { status: 304, headers }, ...setFor };
    headers.set("Content-Type", "application/json");
    if (form !== "identity") headers.set("Content-Encoding", form);
    const body = new Blob([compress(execution.body, form)]);
    return { body, init: { status: 200, headers }, ...setFor };
  };

  return (request, execution, quota, now) => {
    let forms = prepared.get(execution);
    if (!forms) prepared.set(execution, (forms = {}));
    const form = isFresh(request, execution) ? "unchanged" : encodingFor(request, execution.body);
    const answer = (forms[form] ??= prepare(execution, form));
    const { headers } = answer.init;
    const secondsLeft = Math.max(0, Math.floor((execution.madeAt + CACHE_MS - now) / 1000));
    const age = ageSeconds(execution, now);
    const { plan, daily } = quota;
    if (
      answer.secondsLeft !== secondsLeft ||
      answer.age !== age ||
      answer.plan !== plan ||
      answer.resetAt !== daily.resetAt
    ) {
      Object.assign(answer, { plan, resetAt: daily.resetAt, secondsLeft, age });
      headers.set("Cache-Control", `private, max-age=${secondsLeft}`);
      headers.set("X-Data-Age", String(age));
      for (const [name, value] of Object.entries(windowHeaders(quota))) headers.set(name, value);
    }
    headers.set("X-RateLimit-Remaining", String(daily.remaining));
    headers.set("RateLimit", rateLimit(quota, now));
    return new Response(answer.body, answer.init);
  };
}

/** Whether the client holds this payload already. */
function isFresh(request: Request, { etag }: Execution): boolean {
  const held = request.headers.get("if-none-match");
  return (
    held !== null &&
    held.split(",").some((tag) => {
      const bare = tag.trim().replace(/^W\//, "");
      return bare === "*" || bare === etag;
    })
  );
}
