import { BourseError } from "#domain/errors.ts";
import type { AccessStore } from "#store/index.ts";
import type { TokenCandidate } from "#store/tokens.ts";
import { Leases } from "./leases.ts";
import { isPlanName, type PlanName, PLANS, type Plans } from "./plans.ts";
import { type Quota, quotaExceeded, quotaOf } from "./quota.ts";
import { fingerprintToken } from "./token-secret.ts";

/** Who calls: a live token, its user and the user's plan at this moment. */
export interface Principal {
  readonly tokenId: number;
  readonly user: string;
  readonly plan: PlanName;
}

/** Whether a call was counted; where it was not, `denied` says why and nothing has changed. */
export interface Charge {
  readonly quota: Quota;
  readonly denied: BourseError | null;
}

/** The most callers that are remembered; beyond it the one who came first is looked up again. */
const MAX_KNOWN = 50_000;
/** Longer headers are not remembered: spaces in them could fill the memory. */
const MAX_KNOWN_LENGTH = 128;

/** Says who may call, and counts. */
export type Guard = ReturnType<typeof createGuard>;

/**
 * A guard over the access file, on the given clock (UTC milliseconds). What it read of a token holds
 * until users or tokens change, whoever changes them.
 */
export function createGuard(parts: { access: AccessStore; plans?: Plans; clock: () => number }) {
  const { access, plans = PLANS, clock } = parts;
  const leases = new Leases({ usage: access.usage, plans, version: access.version, clock });
  /** By the header as it came: found by a hash of all of it, it takes no longer for one nearly right. */
  const known = new Map<
    string,
    { principal: Principal; expiresAt: number | null; version: number }
  >();
  // One iterator for good: a new one would step over everything forgotten before, every time.
  const oldestFirst = known.keys();

  const isLive = ({ expiresAt }: Pick<TokenCandidate, "expiresAt">) =>
    expiresAt === null || expiresAt > clock();

  const identify = (authorization: string | null) => {
    const token = /^bearer +(.+)$/i.exec(authorization?.trim() ?? "")?.[1];
    if (token === undefined) {
      throw new BourseError(
        "missing_auth",
        "Missing bearer token: send the header `Authorization: Bearer <token>`.",
      );
    }
    const fingerprint = fingerprintToken(token);
    const row =
      fingerprint &&
      access.tokens
        .listCandidates(fingerprint.prefix)
        .find((candidate) => crypto.timingSafeEqual(candidate.hash, fingerprint.hash));
    if (!row || row.revokedAt !== null || !isLive(row) || !isPlanName(row.plan)) {
      if (fingerprint) throw invalidToken();
      throw new BourseError(
        "invalid_token",
        "Invalid or revoked token: it is not a bourse token (mistyped, or cut off?).",
      );
    }
    const { id, user, plan, expiresAt } = row;
    return { principal: { tokenId: id, user, plan }, expiresAt };
  };

  return {
    /**
     * The principal behind an `Authorization` header.
     *
     * @throws BourseError `missing_auth` where there is no bearer token, `invalid_token` where it is
     * malformed, unknown, expired or revoked.
     */
    authenticate(authorization: string | null): Principal {
      const key = authorization ?? "";
      const version = access.version();
      const held = known.get(key);
      if (held?.version === version && isLive(held)) return held.principal;
      known.delete(key);
      const found = { ...identify(authorization), version };
      if (key.length > MAX_KNOWN_LENGTH) return found.principal;
      if (known.size >= MAX_KNOWN) known.delete(oldestFirst.next().value ?? "");
      known.set(key, found);
      return found.principal;
    },

    /**
     * Counts one call against both windows, or says why not.
     *
     * @throws BourseError `invalid_token` where the token is gone by now
     */
    charge({ tokenId, plan }: Principal): Charge {
      const usage = leases.charge(tokenId, plan);
      if (usage) return { quota: quotaOf(plans, plan, usage), denied: null };
      const quota = quotaOf(plans, plan, leases.usage(tokenId));
      if (quota.daily.remaining === 0 || quota.hourly.remaining === 0) {
        return { quota, denied: quotaExceeded(plans, quota, clock()) };
      }
      // Another process has given calls back meanwhile, or has ended the token.
      const second = leases.charge(tokenId, plan);
      if (!second && !access.tokens.isLive(tokenId, clock())) throw invalidToken();
      if (!second) return { quota, denied: quotaExceeded(plans, quota, clock()) };
      return { quota: quotaOf(plans, plan, second), denied: null };
    },

    /** The quota as it stands; counts nothing. */
    quota({ tokenId, plan }: Principal): Quota {
      return quotaOf(plans, plan, leases.usage(tokenId));
    },

    /** Gives back what was counted in advance and not used. Call it every second, and at a stop until true. */
    settle: (options?: { all?: boolean }): boolean => leases.settle(options),
  };
}

function invalidToken(): BourseError {
  return new BourseError(
    "invalid_token",
    "Invalid or revoked token: it is unknown, expired or revoked. Ask for a new one.",
  );
}
