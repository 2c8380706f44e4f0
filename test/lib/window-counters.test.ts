import { describe, expect, test } from "bun:test";
import { closeSync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createWindowCounters, WINDOW_COUNTERS_BYTES } from "#lib/window-counters.ts";
import { openFolder } from "../support/access.ts";

const openCounters = () => createWindowCounters(new ArrayBuffer(WINDOW_COUNTERS_BYTES), 42);

describe("window counters", () => {
  test("count up to the limit, each key and each window by itself", () => {
    const counters = openCounters();
    const counted = (key: string, window: number, times: number) =>
      Array.from({ length: times }, () => counters.count(key, window, 3)).filter(Boolean).length;
    expect(counted("a", 100, 5)).toBe(3);
    expect(counted("b", 100, 5)).toBe(3);
    expect(counted("", 100, 5)).toBe(3);
    expect(counted("a", 101, 5)).toBe(3);
    expect(counted("a", 200, 5)).toBe(3);
  });

  test("give nothing twice to who read the clock just before the others", () => {
    const counters = openCounters();
    for (let i = 0; i < 3; i++) expect(counters.count("a", 101, 3)).toBe(true);
    expect(counters.count("a", 100, 3)).toBe(false);
    expect(counters.count("a", 101, 3)).toBe(false);
  });

  test("begin anew where the clock steps back", () => {
    const counters = openCounters();
    for (let i = 0; i < 3; i++) counters.count("a", 100, 3);
    expect(counters.count("a", 40, 3)).toBe(true);
  });

  test("keep 60,000 keys apart in two megabytes", () => {
    expect(WINDOW_COUNTERS_BYTES).toBe(2 * 2 ** 20);
    const counters = openCounters();
    for (let i = 0; i < 60_000; i++) expect(counters.count(`10.0.${i}`, 7, 1)).toBe(true);
    for (let i = 0; i < 60_000; i++) expect(counters.count(`10.0.${i}`, 7, 1)).toBe(false);
  });

  test("forget some of a million keys, and refuse none that is new", () => {
    const counters = openCounters();
    for (let i = 0; i < 1_000_000; i++) {
      if (!counters.count(`10.1.${i}`, 7, 1)) throw new Error(`${i} is refused`);
    }
    expect(counters.count("10.1.999999", 7, 1)).toBe(false);
  });

  test("go on where a process was killed while it wrote a key", () => {
    const memory = new ArrayBuffer(WINDOW_COUNTERS_BYTES);
    const words = new Int32Array(memory);
    for (let slot = 0; slot < words.length; slot += 4) words[slot] = -1;
    const counters = createWindowCounters(memory, 1);
    const counted = [1, 2, 3].map(() => counters.count("a", 9, 2));
    expect(counted).toEqual([true, true, false]);
  });

  test("are exact among processes that share the memory", async () => {
    using folder = openFolder();
    const path = join(folder.path, "counters");
    const file = openSync(path, "w");
    ftruncateSync(file, WINDOW_COUNTERS_BYTES);
    closeSync(file);
    const worker = fileURLToPath(new URL("../support/count-worker.ts", import.meta.url));
    const workers = [1, 2, 3].map(() =>
      Bun.spawn([process.execPath, worker, path], { stdout: "pipe" }),
    );
    const counted = await Promise.all(
      workers.map(async ({ stdout }) => (await new Response(stdout).json()) as number[]),
    );
    // Of each key 1,000 pass, whoever counted them.
    const sums = [0, 1, 2].map((key) => counted.reduce((sum, one) => sum + (one[key] ?? 0), 0));
    expect(sums).toEqual([1_000, 1_000, 1_000]);
  });
});
