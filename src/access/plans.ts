import type { Ceilings } from "#store/usage.ts";

/** The limits of a plan. */
export interface Plan extends Ceilings {
  /** Live tokens that a user may hold. */
  readonly tokens: number;
  /** Calls that a process may count in advance: a thousandth of the day, from 1 to 50. */
  readonly lease: number;
}

/** The name of a plan. The contract defines the first three; `unlimited` is for the operator. */
export type PlanName = "free" | "pro" | "max" | "unlimited";

/** The limits of every plan. */
export type Plans = Readonly<Record<PlanName, Plan>>;

/** A plan with these calls a day, calls an hour and live tokens. */
export function createPlan(daily: number, hourly: number, tokens: number): Plan {
  return { daily, hourly, tokens, lease: Math.min(50, Math.max(1, Math.floor(daily / 1_000))) };
}

/**
 * The plans with the contract's numbers, smallest first. The headers need integers, so the ceilings of
 * `unlimited` are more calls than a machine can answer in an hour. Nine digits stay below a Unix time.
 */
export const PLANS: Plans = {
  free: createPlan(100, 30, 1),
  pro: createPlan(5_000, 500, 5),
  max: createPlan(50_000, 5_000, 20),
  unlimited: createPlan(999_999_999, 999_999_999, 1_000),
};

/**
 * The data that a user may read in the console in an hour, over all sessions: much for a person, little for a
 * program, which uses a token.
 */
export const CONSOLE_READS: Readonly<Record<PlanName, number>> = {
  free: 1_000,
  pro: 5_000,
  max: 20_000,
  unlimited: 999_999_999,
};

/** The names of the plans, smallest first. */
export const PLAN_NAMES = Object.keys(PLANS) as PlanName[];

/** True if there is a plan of that name. */
export function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(PLANS, name);
}

/** The next larger plan that callers can get, or null for `max` and `unlimited`. */
export function nextPlan(name: PlanName): PlanName | null {
  return name === "free" ? "pro" : name === "pro" ? "max" : null;
}
