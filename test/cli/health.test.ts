import { afterAll, describe, expect, test } from "bun:test";
import { startService } from "../support/service.ts";
import { expectFailure, run } from "../support/cli.ts";

const service = await startService({ sample: false });
afterAll(() => service.stop());
const { port } = new URL(service.origin);

describe("health", () => {
  test("says that the service runs", async () => {
    const { code, stdout, stderr } = await run({ BOURSE_PORT: port }, "health");
    expect([code, JSON.parse(stdout), stderr]).toEqual([0, { status: "ok" }, ""]);
    // A service that listens everywhere answers on loopback.
    expect((await run({ BOURSE_PORT: port, BOURSE_HOST: "0.0.0.0" }, "health")).code).toBe(0);
  });

  test("asks with --ready if it can do its work, and prints why it cannot", async () => {
    // Its market is empty.
    const env = { BOURSE_PORT: port };
    const { code, stdout, stderr } = await run(env, "health", "--ready");
    expect([code, JSON.parse(stdout).status]).toEqual([1, "not ready"]);
    expect(stderr).toContain(`${service.origin}/health/ready answers with status 503.`);
    const json = await run(env, "health", "--ready", "--json");
    expect(JSON.parse(json.stdout)).toEqual({ url: `${service.origin}/health/ready`, status: 503 });
  });

  test("fails in one sentence where no service answers", async () => {
    const closed = Bun.serve({ port: 0, fetch: () => new Response("") });
    const env = { BOURSE_PORT: String(closed.port) };
    await closed.stop(true);
    expectFailure(await run(env, "health"), "No service answers at http://127.0.0.1:");
  });
});
