import { describe, expect, test } from "bun:test";
import { readLimit } from "#console/app/pages/screen/limit.ts";
import { reader } from "#console/app/reader.ts";

describe("a limit is read in the notation of the reader", () => {
  test.each([
    ["en", "1,500", 1500, "1500"],
    ["en", "1,500.5", 1500.5, "1500.5"],
    ["en", "1.500", 1.5, "1.5"],
    ["en", "−0.50 %", -0.5, "-0.5"],
    ["en", "10b", 10e9, "10B"],
    ["en", "2T", 2e12, "2T"],
    ["ja", "2兆", 2e12, "2T"],
    ["ja", "1.5兆", 1.5e12, "1.5T"],
    ["ja", "2,000億", 200e9, "200B"],
    ["ja", "１５", 15, "15"],
    ["ja", "10B", 10e9, "10B"],
    ["vi", "1,5", 1.5, "1.5"],
    ["vi", "1.5", 1.5, "1.5"],
    ["vi", "0,50", 0.5, "0.5"],
    ["vi", "1.500", 1500, "1500"],
    ["vi", "1.500,5", 1500.5, "1500.5"],
    ["vi", "1,5 tỷ", 1.5e9, "1.5B"],
    ["vi", "2 nghìn tỷ", 2e12, "2T"],
    ["vi", "20 tỷ", 20e9, "20B"],
    ["vi", "10B", 10e9, "10B"],
    ["vi", "5 Tr", 5e6, "5M"],
  ] as const)("%s %s", (language, written, value, text) => {
    reader.value = { language };
    expect(readLimit(written)).toEqual({ value: { value, text, isStrict: false }, error: "" });
  });

  test.each([
    ["en", "1,5"],
    ["en", "1500,500"],
    ["en", "0,500"],
    ["vi", "0.500"],
    ["en", "1,500,5"],
    ["en", "-"],
    ["ja", "1,5"],
    ["vi", "1.500.5"],
    ["vi", "1500.500"],
  ] as const)("%s %s is refused", (language, written) => {
    reader.value = { language };
    const { value, error } = readLimit(written);
    expect([value, error]).toEqual([null, expect.stringContaining("Write decimals")]);
  });

  // T is 10¹² in English, and was tỷ, 10⁹, on Vietnamese pages.
  test.each([
    ["en", "2兆"],
    ["en", "abc"],
    ["vi", "1,5 T"],
    ["vi", "2 NT"],
  ] as const)("the unit in %s %s is refused", (language, written) => {
    reader.value = { language };
    const { value, error } = readLimit(written);
    expect([value, error]).toEqual([null, expect.stringContaining("Write a number")]);
  });

  test("spaces are no limit", () => {
    expect(readLimit("  ")).toEqual({ value: null, error: "" });
  });
});
