import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ClusterIpGate } from "#access/cluster-gate.ts";
import { DatabaseClock } from "#access/database-clock.ts";
import type { GateRefusal } from "#access/ip-gate.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import { FakeLink, FakeTime } from "../support/fake-cluster.ts";
import { START } from "../support/service.ts";

const MINUTE = 60_000;
const ADDRESS = "192.0.2.1";

/** A database that counts requests, and nodes whose clocks are wrong by these times. */
function openCluster(perMinute: number, skewsMs: readonly number[] = [0]) {
  const time = new FakeTime(START);
  const taken = new Map<string, number>();
  const nodes = skewsMs.map((skewMs) => {
    const link = new FakeLink(time);
    const gate = new ClusterIpGate(perMinute, {
      clock: new DatabaseClock(() => time.now + skewMs),
      access: {
        gate: {
          takeChunks: (wanted) =>
            link.send(
              () => ({
                now: time.now,
                granted: wanted.map(({ address, chunk, ceiling }) => {
                  const key = `${address} ${Math.floor(time.now / MINUTE)}`;
                  const before = taken.get(key) ?? 0;
                  taken.set(key, before + chunk);
                  return Math.max(0, Math.min(chunk, ceiling - before));
                }),
              }),
              () => {},
            ),
        },
      },
    });
    return { link, gate };
  });
  /** The results of requests that arrive at once at a node. */
  const send = async (node: number, addresses: readonly string[]) => {
    const results = Promise.all(
      addresses.map(async (address) => (await nodes[node]?.gate.check(address)) ?? null),
    );
    await time.pass(0);
    return results;
  };
  /** The number of requests that pass, one after the other. */
  const passing = async (node: number, address: string, requests: number): Promise<number> => {
    let passed = 0;
    for (let i = 0; i < requests; i++) if ((await send(node, [address]))[0] === null) passed++;
    return passed;
  };
  return { time, nodes, send, passing };
}

const isPromise = (result: Awaitable<GateRefusal | null> | undefined) => result instanceof Promise;

describe("the gate of a cluster", () => {
  test("lets 120 requests of a minute pass on all nodes together; the refusal names its end by the database's clock", async () => {
    const { time, nodes, send, passing } = openCluster(120, [0, 5 * MINUTE, -5 * MINUTE]);
    await time.pass(12_300);
    const passed = [];
    for (const node of nodes.keys()) passed.push(await passing(node, ADDRESS, 100));
    // The first node has taken 1 + 2 + 4 + 8 + 16 + 20 + 20 + 20 + 20 = 111.
    expect(passed).toEqual([100, 9, 0]);
    expect(await passing(0, ADDRESS, 100)).toBe(11);
    for (const node of nodes.keys()) {
      // 47.7 s, rounded up.
      expect(await send(node, [ADDRESS])).toEqual([
        { limit: 120, resetAt: START / 1_000 + 60, retryAfterSeconds: 48 },
      ]);
    }
  });

  test("takes up to a sixth of a large limit at a time", async () => {
    const { nodes, passing } = openCluster(60_000);
    expect(await passing(0, ADDRESS, 60_000)).toBe(60_000);
    // 1 + 2 + … + 8,192 = 16,383 in 14 statements; then 10,000 four times, and the rest.
    expect(nodes[0]?.link.sent).toBe(19);
  });

  test("asks for a chunk of twice as many requests each time, up to 20: 10 statements a minute", async () => {
    const { nodes, passing } = openCluster(120);
    expect(await passing(0, ADDRESS, 120)).toBe(120);
    // 1 + 2 + 4 + 8 + 16 + 20 + 20 + 20 + 20 = 111, and the rest.
    expect(nodes[0]?.link.sent).toBe(10);
  });

  test("does not refuse a client early whose requests go to eight nodes in turn", async () => {
    const { passing } = openCluster(120, Array(8).fill(0));
    for (let request = 0; request < 120; request++) {
      expect(await passing(request % 8, ADDRESS, 1)).toBe(1);
    }
    expect(await passing(0, ADDRESS, 1)).toBe(0);
  });

  test("remembers a refusal until the minute ends, without a statement, then lets 120 pass again", async () => {
    const { time, nodes, send, passing } = openCluster(120, [3 * MINUTE]);
    await time.pass(30_000);
    expect(await passing(0, ADDRESS, 121)).toBe(120);
    const sent = nodes[0]?.link.sent;
    await time.pass(29_999);
    expect(isPromise(nodes[0]?.gate.check(ADDRESS))).toBe(false);
    expect((await send(0, [ADDRESS]))[0]?.retryAfterSeconds).toBe(1);
    expect(nodes[0]?.link.sent).toBe(sent);
    await time.pass(1);
    expect(await passing(0, ADDRESS, 500)).toBe(120);
  });

  test("takes the chunks of all addresses of one turn in one statement", async () => {
    const { nodes, send } = openCluster(120);
    const addresses = Array.from({ length: 300 }, (_, i) => `address ${i}`);
    expect(await send(0, addresses)).toEqual(Array(300).fill(null));
    expect(nodes[0]?.link.sent).toBe(1);
  });

  test("takes one chunk for all requests of an address that wait, and refuses those above the rest", async () => {
    const { nodes, send } = openCluster(120);
    const results = await send(0, Array(200).fill(ADDRESS));
    expect(results.findIndex((refusal) => refusal !== null)).toBe(120);
    expect(results.filter((refusal) => refusal === null)).toHaveLength(120);
    expect(nodes[0]?.link.sent).toBe(1);
  });

  test("begins a new minute if the node's clock steps", async () => {
    const { time, passing } = openCluster(3);
    expect(await passing(0, ADDRESS, 9)).toBe(3);
    time.now -= 60 * MINUTE;
    expect(await passing(0, ADDRESS, 9)).toBe(3);
  });
});

