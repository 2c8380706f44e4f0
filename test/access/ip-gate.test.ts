import { describe, expect, test } from "bun:test";
import { createIpGate } from "#access/ip-gate.ts";
import { START } from "../support/service.ts";

/** A gate with a clock that the test moves. */
function openGate(perMinute: number) {
  const time = { now: START };
  const gate = createIpGate(perMinute, () => time.now);
  return {
    time,
    gate,
    /** The number of requests that pass. */
    passing: (address: string, requests: number): number =>
      Array.from({ length: requests }, () => gate.check(address)).filter((it) => it === null)
        .length,
  };
}

describe("ip gate", () => {
  test("120 requests of a minute pass; the refusal of the 121st names the end of the minute", () => {
    const { gate, time, passing } = openGate(120);
    time.now = START + 12_300;
    expect(passing("192.0.2.1", 120)).toBe(120);
    expect(gate.check("192.0.2.1")).toEqual({
      limit: 120,
      resetAt: START / 1000 + 60,
      // 47.7 s, rounded up.
      retryAfterSeconds: 48,
    });
  });

  test("refuses until the minute of the clock ends, then passes 120 again", () => {
    const { gate, time, passing } = openGate(120);
    time.now = START + 30_000;
    expect(passing("192.0.2.1", 500)).toBe(120);
    time.now = START + 59_999;
    expect(gate.check("192.0.2.1")?.retryAfterSeconds).toBe(1);
    time.now = START + 60_000;
    expect(passing("192.0.2.1", 500)).toBe(120);
  });

  test("addresses are counted separately", () => {
    const { passing } = openGate(3);
    expect(passing("192.0.2.1", 9)).toBe(3);
    expect(passing("192.0.2.2", 9)).toBe(3);
    expect(passing("2001:db8::/64", 9)).toBe(3);
    expect(passing("", 9)).toBe(3);
  });

  test("counts 100,000 addresses separately; with more, the first one starts again and no new one is refused", () => {
    const { passing } = openGate(1);
    for (let i = 0; i < 100_000; i++) expect(passing(`address ${i}`, 1)).toBe(1);
    for (let i = 0; i < 100_000; i++) expect(passing(`address ${i}`, 1)).toBe(0);
    expect(passing("one more", 1)).toBe(1);
    expect(passing("one more", 1)).toBe(0);
    expect(passing("address 99999", 1)).toBe(0);
    expect(passing("address 0", 1)).toBe(1);
  });

  test("a clock that steps back starts a new minute and does not prolong a refusal", () => {
    const { gate, time, passing } = openGate(3);
    passing("192.0.2.1", 3);
    time.now = START - 3_600_000;
    expect(passing("192.0.2.1", 9)).toBe(3);
    expect(gate.check("192.0.2.1")?.retryAfterSeconds).toBeLessThanOrEqual(60);
  });
});
