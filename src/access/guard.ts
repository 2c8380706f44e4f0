import { timingSafeEqual } from "node:crypto";
import { BourseError } from "#domain/errors.ts";
import type { AccessStore } from "#store/index.ts";
import { isPlanName, type PlanName, PLANS } from "./plans.ts";
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

/** Says who may call, and counts. It asks the database every time, so that a change holds at once. */
export type Guard = ReturnType<typeof createGuard>;

/** A guard over the access file, on the given clock (UTC milliseconds). */
export function createGuard({ access, clock }: { access: AccessStore; clock: () => number }) {
  return {
    /**
     * The principal behind an `Authorization` header.
     *
     * @throws BourseError `missing_auth` where there is no bearer token, `invalid_token` where it is
     * malformed, unknown, expired or revoked.
     */
    authenticate(authorization: string | null): Principal {
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
          .find((candidate) => timingSafeEqual(candidate.hash, fingerprint.hash));
      if (
        !row ||
        row.revokedAt !== null ||
        (row.expiresAt !== null && row.expiresAt <= clock()) ||
        !isPlanName(row.plan)
      ) {
        throw new BourseError(
          "invalid_token",
          fingerprint
            ? "Invalid or revoked token: it is unknown, expired or revoked. Ask for a new one."
            : "Invalid or revoked token: it is not a bourse token (mistyped, or cut off?).",
        );
      }
      return { tokenId: row.id, user: row.user, plan: row.plan };
    },

    /** Counts one call against both windows, or says why not. */
    charge(principal: Principal): Charge {
      const now = clock();
      const usage = access.usage.charge(principal.tokenId, PLANS[principal.plan], now);
      if (usage) return { quota: quotaOf(principal.plan, usage), denied: null };
      const quota = quotaOf(principal.plan, access.usage.get(principal.tokenId, now));
      return { quota, denied: quotaExceeded(quota, now) };
    },

    /** The quota as it stands; counts nothing. */
    quota(principal: Principal): Quota {
      return quotaOf(principal.plan, access.usage.get(principal.tokenId, clock()));
    },
  };
}
