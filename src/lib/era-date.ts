import { isDate } from "./date.ts";

/** A Japanese era and its year: 令和5年1月4日, 平成元年1月8日, R5.1.4, S64/1/7. */
const ERA_DATE =
  /^(令和|平成|昭和|大正|明治|㋿|㍻|㍼|㍽|㍾|[RHSTM])\s*(元|\d{1,2})(?:年|([-/.]))(\d{1,2})(?:月|\3)(\d{1,2})日?(?:\(.\)|（.）)?$/iu;

/** The year before the first one of each era, and the day on which the era began, the newest era first. */
const ERAS: readonly (readonly [names: string, yearBefore: number, firstDay: string])[] = [
  ["令和 ㋿ R", 2018, "2019-05-01"],
  ["平成 ㍻ H", 1988, "1989-01-08"],
  ["昭和 ㍼ S", 1925, "1926-12-25"],
  ["大正 ㍽ T", 1911, "1912-07-30"],
  ["明治 ㍾ M", 1867, "1868-10-23"],
];

/** True if the text is written like a date of a Japanese era: `R8.11.27`, `令和元年5月1日`. */
export function isEraDate(text: string): boolean {
  return ERA_DATE.test(text);
}

/** The date `YYYY-MM-DD` of a Japanese era; null in another form and for a day outside the era, such as 平成31年5月1日. */
export function parseEraDate(text: string): string | null {
  const [, name = "", year = "", , month = "", day = ""] = ERA_DATE.exec(text) ?? [];
  const at = ERAS.findIndex(([names]) => names.split(" ").includes(name.toUpperCase()));
  const [, yearBefore = 0, firstDay = ""] = ERAS[at] ?? [];
  const inWest = yearBefore + (year === "元" ? 1 : Number(year));
  const date = `${inWest}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const end = ERAS[at - 1]?.[2] ?? "9999";
  return at >= 0 && isDate(date) && date >= firstDay && date < end ? date : null;
}
