import { describe, expect, test } from "bun:test";
import { closest } from "#lib/closest.ts";

const CATEGORIES = ["gdp", "labor", "prices", "money", "consumer", "housing", "business"];

describe("closest", () => {
  // Edits counted by hand: one swap of neighbours is two.
  test.each([
    ["prcies", "prices"],
    ["price", "prices"],
    ["PRICES", "prices"],
    ["labour", "labor"],
    ["bussines", "business"],
    ["gdpp", "gdp"],
  ])("%s is near %s", (written, candidate) => {
    expect(closest(written, CATEGORIES)).toBe(candidate);
  });

  test("what is more than a third of its letters apart is not offered", () => {
    // `consumer` has eight letters: two edits are near enough, three are not.
    expect(closest("consumxx", CATEGORIES)).toBe("consumer");
    expect(closest("consuxxx", CATEGORIES)).toBeNull();
    expect(closest("weather", CATEGORIES)).toBeNull();
    expect(closest("", CATEGORIES)).toBeNull();
    expect(closest("gdp", [])).toBeNull();
  });

  test("the nearest wins, of equals the first", () => {
    expect(closest("AAP", ["AAPL", "AAP", "AA"])).toBe("AAP");
    expect(closest("FPX", ["FPT", "FPS"])).toBe("FPT");
  });

  test("an over-long word costs no more than a short one", () => {
    const started = performance.now();
    expect(closest("x".repeat(1_000_000), CATEGORIES)).toBeNull();
    expect(performance.now() - started).toBeLessThan(100);
  });
});
