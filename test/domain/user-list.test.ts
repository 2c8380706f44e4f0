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

/** Letters whose lower or plain form has other letters, marks, signs and halves of a pair. */
const CHARACTERS = "aZ9-_ .đĐảẢİıßﬁ²½株Ａ\u0301\u200d/\0\ud83d".split("");

test("the name of any text is one that can be stored, or empty, and stays as it is", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 60 }), (characters) => {
      const name = slugOf(characters.join(""));
      expect(name === "" || Value.Check(DocumentName, name)).toBe(true);
      expect(slugOf(name)).toBe(name);
    }),
  );
});
