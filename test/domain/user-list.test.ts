import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { DocumentName, slugOf } from "#domain/user-list.ts";

test.each([
  ["semis", "semis"],
  ["My List", "my-list"],
  ["  A__B!! 2 ", "a-b-2"],
  ["Cổ phiếu Đỏ", "co-phieu-do"],
  ["Käufe 2026", "kaufe-2026"],
  ["Ｓｅｍｉｓ", "semis"],
  ["半導体", ""],
  ["../../etc/passwd", "etc-passwd"],
  [`${"a".repeat(39)} b`, "a".repeat(39)],
])("the name of %j is %j", (written, name) => {
  expect(slugOf(written)).toBe(name);
});

test("the name of any text is one that can be stored, or empty, and stays as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      const name = slugOf(text);
      expect(name === "" || Value.Check(DocumentName, name)).toBe(true);
      expect(slugOf(name)).toBe(name);
    }),
    { numRuns: 30 },
  );
});
