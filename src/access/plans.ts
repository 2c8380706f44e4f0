import type { Ceilings } from "#store/usage.ts";

/** What a plan allows. */
export interface Plan extends Ceilings {
  /** Live tokens that a user may hold. */
  readonly tokens: number;
  /** Calls that a process may count ahead at most: a thousandth of the day. */
  readonly lease: number;
}

/** The plans, smallest first. */
export const PLANS = {
  free: { daily: 100, hourly: 30, tokens: 1, lease: 1 },
  pro: { daily: 5_000, hourly: 500, tokens: 5, lease: 5 },
  max: { daily: 50_000, hourly: 5_000, tokens: 20, lease: 50 },
} as const satisfies Record<string, Plan>;

/** `free`, `pro` or `max`. */
export type PlanName = keyof typeof PLANS;

/** The names of the plans, smallest first. */
export const PLAN_NAMES = Object.keys(PLANS) as PlanName[];

/** True where there is a plan of that name. */
export function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(PLANS, name);
}

/** The next larger plan, or null for the largest. */
export function nextPlan(name: PlanName): PlanName | null {
  return PLAN_NAMES[PLAN_NAMES.indexOf(name) + 1] ?? null;
}
