import { describe, expect, test } from "bun:test";
import { JsonLimitError, parseBoundedJson } from "#lib/bounded-json.ts";

const parse = (text: string) => parseBoundedJson(new TextEncoder().encode(text));
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("JSON of limited depth", () => {
  test.each([
    "{}",
    "\uFEFF[1]",
    ' {"a": [1, 2, {"b": null}], "c": "[[[{{{"} ',
    '"a \\" quote, a \\\\ and [ in a string"',
    '{"東証": "\\u005b\\"["}',
    "-1.5e3",
  ])("%s equals the result of JSON.parse", (text) => {
    expect(parse(text)).toEqual(JSON.parse(text.replace("\uFEFF", "")));
  });

  test("can be 64 levels deep but not deeper", () => {
    expect(parse(nested(64))).toEqual(JSON.parse(nested(64)));
    expect(() => parse(nested(65))).toThrow(JsonLimitError);
    // Brackets in strings do not count, and brackets side by side are one level.
    expect(parse(JSON.stringify(nested(1_000)))).toBe(nested(1_000));
    expect(parse(`[${Array.from({ length: 1_000 }, () => "[]").join(",")}]`)).toHaveLength(1_000);
  });

  test("can have two million arrays and objects but not more", () => {
    const many = (count: number) => `[${"{},".repeat(count - 2)}{}]`;
    expect(parse(many(2_000_000))).toHaveLength(1_999_999);
    expect(() => parse(many(2_000_001))).toThrow("more than 2000000 arrays and objects");
  });

  test.each(["", "{", '"open', '"open\\', "[1,]", "<html>", nested(3).slice(1)])(
    "%p is no JSON",
    (text) => {
      expect(() => parse(text)).toThrow(SyntaxError);
    },
  );
});
