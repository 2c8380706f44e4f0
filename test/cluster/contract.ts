import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { bunCommand, childEnv, resultOf, spawnChild } from "../support/child-process.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "../support/postgres.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

const ROOT = join(import.meta.dir, "../..");

describe.skipIf(IS_POSTGRES_MISSING)("two nodes that answer in turn", () => {
  let server: TestPostgres;
  beforeAll(async () => void (server = await TestPostgres.start(["max_connections=300"])));
  afterAll(() => server?.kill());

  test("keep the whole contract", async () => {
    const child = spawnChild(
      [
        ...bunCommand("test"),
        "test/contract",
        "test/operations/lists.test.ts",
        // A sign-in begins at one node and ends at the other.
        "test/http/other-sign-ins.test.ts",
        // It has no service, so nothing in it depends on the cluster.
        "--path-ignore-patterns=**/test/contract/returns*",
        "--timeout",
        "60000",
        "--only-failures",
      ],
      {
        cwd: ROOT,
        env: childEnv({ TEST_CLUSTER: server.url() }),
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    const { code, stderr } = await resultOf(child);
    expect(code === 0 ? "passed" : stderr).toBe("passed");
    // All files ran: there are as many tests as in the contract.
    expect(Number(/^ (\d+) pass$/m.exec(stderr)?.[1])).toBeGreaterThan(500);
  }, 600_000);
});
