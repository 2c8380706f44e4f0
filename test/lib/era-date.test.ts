import { expect, test } from "bun:test";
import { isEraDate, parseEraDate } from "#lib/era-date.ts";

test.each([
  ["R8.11.27", "2026-11-27"],
  ["r8.1.5", "2026-01-05"],
  ["R1.5.7", "2019-05-07"],
  ["R元.5.1", "2019-05-01"],
  ["令和元年5月1日", "2019-05-01"],
  ["H31.4.26", "2019-04-26"],
  ["H1.1.9", "1989-01-09"],
  ["S64.1.7", "1989-01-07"],
  ["S49.9.24", "1974-09-24"],
  ["昭和元年12月25日", "1926-12-25"],
  ["T15/12/24", "1926-12-24"],
  ["大正元年7月30日", "1912-07-30"],
  ["M45.7.29", "1912-07-29"],
])("%s is %s", (text, date) => {
  expect(isEraDate(text)).toBe(true);
  expect(parseEraDate(text)).toBe(date);
});

test.each(["R0.5.1", "R1.4.30", "H31.5.1", "S64.1.8", "R8.2.29", "R8.13.1", "R元.4.30"])(
  "%s is no day of its era",
  (text) => {
    expect(isEraDate(text)).toBe(true);
    expect(parseEraDate(text)).toBeNull();
  },
);

test.each(["", "2026-11-27", "X8.11.27", "R8.11", "R8.11.27.1", "8.11.27"])(
  "%p is no date of an era",
  (text) => {
    expect(isEraDate(text)).toBe(false);
    expect(parseEraDate(text)).toBeNull();
  },
);
