import type { GateRefusal } from "#access/ip-gate.ts";
import type { PlanName } from "#access/plans.ts";
import type { Quota } from "#access/quota.ts";
import { Memo } from "#lib/memo.ts";
import { ageSeconds, type CachedAnswer, endOfAnswer } from "#operations/execute.ts";
import { CORS_HEADERS } from "./cors.ts";

/** Headers of an answer, by name. */
export type HeaderBag = Readonly<Record<string, string>>;

/**
 * The headers of every answer. Any origin may read it, and no cache may serve it to another caller or
 * to a client that accepts other encodings.
 */
export const EVERY_ANSWER: HeaderBag = {
  ...CORS_HEADERS,
  Vary: "Authorization, Accept, Accept-Encoding",
};

/** The quota's headers that stay the same through a day. */
function windowHeaders({ daily, hourly }: Quota): HeaderBag {
  return {
    "X-RateLimit-Limit": String(daily.limit),
    "X-RateLimit-Reset": String(daily.resetAt),
    "RateLimit-Policy": `"daily";q=${daily.limit};w=86400, "hourly";q=${hourly.limit};w=3600`,
  };
}

/** The header `RateLimit`: what is left of each window, and the seconds until it ends. */
function rateLimit({ daily, hourly }: Quota, now: number): string {
  const second = Math.floor(now / 1000);
  const dayLeft = Math.max(0, daily.resetAt - second);
  const hourLeft = Math.max(0, hourly.resetAt - second);
  return `"daily";r=${daily.remaining};t=${dayLeft}, "hourly";r=${hourly.remaining};t=${hourLeft}`;
}

/** The headers of a refusal at the gate. */
export function gateHeaders({ limit, resetAt }: GateRefusal): HeaderBag {
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": String(resetAt),
  };
}

/**
 * Headers that many answers share. `Response` copies them, so only the ones that changed are set between
 * two answers: a new object for each answer would cost a sixth of a hot request.
 */
export class SharedHeaders {
  readonly headers: Headers;
  #plan: PlanName | null = null;
  #resetAt = 0;
  #cached: CachedAnswer | null = null;
  #secondsLeft = -1;
  #age = -1;

  constructor(fixed: HeaderBag) {
    this.headers = new Headers(fixed);
  }

  /** Sets the quota's headers: the day in the contract's, both windows in the IETF's. */
  setQuota(quota: Quota, now: number): this {
    const { plan, daily } = quota;
    if (this.#plan !== plan || this.#resetAt !== daily.resetAt) {
      this.#plan = plan;
      this.#resetAt = daily.resetAt;
      for (const [name, value] of Object.entries(windowHeaders(quota))) {
        this.headers.set(name, value);
      }
    }
    this.headers.set("X-RateLimit-Remaining", String(daily.remaining));
    this.headers.set("RateLimit", rateLimit(quota, now));
    return this;
  }

  /** Sets the headers of a cached answer: its tag, its sources, and its age at `now` (UTC milliseconds). */
  setData(cached: CachedAnswer, now: number): this {
    if (this.#cached !== cached) {
      this.headers.set("ETag", weakEtag(cached.etag));
      if (cached.source === null) this.headers.delete("X-Data-Source");
      else if (cached.source !== this.#cached?.source) {
        this.headers.set("X-Data-Source", cached.source);
      }
      const { understoodAs } = cached;
      this.#setMissing(cached);
      if (understoodAs) this.headers.set("X-Understood-As", asciiText(understoodAs));
      else if (this.#cached?.understoodAs) this.headers.delete("X-Understood-As");
      this.#cached = cached;
    }
    const secondsLeft = Math.max(0, Math.floor((endOfAnswer(cached.madeAt) - now) / 1000));
    if (this.#secondsLeft !== secondsLeft) {
      this.#secondsLeft = secondsLeft;
      this.headers.set("Cache-Control", `private, max-age=${secondsLeft}`);
    }
    const age = ageSeconds(cached, now);
    if (this.#age !== age) {
      this.#age = age;
      this.headers.set("X-Data-Age", String(age));
    }
    return this;
  }

  /** Call it before `#cached` is replaced. */
  #setMissing({ missing }: CachedAnswer): void {
    if (missing)
      this.headers.set("X-Data-Missing", asciiText(missing.join(" | ")).slice(0, MAX_MISSING));
    else if (this.#cached?.missing) this.headers.delete("X-Data-Missing");
  }
}

/** The maximum number of characters of `X-Data-Missing`. Proxies refuse long headers. */
const MAX_MISSING = 2_000;

/** A text as the value of a header: characters outside ASCII are percent-encoded. */
function asciiText(text: string): string {
  return text.replaceAll(/[^\x20-\x7E]/gu, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
}

/** The encodings that we offer, the preferred one first. */
const OFFERED = ["zstd", "gzip", "identity"] as const;

/** How a body is encoded. */
export type Encoding = (typeof OFFERED)[number];

/** Shorter bodies are not compressed. */
const MIN_COMPRESSED_LENGTH = 1024;

/** The encoding by `Accept-Encoding` header, for the headers that clients sent last. */
const negotiated = new Memo<Encoding>(200);

/** The encoding of a body of that length by `Accept-Encoding`; `identity` for a short one. */
export function encodingFor(request: Request, length: number): Encoding {
  if (length < MIN_COMPRESSED_LENGTH) return "identity";
  const header = request.headers.get("accept-encoding");
  if (header === null) return "identity";
  return negotiated.get(header, () => negotiate(header));
}

/** True if a browser opens an address for a person, who reads a page rather than JSON. */
export function wantsPage({ method, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const qualities = qualitiesOf(headers.get("accept") ?? "");
  const html = qualities.get("text/html") ?? 0;
  return html > 0 && html >= (qualities.get("application/json") ?? 0);
}

/** The items of an `Accept…` header in lower case with their qualities, the values of `q`: 1 if left out. */
export function qualitiesOf(header: string): Map<string, number> {
  return new Map(
    header
      .toLowerCase()
      .split(",")
      .map((item) => {
        const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
        const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
        return [name, Number(quality ?? 1)];
      }),
  );
}

/** The accepted encoding with the highest quality; 0 refuses one. */
function negotiate(header: string): Encoding {
  const qualities = qualitiesOf(header);
  // Many clients and proxies that send `*` cannot read zstd, so `*` offers gzip only.
  const star = qualities.get("*");
  if (star !== undefined && !qualities.has("gzip")) qualities.set("gzip", star);
  const qualityOf = (name: string) => qualities.get(name) ?? 0;
  const wanted = OFFERED.filter((name) => qualityOf(name) > 0);
  return wanted.sort((a, b) => qualityOf(b) - qualityOf(a))[0] ?? "identity";
}

/**
 * A weak entity tag, `W/"…"`: the same for every encoding of a payload, and while `as_of` changes.
 *
 * @param hash in double quotes
 */
export function weakEtag(hash: string): string {
  return `W/${hash}`;
}

/** True if the client holds the payload with this hash (in double quotes), by `If-None-Match`. A call that changes something is always answered whole. */
export function isHeld(request: Request, hash: string): boolean {
  const held = request.headers.get("if-none-match");
  if (held === null || request.method === "PUT" || request.method === "DELETE") return false;
  return held.split(",").some((tag) => {
    const bare = tag.trim().replace(/^W\//, "");
    return bare === "*" || bare === hash;
  });
}
