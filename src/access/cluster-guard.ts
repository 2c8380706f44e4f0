import type { ClusterAccess } from "#store/access-cluster.ts";
import { ClusterLeases } from "./cluster-leases.ts";
import { ClusterPrincipals } from "./cluster-principals.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { createGuard, type Guard } from "./guard.ts";
import { PLANS, type Plans } from "./plans.ts";

/** The guard of a node of a cluster. */
export interface ClusterGuard extends Guard {
  /** The number of tokens whose calls were counted in advance. */
  heldLeases(): number;
}

/**
 * Creates the guard of a node of a cluster. It creates no promise for a known token with calls in hand.
 *
 * Its methods throw BourseError `unavailable` if the database cannot be reached and is needed.
 */
export function createClusterGuard(parts: {
  access: ClusterAccess;
  plans?: Plans;
  clock: DatabaseClock;
}): ClusterGuard {
  const { access, plans = PLANS, clock } = parts;
  const counter = new ClusterLeases({ access, plans, clock });
  const guard = createGuard({
    principals: new ClusterPrincipals({ access, clock }),
    counter,
    // The statement that counts calls refuses a token that has ended.
    isLive: () => true,
    plans,
    clock: () => clock.now(),
  });
  return { ...guard, heldLeases: () => counter.held };
}
