import { describe, expect, test } from "bun:test";
import { createTtlCache } from "#lib/ttl-cache.ts";

/** A cache of 30 s on a clock that the test moves, with a loader that counts its runs. */
function countingCache(maxEntries = 100, maxWeight = 1_000) {
  const time = { now: 1_000_000 };
  const cache = createTtlCache<{ load: number }>({
    ttlMs: 30_000,
    maxEntries,
    maxWeight,
    weigh: ({ load }) => load,
    clock: () => time.now,
  });
  let loads = 0;
  return { cache, time, load: () => ({ load: ++loads }), loads: () => loads };
}

describe("ttl cache", () => {
  test("a value is cached for its lifetime and not a millisecond longer", () => {
    const { cache, time, load } = countingCache();
    const first = cache.get("a", load);
    time.now += 29_999;
    expect(cache.get("a", load)).toBe(first);
    time.now += 1;
    expect(cache.get("a", load)).toEqual({ load: 2 });
  });

  test("a hit returns no promise, also if the value was loaded asynchronously", async () => {
    const { cache, load } = countingCache();
    await cache.get("a", async () => load());
    expect(cache.get("a", load)).toEqual({ load: 1 });
  });

  test("each key has its own value", () => {
    const { cache, load } = countingCache();
    expect(cache.get("a", load)).toEqual({ load: 1 });
    expect(cache.get("__proto__", load)).toEqual({ load: 2 });
    expect(cache.get("a", load)).toEqual({ load: 1 });
  });

  test("concurrent misses of one key load once", async () => {
    const { cache, load, loads } = countingCache();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const slow = async () => {
      await promise;
      return load();
    };
    const answers = Array.from({ length: 100 }, async () => cache.get("a", slow));
    resolve(undefined);
    expect(new Set(await Promise.all(answers)).size).toBe(1);
    expect(loads()).toBe(1);
  });

  test("a value's lifetime begins when it is loaded", async () => {
    const { cache, time, load } = countingCache();
    await cache.get("a", async () => {
      time.now += 20_000;
      return load();
    });
    time.now += 29_999;
    expect(cache.get("a", load)).toEqual({ load: 1 });
  });

  test("a failed load rejects all waiting calls and is not cached", async () => {
    const { cache, load } = countingCache();
    const fail = () => Promise.reject(new Error("no luck"));
    const waiting = [1, 2].map(async () => cache.get("a", fail));
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(cache.get("a", load)).toEqual({ load: 1 });

    const throwAtOnce = () => {
      throw new Error("no luck");
    };
    expect(() => cache.get("b", throwAtOnce)).toThrow("no luck");
    expect(cache.get("b", load)).toEqual({ load: 2 });
  });

  test("beyond the maximum the oldest entry is dropped", () => {
    const { cache, load, loads } = countingCache(2);
    for (const key of ["a", "b", "c"]) void cache.get(key, load);
    void cache.get("b", load);
    void cache.get("c", load);
    expect(loads()).toBe(3);
    void cache.get("a", load);
    expect(loads()).toBe(4);
  });

  test("a clock that was set back does not extend a value's lifetime", () => {
    const { cache, time, load } = countingCache();
    void cache.get("a", load);
    time.now -= 3_600_000;
    expect(cache.get("a", load)).toEqual({ load: 2 });
  });
});
