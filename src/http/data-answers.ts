import type { Quota } from "#access/quota.ts";
import { ageSeconds, CACHE_MS, type CachedAnswer } from "#operations/execute.ts";
import { compress, type Encoding, encodingFor } from "./compression.ts";
import { isHeld, weakEtag } from "./etag.ts";
import { EVERY_ANSWER } from "./headers.ts";
import { createReadyHeaders, type ReadyHeaders } from "./ready-headers.ts";
import type { HeaderBag } from "./responses.ts";

/** In what form an answer goes out: encoded in some way, or as the word that nothing has changed. */
type Form = Encoding | "unchanged";

/** An answer in one form, ready but for what changes from call to call. */
interface Prepared extends ReadyHeaders {
  readonly body: Blob | null;
  readonly init: { readonly status: number; readonly headers: Headers };
  /** What the headers were last set for. */
  secondsLeft: number;
  age: number;
}

/** Answers a request with a cached answer. */
export type DataAnswers = (
  request: Request,
  cached: CachedAnswer,
  quota: Quota,
  now: number,
) => Response;

/** Answers that carry `fixed` headers. A body is encoded once for each cached answer and form. */
export function createDataAnswers(fixed: HeaderBag): DataAnswers {
  const prepared = new WeakMap<CachedAnswer, { [F in Form]?: Prepared }>();

  const prepare = (cached: CachedAnswer, form: Form): Prepared => {
    const isUnchanged = form === "unchanged";
    const ready = createReadyHeaders({
      ...EVERY_ANSWER,
      ...fixed,
      ETag: weakEtag(cached.etag),
      ...(cached.source !== null && { "X-Data-Source": cached.source }),
      ...(!isUnchanged && { "Content-Type": "application/json" }),
      ...(!isUnchanged && form !== "identity" && { "Content-Encoding": form }),
    });
    return {
      ...ready,
      body: isUnchanged ? null : new Blob([compress(cached.body, form)]),
      init: { status: isUnchanged ? 304 : 200, headers: ready.headers },
      secondsLeft: -1,
      age: -1,
    };
  };

  return (request, cached, quota, now) => {
    let forms = prepared.get(cached);
    if (!forms) prepared.set(cached, (forms = {}));
    const form = isHeld(request, cached.etag) ? "unchanged" : encodingFor(request, cached.body);
    const answer = (forms[form] ??= prepare(cached, form));
    const secondsLeft = Math.max(0, Math.floor((cached.madeAt + CACHE_MS - now) / 1000));
    if (answer.secondsLeft !== secondsLeft) {
      answer.secondsLeft = secondsLeft;
      answer.headers.set("Cache-Control", `private, max-age=${secondsLeft}`);
    }
    const age = ageSeconds(cached, now);
    if (answer.age !== age) {
      answer.age = age;
      answer.headers.set("X-Data-Age", String(age));
    }
    answer.setQuota(quota, now);
    return new Response(answer.body, answer.init);
  };
}
