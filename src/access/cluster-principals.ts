import { BourseError, isUnavailable } from "#domain/errors.ts";
import { Batch } from "#lib/batch.ts";
import { BoundedMap } from "#lib/bounded-map.ts";
import type { ClusterAccess } from "#store/access-cluster.ts";
import type { TokenKind } from "#store/tokens.ts";
import { readLink, signCall } from "./call-link.ts";
import type { DatabaseClock } from "./database-clock.ts";
import {
  getFingerprint,
  getLinkPrincipal,
  getPrincipal,
  type Identity,
  identityOf,
  isCacheable,
  MAX_CACHED,
  parseAuthorization,
  type Principal,
} from "./principals.ts";
import type { TokenFingerprint } from "./token-secret.ts";

/** An identity is looked up again if it was not verified within this time. */
const FRESH_MS = 1_000;
/** While the database cannot be reached, a principal stays valid for this time after it was last verified. */
const VALID_MS = 30_000;
/** Tokens in one statement, so that it stays far below the second that it may take. */
const MAX_TOKENS = 500;

/** An identity as the database had it at `verifiedAt`, by this node's clock in UTC milliseconds. */
interface VerifiedIdentity extends Identity {
  readonly version: number;
  verifiedAt: number;
}

/** The dependencies of `ClusterPrincipals`. */
export interface ClusterPrincipalsParts {
  readonly access: Pick<ClusterAccess, "listCandidates" | "version" | "verifiedAt" | "linkSecret">;
  /** Its `local` is the clock of `access`. */
  readonly clock: DatabaseClock;
}

/**
 * Finds the principal of a request on a node of a cluster, as `Principals` does on one machine. An identity
 * in memory is used while the version of users and tokens is unchanged and was read within a second, so a
 * change on another node applies within a second. All look-ups of a turn of the event loop are one statement.
 *
 * While the database cannot be reached, a principal stays valid for 30 s after it was last verified. Any
 * other token is then `unavailable`: only the database can say that a token is invalid.
 */
export class ClusterPrincipals {
  readonly #parts: ClusterPrincipalsParts;
  /** By the whole header, as in `Principals`. */
  readonly #identities = new BoundedMap<VerifiedIdentity>(MAX_CACHED);
  readonly #lookUps = new Batch(
    (tokens: readonly TokenFingerprint[]) => this.#identify(tokens),
    MAX_TOKENS,
  );

  constructor(parts: ClusterPrincipalsParts) {
    this.#parts = parts;
  }

  /**
   * The principal of an `Authorization` header. It is a promise unless it is known or the header has no
   * well-formed token. A feed link has one only if `place` is the feeds.
   *
   * @throws BourseError as `Principals.authenticate`; `unavailable` if the database cannot be reached
   */
  authenticate(
    authorization: string | null,
    place: TokenKind = "api",
  ): Principal | Promise<Principal> {
    const header = authorization ?? "";
    const held = this.#identities.get(header);
    if (held && this.#isFresh(held)) return getPrincipal(held, place, this.#parts.clock.now());
    const fingerprint = parseAuthorization(header);
    if (fingerprint instanceof BourseError) throw fingerprint;
    return this.#lookUp({ header, fingerprint, place }, held);
  }

  /**
   * The principal of a link to a call, which the database looks up.
   *
   * @throws BourseError as `Principals.authenticateLink`; `unavailable` if the database cannot be reached
   */
  async authenticateLink(text: string, call: string): Promise<Principal> {
    const { access, clock } = this.#parts;
    const link = readLink(text, clock.now());
    const [[candidates = []], secret] = await Promise.all([
      access.listCandidates([link.prefix]),
      access.linkSecret(),
    ]);
    return getLinkPrincipal(link, call, { candidates, secret, now: clock.now() });
  }

  /** The text of a link to a call. @throws BourseError `unavailable` if the database cannot be reached */
  async signLink(authorization: string | null, call: string, expiresAt: number): Promise<string> {
    const token = getFingerprint(authorization);
    return signCall(token, call, expiresAt, await this.#parts.access.linkSecret());
  }

  #isFresh(held: VerifiedIdentity): boolean {
    const { access } = this.#parts;
    if (held.version !== access.version()) return false;
    held.verifiedAt = Math.max(held.verifiedAt, access.verifiedAt);
    return this.#isVerifiedWithin(FRESH_MS, held);
  }

  #isVerifiedWithin(ms: number, { verifiedAt }: VerifiedIdentity): boolean {
    const age = this.#parts.clock.local() - verifiedAt;
    return age >= 0 && age < ms;
  }

  async #lookUp(
    {
      header,
      fingerprint,
      place,
    }: { header: string; fingerprint: TokenFingerprint; place: TokenKind },
    held: VerifiedIdentity | undefined,
  ): Promise<Principal> {
    const { access, clock } = this.#parts;
    // Read before the statement: a change while it runs makes the identity old.
    const verified = { version: access.version(), verifiedAt: clock.local() };
    try {
      const identity = { ...(await this.#lookUps.add(fingerprint)), ...verified };
      if (isCacheable(header)) this.#identities.set(header, identity);
      return getPrincipal(identity, place, clock.now());
    } catch (error) {
      if (!isUnavailable(error) || !held || held.principal instanceof BourseError) throw error;
      if (!this.#isVerifiedWithin(VALID_MS, held)) throw error;
      return getPrincipal(held, place, clock.now());
    }
  }

  async #identify(tokens: readonly TokenFingerprint[]): Promise<Identity[]> {
    const prefixes = [...new Set(tokens.map(({ prefix }) => prefix))];
    const candidates = await this.#parts.access.listCandidates(prefixes);
    const byPrefix = new Map(prefixes.map((prefix, i) => [prefix, candidates[i] ?? []]));
    return tokens.map((token) => identityOf(token, byPrefix.get(token.prefix) ?? []));
  }
}
