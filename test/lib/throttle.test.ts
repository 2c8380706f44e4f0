import { describe, expect, test } from "bun:test";
import { createThrottle } from "#lib/throttle.ts";

/** A throttle on a clock that moves only by sleeping, with the start times of the work. */
function openThrottle(options: { intervalMs: number; concurrency: number }) {
  const time = { now: 1_000_000 };
  const begin = time.now;
  const sleeps: number[] = [];
  const throttle = createThrottle({
    ...options,
    clock: () => time.now,
    async sleep(ms) {
      sleeps.push(ms);
      time.now += ms;
    },
  });
  return { throttle, time, sleeps, since: () => time.now - begin };
}

describe("a throttle", () => {
  test("starts work in the order of the calls, at least an interval apart", async () => {
    const { throttle, since } = openThrottle({ intervalMs: 200, concurrency: 1 });
    const starts: [number, number][] = [];
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        throttle(async () => {
          starts.push([i, since()]);
          return i;
        }),
      ),
    );
    // Five starts a second.
    expect(starts).toEqual([0, 1, 2, 3, 4, 5].map((i) => [i, i * 200]));
    expect(results).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("does not wait if the interval has passed", async () => {
    const { throttle, time, sleeps } = openThrottle({ intervalMs: 200, concurrency: 1 });
    await throttle(async () => {});
    time.now += 200;
    await throttle(async () => {});
    time.now += 150;
    await throttle(async () => {});
    expect(sleeps).toEqual([50]);
  });

  test.each([1, 2, 4])("runs at most %d at once", async (concurrency) => {
    const { throttle } = openThrottle({ intervalMs: 0, concurrency });
    let [running, most] = [0, 0];
    const gates = Array.from({ length: 9 }, () => Promise.withResolvers<undefined>());
    const all = gates.map(({ promise }) =>
      throttle(async () => {
        most = Math.max(most, ++running);
        await promise;
        running--;
      }),
    );
    await Promise.resolve();
    expect(running).toBe(concurrency);
    for (const { resolve } of gates) resolve(undefined);
    await Promise.all(all);
    expect([running, most]).toEqual([0, concurrency]);
  });

  test("failed work frees its place and rejects its own call", async () => {
    const { throttle } = openThrottle({ intervalMs: 0, concurrency: 1 });
    const outcomes = await Promise.allSettled([
      throttle(() => Promise.reject(new Error("first"))),
      throttle(() => {
        throw new Error("second");
      }),
      throttle(async () => "third"),
    ]);
    expect(
      outcomes.map((one) => (one.status === "fulfilled" ? one.value : String(one.reason))),
    ).toEqual(["Error: first", "Error: second", "third"]);
  });

  test("a clock that was set back delays work by at most the interval × the concurrency", async () => {
    const { throttle, time, sleeps } = openThrottle({ intervalMs: 500, concurrency: 2 });
    await throttle(async () => {});
    time.now -= 3_600_000;
    await throttle(async () => {});
    expect(sleeps).toEqual([1_000]);
  });
});
