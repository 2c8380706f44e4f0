import { describe, expect, test } from "bun:test";
import { closest, closestLengths } from "#lib/closest.ts";

const CATEGORIES = ["gdp", "labor", "prices", "money", "consumer", "housing", "business"];

describe("closest", () => {
  // Edits counted by hand: swapping two adjacent letters is two edits.
  test.each([
    ["prcies", "prices"],
    ["price", "prices"],
    ["PRICES", "prices"],
    ["labour", "labor"],
    ["bussines", "business"],
    ["gdpp", "gdp"],
  ])("%s means %s", (written, candidate) => {
    expect(closest(written, CATEGORIES)).toBe(candidate);
  });

  test("a candidate is not suggested if the distance exceeds a third of its letters", () => {
    // `consumer` has eight letters: two edits are close enough, three are not.
    expect(closest("consumxx", CATEGORIES)).toBe("consumer");
    expect(closest("consuxxx", CATEGORIES)).toBeNull();
    expect(closest("weather", CATEGORIES)).toBeNull();
    expect(closest("", CATEGORIES)).toBeNull();
    expect(closest("gdp", [])).toBeNull();
  });

  test("the closest candidate wins, and the first of equally close ones", () => {
    expect(closest("AAP", ["AAPL", "AAP", "AA"])).toBe("AAP");
    expect(closest("FPX", ["FPT", "FPS"])).toBe("FPT");
  });

  test("only the first characters of a long word count", () => {
    const beginning = "x".repeat(40);
    expect(closest("x".repeat(1_000_000), [...CATEGORIES, beginning])).toBe(beginning);
  });

  // A third of 6 letters is 2, so 4 letters can mean 6; a third of 7 is 2 too, which is too few.
  test.each([
    ["ABCD", 3, 6],
    ["ABCDEFGHIJKLMNOPQRST", 15, 30],
    ["", 0, 0],
  ])("a candidate for %s has %i to %i letters", (written, shortest, longest) => {
    expect(closestLengths(written)).toEqual({ shortest, longest });
    for (let length = 1; length < 60; length++) {
      const candidate = written.padEnd(length, "Z").slice(0, length);
      const isNear = closest(written, [candidate]) !== null;
      expect(isNear).toBe(length >= shortest && length <= longest);
    }
  });
});
