import { expect, test } from "bun:test";
import { normalAt, seedOf, uniformAt, pinToZero, meanRevertingPath } from "#sample/random.ts";

const DRAWS = 20_000;
const SEED = seedOf("any text");

const momentsOf = (values: ArrayLike<number>) => {
  const all = Array.from(values);
  const mean = all.reduce((sum, x) => sum + x, 0) / all.length;
  return { mean, deviation: Math.sqrt(all.reduce((s, x) => s + (x - mean) ** 2, 0) / all.length) };
};
const draws = (at: (seed: number, position: number) => number) =>
  Array.from({ length: DRAWS }, (_, i) => at(SEED, i));

test("the seed of a text is its FNV-1a hash", () => {
  // Published vectors of 32-bit FNV-1a: the empty text, "a" and "foobar".
  expect(["", "a", "foobar"].map(seedOf)).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
});

test("uniform draws fill 0 to 1 evenly", () => {
  const values = draws(uniformAt);
  expect(values.every((x) => x >= 0 && x < 1)).toBe(true);
  const { mean, deviation } = momentsOf(values);
  expect(mean).toBeCloseTo(1 / 2, 2);
  expect(deviation).toBeCloseTo(1 / Math.sqrt(12), 2);
});

test("normal draws have mean 0 and deviation 1, and none is beyond 2√3", () => {
  const values = draws(normalAt);
  expect(Math.max(...values.map(Math.abs))).toBeLessThanOrEqual(2 * Math.sqrt(3));
  const { mean, deviation } = momentsOf(values);
  expect(Math.abs(mean)).toBeLessThan(0.03);
  expect(Math.abs(deviation - 1)).toBeLessThan(0.03);
});

test("a mean-reverting path has its deviation and half-life, and its beginning does not depend on its length", () => {
  const process = { deviation: 0.2, halfLife: 10 };
  const values = meanRevertingPath(SEED, DRAWS, process);
  const { deviation } = momentsOf(values);
  expect(Math.abs(deviation / 0.2 - 1)).toBeLessThan(0.1);
  // The half-life is ten steps, so values ten steps apart have a correlation of 1/2.
  const products = Array.from(values.subarray(10), (x, i) => x * (values[i] ?? 0));
  expect(Math.abs(momentsOf(products).mean / deviation ** 2 - 0.5)).toBeLessThan(0.1);
  expect(meanRevertingPath(SEED, 50, process)).toEqual(values.slice(0, 50));
});

test("a pinned path is 0 at its step, and has its usual deviation and mean far from it", () => {
  const process = { deviation: 0.2, halfLife: 10 };
  const values = pinToZero(meanRevertingPath(SEED, DRAWS, process), process, 500);
  expect(values[500]).toBe(0);
  const far = values.subarray(700);
  const { mean, deviation } = momentsOf(far);
  // The tolerance allows for the correlation of neighbouring values.
  expect(Math.abs(mean)).toBeLessThan(0.03);
  expect(Math.abs(deviation / 0.2 - 1)).toBeLessThan(0.1);
});
