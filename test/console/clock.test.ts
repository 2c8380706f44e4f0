import { afterEach, expect, test } from "bun:test";
import { Glob } from "bun";
import { compareClocks, pageDay, serviceNow, timeNow } from "#console/app/clock.ts";
import { today } from "#console/app/days.ts";
import { formatAgo, formatUntil } from "#console/app/format.ts";
import { reader } from "#console/app/reader.ts";

const APP = `${import.meta.dir}/../../src/console/app`;
const DAY_MS = 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();

afterEach(() => {
  pageDay.value = null;
  compareClocks(at(Date.now()));
  reader.value = { language: "en" };
});

test("the time is that of the service if the browser's clock is wrong", () => {
  for (const days of [-8, 1]) {
    const ahead = days * DAY_MS;
    const before = Date.now();
    compareClocks(at(before + ahead), before);
    expect(timeNow() - ahead).toBeWithin(before, Date.now() + 1);
    reader.value = { language: "en", timeZone: "UTC" };
    expect(today()).toBeOneOf([before, Date.now()].map((now) => at(now + ahead).slice(0, 10)));
  }
});

test("an answer that was made a minute ago is no other clock", () => {
  const before = Date.now();
  compareClocks(at(before - 60_000), before);
  expect(timeNow()).toBeWithin(before, Date.now() + 1);
});

test("on a past day it is the end of that day, and only records of the service have another age", () => {
  pageDay.value = "2023-03-31";
  reader.value = { language: "en", timeZone: "Asia/Tokyo" };
  const end = Date.UTC(2023, 2, 31, 23, 59, 59, 999);
  expect([timeNow(), today()]).toEqual([end, "2023-03-31"]);
  expect(formatUntil(end + 3_600_000)).toBe("in 60 min");
  expect(serviceNow()).toBeWithin(Date.now() - 1_000, Date.now() + 1);
  expect(formatAgo(serviceNow() - 300_000)).toBe("5 min ago");
});

test("a day that has not ended is now", () => {
  pageDay.value = "2999-12-31";
  expect(timeNow()).toBeWithin(Date.now() - 1_000, Date.now() + 1);
});

test("pages do not ask the browser's clock", async () => {
  const asking: string[] = [];
  for await (const name of new Glob("**/*.{ts,tsx}").scan(APP)) {
    if (/Date\.now|new Date\(\)/.test(await Bun.file(`${APP}/${name}`).text())) asking.push(name);
  }
  // session.ts compares the browser with itself.
  expect(asking.toSorted()).toEqual(["clock.ts", "session.ts"]);
});
