import { expect, test } from "bun:test";
import { normalForm } from "#lib/normal-form.ts";

test("a text is in the form that is wanted", () => {
  // U+00E9 is e and U+0301. The half-width ﾊﾟ is the full-width パ, U+30D1.
  expect(normalForm("e\u0301", "NFC")).toBe("\u00e9");
  expect(normalForm("\u00e9", "NFD")).toBe("e\u0301");
  expect(normalForm("ﾊﾟ１", "NFKC")).toBe("\u30d11");
});

test("a run of marks is cut after 30, and the marks of letters stay", () => {
  const run = "\u0315\u0300".repeat(50_000);
  // In order, the 15 marks of class 230 come before the 15 marks of class 232.
  const sorted = `\u0300`.repeat(15) + `\u0315`.repeat(15);
  expect(normalForm(`b${run}c`, "NFD")).toBe(`b${sorted}c`);
  expect(normalForm(`b${"\uff9e\u0300".repeat(50_000)}`, "NFKD")).toHaveLength(31);
  const words = "Cổ phiếu ".repeat(100);
  expect(normalForm(words, "NFD")).toBe(words.normalize("NFD"));
});
