import { type BourseError, toBourseError } from "#domain/errors.ts";
import { type Awaitable, whenKnown } from "#lib/awaitable.ts";
import { type AccessFile, LockQueue } from "#store/index.ts";
import { isTokenLive, type TokenKind } from "#store/tokens.ts";
import type { CountedCalls, Usage } from "#store/usage.ts";
import type { CallCounter } from "./call-counter.ts";
import { Leases } from "./leases.ts";
import { PLANS, type Plans } from "./plans.ts";
import { INVALID_TOKEN, type Principal, Principals } from "./principals.ts";
import { type Quota, quotaExceeded, quotaOf } from "./quota.ts";

/**
 * The result of charging a call. If `denied` is an error, the call was not counted: the quota is used up, or the
 * counter cannot be written.
 */
export interface Charge {
  readonly quota: Quota;
  readonly denied: BourseError | null;
}

/** The part of a principal that calls are counted by. */
type Counted = Pick<Principal, "tokenId" | "user" | "plan">;

/** Authenticates callers and counts their calls. */
export interface Guard {
  /**
   * The principal of an `Authorization` header. A feed link has one only if `place` is the feeds.
   *
   * @throws BourseError as `Principals.authenticate`
   */
  authenticate(authorization: string | null, place?: TokenKind): Awaitable<Principal>;
  /**
   * The principal of a link to a call, of a text of `signCall`.
   *
   * @throws BourseError `invalid_token` if it has ended, was altered or its token is not live
   */
  authenticateLink(text: string, call: string): Awaitable<Principal>;
  /**
   * The text of a link to a call, by the token of an `Authorization` header. It ends at `expiresAt`, in UTC seconds.
   *
   * @throws BourseError `missing_auth` or `invalid_token` for a header without a well-formed token
   */
  signLink(authorization: string | null, call: string, expiresAt: number): Awaitable<string>;
  /**
   * Counts one call against both windows, or denies it.
   *
   * @throws BourseError `invalid_token` if the token has just ended, `unavailable` if a cluster cannot count
   * @throws Error of the store if it can be neither written nor read
   */
  charge(principal: Counted): Awaitable<Charge>;
  /** The quota at this moment, without counting a call. */
  quota(principal: Counted): Awaitable<Quota>;
  /** The calls of a token that are counted in advance and not served yet; null if there are none. */
  unused(tokenId: number): CountedCalls | null;
  /**
   * Gives back unused calls that were counted in advance and stores refused calls. Call it every second, and
   * at a stop until it returns true.
   */
  settle(options?: { all?: boolean }): Awaitable<boolean>;
}

/** The dependencies of a guard. */
export interface GuardParts {
  /** Finds the principals, as `Principals` does. */
  readonly principals: Pick<Guard, "authenticate" | "authenticateLink" | "signLink">;
  readonly counter: CallCounter;
  /** True while the token exists and is neither revoked nor expired. */
  readonly isLive: (tokenId: number) => Awaitable<boolean>;
  readonly plans: Plans;
  /** UTC milliseconds. */
  readonly clock: () => number;
}

/**
 * Creates a guard over the access file, on the given clock (UTC milliseconds). It creates promises only while
 * another process keeps the file locked.
 */
export function createFileGuard(parts: {
  access: AccessFile;
  plans?: Plans;
  clock: () => number;
  queue?: LockQueue;
}): Guard {
  const { access, plans = PLANS, clock, queue = new LockQueue() } = parts;
  const guard = createGuard({
    principals: new Principals(access, clock),
    counter: new Leases({ access, plans, clock, queue }),
    isLive: (tokenId) => access.run(isTokenLive(tokenId, clock())),
    plans,
    clock,
  });
  // A caller whose call cannot be counted sees its quota too: reads never wait for a lock.
  const refuse = (principal: Counted, thrown: unknown): Awaitable<Charge> => {
    const denied = toBourseError(thrown);
    if (denied.code !== "unavailable") throw thrown;
    return whenKnown(guard.quota(principal), (quota) => ({ quota, denied }));
  };
  return {
    ...guard,
    charge(principal) {
      try {
        const charged = guard.charge(principal);
        return charged instanceof Promise
          ? charged.catch((thrown) => refuse(principal, thrown))
          : charged;
      } catch (thrown) {
        return refuse(principal, thrown);
      }
    },
  };
}

/** Creates a guard. Its parts say what it promises. */
export function createGuard({ principals, counter, isLive, plans, clock }: GuardParts): Guard {
  const deny = (tokenId: number, { hour }: Usage, quota: Quota): Charge => {
    counter.countDenied(tokenId, hour);
    return { quota, denied: quotaExceeded(plans, quota, clock()) };
  };
  const pass = (plan: Principal["plan"], usage: Usage): Charge => ({
    quota: quotaOf(plans, plan, usage),
    denied: null,
  });
  const chargeAgain = (tokenId: number, plan: Principal["plan"]): Awaitable<Charge> =>
    whenKnown(counter.usage(tokenId), (full) => {
      const quota = quotaOf(plans, plan, full);
      if (quota.daily.remaining === 0 || quota.hourly.remaining === 0) {
        return deny(tokenId, full, quota);
      }
      // Another process has just given calls back, or has ended the token.
      return whenKnown(counter.charge(tokenId, plan), (usage) => {
        if (usage) return pass(plan, usage);
        return whenKnown(isLive(tokenId), (live) => {
          if (!live) throw INVALID_TOKEN;
          return deny(tokenId, full, quota);
        });
      });
    });
  return {
    authenticate: (authorization, place) => principals.authenticate(authorization, place),
    authenticateLink: (text, call) => principals.authenticateLink(text, call),
    signLink: (...link) => principals.signLink(...link),
    charge({ tokenId, plan }) {
      const usage = counter.charge(tokenId, plan);
      // The usual case, without the cost of a function.
      if (usage && !(usage instanceof Promise)) return pass(plan, usage);
      return whenKnown(usage, (known) => (known ? pass(plan, known) : chargeAgain(tokenId, plan)));
    },
    quota: ({ tokenId, plan }) =>
      whenKnown(counter.usage(tokenId), (usage) => quotaOf(plans, plan, usage)),
    unused: (tokenId) => counter.unused(tokenId),
    settle: (options) => counter.settle(options),
  };
}
