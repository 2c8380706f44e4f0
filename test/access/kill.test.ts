import { afterAll, expect, test } from "bun:test";
import { PLANS } from "#access/plans.ts";
import { bunCommand, endChildren } from "../support/child-process.ts";
import { MAIN } from "../support/cli.ts";
import { proveKills } from "../support/kill-proof.ts";

afterAll(endChildren);

test("a service killed under load has counted every answered call, and at most a lease too many", async () => {
  const proof = await proveKills(bunCommand(MAIN), 3);
  expect(proof).toMatchObject({ forgotten: 0, overcountSlow: 0, overCeiling: 0 });
  expect(proof.overcountHot).toBeLessThanOrEqual(PLANS.max.lease);
  // Every round had calls that could be lost.
  expect(proof.answered).toBeGreaterThan(3 * 200);
}, 600_000);
