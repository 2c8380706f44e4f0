import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { RateMeter } from "#lib/rate-meter.ts";

/** A meter with a clock that only the test moves, in seconds. */
function openMeter() {
  const time = { now: 1_795_000_000 };
  const meter = new RateMeter(() => time.now * 1_000);
  const count = (times: number) => {
    for (let i = 0; i < times; i++) meter.count();
  };
  return { time, meter, count };
}

describe("the rate", () => {
  test("is an average over the last 60 whole seconds, without the running one", () => {
    const { time, meter, count } = openMeter();
    time.now += 100;
    count(120);
    expect(meter.perSecond()).toBe(0);
    time.now += 1;
    expect(meter.perSecond()).toBe(120 / 60);
    count(999);
    time.now += 59;
    expect(meter.perSecond()).toBe((120 + 999) / 60);
    time.now += 1;
    expect(meter.perSecond()).toBe(999 / 60);
    time.now += 1;
    expect(meter.perSecond()).toBe(0);
  });

  test("is an average since the start in the first minute", () => {
    const { time, meter, count } = openMeter();
    count(30);
    expect(meter.perSecond()).toBe(0);
    time.now += 3;
    expect(meter.perSecond()).toBe(30 / 3);
  });

  test("begins again if the clock steps back", () => {
    const { time, meter, count } = openMeter();
    time.now += 100;
    count(60);
    time.now -= 50;
    expect(meter.perSecond()).toBe(0);
    count(10);
    time.now += 2;
    expect(meter.perSecond()).toBe(10 / 2);
  });

  test("is that of a plain list of events, for any steps of the clock", () => {
    const step = fc.record({ seconds: fc.integer({ min: 0, max: 90 }), times: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { time, meter, count } = openMeter();
        const start = time.now;
        const events: number[] = [];
        for (const { seconds, times } of steps) {
          time.now += seconds;
          const length = Math.min(60, time.now - start);
          const counted = events.filter((at) => at < time.now && at >= time.now - 60).length;
          expect(meter.perSecond()).toBe(length === 0 ? 0 : counted / length);
          count(times);
          for (let i = 0; i < times; i++) events.push(time.now);
        }
      }),
    );
  });
});
