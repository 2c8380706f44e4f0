import { describe, expect, test } from "bun:test";
import { createCircuitBreaker } from "#lib/circuit-breaker.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A breaker that opens at the fourth failure for 1 to 10 minutes, or for a requested wait of up to an hour. */
function openBreaker(openForMs = 0) {
  const time = { now: Date.parse("2026-11-20T17:30:00Z") };
  const breaker = createCircuitBreaker({
    threshold: 4,
    openMs: MINUTE,
    maxOpenMs: 10 * MINUTE,
    maxRequestedMs: HOUR,
    clock: () => time.now,
    openUntil: time.now + openForMs,
  });
  const fail = (times: number) => {
    for (let i = 0; i < times; i++) breaker.failed();
  };
  return { breaker, time, fail, leftMs: () => Math.max(0, breaker.openUntil - time.now) };
}

describe("a circuit breaker", () => {
  test("is closed at first and after fewer failures than the threshold", () => {
    const { breaker, fail } = openBreaker();
    expect(breaker.openUntil).toBe(0);
    fail(3);
    expect(breaker.openUntil).toBe(0);
  });

  test("opens at the fourth consecutive failure for exactly one minute", () => {
    const { breaker, time, fail } = openBreaker();
    fail(4);
    expect(breaker.openUntil).toBe(time.now + MINUTE);
    time.now += MINUTE - 1;
    expect(breaker.openUntil).toBe(time.now + 1);
    time.now += 1;
    expect(breaker.openUntil).toBe(0);
  });

  test("a success resets the count of failures", () => {
    const { breaker, fail } = openBreaker();
    fail(3);
    breaker.succeeded();
    fail(3);
    expect(breaker.openUntil).toBe(0);
    fail(1);
    expect(breaker.openUntil).toBeGreaterThan(0);
  });

  test("each further failure doubles its open time, up to 10 minutes", () => {
    const { time, fail, leftMs } = openBreaker();
    fail(4);
    const minutes = [leftMs() / MINUTE];
    for (let i = 0; i < 8; i++) {
      time.now += leftMs();
      fail(1);
      minutes.push(leftMs() / MINUTE);
    }
    expect(minutes).toEqual([1, 2, 4, 8, 10, 10, 10, 10, 10]);
  });

  test("failures of calls that began before it opened do not extend its open time", () => {
    const { time, fail, leftMs } = openBreaker();
    fail(20);
    expect(leftMs()).toBe(MINUTE);
    time.now += MINUTE;
    fail(20);
    expect(leftMs()).toBe(2 * MINUTE);
  });

  test("after a success it opens again at the fourth failure, for one minute", () => {
    const { breaker, time, fail, leftMs } = openBreaker();
    fail(4);
    time.now += leftMs();
    fail(1);
    time.now += leftMs();
    breaker.succeeded();
    fail(3);
    expect(leftMs()).toBe(0);
    fail(1);
    expect(leftMs()).toBe(MINUTE);
  });

  test("a late success of a call that began earlier does not close it", () => {
    const { breaker, fail, leftMs } = openBreaker();
    fail(4);
    breaker.succeeded();
    expect(leftMs()).toBe(MINUTE);
  });

  test("opens at the first failure if the service requests a wait", () => {
    const { breaker, leftMs } = openBreaker();
    breaker.failed(5 * MINUTE);
    expect(leftMs()).toBe(5 * MINUTE);
    breaker.failed(2 * MINUTE);
    expect(leftMs()).toBe(5 * MINUTE);
    breaker.failed(7 * MINUTE);
    expect(leftMs()).toBe(7 * MINUTE);
  });

  test("a probe passes at most once a minute, and its failure doubles the open time", () => {
    const { breaker, time, fail, leftMs } = openBreaker();
    expect(breaker.probe()).toBe(false);
    fail(4);
    time.now += MINUTE;
    fail(1);
    time.now += MINUTE - 1;
    expect(breaker.probe()).toBe(false);
    time.now += 1;
    expect([breaker.probe(), breaker.probe()]).toEqual([true, false]);
    // It stays open for all other calls.
    expect(leftMs()).toBe(MINUTE);
    fail(1);
    expect(leftMs()).toBe(MINUTE);
    breaker.failed(null, true);
    expect(leftMs()).toBe(4 * MINUTE);
    expect(breaker.probe()).toBe(false);
    time.now += MINUTE;
    expect(breaker.probe()).toBe(true);
    breaker.succeeded();
    expect(leftMs()).toBe(3 * MINUTE);
    breaker.succeeded(true);
    fail(3);
    expect(leftMs()).toBe(0);
  });

  test("a probe does not pass during a requested wait", () => {
    const { breaker, time, leftMs } = openBreaker();
    breaker.failed(15 * MINUTE);
    time.now += 14 * MINUTE;
    expect(breaker.probe()).toBe(false);
    expect(leftMs()).toBe(MINUTE);
  });

  test("limits a requested wait to its maximum", () => {
    const { breaker, leftMs } = openBreaker();
    breaker.failed(365 * 24 * HOUR);
    expect(leftMs()).toBe(HOUR);
  });

  test("a clock that was set back does not keep it open for longer than its maximum", () => {
    const { breaker, time, fail, leftMs } = openBreaker();
    fail(4);
    time.now -= 24 * HOUR;
    expect(breaker.openUntil).toBe(0);
    fail(1);
    expect(leftMs()).toBe(2 * MINUTE);
  });

  test("that was open when the program ended stays open for the remaining time", () => {
    const { breaker, time, leftMs, fail } = openBreaker(MINUTE);
    expect(leftMs()).toBe(MINUTE);
    time.now += MINUTE;
    expect(breaker.openUntil).toBe(0);
    fail(3);
    expect(breaker.openUntil).toBe(0);
  });

  test("continues what another process has stored, and closes if that has", () => {
    const { breaker, leftMs, fail, time } = openBreaker();
    breaker.openUntil = time.now + MINUTE;
    expect(leftMs()).toBe(MINUTE);
    fail(4);
    breaker.openUntil = 0;
    expect(breaker.openUntil).toBe(0);
  });
});
