import { BourseError } from "#domain/errors.ts";
import type { AccessStore } from "#store/index.ts";
import { isPlanName, PLAN_NAMES, type PlanName, PLANS, type Plans } from "./plans.ts";
import { createTokenSecret, fingerprintToken } from "./token-secret.ts";

/** Creates and changes users and tokens. Every method throws a `BourseError` that says what is wrong. */
export function createAccounts(parts: { access: AccessStore; plans?: Plans; clock: () => number }) {
  const { access, plans = PLANS, clock } = parts;
  const getUser = (name: string) => {
    const user = access.users.find(name);
    if (!user) {
      throw new BourseError(
        "not_found",
        `There is no user ${name}; \`user list\` shows all, \`user add ${name}\` adds one.`,
      );
    }
    return user;
  };
  const parsePlan = (text: string): PlanName => {
    const plan = text.toLowerCase();
    if (!isPlanName(plan)) {
      throw new BourseError(
        "invalid_argument",
        `The plan must be one of ${PLAN_NAMES.join(", ")}, not ${text}.`,
      );
    }
    return plan;
  };
  const listTokens = (userName: string | null) =>
    access.tokens.list(userName).map((token) => {
      const { dayUsed, hourUsed } = access.usage.get(token.id, clock());
      return { ...token, callsToday: dayUsed, callsThisHour: hourUsed };
    });

  return {
    /** Adds a user and returns the plan; its name may be in any case. */
    addUser(name: string, planText: string): PlanName {
      const plan = parsePlan(planText);
      if (!/^[\w.@-]{1,64}$/.test(name)) {
        throw new BourseError(
          "invalid_argument",
          "A user's name has 1 to 64 letters, digits or any of . _ @ - and nothing else.",
        );
      }
      if (!access.users.add({ name, plan, createdAt: clock() })) {
        throw new BourseError(
          "invalid_argument",
          `The user ${name} exists already; \`user plan ${name} ${plan}\` changes the plan.`,
        );
      }
      return plan;
    },

    /** Changes the plan from the next call on; returns how many live tokens exceed the new plan. */
    setPlan(name: string, planText: string): { plan: PlanName; excess: number } {
      const plan = parsePlan(planText);
      getUser(name);
      access.users.setPlan(name, plan);
      const live = access.users.list(clock()).find((user) => user.name === name)?.liveTokens ?? 0;
      return { plan, excess: Math.max(0, live - plans[plan].tokens) };
    },

    /** Removes the user, the tokens and their counters. */
    removeUser(name: string): void {
      getUser(name);
      access.users.remove(name);
    },

    /** All users by name, with the calls of their tokens today and this hour (UTC). */
    listUsers() {
      const tokens = Map.groupBy(listTokens(null), ({ user }) => user);
      return access.users.list(clock()).map((user) => {
        const own = tokens.get(user.name) ?? [];
        const sum = (counted: "callsToday" | "callsThisHour") =>
          own.reduce((total, token) => total + token[counted], 0);
        return { ...user, callsToday: sum("callsToday"), callsThisHour: sum("callsThisHour") };
      });
    },

    /** Creates a token and returns its secret, which is stored nowhere. */
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
        plans[plan].tokens,
      );
      if (id === null) {
        throw new BourseError(
          "invalid_argument",
          `${userName} holds ${plans[plan].tokens} live ${plans[plan].tokens === 1 ? "token" : "tokens"}, as many as plan ${plan} allows; revoke one with \`token revoke ID\` or choose a larger plan with \`user plan\`.`,
        );
      }
      return { token, id };
    },

    /** The tokens of one user, or of all, with their calls today and this hour (UTC). */
    listTokens(userName: string | null) {
      if (userName !== null) getUser(userName);
      return listTokens(userName);
    },

    /** Ends a token from the next call on. */
    revokeToken(id: number): void {
      if (!access.tokens.revoke(id, clock())) {
        throw new BourseError("not_found", `There is no token ${id}; \`token list\` shows all.`);
      }
    },
  };
}
