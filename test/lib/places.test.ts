import { expect, test } from "bun:test";
import { nextTurn } from "#lib/next-turn.ts";
import { Places } from "#lib/places.ts";

test("work without a pause leaves turns to other work, and is done in order", async () => {
  const places = new Places(2);
  const done: number[] = [];
  const all = [0, 1, 2, 3, 4].map((i) => places.run(() => done.push(i)));
  // The first two without a promise.
  expect(all.slice(0, 2)).toEqual([1, 2]);
  expect(done).toEqual([0, 1]);
  await nextTurn();
  expect(done).toEqual([0, 1, 2, 3]);
  expect(await all.at(-1)).toBe(5);
  expect(done).toEqual([0, 1, 2, 3, 4]);
  await nextTurn();
  await nextTurn();
  expect(places.run(() => 7)).toBe(7);
});

test("work that takes several turns keeps its place until it ends, also with an error", async () => {
  const places = new Places(1);
  const gate = Promise.withResolvers<number>();
  const first = places.run(() => gate.promise);
  const began: string[] = [];
  const second = places.run(() => {
    began.push("second");
    throw new Error("second");
  });
  const third = places.run(() => began.push("third"));
  await nextTurn();
  await nextTurn();
  expect(began).toEqual([]);
  gate.reject(new Error("first"));
  for (const [work, message] of [
    [first, "first"],
    [second, "second"],
  ] as const)
    expect(await Promise.resolve(work).catch((error: Error) => error.message)).toBe(message);
  expect(await third).toBe(2);
});