describe("without the database", () => {
  test("each node counts for itself, and what it let pass before counts", async () => {
    const { time, nodes, passing } = openCluster(120, [0, 0]);
    expect(await passing(0, ADDRESS, 50)).toBe(50);
    for (const { link } of nodes) link.isDown = true;
    expect(await passing(0, ADDRESS, 500)).toBe(70);
    expect(await passing(1, ADDRESS, 500)).toBe(120);
    await time.pass(MINUTE);
    expect(await passing(0, ADDRESS, 500)).toBe(120);
    for (const { link } of nodes) link.isDown = false;
    await time.pass(MINUTE);
    expect((await passing(0, ADDRESS, 500)) + (await passing(1, ADDRESS, 500))).toBe(120);
  });

  test("and after a failed statement too, requests are counted and not failed", async () => {
    const { nodes, send, passing } = openCluster(120);
    const [node] = nodes;
    if (node) node.link.next = [{ toServerMs: 0, toNodeMs: 0, lost: "refused" }];
    expect(await send(0, [ADDRESS])).toEqual([null]);
    // The database did not count the first.
    expect(await passing(0, ADDRESS, 500)).toBe(120);
  });

  test("a request that waits for an answer is delayed by a second at most", async () => {
    const { time, nodes, send } = openCluster(120);
    const [node] = nodes;
    if (node) node.link.next = [{ toServerMs: 0, toNodeMs: 0, lost: "after" }];
    const result = node?.gate.check(ADDRESS);
    await time.pass(1_000);
    expect(await result).toBeNull();
    expect(await send(0, [ADDRESS])).toEqual([null]);
  });
});

test("nodes never let more requests of a minute pass together than the limit", async () => {
  const step = fc.record({
    node: fc.nat({ max: 2 }),
    requests: fc.integer({ min: 1, max: 40 }),
    address: fc.constantFrom("192.0.2.1", "192.0.2.2"),
    passMs: fc.oneof(fc.constant(0), fc.nat({ max: 40_000 })),
    delayMs: fc.nat({ max: 400 }),
  });
  const skews = fc.array(fc.integer({ min: -9 * MINUTE, max: 9 * MINUTE }), {
    minLength: 3,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(skews, fc.array(step, { maxLength: 30 }), async (skewsMs, steps) => {
      const { time, nodes } = openCluster(30, skewsMs);
      const passed = new Map<string, number>();
      for (const { node, requests, address, passMs, delayMs } of steps) {
        const { gate, link } = nodes[node] as (typeof nodes)[number];
        for (let i = 0; i < requests; i++) {
          link.next = [{ toServerMs: delayMs, toNodeMs: 0 }];
          const result = Promise.resolve(gate.check(address)).then((refusal) => {
            const key = `${address} ${Math.floor(time.now / MINUTE)}`;
            if (refusal === null) passed.set(key, (passed.get(key) ?? 0) + 1);
          });
          await time.pass(delayMs);
          await result;
        }
        await time.pass(passMs);
      }
      for (const count of passed.values()) expect(count).toBeLessThanOrEqual(30);
    }),
    { numRuns: 50 },
  );
});
