import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cookieOf } from "../support/console-client.ts";
import { HAS_FAKETIME, TestCluster } from "../support/cluster.ts";
import { allowedMs, timeOf } from "../support/pace.ts";
import { IS_POSTGRES_MISSING, TestPostgres, until } from "../support/postgres.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

let server: TestPostgres;
beforeAll(async () => {
  if (!IS_POSTGRES_MISSING) server = await TestPostgres.start();
});
afterAll(() => server?.kill());

describe.skipIf(IS_POSTGRES_MISSING)("two nodes", () => {
  let cluster: TestCluster;
  beforeAll(async () => void (cluster = await TestCluster.start(server)));
  afterAll(() => cluster?.close());

  const status = async (node: number, token: string): Promise<number> => {
    const response = await cluster.processOf(node).get("/data/markets", token);
    await response.bytes();
    return response.status;
  };
  /** Checks that what a node answers becomes another value within a second. Its usual call is a measure of the machine. */
  const expectSoon = async <T>(ask: () => Promise<T>, value: T): Promise<void> => {
    const tookMs = await timeOf(async () => {
      while ((await ask()) !== value) await Bun.sleep(5);
    });
    expect(tookMs).toBeLessThan(allowedMs(1_000, await timeOf(ask)));
  };

  test("serve the owner's token, which the first one printed", async () => {
    const { ownersToken } = cluster.processOf(0);
    expect([await status(0, ownersToken), await status(1, ownersToken)]).toEqual([200, 200]);
  });

  test("keep four connections each: two that serve, one of the ingest, and one that listens", async () => {
    const count = async () => {
      const rows = await cluster.query<{ query: string }>(
        `SELECT query FROM pg_stat_activity
         WHERE application_name = 'bourse' AND datname = current_database()`,
      );
      return [rows.length, rows.filter(({ query }) => query.startsWith("LISTEN")).length];
    };
    await until(async () => expect(await count()).toEqual([2 * 4, 2 * 1]));
  });

  test("serve a new token at once, also a node that refused it before", async () => {
    await cluster.command("user", "add", "anna", "--plan", "pro");
    const token = (await cluster.command("token", "create", "anna")).trim();
    expect([await status(1, token), await status(0, token)]).toEqual([200, 200]);
  });

  test("refuse a revoked token within a second", async () => {
    await cluster.command("user", "add", "bert", "--plan", "pro");
    const token = (await cluster.command("token", "create", "bert")).trim();
    for (const node of [0, 1]) expect(await status(node, token)).toBe(200);
    const [{ id } = { id: 0 }] = await cluster.query<{ id: number }>(
      "SELECT tokens.id FROM tokens JOIN users ON users.id = user_id WHERE name = 'bert'",
    );
    await cluster.command("token", "revoke", String(id));
    for (const node of [0, 1]) await expectSoon(() => status(node, token), 401);
  });

  test("describe a new plan within a second", async () => {
    await cluster.command("user", "add", "cleo", "--plan", "pro");
    const token = (await cluster.command("token", "create", "cleo")).trim();
    const limit = async (node: number) => {
      const response = await cluster.processOf(node).get("/data/markets", token);
      await response.bytes();
      return response.headers.get("x-ratelimit-limit");
    };
    for (const node of [0, 1]) expect(await limit(node)).toBe("5000");
    await cluster.command("user", "plan", "cleo", "free");
    for (const node of [0, 1]) await expectSoon(() => limit(node), "100");
  });

  test("share the sessions of the console, and the lists of its users", async () => {
    const link = await cluster.command("console", "owner");
    const key = /#key=(\S+)/.exec(link)?.[1] ?? "";
    const [one, other] = cluster.nodes.map(({ process }) => process.url);
    const api = (origin: string | undefined, path: string, init: RequestInit, cookie = "") =>
      fetch(`${origin}/console/api/${path}`, {
        ...init,
        headers: {
          "sec-fetch-site": "same-origin",
          "content-type": "application/json",
          origin: origin ?? "",
          cookie,
        },
      });
    const signedIn = await api(one, "session", { method: "POST", body: JSON.stringify({ key }) });
    expect(signedIn.status).toBe(200);
    const { pair } = cookieOf(signedIn);
    const seen = await api(other, "me", {}, pair);
    expect([seen.status, await seen.text()]).toEqual([200, expect.stringContaining("owner")]);
    const items = [{ country: "US", symbol: "AAPL", shares: 10 }];
    const saved = await api(
      one,
      "lists/mine",
      { method: "PUT", body: JSON.stringify({ items }) },
      pair,
    );
    expect(saved.status).toBe(200);
    const read = await api(other, "lists/mine", {}, pair);
    expect(await read.json()).toMatchObject({ name: "mine", items });
    expect((await api(other, "lists/mine", { method: "DELETE" }, pair)).status).toBe(204);
    expect((await api(one, "lists/mine", {}, pair)).status).toBe(404);
    expect((await api(other, "session", { method: "DELETE" }, pair)).status).toBeLessThan(300);
    expect((await api(one, "me", {}, pair)).status).toBe(401);
  });

  test("have one leader; after it was paused for longer than its term, another one", async () => {
    const paused = await leaderOf(cluster);
    const [before] = await cluster.query<{ fence: number }>("SELECT fence FROM leader");
    paused.freeze();
    try {
      await until(async () => expect(await cluster.leader()).not.toBe(paused));
      await until(async () => expect(await cluster.leader()).not.toBeNull());
    } finally {
      paused.thaw();
    }
    const next = await leaderOf(cluster);
    expect(next).not.toBe(paused);
    const [after] = await cluster.query<{ fence: number }>("SELECT fence FROM leader");
    expect(Number(after?.fence)).toBeGreaterThan(Number(before?.fence));
    // The woken node serves, and does not lead.
    const { ownersToken } = cluster.processOf(0);
    await until(async () =>
      expect([await status(0, ownersToken), await status(1, ownersToken)]).toEqual([200, 200]),
    );
    await Bun.sleep(500);
    expect(await cluster.leader()).toBe(next);
  }, 600_000);
});

