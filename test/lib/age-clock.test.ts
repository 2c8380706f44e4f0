import { expect, test } from "bun:test";
import { createAgeClock } from "#lib/age-clock.ts";

/** A machine with both clocks, and its clock for ages. */
function createMachine() {
  const time = { wall: Date.parse("2026-11-20T22:30:00Z"), watch: 1_000 };
  const ages = createAgeClock(
    () => time.wall,
    () => time.watch,
  );
  const startedAt = ages();
  return {
    time,
    /** Lets time pass on both. */
    pass: (ms: number) => {
      time.wall += ms;
      time.watch += ms;
    },
    age: () => ages() - startedAt,
  };
}

test("an age grows with the time that passes, however often it is read", () => {
  const { pass, age } = createMachine();
  for (let ms = 1; ms <= 5_000; ms++) {
    pass(1);
    expect(age()).toBe(ms);
  }
});

test("an age is in whole milliseconds, which columns of integers need", () => {
  const { time, pass, age } = createMachine();
  time.watch += 0.7;
  pass(1.5);
  expect(age()).toBe(2);
});

test("a clock that is set back makes nothing younger", () => {
  const { time, pass, age } = createMachine();
  pass(3_000);
  for (const back of [5_000, 100, 86_400_000]) {
    const before = age();
    time.wall -= back;
    expect(age()).toBe(before);
    pass(10);
    expect(age()).toBe(before + 10);
  }
});

test("a stopwatch that stood still while the machine slept makes nothing younger", () => {
  const { time, pass, age } = createMachine();
  pass(1_000);
  time.wall += 3_600_000;
  expect(age()).toBe(3_601_000);
  pass(1_000);
  expect(age()).toBe(3_602_000);
  // A wrong clock that is corrected afterwards takes nothing back.
  time.wall -= 3_600_000;
  expect(age()).toBe(3_602_000);
});
