import { expect, test } from "bun:test";
import { MemoryWatch } from "#lib/garbage.ts";

test("MemoryWatch collects above 320 MB, and again after 64 MB more than the least use since", () => {
  // What is in use at each check, and what a collection leaves.
  const checks: readonly (readonly [before: number, after: number | null])[] = [
    [200, null],
    [319, null],
    [320, 290],
    [353, null],
    [354, 340],
    // Memory is given back later.
    [260, null],
    [323, null],
    [324, 324],
    [387, null],
    [388, 388],
    // A process that needs much collects no more often.
    [451, null],
    [452, 400],
  ];
  const MB = 2 ** 20;
  let used = 0;
  let left: number | null = null;
  let collections = 0;
  const watch = new MemoryWatch(
    () => used * MB,
    () => {
      collections++;
      used = left ?? used;
    },
    () => 0,
  );
  for (const [before, after] of checks) {
    [used, left, collections] = [before, after, 0];
    watch.check();
    expect([before, collections]).toEqual([before, after === null ? 0 : 1]);
  }
});

test("MemoryWatch blocks the thread no more after a collection that computes for more than 400 ms", () => {
  const collections: boolean[] = [];
  let [used, now, takesMs] = [400 * 2 ** 20, 0, 400];
  const watch = new MemoryWatch(
    () => used,
    (blocks) => {
      collections.push(blocks);
      now += takesMs;
    },
    () => now,
  );
  for (takesMs of [400, 401, 1, 1]) {
    watch.check();
    used += 64 * 2 ** 20;
  }
  expect(collections).toEqual([true, true, false, false]);
});
