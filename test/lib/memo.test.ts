import { describe, expect, test } from "bun:test";
import { Memo } from "#lib/memo.ts";

/** A memo, and how often it made a value. */
function counted(maxEntries = 10) {
  const memo = new Memo<string>(maxEntries);
  const made: string[] = [];
  const get = (key: string) =>
    memo.get(key, () => {
      made.push(key);
      return `of ${key.length}`;
    });
  return { memo, get, made };
}

describe("a memo", () => {
  test.each([1, 512, 513, 2_000, 32_768])("keeps the value of a key of %d characters", (length) => {
    const { memo, get, made } = counted();
    const key = "x".repeat(length);
    expect([get(key), get(key), memo.find(key)]).toEqual(
      Array.from({ length: 3 }, () => `of ${length}`),
    );
    expect(made.length).toBe(1);
  });

  test("keeps no value of a longer key", () => {
    const { memo, get, made } = counted();
    const key = "x".repeat(32_769);
    expect([get(key), get(key), memo.find(key)]).toEqual(["of 32769", "of 32769", undefined]);
    expect(made.length).toBe(2);
  });

  test("drops the oldest long keys beyond half a million characters, and keeps short ones", () => {
    const { memo, get } = counted();
    get("short");
    const keys = Array.from({ length: 20 }, (_, i) => String(i).padEnd(32_768, "x"));
    for (const key of keys) get(key);
    // 16 · 32,768 = 524,288.
    expect(keys.map((key) => memo.find(key) !== undefined)).toEqual(keys.map((_, i) => i >= 4));
    expect(memo.find("short")).toBe("of 5");
  });

  test("drops the oldest of the short keys beyond its number of entries", () => {
    const { memo, get } = counted(2);
    for (const key of ["a", "b", "c"]) get(key);
    expect(["a", "b", "c"].map((key) => memo.find(key))).toEqual([undefined, "of 1", "of 1"]);
  });
});
