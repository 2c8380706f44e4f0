import { BourseError } from "#domain/errors.ts";
import { createLruCache } from "#lib/lru-cache.ts";
import type { AccessStore } from "#store/index.ts";
import { isPlanName, type PlanName } from "./plans.ts";
import { fingerprintToken } from "./token-secret.ts";

/** The caller: a live token, its user and the user's current plan. */
export interface Principal {
  readonly tokenId: number;
  readonly user: string;
  readonly plan: PlanName;
}

/** Headers that are cached; beyond it the least recently used one is looked up again. */
const MAX_CACHED = 50_000;
/** Longer headers are not cached, because they could fill the memory. */
const MAX_CACHED_LENGTH = 128;

// Created once: a new error for each refused call would make the call 50 % more expensive.
const MISSING_AUTH = new BourseError(
  "missing_auth",
  "Missing bearer token: send the header `Authorization: Bearer <token>`.",
);
const NOT_A_TOKEN = new BourseError(
  "invalid_token",
  "Invalid or revoked token: it is not a bourse token (mistyped, or cut off?).",
);
/** The error of a token that is well-formed and not live. */
export const INVALID_TOKEN = new BourseError(
  "invalid_token",
  "Invalid or revoked token: it is unknown, expired or revoked. Ask for a new one.",
);

/** The meaning of an `Authorization` header. */
interface Identity {
  readonly principal: Principal | BourseError;
  /** UTC milliseconds; null if it never expires. */
  readonly expiresAt: number | null;
}

/** The identity of a header at a version of the access file; valid until the file changes. */
interface CachedIdentity extends Identity {
  readonly version: number;
}

/**
 * Finds the principal of a request. The identity of a header is cached until this or another process
 * changes users or tokens.
 */
export class Principals {
  readonly #access: AccessStore;
  readonly #clock: () => number;
  /** By the whole header: hashing it takes as long for an almost right token as for any other. */
  readonly #identities = createLruCache<CachedIdentity>(MAX_CACHED);

  /** @param clock UTC milliseconds */
  constructor(access: AccessStore, clock: () => number) {
    this.#access = access;
    this.#clock = clock;
  }

  /**
   * The principal of an `Authorization` header.
   *
   * @throws BourseError `missing_auth` if there is no bearer token, `invalid_token` if it is malformed,
   * unknown, expired or revoked
   */
  authenticate(authorization: string | null): Principal {
    const { principal, expiresAt } = this.#find(authorization ?? "");
    if (principal instanceof BourseError) throw principal;
    if (expiresAt !== null && expiresAt <= this.#clock()) throw INVALID_TOKEN;
    return principal;
  }

  #find(header: string): Identity {
    const version = this.#access.version();
    const held = this.#identities.get(header);
    if (held?.version === version) return held;
    const found = identify(this.#access, header);
    if (header.length <= MAX_CACHED_LENGTH) this.#identities.set(header, { ...found, version });
    return found;
  }
}

function identify(access: AccessStore, header: string): Identity {
  const refused = (principal: BourseError): Identity => ({ principal, expiresAt: null });
  const token = /^bearer +(.+)$/i.exec(header.trim())?.[1];
  if (token === undefined) return refused(MISSING_AUTH);
  const fingerprint = fingerprintToken(token);
  if (!fingerprint) return refused(NOT_A_TOKEN);
  const row = access.tokens
    .listCandidates(fingerprint.prefix)
    .find((candidate) => crypto.timingSafeEqual(candidate.hash, fingerprint.hash));
  if (!row || row.revokedAt !== null || !isPlanName(row.plan)) return refused(INVALID_TOKEN);
  const { id, user, plan, expiresAt } = row;
  return { principal: { tokenId: id, user, plan }, expiresAt };
}
