import { expect, test } from "bun:test";
import { describeName, faultOfName, nameOf } from "#console/app/parts/document-name.ts";
import { slugOf } from "#domain/user-list.ts";

const TEXTS = ["Oil that pays", " my-list ", "Cổ phiếu", "Đầu tư 2", "a--b", "R&D!", "半導体 2"];

test.each(TEXTS)("%p has the name that the service finds it by", (text) => {
  expect(nameOf(text)).toBe(slugOf(text));
  expect(nameOf(text)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
});

test("what a name becomes is said before it is saved", () => {
  expect(describeName("Oil that pays")).toBe("It is saved as oil-that-pays.");
  expect(describeName("my-list ")).toBe("It is saved as my-list.");
  for (const text of ["my-list", ""]) {
    expect(describeName(text)).toBe("Letters a to z, digits and hyphens, at most 40.");
  }
});

test("a name without letters or digits, or one that is too long, is refused, not cut", () => {
  for (const text of ["半導体", " "]) {
    expect(faultOfName(text)).toBe(
      "Write a name with letters a to z or digits, because agents and programs use it too.",
    );
  }
  expect(faultOfName("a".repeat(41))).toBe("The name has 41 characters. Shorten it to 40.");
  expect(describeName("a".repeat(41))).toBe(faultOfName("a".repeat(41)));
  expect(["a".repeat(40), "Oil that pays", ""].map(faultOfName)).toEqual(["", "", ""]);
});
