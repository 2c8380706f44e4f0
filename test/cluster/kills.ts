import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestCluster } from "../support/cluster.ts";
import { proveClusterKills } from "../support/cluster-kill-proof.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "../support/postgres.ts";

// Not part of the suite (no .test in its name): it needs Postgres. The bench has a longer proof.

describe.skipIf(IS_POSTGRES_MISSING)("nodes and a server killed under load", () => {
  let server: TestPostgres;
  let cluster: TestCluster;
  beforeAll(async () => {
    server = await TestPostgres.start();
    cluster = await TestCluster.start(server);
  });
  afterAll(async () => {
    await cluster?.close();
    await server?.kill();
  });

  test("have counted every answered call, never pass a ceiling, and lose at most their leases", async () => {
    const proof = await proveClusterKills(cluster, { rounds: 2, kills: 5 });
    expect(proof).toMatchObject({ forgotten: 0, overCeiling: 0, overCounted: 0, wrong: 0 });
    expect(proof.nodeKills + proof.serverKills).toBe(10);
    // Before each kill at least 50 calls had an answer.
    expect(proof.served).toBeGreaterThan(10 * 50);
  }, 600_000);
});
