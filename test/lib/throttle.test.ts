import { describe, expect, test } from "bun:test";
import { Throttle, runFor, type Urgency, type WorkCaller } from "#lib/throttle.ts";
import { createVirtualTime } from "../support/virtual-time.ts";

/** A throttle on a clock that moves only by sleeping, with the start times of the work. */
function openThrottle(options: { intervalMs: number; concurrency: number }) {
  const time = { now: 1_000_000 };
  const begin = time.now;
  const sleeps: number[] = [];
  const throttle = new Throttle({
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
        throttle.run(async () => {
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
    await throttle.run(async () => {});
    time.now += 200;
    await throttle.run(async () => {});
    time.now += 150;
    await throttle.run(async () => {});
    expect(sleeps).toEqual([50]);
  });

  test.each([1, 2, 4])("runs at most %d at once", async (concurrency) => {
    const { throttle } = openThrottle({ intervalMs: 0, concurrency });
    let [running, most] = [0, 0];
    const gates = Array.from({ length: 9 }, () => Promise.withResolvers<undefined>());
    const all = gates.map(({ promise }) =>
      throttle.run(async () => {
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
      throttle.run(() => Promise.reject(new Error("first"))),
      throttle.run(() => {
        throw new Error("second");
      }),
      throttle.run(async () => "third"),
    ]);
    expect(
      outcomes.map((one) => (one.status === "fulfilled" ? one.value : String(one.reason))),
    ).toEqual(["Error: first", "Error: second", "third"]);
  });

  test("a clock that was set back delays work by at most the interval × the concurrency", async () => {
    const { throttle, time, sleeps } = openThrottle({ intervalMs: 500, concurrency: 2 });
    await throttle.run(async () => {});
    time.now -= 3_600_000;
    await throttle.run(async () => {});
    expect(sleeps).toEqual([1_000]);
  });
});

describe("a throttle with callers", () => {
  /** One start a second. `add` notes the start of work that takes no time. */
  function openQueue(concurrency = 1) {
    const time = createVirtualTime(0, () => false);
    const { sleep } = time;
    const throttle = new Throttle({
      intervalMs: 1_000,
      concurrency,
      clock: () => time.now,
      sleep,
    });
    const starts: string[] = [];
    const add = (name: string, urgency: Urgency | WorkCaller, work = async () => {}) =>
      runFor(typeof urgency === "string" ? { urgency } : urgency, () =>
        throttle.run(async () => {
          starts.push(name);
          return work();
        }),
      );
    return { time, starts, throttle, add };
  }

  test("starts urgent work first, then series, then single work, each in the order of the calls", async () => {
    const { time, starts, throttle, add } = openQueue();
    const all = [
      add("running", "single"),
      add("single 1", "single"),
      add("series 1", "series"),
      add("urgent 1", "urgent"),
      add("single 2", "single"),
      add("series 2", "series"),
      // Work without a caller.
      throttle.run(async () => void starts.push("urgent 2")),
    ];
    await time.passUntil(Promise.all(all));
    expect(starts).toEqual([
      "running",
      "urgent 1",
      "urgent 2",
      "series 1",
      "series 2",
      "single 1",
      "single 2",
    ]);
  });

  test("lets no work wait for ever: a series has each fourth start, single work one of 61", async () => {
    const { time, starts, add } = openQueue();
    const all = Array.from({ length: 200 }, () =>
      (["single", "series", "urgent"] as const).map((one) => add(one, one)),
    );
    await time.passUntil(Promise.all(all.flat()));
    // The first call found an empty queue.
    const busy = starts.slice(1, 201);
    const places = (urgency: string) => busy.flatMap((one, i) => (one === urgency ? [i] : []));
    expect(places("series").slice(0, 5)).toEqual([3, 7, 11, 15, 19]);
    expect(places("single")).toEqual([60, 121, 182]);
  });

  test("gives single work no start while a series goes on, however slow its answers are", async () => {
    const { time, starts, add } = openQueue(2);
    const finished: number[] = [];
    const series = async () => {
      for (let i = 0; i < 5; i++) {
        await add("series", "series", () => time.sleep(1_400));
        // The answer is stored before the next piece begins.
        await time.sleep(200);
      }
      finished.push(time.now);
    };
    const single = async () => {
      for (let i = 0; i < 3; i++) await add("single", "single");
    };
    await time.passUntil(Promise.all([series(), single()]));
    // 5 × (1.4 + 0.2) seconds, as without other work.
    expect(finished).toEqual([8_000]);
    expect(starts).toEqual([...Array(5).fill("series"), ...Array(3).fill("single")]);
  });

  test("keeps a place for urgent work while other work waits for answers that do not come", async () => {
    const { time, starts, add } = openQueue(3);
    const hung = Promise.withResolvers<void>();
    const all = ["series 1", "single 1", "series 2", "single 2"].map((name) =>
      add(name, name.startsWith("series") ? "series" : "single", () => hung.promise),
    );
    await time.passUntil(time.sleep(5_000));
    expect(starts).toEqual(["series 1", "series 2"]);
    await time.passUntil(add("urgent", "urgent"));
    hung.resolve();
    await time.passUntil(Promise.all(all));
    expect(starts).toEqual(["series 1", "series 2", "urgent", "single 1", "single 2"]);
  });

  test("starts work earlier once a person waits for it", async () => {
    const { time, starts, add } = openQueue();
    const caller: WorkCaller = { urgency: "single" };
    const all = [add("running", "urgent"), add("series", "series"), add("joined", caller)];
    caller.urgency = "urgent";
    await time.passUntil(Promise.all(all));
    expect(starts).toEqual(["running", "joined", "series"]);
  });
});
