import { BourseError } from "#domain/errors.ts";
import type { AccessStore } from "#store/index.ts";
import { isPlanName, PLAN_NAMES, type PlanName, PLANS, type Plans } from "./plans.ts";
import { createTokenSecret, fingerprintToken } from "./token-secret.ts";

/** The dependencies of `Accounts`; `plans` are the contract's if left out, `clock` gives UTC milliseconds. */
interface AccountsParts {
  readonly access: AccessStore;
  readonly plans?: Plans;
  readonly clock: () => number;
}

/** Creates and changes users and tokens. Every method throws a `BourseError` that names the fault. */
export class Accounts {
  readonly #access: AccessStore;
  readonly #plans: Plans;
  readonly #clock: () => number;

  constructor({ access, plans = PLANS, clock }: AccountsParts) {
    this.#access = access;
    this.#plans = plans;
    this.#clock = clock;
  }

  /** Adds a user and returns the plan. The letter case of `planText` does not matter. */
  addUser(name: string, planText: string): PlanName {
    const plan = parsePlan(planText);
    if (!/^[\w.@-]{1,64}$/.test(name)) {
      throw new BourseError(
        "invalid_argument",
        "A user's name has 1 to 64 letters, digits or any of . _ @ - and nothing else.",
      );
    }
    if (!this.#access.users.add({ name, plan, createdAt: this.#clock() })) {
      throw new BourseError(
        "invalid_argument",
        `The user ${name} exists already; \`user plan ${name} ${plan}\` changes the plan.`,
      );
    }
    return plan;
  }

  /** Changes the plan from the next call on; returns how many live tokens exceed the new plan. */
  setPlan(name: string, planText: string): { plan: PlanName; excess: number } {
    const plan = parsePlan(planText);
    this.#getUser(name);
    const { users } = this.#access;
    users.setPlan(name, plan);
    const live = users.list(this.#clock()).find((user) => user.name === name)?.liveTokens ?? 0;
    return { plan, excess: Math.max(0, live - this.#plans[plan].tokens) };
  }

  /** Removes the user with all tokens and their counters. */
  removeUser(name: string): void {
    this.#getUser(name);
    this.#access.users.remove(name);
  }

  /** All users by name, with the calls of their tokens today and this hour (UTC). */
  listUsers() {
    const tokens = Map.groupBy(this.#listTokens(null), ({ user }) => user);
    return this.#access.users.list(this.#clock()).map((user) => {
      const own = tokens.get(user.name) ?? [];
      const sum = (counted: "callsToday" | "callsThisHour") =>
        own.reduce((total, token) => total + token[counted], 0);
      return { ...user, callsToday: sum("callsToday"), callsThisHour: sum("callsThisHour") };
    });
  }

  /** Creates a token and returns its secret, which is not stored. */
  createToken(
    userName: string,
    label: string,
    lifetimeMs: number | null,
  ): { token: string; id: number } {
    const user = this.#getUser(userName);
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
    const createdAt = this.#clock();
    const expiresAt = lifetimeMs === null ? null : createdAt + lifetimeMs;
    const { tokens: most } = this.#plans[plan];
    const row = { userId: user.id, ...fingerprint, label, createdAt, expiresAt };
    const id = this.#access.tokens.add(row, most);
    if (id === null) {
      throw new BourseError(
        "invalid_argument",
        `${userName} holds ${most} live ${most === 1 ? "token" : "tokens"}, as many as plan ${plan} allows; revoke one with \`token revoke ID\` or choose a larger plan with \`user plan\`.`,
      );
    }
    return { token, id };
  }

  /** The tokens of one user, or of all, with their calls today and this hour (UTC). */
  listTokens(userName: string | null) {
    if (userName !== null) this.#getUser(userName);
    return this.#listTokens(userName);
  }

  /** Revokes a token from the next call on. */
  revokeToken(id: number): void {
    if (!this.#access.tokens.revoke(id, this.#clock())) {
      throw new BourseError("not_found", `There is no token ${id}; \`token list\` shows all.`);
    }
  }

  #getUser(name: string) {
    const user = this.#access.users.find(name);
    if (user) return user;
    throw new BourseError(
      "not_found",
      `There is no user ${name}; \`user list\` shows all, \`user add ${name}\` adds one.`,
    );
  }

  #listTokens(userName: string | null) {
    const { tokens, usage } = this.#access;
    return tokens.list(userName).map((token) => {
      const { dayUsed, hourUsed } = usage.get(token.id, this.#clock());
      return { ...token, callsToday: dayUsed, callsThisHour: hourUsed };
    });
  }
}

function parsePlan(text: string): PlanName {
  const plan = text.toLowerCase();
  if (isPlanName(plan)) return plan;
  throw new BourseError(
    "invalid_argument",
    `The plan must be one of ${PLAN_NAMES.join(", ")}, not ${text}.`,
  );
}
