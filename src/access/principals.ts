import { BourseError } from "#domain/errors.ts";
import { parseLists, parseRights, type ReadableLists, type Right } from "#domain/rights.ts";
import { BoundedMap } from "#lib/bounded-map.ts";
import type { AccessFile } from "#store/index.ts";
import { listCandidates, type TokenCandidate, type TokenKind } from "#store/tokens.ts";
import { type CallLink, getSigner, readLink, signCall } from "./call-link.ts";
import { isPlanName, type PlanName } from "./plans.ts";
import { fingerprintToken, type TokenFingerprint } from "./token-secret.ts";

/** The caller: a live token, its user and the user's current plan. */
export interface Principal {
  readonly tokenId: number;
  readonly user: string;
  readonly plan: PlanName;
  /** What the token may do besides reading. */
  readonly rights: readonly Right[];
  /** The lists that the token reads. */
  readonly lists: ReadableLists;
  /** The day that the token is in, YYYY-MM-DD; null for the present. */
  readonly asOf: string | null;
}

/** Headers that are cached; beyond it the one that was found first is looked up again. */
export const MAX_CACHED = 50_000;
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

const FEED_LINK = new BourseError(
  "invalid_token",
  "Invalid token: a feed link reads below /feed/ only. Make a token for the API and MCP.",
);

/** The meaning of an `Authorization` header. */
export interface Identity {
  readonly principal: Principal | BourseError;
  readonly kind: TokenKind;
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
  readonly #access: AccessFile;
  readonly #clock: () => number;
  /** By the whole header: hashing it takes as long for an almost right token as for any other. */
  readonly #identities = new BoundedMap<CachedIdentity>(MAX_CACHED);

  /** @param clock UTC milliseconds */
  constructor(access: AccessFile, clock: () => number) {
    this.#access = access;
    this.#clock = clock;
  }

  /**
   * The principal of an `Authorization` header. A feed link has one only if `place` is the feeds.
   *
   * @throws BourseError `missing_auth` if there is no bearer token, `invalid_token` if it is malformed,
   * unknown, expired, revoked or a feed link in another place
   */
  authenticate(authorization: string | null, place: TokenKind = "api"): Principal {
    return getPrincipal(this.#find(authorization ?? ""), place, this.#clock());
  }

  /** The principal of a link to a call. @throws BourseError `invalid_token` as `readLink` and `getLinkPrincipal` */
  authenticateLink(text: string, call: string): Principal {
    const now = this.#clock();
    const link = readLink(text, now);
    const candidates = this.#access.run(listCandidates(link.prefix));
    return getLinkPrincipal(link, call, { candidates, secret: this.#access.linkSecret(), now });
  }

  /** The text of a link to a call. @throws BourseError as `parseAuthorization` */
  signLink(authorization: string | null, call: string, expiresAt: number): string {
    const token = getFingerprint(authorization);
    return signCall(token, call, expiresAt, this.#access.linkSecret());
  }

  #find(header: string): Identity {
    const version = this.#access.version();
    const held = this.#identities.get(header);
    if (held?.version === version) return held;
    const found = this.#identify(header);
    if (isCacheable(header)) this.#identities.set(header, { ...found, version });
    return found;
  }

  #identify(header: string): Identity {
    const fingerprint = parseAuthorization(header);
    if (fingerprint instanceof BourseError)
      return { principal: fingerprint, kind: "api", expiresAt: null };
    return identityOf(fingerprint, this.#access.run(listCandidates(fingerprint.prefix)));
  }
}

/**
 * The principal of an identity in that place at `now`.
 *
 * @throws BourseError if the identity is an error, has expired or is not accepted there
 */
export function getPrincipal(
  { principal, kind, expiresAt }: Identity,
  place: TokenKind,
  now: number,
): Principal {
  if (principal instanceof BourseError) throw principal;
  if (kind === "feed" && place !== "feed") throw FEED_LINK;
  if (expiresAt !== null && expiresAt <= now) throw INVALID_TOKEN;
  return principal;
}

/**
 * The principal of a link to a call at `now`, which only reads. The candidates are the tokens with its prefix, and
 * the secret is the service's.
 *
 * @throws BourseError `invalid_token` if no live token has signed this call
 */
export function getLinkPrincipal(
  link: CallLink,
  call: string,
  {
    candidates,
    secret,
    now,
  }: {
    readonly candidates: readonly TokenCandidate[];
    readonly secret: Uint8Array;
    readonly now: number;
  },
): Principal {
  const identity = identityOfRow(getSigner(link, call, candidates, secret), "api");
  // A link can be passed on.
  return { ...getPrincipal(identity, "api", now), rights: [] };
}

/** True if the identity of a header may be cached: longer headers could fill the memory. */
export function isCacheable(header: string): boolean {
  return header.length <= MAX_CACHED_LENGTH;
}

/** The fingerprint of the token in an `Authorization` header, or the error of a header without one. */
export function parseAuthorization(header: string): TokenFingerprint | BourseError {
  const token = /^bearer +(\S.*)$/i.exec(header.trim())?.[1];
  if (token === undefined) return MISSING_AUTH;
  return fingerprintToken(token) ?? NOT_A_TOKEN;
}

/** The fingerprint of the token in an `Authorization` header. @throws BourseError of a header without one */
export function getFingerprint(authorization: string | null): TokenFingerprint {
  const found = parseAuthorization(authorization ?? "");
  if (found instanceof BourseError) throw found;
  return found;
}

/** The identity of a fingerprint, whose prefix the candidates have. */
export function identityOf(
  fingerprint: TokenFingerprint,
  candidates: readonly TokenCandidate[],
): Identity {
  return identityOfRow(findCandidate(fingerprint, candidates), fingerprint.kind);
}

/** The identity of a token of that kind; null is an unknown one. */
export function identityOfRow(row: TokenCandidate | null, kind: TokenKind): Identity {
  if (!row || row.revokedAt !== null || !isPlanName(row.plan)) {
    return { principal: INVALID_TOKEN, kind, expiresAt: null };
  }
  const { id, user, plan, rights, lists: stored, asOf, expiresAt } = row;
  // A node of an older version leaves the lists of a feed link out.
  const lists = parseLists(kind === "feed" ? (stored ?? "") : stored);
  return {
    principal: { tokenId: id, user, plan, rights: parseRights(rights), lists, asOf },
    kind,
    expiresAt,
  };
}

/** The token with the hash of the fingerprint, or null. */
export function findCandidate(
  { hash }: TokenFingerprint,
  candidates: readonly TokenCandidate[],
): TokenCandidate | null {
  // A restored file can have a hash of another length, which cannot be compared.
  const isEqual = (stored: Uint8Array) =>
    stored.length === hash.length && crypto.timingSafeEqual(stored, hash);
  return candidates.find((candidate) => isEqual(candidate.hash)) ?? null;
}
