import { expect, test } from "bun:test";
import { PLANS } from "#access/plans.ts";
import { MAIN } from "../support/cli.ts";
import { proveKills } from "../support/kill-proof.ts";

test("a service killed under load has forgotten no call that it answered, and counted a lease too much at most", async () => {
  const proof = await proveKills([process.execPath, MAIN], 3);
  expect(proof).toMatchObject({ forgotten: 0, overcountSlow: 0, overCeiling: 0 });
  expect(proof.overcountHot).toBeLessThanOrEqual(PLANS.max.lease);
  // There were calls to forget, in every round.
  expect(proof.answered).toBeGreaterThan(3 * 200);
}, 30_000);
