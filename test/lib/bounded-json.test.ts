import { expect, test } from "bun:test";
import { findJsonExcess } from "#lib/bounded-json.ts";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const excessOf = (text: string) => findJsonExcess(text, { maxDepth: 64, maxContainers: 1_000 });

test("JSON can be as deep as its limit but not deeper", () => {
  expect(excessOf(nested(64))).toBeNull();
  expect(excessOf(nested(65))).toBe("is nested more than 64 levels deep");
  expect(excessOf('{"a":'.repeat(65))).toBe("is nested more than 64 levels deep");
});

test("brackets in strings do not count, and brackets side by side are one level", () => {
  const inString = nested(1_000);
  for (const text of [inString, `\\"${inString}`, `\\\\"${inString}\\`])
    expect(excessOf(JSON.stringify(text))).toBeNull();
  expect(excessOf(`[${Array.from({ length: 999 }, () => "[]").join(",")}]`)).toBeNull();
});

test("JSON can have as many arrays and objects as its limit but not more", () => {
  const many = (count: number) => `[${"{},".repeat(count - 2)}{}]`;
  expect(excessOf(many(1_000))).toBeNull();
  expect(excessOf(many(1_001))).toBe("has more than 1000 arrays and objects");
});

test.each(["", '"open', '"open\\', "<html>", "]]]]"])("%p is within the limits", (text) => {
  expect(excessOf(text)).toBeNull();
});
