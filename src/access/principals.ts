import { BourseError } from "#domain/errors.ts";
import type { AccessStore } from "#store/index.ts";
import { isPlanName, type PlanName } from "./plans.ts";
import { fingerprintToken } from "./token-secret.ts";

/** Who calls: a live token, its user and the user's plan at this moment. */
export interface Principal {
  readonly tokenId: number;
  readonly user: string;
  readonly plan: PlanName;
}

/** Headers that are remembered; beyond it the oldest is looked up again. */
const MAX_KNOWN = 50_000;
/** Longer headers are not remembered, because they could fill the memory. */
const MAX_KNOWN_LENGTH = 128;

// Made once: an error for each refused call would cost as much as half of the refusal.
const MISSING_AUTH = new BourseError(
  "missing_auth",
  "Missing bearer token: send the header `Authorization: Bearer <token>`.",
);
const NOT_A_TOKEN = new BourseError(
  "invalid_token",
  "Invalid or revoked token: it is not a bourse token (mistyped, or cut off?).",
);
/** The refusal of a token that has the right form and is not live. */
export const INVALID_TOKEN = new BourseError(
  "invalid_token",
  "Invalid or revoked token: it is unknown, expired or revoked. Ask for a new one.",
);

/** What an `Authorization` header stands for. */
interface Identity {
  readonly principal: Principal | BourseError;
  /** UTC milliseconds; null if it never expires. */
  readonly expiresAt: number | null;
}

/** What the access file said about a header, valid until the file changes. */
interface Known extends Identity {
  readonly version: number;
}

/**
 * Finds the principal of a request. What the access file said about a header is remembered until users or
 * tokens change, by this process or another.
 */
export class Principals {
  readonly #access: AccessStore;
  readonly #clock: () => number;
  /** By the whole header: its hash takes as long for an almost right token as for any other. */
  readonly #known = new Map<string, Known>();
  // One iterator for good: a new one would step over all deleted entries every time.
  readonly #oldestFirst = this.#known.keys();

  /** @param clock UTC milliseconds */
  constructor(access: AccessStore, clock: () => number) {
    this.#access = access;
    this.#clock = clock;
  }

  /**
   * The principal behind an `Authorization` header.
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
    const held = this.#known.get(header);
    if (held?.version === version) return held;
    this.#known.delete(header);
    const found = identify(this.#access, header);
    if (header.length > MAX_KNOWN_LENGTH) return found;
    if (this.#known.size >= MAX_KNOWN) this.#known.delete(this.#oldestFirst.next().value ?? "");
    this.#known.set(header, { ...found, version });
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
