import { expect, test } from "bun:test";
import { NoSlot, type SlotLimits, Slots } from "#lib/slots.ts";

const LIMITS = { slots: 2, maxWaiting: 3, patienceMs: 60_000 };

/** Tasks in slots, which end when the test says so. */
function createTasks(limits: SlotLimits = LIMITS) {
  const slots = new Slots(limits);
  const begun: number[] = [];
  const gates = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
  const start = (i: number) =>
    slots.use(async () => {
      begun.push(i);
      await gates[i]?.promise;
      return i;
    });
  return { begun, start, end: (i: number) => gates[i]?.resolve() };
}

test("as many tasks run at once as there are slots, the others in order", async () => {
  const { begun, start, end } = createTasks();
  const all = [0, 1, 2, 3].map(start);
  expect(begun).toEqual([0, 1]);
  end(1);
  await all[1];
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2]);
  for (const i of [0, 2, 3]) end(i);
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
});

test("a task is refused at once if too many wait", async () => {
  const { begun, start, end } = createTasks();
  const all = [0, 1, 2, 3, 4].map(start);
  const refused = await start(5).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NoSlot);
  for (const i of [0, 1, 2, 3, 4]) end(i);
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

test("a task that waited too long is refused and never runs", async () => {
  const { begun, start, end } = createTasks({ ...LIMITS, patienceMs: 0 });
  const first = [0, 1].map(start);
  const refused = await start(2).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NoSlot);
  for (const i of [0, 1, 3]) end(i);
  await Promise.all(first);
  expect(await start(3)).toBe(3);
  expect(begun).toEqual([0, 1, 3]);
});

test("tasks that the pace of the others makes too late are refused", async () => {
  const time = { now: 0 };
  const limits = { slots: 1, maxWaiting: 9, patienceMs: 8_000, clock: () => time.now };
  const { begun, start, end } = createTasks(limits);
  const all = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => start(i).catch((error: unknown) => error));
  // Less than a quarter of the patience is over; then, fewer than four have begun.
  for (const [i, now] of [1_900, 2_100, 5_900].entries()) {
    time.now = now;
    end(i);
    await all[i];
  }
  // Four have begun in 6 s, each after 1.5 s. Twice the 2 s that are left are enough for two of the four that wait.
  time.now = 6_000;
  end(3);
  await all[3];
  expect(await Promise.all(all.slice(7))).toEqual([expect.any(NoSlot), expect.any(NoSlot)]);
  for (const i of [4, 5, 6]) end(i);
  expect(await Promise.all(all.slice(4, 7))).toEqual([4, 5, 6]);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("a task that fails frees its slot", async () => {
  const slots = new Slots({ ...LIMITS, slots: 1 });
  const failing = slots.use(() => Promise.reject(new Error("broken")));
  expect(await failing.catch(String)).toBe("Error: broken");
  expect(await slots.use(async () => "runs")).toBe("runs");
});
