import { expect, test } from "bun:test";
import { factorPath, meanRevertingPath, normalAt, seedOf, uniformAt } from "#sample/random.ts";

const DRAWS = 20_000;
const SEED = seedOf("any text");

const momentsOf = (values: ArrayLike<number>) => {
  const all = Array.from(values);
  const mean = all.reduce((sum, x) => sum + x, 0) / all.length;
  const moment = (power: number) => all.reduce((s, x) => s + (x - mean) ** power, 0) / all.length;
  return { mean, deviation: Math.sqrt(moment(2)), kurtosis: moment(4) / moment(2) ** 2 };
};
const draws = (at: (seed: number, position: number) => number) =>
  Array.from({ length: DRAWS }, (_, i) => at(SEED, i));

test("the seed of a text is its FNV-1a hash", () => {
  // Published vectors of 32-bit FNV-1a: the empty text, "a" and "foobar".
  expect(["", "a", "foobar"].map(seedOf)).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
});

test("uniform draws fill 0 to 1 evenly, normal draws have mean 0 and deviation 1", () => {
  const uniform = draws(uniformAt);
  expect(uniform.every((x) => x >= 0 && x < 1)).toBe(true);
  expect(momentsOf(uniform).mean).toBeCloseTo(1 / 2, 2);
  expect(momentsOf(uniform).deviation).toBeCloseTo(1 / Math.sqrt(12), 2);
  const normal = momentsOf(draws(normalAt));
  expect(Math.abs(normal.mean)).toBeLessThan(0.03);
  expect(Math.abs(normal.deviation - 1)).toBeLessThan(0.03);
});

test("a mean-reverting path has its deviation, and its beginning does not depend on its length", () => {
  const process = { deviation: 0.2, halfLife: 10 };
  const values = meanRevertingPath(SEED, DRAWS, process);
  expect(Math.abs(momentsOf(values).deviation / 0.2 - 1)).toBeLessThan(0.1);
  expect(meanRevertingPath(SEED, 50, process)).toEqual(values.slice(0, 50));
});

test("a factor has its daily deviation, fat tails, and its known changes; it is 0 on its day", () => {
  const process = { deviation: 0.01, halfLife: 120, zeroAt: 500 };
  const { levels } = factorPath(SEED, DRAWS, process, new Map([[700, -0.12]]));
  const changes = levels.slice(1).map((level, i) => level - (levels[i] ?? 0));
  const { deviation, kurtosis } = momentsOf(changes);
  expect(Math.abs(deviation / 0.01 - 1)).toBeLessThan(0.15);
  expect(kurtosis).toBeWithin(5, 25);
  expect(levels[500]).toBe(0);
  // A day's reversion is at most a 170th of the distance.
  expect(Math.abs((changes[699] ?? 0) + 0.12)).toBeLessThan(0.005);
  expect(factorPath(SEED, 600, process).levels).toEqual(levels.slice(0, 600));
});
