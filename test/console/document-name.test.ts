import { expect, test } from "bun:test";
import {
  describeName,
  describeTitle,
  faultOfName,
  faultOfTitle,
  nameOf,
  spareName,
  titledName,
} from "#console/app/parts/document-name.ts";
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

test.each([
  ["semis", "semis", ""],
  ["2026", "2026", ""],
  ["Cổ phiếu của tôi", "co-phieu-cua-toi", "Cổ phiếu của tôi"],
  [" Oil  that pays ", "oil-that-pays", "Oil that pays"],
  ["半導体", "list-1", "半導体"],
  // Its digits alone would say nothing.
  ["半導体 2", "list-1", "半導体 2"],
  ["AI 半導体", "ai", "AI 半導体"],
  ["Акции", "list-1", "Акции"],
  // 45 letters and spaces.
  [
    "The companies that I would like to buy later!",
    "the-companies-that-i-would-like-to-buy-l",
    undefined,
  ],
])("%p is saved under the name %p with the title %p", (text, name, title = text) => {
  expect(titledName(text, spareName("list", ["semis"]))).toEqual({ name, title });
});

test("a list without letters a-z gets the first free number, and keeps its name when it is renamed", () => {
  expect(spareName("list", [])).toBe("list-1");
  expect(spareName("list", ["list-1", "list-3"])).toBe("list-2");
  expect(spareName("screen", ["screen-2", "screen-1"])).toBe("screen-3");
  expect(titledName("半導体", "chips")).toEqual({ name: "chips", title: "半導体" });
});

test("a title has 1 to 60 characters of any kind, and its name for programs is said", () => {
  expect(["半導体", "a".repeat(60), ""].map(faultOfTitle)).toEqual(["", "", ""]);
  for (const text of [" ", "a".repeat(61)])
    expect(faultOfTitle(text)).toBe("Any letters, at most 60.");
  expect(describeTitle("Cổ phiếu")).toBe("Agents and programs call it co-phieu.");
  for (const text of ["", "semis", "半導体"])
    expect(describeTitle(text)).toBe("Any letters, at most 60.");
});
