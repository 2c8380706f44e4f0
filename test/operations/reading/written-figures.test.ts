import { expect, test } from "bun:test";
import { readFigure } from "#operations/reading/written-figures.ts";

/** Text, value, the unit of its last digit, currency, and other values that it can mean. */
test.each([
  ["4.84 T USD", 4.84e12, 1e10, "USD"],
  ["$4.84 trillion", 4.84e12, 1e10, "USD"],
  ["-$1.2bn", -1.2e9, 1e8, "USD"],
  ["795.33億ドル", 79.533e9, 1e6, "USD"],
  ["198.17兆ドン", 198.17e12, 1e10, "VND"],
  ["43,06 nghìn tỷ yên", 43.06e12, 1e10, "JPY"],
  ["12,5 tỷ đô la Mỹ", 12.5e9, 1e8, "USD"],
  ["28.1兆円", 28.1e12, 1e11, "JPY"],
  ["1兆5,000億円", 1.5e12, 1e8, "JPY"],
  ["△1,234百万円", -1.234e9, 1e6, "JPY"],
  ["約4.2兆円", 4.2e12, 1e11, "JPY"],
  ["12億3400万円", 1.234e9, 1e4, "JPY"],
  ["432,5 tỷ USD", 432.5e9, 1e8, "USD"],
  ["4,31 NT USD", 4.31e12, 1e10, "USD"],
  ["1.234.567 đ", 1_234_567, 1, "VND"],
  ["(1,234.5)", -1_234.5, 0.1, null],
  ["−2.10%", -2.1, 0.01, null],
  ["27,5%", 27.5, 0.1, null],
  ["35.1x", 35.1, 0.1, null],
  ["35.1倍", 35.1, 0.1, null],
  ["１，２３４", 1_234, 1, null],
  ["1 234 567", 1_234_567, 1, null],
  ["3.91e11", 3.91e11, 1e9, null],
  ["391035 USD millions", 391_035e6, 1e6, "USD"],
  ["448.74BUSD", 448.74e9, 1e7, "USD"],
  ["14.16B shares", 14.16e9, 1e7, null],
  ["124 thousand", 124_000, 1_000, null],
  [35.12, 35.12, 0.01, null],
  [-4.3e-7, -4.3e-7, 1e-8, null],
] as const)("%p is a figure", (written, value, step, currency) => {
  const figure = readFigure(written);
  const [first] = figure?.numbers ?? [];
  expect(figure?.currency ?? null).toBe(currency);
  expect(first?.value).toBeCloseTo(value, Math.max(2, -Math.log10(step)));
  expect(Math.log10(first?.step ?? 0)).toBeCloseTo(Math.log10(step), 6);
});

test.each([
  ["1.608 tỷ", [1_608e9, 1.608e9], [true, true]],
  ["1,608 tỷ", [1.608e9, 1_608e9], [true, true]],
  ["1,608 B", [1_608e9, 1.608e9], [true, false]],
  ["1.608 B", [1.608e9, 1_608e9], [true, false]],
  ["65.850 JPY", [65_850, 65.85], [true, true]],
  ["¥65.850", [65_850, 65.85], [true, true]],
  ["1.608 T JPY", [1.608e12, 1_608e12], [true, false]],
  ["5,51 T", [5.51e12, 5.51e9], [true, true]],
] as const)("%s can be read in two ways", (written, values, open) => {
  const numbers = readFigure(written)?.numbers ?? [];
  expect(numbers.map(({ value }) => value)).toEqual([...values]);
  expect(numbers.map(({ isOpen }) => isOpen)).toEqual([...open]);
});

test("a JSON number has one meaning", () => {
  expect(readFigure(1.608, { isVietnamese: true })?.numbers).toHaveLength(1);
});

test.each([
  "",
  "—",
  "n/a",
  "ten",
  "12,34,5",
  "1.2.3",
  "5 trăm",
  "1兆2兆",
  "15 20",
  "1e400",
  "(12",
  "x".repeat(100),
])("%p is no figure", (written) => expect(readFigure(written)).toBeNull());

test("words can follow a figure of a series", () => {
  const figure = readFigure("424 million barrels of oil", { unitWords: ["bbl"] });
  expect(figure?.numbers.map(({ value }) => value)).toEqual([424e6]);
  expect(readFigure("424 million barrels of oil")).toBeNull();
});
