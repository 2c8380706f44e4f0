import { afterAll, expect, test } from "bun:test";
import { endChildren } from "../support/child-process.ts";
import { proveAlertKills } from "../support/alert-kill-proof.ts";

afterAll(endChildren);

// 200 with `.ci/run`, which sets BOURSE_TEST_ALL.
const KILLS = process.env["BOURSE_TEST_ALL"] ? 200 : 4;

test("processes that are killed at statements of their store tell each message once", async () => {
  const proof = await proveAlertKills(KILLS, (i) => 11 + ((i * 7) % 61));
  const odd = Math.ceil(proof.steps / 2);
  expect(proof).toEqual({
    kills: KILLS,
    steps: proof.steps,
    // The price is low in odd steps, and high again in even ones.
    told: { low: odd, once: 1, "list:mine": odd, high: Math.floor(proof.steps / 2) },
    undelivered: 0,
    errors: "",
  });
  expect(proof.steps).toBeGreaterThan(KILLS / 4);
}, 600_000);
