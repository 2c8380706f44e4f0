import { expect, test } from "bun:test";
import { earlierChanges } from "#analytics/earlier-changes.ts";

/** Friday, 20 November 2026 and the five sessions before. */
const SESSIONS = "2026-11-20 2026-11-19 2026-11-18 2026-11-17 2026-11-16 2026-11-13".split(" ");

const CLOSES: Readonly<Record<string, number>> = {
  "2026-11-13": 100,
  "2026-11-16": 110,
  "2026-11-17": 99,
  "2026-11-18": 198,
  "2026-11-19": 99,
  "2026-11-20": 120,
};

/** The changes with the closes of some dates, and a newest session that is one of them unless given. */
function changes(dates: readonly string[], newest?: Parameters<typeof earlierChanges>[2]) {
  const known = { dates: [...dates], close: Float64Array.from(dates, (date) => CLOSES[date] ?? 1) };
  const date = dates.at(-1) ?? "";
  const ofBars = { date, previousDate: dates.at(-2) ?? null, changePercent: changeOf(dates) };
  return earlierChanges(SESSIONS, known, newest ?? ofBars).map(
    (change) => change && Math.round(change),
  );
}

const changeOf = (dates: readonly string[]) =>
  100 * ((CLOSES[dates.at(-1) ?? ""] ?? 0) / (CLOSES[dates.at(-2) ?? ""] ?? 0) - 1);
const ALL = Object.keys(CLOSES);
const without = (...days: readonly string[]) =>
  ALL.filter((date) => !days.some((day) => date.endsWith(day)));

test("are of the sessions before the newest one, the last one first", () => {
  // 99 / 198 − 1, 198 / 99 − 1, 99 / 110 − 1, 110 / 100 − 1. The change of the 20th is no earlier one.
  expect(changes(ALL)).toEqual([-50, 100, -10, 10]);
});

test("of a share that was suspended are unknown on that day and on the next one", () => {
  // Without the 18th, the 19th is measured from no session before.
  expect(changes(without("-18"))).toEqual([null, null, -10, 10]);
  // Since the 17th, it has no price of the newest three sessions.
  expect(changes(without("-18", "-19", "-20"))).toEqual([null, null, -10, 10]);
});

test("a close on a day without a session of the index is no close of the session before", () => {
  const dates = ["2026-11-13", "2026-11-15", "2026-11-16", "2026-11-17"];
  expect(changes(dates)).toEqual([null, null, -10, null]);
});

test("a quote after the closes has the change of its own session only", () => {
  const quote = (date: string, previousDate: string) => ({ date, previousDate, changePercent: 7 });
  expect(changes(without("-20"), quote("2026-11-20", "2026-11-19"))).toEqual([-50, 100, -10, 10]);
  expect(changes(without("-20", "-19"), quote("2026-11-20", "2026-11-19"))).toEqual([
    null,
    100,
    -10,
    10,
  ]);
  // The newest price is of the session before that of the index.
  expect(changes(without("-20", "-19"), quote("2026-11-19", "2026-11-18"))).toEqual([
    7, 100, -10, 10,
  ]);
  expect(changes(without("-20", "-19", "-18"), quote("2026-11-19", "2026-11-17"))).toEqual([
    null,
    null,
    -10,
    10,
  ]);
});

test("are unknown without sessions of the index, and beyond its first one", () => {
  const closes = { dates: ALL, close: Float64Array.from(Object.values(CLOSES)) };
  const newest = { date: "2026-11-20", previousDate: "2026-11-19", changePercent: 21 };
  expect(earlierChanges([], closes, newest)).toEqual([null, null, null, null]);
  const [last, ...others] = earlierChanges(SESSIONS.slice(0, 3), closes, newest);
  expect(last).toBeCloseTo(-50, 9);
  expect(others).toEqual([null, null, null]);
});

test("of a new listing begin with its second session", () => {
  expect(changes(ALL.slice(2))).toEqual([-50, 100, null, null]);
});