async function leaderOf(cluster: TestCluster) {
  await until(async () => expect(await cluster.leader()).not.toBeNull());
  const leader = await cluster.leader();
  if (!leader) throw new Error("There is no leader.");
  return leader;
}

if (!HAS_FAKETIME)
  process.stderr.write("SKIPPED: no faketime is installed (apt-get install faketime).\n");

describe.skipIf(IS_POSTGRES_MISSING || !HAS_FAKETIME)(
  "a node whose clock is seven minutes ahead",
  () => {
    let cluster: TestCluster;
    beforeAll(async () => {
      cluster = await TestCluster.start(server, {
        clockOf: (node) => (node === 1 ? "+7m" : undefined),
      });
    });
    afterAll(() => cluster?.close());

    test("counts in the windows of the database and says the same about their ends", async () => {
      const token = await cluster.createToken("free");
      const call = async (node: number) => {
        const response = await cluster.processOf(node).get("/data/markets", token.token);
        await response.bytes();
        const { headers } = response;
        const ends = /"daily";r=(\d+);t=(\d+), "hourly";r=(\d+);t=(\d+)/.exec(
          headers.get("ratelimit") ?? "",
        );
        return {
          status: response.status,
          reset: headers.get("x-ratelimit-reset"),
          ends: (ends ?? []).slice(1).map(Number),
        };
      };
      let [right, wrong] = [await call(0), await call(1)];
      // A full hour between the calls.
      if ((wrong.ends[3] ?? 0) > (right.ends[3] ?? 0))
        [right, wrong] = [await call(0), await call(1)];
      expect([right.status, wrong.status]).toEqual([200, 200]);
      expect(wrong.reset).toBe(right.reset);
      const [dayLeft = 0, dayEnds = 0, hourLeft = 0, hourEnds = 0] = right.ends;
      expect([wrong.ends[0], wrong.ends[2]]).toEqual([dayLeft - 1, hourLeft - 1]);
      expect(Math.abs((wrong.ends[1] ?? 0) - dayEnds)).toBeLessThan(5);
      expect(Math.abs((wrong.ends[3] ?? 0) - hourEnds)).toBeLessThan(5);
    }, 600_000);
  },
);
