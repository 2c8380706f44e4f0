import { BourseError } from "#domain/errors.ts";
import type { AccessStore } from "#store/index.ts";
import { isPlanName, PLAN_NAMES, type PlanName, PLANS } from "./plans.ts";
import { createTokenSecret, fingerprintToken } from "./token-secret.ts";

/** Makes and changes users and tokens. Every method throws a `BourseError` that says what is wrong. */
export function createAccounts({ access, clock }: { access: AccessStore; clock: () => number }) {
  const getUser = (name: string) => {
    const user = access.users.find(name);
    if (!user) {
      throw new BourseError(
        "not_found",
        `There is no user ${name}; \`user list\` shows all, \`user add ${name}\` makes one.`,
      );
    }
    return user;
  };
  const parsePlan = (plan: string): PlanName => {
    if (!isPlanName(plan)) {
      throw new BourseError(
        "invalid_argument",
        `The plan must be one of ${PLAN_NAMES.join(", ")}, not ${plan}.`,
      );
    }
    return plan;
  };

  return {
    addUser(name: string, plan: string): void {
      if (!/^[\w.@-]{1,64}$/.test(name)) {
        throw new BourseError(
          "invalid_argument",
          "A user's name has 1 to 64 letters, digits or any of . _ @ - and nothing else.",
        );
      }
      if (!access.users.add({ name, plan: parsePlan(plan), createdAt: clock() })) {
        throw new BourseError(
          "invalid_argument",
          `The user ${name} is there already; \`user plan ${name} ${plan}\` changes the plan.`,
        );
      }
    },

    /** Changes the plan from the next call on; returns how many live tokens exceed the new plan. */
    setPlan(name: string, plan: string): number {
      const allowed = PLANS[parsePlan(plan)].tokens;
      getUser(name);
      access.users.setPlan(name, plan);
      const live = access.users.list(clock()).find((user) => user.name === name)?.liveTokens ?? 0;
      return Math.max(0, live - allowed);
    },

    /** Removes the user, the tokens and their counters. */
    removeUser(name: string): void {
      getUser(name);
      access.users.remove(name);
    },

    listUsers: () => access.users.list(clock()),

    /** Makes a token and returns it: the only moment at which anybody sees it. */
    createToken(
      userName: string,
      label: string,
      lifetimeMs: number | null,
    ): { token: string; id: number } {
      const user = getUser(userName);
      const plan = parsePlan(user.plan);
      if (!/^\P{Cc}{0,64}$/u.test(label)) {
        throw new BourseError(
          "invalid_argument",
          "A token's label has at most 64 characters, all of them printable.",
        );
      }
      const token = createTokenSecret();
      const fingerprint = fingerprintToken(token);
      if (!fingerprint) throw new Error("a new token does not pass its own check");
      const now = clock();
      const id = access.tokens.add(
        {
          userId: user.id,
          ...fingerprint,
          label,
          createdAt: now,
          expiresAt: lifetimeMs === null ? null : now + lifetimeMs,
        },
        PLANS[plan].tokens,
      );
      if (id === null) {
        throw new BourseError(
          "invalid_argument",
          `${userName} holds ${PLANS[plan].tokens} live ${PLANS[plan].tokens === 1 ? "token" : "tokens"}, as many as plan ${plan} allows; revoke one with \`token revoke ID\` or choose a larger plan with \`user plan\`.`,
        );
      }
      return { token, id };
    },

    /** The tokens of one user, or of all. */
    listTokens(userName: string | null) {
      if (userName !== null) getUser(userName);
      return access.tokens.list(userName);
    },

    /** Ends a token from the next call on. */
    revokeToken(id: number): void {
      if (!access.tokens.revoke(id, clock())) {
        throw new BourseError("not_found", `There is no token ${id}; \`token list\` shows all.`);
      }
    },
  };
}
